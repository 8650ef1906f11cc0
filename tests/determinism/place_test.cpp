// Physics does not know where it is: a scene moved by 1,000 km gives the same bits of every relative
// position, rotation and velocity.
#include <gtest/gtest.h>

#include "tests/determinism/stage.h"
#include "tests/scene_file.h"

namespace takt::determinism {
namespace {

class Place : public testing::TestWithParam<Stage> {};

constexpr std::int64_t kFarX = std::int64_t{1'000'000} << 32;
constexpr std::int64_t kFarY = -(std::int64_t{350'000} << 32) + 12345;
constexpr std::int64_t kFarZ = -(std::int64_t{777'777} << 32) - 1;

Position moved_far(Position p) {
  return Position::from_raw(p.x_raw + kFarX, p.y_raw + kFarY, p.z_raw + kFarZ);
}

template <class Real>
void expect_same_motion(const World<Real>& here, const World<Real>& there, std::uint64_t tick) {
  std::vector<BodyId> ids;
  std::vector<BodyId> others;
  here.list_bodies(ids);
  there.list_bodies(others);
  ASSERT_EQ(ids, others) << "tick " << tick;
  for (BodyId const id : ids) {
    ASSERT_EQ(moved_far(here.pose(id).position), there.pose(id).position)
        << "tick " << tick << " body " << id.index;
    ASSERT_EQ(here.pose(id).rotation, there.pose(id).rotation) << "tick " << tick << " body " << id.index;
    ASSERT_EQ(here.linear_velocity(id), there.linear_velocity(id)) << "tick " << tick << " body " << id.index;
    ASSERT_EQ(here.angular_velocity(id), there.angular_velocity(id))
        << "tick " << tick << " body " << id.index;
  }
  std::vector<RopeId> ropes;
  here.list_ropes(ropes);
  for (RopeId const id : ropes) {
    RopeView a;
    RopeView b;
    here.read_rope(id, a);
    there.read_rope(id, b);
    for (Position& node : a.nodes) node = moved_far(node);
    ASSERT_EQ(a.nodes, b.nodes) << "tick " << tick << " rope " << id.index;
    ASSERT_EQ(a.velocities_m_s, b.velocities_m_s) << "tick " << tick << " rope " << id.index;
    ASSERT_EQ(a.tensions_n, b.tensions_n) << "tick " << tick << " rope " << id.index;
  }
}

TEST_P(Place, AThousandKilometresAwayMotionHasTheSameBits) {
  sim::Scene const scene = scene_files::load(GetParam().scene);
  sim::Scene far = scene;
  for (sim::SceneBody& body : far.bodies) {
    body.def.position = moved_far(body.def.position);
    if (body.motion) body.motion->to = moved_far(body.motion->to);
    if (body.mover) body.mover->position = moved_far(body.mover->position);
  }
  for (sim::SceneRope& rope : far.ropes) {
    rope.def.start = moved_far(rope.def.start);
    rope.def.end = moved_far(rope.def.end);
    for (Position& point : rope.points) point = moved_far(point);
    for (RopePin& pin : rope.pins) {
      if (pin.target) pin.target = moved_far(*pin.target);
    }
  }
  for (sim::SceneJoint& joint : far.joints) {
    if (joint.world) {
      joint.world->anchor_a = moved_far(joint.world->anchor_a);
      joint.world->anchor_b = moved_far(joint.world->anchor_b);
    }
    joint.def.coupling.ground_a = moved_far(joint.def.coupling.ground_a);
    joint.def.coupling.ground_b = moved_far(joint.def.coupling.ground_b);
  }
  sim::Simulation here = begin(scene, GetParam().mode);
  sim::Simulation there = begin(far, GetParam().mode);
  std::uint64_t const ticks = run_ticks(0.3);
  while (here.tick() < ticks) {
    step(here, {});
    step(there, {});
    ASSERT_NE(here.hash(), there.hash()) << "the second scene did not move";
    if (GetParam().mode == NumbersMode::kFloat) {
      ASSERT_NO_FATAL_FAILURE(
          expect_same_motion(*here.world().get<float>(), *there.world().get<float>(), here.tick()));
    } else {
      ASSERT_NO_FATAL_FAILURE(
          expect_same_motion(*here.world().get<Fixed>(), *there.world().get<Fixed>(), here.tick()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Place, testing::ValuesIn(stages()),
                         [](const auto& at) { return name_of(at.param); });

}  // namespace
}  // namespace takt::determinism
