#include "client_sdk/cpp/event_conversion.h"

#include <string>

namespace takt::client {

ClientError to_error(protocol::Error error) noexcept {
  switch (error) {
    case protocol::Error::kQueueFull: return ClientError::kQueueFull;
    case protocol::Error::kNotFinite: return ClientError::kNotFinite;
    case protocol::Error::kTooLong:
    case protocol::Error::kOutOfRange: return ClientError::kOutOfRange;
    default: return ClientError::kNotConnected;
  }
}

std::optional<CommandOutcome> to_event(const protocol::CommandOutcome& outcome) {
  if (outcome.status == protocol::CommandStatus::kApplied) return std::nullopt;
  auto const status = static_cast<CommandStatus>(outcome.status);   // the same values, as asserted below
  auto const refusal = static_cast<sim::Refusal>(outcome.refusal);  // likewise: replication.cpp asserts it
  return CommandOutcome{outcome.sequence, status, outcome.tick, refusal, outcome.text};
}
static_assert(static_cast<int>(CommandStatus::kMoved) == static_cast<int>(protocol::CommandStatus::kMoved));
static_assert(static_cast<int>(CommandStatus::kRefusedUnknownBody) ==
              static_cast<int>(protocol::CommandStatus::kRefusedUnknownBody));
static_assert(static_cast<int>(CommandStatus::kRefusedEarly) ==
              static_cast<int>(protocol::CommandStatus::kRefusedEarly));

Disconnected to_event(const protocol::Disconnected& over) {
  bool const is_refused = over.refused != protocol::RefuseReason::kNone;
  return {std::string(is_refused ? protocol::name_of(over.refused) : protocol::name_of(over.reason)),
          over.text};
}

}  // namespace takt::client
