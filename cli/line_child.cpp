#include "cli/line_child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/child_process.h"

namespace takt::cli {
namespace {

constexpr std::chrono::milliseconds kEndPatience{2000};  // between the end of stdin and SIGKILL
constexpr std::chrono::milliseconds kPollStep{5};

std::string system_text(int error) { return std::generic_category().message(error); }

// The two ends of a pipe, of which the child inherits none but by dup2.
struct Pipe {
  int read = -1;
  int write = -1;
};

bool open_pipe(Pipe& out) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  out = {ends[0], ends[1]};
  return true;
}

void close_pipe(const Pipe& pipe) {
  if (pipe.read >= 0) ::close(pipe.read);
  if (pipe.write >= 0) ::close(pipe.write);
}

int spawn(const std::string& program, const std::vector<std::string>& words, int input, int output,
          pid_t& process) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));  // posix_spawn does not write to them
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t pipe_signal;  // this process ignores SIGPIPE, and the child must not
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  int const failed = posix_spawn(&process, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

// 0 once it has passed; a minute at most, since poll() takes an int.
int milliseconds_until(LineChild::Deadline deadline) {
  auto const left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

std::string status_text(int status) {
  if (WIFEXITED(status)) return "it ended with exit code " + std::to_string(WEXITSTATUS(status));
  return "it was killed by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

Result<LineChild, ChildFailure> LineChild::start(const std::vector<std::string>& words) {
  std::string const program = find_program({words.front()});
  if (program.empty())
    return ChildFailure{"'" + words.front() +
                        "' is no program that can be run; name a path, or a command in $PATH"};
  std::signal(SIGPIPE, SIG_IGN);  // a write to a child that is gone fails instead
  Pipe to_child;
  Pipe from_child;
  pid_t process = -1;
  int failed = open_pipe(to_child) && open_pipe(from_child) ? 0 : errno;
  if (failed == 0) failed = spawn(program, words, to_child.read, from_child.write, process);
  if (failed != 0) {
    close_pipe(to_child);
    close_pipe(from_child);
    return ChildFailure{"it cannot be started: " + system_text(failed)};
  }
  ::close(to_child.read);
  ::close(from_child.write);
  (void)::fcntl(to_child.write, F_SETFL, O_NONBLOCK);  // write() has a deadline
  return LineChild(process, to_child.write, from_child.read);
}

LineChild::LineChild(LineChild&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      unread_(std::move(other.unread_)),
      scanned_bytes_(other.scanned_bytes_) {}

LineChild::~LineChild() {
  if (input_ >= 0) ::close(input_);
  if (output_ >= 0) ::close(output_);
  if (process_ < 0) return;
  auto const end = std::chrono::steady_clock::now() + kEndPatience;
  while (::waitpid(process_, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= end) ::kill(process_, SIGKILL);
    std::this_thread::sleep_for(kPollStep);
  }
}

// The child closed a pipe: it is about to end, or never will.
ChildFailure LineChild::ended() {
  if (process_ < 0) return {"it has ended"};
  auto const end = std::chrono::steady_clock::now() + kEndPatience;
  while (std::chrono::steady_clock::now() < end) {
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      return {status_text(status)};
    }
    std::this_thread::sleep_for(kPollStep);
  }
  return {"it closed its stdin or stdout"};
}

Result<Unit, ChildFailure> LineChild::write(std::string_view line, Deadline deadline) {
  std::string const text = std::string(line) + '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    ssize_t const count = ::write(input_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      int const left_ms = milliseconds_until(deadline);
      if (left_ms == 0) return ChildFailure{"it read nothing within the time limit"};
      pollfd waited{input_, POLLOUT, 0};
      (void)::poll(&waited, 1, left_ms);
      continue;
    }
    if (count < 0) return ended();
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return Unit{};
}

Result<std::string, ChildFailure> LineChild::read(Deadline deadline, std::size_t max_bytes) {
  for (;;) {
    std::size_t const end = unread_.find('\n', scanned_bytes_);
    if (end != std::string::npos && end <= max_bytes) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      scanned_bytes_ = 0;
      return line;
    }
    scanned_bytes_ = unread_.size();
    if (scanned_bytes_ > max_bytes)
      return ChildFailure{"it printed a line of more than " + std::to_string(max_bytes) + " bytes"};
    int const left_ms = milliseconds_until(deadline);
    if (left_ms == 0) return ChildFailure{"it answered nothing within the time limit"};
    pollfd waited{output_, POLLIN, 0};
    int const ready = ::poll(&waited, 1, left_ms);
    if (ready <= 0) continue;  // also a signal: the deadline decides
    char bytes[65536];
    ssize_t const count = ::read(output_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return ended();
    unread_.append(bytes, static_cast<std::size_t>(count));
  }
}

}  // namespace takt::cli
