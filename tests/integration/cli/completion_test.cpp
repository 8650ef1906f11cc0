// `takt completion` and `takt man`: every option of every help text is in all three scripts and in the
// manual, and the script of bash completes what a user types.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/integration/cli/program.h"

namespace takt::cli_test {
namespace {

struct HelpText {
  std::string command;  // "replay verify"; empty for takt itself
  std::vector<std::string> options;
  std::vector<std::string> commands;
};

HelpText help_of(const Workplace& here, const std::string& command) {
  static const std::regex kOption(R"(^  (?:-\w,)?(--[\w-]+).*)"), kCommand(R"(^  (\w+) .*)");
  HelpText out{command, {}, {}};
  bool is_in_commands = false;
  for (const std::string& line : lines_of(here.takt(command + " --help").out)) {
    if (line == "Subcommands:") is_in_commands = true;
    std::smatch found;
    if (std::regex_match(line, found, kOption)) out.options.push_back(found[1]);
    if (is_in_commands && std::regex_match(line, found, kCommand)) out.commands.push_back(found[1]);
  }
  return out;
}

std::vector<HelpText> all_helps(const Workplace& here) {
  std::vector<HelpText> out{help_of(here, "")};
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const std::string& name : std::vector<std::string>(out[i].commands))
      out.push_back(help_of(here, out[i].command + (out[i].command.empty() ? "" : " ") + name));
  }
  return out;
}

bool has_word(const std::string& text, const std::string& word) {
  static const std::string kPartOfWord = "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    bool const begins = at == 0 || kPartOfWord.find(text[at - 1]) == std::string::npos;
    std::size_t const end = at + word.size();
    if (begins && (end == text.size() || kPartOfWord.find(text[end]) == std::string::npos)) return true;
  }
  return false;
}

// Lines that begin with `start`.
std::string lines_with(const std::string& text, const std::string& start) {
  std::string out;
  for (const std::string& line : lines_of(text))
    if (line.starts_with(start)) out += line + '\n';
  return out;
}

// From `begin` up to `end`.
std::string part_of(const std::string& text, const std::string& begin, const std::string& end) {
  std::size_t const at = text.find(begin);
  return at == std::string::npos ? std::string() : text.substr(at, text.find(end, at + begin.size()) - at);
}

TEST(Completion, TheHelpTextsNameTheirCommands) {
  Workplace const here;
  std::vector<HelpText> const helps = all_helps(here);
  EXPECT_EQ(helps.size(), 1u + 12 + 4 + 7 + 3);  // takt, its commands, those of batch, replay, token
  for (const HelpText& help : helps) EXPECT_FALSE(help.options.empty()) << help.command;
}

