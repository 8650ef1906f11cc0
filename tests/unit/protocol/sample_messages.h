// One filled message of every kind, for round trips, malformed input and the fuzz corpus.
#pragma once

#include <vector>

#include "protocol/messages/message.h"

namespace takt::protocol::test {

/// One command of every kind, every field away from its default.
[[nodiscard]] std::vector<Command> sample_commands();
/// Changes of a joint: with everything, with little, with nothing.
[[nodiscard]] Inputs joint_inputs();
/// One message of every kind, in the union's order.
[[nodiscard]] std::vector<Message> sample_messages();

}  // namespace takt::protocol::test
