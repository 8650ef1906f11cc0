#include "cli/energy_report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "cli/json_text.h"

namespace takt::cli {
namespace {

template <class... Values>
std::string formatted(const char* form, Values... values) {
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(), form, values...);
  return line.data();
}

// "null" for what JSON has no number for.
std::string number(double value) {
  bool const is_finite = value - value == 0;
  return is_finite ? formatted("%.9g", value) : "null";
}

}  // namespace

EnergyReport::EnergyReport(const sim::Simulation& simulation, const sim::Scene& scene)
    : scene_(scene), first_(simulation.world().energy()), last_(first_), lowest_j_(first_.total_j()) {}

void EnergyReport::add(const sim::Simulation& simulation) {
  WorldEnergy const now = simulation.world().energy();
  double const change_j = now.total_j() - last_.total_j();
  last_ = now;
  lowest_j_ = std::min(lowest_j_, now.total_j());
  if (now.total_j() - lowest_j_ > rise_j_) {
    rise_j_ = now.total_j() - lowest_j_;
    rise_tick_ = simulation.tick();
  }
  bool const is_peak = change_j > peak_j_;
  if (is_peak) {
    peak_j_ = change_j;
    peak_tick_ = simulation.tick();
  }
  for (std::size_t i = 0; i < kEnergyStageCount; ++i) {
    const StageEnergy& of_tick = ledger_.stage(static_cast<EnergyStage>(i));
    Stage& stage = stages_[i];
    stage.change_j += of_tick.change_j;
    if (is_peak) stage.peak_j = of_tick.change_j;
    if (!(of_tick.rise_j > stage.worst.rise_j)) continue;
    stage.worst = of_tick;
    stage.worst_tick = simulation.tick();
  }
}

std::string EnergyReport::name_of_body(BodyId body) const {
  std::string index = std::to_string(body.index);
  if (body.generation != 1 || body.index >= scene_.bodies.size()) return index;
  const std::string& name = scene_.bodies[body.index].name;
  return name.empty() ? index : name;
}

std::string EnergyReport::text() const {
  std::string out = formatted("energy: kinetic %.6g J at first, %.6g J at last; of height %.6g J, %.6g J\n",
                              first_.kinetic_j, last_.kinetic_j, first_.potential_j, last_.potential_j);
  out += formatted("energy rose by at most %.6g J above its lowest value so far, at tick %" PRIu64
                   "; by %.6g J in tick %" PRIu64 "\n",
                   rise_j_, rise_tick_, peak_j_, peak_tick_);
  if (!EnergyLedger::measures_stages()) {
    return out +
           "energy by stage needs a build with checks: ./dev build dev makes build/dev/bin/takt (preset "
           "dev)\n";
  }
  out += formatted("%-15s %12s %12s %12s %8s %8s  %s\n", "stage", "run, J",
                   formatted("tick %" PRIu64, peak_tick_).c_str(), "substep, J", "tick", "substep",
                   "body that gained most");
  for (std::size_t i = 0; i < kEnergyStageCount; ++i) {
    const Stage& stage = stages_[i];
    out += formatted("%-15s %12.4g %12.4g", std::string(name_of(static_cast<EnergyStage>(i))).c_str(),
                     stage.change_j, stage.peak_j);
    if (stage.worst_tick != 0) {
      out += formatted(" %12.4g %8" PRIu64 " %8u  %s, %.4g J", stage.worst.rise_j, stage.worst_tick,
                       stage.worst.rise_substep, name_of_body(stage.worst.rise_body).c_str(),
                       stage.worst.body_rise_j);
    }
    out += '\n';
  }
  return out;
}

std::string EnergyReport::json() const {
  std::string out = "{\"energy\":{\"kinetic_j\":[" + number(first_.kinetic_j) + ',' +
                    number(last_.kinetic_j) + "],\"potential_j\":[" + number(first_.potential_j) + ',' +
                    number(last_.potential_j) + "],\"rise_j\":" + number(rise_j_) +
                    ",\"rise_tick\":" + std::to_string(rise_tick_) + ",\"tick_rise_j\":" + number(peak_j_) +
                    ",\"tick_rise_tick\":" + std::to_string(peak_tick_) + ",\"stages\":";
  if (!EnergyLedger::measures_stages()) return out + "null}}\n";
  for (std::size_t i = 0; i < kEnergyStageCount; ++i) {
    const Stage& stage = stages_[i];
    out += i == 0 ? '[' : ',';
    out += "{\"stage\":" + json_text(name_of(static_cast<EnergyStage>(i))) +
           ",\"change_j\":" + number(stage.change_j) + ",\"tick_rise_change_j\":" + number(stage.peak_j) +
           ",\"rise_j\":" + number(stage.worst.rise_j);
    if (stage.worst_tick != 0) {
      out += ",\"tick\":" + std::to_string(stage.worst_tick) +
             ",\"substep\":" + std::to_string(stage.worst.rise_substep) +
             ",\"body\":" + json_text(name_of_body(stage.worst.rise_body)) +
             ",\"body_rise_j\":" + number(stage.worst.body_rise_j);
    }
    out += '}';
  }
  return out + "]}}\n";
}

}  // namespace takt::cli
