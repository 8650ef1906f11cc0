// A program under test: started with arguments, its stdout and stderr read together line by line, signalled,
// waited for. Nothing outlives it: the destructor kills what still runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace takt::server::test {

class Program {
 public:
  struct Start {
    bool close_stdin = false;
  };
  /// Runs `path` with `arguments`.
  Program(const std::string& path, std::vector<std::string> arguments)
      : Program(path, std::move(arguments), Start{}) {}
  Program(const std::string& path, std::vector<std::string> arguments, const Start& start);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Reads until the output holds `text`; false after `seconds` or when the program has ended without it.
  [[nodiscard]] bool wait_for(const std::string& text, double seconds);
  void signal(int number) const;
  /// Waits for the end and gives the exit code; 128 + signal when a signal ended it; -1 when it did not end
  /// in time.
  [[nodiscard]] int wait(double seconds);
  [[nodiscard]] bool is_running();

  /// Everything printed so far.
  [[nodiscard]] const std::string& output() const noexcept { return output_; }
  /// How often `text` was printed.
  [[nodiscard]] std::size_t count(const std::string& text) const;
  /// The number behind the first `key` in the output from offset `from` on; -1 when there is none.
  [[nodiscard]] double number_after(const std::string& key, std::size_t from = 0) const;

 private:
  // Takes what is there, waiting up to `ms`; false at the end of the output.
  bool read_some(int ms);

  pid_t process_ = -1;
  int pipe_ = -1;
  bool ended_ = false;
  int exit_code_ = -1;
  std::string output_;
};

}  // namespace takt::server::test
