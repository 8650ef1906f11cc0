#include "protocol/session/geometry_assembler.h"

#include <utility>

namespace takt::protocol {

bool GeometryAssembler::begins(const GeometrySlice& slice) {
  bool const fits =
      known_.size() < kGeometriesMax && slice.total_bytes <= kGeometryTotalBytesMax - epoch_bytes_;
  if (slice.offset != 0 || !fits || known_.contains(slice.digest)) return false;
  bytes_.clear();
  digest_ = slice.digest;
  kind_ = slice.kind;
  total_bytes_ = slice.total_bytes;
  epoch_bytes_ += slice.total_bytes;
  active_ = true;
  return true;
}

GeometryAssembler::Outcome GeometryAssembler::handle_slice(const GeometrySlice& slice) {
  if (!active_ && !begins(slice)) return Outcome::kBad;
  bool const follows = slice.digest == digest_ && slice.kind == kind_ && slice.total_bytes == total_bytes_ &&
                       slice.offset == bytes_.size();
  // An empty slice would let a hostile server keep us busy for ever. The reader has seen to it that a slice
  // ends within its total.
  if (!follows || slice.bytes.empty()) return Outcome::kBad;
  bytes_.insert(bytes_.end(), slice.bytes.begin(), slice.bytes.end());
  if (bytes_.size() < total_bytes_) return Outcome::kNeedMore;
  auto decoded = decode_geometry(kind_, bytes_);
  bytes_ = {};
  if (!decoded) return Outcome::kBad;
  geometry_ = *std::move(decoded);
  known_.insert(digest_);
  active_ = false;
  return Outcome::kComplete;
}

Geometry GeometryAssembler::take() noexcept { return std::exchange(geometry_, {}); }

void GeometryAssembler::clear() noexcept { *this = {}; }

}  // namespace takt::protocol
