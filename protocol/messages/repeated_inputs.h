// RepeatedInputs is the short form of Inputs over datagrams, for inputs that repeat the command before them:
// a mover that walks on sends the same Move in each tick, three times over. The server has that command
// already, so a message of 24 bytes names sequences and ticks alone. A client may write the form only when
// every input from the first that is not acknowledged up to the last of the message has the command of the
// last acknowledged one (InputSender::repeats). The command of the newest input that the server has received
// in order is then the same, whatever was lost or overtaken. The message is no member of the wire's union
// (schemas/repeated_inputs.fbs).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/messages/message.h"

namespace takt::protocol {

/// Inputs of one message.
inline constexpr std::size_t kRepeatedInputsMax = 4;
/// Greatest distance of an input's tick from the server's, by the client's clock: a message has the low 16
/// bits of ticks, and beyond half of them an input would arrive as one of another tick. The other half of the
/// 32,768 is for the error of the clock and the way.
inline constexpr std::uint64_t kRepeatedTicksAwayMax = 16'384;

struct RepeatedInputs {
  std::uint16_t sequence = 0;                                ///< low 16 bits of the first
  std::uint16_t tick = 0;                                    ///< likewise
  std::uint8_t count = 1;                                    ///< 1 to kRepeatedInputsMax
  std::array<std::uint8_t, kRepeatedInputsMax - 1> steps{};  ///< ticks from an input to the next, 0 to 3
};

/// The short form of inputs, whose commands count as equal; none if their number, sequences or ticks do not
/// fit it. `server_tick`: present tick of the server, as far as it is known.
[[nodiscard]] std::optional<RepeatedInputs> repeated_inputs(std::span<const Input> inputs,
                                                            std::uint64_t server_tick);
/// Replaces `out` by the message.
void write_repeated_inputs(const RepeatedInputs& inputs, std::vector<std::byte>& out);
/// None for any other message. Bytes are untrusted.
[[nodiscard]] std::optional<RepeatedInputs> read_repeated_inputs(std::span<const std::byte> bytes);
/// The inputs, all with `command`. Their sequences and ticks are the nearest to the given ones.
[[nodiscard]] Inputs expand(const RepeatedInputs& inputs, const Command& command, std::uint32_t near_sequence,
                            std::uint64_t near_tick);

}  // namespace takt::protocol
