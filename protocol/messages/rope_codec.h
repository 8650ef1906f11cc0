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

/// Some neighbouring nodes of a rope, as read.
struct RopeSlice {
  RopeId id = 0;
  std::uint32_t node_count = 0;  ///< of the whole rope, 1 .. kRopeNodesMax
  std::uint32_t first = 0;       ///< of the nodes here
  std::uint32_t flags = 0;
  float radius = 0;
  std::vector<Position> nodes;  ///< at least 1
  std::vector<float> tensions;  ///< of the segments that begin at them: one fewer where the rope ends
  friend bool operator==(const RopeSlice&, const RopeSlice&) = default;
};

/// The rope cut into slices of at most kRopeSliceBytesMax bytes each, in order. 1 to kRopeNodesMax nodes,
/// `tensions` one fewer (asserted).
[[nodiscard]] std::vector<std::vector<std::byte>> encode_rope(const RopeState& rope);

/// The slices of a part. Error::kOutOfRange: bytes that do not add up or say what cannot be; kNotFinite: a
/// radius.
[[nodiscard]] Result<std::vector<RopeSlice>, Error> decode_rope_slices(std::span<const std::byte> bytes);

}  // namespace takt::protocol
