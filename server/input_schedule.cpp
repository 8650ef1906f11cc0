#include "server/input_schedule.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace takt::server {

protocol::CommandOutcome InputSchedule::add(std::uint64_t tick, sim::Input input) {
  using enum protocol::CommandStatus;
  using enum protocol::CommandRefusal;
  std::uint64_t const asked = input.tick;
  Player& player = players_[input.player];
  if (asked < tick && tick - asked > options_.late_ticks_max)
    return {input.sequence, kRefusedLate, tick, kTooLate, {}};
  if (asked > tick && asked - tick > options_.early_ticks_max)
    return {input.sequence, kRefusedEarly, tick, kTooEarly, {}};
  if (player.waiting.size() >= options_.waiting_max)
    return {input.sequence, kRefusedLimit, tick, kTooManyWaiting, {}};
  input.tick = std::max({asked, tick, player.last_tick});
  player.last_tick = input.tick;
  protocol::CommandOutcome outcome{
      input.sequence, input.tick == asked ? kApplied : kMoved, input.tick, kNone, {}};
  player.waiting.push_back(std::move(input));
  return outcome;
}

void InputSchedule::take(std::uint64_t tick, std::vector<sim::Input>& out) {
  out.clear();
  for (auto& [id, player] : players_) {
    auto const end = std::find_if(player.waiting.begin(), player.waiting.end(),
                                  [&](const sim::Input& input) { return input.tick > tick; });
    std::move(player.waiting.begin(), end, std::back_inserter(out));
    player.waiting.erase(player.waiting.begin(), end);
  }
}

void InputSchedule::remove_player(sim::PlayerId player) { players_.erase(player); }

std::size_t InputSchedule::waiting_count() const noexcept {
  std::size_t count = 0;
  for (auto const& [id, player] : players_) count += player.waiting.size();
  return count;
}

}  // namespace takt::server
