#include "cli/completion_script.h"

#include <algorithm>
#include <string_view>

#include "takt/core/assert.h"

namespace takt::cli {
namespace {

// One line, without the parts of a description that follow its first sentence.
std::string summary(const std::string& description) {
  std::size_t const end = std::min(description.find(';'), description.find('\n'));
  return description.substr(0, end);
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

// with_name() replaces NAME in a part of a script by the name of the program.
std::string with_name(const std::string& name, std::string text) {
  for (std::size_t at = 0; (at = text.find("NAME", at)) != std::string::npos; at += name.size())
    text.replace(at, 4, name);
  return text;
}

// In single quotes for any of the shells. fish reads \' within them, the others close and open the quotes.
std::string shell_quoted(std::string_view text, std::string_view quote = R"('\'')") {
  std::string out = "'";
  for (char const c : text) {
    if (c == '\'') {
      out += quote;
    } else {
      out += c;
    }
  }
  return out + '\'';
}

std::vector<std::string> option_names(const Usage& command) {
  std::vector<std::string> out;
  for (const OptionUsage& option : command.options)
    out.insert(out.end(), option.names.begin(), option.names.end());
  return out;
}

std::vector<std::string> command_names(const Usage& command) {
  std::vector<std::string> out;
  for (const Usage& one : command.commands) out.push_back(one.path.back());
  return out;
}

// ------------------------------------------------------------ bash

// The words that make one case of the script: "takt run --csv" | "takt run --save".
std::string bash_case(const Usage& command, const OptionUsage& option) {
  std::vector<std::string> words;
  for (const std::string& name : option.names) words.push_back('"' + command.name() + ' ' + name + '"');
  return joined(words, " | ");
}

// `name` is the program's, and begins the names of the script's functions.
std::string bash_offer(const OptionUsage& option, const std::string& name) {
  switch (option.kind) {
    case ValueKind::kFile: return '_' + name + "_files -f";
    case ValueKind::kFolder: return '_' + name + "_files -d";
    case ValueKind::kChoice: return '_' + name + "_words " + shell_quoted(joined(option.choices, " "));
    case ValueKind::kNone:
    case ValueKind::kText: break;
  }
  return ":";
}

std::string bash_positional(const Usage& command, const std::string& name) {
  auto const at = std::ranges::find_if(command.options,
                                       [](const OptionUsage& option) { return !option.positional.empty(); });
  return at == command.options.end() ? ":" : bash_offer(*at, name);
}

std::string bash_script(const Usage& program) {
  std::string const& name = program.path.front();
  std::string paths, values, names;
  for (const Usage* const command : commands_of(program)) {
    if (command->path.size() > 1) paths += (paths.empty() ? "" : " | ") + ('"' + command->name() + '"');
    for (const OptionUsage& option : command->options) {
      if (option.kind == ValueKind::kNone || option.names.empty()) continue;
      values += "    " + bash_case(*command, option) + ")\n      " + bash_offer(option, name) +
                "\n      return ;;\n";
    }
    std::string const otherwise =
        command->commands.empty()
            ? bash_positional(*command, name)
            : '_' + name + "_words " + shell_quoted(joined(command_names(*command), " "));
    names += "    \"" + command->name() + "\")\n      if [[ $word == -* ]]; then\n        _" + name +
             "_words " + shell_quoted(joined(option_names(*command), " ")) + "\n      else\n        " +
             otherwise + "\n      fi ;;\n";
  }
  return with_name(name, R"(# bash completion of NAME, made by 'NAME completion bash'.

_NAME_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }

_NAME_files() {
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
  compopt -o filenames 2>/dev/null
}

_NAME() {
  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" path=NAME i
  COMPREPLY=()
  # bash splits --option=value at the sign.
  if [[ $word == = ]]; then
    word=
  elif [[ $previous == = ]]; then
    previous="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${COMP_WORDS[i]}" in
      )") +
         paths + R"() path+=" ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $previous" in
)" + values +
         R"(  esac
  case "$path" in
)" + names +
         R"(  esac
}

)" + with_name(name, "complete -F _NAME NAME\n");
}

// ------------------------------------------------------------ zsh

// Brackets and colons separate the parts of a specification.
std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (char const c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionUsage& option) {
  switch (option.kind) {
    case ValueKind::kFile: return "_files";
    case ValueKind::kFolder: return "_files -/";
    case ValueKind::kChoice: return "(" + joined(option.choices, " ") + ")";
    case ValueKind::kNone:
    case ValueKind::kText: break;
  }
  return " ";
}

