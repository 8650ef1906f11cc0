// manual_page() writes a page for man(1) from the options of a command (cli/usage.h), in the macros of
// groff_man(7). A command with commands of its own, such as `takt replay`, has them on its page. `takt man`
// prints a page, and the build writes all of them for the installation (cmake/TaktManual.cmake). Pages have
// no date, so equal sources give equal bytes.
#pragma once

#include <string>

#include "cli/usage.h"

namespace takt::cli {

/// Returns the page of `command`, which is `program` or one of its direct commands. `version` is
/// version_text() of the program.
[[nodiscard]] std::string manual_page(const Usage& program, const Usage& command, const std::string& version);

}  // namespace takt::cli
