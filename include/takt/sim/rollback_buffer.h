// RollbackBuffer has snapshots and inputs of the last ticks of a simulation in memory, for inputs that arrive
// late. RollbackBuffer::step() captures and steps the caller's simulation. set_inputs() replaces the inputs
// of a past tick, and resimulate() then restores that tick and steps again from there. A changed tick is held
// until then: no call but clear() drops new inputs. The buffer withholds the Game's messages of a tick until
// the tick cannot change any more; take_messages() returns each once. The buffer predicts no missing inputs;
// its caller does, such as RollbackReplica (client_sdk/cpp/replica/).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "takt/core/result.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

class RollbackBuffer {
 public:
  /// Keeps the last `depth` ticks, [1, 1024]. Memory: depth x the size of the state. `hash_every_ticks`, at
  /// least 1: only states whose tick is a multiple of it are hashed, if TickOptions::want_hash is set.
  explicit RollbackBuffer(std::uint32_t depth, std::uint32_t hash_every_ticks = 1);

  /// Captures `simulation`, then steps it. The simulation must be where this buffer left it (asserted). A
  /// full buffer forgets its oldest tick, whose inputs must not wait for resimulate() (asserted): call it
  /// first. TickResult::messages is empty: see take_messages().
  TickResult step(Simulation& simulation, std::span<const Input> inputs, const TickOptions& options = {});

  /// Replaces the inputs of a past tick. Nothing is simulated before resimulate(). Errors: kTickOutOfRange
  /// when the tick is no longer (or not yet) held.
  Result<Unit, SimError> set_inputs(std::uint64_t tick, std::span<const Input> inputs);

  /// Goes back to the earliest changed tick and steps to where the simulation was. Returns the results of the
  /// ticks stepped again, oldest first, without messages; empty when nothing had changed.
  std::vector<TickResult> resimulate(Simulation& simulation, const TickOptions& options = {});

  /// Forgets ticks before `tick`: their inputs are confirmed, and must not wait for resimulate() (asserted).
  void confirm_before(std::uint64_t tick);
  /// Removes and returns the Game's messages of ticks that are no longer held, oldest first. No message comes
  /// twice, however often its tick was stepped. Call it after step() and confirm_before(): messages that
  /// nobody takes stay in the buffer, whose memory then grows with them.
  [[nodiscard]] std::vector<GameMessage> take_messages();
  /// Forgets everything, for instance after a full image was restored. The messages of held ticks are lost.
  void clear();

  [[nodiscard]] std::uint64_t first_tick() const noexcept {
    return first_tick_;
  }  ///< oldest tick whose inputs may change
  [[nodiscard]] std::uint64_t end_tick() const noexcept { return first_tick_ + count_; }
  /// Inputs of a held tick (asserted), in the order given.
  [[nodiscard]] std::span<const Input> inputs(std::uint64_t tick) const;
  /// The hash after a held tick's step (asserted); 0 when hashes were not wanted.
  [[nodiscard]] std::uint64_t hash_after(std::uint64_t tick) const;

 private:
  struct Slot {
    SimulationSnapshot before;
    std::vector<Input> inputs;
    std::vector<GameMessage> messages;
    std::uint64_t hash = 0;
    bool changed = false;
  };
  Slot& slot(std::uint64_t tick) { return slots_[tick % slots_.size()]; }
  [[nodiscard]] const Slot& slot(std::uint64_t tick) const { return slots_[tick % slots_.size()]; }
  TickResult step_held(Simulation& simulation, Slot& held, const TickOptions& options) const;

  std::vector<Slot> slots_;
  std::uint32_t hash_every_ticks_;
  std::vector<GameMessage> confirmed_messages_;
  std::uint64_t first_tick_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace takt::sim