std::string zsh_arguments(const Usage& command) {
  std::string out;
  for (const OptionUsage& option : command.options) {
    std::string const description = '[' + zsh_escaped(summary(option.description)) + ']';
    std::string const value = ':' + zsh_escaped(option.value) + ':' + zsh_action(option);
    for (const std::string& name : option.names) {
      bool const is_flag = option.kind == ValueKind::kNone;
      std::string const sign = !is_flag && name.starts_with("--") ? "=" : "";
      out += " \\\n    " + shell_quoted((option.may_repeat ? "*" : "") + name + sign + description +
                                        (is_flag ? "" : value));
    }
    if (!option.positional.empty())
      out += " \\\n    " + shell_quoted(':' + zsh_escaped(option.positional) + ':' + zsh_action(option));
  }
  return out;
}

std::string zsh_script(const Usage& program) {
  std::string const& program_name = program.path.front();
  std::string out =
      with_name(program_name, "#compdef NAME\n# zsh completion of NAME, made by 'NAME completion zsh'.\n");
  for (const Usage* const command : commands_of(program)) {
    std::string const name = '_' + command->name("_");
    out += "\n" + name + "() {\n";
    if (command->commands.empty()) {
      out += "  _arguments -s" + zsh_arguments(*command) + "\n}\n";
      continue;
    }
    out += "  local curcontext=\"$curcontext\" state line\n  typeset -A opt_args\n  _arguments -C" +
           zsh_arguments(*command) + " \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n";
    out += "  case $state in\n    command)\n      local -a commands=(";
    for (const Usage& one : command->commands)
      out += "\n        " + shell_quoted(one.path.back() + ':' + zsh_escaped(summary(one.description)));
    out += ")\n      _describe command commands ;;\n    argument)\n      case $line[1] in\n";
    for (const Usage& one : command->commands)
      out += "        " + one.path.back() + ") _" + one.name("_") + " ;;\n";
    out += "      esac ;;\n  esac\n}\n";
  }
  return out +
         with_name(
             program_name,
             "\nif [[ $funcstack[1] == _NAME ]]; then\n  _NAME \"$@\"\nelse\n  compdef _NAME NAME\nfi\n");
}

// ------------------------------------------------------------ fish

std::string fish_quoted(const std::string& text) {
  std::string escaped;
  for (char const c : text) {
    if (c == '\\') escaped += '\\';
    escaped += c;
  }
  return shell_quoted(escaped, "\\'");
}

// True where the words of the command stand on the line, and none of a command below it.
std::string fish_condition(const Usage& command) {
  std::string out;
  for (std::size_t i = 1; i < command.path.size(); ++i)
    out += (out.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + command.path[i]);
  if (!command.commands.empty()) {
    out += (out.empty() ? "" : "; and ") +
           ("not __fish_seen_subcommand_from " + joined(command_names(command), " "));
  }
  return out;
}

std::string fish_value(const OptionUsage& option) {
  switch (option.kind) {
    case ValueKind::kFile: return " -r -F";
    case ValueKind::kFolder: return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kChoice: return " -x -a " + fish_quoted(joined(option.choices, " "));
    case ValueKind::kText: return " -x";
    case ValueKind::kNone: break;
  }
  return "";
}

std::string fish_script(const Usage& program) {
  std::string const& name = program.path.front();
  std::string out =
      with_name(name, "# fish completion of NAME, made by 'NAME completion fish'.\ncomplete -c NAME -f\n");
  for (const Usage* const command : commands_of(program)) {
    std::string const start = "complete -c " + name + " -n " + fish_quoted(fish_condition(*command));
    for (const Usage& one : command->commands)
      out += start + " -a " + one.path.back() + " -d " + fish_quoted(summary(one.description)) + '\n';
    for (const OptionUsage& option : command->options) {
      if (!option.positional.empty()) {
        if (option.kind == ValueKind::kFile) out += start + " -F\n";
        if (option.kind == ValueKind::kChoice)
          out += start + " -a " + fish_quoted(joined(option.choices, " ")) + '\n';
        continue;
      }
      std::string line = start;
      for (const std::string& word : option.names)
        line += word.starts_with("--") ? " -l " + word.substr(2) : " -s " + word.substr(1);
      out += line + fish_value(option) + " -d " + fish_quoted(summary(option.description)) + '\n';
    }
  }
  return out;
}

}  // namespace

std::string completion_script(const Usage& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  TAKT_ASSERT(shell == "fish");
  return fish_script(program);
}

}  // namespace takt::cli
