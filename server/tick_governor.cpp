#include "server/tick_governor.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace takt::server {

void TickGovernor::enter(const sim::Simulation& simulation) {
  *this = TickGovernor(options_);
  std::vector<BodyId> bodies;
  simulation.world().list_bodies(bodies);
  for (BodyId const body : bodies)
    if (sim::PlayerId const owner = simulation.owner(body); owner != sim::kServerPlayer)
      spawned_.push_back({body, owner, 0});
}

void TickGovernor::follow(const sim::TickResult& result) {
  if (!result.removed.empty())
    std::erase_if(spawned_, [&](const sim::SpawnTicket& ticket) {
      return std::ranges::binary_search(result.removed, ticket.body);
    });
  auto const added = spawned_.insert(spawned_.end(), result.tickets.begin(), result.tickets.end());
  std::stable_sort(added, spawned_.end(), [](const sim::SpawnTicket& a, const sim::SpawnTicket& b) {
    return a.sequence < b.sequence;  // the tick has them in the order of the bodies' ids
  });
}

void TickGovernor::note_tick(std::uint32_t tick_us, std::uint32_t period_us) noexcept {
  if (options_.share_percent == 0) return;
  ticks_us_[next_] = tick_us;
  next_ = (next_ + 1) % kWindowTicks;
  auto sorted = ticks_us_;
  std::ranges::nth_element(sorted, sorted.begin() + kWindowTicks / 2);
  std::uint64_t const median = std::uint64_t{100} * sorted[kWindowTicks / 2];
  std::uint64_t const limit = std::uint64_t{options_.share_percent} * period_us;
  bool const is_over = median > limit;
  // The median follows a despawn five ticks later; the last tick shows it at once.
  wants_despawns_ = is_over && std::uint64_t{100} * tick_us > limit;
  calm_ticks_ = 10 * median < 9 * limit ? calm_ticks_ + 1 : 0;
  if (is_over) is_overloaded_ = true;
  if (calm_ticks_ >= kCalmTicks) is_overloaded_ = false;
}

std::vector<sim::SpawnTicket> TickGovernor::choose(const sim::Simulation& simulation) {
  if (!wants_despawns_ || spawned_.empty()) return {};
  wants_despawns_ = false;
  std::uint32_t indices = 0;
  for (const sim::SpawnTicket& ticket : spawned_) indices = std::max(indices, ticket.body.index + 1);
  struct Body {
    sim::PlayerId player = sim::kServerPlayer;
    std::uint32_t points = 0;
  };
  std::vector<Body> bodies(indices);
  for (const sim::SpawnTicket& ticket : spawned_) bodies[ticket.body.index].player = ticket.player;
  struct Load {
    std::uint64_t points = 0;
    std::uint64_t bodies = 0;
  };
  std::map<sim::PlayerId, Load> players;
  for (const sim::SpawnTicket& ticket : spawned_) ++players[ticket.player].bodies;
  std::vector<ContactView> contacts;
  simulation.world().list_contacts(contacts);
  std::size_t players_points = 0;
  for (const ContactView& contact : contacts) {
    bool is_a_players = false;
    for (BodyId const body : {contact.body_a, contact.body_b}) {
      if (body.index >= indices || bodies[body.index].player == sim::kServerPlayer) continue;
      ++bodies[body.index].points;
      ++players[bodies[body.index].player].points;
      is_a_players = true;
    }
    if (is_a_players) ++players_points;
  }
  if (10 * players_points < contacts.size() && 10 * spawned_.size() < simulation.world().body_count())
    return {};
  std::vector<sim::SpawnTicket> chosen;
  while (chosen.size() < options_.despawns_per_tick && !spawned_.empty()) {
    auto const heaviest = std::ranges::max_element(
        players, {}, [](auto const& entry) { return std::tuple(entry.second.points, entry.second.bodies); });
    auto const newest = std::find_if(spawned_.rbegin(), spawned_.rend(), [&](const sim::SpawnTicket& ticket) {
      return ticket.player == heaviest->first;
    });
    if (newest == spawned_.rend()) break;
    chosen.push_back(*newest);
    heaviest->second.points -=
        std::min<std::uint64_t>(heaviest->second.points, bodies[newest->body.index].points);
    if (--heaviest->second.bodies == 0) players.erase(heaviest);
    spawned_.erase(std::next(newest).base());
  }
  return chosen;
}

}  // namespace takt::server
