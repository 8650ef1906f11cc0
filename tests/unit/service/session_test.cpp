// Sessions with messages of clients, without sockets.
#include "service/session.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sanitizers.h"
#include "tests/unit/service/request_frames.h"

namespace takt::service::test {
namespace {

class ServiceSession : public ::testing::Test {
 protected:
  std::uint32_t make(std::uint32_t worlds = 0) {
    Reply const made = make_worlds(session_, worlds);
    EXPECT_EQ(made->status(), TAKT_OK) << made.text();
    return made->handle();
  }
  Reply hash(Target target) {
    return ask(session_, target, [](auto& b) { return wire::CreateHash(b); });
  }
  Reply step(Target target, std::uint32_t ticks, std::uint32_t observe = 0) {
    return ask(
        session_, target, [&](auto& b) { return wire::CreateStep(b, ticks); }, observe);
  }

  ServiceLimits limits_;
  ServiceUsage usage_;
  bool goes_on_ = true;
  Session session_{limits_, usage_, {.goes_on = [this](std::uint32_t) { return goes_on_; }}};
};

TEST_F(ServiceSession, StepsAWorldAndReturnsTheDeclaredColumns) {
  std::uint32_t const world = make();
  Reply const reply = step({world}, 3, 1u << TAKT_BODY_IDS | 1u << TAKT_POSITIONS | 1u << TAKT_BODY_FLAGS);
  ASSERT_EQ(reply->status(), TAKT_OK) << reply.text();
  EXPECT_EQ(reply->id(), 7u);
  const wire::Observation* const observed = reply->observation();
  ASSERT_NE(observed, nullptr);
  EXPECT_EQ(observed->rows(), 3u);
  EXPECT_EQ(observed->worlds(), 0u);
  ASSERT_EQ(observed->data()->size(), 3 + 9 + 1u);  // ids, positions, and 3 bytes of flags in one word
  double height = 0;
  std::uint64_t const word = observed->data()->Get(3 + 2 * 3 + 1);
  std::memcpy(&height, &word, sizeof height);
  EXPECT_LT(height, 1.6);
  EXPECT_GT(height, 1.5);
}

TEST_F(ServiceSession, ALongStepOfABatchGivesTheHashesAndEventsOfItsWorlds) {
  std::uint32_t const batch = make(41);
  std::uint32_t const world = make();
  std::uint64_t const unmoved = hash({world})->ids()->Get(0);
  std::vector<std::uint8_t> mask(41, 1);
  mask[0] = mask[20] = mask[21] = 0;
  auto const made = [&](auto& b) { return wire::CreateStep(b, 1500, b.CreateVector(mask)); };
  ASSERT_EQ(ask(session_, {batch}, made)->status(), TAKT_OK);
  ASSERT_EQ(step({world}, 1500)->status(), TAKT_OK);
  std::uint64_t const moved = hash({world})->ids()->Get(0);
  ASSERT_NE(moved, unmoved);
  Reply const hashes = hash({batch});
  for (std::uint32_t i = 0; i < 41; ++i)
    EXPECT_EQ(hashes->ids()->Get(i), mask[i] != 0 ? moved : unmoved) << i;
  auto const events = [](auto& b) { return wire::CreateEvents(b); };
  std::uint32_t const expected = ask(session_, {world}, events)->events()->size();
  EXPECT_GT(expected, 0u);
  EXPECT_EQ(ask(session_, {batch, 1}, events)->events()->size(), expected);
  EXPECT_EQ(ask(session_, {batch, 40}, events)->events()->size(), expected);
  goes_on_ = false;
  EXPECT_EQ(step({batch}, 1500)->status(), TAKT_ERROR_STOPPED);
  EXPECT_EQ(hash({batch, 1})->ids()->Get(0), moved);
  EXPECT_EQ(step({world}, 1500)->status(), TAKT_ERROR_STOPPED);
  goes_on_ = true;
  EXPECT_EQ(step({world}, 1499)->status(), TAKT_OK);
  EXPECT_EQ(step({batch}, 1500)->status(), TAKT_OK);
  EXPECT_EQ(hash({world})->ids()->Get(0), hash({batch, 1})->ids()->Get(0));
}

TEST_F(ServiceSession, ABatchAnswersWithItsWorlds) {
  std::uint32_t const batch = make(3);
  Reply const reply = step({batch}, 2, 1u << TAKT_ROTATIONS);
  ASSERT_EQ(reply->status(), TAKT_OK) << reply.text();
  EXPECT_EQ(reply->observation()->worlds(), 3u);
  EXPECT_EQ(reply->observation()->data()->size(), 3 * 3 * 4u);
  Reply const hashes = hash({batch});
  ASSERT_EQ(hashes->ids()->size(), 3u);
  EXPECT_EQ(hashes->ids()->Get(0), hashes->ids()->Get(2));
  EXPECT_EQ(hash({batch, 1})->ids()->Get(0), hashes->ids()->Get(1));
  EXPECT_EQ(hash({batch, 3})->status(), TAKT_ERROR_RANGE);
}

TEST_F(ServiceSession, UnknownHandlesAreRefused) {
  std::uint32_t const world = make();
  EXPECT_EQ(hash({0})->status(), TAKT_ERROR_HANDLE);
  EXPECT_EQ(hash({world + 1})->status(), TAKT_ERROR_HANDLE);
  EXPECT_EQ(hash({world, 0})->status(), TAKT_ERROR_HANDLE);  // no batch
  EXPECT_EQ(ask(session_, {world}, [](auto& b) { return wire::CreateDestroy(b); })->status(), TAKT_OK);
  EXPECT_EQ(hash({world})->status(), TAKT_ERROR_HANDLE);
  EXPECT_EQ(usage_.worlds, 0u);
  EXPECT_NE(make(), world);  // a handle is not used again
}

TEST_F(ServiceSession, AnotherSessionDoesNotReachTheWorlds) {
  std::uint32_t const world = make();
  Session other(limits_, usage_);
  EXPECT_EQ(ask(other, {world}, [](auto& b) { return wire::CreateHash(b); })->status(), TAKT_ERROR_HANDLE);
  EXPECT_EQ(ask(other, {world}, [](auto& b) { return wire::CreateDestroy(b); })->status(), TAKT_ERROR_HANDLE);
  EXPECT_EQ(hash({world})->status(), TAKT_OK);
}

TEST_F(ServiceSession, ASnapshotIsNoWorldAndAWorldNoSnapshot) {
  std::uint32_t const world = make();
  Reply const snapshot = ask(session_, {world}, [](auto& b) { return wire::CreateCapture(b); });
  ASSERT_EQ(snapshot->status(), TAKT_OK);
  EXPECT_EQ(snapshot->worlds(), 1u);
  EXPECT_EQ(hash({snapshot->handle()})->status(), TAKT_ERROR_HANDLE);
  auto const roll = [&](std::uint32_t to) {
    return ask(session_, {world}, [&](auto& b) { return wire::CreateRollback(b, to); })->status();
  };
  EXPECT_EQ(roll(world), TAKT_ERROR_HANDLE);
  std::uint64_t const before = hash({world})->ids()->Get(0);
  EXPECT_EQ(step({world}, 5)->status(), TAKT_OK);
  EXPECT_NE(hash({world})->ids()->Get(0), before);
  EXPECT_EQ(roll(snapshot->handle()), TAKT_OK);
  EXPECT_EQ(hash({world})->ids()->Get(0), before);
}

TEST_F(ServiceSession, LimitsAreNamed) {
  limits_.worlds_max = 5;
  std::uint32_t const batch = make(4);
  make();
  Reply const sixth = make_worlds(session_, 0);
  EXPECT_EQ(sixth->status(), TAKT_ERROR_LIMIT);
  EXPECT_TRUE(sixth.text().starts_with("limit worlds-max: ")) << sixth.text();
  EXPECT_EQ(make_worlds(session_, UINT32_MAX)->status(), TAKT_ERROR_LIMIT);
  EXPECT_EQ(ask(session_, {batch, 0}, [](auto& b) { return wire::CreateFork(b); })->status(),
            TAKT_ERROR_LIMIT);
  EXPECT_EQ(ask(session_, {batch}, [](auto& b) { return wire::CreateDestroy(b); })->status(), TAKT_OK);
  EXPECT_EQ(usage_.worlds, 1u);
  std::uint32_t const world = make();

  limits_.things_max = 2;
  Reply const third = ask(session_, {world}, [](auto& b) { return wire::CreateCapture(b); });
  EXPECT_TRUE(third.text().starts_with("limit things: ")) << third.text();
  limits_.things_max = 100;

  EXPECT_TRUE(step({world}, kStepTicksMax + 1).text().starts_with("limit step_ticks_max: "));
  limits_.frame_bytes_max = 4096 + 64;
  EXPECT_TRUE(step({world}, 1, 1u << TAKT_POSITIONS).text().starts_with("limit frame: "));
  limits_.frame_bytes_max = kFrameBytesMax;

  limits_.hits_max = 2;
  Reply const query = ask(session_, {world}, [](auto& b) {
    takt_query all{};
    all.kind = TAKT_QUERY_RAY;
    all.mode = TAKT_MODE_ALL;
    auto const item = to_wire(all);
    return wire::CreateQuery(b, b.CreateVectorOfStructs(&item, 1));
  });
  EXPECT_TRUE(query.text().starts_with("limit hits: ")) << query.text();
  EXPECT_EQ(hash({world})->status(), TAKT_OK);
}

#if TAKT_TEST_HAS_SYSTEM_HEAP
TEST_F(ServiceSession, TheLimitOfTheHeapIsNamed) {
  std::uint32_t const world = make();
  limits_.memory_max_bytes = 1;
  Reply const large = ask(session_, {world}, [](auto& b) { return wire::CreateCapture(b); });
  EXPECT_EQ(large->status(), TAKT_ERROR_LIMIT);
  EXPECT_TRUE(large.text().starts_with("limit memory-max: ")) << large.text();
}

TEST_F(ServiceSession, ABatchCountsWithTheMemoryOfItsFirstWorld) {
  limits_.worlds_max = 100'000;
  limits_.memory_max_bytes = heap_bytes() + (64u << 20u);
  EXPECT_EQ(make_worlds(session_, 4)->status(), TAKT_OK);
  Reply const large = make_worlds(session_, 60'000);
  EXPECT_EQ(large->status(), TAKT_ERROR_LIMIT);
  EXPECT_TRUE(large.text().starts_with("limit memory-max: ")) << large.text();
  EXPECT_EQ(usage_.worlds, 4u);
}

TEST_F(ServiceSession, FramesOfOthersAreNotTheClientsMemory) {
  std::vector<std::byte> const frames(64u << 20u);
  limits_.memory_max_bytes = heap_bytes() - (32u << 20u);
  EXPECT_EQ(make_worlds(session_, 0)->status(), TAKT_ERROR_LIMIT);
  usage_.buffer_bytes = frames.size();
  EXPECT_EQ(make_worlds(session_, 0)->status(), TAKT_OK);
}

TEST_F(ServiceSession, TheHeapHasAReadableSize) { EXPECT_GT(heap_bytes(), 0u); }
#endif

TEST_F(ServiceSession, WorldsThatWereNotMadeAreNotCounted) {
  auto const make_of = [&](std::string_view text) {
    return ask(session_, {}, [&](auto& b) {
      auto const scene = b.CreateVector(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      return wire::CreateNewWorlds(b, scene, 0, 0, 1, 0, 9);
    });
  };
  EXPECT_EQ(make_of("{")->status(), TAKT_ERROR_SCENE);
  EXPECT_EQ(make_of("")->status(), TAKT_ERROR_NULL);
  EXPECT_EQ(make_worlds(session_, 0, 3)->status(), TAKT_ERROR_RANGE);
  EXPECT_EQ(usage_.worlds, 0u);
  EXPECT_EQ(session_.size(), 0u);
}

TEST_F(ServiceSession, ListsOfAnotherLengthAreRefused) {
  std::uint32_t const batch = make(3);
  std::vector<std::uint8_t> const mask{1, 0};
  EXPECT_EQ(
      ask(session_, {batch}, [&](auto& b) { return wire::CreateStep(b, 1, b.CreateVector(mask)); })->status(),
      TAKT_ERROR_RANGE);
  std::vector<std::uint64_t> const bodies{1, 2, 3};
  std::vector<double> const numbers(8);
  EXPECT_EQ(ask(session_, {batch},
                [&](auto& b) {
                  auto const ids = b.CreateVector(bodies);
                  return wire::CreateBatchForce(b, ids, b.CreateVector(numbers), 0, 1);
                })
                ->status(),
            TAKT_ERROR_RANGE);
  EXPECT_EQ(ask(session_, {batch}, [&](auto& b) { return wire::CreateBatchTeleport(b); })->status(),
            TAKT_ERROR_RANGE);
  EXPECT_EQ(step({batch}, 1, 1u << kColumnCount)->status(), TAKT_ERROR_RANGE);
}

TEST_F(ServiceSession, ATuningHasThirteenValues) {
  std::uint32_t const world = make();
  std::uint64_t body = 0;
  for (std::size_t const count : {0u, 12u, 14u, 13u}) {
    wire::Vec3 const position(0, 20, 0);
    std::vector<double> const values(count, 0.5);
    auto const made = ask(session_, {world}, [&](auto& b) {
      return wire::CreateCreateMover(b, &position, 0, 0.4, 0.5, 0, 0, 1, 1, 0, 0, TAKT_MOVER_MASS,
                                     b.CreateVector(values));
    });
    EXPECT_EQ(made->status(), count == 13 ? TAKT_OK : TAKT_ERROR_RANGE) << count;
    EXPECT_EQ(made->ids() != nullptr, count == 13) << count;
    if (made->ids() != nullptr) body = made->ids()->Get(0);
    auto const tuned = ask(session_, {world}, [&](auto& b) {
      return wire::CreateTuneMover(b, body, TAKT_MOVER_MASS, b.CreateVector(values));
    });
    EXPECT_EQ(tuned->status(), count == 13 ? TAKT_OK : TAKT_ERROR_RANGE) << count;
  }
}

TEST_F(ServiceSession, RequestsOfTheOtherKindAreRefused) {
  std::uint32_t const world = make();
  std::uint32_t const batch = make(2);
  EXPECT_EQ(ask(session_, {batch}, [](auto& b) { return wire::CreateSave(b); })->status(),
            TAKT_ERROR_UNSUPPORTED);
  EXPECT_EQ(ask(session_, {world}, [](auto& b) { return wire::CreateBatchForce(b); })->status(),
            TAKT_ERROR_UNSUPPORTED);
  EXPECT_EQ(ask(session_, {batch, 1}, [](auto& b) { return wire::CreateDestroy(b); })->status(),
            TAKT_ERROR_BORROWED);
}

TEST_F(ServiceSession, OutOfRangeNumbersHaveTheStatusOfTheInterface) {
  std::uint32_t const world = make();
  std::uint64_t const before = hash({world})->ids()->Get(0);
  EXPECT_EQ(ask(session_, {world}, [](auto& b) { return wire::CreateImpulse(b, 1); })->status(),
            TAKT_ERROR_NULL);
  EXPECT_EQ(ask(session_, {world}, [](auto& b) { return wire::CreateJointMotor(b, 1, 99); })->status(),
            TAKT_ERROR_RANGE);
  wire::Vec3 const far(1e300, 0, 0);
  EXPECT_EQ(
      ask(session_, {world}, [&](auto& b) { return wire::CreateTeleport(b, UINT64_MAX, &far); })->status(),
      TAKT_ERROR_REFUSED + 11);
  EXPECT_EQ(hash({world})->ids()->Get(0), before);
}

TEST_F(ServiceSession, BytesThatAreNoRequestEndTheConnection) {
  EXPECT_FALSE(answer(session_, {0, 0}).goes_on);
  Reply const reply = answer(session_, {UINT64_MAX, UINT64_MAX, 3});
  EXPECT_FALSE(reply.goes_on);
  EXPECT_EQ(reply->id(), kNoRequest);
  EXPECT_EQ(reply->status(), TAKT_ERROR_REMOTE);
  auto const no_id = request(0, {}, 0, [](auto& b) { return wire::CreateHash(b); });
  EXPECT_FALSE(answer(session_, no_id).goes_on);
}

}  // namespace
}  // namespace takt::service::test
