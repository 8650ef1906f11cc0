#include "client_sdk/cpp/replica/predicted_replica.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "sim/replication/body_replication.h"
#include "tests/physics/allocation_count.h"

namespace takt::client {
namespace {

constexpr sim::PlayerId kPredictedOwn = 1;
/// A path whose snapshots always leave something out.
constexpr std::uint32_t kStarved = 5;

/// A server's world of boxes at rest on a plane, and the replica of a client without a network between them.
class PredictedReplicaTest : public testing::Test {
 protected:
  PredictedReplicaTest()
      : server_(*sim::Simulation::create(
            *sim::load_scene(R"({"bodies": [{"type": "static", "shapes": [{"half_space": {}}]},
                {"position": [0,0.5,0], "shapes": [{"box": {"size": [1,1,1]}}]},
                {"position": [5,0.5,0], "shapes": [{"box": {"size": [1,1,1]}}]},
                {"position": [90,0.5,0], "shapes": [{"box": {"size": [1,1,1]}}]}]})",
                             "boxes"),
            NumbersMode::kFloat)) {
    sim::Input const join{0, sim::kServerPlayer, 1, sim::JoinCommand{kPredictedOwn, false, "own"}};
    (void)server_.step({&join, 1}, {});
    for (int i = 0; i < 120; ++i) (void)server_.step({}, {});
    EXPECT_TRUE(replica_.restore(server_.save(), kPredictedOwn).ok());
    std::vector<BodyId> ids;
    server_.world().list_bodies(ids);
    own_ = ids.at(1);
    near_ = ids.at(2);
    start_ = replica_.tick();
  }

  [[nodiscard]] protocol::BodyState state_of(BodyId body) const {
    std::vector<protocol::BodyState> states;
    list_body_states(server_.world(), states);
    return *std::ranges::find(states, body.to_u64(), &protocol::BodyState::id);
  }
  void snapshot(std::uint64_t tick, std::vector<protocol::BodyState> bodies, std::uint32_t deferred) {
    protocol::SnapshotPart part;
    part.tick = start_ + tick;
    part.bodies = std::move(bodies);
    part.deferred = deferred;
    replica_.handle_snapshot(part, true);
  }
  void push(BodyId body, float impulse_n_s) {
    replica_.add_input(replica_.tick(), ++sequence_,
                       sim::ImpulseCommand{body, {impulse_n_s, 0, 0}, std::nullopt});
  }
  [[nodiscard]] sim::BodyView view(BodyId body) const { return replica_.simulation().world().view(body); }
  void advance(std::uint64_t tick) {
    while (replica_.tick() < start_ + tick) replica_.advance(replica_.tick() + 1);
  }

  sim::Simulation server_;
  PredictedReplica replica_{PredictedOptions{}};
  BodyId own_;
  BodyId near_;
  std::uint64_t start_ = 0;
  std::uint32_t sequence_ = 0;
};

protocol::BodyState moved_by(protocol::BodyState state, double x_m) {
  state.position.x += static_cast<std::int64_t>(x_m * 0x1p32);
  return state;
}

// Regression: the rewind to the earlier tick lost what the later snapshot had corrected, for good.
TEST_F(PredictedReplicaTest, ACorrectionOutlivesALaterOneOfAnEarlierTick) {
  push(own_, 1);
  advance(20);
  protocol::BodyState const right = moved_by(state_of(near_), 3);
  snapshot(12, {right}, kStarved);
  advance(21);
  ASSERT_NEAR(view(near_).position.x_m(), 8, 0.01);
  snapshot(8, {moved_by(state_of(own_), -1)}, kStarved);  // reordered
  advance(22);
  EXPECT_NEAR(view(own_).position.x_m(), -1, 0.2);
  EXPECT_NEAR(view(near_).position.x_m(), 8, 0.01);
  EXPECT_EQ(replica_.stats().rollbacks, 2u);
}

// Regression: a path that always leaves something out never said again that a body rests.
TEST_F(PredictedReplicaTest, AStarvedPathCorrectsWhatRestsAfterSomeSilence) {
  snapshot(1, {state_of(own_), state_of(near_)}, kStarved);
  advance(4);
  push(near_, 3000);  // the server never gets it
  for (std::uint64_t tick = 4; tick < 120; ++tick) {
    advance(tick + 4);
    snapshot(tick, {}, kStarved);
    if (tick == 30) {
      EXPECT_GT(view(near_).position.x_m(), 5.5) << "too early to tell";
    }
  }
  advance(200);
  EXPECT_TRUE(is_equal(view(near_), to_truth(state_of(near_))));
  EXPECT_TRUE(is_equal(view(own_), to_truth(state_of(own_))));
}

