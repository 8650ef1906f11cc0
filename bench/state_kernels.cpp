// Benchmarks of the whole canonical state: hash, portable image, snapshot in memory. A world of 200 boxes in
// low stacks; nanoseconds are for all of it, items are bodies.
#include <benchmark/benchmark.h>

#include "bench/numbers_name.h"
#include "takt/core/assert.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

constexpr int kBodies = 200;

template <class Real>
World<Real> stacks() {
  auto world = test::make_world<Real>();
  test::add_ground(world);
  for (int i = 0; i < kBodies; ++i)
    test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), test::at(1.5 * (i % 20), 0.5 + i / 20, 0));
  test::run(world, 30);
  return world;
}

template <class Real, class Work>
void add(const char* name, Work work) {
  benchmark::RegisterBenchmark(bench::named<Real>(name).c_str(), [work](benchmark::State& state) {
    World<Real> world = stacks<Real>();
    work(state, world);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kBodies);
  });
}

template <class Real>
void register_all() {
  add<Real>("state/hash", [](benchmark::State& state, World<Real>& world) {
    for (auto _ : state) benchmark::DoNotOptimize(world.hash());
  });
  add<Real>("state/save", [](benchmark::State& state, World<Real>& world) {
    std::size_t bytes = 0;
    for (auto _ : state) bytes = world.save().size();
    state.counters["bytes a body"] = static_cast<double>(bytes) / kBodies;
  });
  add<Real>("state/restore", [](benchmark::State& state, World<Real>& world) {
    auto const image = world.save();
    for (auto _ : state) TAKT_ASSERT(World<Real>::restore(image).ok());
  });
  add<Real>("state/capture", [](benchmark::State& state, World<Real>& world) {
    WorldSnapshot<Real> snapshot;
    world.capture(snapshot);
    for (auto _ : state) world.capture(snapshot);
  });
  add<Real>("state/roll back", [](benchmark::State& state, World<Real>& world) {
    WorldSnapshot<Real> snapshot;
    world.capture(snapshot);
    for (auto _ : state) world.rollback(snapshot);
  });
}

[[maybe_unused]] const bool kRegistered = [] {
  register_all<float>();
  register_all<Fixed>();
  return true;
}();

}  // namespace
}  // namespace takt
