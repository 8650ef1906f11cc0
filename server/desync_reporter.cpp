#include "server/desync_reporter.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "server/file_bytes.h"

namespace takt::server {
namespace {

constexpr std::string_view kPrefix = "desync-";

// A new file; false leaves none behind.
bool write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::FILE* const file = std::fopen(path.c_str(), "wbxe");
  if (file == nullptr) return false;
  bool const is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int const reason = errno;
  if (std::fclose(file) == 0 && is_written) return true;
  if (!is_written) errno = reason;
  (void)std::remove(path.c_str());
  return false;
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

std::string name_of(const DesyncReport& report, std::string_view end) {
  return std::string(kPrefix) + std::to_string(report.tick) + "-player" + std::to_string(report.player) +
         "-" + std::string(end);
}

}  // namespace

Result<std::unique_ptr<DesyncReporter>, FileError> DesyncReporter::open(std::string folder,
                                                                        std::string_view end, Log log,
                                                                        const Bounds& bounds) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error))
    return FileError{folder + ": cannot be made or is no folder" +
                     (error ? ": " + error.message() : std::string())};
  // Several processes may write into one folder.
  std::string const probe = folder + "/.takt-probe-" + std::to_string(::getpid());
  (void)std::remove(probe.c_str());
  if (!write_file(probe, {})) return FileError{file_error(folder, "no file can be written there")};
  (void)std::remove(probe.c_str());
  return std::unique_ptr<DesyncReporter>(new DesyncReporter(std::move(folder), end, std::move(log), bounds));
}

DesyncReporter::DesyncReporter(std::string folder, std::string_view end, Log log, const Bounds& bounds)
    : folder_(std::move(folder)), end_(end), log_(std::move(log)), bounds_(bounds), thread_([this] {
        run_thread();
      }) {}

DesyncReporter::~DesyncReporter() {
  {
    std::lock_guard const lock(mutex_);
    is_stopping_ = true;
  }
  work_.notify_all();
  thread_.join();
}

void DesyncReporter::put(DesyncReport&& report) {
  Waiting waiting{std::move(report), {}};
  std::vector<std::byte>& recording = waiting.report.recording;
  std::size_t const size = recording.size();
  if (size == 0) {
    waiting.missing =
        "the state is not kept any more, or has more than " + std::to_string(kRecordingBytesMax) + " bytes";
  } else if (size > kRecordingBytesMax) {
    waiting.missing = "it would have " + std::to_string(size) + " bytes";
  }
  {
    std::lock_guard const lock(mutex_);
    if (waiting_.size() >= bounds_.waiting) {
      ++dropped_;
      return;
    }
    if (waiting.missing.empty() && size > bounds_.waiting_bytes - waiting_bytes_)
      waiting.missing = "too many bytes of others waited for the disk";
    if (!waiting.missing.empty()) recording = {};
    waiting_bytes_ += recording.size();
    waiting_.push_back(std::move(waiting));
  }
  work_.notify_one();
}

void DesyncReporter::run_thread() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return log_dropped(dropped_);
    Waiting const waiting = std::move(waiting_.front());
    waiting_.pop_front();
    std::uint64_t const dropped = std::exchange(dropped_, 0);
    lock.unlock();
    log_dropped(dropped);
    write(waiting);
    lock.lock();
    waiting_bytes_ -= waiting.report.recording.size();
  }
}

void DesyncReporter::log_dropped(std::uint64_t dropped) {
  if (dropped > 0)
    log_(std::to_string(dropped) + " reports of desyncs were dropped: " + folder_ +
         " takes them more slowly than they come");
}

bool DesyncReporter::is_folder_full() const {
  constexpr std::size_t kFilesOfReport = 2;
  std::size_t files = kFilesOfReport;
  std::error_code error;
  for (auto at = std::filesystem::directory_iterator(folder_, error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error))
    if (at->path().filename().string().starts_with(kPrefix) && ++files > kFilesMax) return true;
  return false;
}

void DesyncReporter::write(const Waiting& waiting) {
  DesyncReport const& report = waiting.report;
  if (is_folder_full()) {
    if (left_out_++ == 0)
      log_(folder_ + ": has " + std::to_string(kFilesMax) +
           " files of desyncs; remove some, and later reports are written again");
    return;
  }
  if (left_out_ > 1) log_(std::to_string(left_out_) + " reports of desyncs were left out");
  left_out_ = 0;
  std::string const base = name_of(report, end_);
  std::string name = base;
  for (int copy = 2; exists(folder_ + "/" + name + ".txt") || exists(folder_ + "/" + name + ".takt"); ++copy)
    name = base + "-" + std::to_string(copy);
  std::string const path = folder_ + "/" + name;
  std::string text = "desync of player " + std::to_string(report.player) + " at tick " +
                     std::to_string(report.tick) + ", seen by the " + end_ + " (server != client):\n" +
                     report.text + "\n";
  std::string missing = waiting.missing;
  if (missing.empty() && report.recording.size() > bounds_.total_bytes - total_bytes_) {
    missing = "this process has written " + std::to_string(total_bytes_) + " bytes of " +
              std::to_string(bounds_.total_bytes);
    if (!std::exchange(is_total_reported_, true))
      log_(folder_ + ": recordings of desyncs are left out, as " + missing +
           "; a process that starts anew writes them again");
  }
  if (!missing.empty()) {
    text += "no recording: " + missing + "\n";
  } else {
    if (!write_file(path + ".takt", report.recording))
      return log_(file_error(path + ".takt", "cannot be written"));
    total_bytes_ += report.recording.size();
    bool const is_server = end_ == "server";
    std::string const other = name_of(report, is_server ? "client" : "server");
    text += "does this end's state follow from the one before it:\n  takt replay bisect " + name +
            ".takt\nboth ends, if the other has no earlier report of that name (else " + other +
            "-2.takt and so on):\n  takt replay diff " + (is_server ? name : other) + ".takt " +
            (is_server ? other : name) + ".takt\n";
  }
  if (!write_file(path + ".txt", std::as_bytes(std::span(text))))
    return log_(file_error(path + ".txt", "cannot be written"));
  log_("report of the desync of player " + std::to_string(report.player) + " at tick " +
       std::to_string(report.tick) + ": " + path + ".txt");
}

}  // namespace takt::server
