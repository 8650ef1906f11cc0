#include "client_sdk/cpp/track.h"

#include <gtest/gtest.h>

namespace takt::client {
namespace {

constexpr std::uint64_t kTrackInterval = 1;

protocol::BodyState at_x(std::int64_t x) {
  protocol::BodyState state;
  state.id = 1;
  state.position.x = x;
  return state;
}
std::int64_t x_of(const Track& track, double tick) {
  auto const state = track.at(tick);
  return state ? state->position.x : -1;
}

TEST(Track, IsExactAtSamplesAndLinearBetween) {
  Track track;
  track.add(10, 0, kTrackInterval, at_x(1000));
  track.add(12, 0, kTrackInterval, at_x(3000));
  EXPECT_EQ(x_of(track, 9.99), -1);  // not there yet
  EXPECT_EQ(x_of(track, 10), 1000);
  EXPECT_EQ(x_of(track, 10.5), 1500);
  EXPECT_EQ(x_of(track, 12), 3000);
  EXPECT_EQ(x_of(track, 500), 3000);  // held, never extrapolated
}

TEST(Track, OrderAndCopiesDoNotMatter) {
  Track forward;
  Track backward;
  for (std::uint64_t tick = 1; tick <= 20; ++tick)
    forward.add(tick, 0, kTrackInterval, at_x(static_cast<std::int64_t>(tick * tick)));
  for (std::uint64_t tick = 20; tick >= 1; --tick) {
    backward.add(tick, 0, kTrackInterval, at_x(static_cast<std::int64_t>(tick * tick)));
    backward.add(tick, 0, kTrackInterval, at_x(static_cast<std::int64_t>(tick * tick)));
  }
  EXPECT_EQ(forward.sample_count(), 20u);
  EXPECT_EQ(backward.sample_count(), 20u);
  for (double tick = 1; tick <= 20; tick += 0.25)
    EXPECT_EQ(x_of(forward, tick), x_of(backward, tick)) << tick;
}

// A body that rested for a second and then moved must not creep there during that second.
TEST(Track, ABodyThatWasNotNamedRested) {
  Track known;
  known.add(100, 0, kTrackInterval, at_x(0));
  known.add(104, 103, kTrackInterval, at_x(1000));  // snapshot 103 arrived whole and did not name it
  EXPECT_EQ(x_of(known, 102.5), 0);
  EXPECT_EQ(x_of(known, 103), 0);
  EXPECT_EQ(x_of(known, 103.5), 500);
  Track guessed;
  guessed.add(100, 0, kTrackInterval, at_x(0));
  guessed.add(160, 0, kTrackInterval, at_x(1000));  // far longer than loss explains
  EXPECT_EQ(x_of(guessed, 159), 0);
  EXPECT_EQ(x_of(guessed, 159.5), 500);
}

TEST(Track, AShortSilenceIsBridgedBecauseItMayBeLoss) {
  Track track;
  track.add(100, 0, kTrackInterval, at_x(0));
  track.add(104, 0, kTrackInterval, at_x(1000));
  EXPECT_EQ(x_of(track, 102), 500);
}

TEST(Track, ALateSampleEndsTheRestThatWasAssumed) {
  Track track;
  track.add(100, 0, kTrackInterval, at_x(0));
  track.add(160, 0, kTrackInterval, at_x(1000));
  track.add(158, 0, kTrackInterval, at_x(800));
  EXPECT_EQ(x_of(track, 158), 800);
  EXPECT_EQ(x_of(track, 159), 800);  // the rest before 160 was assumed until 159
  EXPECT_EQ(x_of(track, 157), 0);
  EXPECT_EQ(x_of(track, 160), 1000);
}

TEST(Track, IsGoneFromItsRemovalOn) {
  Track track;
  track.add(10, 0, kTrackInterval, at_x(7));
  track.remove_at(15);
  track.remove_at(18);  // the earlier word counts
  EXPECT_EQ(x_of(track, 14.9), 7);
  EXPECT_FALSE(track.is_gone(14.9));
  EXPECT_EQ(x_of(track, 15), -1);
  EXPECT_TRUE(track.is_gone(15));
}

TEST(Track, ForgetsThePastAndNeverGrowsPastItsBound) {
  Track track;
  for (std::uint64_t tick = 1; tick <= 100; ++tick)
    track.add(tick, 0, kTrackInterval, at_x(static_cast<std::int64_t>(tick)));
  track.forget_before(90.5);
  EXPECT_EQ(track.sample_count(), 11u);
  EXPECT_EQ(x_of(track, 90.5), 91);  // 90.5 rounds up at the last bit
  for (std::uint64_t tick = 101; tick <= 5000; ++tick)
    track.add(tick, 0, kTrackInterval, at_x(static_cast<std::int64_t>(tick)));
  EXPECT_EQ(track.sample_count(), Track::kSamplesMax);
}

// A buffer may be longer than the bound: a thousand ticks at 1,000 Hz.
TEST(Track, ABodyStaysVisibleWhenTheDelayIsLongerThanItsBound) {
  Track track;
  constexpr auto kNewest = static_cast<std::int64_t>(2 * Track::kSamplesMax);
  constexpr auto kOldest = kNewest - static_cast<std::int64_t>(Track::kSamplesMax) + 1;
  for (std::int64_t tick = 1; tick <= kNewest; ++tick)
    track.add(static_cast<std::uint64_t>(tick), 0, kTrackInterval, at_x(tick));
  EXPECT_EQ(x_of(track, 5.5), kOldest);
  track.forget_before(5.5);
  EXPECT_EQ(x_of(track, static_cast<double>(kOldest)), kOldest);
  EXPECT_EQ(x_of(track, static_cast<double>(kOldest + 7)), kOldest + 7);
  track.remove_at(static_cast<std::uint64_t>(kNewest));
  EXPECT_EQ(x_of(track, 5.5), kOldest);
  EXPECT_EQ(x_of(track, static_cast<double>(kNewest)), -1);
}

}  // namespace
}  // namespace takt::client
