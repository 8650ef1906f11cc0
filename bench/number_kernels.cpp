// Arithmetic of Fixed, one operation at a time.
#include <benchmark/benchmark.h>

#include <vector>

#include "takt/core/random.h"
#include "takt/physics/fixed.h"

namespace takt {
namespace {

template <class Operation>
void measure(benchmark::State& state, Operation operation) {
  constexpr std::size_t kCount = 1024;
  Random random(2);
  std::vector<Fixed> values;
  for (std::size_t i = 0; i <= kCount; ++i) values.emplace_back(random.next_between(0.001, 1000));
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCount; ++i) benchmark::DoNotOptimize(operation(values[i], values[i + 1]));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kCount));
}

void multiply(benchmark::State& state) {
  measure(state, [](Fixed a, Fixed b) { return a * b; });
}
BENCHMARK(multiply)->Name("fixed x 1024/multiply");

void divide(benchmark::State& state) {
  measure(state, [](Fixed a, Fixed b) { return a / b; });
}
BENCHMARK(divide)->Name("fixed x 1024/divide");

void square_root(benchmark::State& state) {
  measure(state, [](Fixed a, Fixed) { return sqrt(a); });
}
BENCHMARK(square_root)->Name("fixed x 1024/square root");

}  // namespace
}  // namespace takt
