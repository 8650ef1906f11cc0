#include "takt/sim/rollback_buffer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/commands/same_input.h"
#include "takt/core/assert.h"

namespace takt::sim {

RollbackBuffer::RollbackBuffer(std::uint32_t depth, std::uint32_t hash_every_ticks)
    : slots_(depth), hash_every_ticks_(hash_every_ticks) {
  TAKT_ASSERT(depth >= 1 && depth <= 1024 && hash_every_ticks >= 1);
}

TickResult RollbackBuffer::step_held(Simulation& simulation, Slot& held, const TickOptions& options) const {
  TickOptions own = options;
  own.want_hash = options.want_hash && (simulation.tick() + 1) % hash_every_ticks_ == 0;
  TickResult result = simulation.step(held.inputs, own);
  held.hash = result.hash;
  held.messages = std::exchange(result.messages, {});
  return result;
}

TickResult RollbackBuffer::step(Simulation& simulation, std::span<const Input> inputs,
                                const TickOptions& options) {
  std::uint64_t const tick = simulation.tick();
  if (count_ == 0) first_tick_ = tick;
  TAKT_ASSERT(tick == end_tick());
  if (count_ == slots_.size()) confirm_before(first_tick_ + 1);
  Slot& held = slot(tick);
  simulation.capture(held.before);
  held.inputs.assign(inputs.begin(), inputs.end());
  held.changed = false;
  ++count_;
  return step_held(simulation, held, options);
}

Result<Unit, SimError> RollbackBuffer::set_inputs(std::uint64_t tick, std::span<const Input> inputs) {
  if (tick < first_tick_ || tick >= end_tick()) return SimError::kTickOutOfRange;
  Slot& held = slot(tick);
  if (std::ranges::equal(held.inputs, inputs, same_input)) return Unit{};
  held.inputs.assign(inputs.begin(), inputs.end());
  held.changed = true;
  return Unit{};
}

std::vector<TickResult> RollbackBuffer::resimulate(Simulation& simulation, const TickOptions& options) {
  std::vector<TickResult> results;
  std::uint64_t from = first_tick_;
  while (from < end_tick() && !slot(from).changed) ++from;
  if (from == end_tick()) return results;
  TAKT_ASSERT(simulation.tick() == end_tick());
  simulation.rollback(slot(from).before);
  for (std::uint64_t tick = from; tick < end_tick(); ++tick) {
    Slot& held = slot(tick);
    if (tick != from) simulation.capture(held.before);
    held.changed = false;
    results.push_back(step_held(simulation, held, options));
  }
  return results;
}

void RollbackBuffer::take_state(std::uint64_t tick, SimulationSnapshot& spare) {
  TAKT_ASSERT(tick >= first_tick_ && tick < end_tick());
  std::swap(slot(tick).before, spare);
}

void RollbackBuffer::confirm_before(std::uint64_t tick) {
  std::uint64_t const to = std::clamp(tick, first_tick_, end_tick());
  // The state before a forgotten tick is gone, and with it the only way to act upon its new inputs.
  for (std::uint64_t t = first_tick_; t < to; ++t) {
    TAKT_ASSERT(!slot(t).changed);
    std::ranges::move(slot(t).messages, std::back_inserter(confirmed_messages_));
    slot(t).messages.clear();
  }
  count_ -= to - first_tick_;
  first_tick_ = to;
}

std::vector<GameMessage> RollbackBuffer::take_messages() { return std::exchange(confirmed_messages_, {}); }

void RollbackBuffer::clear() { count_ = 0; }

std::span<const Input> RollbackBuffer::inputs(std::uint64_t tick) const {
  TAKT_ASSERT(tick >= first_tick_ && tick < end_tick());
  return slot(tick).inputs;
}

std::uint64_t RollbackBuffer::hash_after(std::uint64_t tick) const {
  TAKT_ASSERT(tick >= first_tick_ && tick < end_tick());
  return slot(tick).hash;
}

}  // namespace takt::sim
