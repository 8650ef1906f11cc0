// locked_rotations() extracts the three rotation bits of a joint's locked coordinates. count_of(), only(),
// next() and previous() count set bits and find axes. PoseOf (joint_pose_steps.h) and joint_records.cpp use
// these functions. All functions are in an unnamed namespace, because kernels of several instruction sets
// include this header (vector_lanes.h).
#pragma once

#include <cstdint>

#include "takt/core/assert.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

/// Bits 0 to 2: x, y, z locked.
inline unsigned locked_rotations(std::uint8_t locked) noexcept { return (locked >> 3u) & 7u; }
// The axis after and before `axis` (0 to 2) in the cyclic order x, y, z:
inline unsigned next(unsigned axis) noexcept {
  TAKT_VALIDATE(axis < 3);
  return axis == 2 ? 0 : axis + 1;
}
inline unsigned previous(unsigned axis) noexcept {
  TAKT_VALIDATE(axis < 3);
  return axis == 0 ? 2 : axis - 1;
}
/// Number of set bits of three (`bits` is below 8). The function calls no library, as std::popcount does on
/// the baseline CPU.
inline unsigned count_of(unsigned bits) noexcept { return (bits & 1u) + (bits >> 1u & 1u) + (bits >> 2u); }
/// The axis whose bit is set; exactly one bit is.
inline unsigned only(unsigned bits) noexcept {
  TAKT_VALIDATE(bits == 1 || bits == 2 || bits == 4);
  return bits == 1 ? 0 : bits == 2 ? 1 : 2;
}

}  // namespace
}  // namespace takt
