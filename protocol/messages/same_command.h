// same_command() decides whether one command repeats another for the ends of a session: it compares bits, so
// that -0 and 0 differ. The operator== of commands compares numbers. InputSender and MessageWriter leave out
// commands that repeat the one before them; a server must apply the bits that its client predicts with.
#pragma once

#include "protocol/messages/command.h"

namespace takt::protocol {

/// The commands are of one kind, and each of their fields has the same bits.
[[nodiscard]] bool same_command(const Command& a, const Command& b);

}  // namespace takt::protocol
