// json_text() quotes a text as a JSON string. The --json forms of the commands use it.
#pragma once

#include <string>
#include <string_view>

namespace takt::cli {

/// In double quotes; control characters become \u escapes.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace takt::cli
