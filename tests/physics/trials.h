// The scenes that a rigid-body engine is tried by, made here once for tests and benchmarks: stacks, walls, a
// card house, an arch, dominoes, heavy on light, a pile, a crowd, a drum. Each is a scene with what must be
// known to judge it. It does not run or judge anything: see trial_run.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt/sim/game.h"
#include "takt/sim/scene.h"

namespace takt::test {

struct Trial {
  std::string name;
  sim::Scene scene;
  std::optional<std::size_t>
      watched;  ///< index in scene.bodies of the one whose sink and drift count: the top of what must stand
  Vec3<double> low_m{
      -1e9, -0.5,
      -1e9};  ///< a dynamic body whose centre leaves this region is lost: below the floor, out of the pit
  Vec3<double> high_m{1e9, 1e9, 1e9};  ///< the opposite corner
  std::optional<double>
      pull_m_s2;    ///< every dynamic body is pulled towards `origin` with this acceleration in each tick
  Position origin;  ///< where the trial stands
  bool is_driven = false;  ///< energy comes in from outside, so it may grow
};

/// Unit boxes on top of one another, 2 mm to either side of the axis.
[[nodiscard]] Trial stack_trial(std::uint32_t count);
/// A wall of unit boxes, one thick, `base` in the lowest row and one fewer in each above.
[[nodiscard]] Trial pyramid_trial(std::uint32_t base);
/// Cards of 1 m x 0.6 m x 20 mm, leaning in pairs at 25 degrees from upright, level upon level, with flat
/// cards between the levels.
[[nodiscard]] Trial card_house_trial(std::uint32_t levels);
/// A half circle of hulls, 4 m inside and 5 m outside, that only thrust keeps up. `stones` is odd; the
/// keystone is watched.
[[nodiscard]] Trial arch_trial(std::uint32_t stones);
/// Plates of 1 m, one metre apart, of which the first is falling.
[[nodiscard]] Trial double_domino_trial(std::uint32_t count);
/// A unit box of `ratio` times the mass on `light_count` light unit boxes; the heavy one is watched.
[[nodiscard]] Trial mass_ratio_trial(double ratio, std::uint32_t light_count);
/// `count` boxes, spheres, capsules, cylinders, cones and hulls of half a metre to a metre that fall into a
/// pit which they fill to a fifth of its height.
[[nodiscard]] Trial pile_trial(std::uint32_t count);
/// A crowd of boxes, spheres and capsules alone.
[[nodiscard]] Trial mix_trial(std::uint32_t count);
/// A crowd of convex hulls, each of 32 points on a sphere of its own.
[[nodiscard]] Trial hull_pile_trial(std::uint32_t count);
/// Unit boxes a metre apart, at rest on a plane; `count` is a square.
[[nodiscard]] Trial rest_trial(std::uint32_t count);
/// `count` bodies on a lattice without gravity, all pulled to one point.
[[nodiscard]] Trial rush_trial(std::uint32_t count);
/// A closed kinematic drum of twelve planks, 10 m long for every 2,000 boxes, that turns at 25 degrees a
/// second with `count` boxes of 0.4 m in it.
[[nodiscard]] Trial drum_trial(std::uint32_t count);

/// Balls a metre apart in a level sheet of `width` x `width`, each held to its neighbours by balls and
/// sockets halfway between, the first row static: the sheet swings down. Its balls do not touch.
[[nodiscard]] Trial joint_grid_trial(std::uint32_t width);
/// Ragdolls without feet (11 bodies) that fall into a pit of 8 m x 8 m.
[[nodiscard]] Trial ragdoll_heap_trial(std::uint32_t count);
/// Level rods of 1 m and 1 kg from a fixed point, let go, with `ratio` kg at the end, which is watched.
[[nodiscard]] Trial loaded_chain_trial(std::uint32_t links, double ratio);

/// Moves everything in a trial by `offset_m`, pulls included.
[[nodiscard]] Trial moved_trial(Trial trial, Vec3<double> offset_m);

/// All of the acceptance table by name, full size and from cheap to dear, with a smaller pyramid and pile
/// beside it; then those that speed is measured by. `trial` throws std::runtime_error for a name that is not
/// among them.
[[nodiscard]] std::vector<std::string> trial_names();
[[nodiscard]] Trial trial(std::string_view name);

/// The external force on a trial: the pull. Null when nothing acts.
[[nodiscard]] std::unique_ptr<sim::Game> game_of(const Trial& trial);

}  // namespace takt::test
