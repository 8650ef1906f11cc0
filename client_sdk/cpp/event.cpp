#include "takt/client/event.h"

namespace takt::client {

std::string_view message(CommandStatus status) noexcept {
  switch (status) {
    case CommandStatus::kMoved: return "the command acted in a later tick; send it earlier";
    case CommandStatus::kRefusedInvalid: return "the command was refused: a field of it is invalid";
    case CommandStatus::kRefusedPermission: return "the command was refused: the policy forbids it";
    case CommandStatus::kRefusedRate: return "the command was refused: send fewer a second";
    case CommandStatus::kRefusedUnknownBody: return "the command was refused: there is no such body";
    case CommandStatus::kRefusedLate: return "the command was refused: its tick has passed";
    case CommandStatus::kRefusedLimit: return "the command was refused: a limit of the policy is reached";
    case CommandStatus::kRefusedEarly: return "the command was refused: its tick is too far ahead";
  }
  return "unknown status";
}

std::string message(const CommandOutcome& outcome) {
  if (outcome.status == CommandStatus::kMoved) return "moved to tick " + std::to_string(outcome.tick);
  if (outcome.refusal == sim::Refusal::kNone) return std::string(message(outcome.status));
  std::string const reason = "refused: " + std::string(sim::message(outcome.refusal));
  return outcome.text.empty() ? reason : reason + ": " + outcome.text;
}

}  // namespace takt::client
