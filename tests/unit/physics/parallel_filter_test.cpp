// Choosing items gives the same ones in the same order whoever looks at which part when.
#include "physics/base/parallel_filter.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace takt {
namespace {

/// Does the parts one by one, the last first.
class BackwardsPool final : public TaskPool {
 public:
  [[nodiscard]] std::uint32_t worker_count() const noexcept override { return 2; }
  void for_each(std::size_t count, std::size_t, const Loop& loop) override {
    for (std::size_t i = count; i-- > 0;) loop.run(loop.context, i, i + 1, static_cast<std::uint32_t>(i % 2));
  }
};

TEST(ParallelFilterTest, FindsWhatOneThreadWould) {
  BackwardsPool backwards;
  FilteredItems<std::uint32_t> filtered;
  for (std::size_t const count : {std::size_t{1000}, std::size_t{0}, std::size_t{1}, kFilterGrain,
                                  kFilterGrain + 1, 5 * kFilterGrain}) {
    for (std::uint32_t const modulus : {1u, 2u, 7u, 10000u}) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < count; ++i) {
        if (i % modulus == modulus - 1) expected.push_back(3 * i);
      }
      for (TaskPool* const pool : {static_cast<TaskPool*>(nullptr), static_cast<TaskPool*>(&backwards)}) {
        parallel_filter(pool, count, filtered, [modulus](std::size_t i, std::uint32_t& item) {
          item = static_cast<std::uint32_t>(3 * i);
          return i % modulus == modulus - 1;
        });
        EXPECT_TRUE(std::ranges::equal(filtered.chosen(), expected)) << count << " items, every " << modulus;
      }
    }
  }
}

}  // namespace
}  // namespace takt
