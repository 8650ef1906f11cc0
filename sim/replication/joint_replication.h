// change_from_wire and change_to_wire convert a ChangeJointCommand from and to the protocol's type. Every
// number stays as it is; nothing is checked here (CommandRules does it).
#pragma once

#include "protocol/messages/command.h"
#include "takt/sim/command.h"

namespace takt::sim {

[[nodiscard]] ChangeJointCommand change_from_wire(const protocol::ChangeJointCommand& command);
[[nodiscard]] protocol::ChangeJointCommand change_to_wire(const ChangeJointCommand& command);

}  // namespace takt::sim
