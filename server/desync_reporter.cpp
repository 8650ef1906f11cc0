#include "server/desync_reporter.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

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
                                                                        std::string_view end, Log log) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error))
    return FileError{folder + ": cannot be made or is no folder" +
                     (error ? ": " + error.message() : std::string())};
  return std::unique_ptr<DesyncReporter>(new DesyncReporter(std::move(folder), end, std::move(log)));
}

DesyncReporter::DesyncReporter(std::string folder, std::string_view end, Log log)
    : folder_(std::move(folder)), end_(end), log_(std::move(log)), thread_([this] { run_thread(); }) {}

DesyncReporter::~DesyncReporter() {
  {
    std::lock_guard const lock(mutex_);
    is_stopping_ = true;
  }
  work_.notify_all();
  thread_.join();
}

void DesyncReporter::put(DesyncReport&& report) {
  {
    std::lock_guard const lock(mutex_);
    if (waiting_.size() >= kWaitingMax) return;
    waiting_.push_back(std::move(report));
  }
  work_.notify_one();
}

void DesyncReporter::run_thread() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    DesyncReport const report = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    write(report);
    lock.lock();
  }
}

bool DesyncReporter::is_full() const {
  if (total_bytes_ >= kTotalBytesMax) return true;
  std::size_t files = 0;
  std::error_code error;
  for (auto at = std::filesystem::directory_iterator(folder_, error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error))
    if (at->path().filename().string().starts_with(kPrefix) && ++files >= kFilesMax) return true;
  return false;
}

void DesyncReporter::write(const DesyncReport& report) {
  if (is_full()) {
    if (!std::exchange(is_full_reported_, true))
      log_(folder_ + ": has enough reports of desyncs; remove some, and later ones are written again");
    return;
  }
  is_full_reported_ = false;
  std::string const name = name_of(report, end_);
  std::string path = folder_ + "/" + name;
  for (int copy = 2; exists(path + ".txt") || exists(path + ".takt"); ++copy) {
    if (copy > static_cast<int>(kFilesMax)) return;
    path = folder_ + "/" + name + "-" + std::to_string(copy);
  }
  std::string text = "desync of player " + std::to_string(report.player) + " at tick " +
                     std::to_string(report.tick) + ", seen by the " + end_ + " (server != client):\n" +
                     report.text + "\n";
  std::string const recording = path.substr(folder_.size() + 1) + ".takt";
  if (report.recording.empty()) {
    text += "no recording: the state is not kept any more\n";
  } else if (report.recording.size() > kRecordingBytesMax) {
    text += "no recording: it would have " + std::to_string(report.recording.size()) + " bytes\n";
  } else {
    if (!write_file(path + ".takt", report.recording))
      return log_(file_error(path + ".takt", "cannot be written"));
    total_bytes_ += report.recording.size();
    text += "does this end's state follow from the one before it:\n  takt replay bisect " + recording +
            "\nboth ends:\n  takt replay diff " + name_of(report, "server") + ".takt " +
            name_of(report, "client") + ".takt\n";
  }
  if (!write_file(path + ".txt", std::as_bytes(std::span(text))))
    return log_(file_error(path + ".txt", "cannot be written"));
  log_("report of the desync of player " + std::to_string(report.player) + " at tick " +
       std::to_string(report.tick) + ": " + path + ".txt");
}

}  // namespace takt::server
