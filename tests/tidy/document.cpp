#include "tests/tidy/document.h"

#include <algorithm>

#include "tests/tidy/source_file.h"

namespace takt::tidy {

std::vector<std::string> relative_links(std::string_view markdown) {
  std::vector<std::string> links;
  for (std::size_t at = markdown.find("]("); at != std::string_view::npos; at = markdown.find("](", at + 2)) {
    std::size_t const end = markdown.find(')', at);
    if (end == std::string_view::npos) break;
    std::string_view target = markdown.substr(at + 2, end - at - 2);
    target = target.substr(0, target.find('#'));
    if (target.empty() || target.find(':') != std::string_view::npos) continue;
    links.emplace_back(target);
  }
  return links;
}

std::string fenced_block(std::string_view markdown, std::string_view language) {
  std::string const opening = "\n```" + std::string(language) + "\n";
  std::size_t const open = markdown.find(opening);
  if (open == std::string_view::npos) return {};
  std::size_t const begin = open + opening.size();
  std::size_t const close = markdown.find("\n```", begin - 1);
  if (close == std::string_view::npos) return {};
  return std::string(markdown.substr(begin, close + 1 - begin));
}

std::vector<std::string_view> cells_of(std::string_view row) {
  std::vector<std::string_view> cells;
  bool in_code = false;
  std::size_t begin = row.starts_with('|') ? 1 : 0;
  for (std::size_t at = begin; at < row.size(); ++at) {
    if (row[at] == '`') in_code = !in_code;
    if (row[at] != '|' || in_code || row[at - 1] == '\\') continue;
    cells.push_back(trimmed(row.substr(begin, at - begin)));
    begin = at + 1;
  }
  if (begin < row.size()) cells.push_back(trimmed(row.substr(begin)));
  return cells;
}

bool is_table_rule(std::string_view row) { return row.find_first_not_of("|-: ") == std::string_view::npos; }

}  // namespace takt::tidy
