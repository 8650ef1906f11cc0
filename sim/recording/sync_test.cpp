#include <algorithm>
#include <utility>

#include "sim/recording/output_comparison.h"
#include "takt/core/assert.h"
#include "takt/sim/rollback_buffer.h"

namespace takt::sim {

SyncTest::SyncTest(std::uint32_t rollback_ticks, std::size_t max_fields)
    : rollback_ticks_(rollback_ticks), max_fields_(max_fields) {
  TAKT_ASSERT(rollback_ticks >= 1 && rollback_ticks <= 1024);
}

const SimulationSnapshot& SyncTest::state_after(std::size_t index) const {
  return index + 1 < ticks_.size() ? ticks_[index + 1].before : newest_;
}

TickResult SyncTest::step(Simulation& simulation, std::span<const Input> inputs, const TickOptions& options) {
  TAKT_ASSERT(!difference_);
  TAKT_ASSERT(ticks_.empty() || simulation.tick() == ticks_.back().result.tick);
  TickOptions hashed = options;
  hashed.want_hash = true;
  if (ticks_.size() < rollback_ticks_) {
    ticks_.emplace_back();
  } else {
    std::rotate(ticks_.begin(), ticks_.begin() + 1, ticks_.end());  // the oldest one gives its memory
  }
  Tick& tick = ticks_.back();
  simulation.capture(tick.before);
  tick.inputs.assign(inputs.begin(), inputs.end());
  tick.result = simulation.step(tick.inputs, hashed);
  simulation.capture(newest_);
  repeat(simulation, hashed);
  return tick.result;
}

void SyncTest::repeat(Simulation& simulation, const TickOptions& options) {
  simulation.rollback(ticks_.front().before);
  std::uint64_t const from = simulation.tick();
  TickOptions again = options;
  again.step.energy = nullptr;  // the ledger has these ticks
  for (std::size_t i = 0; i < ticks_.size(); ++i) {
    TickResult const& first = ticks_[i].result;
    TickResult const repeated = simulation.step(ticks_[i].inputs, again);
    ++repeated_ticks_;
    std::optional<OutputMismatch> output;
    if (repeated.hash == first.hash) {
      output = compare_outputs(first, repeated);
      if (!output) continue;
    }
    difference_ = SyncDifference{first.tick, from, first.hash, repeated.hash, {}, std::move(output)};
    Simulation shadow = Simulation::make_shadow(simulation);
    shadow.rollback(state_after(i));
    difference_->fields = Simulation::diff(shadow, simulation, max_fields_);
    simulation.rollback(newest_);
    return;
  }
}

}  // namespace takt::sim
