// Random scenes (sim/random_scene/random_scene.h) by seed: runs them in one or both numbers modes, measures
// the rules of tests/random_scenes/scene_rules.h and prints a summary, and each failing seed with its
// stats. A research tool and the engine of `./dev wild`; the tests of the rules are in tests/property.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/random_scene/draw_scene.h"
#include "tests/random_scenes/scene_rules.h"

namespace {

using takt::NumbersMode;
using takt::sim::RandomScene;
using takt::test::RuleStats;

struct Options {
  std::string seeds = "0:200";
  std::string numbers = "both";
  double seconds = 4;
  std::string family;
  std::string csv_path;
  bool failing = false;
  bool time = false;
  double for_seconds = 0;
  std::optional<std::uint64_t> print_seed;
};

struct Row {
  std::uint64_t seed = 0;
  takt::sim::RandomFamily family{};
  NumbersMode numbers{};
  bool is_passive = false;
  RuleStats stats;
};

const char* name_of_mode(NumbersMode numbers) { return numbers == NumbersMode::kFloat ? "float" : "fixed"; }

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(std::lround(fraction * static_cast<double>(values.size() - 1)))];
}

template <class Read>
void print_stat(const char* name, const std::vector<Row>& rows, double bound, Read read) {
  std::vector<double> values;
  for (const Row& row : rows) {
    if (std::optional<double> const value = read(row)) values.push_back(*value);
  }
  std::printf("  %-34s %9zu %11.4g %11.4g %11.4g %11.4g\n", name, values.size(), quantile(values, 0.5),
              quantile(values, 0.95), quantile(values, 1), bound);
}

void print_summary(const std::vector<Row>& all, NumbersMode numbers) {
  std::vector<Row> rows;
  std::ranges::copy_if(all, std::back_inserter(rows),
                       [numbers](const Row& row) { return row.numbers == numbers; });
  if (rows.empty()) return;
  auto const failed = static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const Row& row) { return row.stats.broken_rules != 0; }));
  std::printf("%s: %zu seeds, %zu failed;", name_of_mode(numbers), rows.size(), failed);
  for (std::uint32_t rule = 0; rule < takt::test::kRuleCount; ++rule) {
    auto const count = std::ranges::count_if(
        rows, [rule](const Row& row) { return (row.stats.broken_rules >> rule & 1u) != 0; });
    std::printf(" %s %td", std::string(takt::test::rule_name(rule)).c_str(), count);
  }
  std::printf("\n  %-34s %9s %11s %11s %11s %11s\n", "", "seeds", "p50", "p95", "worst", "bound");
  auto const passive = [](double value, const Row& row) {
    return row.is_passive ? std::optional(value) : std::nullopt;
  };
  print_stat("energy rise / first energy", rows, takt::test::kRiseMax,
             [&](const Row& row) { return passive(row.stats.rise, row); });
  print_stat("energy excess / first energy", rows, takt::test::kExcessMax,
             [&](const Row& row) { return passive(row.stats.excess, row); });
  print_stat("fastest / its bound", rows, 1, [](const Row& row) {
    return std::optional(row.stats.fastest_m_s / std::max(row.stats.speed_bound_m_s, 1e-9));
  });
  print_stat("peak speed of any tick, m/s", rows, 0,
             [](const Row& row) { return std::optional(row.stats.peak_m_s); });
  print_stat("penetration / smaller body", rows, takt::test::kPenetrationMax,
             [](const Row& row) { return std::optional(row.stats.penetration); });
  print_stat("largest penetration / smaller body", rows, 0,
             [](const Row& row) { return std::optional(row.stats.penetration_max); });
  print_stat("momentum error / roundings", rows, 1, [](const Row& row) {
    return row.stats.flight_tick_count > 0 ? std::optional(row.stats.momentum_error) : std::nullopt;
  });
  print_stat("time / equal densities", rows, takt::test::kTimeRatioMax, [](const Row& row) {
    return row.stats.time_ratio > 0 ? std::optional(row.stats.time_ratio) : std::nullopt;
  });
  double own_ms = 0, equal_ms = 0;
  for (const Row& row : rows) own_ms += row.stats.own_ms, equal_ms += row.stats.equal_ms;
  if (equal_ms > 0) std::printf("  time of all seeds together / equal densities: %.3f\n", own_ms / equal_ms);
  print_stat("ms/tick", rows, 0, [](const Row& row) { return std::optional(row.stats.ms_per_tick); });
}

void print_failure(const Row& row) {
  std::printf("seed %" PRIu64 " %s %s %u bodies: %s\n", row.seed, name_of_mode(row.numbers),
              std::string(name_of(row.family)).c_str(), row.stats.body_count, broken_text(row.stats).c_str());
  std::fflush(stdout);
}

