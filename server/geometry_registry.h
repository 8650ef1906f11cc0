// GeometryRegistry stores the encoded geometry (hulls, meshes, height fields) that a room or playback sends
// to its clients. A geometry is encoded when a body with it is first described, and shared by all sessions.
// An encoded geometry is kept for the epoch, the time of one world in a room, since clients keep it that
// long. Geometry over the protocol's limits (GeometryLimits) is not encoded: its shapes are described without
// geometry, and clients draw their boxes. Geometry described first is kept first, so all clients of an epoch
// see equal shapes. WorldPublisher has the registry; name_geometries() adds to a RoomUpdate the geometries
// that its bodies need. BodyDirectory describes the bodies for newcomers. One thread at a time uses a
// GeometryRegistry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "protocol/messages/body_state.h"
#include "protocol/messages/geometry.h"
#include "protocol/wire/limits.h"
#include "server/room_update.h"
#include "takt/sim/simulation.h"

namespace takt::server {

/// Limits of one epoch; smaller ones are for tests.
struct GeometryLimits {
  std::uint64_t bytes_max = protocol::kGeometryBytesMax;             ///< of one encoded geometry
  std::uint64_t total_bytes_max = protocol::kGeometryTotalBytesMax;  ///< of all together
  std::size_t count_max = protocol::kGeometriesMax;                  ///< geometries
};

class GeometryRegistry {
 public:
  explicit GeometryRegistry(const GeometryLimits& limits = {}) noexcept : limits_(limits) {}

  /// The description of a living body (asserted), of its first kShapesPerBodyMax shapes. The owner's ticket
  /// in `tickets` gives BodyInfo::sequence; `tickets` are those of the tick, in id order of their bodies.
  [[nodiscard]] protocol::BodyInfo describe(const sim::Simulation& simulation, BodyId body,
                                            std::span<const sim::SpawnTicket> tickets = {});
  /// The geometry of a digest that a description of this epoch names; throws std::out_of_range for another.
  /// The reference is valid until clear().
  [[nodiscard]] const protocol::GeometryBlob& at(std::uint64_t digest) const { return entries_.at(digest); }
  /// All geometries of this epoch that are sent.
  [[nodiscard]] std::vector<protocol::GeometryBlob> list() const;
  /// Bytes of all encoded geometries of this epoch.
  [[nodiscard]] std::uint64_t kept_bytes() const noexcept { return kept_bytes_; }
  /// Forgets all geometry, because another epoch begins.
  void clear() noexcept;

 private:
  [[nodiscard]] bool has_or_takes(const sim::AnyWorld& world, ShapeId id, const ShapeDef& shape,
                                  std::uint64_t digest);

  std::map<std::uint64_t, protocol::GeometryBlob> entries_;  // by digest; without bytes: it is over a limit
  GeometryLimits limits_;
  std::size_t kept_count_ = 0;
  std::uint64_t kept_bytes_ = 0;
};

/// Returns true if a body has a shape whose geometry is sent.
[[nodiscard]] bool names_geometry(const protocol::BodyInfo& body) noexcept;
/// Puts bodies without geometry before those with it, and keeps the order otherwise.
void put_plain_first(std::vector<protocol::BodyInfo>& bodies);
/// Adds the geometries that bodies of `added` name, and all with a Welcome. Reorders `added` by
/// put_plain_first().
void name_geometries(const GeometryRegistry& registry, RoomUpdate& update);

}  // namespace takt::server
