// These functions convert between the types of protocol (network messages) and sim. to_command(), to_input()
// and to_protocol() convert commands and received inputs. command_status_of() maps a Refusal to the status
// that a client receives, and to_outcome() a refused input to its outcome message. The server and the C++
// client call them. The functions check nothing: CommandRules decides if a command acts, and protocol's
// encoders decide what is sent. The source calls no function of a world, so that a client links no solver
// (tests/package/check_thin_client.cmake); that of body_replication.h does.
#pragma once

#include <optional>

#include "protocol/messages/command.h"
#include "protocol/messages/message.h"
#include "takt/sim/command.h"
#include "takt/sim/error.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

[[nodiscard]] Command to_command(const protocol::Command& command);
[[nodiscard]] Input to_input(const protocol::Input& input, PlayerId player);

/// The message form of a command; none for commands that players cannot send (join, leave).
[[nodiscard]] std::optional<protocol::Command> to_protocol(const Command& command);

/// The status that a client receives for a refused input; kApplied for kNone.
[[nodiscard]] protocol::CommandStatus command_status_of(Refusal refusal) noexcept;
/// The outcome for the player of an input that was refused in `tick`: status, exact reason and the Game's
/// text, made printable (protocol::printable_text).
[[nodiscard]] protocol::CommandOutcome to_outcome(const RefusedInput& refused, std::uint64_t tick);

}  // namespace takt::sim
