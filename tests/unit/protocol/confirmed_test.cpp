// Confirmed ticks from the log of a room to a client: bytes, bounds, and delivery over a bad path.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "protocol/confirmed/confirmed_batch.h"
#include "protocol/confirmed/confirmed_receiver.h"
#include "protocol/confirmed/confirmed_sender.h"
#include "takt/core/random.h"

namespace takt::protocol {
namespace {

ConfirmedTick tick_of(std::uint64_t tick, std::size_t bytes, std::uint32_t player = 1) {
  return {tick, std::vector<std::byte>(bytes, static_cast<std::byte>(tick)), bytes > 0, player};
}

TEST(ConfirmedLog, ForgetsTheOldestTicksAboveItsBounds) {
  ConfirmedLog log(5, 100);
  for (std::uint64_t tick = 10; tick < 20; ++tick) log.append(tick_of(tick, 0));
  EXPECT_EQ(log.first_tick(), 15u);
  EXPECT_EQ(log.end_tick(), 20u);
  log.append(tick_of(20, 60));
  log.append(tick_of(21, 60));
  EXPECT_EQ(log.first_tick(), 21u);
  EXPECT_EQ(log.bytes(), 60u);
  log.append(tick_of(50, 1));
  EXPECT_EQ(log.first_tick(), 50u) << "a tick that does not follow begins anew";
}

TEST(ConfirmedLog, ContinuesAClientWhoseTicksAndHashItHas) {
  ConfirmedLog log(300);
  for (std::uint64_t tick = 100; tick < 500; ++tick) {
    ConfirmedTick one = tick_of(tick, 0);
    if (tick % 8 == 3) {
      one.hash_tick = tick - 3;
      one.hash = one.hash_tick * 7;
    }
    log.append(std::move(one));
  }
  ASSERT_EQ(log.first_tick(), 200u);
  EXPECT_TRUE(log.continues({300, 296, 296 * 7}, 42));
  EXPECT_TRUE(log.continues({500, 400, 400 * 7}, 42)) << "nothing is lacking";
  EXPECT_TRUE(log.continues({248, 248, 248 * 7}, 42)) << "its record is a later one";
  EXPECT_FALSE(log.continues({199, 192, 192 * 7}, 42)) << "tick 199 is forgotten";
  EXPECT_FALSE(log.continues({501, 496, 496 * 7}, 42)) << "a tick that the room has not run";
  EXPECT_FALSE(log.continues({300, 296, 1}, 42)) << "another state";
  EXPECT_FALSE(log.continues({300, 295, 295 * 7}, 42)) << "a tick without a hash";
  EXPECT_FALSE(log.continues({300, 304, 304 * 7}, 42)) << "a hash of a later state";
  EXPECT_FALSE(log.continues({300, 0, 0}, 42)) << "no hash";
  log.clear();
  EXPECT_FALSE(log.continues({300, 296, 296 * 7}, 42));
}

// Ticks that are about to be forgotten would be gone before they have arrived.
TEST(ConfirmedLog, ContinuesNobodyWhoseTicksItForgetsSoon) {
  constexpr std::uint64_t kTicks = 35 * 60;
  constexpr std::uint64_t kMargin = ConfirmedLog::kMarginSeconds * 60;
  auto const append = [](ConfirmedLog& log, std::uint64_t ticks, std::size_t bytes) {
    for (std::uint64_t const end = log.end_tick() + ticks; log.end_tick() < end;) {
      ConfirmedTick one = tick_of(log.end_tick(), bytes);
      one.hash_tick = one.tick;
      one.hash = 5;
      log.append(std::move(one));
    }
  };
  ConfirmedLog log(kTicks);
  append(log, kTicks - kMargin + 1, 0);
  EXPECT_TRUE(log.continues({1, 1, 5}, kMargin)) << "it is kept for 5 s more";
  append(log, 1, 0);
  EXPECT_FALSE(log.continues({1, 1, 5}, kMargin));
  EXPECT_TRUE(log.continues({2, 2, 5}, kMargin));
  append(log, 3 * kTicks, 0);
  EXPECT_FALSE(log.continues({log.first_tick() + kMargin - 1, log.first_tick() + kMargin - 1, 5}, kMargin));
  EXPECT_TRUE(log.continues({log.first_tick() + kMargin, log.first_tick() + kMargin, 5}, kMargin));
  EXPECT_FALSE(log.continues({log.first_tick() + kMargin, log.first_tick() + kMargin, 5}, 4 * kMargin))
      << "at speed 4 it is gone after 1.25 s";
  // 1,000 ticks are all that the bytes have room for, so each is forgotten after as many.
  ConfirmedLog full(kTicks, 100'000);
  append(full, 5'000, 100);
  ASSERT_EQ(full.first_tick(), 4'000u);
  EXPECT_FALSE(full.continues({4'000 + kMargin - 1, 4'000 + kMargin - 1, 5}, kMargin));
  EXPECT_TRUE(full.continues({4'000 + kMargin, 4'000 + kMargin, 5}, kMargin));
}

TEST(ConfirmedBatch, EmptyTicksCostNothing) {
  ConfirmedLog log(1000);
  for (std::uint64_t tick = 0; tick < 600; ++tick) log.append(tick_of(tick, tick % 100 == 7 ? 3 : 0));
  std::vector<std::byte> bytes;
  EXPECT_EQ(write_batch(log, 2, 0, 600, 1000, bytes), 600u);
  EXPECT_EQ(bytes.size(), 4u + 6 * 5);
  auto const batch = read_batch(bytes);
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->epoch, 2u);
  EXPECT_EQ(batch->end_tick, 600u);
  ASSERT_EQ(batch->records.size(), 6u);
  EXPECT_EQ(batch->records[5].tick, 507u);
}

TEST(ConfirmedBatch, ALimitOfBytesEndsTheBatch) {
  ConfirmedLog log(1000);
  for (std::uint64_t tick = 0; tick < 10; ++tick) log.append(tick_of(tick, 100));
  std::vector<std::byte> bytes;
  EXPECT_EQ(write_batch(log, 1, 0, 10, 350, bytes), 3u);
  EXPECT_LE(bytes.size(), 350u);
  EXPECT_EQ(write_batch(log, 1, 3, 10, 50, bytes), 4u) << "one tick at least";
}

TEST(ConfirmedBatch, MalformedBytesAreRefusedByName) {
  auto const error_of = [](std::initializer_list<int> values) {
    std::vector<std::byte> bytes;
    for (int const value : values) bytes.push_back(static_cast<std::byte>(value));
    auto const batch = read_batch(bytes);
    return batch ? Error{} : batch.error();
  };
  EXPECT_EQ(error_of({}), Error::kBadLayout);
  EXPECT_EQ(error_of({1, 0}), Error::kBadLayout);
  EXPECT_EQ(error_of({1, 0, 0}), Error::kOutOfRange) << "no ticks";
  EXPECT_EQ(error_of({1, 0, 0xff, 0xff, 0x7f}), Error::kOutOfRange) << "too many ticks";
  EXPECT_EQ(error_of({0xff, 0xff, 0xff, 0xff, 0x7f, 0, 1}), Error::kOutOfRange) << "an epoch of 35 bits";
  EXPECT_EQ(error_of({1, 0, 2, 2, 1, 9}), Error::kBadLayout) << "a record behind the last tick";
  EXPECT_EQ(error_of({1, 0, 2, 0, 2, 9}), Error::kBadLayout) << "a record that is cut";
  EXPECT_EQ(error_of({1, 0, 2, 0, 0}), Error::kBadLayout) << "an empty record";
}

TEST(ConfirmedBatch, NoBytesDoHarm) {
  Random random(3);
  int read = 0;
  for (int draw = 0; draw < 50'000; ++draw) {
    std::vector<std::byte> bytes(random.next_below(40));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next_u32() & 0x8fu);
    auto const batch = read_batch(bytes);
    if (!batch) continue;
    ++read;
    std::uint64_t after = batch->first_tick;
    for (const TickBytes& one : batch->records) {
      ASSERT_GE(one.tick, after) << "draw " << draw;
      after = one.tick + 1;
    }
    ASSERT_LE(after, batch->end_tick);
  }
  EXPECT_GT(read, 100);
}

TEST(ConfirmedReceiver, GapsAndSlicesThatDoNotFollowEndTheSession) {
  using Outcome = ConfirmedReceiver::Outcome;
  ConfirmedReceiver receiver;
  std::byte const one{1};
  EXPECT_EQ(receiver.handle_slice({{one, one}, 5, 10}, 1), Outcome::kBad) << "not the first slice";
  EXPECT_EQ(receiver.handle_slice({{one, one}, 0, 10}, 1), Outcome::kTaken);
  EXPECT_EQ(receiver.handle_slice({{one, one}, 3, 10}, 1), Outcome::kBad) << "a gap";
  EXPECT_EQ(receiver.handle_slice({{one}, 0, 0}, 1), Outcome::kBad) << "no batch";
  ConfirmedLog log(100);
  log.append(tick_of(7, 1));
  std::vector<std::byte> batch;
  (void)write_batch(log, 2, 7, 8, 100, batch);
  EXPECT_EQ(receiver.handle_slice({batch, 0, 0}, 1), Outcome::kOtherEpoch);
}

TEST(ConfirmedReceiver, TicksThatCameTooEarlyAreBounded) {
  ConfirmedReceiver receiver;
  receiver.start_at(0);
  ConfirmedLog log(100'000);
  for (std::uint64_t tick = 1; tick < 5000; ++tick) log.append(tick_of(tick, 1));
  std::uint64_t taken = 0;
  std::vector<std::byte> batch;
  for (std::uint64_t tick = 1; tick < 5000; ++tick, ++taken) {
    (void)write_batch(log, 1, tick, tick + 1, 100, batch);
    if (receiver.handle_slice({batch, 0, 0}, 1) != ConfirmedReceiver::Outcome::kTaken) break;
  }
  EXPECT_EQ(taken, kConfirmedBatchesMax);
  EXPECT_FALSE(receiver.take().has_value());
}

/// A sender and a receiver with a path between them that loses, repeats and reorders datagrams. A loss is
/// known 1.4 round trips later.
struct Delivery {
  std::uint64_t ticks = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t datagrams = 0;
  std::uint64_t reliable_bytes = 0;
  std::uint64_t worst_delay = 0;  // ticks
};

Delivery deliver(std::uint64_t seed, std::uint64_t one_way_ticks, std::uint32_t loss_percent,
                 std::uint32_t inputs_percent) {
  struct Packet {
    std::uint64_t at = 0;
    std::vector<std::byte> bytes;
  };
  struct Fate {
    std::uint64_t at = 0;
    std::uint64_t token = 0;
    bool delivered = false;
  };
  Random random(seed);
  ConfirmedLog log(1800);
  ConfirmedSender sender;
  ConfirmedReceiver receiver;
  Delivery out;
  std::multimap<std::uint64_t, Packet> path;
  std::multimap<std::uint64_t, Fate> fates;
  sender.start(100);
  receiver.start_at(100);
  std::uint64_t expected = 100;
  for (std::uint64_t tick = 100; tick < 4100; ++tick) {
    bool const is_busy = tick < 3700 && random.next_below(100) < inputs_percent;
    log.append(tick_of(tick, is_busy ? 1 + random.next_below(40) : 0, 2));
    for (auto at = fates.begin(); at != fates.end() && at->first <= tick; at = fates.erase(at))
      sender.handle_settled(at->second.token, at->second.delivered);
    EXPECT_FALSE(sender.has_fallen_behind(log));
    for (OutgoingBatch const& batch : sender.poll(tick * 16'667, log, {1, 1, true})) {
      std::uint64_t const arrives = tick + one_way_ticks + random.next_below(4);
      if (batch.token == 0) {
        out.reliable_bytes += batch.bytes.size();
        path.emplace(arrives + 2 * one_way_ticks, Packet{arrives, batch.bytes});
        continue;
      }
      ++out.datagrams;
      out.payload_bytes += batch.bytes.size();
      EXPECT_LE(batch.bytes.size(), ConfirmedSender::kDatagramBytes);
      bool const is_lost = random.next_below(100) < loss_percent;
      if (!is_lost) path.emplace(arrives, Packet{arrives, batch.bytes});
      if (!is_lost && random.next_below(4) == 0) path.emplace(arrives + 3, Packet{arrives, batch.bytes});
      std::uint64_t const known = is_lost ? tick + one_way_ticks * 28 / 10 + 2 : arrives + one_way_ticks;
      fates.emplace(known, Fate{known, batch.token, !is_lost});
    }
    for (auto at = path.begin(); at != path.end() && at->first <= tick; at = path.erase(at))
      EXPECT_EQ(receiver.handle_slice({at->second.bytes, 0, 0}, 1), ConfirmedReceiver::Outcome::kTaken);
    while (auto batch = receiver.take()) {
      EXPECT_EQ(batch->first_tick, expected);
      std::size_t next = 0;
      for (std::uint64_t t = batch->first_tick; t < batch->end_tick; ++t, ++out.ticks) {
        bool const has_record = next < batch->records.size() && batch->records[next].tick == t;
        std::vector<std::byte> const got =
            has_record ? batch->records[next++].record : std::vector<std::byte>();
        if (t >= log.first_tick()) {
          EXPECT_EQ(got, log.at(t).record) << "seed " << seed << " tick " << t;
        }
        if (has_record) out.worst_delay = std::max(out.worst_delay, tick - t);
      }
      expected = batch->end_tick;
    }
  }
  return out;
}

// Three copies of a tick go out within 18 ticks. When all are lost, that is known 2.8 ways and 2 ticks later,
// and two more go out. Among 40,000 ticks 0.4 need three rounds at 10 % loss, 2.4 need four at 25 %. Three
// rounds are 3 x (18 + 11 + 7) = 108 ticks at a way of 3, and four are 4 x (18 + 86 + 34) = 552 at a way
// of 30.
TEST(ConfirmedSender, EveryTickArrivesOnceAndInOrder) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Delivery const good = deliver(seed, 3, 10, 30);
    EXPECT_GE(good.ticks, 4000u - 108) << "seed " << seed;
    EXPECT_LE(good.worst_delay, 108u) << "seed " << seed;
    Delivery const bad = deliver(seed, 30, 25, 90);
    EXPECT_GE(bad.ticks, 4000u - 552) << "seed " << seed;
    EXPECT_LE(bad.worst_delay, 552u) << "seed " << seed;
  }
}

// 5 batches a second of 5 bytes each.
TEST(ConfirmedSender, AQuietRoomCostsFiveSmallBatchesASecond) {
  Delivery const quiet = deliver(5, 3, 0, 0);
  double const seconds = 4000 / 60.0;
  EXPECT_LE(static_cast<double>(quiet.datagrams) / seconds, 5.1);
  EXPECT_LE(static_cast<double>(quiet.payload_bytes) * 8 / seconds, 250);
  EXPECT_EQ(quiet.reliable_bytes, 0u);
}

// Below a loss of 0.5 % a tick has one copy. A loss of 10 % brings back all three.
TEST(ConfirmedSender, CopiesFollowTheLoss) {
  ConfirmedLog log(1800);
  ConfirmedSender sender;
  EXPECT_EQ(sender.copies(), ConfirmedSender::kCopiesMax);
  sender.start(0);
  std::uint64_t tick = 0;
  auto const run = [&](int batches, int lost_of_ten) {
    for (int i = 0; i < batches; ++tick) {
      log.append(tick_of(tick, 10, 2));
      for (OutgoingBatch const& batch : sender.poll(tick * 16'667, log, {1, 1, true}))
        sender.handle_settled(batch.token, i++ % 10 >= lost_of_ten);
    }
  };
  run(150, 0);
  EXPECT_EQ(sender.copies(), 1);
  run(100, 1);
  EXPECT_EQ(sender.copies(), ConfirmedSender::kCopiesMax);
}

TEST(ConfirmedSender, AJoinerCatchesUpThroughTheReliableChannel) {
  ConfirmedLog log(1800);
  for (std::uint64_t tick = 0; tick < 600; ++tick) log.append(tick_of(tick, 50, 2));
  ConfirmedSender sender;
  sender.start(0);
  EXPECT_TRUE(sender.poll(1'000'000, log, {1, 1, false}).empty()) << "the image is in front of it";
  auto const batches = sender.poll(1'020'000, log, {1, 1, true});
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].token, 0u);
  EXPECT_EQ(sender.base(), 600u);
}

TEST(ConfirmedSender, AClientThatAcknowledgesNothingFallsBehind) {
  ConfirmedLog log(300);
  ConfirmedSender sender;
  sender.start(0);
  for (std::uint64_t tick = 0; tick < 300; ++tick) {
    log.append(tick_of(tick, tick % 20 == 0 ? 10 : 0, 2));
    EXPECT_FALSE(sender.has_fallen_behind(log));
    (void)sender.poll(tick * 16'667, log, {1, 1, false});
  }
  log.append(tick_of(300, 0));
  EXPECT_TRUE(sender.has_fallen_behind(log));
}

}  // namespace
}  // namespace takt::protocol
