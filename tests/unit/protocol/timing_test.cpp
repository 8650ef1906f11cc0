// RTT estimator, pacer, token buckets and clock sync: everything that turns times into decisions.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "protocol/link/datagram_link.h"
#include "protocol/link/due_queue.h"
#include "protocol/link/egress_limiter.h"
#include "protocol/link/pacer.h"
#include "protocol/link/rate_limiter.h"
#include "protocol/link/rtt_estimator.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/clock_sync.h"
#include "takt/core/random.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::protocol {
namespace {

// Answers to strangers never wait for it: what they owe must not silence the sessions for long.
TEST(EgressLimiter, IsOpenAgainSoonWhateverWasSpent) {
  std::uint64_t const now_us = 1'000'000;
  for (std::uint64_t const rate : {std::uint64_t{500'000}, std::uint64_t{10'000'000}}) {
    EgressLimiter egress(rate);
    ASSERT_TRUE(egress.is_open(now_us));
    for (int i = 0; i < 1000; ++i) egress.spend(100'000);
    EXPECT_FALSE(egress.is_open(now_us));
    std::uint64_t const burst = std::max<std::uint64_t>(rate / 20, 64 * 1024);
    EXPECT_LE(egress.open_us(now_us), now_us + (burst + kDatagramBytesMax) * kSecond / rate + 1);
  }
}

TEST(RttEstimator, FollowsRfc6298) {
  RttEstimator rtt;
  EXPECT_FALSE(rtt.has_any());
  EXPECT_EQ(rtt.timeout_us(), RttEstimator::kRtoStart);
  rtt.handle_sample(100'000);
  EXPECT_EQ(rtt.smoothed_us(), 100'000u);
  EXPECT_EQ(rtt.variation_us(), 50'000u);
  rtt.handle_sample(180'000);
  EXPECT_EQ(rtt.variation_us(), (3 * 50'000u + 80'000u) / 4);  // by the old SRTT, as the RFC says
  EXPECT_EQ(rtt.smoothed_us(), (7 * 100'000u + 180'000u) / 8);
  EXPECT_EQ(rtt.timeout_us(), rtt.smoothed_us() + 4 * rtt.variation_us() + kAckDelayMax);
  EXPECT_EQ(rtt.min_us(), 100'000u);
}

TEST(RttEstimator, AnAnswerThatWaitedForAStalledCallerCountsAsUsualWithinItsBounds) {
  RttEstimator rtt;
  rtt.handle_sample(20'000, 270'000);  // nothing is usual yet: what was measured counts
  EXPECT_EQ(rtt.smoothed_us(), 270'000u);
  RttEstimator settled;
  for (int i = 0; i < 50; ++i) settled.handle_sample(20'000);
  settled.handle_sample(0, 270'000);
  EXPECT_EQ(settled.smoothed_us(), 20'000u);
  EXPECT_LT(settled.variation_us(), 100u);
  settled.handle_sample(100'000, 270'000);  // it was late by more than the stall
  EXPECT_EQ(settled.smoothed_us(), (7 * 20'000u + 100'000u) / 8);
  RttEstimator faster = settled;
  faster.handle_sample(0, 4'000);
  EXPECT_LT(faster.smoothed_us(), settled.smoothed_us());
}

TEST(RttEstimator, KeepsTheTimeOutWithinItsBounds) {
  RttEstimator quick;
  for (int i = 0; i < 100; ++i) quick.handle_sample(1);
  EXPECT_EQ(quick.timeout_us(), RttEstimator::kRtoMin);
  RttEstimator slow;
  slow.handle_sample(100 * kSecond);
  EXPECT_EQ(slow.timeout_us(), RttEstimator::kRtoMax);
}

// Sends whenever it may for `us` and says how many bytes went.
std::uint64_t send_greedily(Pacer& pacer, std::uint64_t& now_us, std::uint64_t us, bool delivered,
                            std::uint64_t rtt_us, std::uint64_t min_us) {
  std::uint64_t bytes = 0;
  for (std::uint64_t const until = now_us + us; now_us < until; now_us += 1000) {
    while (pacer.can_send(now_us)) {
      pacer.handle_sent(now_us, 1200);
      if (delivered) {
        pacer.handle_delivered(1200);
      } else {
        pacer.handle_lost(1200);
      }
      bytes += 1200;
    }
    pacer.handle_time(now_us, rtt_us, min_us);
  }
  return bytes;
}

TEST(Pacer, SendsAtItsRate) {
  PacerOptions options;
  options.rate_start = options.rate_min = options.rate_max = 1'000'000;
  Pacer pacer(options);
  std::uint64_t now_us = 1000;
  EXPECT_NEAR(static_cast<double>(send_greedily(pacer, now_us, 2 * kSecond, true, 50'000, 50'000)),
              2'000'000.0, 20'000.0);
}

TEST(Pacer, GrowsToItsCapWhileThePathDelivers) {
  Pacer pacer;
  std::uint64_t now_us = 1000;
  send_greedily(pacer, now_us, 5 * kSecond, true, 50'000, 50'000);
  EXPECT_EQ(pacer.rate_bytes_per_s(), PacerOptions{}.rate_max);
}

TEST(Pacer, FallsToItsFloorWhenNothingArrives) {
  Pacer pacer;
  std::uint64_t now_us = 1000;
  send_greedily(pacer, now_us, 5 * kSecond, false, 50'000, 50'000);
  EXPECT_EQ(pacer.rate_bytes_per_s(), PacerOptions{}.rate_min);
}

TEST(Pacer, FallsWhenRoundTripsGrow) {
  Pacer pacer;
  std::uint64_t now_us = 1000;
  send_greedily(pacer, now_us, 2 * kSecond, true, 400'000, 50'000);
  EXPECT_LT(pacer.rate_bytes_per_s(), PacerOptions{}.rate_start);
}

TEST(Pacer, DoesNotGrowWithoutDemand) {
  Pacer pacer;
  for (std::uint64_t now_us = 1000; now_us < 5 * kSecond; now_us += 100'000) {
    ASSERT_TRUE(pacer.can_send(now_us));
    pacer.handle_sent(now_us, 1200);
    pacer.handle_delivered(1200);
    pacer.handle_time(now_us, 50'000, 50'000);
  }
  EXPECT_EQ(pacer.rate_bytes_per_s(), PacerOptions{}.rate_start);
}

TEST(Pacer, NextSendIsWhenItMaySend) {
  Pacer pacer;
  std::uint64_t const now_us = 1'000'000;
  while (pacer.can_send(now_us)) pacer.handle_sent(now_us, 1200);
  std::uint64_t const next_us = pacer.next_send_us(now_us);
  EXPECT_GT(next_us, now_us);
  EXPECT_FALSE(pacer.can_send(now_us + 1));
  EXPECT_TRUE(pacer.can_send(next_us));
}

TEST(TokenBucket, GivesItsBurstThenItsRate) {
  TokenBucket bucket(10, 5, 0);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(bucket.take(0));
  EXPECT_FALSE(bucket.take(0));
  EXPECT_FALSE(bucket.take(99'999));
  EXPECT_TRUE(bucket.take(100'000));
  EXPECT_FALSE(bucket.take(100'000));
  int taken = 0;
  for (std::uint64_t t = 200'000; t <= 10'100'000; t += 1000) taken += bucket.take(t) ? 1 : 0;
  EXPECT_NEAR(taken, 100, 1);
  // A long pause saves no more than the burst, and does not overflow.
  int after_pause = 0;
  while (bucket.take(std::numeric_limits<std::uint64_t>::max() - 1)) ++after_pause;
  EXPECT_EQ(after_pause, 5);
}

// From Wi-Fi to a mobile network, +130 ms: the path looked like a queue for ever.
TEST(TheLeastRoundTripNeverExpires, ALongerPathIsTheNewMinimumAfterTenSeconds) {
  RttEstimator rtt;
  std::uint64_t now_us = kSecond;
  for (; now_us < 20 * kSecond; now_us += 100 * kMillisecond) {
    rtt.handle_time(now_us);
    rtt.handle_sample(20'000);
  }
  EXPECT_EQ(rtt.min_us(), 20'000u);
  std::uint64_t const changed_us = now_us;
  for (; now_us < changed_us + 10 * kSecond; now_us += 100 * kMillisecond) {
    rtt.handle_time(now_us);
    rtt.handle_sample(150'000);
  }
  EXPECT_EQ(rtt.min_us(), 150'000u);
  for (; now_us < changed_us + 60 * kSecond; now_us += 100 * kMillisecond) rtt.handle_time(now_us);
  EXPECT_EQ(rtt.min_us(), 150'000u) << "without samples the last one stays";
}

TEST(AddressLimiter, LimitsAddressesNotPortsAndKeepsThemApart) {
  AddressLimiter limiter(1, 3, {1, 2}, 8);
  for (std::uint16_t port = 1; port <= 3; ++port)
    EXPECT_TRUE(limiter.take(0, Address::from_ipv4(10, 0, 0, 1, port)));
  EXPECT_FALSE(limiter.take(0, Address::from_ipv4(10, 0, 0, 1, 4)));
  EXPECT_TRUE(limiter.take(0, Address::from_ipv4(10, 0, 0, 2, 1)));
  Address v6;
  v6.ip = {0x20, 0x01, 0x0d, 0xb8};
  Address neighbour = v6;
  neighbour.ip[15] = 9;  // the same /64: the same household
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.take(0, i % 2 == 0 ? v6 : neighbour));
  EXPECT_FALSE(limiter.take(0, neighbour));
}

// ---------------------------------------------------------------- clock sync

constexpr double kTicksPerUs = 60e-6;

struct ServerClock {
  double offset_ticks = 1000;
  double ticks_at(std::uint64_t us) const { return offset_ticks + static_cast<double>(us) * kTicksPerUs; }
  void sample(ClockSync& clock, std::uint64_t sent_us, std::uint64_t up_us, std::uint64_t down_us) const {
    double const ticks = ticks_at(sent_us + up_us);
    auto const whole = static_cast<std::uint64_t>(ticks);
    clock.handle_sample(sent_us + up_us + down_us, sent_us, whole,
                        static_cast<std::uint32_t>((ticks - static_cast<double>(whole)) * 0x1p32));
  }
};

// The table has 4,096 places: with one place for each hash 6 % of the newcomers shared a spent bucket.
TEST(AddressLimiter, FloodingAddressesLeaveOthersTheirBuckets) {
  AddressLimiter limiter(1, 3, {1, 2}, 8);
  std::uint64_t us = 1'000'000;
  std::uint32_t helped = 0;
  for (std::uint32_t newcomer = 0; newcomer < 2000; ++newcomer) {
    us += 10'000;
    for (std::uint8_t host = 0; host < 255; ++host)
      for (int i = 0; i < 4; ++i) (void)limiter.take(us, Address::from_ipv4(10, 1, 2, host, 9));
    Address const from = Address::from_ipv4(192, 0, static_cast<std::uint8_t>(newcomer >> 8),
                                            static_cast<std::uint8_t>(newcomer), 9);
    bool const has_burst =
        limiter.has(us, from) && limiter.take(us, from) && limiter.take(us, from) && limiter.take(us, from);
    helped += has_burst ? 1 : 0;
    EXPECT_FALSE(limiter.has(us, from));
    EXPECT_FALSE(limiter.take(us, from));
  }
  EXPECT_EQ(helped, 2000u);
}

// Who has spent its bucket does not get another one by waiting for less than a token.
TEST(AddressLimiter, ASpentBucketStaysItsAddresss) {
  AddressLimiter limiter(1, 3, {1, 2}, 8);
  Address const from = Address::from_ipv4(10, 1, 2, 3, 9);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.take(0, from));
  for (std::uint32_t i = 0; i < 40'000; ++i)
    (void)limiter.take(
        0, Address::from_ipv4(192, 0, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i), 9));
  EXPECT_FALSE(limiter.take(999'999, from));
  EXPECT_TRUE(limiter.take(1'000'000, from));
}

TEST(ClockSync, ASymmetricPathIsExact) {
  ClockSync clock(60);
  ServerClock const server;
  server.sample(clock, 1'000'000, 50'000, 50'000);
  EXPECT_TRUE(clock.is_synchronised());
  EXPECT_NEAR(clock.server_tick(1'100'000), server.ticks_at(1'100'000), 1e-4);
  EXPECT_EQ(clock.error_bound_us(), 50'000u);
}

TEST(ClockSync, AnAsymmetricPathIsWrongByHalfTheDifferenceAtMost) {
  ClockSync clock(60);
  ServerClock const server;
  server.sample(clock, 1'000'000, 90'000, 10'000);
  double const error_us = (clock.server_tick(1'100'000) - server.ticks_at(1'100'000)) / kTicksPerUs;
  EXPECT_NEAR(error_us, 40'000.0, 10.0);  // (90 - 10) / 2
  EXPECT_LE(std::abs(error_us), static_cast<double>(clock.error_bound_us()));
}

TEST(ClockSync, TheLeastRoundTripDecides) {
  ClockSync clock(60);
  ServerClock const server;
  Random random(5);
  for (std::uint64_t i = 0; i < 40; ++i) {
    std::uint64_t const up = 50'000 + (i == 33 ? 0 : 5'000 + random.next_below(200'000));
    std::uint64_t const down = 50'000 + (i == 33 ? 0 : 5'000 + random.next_below(200'000));
    server.sample(clock, 1'000'000 + i * 1'000'000, up, down);
  }
  std::uint64_t const later = 60'000'000;
  EXPECT_LT(std::abs(clock.server_tick(later) - server.ticks_at(later)) / kTicksPerUs, 1'000.0);
}

TEST(ClockSync, CorrectsSmallErrorsWithoutJumpingOrRunningBackwards) {
  ClockSync clock(60);
  ServerClock server;
  for (std::uint64_t i = 0; i < 10; ++i) server.sample(clock, 1'000'000 + i * 100'000, 50'000, 50'000);
  server.offset_ticks -= 3;  // the server lost three ticks
  double before = clock.server_tick(2'100'000);
  std::uint64_t now_us = 2'100'000;
  for (std::uint64_t i = 0; i < 40; ++i) {
    server.sample(clock, now_us - 100'000, 50'000, 50'000);
    for (int k = 0; k < 50; ++k) {
      now_us += 10'000;
      double const tick = clock.server_tick(now_us);
      double const rate = (tick - before) / (10'000 * kTicksPerUs);
      ASSERT_GT(rate, 0.98);
      ASSERT_LT(rate, 1.02);
      before = tick;
    }
  }
  EXPECT_NEAR(clock.server_tick(now_us), server.ticks_at(now_us), 0.05);
}

TEST(ClockSync, RunsAtTheRateOfItsLastRestart) {
  ClockSync clock(60);
  ServerClock const server;
  for (int i = 0; i < 10; ++i)
    server.sample(clock, 1'000'000 + static_cast<std::uint64_t>(i) * 100'000, 10'000, 10'000);
  clock.restart(3'000'000, 1500, 0);
  EXPECT_FALSE(clock.is_synchronised());
  EXPECT_DOUBLE_EQ(clock.server_tick(3'000'000), 1500.0);
  EXPECT_DOUBLE_EQ(clock.server_tick(9'000'000), 1500.0);
  // An answer to a ping of before tells a tick of before.
  clock.handle_sample(3'010'000, 2'990'000, 1100, 0);
  EXPECT_DOUBLE_EQ(clock.server_tick(3'010'000), 1500.0);
  clock.handle_sample(3'110'000, 3'100'000, 1503, 0);
  EXPECT_DOUBLE_EQ(clock.server_tick(4'000'000), 1503.0);
  clock.restart(5'000'000, 1503, 600);
  EXPECT_DOUBLE_EQ(clock.server_tick(6'000'000), 2103.0);
}

TEST(ClockSync, StepsWhenTheServerStalledOrWasRestored) {
  ClockSync clock(60);
  ServerClock server;
  for (std::uint64_t i = 0; i < 20; ++i) server.sample(clock, 1'000'000 + i * 100'000, 50'000, 50'000);
  server.offset_ticks -= 600;
  server.sample(clock, 3'000'000, 60'000, 60'000);
  EXPECT_NEAR(clock.server_tick(3'120'000), server.ticks_at(3'120'000), 0.1);
}

TEST(ClockSync, AGuessHoldsUntilTheFirstSample) {
  ClockSync clock(60);
  EXPECT_EQ(clock.server_tick(5), 0.0);
  clock.handle_guess(1'000'000, 300);
  EXPECT_FALSE(clock.is_synchronised());
  EXPECT_NEAR(clock.server_tick(2'000'000), 360.0, 1e-6);
  EXPECT_EQ(clock.error_bound_us(), std::numeric_limits<std::uint64_t>::max());
}

// A whole number of ticks must fit a std::uint64_t, whatever the server claims.
TEST(ClockSync, HostileTicksStayWithinItsRange) {
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t const tick : {kHuge, kHuge / 2, std::uint64_t{1} << 53}) {
    ClockSync clock(60);
    clock.handle_sample(1'100'000, 1'000'000, tick, 0xffffffff);
    EXPECT_EQ(clock.server_tick(2'000'000), ClockSync::kTickMax) << tick;
    clock.restart(3'000'000, static_cast<double>(tick), 6000);
    EXPECT_EQ(clock.server_tick(4'000'000), ClockSync::kTickMax) << tick;
    ClockSync guessing(60);
    guessing.handle_guess(1'000'000, tick);
    EXPECT_EQ(guessing.server_tick(2'000'000), ClockSync::kTickMax) << tick;
  }
}

TEST(DueQueue, GivesNothingAtNeverWhenItIsEmpty) {
  DueQueue<int> queue;
  int key = 7;
  EXPECT_FALSE(queue.pop(DueQueue<int>::kNever, key));
  queue.schedule(1, 10);
  queue.hasten(2, 10);
  queue.hasten(1, 10);  // an equal time: 1 keeps its turn
  ASSERT_TRUE(queue.pop(DueQueue<int>::kNever, key));
  EXPECT_EQ(key, 1);
  ASSERT_TRUE(queue.pop(DueQueue<int>::kNever, key));
  EXPECT_EQ(key, 2);
  EXPECT_FALSE(queue.pop(DueQueue<int>::kNever, key));
}

TEST(ClockSync, IgnoresAnEchoFromTheFuture) {
  ClockSync clock(60);
  clock.handle_sample(1'000'000, 1'000'001, 7, 0);
  EXPECT_FALSE(clock.is_synchronised());
}

// A first time-out of 500 ms expired every datagram before its acknowledgement, and no sample ever came.
TEST(DatagramLink, ARoundTripAboveTheFirstTimeOutIsMeasured) {
  constexpr std::uint64_t kWay = kSecond;
  Counters counters;
  DatagramLinkOptions options;
  options.connection_id = 1;
  crypto::SessionKeys const keys = test::test_keys();
  DatagramLink left(options, LinkKeys::of_client(keys), 0, counters);
  DatagramLink right(options, LinkKeys::of_server(keys), 0, counters);
  struct Datagram {
    std::uint64_t at_us = 0;
    std::vector<std::byte> bytes;
  };
  std::deque<Datagram> to_right;
  std::deque<Datagram> to_left;
  MessageWriter writer;
  auto const pass = [](std::uint64_t now_us, std::deque<Datagram>& way, DatagramLink& link) {
    for (; !way.empty() && way.front().at_us <= now_us; way.pop_front())
      EXPECT_TRUE(link.handle_datagram(now_us, way.front().bytes));
  };
  std::vector<std::byte> bytes;
  for (std::uint64_t now_us = 0; now_us < 5 * kSecond; now_us += 10 * kMillisecond) {
    if (now_us % (100 * kMillisecond) == 0) left.send_unreliable(writer.write(Ping{now_us}), 0);
    pass(now_us, to_right, right);
    pass(now_us, to_left, left);
    while (left.poll_datagram(now_us, bytes)) to_right.push_back({now_us + kWay, bytes});
    while (right.poll_datagram(now_us, bytes)) to_left.push_back({now_us + kWay, bytes});
  }
  EXPECT_NEAR(static_cast<double>(left.stats().rtt_us), 2e6, 5e4);
  EXPECT_EQ(left.stats().datagrams_lost, 0u);
}

}  // namespace
}  // namespace takt::protocol
