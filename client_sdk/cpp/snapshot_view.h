// SnapshotView is the world as snapshots tell it: it has a JitterBuffer, a BodyStore and the geometries of an
// epoch. handle_*() take what the server sends, advance() moves the render tick (the tick to draw), and
// bodies() lists all bodies there. Session has one, with ropes and inspections beside it; ReplicaSession has
// one for the time in which it does not simulate. The view has no session, clock or thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "client_sdk/cpp/body_store.h"
#include "client_sdk/cpp/complete_ticks.h"
#include "client_sdk/cpp/jitter_buffer.h"
#include "client_sdk/cpp/refresh_meter.h"
#include "protocol/session/client_event.h"
#include "takt/client/body.h"
#include "takt/client/geometry.h"

namespace takt::client {

class SnapshotView {
 public:
  explicit SnapshotView(const JitterBufferOptions& options = {}) noexcept
      : options_(options), buffer_(options) {}

  /// Another world begins, or the server sends the present one anew. Snapshots count on.
  void clear(double tick_rate_hz);
  /// JitterBuffer::set_rate().
  void set_rate(double ticks_per_s, std::uint64_t server_tick) noexcept {
    buffer_.set_rate(ticks_per_s, server_tick);
  }
  /// The ticks are those of JitterBuffer::handle_snapshot().
  void handle_snapshot(const protocol::SnapshotPart& part, bool completes, double server_tick,
                       double earliest_tick);
  /// BodyStore::describe().
  bool handle_added(const protocol::BodyInfo& info);
  void handle_removed(std::uint64_t tick, protocol::BodyId id);
  void handle_geometry(protocol::GeometryArrived&& arrived);
  /// JitterBuffer::advance(). Call it once a frame.
  void advance(std::uint64_t now_us, double server_tick, double earliest_tick) noexcept;

  /// All bodies at the render tick, in id order; valid until the next call of another function.
  [[nodiscard]] const std::vector<Body>& bodies();
  /// Null: no geometry of this digest has arrived. Valid until clear().
  [[nodiscard]] const Geometry* geometry(std::uint64_t digest) const noexcept;
  [[nodiscard]] const JitterBuffer& buffer() const noexcept { return buffer_; }
  /// Snapshots of which a part has arrived.
  [[nodiscard]] std::uint64_t snapshots() const noexcept { return snapshots_; }

 private:
  JitterBufferOptions options_;
  JitterBuffer buffer_;
  BodyStore body_store_;
  std::map<std::uint64_t, Geometry> geometries_;  // of this epoch, by digest
  CompleteTicks complete_ticks_;                  // of snapshots that had room for all bodies
  bool bodies_are_fresh_ = false;
  std::uint64_t snapshots_ = 0;
  std::uint32_t newest_serial_ = 0;
  RefreshMeter refreshes_;
};

}  // namespace takt::client
