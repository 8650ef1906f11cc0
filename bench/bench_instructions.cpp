// Ticks of a scene for callgrind to count: it settles first, uncounted, and the rest is stepped by
// takt_counted_ticks, which bench/count_instructions.sh names. Instruction counts repeat exactly where times
// do not, so a regression of a percent shows.
#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "bench/scene_row.h"
#include "bench/trial_world.h"

// Found by its name: not inlined, not renamed.
extern "C" __attribute__((noinline)) void takt_counted_ticks(takt::World<float>* world, std::uint32_t ticks,
                                                             std::uint32_t lanes) {
  for (std::uint32_t tick = 0; tick < ticks; ++tick) (void)world->step({.lanes = lanes});
}

int main(int argument_count, char** arguments) {
  std::string scene = "pyramid30";
  std::uint32_t settle_ticks = 0;
  std::uint32_t ticks = 1;
  std::uint32_t lanes = 1;
  CLI::App app("Ticks of a scene for callgrind to count (bench/count_instructions.sh)");
  app.add_option("scene", scene, "a trial or scene without joints")->capture_default_str();
  app.add_option("settle", settle_ticks, "ticks before the first that is counted")->capture_default_str();
  app.add_option("ticks", ticks, "that are counted")->capture_default_str();
  app.add_option("lanes", lanes, "what the CPU runs without AVX-512, which valgrind lacks")
      ->check(CLI::IsMember({1, 4, 8}))
      ->capture_default_str();
  CLI11_PARSE(app, argument_count, arguments);
  try {
    auto world = takt::bench::trial_world<float>(takt::bench::load_trial(scene));
    for (std::uint32_t tick = 0; tick < settle_ticks; ++tick) (void)world.step({.lanes = lanes});
    takt_counted_ticks(&world, ticks, lanes);
    std::printf("%s: tick %" PRIu64 " hash 0x%016" PRIx64 "\n", scene.c_str(), world.tick(), world.hash());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_instructions: %s\n", error.what());
    return 1;
  }
}
