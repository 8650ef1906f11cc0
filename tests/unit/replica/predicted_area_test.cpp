#include "client_sdk/cpp/replica/predicted_area.h"

#include <gtest/gtest.h>

#include <string>

namespace takt::client {
namespace {

constexpr sim::PlayerId kOwn = 1;

class PredictedAreaTest : public testing::Test {
 protected:
  // Bodies 1 to 6: a, near it b, touching b c, far d, joined with a e, static f.
  PredictedAreaTest()
      : simulation_(*sim::Simulation::create(*sim::load_scene(R"({"world": {"gravity": [0,0,0]}, "bodies": [
                {"name": "a", "position": [0,0,0], "shapes": [{"box": {"size": [1,1,1]}}]},
                {"position": [9,0,0], "shapes": [{"box": {"size": [1,1,1]}}]},
                {"position": [10,0.5,0], "shapes": [{"box": {"size": [1.02,1,1]}}]},
                {"position": [30,0,0], "shapes": [{"box": {"size": [1,1,1]}}]},
                {"name": "e", "position": [0,0,40], "shapes": [{"box": {"size": [1,1,1]}}]},
                {"type": "static", "position": [0,5,0], "shapes": [{"box": {"size": [1,1,1]}}]}],
              "joints": [{"kind": "revolute", "a": "a", "b": "e", "anchor": [0,0,20], "axis": [0,1,0]}]})",
                                                              "area"),
                                             NumbersMode::kFloat)) {
    simulation_.world().list_bodies(ids_);
    for (BodyId const id : ids_) types_[id] = simulation_.world().body_type(id);
    for (int i = 0; i < 2; ++i) (void)simulation_.step({}, {});
  }
  void update() { area_.update(simulation_, kOwn, types_); }
  [[nodiscard]] bool has(std::size_t i) const { return area_.contains(ids_.at(i)); }

  sim::Simulation simulation_;
  std::vector<BodyId> ids_;
  std::map<BodyId, BodyType> types_;
  PredictedArea area_{9.3};
};

TEST_F(PredictedAreaTest, IsEmptyWithoutAnOwnBody) {
  update();
  EXPECT_TRUE(area_.bodies().empty());
}

TEST_F(PredictedAreaTest, HasWhatIsNearTouchesOrIsJoined) {
  area_.note_named(ids_.at(0), simulation_.tick());
  update();
  EXPECT_TRUE(has(0));
  EXPECT_TRUE(has(1)) << "near";
  EXPECT_TRUE(has(2)) << "touches";
  EXPECT_FALSE(has(3)) << "far";
  EXPECT_TRUE(has(4)) << "joined";
  EXPECT_FALSE(has(5)) << "static";
  EXPECT_TRUE(std::ranges::is_sorted(area_.bodies()));
}

TEST_F(PredictedAreaTest, LeavesLaterThanItEnters) {
  auto const move_to = [&](double x_m) {
    ASSERT_TRUE(
        simulation_.local_world().set_pose(ids_.at(3), Position::from_metres(x_m, 0, 0), {0, 0, 0, 1}).ok());
  };
  area_.note_named(ids_.at(0), simulation_.tick());
  move_to(-9.5);
  update();
  EXPECT_FALSE(has(3));
  move_to(-9.2);
  update();
  EXPECT_TRUE(has(3));
  move_to(-11.5);
  update();
  EXPECT_TRUE(has(3));
  move_to(-11.8);
  update();
  EXPECT_FALSE(has(3));
}

TEST_F(PredictedAreaTest, ANamedBodyIsOwnForTwoSeconds) {
  area_.note_named(ids_.at(3), simulation_.tick());
  for (std::uint64_t i = 0; i < PredictedArea::kNamedTicks; ++i) (void)simulation_.step({}, {});
  update();
  EXPECT_TRUE(has(3));
  (void)simulation_.step({}, {});
  update();
  EXPECT_FALSE(has(3));
  EXPECT_FALSE(area_.is_named(ids_.at(3)));
}

TEST_F(PredictedAreaTest, AHeldBodyIsOwnUntilItsRelease) {
  auto const step = [&](std::uint32_t sequence, sim::Command command) {
    sim::Input const input{simulation_.tick(), sequence < 2 ? sim::kServerPlayer : kOwn, sequence,
                           std::move(command)};
    (void)simulation_.step({&input, 1}, {});
  };
  step(1, sim::JoinCommand{kOwn, false, "own"});
  area_.note_grab(simulation_.tick());
  step(2, sim::GrabCommand{ids_.at(3), {0, 0, 0}, Position::from_metres(30, 0, 0), 1000});
  for (std::uint64_t i = 0; i < 2 * PredictedArea::kNamedTicks; ++i) (void)simulation_.step({}, {});
  update();
  EXPECT_TRUE(has(3));
  step(3, sim::ReleaseCommand{});
  update();
  EXPECT_FALSE(has(3));
}

}  // namespace
}  // namespace takt::client
