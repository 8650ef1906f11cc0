// Markdown documents as far as the tests read them: their links to files of the tree and their fenced code
// blocks. This is no Markdown parser; it does not know inline code, tables or reference links.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace takt::tidy {

/// The targets of [text](target) that are paths of the tree: no scheme, no bare anchor; an anchor behind a
/// path is cut off.
[[nodiscard]] std::vector<std::string> relative_links(std::string_view markdown);

/// The contents of the first block fenced by ```<language>, ending in a newline; empty when there is none.
[[nodiscard]] std::string fenced_block(std::string_view markdown, std::string_view language);

}  // namespace takt::tidy
