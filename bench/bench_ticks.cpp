// Milliseconds per tick of every scene, in both numbers modes and every number of lanes: the table of docs/PERFORMANCE.md. The hash after the last
// tick stands in each row; rows of one scene and mode must agree, and the program fails when they do not.
//
// usage: bench_ticks [TICKS (default 600)] [SCENE...]
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "takt/sim/simulation.h"
#include "tests/scene_file.h"

namespace {

using takt::NumbersMode;

struct Row {
  std::uint32_t body_count = 0;
  double median_ms = 0;
  double p99_ms = 0;
  std::uint64_t hash = 0;
};

// The value below which `share` of the sorted values lie.
double quantile(const std::vector<double>& sorted, double share) {
  auto const index = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
  return sorted[index];
}

Row measure(const takt::sim::Scene& scene, NumbersMode numbers, std::uint32_t lanes, std::uint32_t tick_count) {
  auto simulation = takt::sim::Simulation::create(scene, numbers);
  if (!simulation) throw std::runtime_error(std::string(message(simulation.error())));
  takt::sim::TickOptions const options{.step = {.lanes = lanes}, .want_hash = false};
  std::vector<double> tick_ms;
  tick_ms.reserve(tick_count);
  for (std::uint32_t tick = 0; tick < tick_count; ++tick) {
    auto const begin = std::chrono::steady_clock::now();
    simulation->step({}, options);
    tick_ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::sort(tick_ms);
  return {simulation->world().body_count(), quantile(tick_ms, 0.5), quantile(tick_ms, 0.99), simulation->hash()};
}

// One scene in one mode. False when two numbers of lanes gave different bits.
bool print_rows(const std::string& name, NumbersMode numbers, std::uint32_t tick_count) {
  bool const is_float = numbers == NumbersMode::kFloat;
  std::vector<std::uint32_t> const widths = is_float ? std::vector<std::uint32_t>{1, 4, 8, 16} : std::vector<std::uint32_t>{1};
  takt::sim::Scene scene = takt::scene_files::load(name);
  scene.world.allow_sleep = false;  // what lies asleep costs nothing, and would hide what a tick costs
  std::uint64_t first_hash = 0;
  bool equal = true;
  for (std::uint32_t const lanes : widths) {
    Row const row = measure(scene, numbers, lanes, tick_count);
    if (lanes == widths.front()) first_hash = row.hash;
    equal = equal && row.hash == first_hash;
    std::printf("| %s | %" PRIu32 " | %s | %" PRIu32 " | %.3f | %.3f | %016" PRIx64 "%s |\n", name.c_str(), row.body_count,
                is_float ? "float" : "fixed", lanes, row.median_ms, row.p99_ms, row.hash, row.hash == first_hash ? "" : " DIFFERS");
    std::fflush(stdout);
  }
  return equal;
}

int run(std::uint32_t tick_count, const std::vector<std::string>& names) {
  std::printf("%" PRIu32
              " ticks a row, one thread\n\n| scene | bodies | numbers | lanes | ms/tick median | p99 | hash |\n|---|---|---|---|---|---|---|\n",
              tick_count);
  bool equal = true;
  for (const std::string& name : names) {
    for (NumbersMode const numbers : {NumbersMode::kFloat, NumbersMode::kFixed}) equal = print_rows(name, numbers, tick_count) && equal;
  }
  if (!equal) std::fprintf(stderr, "bench_ticks: the number of lanes changed the bits\n");
  return equal ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::uint32_t tick_count = 600;
  std::vector<std::string> names(arguments + 1, arguments + argument_count);
  if (!names.empty()) {
    std::string_view const first = names.front();
    auto const parsed = std::from_chars(first.data(), first.data() + first.size(), tick_count);
    if (parsed.ec != std::errc{} || parsed.ptr != first.data() + first.size() || tick_count == 0) {
      std::fprintf(stderr, "usage: bench_ticks [TICKS (default 600)] [SCENE...]\n");
      return 2;
    }
    names.erase(names.begin());
  }
  try {
    return run(tick_count, names.empty() ? takt::scene_files::names() : names);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_ticks: %s\n", error.what());
    return 1;
  }
}
