// Markdown documents as far as the tests read them: their links to files of the tree, their fenced code
// blocks and the rows of their tables. This is no Markdown parser; it does not know reference links.
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

/// The cells of a row of a table, trimmed; a bar inside a code span or behind a backslash separates nothing.
[[nodiscard]] std::vector<std::string_view> cells_of(std::string_view row);

/// True for the row of dashes below the head of a table.
[[nodiscard]] bool is_table_rule(std::string_view row);

}  // namespace takt::tidy
