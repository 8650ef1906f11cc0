// InputReceiver is the server's end of one player's inputs. Messages with repeated and reordered inputs go
// in. Each input comes out once, in order of sequence: as valid, or as refused by the range check or the rate
// limit. Inputs after a gap wait, and those kInputWindow or more ahead are dropped. An input's tick and the
// player's rights are checked later (server/input_schedule.h, takt/sim/policy.h). ServerPeer has one
// InputReceiver.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/link/counters.h"
#include "protocol/link/rate_limiter.h"
#include "protocol/messages/message.h"

namespace takt::protocol {

class InputReceiver {
 public:
  /// `inputs_per_s` and `burst` of a TokenBucket that valid inputs are charged to.
  InputReceiver(std::uint32_t inputs_per_s, std::uint32_t burst, std::uint64_t now_us);

  struct Taken {
    std::vector<Input> inputs;            ///< in order, each sequence once over the session
    std::vector<CommandOutcome> refused;  ///< kRefusedInvalid or kRefusedRate; their tick is `current_tick`
  };
  /// Takes a message and returns the inputs that are in order now. `current_tick` is the server's. Repeated,
  /// early and refused inputs are counted in `counters`.
  [[nodiscard]] Taken handle_inputs(std::uint64_t now_us, std::uint64_t current_tick, Inputs&& message,
                                    Counters& counters);

  /// Greatest sequence up to which all have arrived; 0 = none.
  [[nodiscard]] std::uint32_t received_through() const noexcept { return next_ - 1; }
  /// The command of the input received_through(), which RepeatedInputs repeat; null = none, or one that
  /// failed its range check.
  [[nodiscard]] const Command* last_command() const noexcept {
    return last_command_ ? &*last_command_ : nullptr;
  }
  /// How early an input arrived.
  struct Margin {
    std::int32_t ticks = 0;  ///< input tick - current tick at the arrival; negative = late
    std::uint64_t tick = 0;  ///< current tick at the arrival
  };
  /// The smallest margin of the valid inputs that arrived since the last call; without any, the result of the
  /// last call. Zeros before the first input.
  [[nodiscard]] Margin take_margin() noexcept;

 private:
  struct Place {
    Input input;
    bool filled = false;
    bool valid = false;
  };
  // The place of a sequence that is new, or null after counting why not.
  Place* claim(std::uint32_t sequence, Counters& counters);

  std::vector<Place> places_;  // ring by sequence
  TokenBucket bucket_;
  std::uint32_t next_ = 1;
  std::optional<Command> last_command_;
  Margin margin_;
  bool has_margin_ = false;
};

}  // namespace takt::protocol
