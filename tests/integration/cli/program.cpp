#include "tests/integration/cli/program.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace takt::cli_test {

Workplace::Workplace() {
  std::string pattern = (std::filesystem::temp_directory_path() / "takt-cli-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = pattern;
}
Workplace::~Workplace() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Outcome Workplace::takt(const std::string& arguments) const { return shell("\"$TAKT\" " + arguments); }

Outcome Workplace::shell(const std::string& commands) const {
  // The braces stand on lines of their own, so that the last command may end in a comment or a redirection.
  std::string const command = "cd '" + path_.string() + "' && export TAKT='" TAKT_PROGRAM "' && {\n" +
                              commands + "\n} >out.txt 2>err.txt";
  int const status = std::system(command.c_str());
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.out = read("out.txt");
  outcome.err = read("err.txt");
  return outcome;
}

void Workplace::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(path_ / name, std::ios::binary) << bytes;
}

std::string Workplace::read(const std::string& name) const {
  std::ifstream in(path_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string scene_path(const std::string& name) {
  return std::string(TAKT_SOURCE_DIR) + "/examples/scenes/" + name + ".json";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace takt::cli_test
