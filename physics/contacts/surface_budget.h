// SurfaceBudget bounds the triangles that the narrow phase of a tick tests, in a world with
// WorldDef::max_contacts; ContactDetection calls it. A pair of a shape with a mesh or height field costs as
// many as the shape's exact bounds reach. A tick has kTrianglesPerContact triangles for each contact of the
// limit, which the pairs receive in the order of LimitedPairs: by the index of the shape, then by that of the
// surface. A pair for which too few are left is left out, like a pair beyond the limit of contacts. Sensors
// count too, and pairs of two inactive bodies do not: they are not tested. The result depends on the world's
// state alone. Counting takes some 0.35 us a pair, and its work for pairs that are left out is taken from the
// budget too, so that it is bounded.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/broad_phase/broad_phase.h"
#include "physics/state/world_state.h"

namespace takt {

/// Triangles of a tick for each contact of WorldDef::max_contacts. A body on a surface of its own fineness
/// reaches 8 to 20, and a server allows 12 contacts a body and at least 4,096. A triangle below a deep box
/// takes some 1.3 us, so a tick of such a world spends at most 21 ms on them.
inline constexpr std::uint32_t kTrianglesPerContact = 4;

class SurfaceBudget {
 public:
  /// The keys without the pairs that the budget does not reach: ascending, valid until the next call or the
  /// end of `keys`. `keys` are the candidates of the tick, ascending; the exact bounds of active shapes must
  /// be current.
  template <class Real>
  [[nodiscard]] std::span<const std::uint64_t> limit(const WorldState<Real>& state, const BroadPhase& broad,
                                                     std::span<const std::uint64_t> keys);
  /// True when the last limit() left out pairs.
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

 private:
  struct Pair {
    std::uint32_t shape = 0;
    std::uint32_t surface = 0;
    std::uint32_t index = 0;  ///< in the keys
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  std::vector<Pair> pairs_;
  std::vector<std::uint8_t> is_left_out_;  ///< by index in the keys
  std::vector<std::uint64_t> kept_;
  bool is_cut_ = false;
};

}  // namespace takt
