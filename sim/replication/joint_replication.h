// ChangeJointCommand to and from the wire's. It judges nothing: every number arrives as it left.
#pragma once

#include "protocol/messages/command.h"
#include "takt/sim/command.h"

namespace takt::sim {

[[nodiscard]] ChangeJointCommand change_from_wire(const protocol::ChangeJointCommand& command);
[[nodiscard]] protocol::ChangeJointCommand change_to_wire(const ChangeJointCommand& command);

}  // namespace takt::sim
