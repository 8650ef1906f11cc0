// is_printable() says whether a text may reach a terminal, a log or another program as it is. Names of
// players on the wire and in tokens are checked with it. It changes no text; printable_text() of
// protocol/messages/message.h removes characters.
#pragma once

#include <string_view>

namespace takt {

/// True for valid UTF-8 without control characters (U+0000 to U+001F, U+007F to U+009F).
[[nodiscard]] bool is_printable(std::string_view text) noexcept;

}  // namespace takt
