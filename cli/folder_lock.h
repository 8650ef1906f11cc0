// FolderLock lets one process at a time read, change and replace a file. `takt token keygen` holds it from
// the read of a key file to the rename, so that no key of another keygen is lost. The lock is an flock() of
// the folder of the file, which the kernel releases when the process ends in any way; no lock file is left.
// Only programs that take the lock are kept out. A recording has a lock of its own (series_lock.h).
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "server/file_bytes.h"
#include "takt/core/result.h"

namespace takt::cli {

class FolderLock {
 public:
  /// Takes the lock of the folder of a file that will be written, after all symbolic links, and waits
  /// `patience` for another process. The standard output, streams, directories and paths that cannot be
  /// reached give a result that holds no lock. Errors: the folder cannot be opened or locked, or the wait is
  /// over.
  [[nodiscard]] static Result<FolderLock, server::FileError> take(const std::string& path,
                                                                  std::chrono::milliseconds patience);
  FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;  // -1 = no lock
};

}  // namespace takt::cli
