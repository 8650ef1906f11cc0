// print_messages() writes the messages of a Game to stdout, one line each: tick, recipient, and text or
// bytes. `takt run --messages` and `takt replay seek --messages` use it. docs/COMMANDS.md has the forms.
#pragma once

#include <span>

#include "takt/sim/game.h"

namespace takt::cli {

/// With `has_json` one JSON object per line. A message that is no printable UTF-8 has hexadecimal digits.
void print_messages(std::span<const sim::GameMessage> messages, bool has_json);

}  // namespace takt::cli
