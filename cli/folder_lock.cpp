#include "cli/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "cli/file_place.h"

namespace takt::cli {

Result<FolderLock, server::FileError> FolderLock::take(const std::string& path,
                                                       std::chrono::milliseconds patience) {
  FilePlace const place = find_output_place(path);
  bool const is_file =
      place.kind == FilePlace::Kind::kFile || (place.kind == FilePlace::Kind::kFree && place.inode != 0);
  if (!is_file) return FolderLock(-1);
  std::filesystem::path const folder = place.path.has_parent_path() ? place.path.parent_path() : ".";
  FolderLock lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.descriptor_ < 0)
    return server::FileError{server::file_error(path, "its folder cannot be opened for a lock")};
  auto const end = std::chrono::steady_clock::now() + patience;
  while (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK)
      return server::FileError{server::file_error(
          path, "its folder cannot be locked; write the file on a local disk and copy it")};
    if (std::chrono::steady_clock::now() >= end)
      return server::FileError{path + ": another process has its folder locked; try again when it has ended"};
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return lock;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace takt::cli
