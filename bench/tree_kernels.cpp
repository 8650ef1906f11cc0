// The bounding-volume tree of the broad phase: moving a leaf and asking what overlaps, by number of leaves.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "physics/broad_phase/dynamic_tree.h"
#include "takt/core/assert.h"
#include "takt/core/random.h"

namespace takt {
namespace {

/// Unit boxes at random positions, one to eight cubic metres: as close as a loose pile.
class Cloud {
 public:
  explicit Cloud(std::int64_t count) : width_(2.0 * std::cbrt(static_cast<double>(count))) {
    for (std::int64_t i = 0; i < count; ++i)
      leaves_.push_back(tree_.insert(somewhere(), static_cast<std::uint32_t>(i)));
  }
  void move(std::size_t leaf) {
    FatBounds moved = tree_.bounds(leaves_[leaf]);
    for (int i = 0; i < 3; ++i) {
      moved.lower[i] += 0.1f;
      moved.upper[i] += 0.1f;
      if (moved.upper[i] > static_cast<float>(width_)) moved = somewhere();
    }
    tree_.remove(leaves_[leaf]);
    leaves_[leaf] = tree_.insert(moved, static_cast<std::uint32_t>(leaf));
  }
  std::size_t overlaps(std::size_t leaf) {
    std::size_t found = 0;
    tree_.query(tree_.bounds(leaves_[leaf]), stack_, [&found](std::uint32_t) { ++found; });
    return found;
  }

 private:
  FatBounds somewhere() {
    FatBounds box;
    for (int i = 0; i < 3; ++i) {
      box.lower[i] = static_cast<float>(random_.next_between(0, width_));
      box.upper[i] = box.lower[i] + 1.0f;
    }
    return box;
  }

  Random random_{1};
  double width_;
  DynamicTree tree_;
  std::vector<std::int32_t> leaves_;
  std::vector<std::int32_t> stack_;
};

void move_leaf(benchmark::State& state) {
  Cloud cloud(state.range(0));
  std::size_t leaf = 0;
  for (auto _ : state) {
    cloud.move(leaf);
    leaf = (leaf + 1) % static_cast<std::size_t>(state.range(0));
  }
}
BENCHMARK(move_leaf)->Name("tree/move a leaf")->Arg(1000)->Arg(10000);

void query(benchmark::State& state) {
  Cloud cloud(state.range(0));
  std::size_t leaf = 0;
  std::size_t found = 0;
  for (auto _ : state) {
    std::size_t const here = cloud.overlaps(leaf);
    found += here;
    leaf = (leaf + 1) % static_cast<std::size_t>(state.range(0));
  }
  TAKT_ASSERT(found > 0);
  state.counters["found"] = static_cast<double>(found) / static_cast<double>(state.iterations());
}
BENCHMARK(query)->Name("tree/query")->Arg(1000)->Arg(10000);

}  // namespace
}  // namespace takt