// Regression: a body that balances is asleep on the server. An awake one fell again after each correction.
TEST_F(PredictedReplicaTest, ABodyThatTheOwnWorldCannotKeepIsHeldUntilItHasNews) {
  protocol::BodyState aloft = state_of(near_);
  aloft.position.y += std::int64_t{3} << 32;
  aloft.flags &= ~protocol::kBodyAsleep;
  push(own_, 1);
  advance(4);
  snapshot(2, {aloft}, kStarved);  // awake, so that the own one wakes
  advance(5);
  aloft.flags |= protocol::kBodyAsleep;
  snapshot(3, {aloft}, kStarved);
  for (std::uint64_t tick = 4; tick < 110; ++tick) {
    advance(tick + 4);
    snapshot(tick, {}, kStarved);
  }
  advance(115);
  ASSERT_TRUE(replica_.area().contains(near_));
  for (std::uint64_t tick = 116; tick < 119; ++tick) {
    advance(tick);
    EXPECT_TRUE(is_equal(view(near_), to_truth(aloft))) << view(near_).position.y_m();
  }
  aloft.flags &= ~protocol::kBodyAsleep;
  snapshot(112, {aloft}, kStarved);
  advance(120);
  EXPECT_EQ(view(near_).type, BodyType::kDynamic);
  EXPECT_LT(view(near_).linear_velocity_m_s.y, -0.5) << "it falls";
}

// Regression: a target moved it by less than a grid in one tick, which is a velocity of more than a grid.
TEST_F(PredictedReplicaTest, ABodyThatLeavesTheAreaAtRestStaysAtRest) {
  push(own_, 1);
  snapshot(1, {moved_by(state_of(near_), 0.0005), state_of(own_)}, 0);
  bool was_in = false;
  for (std::uint64_t tick = 1; tick < 200; ++tick) {
    advance(tick);
    snapshot(tick, {}, 0);
    was_in = was_in || replica_.area().contains(near_);
    EXPECT_TRUE(is_equal(view(near_), to_truth(moved_by(state_of(near_), 0.0005)))) << tick;
  }
  EXPECT_TRUE(was_in);
  EXPECT_FALSE(replica_.area().contains(near_));
}

// Regression: half of the grid was left alone. A ball that rolled over an edge made more than the grid of it
// before the next news came.
TEST_F(PredictedReplicaTest, ADeviationThatMayGrowIsCorrected) {
  push(own_, 1);
  advance(10);
  for (double const deviation_m : {kPositionGridM / 4, kPositionGridM / 2}) {
    std::uint64_t const corrected = replica_.stats().corrected;
    protocol::BodyState const right = moved_by(state_of(near_), deviation_m);
    std::uint64_t const tick = replica_.tick() - start_;
    snapshot(tick - 2, {right}, kStarved);
    advance(tick + 1);
    EXPECT_EQ(replica_.stats().corrected, corrected + 1);
    EXPECT_NEAR(view(near_).position.x_m(), 5 + deviation_m, kPositionGridM / kGridFraction);
  }
}

/// A mover whose player is another one walks along a wall: its body has less than the velocity that it wants.
class PredictedMoverTest : public testing::Test {
 protected:
  PredictedMoverTest()
      : server_(*sim::Simulation::create(
            *sim::load_scene(R"({"bodies": [{"type": "static", "shapes": [{"half_space": {}}]},
                {"position": [0,0.92,0], "mover": {}},
                {"type": "static", "position": [0,1,1], "shapes": [{"box": {"size": [6,2,1]}}]}]})",
                             "wall"),
            NumbersMode::kFloat)) {
    sim::Input const join{0, sim::kServerPlayer, 1, sim::JoinCommand{kPredictedOwn, false, "own"}};
    (void)server_.step({&join, 1}, {});
    EXPECT_TRUE(replica_.restore(server_.save(), kPredictedOwn).ok());
    server_.world().list_movers(movers_);
    mover_ = server_.world().mover(movers_.at(0)).body;
  }

  void step_server(Vec3<float> velocity_m_s) {
    sim::Input const input{server_.tick(), sim::kServerPlayer, ++sequence_,
                           sim::MoveCommand{mover_, velocity_m_s, 0, false, false}};
    bool const is_new = !(velocity_m_s == wanted_);
    wanted_ = velocity_m_s;
    (void)server_.step(is_new ? std::span(&input, 1) : std::span<const sim::Input>{}, {});
  }
  void snapshot() {
    protocol::SnapshotPart part;
    part.tick = server_.tick();
    list_body_states(server_.world(), part.bodies);
    list_mover_inputs(server_.world(), part.movers);
    replica_.handle_snapshot(part, true);
  }
  [[nodiscard]] Position replica_position() const {
    return replica_.simulation().world().view(mover_).position;
  }

  sim::Simulation server_;
  PredictedReplica replica_{PredictedOptions{}};
  std::vector<MoverId> movers_;
  BodyId mover_;
  Vec3<float> wanted_{};
  std::uint32_t sequence_ = 1;
};

