#include "cli/series_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace takt::cli {
namespace {

// False when the file lost its name between open() and flock(): its owner has ended meanwhile.
bool has_name(int descriptor, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// The reason is in errno.
std::string fault_of(const std::string& path) {
  return server::file_error(path, "cannot be locked") +
         "; start no second server that records into this series";
}

}  // namespace

Result<SeriesLock, server::FileError> SeriesLock::take(const std::string& recording_path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path const recording = fs::weakly_canonical(recording_path, error);
  auto const type = fs::status(recording, error).type();
  if (recording_path == "-" || (type != fs::file_type::regular && type != fs::file_type::not_found))
    return SeriesLock(std::string());
  std::string const path =
      (recording.parent_path() / ("." + recording.filename().string() + ".lock")).string();
  for (;;) {
    int const descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return SeriesLock(fault_of(path));
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      bool const is_taken = errno == EWOULDBLOCK;
      std::string const fault = fault_of(path);
      ::close(descriptor);
      if (!is_taken) return SeriesLock(fault);  // a file system without locks
      return server::FileError{recording_path +
                               ": another server records into this series; stop it, or name another file"};
    }
    if (has_name(descriptor, path)) return SeriesLock(path, descriptor);
    ::close(descriptor);
  }
}

SeriesLock::~SeriesLock() {
  if (descriptor_ < 0) return;
  (void)::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace takt::cli
