// ReplicaFeed has the sessions of a room that simulate, and what they need: an image of the state for those
// who come, and in modes rollback and lockstep the record of each tick, with the hash of an earlier state as
// soon as it is known. One image at a time is in work, for all who wait for it. WorldPublisher owns the feed
// and connects it with the ShadowWorld, which makes hashes and images; ServerEndpoint sends the records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "protocol/confirmed/confirmed_log.h"
#include "server/room_update.h"
#include "sim/comparison/recent_inputs.h"
#include "sim/recording/tick_record.h"
#include "takt/sim/command.h"

namespace takt::server {

class ReplicaFeed {
 public:
  /// A session that simulates has come, or goes on in another mode (`mode_epoch`); it waits for an image
  /// unless it has the world. `mode` is not snapshot (asserted).
  void add(const ImageReceiver& session, protocol::ReplicationMode mode, bool has_world = false);
  void remove(sim::PlayerId player);
  /// The client has entered the present world; it waits for an image. Others than those of add() are ignored.
  void welcome(sim::PlayerId player);
  /// Another world: nobody waits for images of the one before. `tick_rate_hz`: of its ticks.
  void enter_world(std::uint32_t tick_rate_hz);

  /// Ticks are to be confirmed: somebody steps them, or the last one who did may come back for them.
  [[nodiscard]] bool wants_ticks() const noexcept { return steps_confirmed() || linger_ticks_ > 0; }
  /// The session simulates, in any mode.
  [[nodiscard]] bool contains(sim::PlayerId player) const { return replicas_.contains(player); }
  /// The session simulates what is near its own bodies; it needs no records.
  [[nodiscard]] bool is_predicted(sim::PlayerId player) const { return predicted_.contains(player); }
  /// The state at `tick` is to be hashed.
  [[nodiscard]] bool wants_hash(std::uint64_t tick) const noexcept {
    return wants_ticks() && tick % sim::kHashEveryTicks == 0;
  }
  /// True when an image of the present state is to be made. All who wait now are its receivers.
  [[nodiscard]] bool take_image_request();

  /// The record of a tick that has run. `recent` takes its inputs too; null = nobody does.
  [[nodiscard]] protocol::ConfirmedTick confirm(std::uint64_t tick, std::span<const sim::Input> inputs,
                                                sim::RecentInputs* recent = nullptr);
  /// World time for which ticks are confirmed although nobody steps them any more: what a log keeps, and the
  /// time from an Accept to add().
  static constexpr std::uint64_t kLingerS = protocol::ConfirmedLog::kSeconds + 5;
  /// Hashes of other ticks than those of wants_hash() are ignored.
  void handle_hash(std::uint64_t tick, std::uint64_t hash);
  /// The image that was requested is there, or was given up; then it is requested again.
  [[nodiscard]] JoinImages handle_image(std::uint64_t tick,
                                        std::shared_ptr<const std::vector<std::byte>> image);
  void handle_image_lost();

 private:
  std::map<sim::PlayerId, std::uint32_t> replicas_;  // with their mode epochs
  std::set<sim::PlayerId> predicted_;                // of replicas_
  std::set<sim::PlayerId> waiting_;                  // for an image that is not in work
  std::set<sim::PlayerId> receivers_;                // of the image in work
  [[nodiscard]] bool steps_confirmed() const noexcept { return replicas_.size() > predicted_.size(); }

  bool is_image_in_work_ = false;
  std::uint64_t ticks_per_linger_ = 0;
  std::uint64_t linger_ticks_ = 0;     // left
  std::deque<sim::StateHash> hashes_;  // that no record has yet
};

}  // namespace takt::server
