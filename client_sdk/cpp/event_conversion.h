// Conversions from the protocol's types to those of a caller of the SDK: events that each kind of client has,
// and errors of calls. Session and ReplicaClient use them.
#pragma once

#include <optional>

#include "protocol/messages/message.h"
#include "protocol/session/client_event.h"
#include "protocol/wire/error.h"
#include "takt/client/error.h"
#include "takt/client/event.h"

namespace takt::client {

[[nodiscard]] ClientError to_error(protocol::Error error) noexcept;
/// None for a command that acted in its own tick.
[[nodiscard]] std::optional<CommandOutcome> to_event(const protocol::CommandOutcome& outcome);
/// The end of a session that the caller did not ask for.
[[nodiscard]] Disconnected to_event(const protocol::Disconnected& over);

}  // namespace takt::client
