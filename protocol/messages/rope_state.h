// RopeState is one rope at one tick: id, flags, radius, node positions and segment tensions. Snapshots carry
// ropes to clients that asked for them (Inspect with kInspectRopes). On the server, server/world_view.h makes
// RopeStates from a world, with exact positions. On the wire, positions and tensions are rounded
// (rope_codec.h). On a client, RopeDecoder returns the rounded RopeStates, and client_sdk/cpp/rope_store.h
// stores them.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/messages/command.h"

namespace takt::protocol {

/// Index and generation; 0 = null.
using RopeId = std::uint64_t;

/// Bits of RopeState::flags.
inline constexpr std::uint32_t kRopeAsleep = 1u << 0;

/// One rope at one tick. On the wire, positions are rounded to multiples of 2^-13 m (0.12 mm), and tensions
/// to eight significant bits (rope_codec.h).
struct RopeState {
  RopeId id = 0;
  std::uint32_t flags = 0;      ///< kRopeAsleep; readers keep unknown bits
  float radius = 0;             ///< m
  std::vector<Position> nodes;  ///< 1 .. kRopeNodesMax, in order along the rope
  std::vector<float> tensions;  ///< N, of the segment after each node but the last; below 0 = compression
  friend bool operator==(const RopeState&, const RopeState&) = default;
};

}  // namespace takt::protocol
