// json_text() quotes a text as a JSON string. The --json forms of the commands use it.
#pragma once

#include <string>
#include <string_view>

namespace takt::cli {

/// Returns `text` in double quotes with quotes, backslashes and control characters escaped. `text` is UTF-8
/// (not checked).
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace takt::cli
