// encode_rope and decode_rope_slices convert a rope to and from bytes of a snapshot part. A RopeSlice holds
// neighbouring nodes and can be decoded alone. Positions are rounded to multiples of 2^-13 m; each axis is
// coded as its difference from the linear extrapolation of the two nodes before. Tensions are coded likewise,
// rounded to eight significant bits. The differences are Rice codes whose parameter adapts to earlier
// differences; a swinging rope takes some 12 bits a node. docs/PROTOCOL.md defines the bytes for both SDKs,
// and gives the reason why no earlier tick is a baseline.
//
// Rice codes: R. F. Rice, Some practical universal noiseless coding techniques (1979); the adaptation is that
// of JPEG-LS (ITU-T T.87, 1998).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/messages/rope_state.h"
#include "protocol/wire/error.h"
#include "takt/core/result.h"

namespace takt::protocol {

/// Positions on the wire are multiples of 2^-kRopeLatticeBits m: 0.12 mm, so at most 0.06 mm off on each
/// axis.
inline constexpr unsigned kRopeLatticeBits = 13;

/// Neighbouring nodes of a rope, as decoded: positions and tensions are rounded.
struct RopeSlice {
  RopeId id = 0;                 ///< not null, index < kRopeIndexMax
  std::uint32_t node_count = 0;  ///< of the whole rope, 1 .. kRopeNodesMax
  std::uint32_t first = 0;       ///< index in the rope of nodes[0]; first + nodes.size() <= node_count
  std::uint32_t flags = 0;       ///< RopeState::flags
  float radius = 0;              ///< m, finite
  std::vector<Position> nodes;   ///< at least 1
  std::vector<float> tensions;   ///< N, of the segment after each node; the last node of the rope has none
  friend bool operator==(const RopeSlice&, const RopeSlice&) = default;
};

/// The bytes of the slices of a rope, at most kRopeSliceBytesMax each, in order of nodes. The rope has 1 to
/// kRopeNodesMax nodes and one tension fewer (both asserted).
[[nodiscard]] std::vector<std::vector<std::byte>> encode_rope(const RopeState& rope);

/// The slices of a snapshot part; untrusted bytes are allowed. Error::kOutOfRange: a slice is incomplete, or
/// one of its values is outside the range above. Error::kNotFinite: a radius.
[[nodiscard]] Result<std::vector<RopeSlice>, Error> decode_rope_slices(std::span<const std::byte> bytes);

}  // namespace takt::protocol
