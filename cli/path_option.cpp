#include "cli/path_option.h"

#include <CLI/CLI.hpp>

namespace takt::cli {
namespace {

std::string check_path(const std::string& text) {
  if (text.empty()) return "expected a name, not an empty text";
  if (text.starts_with("--"))
    return "expected a name, not " + text + "; write ./" + text + " for such a file";
  return {};
}

}  // namespace

CLI::Option* add_path(CLI::App& app, const std::string& name, std::string& path, PathKind kind,
                      const std::string& description) {
  return app.add_option(name, path, description)
      ->check(CLI::Validator(check_path, "", "path"))
      ->type_name(kind == PathKind::kFile ? kFileTypeName : kFolderTypeName);
}

}  // namespace takt::cli