// Regression: the replica took the body's velocity for the input. At the end of the wall the server's mover
// turned off, and the replica's went straight on.
TEST_F(PredictedMoverTest, AMoverOfOthersGoesOnWithItsInputAndNotWithItsVelocity) {
  constexpr std::uint64_t kAhead = 30;
  std::map<std::uint64_t, Position> predicted;
  for (int i = 0; i < 240; ++i) {
    step_server({3, 0, 2});
    snapshot();
    while (replica_.tick() < server_.tick() + kAhead) replica_.advance(server_.tick() + kAhead);
    predicted[replica_.tick()] = replica_position();
    auto const was = predicted.find(server_.tick());
    if (i < 60 || was == predicted.end()) continue;
    ASSERT_EQ(was->second, server_.world().view(mover_).position) << "at tick " << server_.tick();
  }
  EXPECT_GT(server_.world().view(mover_).position.z_m(), 2) << "it has passed the end of the wall";
}

// The body does not move, so that the input alone tells.
TEST_F(PredictedMoverTest, AnInputThatMovesNoBodyIsACorrection) {
  auto const tell = [&](float z_m_s) {
    step_server({0, 0, z_m_s});
    snapshot();
    while (replica_.tick() < server_.tick() + 5) replica_.advance(server_.tick() + 5);
    return replica_.stats().corrected;
  };
  for (int i = 0; i < 60; ++i) (void)tell(2);
  std::uint64_t const corrected = tell(2);
  Position const before = server_.world().view(mover_).position;
  EXPECT_EQ(tell(4), corrected + 1);
  EXPECT_EQ(tell(4), corrected + 1);
  EXPECT_EQ(server_.world().view(mover_).position, before);
}

TEST_F(PredictedReplicaTest, ARefusedInputIsUndone) {
  push(own_, 2000);
  advance(10);
  EXPECT_GT(view(own_).position.x_m(), 0.1);
  replica_.drop_input(1);
  advance(11);
  EXPECT_TRUE(is_equal(view(own_), to_truth(state_of(own_))));
  EXPECT_EQ(replica_.inputs_in_flight(), 0u);
}

TEST_F(PredictedReplicaTest, AMovedInputActsInItsNewTick) {
  push(own_, 2000);
  advance(10);
  replica_.move_input(1, start_ + 5);
  advance(11);
  sim::Simulation server = *sim::Simulation::restore(server_.save());
  while (server.tick() < replica_.tick()) {
    sim::Input const input{start_ + 5, kPredictedOwn, 1,
                           sim::ImpulseCommand{own_, {2000, 0, 0}, std::nullopt}};
    bool const is_now = server.tick() == start_ + 5;
    (void)server.step(is_now ? std::span(&input, 1) : std::span<const sim::Input>{}, {});
  }
  EXPECT_EQ(view(own_).position, server.world().view(own_).position);
}

TEST_F(PredictedReplicaTest, StandsStillWithoutSnapshots) {
  advance(100);
  for (int i = 0; i < 40; ++i) replica_.advance(start_ + 1000);
  EXPECT_EQ(replica_.tick(), start_ + PredictedOptions{}.ahead_ticks_max);
  EXPECT_GT(replica_.stats().stalled_advances, 0u);
}

TEST_F(PredictedReplicaTest, ASteadyTickAllocatesNothing) {
  push(own_, 4000);
  advance(8);
  protocol::SnapshotPart part;
  part.bodies = {state_of(near_)};
  std::uint64_t allocated = 0;
  for (std::uint64_t tick = 1; tick < 400; ++tick) {
    part.tick = start_ + tick;
    std::uint64_t const before = test::allocation_count();
    replica_.handle_snapshot(part, true);
    replica_.advance(start_ + tick + 8);
    if (tick >= 200) allocated += test::allocation_count() - before;
  }
  EXPECT_EQ(allocated, 0u);
}

}  // namespace
}  // namespace takt::client
