#include "cli/manual_page.h"

#include <cctype>
#include <string_view>

namespace takt::cli {
namespace {

// Text for roff: a hyphen of an option is no hyphenation, and a line that begins with a point or a quote is
// no macro.
std::string escaped(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string sentence(const std::string& text) {
  return escaped(text) + (text.empty() || text.ends_with('.') ? "\n" : ".\n");
}

std::string synopsis(const Usage& command) {
  std::string out = bold(command.name());
  for (const OptionUsage& option : command.options) {
    if (option.names.empty() || !option.is_required) continue;
    out += ' ' + bold(option.names.back()) + ' ' + italic(option.value);
  }
  out += " [" + italic("OPTION") + "]...";
  for (const OptionUsage& option : command.options) {
    if (option.positional.empty()) continue;
    out += ' ' + (option.is_required ? italic(option.positional) : '[' + italic(option.positional) + ']');
  }
  if (!command.commands.empty()) out += ' ' + italic("COMMAND");
  return out + '\n';
}

std::string options_text(const Usage& command) {
  std::string out;
  for (const OptionUsage& option : command.options) {
    std::string tag;
    for (const std::string& name : option.names) tag += (tag.empty() ? "" : ", ") + bold(name);
    if (!option.positional.empty()) tag = italic(option.positional);
    if (!option.value.empty() && option.positional.empty()) tag += ' ' + italic(option.value);
    out += ".TP\n" + tag + '\n' + sentence(option.description);
    if (option.kind == ValueKind::kChoice && !option.positional.empty())
      out += "One of " + escaped(option.value) + ".\n";
    if (!option.default_text.empty()) out += "Default: " + escaped(option.default_text) + ".\n";
    if (option.is_required && option.positional.empty()) out += "Required.\n";
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string manual_page(const Usage& program, const Usage& command, const std::string& version) {
  bool const is_program = &program == &command;
  std::string out =
      ".TH " + upper(escaped(command.name("-"))) + " 1 \"\" \"" + escaped(version) + "\" \"Takt\"\n";
  out += ".SH NAME\n" + escaped(command.name("-")) + " \\- " + escaped(command.description) + '\n';
  out += ".SH SYNOPSIS\n" + synopsis(command);
  if (!command.commands.empty()) out += ".SH COMMANDS\n";
  for (const Usage& one : command.commands) {
    if (is_program) {
      out += ".TP\n" + bold(one.path.back()) + '\n' + sentence(one.description);
    } else {
      out += ".SS " + escaped(one.name()) + '\n' + sentence(one.description) + ".P\n" + synopsis(one) +
             options_text(one);
    }
  }
  out += ".SH OPTIONS\n" + options_text(command);
  if (!command.footer.empty()) out += ".SH NOTES\n" + sentence(command.footer);
  out +=
      ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nThe run or the check failed.\n.TP\n2\nBad usage or bad "
      "input.\n";
  out += ".SH SEE ALSO\n";
  if (!is_program) return out + ".BR " + escaped(program.name()) + " (1)\n";
  for (const Usage& one : command.commands)
    out += ".BR " + escaped(one.name("-")) + " (1)" + (&one == &command.commands.back() ? "\n" : ",\n");
  return out;
}

}  // namespace takt::cli
