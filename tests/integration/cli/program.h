// Runs the real takt program in a directory of its own and collects what it said. Nothing here is a test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace takt::cli_test {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// A directory that is gone with the object.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  /// Runs `takt <arguments>` (words of a shell) here.
  [[nodiscard]] Outcome takt(const std::string& arguments) const;
  /// Runs commands of a shell here; $TAKT is the program.
  [[nodiscard]] Outcome shell(const std::string& commands) const;
  void write(const std::string& name, const std::string& bytes) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// The path of a scene of examples/scenes.
[[nodiscard]] std::string scene_path(const std::string& name);
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

}  // namespace takt::cli_test
