#include "tests/integration/server/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace takt::server::test {
namespace {

class Deadline {
 public:
  explicit Deadline(double seconds)
      : until_(std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                   std::chrono::duration<double>(seconds))) {}
  [[nodiscard]] bool is_over() const { return std::chrono::steady_clock::now() >= until_; }

 private:
  std::chrono::steady_clock::time_point until_;
};

}  // namespace

Program::Program(const std::string& path, std::vector<std::string> arguments, const Start& start) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::vector<char*> argv;
  std::string program = path;
  argv.push_back(program.data());
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("no process");
  if (process_ == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    if (start.close_stdin) ::close(STDIN_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

Program::~Program() {
  if (!ended_) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  ::close(pipe_);
}

bool Program::read_some(int ms) {
  pollfd waiting{pipe_, POLLIN, 0};
  if (::poll(&waiting, 1, ms) <= 0) return true;
  std::array<char, 4096> buffer{};
  ssize_t const count = ::read(pipe_, buffer.data(), buffer.size());
  if (count <= 0) return false;
  output_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool Program::wait_for(const std::string& text, double seconds) {
  Deadline const deadline(seconds);
  while (output_.find(text) == std::string::npos) {
    if (deadline.is_over() || !read_some(20)) return output_.find(text) != std::string::npos;
  }
  return true;
}

void Program::signal(int number) const { ::kill(process_, number); }

int Program::wait(double seconds) {
  Deadline const deadline(seconds);
  while (!ended_) {
    bool const more = read_some(20);
    if (!is_running()) break;
    if (deadline.is_over()) return -1;
    if (!more) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  pollfd waiting{pipe_, POLLIN, 0};
  while (::poll(&waiting, 1, 0) > 0 && read_some(0)) {
  }
  return exit_code_;
}

bool Program::is_running() {
  if (ended_) return false;
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) != process_) return true;
  ended_ = true;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return false;
}

std::size_t Program::count(const std::string& text) const {
  std::size_t count = 0;
  for (std::size_t at = output_.find(text); at != std::string::npos; at = output_.find(text, at + 1)) ++count;
  return count;
}

double Program::number_after(const std::string& key, std::size_t from) const {
  std::size_t const at = output_.find(key, from);
  return at == std::string::npos ? -1 : std::strtod(output_.c_str() + at + key.size(), nullptr);
}

}  // namespace takt::server::test
