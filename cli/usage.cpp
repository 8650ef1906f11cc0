#include "cli/usage.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/path_option.h"

namespace takt::cli {
namespace {

// CLI11 has type and validators in one text: "TEXT:{float,fixed}", "UINT:1 to 64".
std::vector<std::string> choices_in(const std::string& type) {
  std::size_t const begin = type.find('{');
  std::size_t const end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

std::string value_text(const std::string& type, const std::vector<std::string>& choices) {
  if (!choices.empty()) return CLI::detail::join(choices, "|");
  std::size_t const colon = type.find(':');
  return colon == std::string::npos ? type : type.substr(colon + 1);
}

ValueKind kind_of(const std::string& type, bool has_choices) {
  if (has_choices) return ValueKind::kChoice;
  if (type == kFileTypeName) return ValueKind::kFile;
  return type == kFolderTypeName ? ValueKind::kFolder : ValueKind::kText;
}

OptionUsage usage_of(const CLI::Option& option) {
  OptionUsage out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  if (option.get_positional()) out.positional = option.get_name(true);
  out.description = option.get_description();
  out.is_required = option.get_required();
  if (option.get_items_expected_max() == 0) return out;
  std::string const type = option.get_type_name();
  out.choices = choices_in(type);
  out.kind = kind_of(type, !out.choices.empty());
  out.value = value_text(type, out.choices);
  out.default_text = option.get_default_str();
  out.may_repeat = option.get_expected_max() > 1;
  return out;
}

Usage usage_of(const CLI::App& app, std::vector<std::string> path) {
  Usage out;
  path.push_back(app.get_name());
  out.path = std::move(path);
  out.description = app.get_description();
  out.footer = app.get_footer();
  for (const CLI::Option* const option : app.get_options()) out.options.push_back(usage_of(*option));
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(usage_of(*command, out.path));
  return out;
}

void collect(const Usage& usage, std::vector<const Usage*>& out) {
  out.push_back(&usage);
  for (const Usage& command : usage.commands) collect(command, out);
}

}  // namespace

bool Usage::has_positional() const {
  return std::ranges::any_of(options, [](const OptionUsage& option) { return !option.positional.empty(); });
}

std::string Usage::name(const std::string& separator) const { return CLI::detail::join(path, separator); }

Usage usage_of(const CLI::App& app) { return usage_of(app, {}); }

std::vector<const Usage*> commands_of(const Usage& usage) {
  std::vector<const Usage*> out;
  collect(usage, out);
  return out;
}

}  // namespace takt::cli
