// GeometryAssembler joins, on a client, the slices of geometries that a server sends, one geometry after the
// other, and decodes each when it is whole. The reliable channel keeps the order of slices. The assembler
// checks that each slice continues the one before. In an epoch (the life of one world of a room) no geometry
// may come twice, and kGeometriesMax and kGeometryTotalBytesMax (limits.h) bound number and bytes. Digests
// are names: the assembler does not compute them. Any fault gives Outcome::kBad; ClientInbox, which owns the
// assembler, then ends the session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "protocol/messages/message.h"

namespace takt::protocol {

class GeometryAssembler {
 public:
  enum class Outcome : std::uint8_t { kNeedMore, kComplete, kBad };
  /// kComplete: digest() and take() have the geometry. kBad: no honest server sends this slice, and the
  /// caller must end the session. Memory grows with the bytes that arrive, not with
  /// GeometrySlice::total_bytes.
  [[nodiscard]] Outcome handle_slice(const GeometrySlice& slice);
  /// The digest of the complete geometry, valid after kComplete until the next handle_slice().
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }
  /// Moves the complete geometry out; a second call returns an empty one.
  [[nodiscard]] Geometry take() noexcept;
  /// Another epoch begins: forgets all geometries, and one that is arriving.
  void clear() noexcept;

 private:
  [[nodiscard]] bool begins(const GeometrySlice& slice);

  std::vector<std::byte> bytes_;
  Geometry geometry_;
  std::uint64_t digest_ = 0;
  std::uint32_t total_bytes_ = 0;
  GeometryKind kind_ = GeometryKind::kHull;
  bool active_ = false;
  std::set<std::uint64_t> known_;  // complete ones of this epoch
  std::uint64_t epoch_bytes_ = 0;  // of them and of the one that is arriving
};

}  // namespace takt::protocol
