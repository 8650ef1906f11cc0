// RollbackBuffer has snapshots and inputs of the last ticks of a simulation in memory, for inputs that arrive
// late. RollbackBuffer::step() captures and steps the caller's simulation. set_inputs() replaces the inputs
// of a past tick, and resimulate() then restores that tick and steps again from there. No call but clear()
// forgets a tick with replaced inputs before resimulate(). The buffer withholds the Game's messages of a tick
// until the tick cannot change any more; take_messages() returns each once. The buffer predicts no missing
// inputs; its caller does, such as RollbackReplica (client_sdk/cpp/replica/).
//
// SyncTest steps a simulation and repeats its last ticks after each one. A difference is a bug of the game or
// the engine, such as state that Game::visit_state forgets. It costs n + 1 steps a tick, so it is for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "takt/core/result.h"
#include "takt/sim/replay.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

class RollbackBuffer {
 public:
  /// Keeps the last `depth` ticks, [1, 1024] (asserted). Memory: depth x the size of the state.
  /// `hash_every_ticks`, at least 1 (asserted): only states whose tick is a multiple of it are hashed, if
  /// TickOptions::want_hash is set.
  explicit RollbackBuffer(std::uint32_t depth, std::uint32_t hash_every_ticks = 1);

  /// Captures `simulation`, then steps it. All calls get the same simulation, at the tick to which this
  /// buffer stepped it (the tick is asserted); an empty buffer accepts any tick. A full buffer forgets its
  /// oldest tick. If that tick has replaced inputs, resimulate() must come first (asserted).
  /// TickResult::messages is empty: see take_messages().
  TickResult step(Simulation& simulation, std::span<const Input> inputs, const TickOptions& options = {});

  /// Replaces all inputs of a past tick. Nothing is simulated before resimulate(). Equal inputs change
  /// nothing. Errors: kTickOutOfRange when the buffer does not hold the tick.
  Result<Unit, SimError> set_inputs(std::uint64_t tick, std::span<const Input> inputs);

  /// Restores the earliest tick with replaced inputs and steps from there to end_tick(). Returns the results
  /// of these steps, oldest first, without messages; empty when no inputs were replaced.
  std::vector<TickResult> resimulate(Simulation& simulation, const TickOptions& options = {});

  /// Exchanges the state before a held tick (asserted) with `spare`. The caller must confirm that tick before
  /// the next resimulate().
  void take_state(std::uint64_t tick, SimulationSnapshot& spare);
  /// Forgets ticks before `tick`, whose inputs are then final. None of them may have replaced inputs that
  /// wait for resimulate() (asserted).
  void confirm_before(std::uint64_t tick);
  /// Removes and returns the Game's messages of ticks that are no longer held, oldest first. No message comes
  /// twice, however often its tick was stepped. Call it after step() and confirm_before(): messages that
  /// nobody takes stay in the buffer, whose memory then grows with them.
  [[nodiscard]] std::vector<GameMessage> take_messages();
  /// Forgets all held ticks and their messages, for instance after an image was restored. Messages of
  /// forgotten ticks stay for take_messages().
  void clear();

  /// The oldest held tick; equal to end_tick() when the buffer is empty.
  [[nodiscard]] std::uint64_t first_tick() const noexcept { return first_tick_; }
  /// One past the newest held tick.
  [[nodiscard]] std::uint64_t end_tick() const noexcept { return first_tick_ + count_; }
  /// Inputs of a held tick (asserted), in the order given. Valid until the next call that is not const.
  [[nodiscard]] std::span<const Input> inputs(std::uint64_t tick) const;
  /// The hash after the step of a held tick (asserted); 0 without TickOptions::want_hash.
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

/// A tick that came out otherwise when it was stepped again.
struct SyncDifference {
  std::uint64_t tick = 0;                ///< of the first state that differs
  std::uint64_t rolled_back_to = 0;      ///< tick at which the repetition began
  std::uint64_t first_hash = 0;          ///< of the state, as stepped first
  std::uint64_t repeated_hash = 0;       ///< and as stepped again
  std::vector<StateDifference> fields;   ///< first vs. repeated; empty when only outputs differ
  std::optional<OutputMismatch> output;  ///< with equal states: a message or refusal that differs
};

/// Steps ticks, and after each one rolls back up to `rollback_ticks` ticks and steps them again with equal
/// inputs. Hashes, messages and refusals of both runs are compared.
class SyncTest {
 public:
  /// `rollback_ticks` is in [1, 1024]. Memory: rollback_ticks x the size of the state.
  explicit SyncTest(std::uint32_t rollback_ticks, std::size_t max_fields = 16);

  /// Steps `simulation`, which must be where this test left it (asserted), and repeats its last ticks. The
  /// result is that of the first run, with its hash. After a difference the simulation has the state of the
  /// first run, and no further step is allowed (asserted).
  TickResult step(Simulation& simulation, std::span<const Input> inputs, const TickOptions& options = {});

  /// The first difference; none = every repeated tick was equal.
  [[nodiscard]] const std::optional<SyncDifference>& difference() const noexcept { return difference_; }
  /// Ticks that were stepped again so far.
  [[nodiscard]] std::uint64_t repeated_ticks() const noexcept { return repeated_ticks_; }

 private:
  struct Tick {
    SimulationSnapshot before;
    std::vector<Input> inputs;
    TickResult result;
  };
  [[nodiscard]] const SimulationSnapshot& state_after(std::size_t index) const;
  void repeat(Simulation& simulation, const TickOptions& options);

  std::size_t rollback_ticks_;
  std::size_t max_fields_;
  std::vector<Tick> ticks_;  // oldest first
  SimulationSnapshot newest_;
  std::uint64_t repeated_ticks_ = 0;
  std::optional<SyncDifference> difference_;
};

}  // namespace takt::sim
