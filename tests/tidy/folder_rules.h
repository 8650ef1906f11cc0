// The order of folders and the size of knots. One table lists the folders of each module from bottom to top.
// A unit is a header with its source; a knot is a set of units that include one another in a circle. The
// rules see includes only: they do not judge calls through interfaces.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/house_rules.h"
#include "tests/tidy/source_file.h"

namespace takt::tidy {

/// The folders of one module, bottom to top. An empty name is the module's own folder.
struct FolderOrder {
  std::string_view module;
  std::vector<std::string_view> folders;
};
[[nodiscard]] std::span<const FolderOrder> folder_orders();

/// Files in a folder that the table does not list, and includes of a higher folder.
[[nodiscard]] std::vector<Finding> check_folders(const SourceFile& file);

/// Largest allowed number of units in a knot.
inline constexpr std::size_t kMaxKnotUnits = 3;

/// The units of every knot of more than one unit, sorted; largest knot first.
[[nodiscard]] std::vector<std::vector<std::string>> find_knots(std::span<const SourceFile> files);
/// Knots larger than kMaxKnotUnits.
[[nodiscard]] std::vector<Finding> check_knots(std::span<const SourceFile> files);

}  // namespace takt::tidy
