#include "server/replica_feed.h"

#include <algorithm>
#include <utility>

#include "takt/core/assert.h"

namespace takt::server {
namespace {

/// Hashes that wait for a record: one a tick goes out, and one in eight ticks comes in.
constexpr std::size_t kHashesMax = 16;
/// A hash that is older has lost its use: a client keeps about as many ticks.
constexpr std::uint64_t kHashAgeMax = 250;

}  // namespace

void ReplicaFeed::add(const ImageReceiver& session, protocol::ReplicationMode mode, bool has_world) {
  TAKT_ASSERT(protocol::simulates(mode));
  replicas_[session.player] = session.mode_epoch;
  if (!protocol::steps_confirmed(mode)) predicted_.insert(session.player);
  if (!has_world) waiting_.insert(session.player);
}

void ReplicaFeed::remove(sim::PlayerId player) {
  if (steps_confirmed()) linger_ticks_ = ticks_per_linger_;
  replicas_.erase(player);
  predicted_.erase(player);
  waiting_.erase(player);
  receivers_.erase(player);
}

void ReplicaFeed::welcome(sim::PlayerId player) {
  if (replicas_.contains(player)) waiting_.insert(player);
}

void ReplicaFeed::enter_world(std::uint32_t tick_rate_hz) {
  ticks_per_linger_ = kLingerS * tick_rate_hz;
  linger_ticks_ = 0;
  waiting_.clear();
  receivers_.clear();
  hashes_.clear();
  is_image_in_work_ = false;
}

bool ReplicaFeed::take_image_request() {
  if (is_image_in_work_ || waiting_.empty()) return false;
  is_image_in_work_ = true;
  receivers_.swap(waiting_);
  return true;
}

protocol::ConfirmedTick ReplicaFeed::confirm(std::uint64_t tick, std::span<const sim::Input> inputs,
                                             sim::RecentInputs* recent) {
  if (!steps_confirmed() && linger_ticks_ > 0) --linger_ticks_;
  sim::TickRecord record{tick, {inputs.begin(), inputs.end()}, {}};
  while (!hashes_.empty() && hashes_.front().tick + kHashAgeMax < tick) hashes_.pop_front();
  if (!hashes_.empty()) {
    record.hash = hashes_.front();
    hashes_.pop_front();
  }
  protocol::ConfirmedTick out;
  out.tick = tick;
  if (record.hash) {
    out.hash_tick = record.hash->tick;
    out.hash = record.hash->hash;
  }
  encode(record, out.record);
  if (recent != nullptr) recent->add(std::move(record));
  out.has_inputs = !inputs.empty();
  bool const is_of_one = std::ranges::all_of(
      inputs, [&](const sim::Input& input) { return input.player == inputs.front().player; });
  if (out.has_inputs && is_of_one) out.sole_player = inputs.front().player;
  return out;
}

void ReplicaFeed::handle_hash(std::uint64_t tick, std::uint64_t hash) {
  if (!wants_hash(tick)) return;
  hashes_.push_back({tick, hash});
  if (hashes_.size() > kHashesMax) hashes_.pop_front();
}

JoinImages ReplicaFeed::handle_image(std::uint64_t tick,
                                     std::shared_ptr<const std::vector<std::byte>> image) {
  is_image_in_work_ = false;
  JoinImages images{tick, std::move(image), {}};
  for (sim::PlayerId const player : std::exchange(receivers_, {}))
    images.receivers.push_back({player, replicas_.at(player)});
  return images;
}

void ReplicaFeed::handle_image_lost() {
  is_image_in_work_ = false;
  waiting_.merge(std::exchange(receivers_, {}));
}

}  // namespace takt::server
