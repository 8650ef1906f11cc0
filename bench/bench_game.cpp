// The game of examples/game as a rollback client runs it: four bots play, each tick is stepped and captured,
// and every 25th tick the 25 ticks before it are restored and stepped again with another command. Prints the
// times of 25 ticks again and of one tick, in processor time. Fails when equal inputs give other bits.
#include <CLI/CLI.hpp>

#include <cinttypes>
#include <cstdio>
#include <exception>
#include <vector>

#include "bench/tick_times.h"
#include "examples/game/local_match.h"
#include "takt/sim/rollback_buffer.h"

namespace {

using namespace takt;  // NOLINT(google-build-using-namespace): a program

constexpr std::uint32_t kWindow = 25;  // ticks that are simulated again: 400 ms and more

struct Options {
  std::uint32_t rounds = 100;  // of kWindow ticks
  std::uint32_t lanes = 0;
  bool want_hash = false;
};

bool measure(NumbersMode numbers, const Options& options) {
  car_ball::LocalMatch match(car_ball::load_pitch(), numbers, 1);
  sim::Simulation& simulation = match.simulation();
  sim::RollbackBuffer buffer(kWindow);
  sim::TickOptions tick_options;
  tick_options.step.lanes = options.lanes;
  tick_options.want_hash = options.want_hash;
  std::vector<double> first_ms;
  std::vector<double> again_ms;
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    for (std::uint32_t i = 0; i < kWindow; ++i) {
      std::vector<sim::Input> const inputs = match.next_inputs();
      double const begin_ms = bench::thread_ms();
      (void)buffer.step(simulation, inputs, tick_options);
      first_ms.push_back(bench::thread_ms() - begin_ms);
      (void)buffer.take_messages();
    }
    // A refused command comes late to the oldest tick, and is taken back: each time the ticks are stepped
    // again.
    std::uint64_t const hash = simulation.hash();
    std::uint64_t const oldest = buffer.first_tick();
    auto const held = buffer.inputs(oldest);
    std::vector<sim::Input> const inputs(held.begin(), held.end());
    std::vector<sim::Input> late = inputs;
    late.push_back({oldest, 4, UINT32_MAX - options.rounds + round, sim::CustomCommand{}});
    for (const std::vector<sim::Input>& now : {late, inputs}) {
      (void)buffer.set_inputs(oldest, now);
      double const begin_ms = bench::thread_ms();
      (void)buffer.resimulate(simulation, tick_options);
      again_ms.push_back(bench::thread_ms() - begin_ms);
    }
    if (simulation.hash() != hash) return false;
  }
  bench::TickTimes const first = bench::tick_times(first_ms);
  bench::TickTimes const again = bench::tick_times(again_ms);
  std::printf(
      "%-6s  %2u ticks again: median %.2f ms, p99 %.2f ms; a tick with its capture: median %.3f ms, p99 %.3f "
      "ms; "
      "%u bodies, %u goals, tick %" PRIu64 "\n",
      numbers == NumbersMode::kFixed ? "fixed" : "float", kWindow, again.median, again.p99, first.median,
      first.p99, simulation.world().body_count(), match.game().goal_count(), simulation.tick());
  return true;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("The game of examples/game with rollback");
  app.add_option("--rounds", options.rounds, "Rollbacks of 25 ticks");
  app.add_option("--lanes", options.lanes, "Lanes of the solver; 0 = the widest");
  app.add_flag("--hash", options.want_hash, "Hash each tick");
  CLI11_PARSE(app, argc, argv);
  for (NumbersMode const numbers : {NumbersMode::kFloat, NumbersMode::kFixed}) {
    if (measure(numbers, options)) continue;
    std::fprintf(stderr, "bench_game: equal inputs gave other bits after a rollback\n");
    return 1;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_game: %s\n", error.what());
  return 2;
}
