// SeriesLock gives one process the files of a recording's series (journal_files.h) and its spool
// (journal_spool.h). `takt serve` takes the lock before it changes any of them, so that a second start of the
// same command changes nothing. FileClaims may have read the first bytes of the recording before. The lock is
// an flock() of a hidden file beside the recording, which the kernel releases when the process ends in any
// way. SeriesLock removes that file in an orderly end. SeriesLock holds no lock when the hidden file cannot
// be opened or locked; `takt serve` then prints fault() and goes on without a lock.
#pragma once

#include <string>
#include <utility>

#include "server/file_bytes.h"
#include "takt/core/result.h"

namespace takt::cli {

class SeriesLock {
 public:
  /// Takes the lock of the series of `recording_path`. The standard output, and a path that exists and is no
  /// regular file, need no lock. The result then holds none, as after a failure to open or lock the hidden
  /// file, which fault() names. Errors: another process has the lock.
  [[nodiscard]] static Result<SeriesLock, server::FileError> take(const std::string& recording_path);
  SeriesLock(SeriesLock&& other) noexcept
      : path_(std::move(other.path_)),
        fault_(std::move(other.fault_)),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  SeriesLock(const SeriesLock&) = delete;
  SeriesLock& operator=(const SeriesLock&) = delete;
  ~SeriesLock();
  /// Returns a line about a hidden file that could not be opened or locked, with the remedy; empty otherwise.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

 private:
  explicit SeriesLock(std::string fault) : fault_(std::move(fault)) {}
  SeriesLock(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;  // of the hidden file
  std::string fault_;
  int descriptor_ = -1;  // -1 = no lock
};

}  // namespace takt::cli
