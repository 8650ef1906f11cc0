// Planted faults: each breaks one invariant of the lower rooms of physics and must stop at its assertion.
#include <gtest/gtest.h>

#include <array>

#include "physics/base/parallel_for.h"
#include "physics/base/slot_pool.h"
#include "physics/geometry/hull_mass_properties.h"
#include "physics/geometry/triangle_mesh.h"
#include "physics/math/block_ldlt.h"
#include "physics/movers/plane_solver.h"
#include "physics/narrow_phase/manifold.h"
#include "physics/ropes/rope_linear_system.h"

namespace takt {
namespace {

struct TestTag;
using Pool = SlotPool<int, TestTag>;

TEST(InvariantDeathTest, ARecordIsErasedOnce) {
  Pool pool;
  pool.erase(pool.insert(7).index);
  EXPECT_DEATH(pool.erase(0), "assertion failed: index < slots.size\\(\\) && slots\\[index\\].alive");
}

TEST(InvariantDeathTest, TheFreeListHoldsNoLivingRecord) {
  Pool pool;
  pool.free_head = pool.insert(7).index;
  EXPECT_DEATH(pool.insert(8), "assertion failed: index < slots.size\\(\\) && !slots\\[index\\].alive");
}

TEST(InvariantDeathTest, ABlockCouplesWithLaterNodesOnly) {
  BlockPattern pattern;
  std::array<std::uint32_t, 1> const itself{0};
  EXPECT_DEATH(pattern.add_node(3, itself), "assertion failed: upper.empty\\(\\) \\|\\| upper.front");
}

TEST(InvariantDeathTest, ACoupledNodeExists) {
  BlockPattern pattern;
  std::array<std::uint32_t, 1> const missing{5};
  pattern.add_node(3, missing);
  EXPECT_DEATH(pattern.finish(), "assertion failed: upper_\\[k\\] < nodes\\(\\)");
}

TEST(InvariantDeathTest, ShapesCollideInTheOrderOfTheirRank) {
  ShapeGeometry<float> const box{ShapeKind::kBox, {0.5f, 0.5f, 0.5f}, {}};
  ShapeGeometry<float> const sphere{ShapeKind::kSphere, {0.5f, 0.0f, 0.0f}, {}};
  Manifold<float> manifold;
  EXPECT_DEATH(collide(box, sphere, {}, manifold), "assertion failed: collide_rank");
}

TEST(InvariantDeathTest, ASolidIsOrientedOutward) {
  // A tetrahedron whose loops run clockwise seen from outside: its volume is negative.
  std::array<Vec3<double>, 4> const vertices{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  std::array<std::uint8_t, 12> const loops{0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
  std::array<LoopRange, 4> const faces{{{0, 3}, {3, 3}, {6, 3}, {9, 3}}};
  EXPECT_DEATH((void)solid_mass({vertices, loops, faces}, 0.0), "assertion failed: m.zeroth > 0.0");
}

TEST(InvariantDeathTest, ATriangleNamesExistingVertices) {
  TriangleMesh surface;
  EXPECT_DEATH(surface.build({{0, 0, 0}, {1 << 24, 0, 0}}, {{0, 1, 2}}, {}, {}, false),
               "assertion failed: vertex < vertices.size\\(\\)");
}

TEST(InvariantDeathTest, AChainHasOneLinkLessThanNodes) {
  RopeLinearSystem chain;
  chain.nodes.resize(2);
  EXPECT_DEATH(chain.solve(), "assertion failed: count >= 1 && links.size\\(\\) \\+ 1 == count");
}

TEST(InvariantDeathTest, APlaneSolveIsBounded) {
  std::array<MoverPlane, kMaxMoverPlanes + 1> const planes{};
  EXPECT_DEATH((void)solve_planes({}, planes), "assertion failed: planes.size\\(\\) <= kMaxMoverPlanes");
}

TEST(InvariantDeathTest, ALoopHasAPoolAndAGrain) {
  EXPECT_DEATH(run_loop(nullptr, 1, 1, {}), "assertion failed: pool != nullptr");
}

}  // namespace
}  // namespace takt
