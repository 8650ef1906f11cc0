// InputReceiver is the server's end of one player's inputs. Messages with repeated and reordered inputs go
// in. Each input comes out once, in order of sequence number: as valid, or as refused by the range check or
// the rate limit. An input's tick and the player's rights are checked later (server/input_schedule.h,
// takt/sim/policy.h). ServerPeer has one InputReceiver.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/link/counters.h"
#include "protocol/link/rate_limiter.h"
#include "protocol/messages/message.h"

namespace takt::protocol {

class InputReceiver {
 public:
  InputReceiver(std::uint32_t inputs_per_s, std::uint32_t burst, std::uint64_t now_us);

  struct Taken {
    std::vector<Input> inputs;            ///< in order, each sequence once over the session
    std::vector<CommandOutcome> refused;  ///< failed their check or the rate limit; tick = `current_tick`
  };
  /// Takes a message and gives what is in order now.
  [[nodiscard]] Taken handle_inputs(std::uint64_t now_us, std::uint64_t current_tick, Inputs&& message,
                                    Counters& counters);

  /// Every sequence up to here has arrived.
  [[nodiscard]] std::uint32_t received_through() const noexcept { return next_ - 1; }
  /// Least (input tick - current tick) of the inputs that arrived since the last take; without any, as at the
  /// last take. 0 before the first input.
  [[nodiscard]] std::int32_t take_margin() noexcept;

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
  std::int32_t margin_ = 0;
  bool has_margin_ = false;
};

}  // namespace takt::protocol