struct Column {
  const char* name;
  double value;
};
std::vector<Column> columns_of(const RuleStats& f) {
  return {{"first_energy_j", f.first_energy_j},
          {"rise", f.rise},
          {"rise_tick", static_cast<double>(f.rise_tick)},
          {"excess", f.excess},
          {"fastest_m_s", f.fastest_m_s},
          {"speed_bound_m_s", f.speed_bound_m_s},
          {"peak_m_s", f.peak_m_s},
          {"escaped", static_cast<double>(f.escaped_count)},
          {"start_overlap_m", f.start_overlap_m},
          {"penetration", f.penetration},
          {"penetration_max", f.penetration_max},
          {"equal_penetration", f.equal_penetration},
          {"momentum_error", f.momentum_error},
          {"flight_ticks", static_cast<double>(f.flight_tick_count)},
          {"ms_per_tick", f.ms_per_tick},
          {"time_ratio", f.time_ratio},
          {"broken_rules", static_cast<double>(f.broken_rules)}};
}

void write_csv(const std::string& path, const std::vector<Row>& rows) {
  std::ofstream out(path);
  out << "seed,numbers,family,bodies,passive";
  for (const Column& column : columns_of({})) out << ',' << column.name;
  for (const Row& row : rows) {
    out << '\n'
        << row.seed << ',' << name_of_mode(row.numbers) << ',' << name_of(row.family) << ','
        << row.stats.body_count << ',' << row.is_passive;
    for (const Column& column : columns_of(row.stats)) out << ',' << column.value;
  }
  out << '\n';
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

void run_seed(std::uint64_t seed, const Options& options, std::vector<Row>& rows) {
  RandomScene const scene = takt::sim::random_scene(seed);
  if (!options.family.empty() && options.family != name_of(scene.family)) return;
  for (NumbersMode const numbers : {NumbersMode::kFloat, NumbersMode::kFixed}) {
    if (options.numbers != "both" && options.numbers != name_of_mode(numbers)) continue;
    takt::test::RuleOptions const rules{.numbers = numbers, .seconds = options.seconds, .step = {}};
    Row row{seed, scene.family, numbers, scene.is_passive, {}};
    row.stats = options.time ? check_rules_and_time(scene, rules) : check_rules(scene, rules);
    if (options.failing && row.stats.broken_rules != 0) print_failure(row);
    rows.push_back(row);
  }
}

int run(const Options& options) {
  if (options.print_seed) {
    std::printf("%s", takt::sim::random_scene(*options.print_seed).json.c_str());
    return 0;
  }
  std::size_t const colon = options.seeds.find(':');
  std::uint64_t const first = std::stoull(options.seeds);
  std::uint64_t const last =
      colon == std::string::npos ? first + 1 : std::stoull(options.seeds.substr(colon + 1));
  std::vector<Row> rows;
  auto const begin = std::chrono::steady_clock::now();
  auto const spent_s = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (std::uint64_t seed = first; options.for_seconds > 0 ? spent_s() < options.for_seconds : seed < last;
       ++seed)
    run_seed(seed, options, rows);
  double const run_s = spent_s();
  if (!options.csv_path.empty()) write_csv(options.csv_path, rows);
  print_summary(rows, NumbersMode::kFloat);
  print_summary(rows, NumbersMode::kFixed);
  std::printf("%zu runs in %.1f s\n", rows.size(), run_s);
  bool const failed = std::ranges::any_of(rows, [](const Row& row) { return row.stats.broken_rules != 0; });
  return failed ? 1 : 0;
}

std::string check_seeds(const std::string& text) {
  std::size_t const colon = text.find(':');
  auto const is_number = [](std::string_view part) {
    return !part.empty() && part.size() < 20 &&
           part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  bool const good = colon == std::string::npos ? is_number(text)
                                               : is_number(std::string_view(text).substr(0, colon)) &&
                                                     is_number(std::string_view(text).substr(colon + 1));
  return good ? "" : "expected A:B (seeds A to B - 1) or one seed, not '" + text + "'";
}

int parse_and_run(int argument_count, char** arguments) {
  Options options;
  CLI::App app("Random scenes by seed: measures energy, speeds, escapes, penetration and momentum");
  app.add_option("--seeds", options.seeds, "A:B = seeds A to B - 1, or one seed")
      ->check(CLI::Validator(check_seeds, "A:B"))
      ->capture_default_str();
  app.add_option("--numbers", options.numbers)
      ->check(CLI::IsMember({"float", "fixed", "both"}))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "of simulated time, a seed")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app.add_option("--family", options.family, "only seeds of this family")
      ->check(CLI::IsMember({"pit", "slab", "tower", "ball", "crowd"}));
  app.add_option("--csv", options.csv_path, "write a row a seed and mode to this file");
  app.add_flag("--failing", options.failing, "print each failing seed with its figures");
  app.add_flag("--time", options.time, "compare the time with that of equal densities (twice the work)");
  app.add_option("--for", options.for_seconds, "run seeds from A on for so many seconds, instead of to B")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--json", options.print_seed, "print the scene of this seed and stop");
  CLI11_PARSE(app, argument_count, arguments);
  return run(options);
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    return parse_and_run(argument_count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "random_scenes: %s\n", error.what());
    return 2;
  }
}
