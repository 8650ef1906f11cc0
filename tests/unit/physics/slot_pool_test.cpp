#include "physics/base/slot_pool.h"

#include <gtest/gtest.h>

#include <map>

#include "takt/core/random.h"

namespace takt {
namespace {

struct TestTag;
using Pool = SlotPool<int, TestTag>;

TEST(SlotPoolTest, FirstIdsCountFromIndexZeroAndGenerationOne) {
  Pool pool;
  EXPECT_EQ(pool.insert(7), (Id<TestTag>{0, 1}));
  EXPECT_EQ(pool.insert(8), (Id<TestTag>{1, 1}));
  EXPECT_EQ(pool[1], 8);
  EXPECT_EQ(pool.alive_count, 2u);
  EXPECT_FALSE(pool.contains({}));
  EXPECT_FALSE(pool.contains({2, 1}));
}

TEST(SlotPoolTest, TheLastFreedPlaceIsUsedFirstUnderANewGeneration) {
  Pool pool;
  Id<TestTag> const a = pool.insert(1);
  Id<TestTag> const b = pool.insert(2);
  pool.erase(a.index);
  pool.erase(b.index);
  EXPECT_FALSE(pool.contains(a));
  EXPECT_EQ(pool[a.index], 0) << "a dead place encodes as an empty record";
  EXPECT_EQ(pool.insert(3), (Id<TestTag>{b.index, 2}));
  EXPECT_EQ(pool.insert(4), (Id<TestTag>{a.index, 2}));
  EXPECT_EQ(pool.insert(5), (Id<TestTag>{2, 1}));
}

TEST(SlotPoolTest, AGenerationNeverBecomesZero) {
  Pool pool;
  Id<TestTag> const a = pool.insert(1);
  pool.slots[a.index].generation = 0xffffffffu;
  pool.erase(a.index);
  EXPECT_EQ(pool.insert(2).generation, 1u);
}

TEST(SlotPoolTest, AgreesWithAMapOverRandomHistories) {
  Random random(3);
  Pool pool;
  std::map<std::uint64_t, int> model;
  for (int i = 0; i < 5000; ++i) {
    if (model.empty() || random.next_below(5) < 3) {
      Id<TestTag> const id = pool.insert(i);
      ASSERT_TRUE(model.emplace(id.to_u64(), i).second) << "an id was handed out twice";
    } else {
      auto at = model.begin();
      std::advance(at, random.next_below(static_cast<std::uint32_t>(model.size())));
      Id<TestTag> const id = Id<TestTag>::from_u64(at->first);
      pool.erase(id.index);
      EXPECT_FALSE(pool.contains(id));
      model.erase(at);
    }
  }
  ASSERT_TRUE(pool.consistent());
  ASSERT_EQ(pool.alive_count, model.size());
  for (auto const& [bits, value] : model) {
    Id<TestTag> const id = Id<TestTag>::from_u64(bits);
    ASSERT_TRUE(pool.contains(id));
    EXPECT_EQ(pool[id.index], value);
    EXPECT_EQ(pool.id(id.index), id);
  }
}

/// Three places, the middle one free.
Pool holed() {
  Pool pool;
  for (int i = 0; i < 3; ++i) pool.insert(i);
  pool.erase(1);
  return pool;
}

TEST(SlotPoolTest, ConsistentSeesEveryLie) {
  ASSERT_TRUE(holed().consistent());
  auto const lie = [](auto change) {
    Pool pool = holed();
    change(pool);
    return pool.consistent();
  };
  EXPECT_FALSE(lie([](Pool& p) { p.records.pop_back(); })) << "records and slots differ in number";
  EXPECT_FALSE(lie([](Pool& p) { p.alive_count = 3; }));
  EXPECT_FALSE(lie([](Pool& p) { p.free_head = kNoIndex; })) << "a dead place is not in the list";
  EXPECT_FALSE(lie([](Pool& p) { p.free_head = 0; })) << "a living place is in the list";
  EXPECT_FALSE(lie([](Pool& p) { p.free_head = 3; })) << "past the end";
  EXPECT_FALSE(lie([](Pool& p) { p.slots[1].next_free = 1; })) << "the list is a ring";
  EXPECT_FALSE(lie([](Pool& p) { p.slots[0].next_free = 1; })) << "a living place has a successor";
  EXPECT_FALSE(lie([](Pool& p) { p.slots[2].generation = 0; }));
  EXPECT_FALSE(lie([](Pool& p) { p.slots[2].alive = false; }));
}

}  // namespace
}  // namespace takt
