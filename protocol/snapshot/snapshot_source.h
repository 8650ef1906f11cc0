// SnapshotSource stores the server's current bodies, each with a revision that grows when its state or its
// presence changes. update() compares each body with its state before, once for the encoders of all clients:
// 64 clients do not compare 5,000 bodies 64 times. A RopeSource inside does the same for ropes.
// Inputs of movers have revisions of their own, for the encoders that send them.
// SnapshotSource stores no history; SnapshotEncoder decides for each client what is sent. All peers of a
// ServerEndpoint share one SnapshotSource (ServerShared).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/messages/body_state.h"
#include "protocol/snapshot/rope_source.h"

namespace takt::protocol {

class SnapshotSource {
 public:
  /// The slot of one body index. `revision` 0 = this index never held a body.
  struct Slot {
    BodyState state;             ///< of the present body, or of the last one
    std::uint64_t revision = 0;  ///< number of the update that last changed state or presence
    bool present = false;
    std::optional<MoverInput> input{};  ///< of a mover's body
    std::uint64_t input_revision = 0;   ///< as `revision`, of the input
  };

  /// Takes all bodies at `tick`, in any order. Each id occurs once, has a generation, and an index below
  /// kBodyIndexMax (asserted). Numbers are finite (TAKT_VALIDATE). Bodies that are not in the list are gone.
  /// The tick may repeat (a paused server) or go back (a restored one), because revisions count updates.
  void update(std::uint64_t tick, std::span<const BodyState> bodies);
  /// Takes the inputs of all movers whose bodies the last update() had. The caller calls this after each
  /// update(), if the world may have movers.
  void update_movers(std::span<const MoverInput> movers);
  /// The ropes of the same world. The caller updates them after each update(); without any no ropes are sent.
  [[nodiscard]] RopeSource& ropes() noexcept { return ropes_; }
  [[nodiscard]] const RopeSource& ropes() const noexcept { return ropes_; }

  /// Tick of the last update().
  [[nodiscard]] std::uint64_t tick() const noexcept { return tick_; }
  /// Number of calls of update().
  [[nodiscard]] std::uint64_t revision() const noexcept { return revision_; }
  /// By body index; the size is the highest index seen + 1.
  [[nodiscard]] std::span<const Slot> slots() const noexcept { return slots_; }
  [[nodiscard]] std::size_t body_count() const noexcept { return body_count_; }

 private:
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> seen_;  // by index: the update that last listed it
  RopeSource ropes_;
  std::uint64_t tick_ = 0;
  std::uint64_t revision_ = 0;
  std::size_t body_count_ = 0;
};

}  // namespace takt::protocol
