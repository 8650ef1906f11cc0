#include "client_sdk/cpp/replica/body_truth.h"

#include <gtest/gtest.h>

namespace takt::client {
namespace {

constexpr BodyId kBody{3, 1};

protocol::BodyState state_at(double x_m, std::uint32_t flags, float speed_m_s = 0) {
  protocol::BodyState out;
  out.id = kBody.to_u64();
  out.position.x = Position::from_metres(x_m, 0, 0).x_raw;
  out.rotation = {0, 0, 0, 1};
  out.linear_velocity = {speed_m_s, 0, 0};
  out.flags = flags;
  return out;
}

protocol::SnapshotPart part_of(std::uint64_t tick, std::vector<protocol::BodyState> bodies,
                               std::uint32_t deferred = 0) {
  protocol::SnapshotPart part;
  part.tick = tick;
  part.bodies = std::move(bodies);
  part.deferred = deferred;
  return part;
}

std::size_t valid_at(const BodyTruth& truth, std::uint64_t tick) {
  std::size_t count = 0;
  if (auto const* const heard = truth.heard_at(tick))
    truth.visit(*heard, [&](const TruthState&) { ++count; });
  return count;
}

TEST(BodyTruth, ARestingStateIsValidInASnapshotThatNothingWasLeftOutOf) {
  BodyTruth truth;
  truth.handle_part(part_of(10, {state_at(1, protocol::kBodyAsleep)}), true);
  truth.handle_part(part_of(20, {}, 4), true);
  truth.handle_part(part_of(21, {}), false);
  truth.handle_part(part_of(22, {}), true);
  EXPECT_EQ(valid_at(truth, 10), 1u);
  EXPECT_EQ(valid_at(truth, 20), 0u) << "left out";
  EXPECT_EQ(valid_at(truth, 21), 0u) << "a part is missing";
  EXPECT_EQ(valid_at(truth, 22), 1u);
  truth.handle_part(part_of(21, {state_at(2, 0, 1)}), true);  // late: it moved before 22
  EXPECT_EQ(valid_at(truth, 22), 0u) << "the silence was a loss";
}

TEST(BodyTruth, AnEarlierSnapshotThatCameLateChangesNoNewestState) {
  BodyTruth truth;
  truth.handle_part(part_of(20, {state_at(2, 0, 1)}), true);
  truth.handle_part(part_of(10, {state_at(1, 0, 1)}), true);
  ASSERT_NE(truth.find(kBody), nullptr);
  EXPECT_EQ(truth.find(kBody)->tick, 20u);
  EXPECT_EQ(truth.newest_tick(), 20u);
  EXPECT_EQ(valid_at(truth, 10), 1u);
}

TEST(BodyTruth, SilenceLastsTwoRoundTripsAndThreeTurnsOfWhatWaits) {
  BodyTruth truth;
  truth.handle_part(part_of(10, {}), true);
  EXPECT_EQ(truth.silence_ticks(12), BodyTruth::kSilenceTicks + 24);
  truth.handle_part(part_of(12, {}, 5 * protocol::kSnapshotBodiesPerPart), true);
  EXPECT_EQ(truth.silence_ticks(12), BodyTruth::kSilenceTicks + 24 + 3 * 6 * 2);
}

TEST(BodyTruth, HoldsABoundedNumberOfTicks) {
  BodyTruth truth;
  for (std::uint64_t tick = 1; tick <= 2 * BodyTruth::kHeardMax; ++tick)
    truth.handle_part(part_of(tick, {}), true);
  EXPECT_EQ(truth.heard().size(), BodyTruth::kHeardMax);
  EXPECT_EQ(truth.heard().back().tick, 2 * BodyTruth::kHeardMax);
  truth.drop_before(2 * BodyTruth::kHeardMax - 1);
  EXPECT_EQ(truth.heard().size(), 2u);
}

TEST(BodyTruth, InterpolatesAndLetsWhatRestedMoveFromTheTickBefore) {
  BodyTruth truth;
  truth.handle_part(part_of(10, {state_at(1, protocol::kBodyAsleep)}), true);
  truth.handle_part(part_of(20, {state_at(2, 0, 1)}), true);
  truth.handle_part(part_of(22, {state_at(4, 0, 1)}), true);
  auto const x_at = [&](double tick) {
    return BodyTruth::interpolated(*truth.find(kBody), tick).state.position.x_m();
  };
  EXPECT_DOUBLE_EQ(x_at(5), 1);
  EXPECT_DOUBLE_EQ(x_at(19), 1);
  EXPECT_DOUBLE_EQ(x_at(21), 3);
  EXPECT_DOUBLE_EQ(x_at(30), 4);
}

TEST(BodyTruth, WhatAgreesIsWithinTheGridsAndLessFar) {
  auto const own_at = [](double x_m, double speed_m_s) {
    sim::BodyView own;
    own.id = kBody;
    own.position = Position::from_metres(x_m, 0, 0);
    own.rotation = {0, 0, 0, 1};
    own.linear_velocity_m_s = {speed_m_s, 0, 0};
    return own;
  };
  TruthState const truth = to_truth(state_at(0, 0));
  EXPECT_TRUE(is_equal(own_at(kPositionGridM, kLinearGridMS), truth));
  EXPECT_FALSE(is_equal(own_at(kPositionGridM * 1.01, 0), truth));
  EXPECT_FALSE(is_equal(own_at(0, kLinearGridMS * 1.01), truth));
  EXPECT_TRUE(agrees(own_at(kPositionGridM / 32, kLinearGridMS / 32), truth));
  EXPECT_FALSE(agrees(own_at(kPositionGridM / 31, 0), truth));
  EXPECT_FALSE(agrees(own_at(0, kLinearGridMS / 31), truth));
}

}  // namespace
}  // namespace takt::client