TEST(Completion, EveryOptionIsInTheScriptOfEachShell) {
  Workplace const here;
  std::string const bash = here.takt("completion bash").out;
  std::string const zsh = here.takt("completion zsh").out;
  std::string const fish = here.takt("completion fish").out;
  for (const HelpText& help : all_helps(here)) {
    std::string const name = "takt" + (help.command.empty() ? "" : " " + help.command);
    std::string under = "_" + name;
    std::ranges::replace(under, ' ', '_');
    std::string const of_bash = part_of(bash, "    \"" + name + "\")\n      if", ";;");
    std::string const of_zsh = part_of(zsh, "\n" + under + "() {\n", "\n}\n");
    std::string seen;
    std::istringstream words(help.command);
    for (std::string word; words >> word;)
      seen += (seen.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
    std::string const of_fish = lines_with(fish, "complete -c takt -n '" + seen);
    for (const std::string& option : help.options) {
      EXPECT_TRUE(has_word(of_bash, option)) << name << ' ' << option << '\n' << of_bash;
      EXPECT_TRUE(has_word(of_zsh, option)) << name << ' ' << option << '\n' << of_zsh;
      EXPECT_TRUE(has_word(of_fish, "-l " + option.substr(2))) << name << ' ' << option << '\n' << of_fish;
    }
    for (const std::string& command : help.commands) {
      EXPECT_TRUE(has_word(of_bash, command)) << name << ' ' << command;
      EXPECT_TRUE(has_word(of_zsh, command)) << name << ' ' << command;
      EXPECT_TRUE(has_word(of_fish, "-a " + command)) << name << ' ' << command;
    }
  }
}

TEST(Completion, EveryOptionIsInTheManual) {
  Workplace const here;
  std::vector<std::string> const pages = lines_of(here.takt("man --list").out);
  for (const HelpText& help : all_helps(here)) {
    std::string const page = help.command.empty() ? "takt" : help.command.substr(0, help.command.find(' '));
    EXPECT_EQ(std::ranges::count(pages, page), 1) << page;
    std::string text = here.takt("man " + page).out;
    if (help.command.find(' ') != std::string::npos)
      text = part_of(text, ".SS takt " + help.command + "\n", "\n.S");
    for (std::string option : help.options) {
      for (std::size_t at = option.find('-'); at != std::string::npos; at = option.find('-', at + 2))
        option.insert(at, 1, '\\');
      EXPECT_NE(text.find("\\fB" + option + "\\fR"), std::string::npos) << page << ' ' << option;
    }
    for (const std::string& command : help.commands) {
      std::string const entry = help.command.empty() ? "\n\\fB" + command + "\\fR\n"
                                                     : "\n.SS takt " + help.command + ' ' + command + "\n";
      EXPECT_NE(text.find(entry), std::string::npos) << page << ' ' << command;
    }
  }
}

TEST(Completion, AFlagTakesNoValue) {
  Workplace const here;
  std::string const zsh = here.takt("completion zsh").out;
  EXPECT_NE(zsh.find("'--help[Print this help message and exit]'"), std::string::npos) << zsh;
  EXPECT_NE(zsh.find("'--json[One JSON object per line instead of text]'"), std::string::npos);
  EXPECT_NE(zsh.find("'--numbers=[How the world computes\\: float (fast) or fixed (Q31.32)]"
                     ":float|fixed:(float fixed)'"),
            std::string::npos);
  EXPECT_NE(zsh.find("'*--set=[PATH=VALUE\\: "), std::string::npos);
  std::string const fish = here.takt("completion fish").out;
  EXPECT_NE(fish.find(" -l json -d "), std::string::npos);
  EXPECT_NE(fish.find(" -l numbers -x -a 'float fixed' -d "), std::string::npos);
  EXPECT_NE(fish.find(" -l csv -r -F -d "), std::string::npos);
}

// The words that bash offers for a line whose last word is being typed.
std::vector<std::string> offered(const Workplace& here, const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += "'" + word + "' ";
  here.write("complete.sh", "source ./takt.bash\nCOMP_WORDS=(" + line +
                                ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_takt\nprintf '%s\\n' "
                                "\"${COMPREPLY[@]}\"\n");
  Outcome const run = here.shell("\"$TAKT\" completion bash >takt.bash && bash complete.sh");
  EXPECT_EQ(run.err, "");
  std::vector<std::string> out = lines_of(run.out);
  std::erase(out, "");
  std::ranges::sort(out);
  return out;
}

using Words = std::vector<std::string>;

TEST(Completion, BashCompletesCommandsOptionsWordsAndFiles) {
  Workplace const here;
  here.write("a scene.json", "");
  std::filesystem::create_directory(here.path() / "a folder");
  EXPECT_EQ(offered(here, {"takt", "re"}), (Words{"relay", "replay"}));
  EXPECT_EQ(offered(here, {"takt", "replay", "ver"}), (Words{"verify"}));
  EXPECT_EQ(offered(here, {"takt", "replay", "verify", "--j"}), (Words{"--json"}));
  EXPECT_EQ(offered(here, {"takt", "run", "--csv"}), (Words{"--csv", "--csv-every"}));
  EXPECT_EQ(offered(here, {"takt", "run", "--numbers", ""}), (Words{"fixed", "float"}));
  EXPECT_EQ(offered(here, {"takt", "run", "--numbers", "=", "fi"}), (Words{"fixed"}));
  EXPECT_EQ(offered(here, {"takt", "run", "--numbers", "="}), (Words{"fixed", "float"}));
  EXPECT_EQ(offered(here, {"takt", "run", "--ticks", ""}), Words{});
  EXPECT_EQ(offered(here, {"takt", "run", "--json", "a s"}), Words{"a scene.json"});
  EXPECT_EQ(offered(here, {"takt", "run", "a"}), (Words{"a folder", "a scene.json"}));
  EXPECT_EQ(offered(here, {"takt", "run", "--record", "a "}), (Words{"a folder", "a scene.json"}));
  EXPECT_EQ(offered(here, {"takt", "serve", "--scenes", "a"}), (Words{"a folder"}));
  EXPECT_EQ(offered(here, {"takt", "run", "--csv", "run", "--nu"}), (Words{"--numbers"}));
  EXPECT_EQ(offered(here, {"takt", "completion", ""}), (Words{"bash", "fish", "zsh"}));
}

TEST(Completion, AnotherShellOrPageIsRefused) {
  Workplace const here;
  Outcome const shell = here.takt("completion tcsh");
  EXPECT_EQ(shell.exit_code, 2);
  EXPECT_EQ(shell.err, "takt: shell: tcsh not in {bash,zsh,fish}; see 'takt completion --help'\n");
  Outcome const page = here.takt("man walk");
  EXPECT_EQ(page.exit_code, 2);
  EXPECT_EQ(page.err, "takt: there is no page 'walk'; 'takt man --list' names them all\n");
}

TEST(Manual, APageHasItsPartsAndNoMacroByAccident) {
  Workplace const here;
  std::string const run = here.takt("man run").out;
  for (const char* const part :
       {".TH TAKT\\-RUN 1 \"\" \"takt ", "\n.SH NAME\ntakt\\-run \\- Simulate a scene", "\n.SH SYNOPSIS\n",
        "\n.SH OPTIONS\n", "\n.SH EXIT STATUS\n", "\\fB\\-\\-lanes\\fR \\fIauto|1|4|8|16\\fR\n",
        "\nDefault: auto.\n", "\nRequired.\n"})
    EXPECT_NE(run.find(part), std::string::npos) << part << '\n' << run;
  for (const std::string& page : lines_of(here.takt("man --list").out)) {
    for (const std::string& line : lines_of(here.takt("man " + page).out)) {
      if (!line.starts_with('.') && !line.starts_with('\'')) continue;
      EXPECT_TRUE(std::regex_match(line, std::regex(R"(\.(TH|SH|SS|TP|P|BR)( .*)?)")))
          << page << ": " << line;
    }
  }
}

}  // namespace
}  // namespace takt::cli_test
