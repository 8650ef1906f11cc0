#include "takt/core/id.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

struct Apple;
struct Pear;

TEST(Id, DefaultIsNull) {
  Id<Apple> const id;
  EXPECT_TRUE(id.is_null());
  EXPECT_FALSE(id);
  EXPECT_EQ(id.to_u64(), 0u);
}

TEST(Id, WireFormIsGenerationThenIndex) {
  Id<Apple> const id{0x89abcdefu, 0x01234567u};
  EXPECT_EQ(id.to_u64(), 0x0123456789abcdefu);
  EXPECT_EQ(Id<Apple>::from_u64(0x0123456789abcdefu), id);
  EXPECT_TRUE(id);
}

TEST(Id, AnIndexWithoutGenerationIsNull) { EXPECT_TRUE(Id<Apple>::from_u64(5).is_null()); }

TEST(Id, OrderIsByIndexThenGeneration) {
  EXPECT_LT((Id<Apple>{1, 9}), (Id<Apple>{2, 1}));
  EXPECT_LT((Id<Apple>{1, 1}), (Id<Apple>{1, 2}));
}

template <class A, class B>
concept Mixes = requires(A a, B b) {
  a == b;
}
|| requires(A a, B b) { a = b; };
static_assert(!Mixes<Id<Apple>, Id<Pear>>, "ids of different kinds must not mix");

}  // namespace
}  // namespace takt
