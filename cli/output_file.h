// OutputFile is a file that a command writes. Its bytes go to a temporary file in the same folder; commit()
// syncs that file and renames it over an earlier one. If the rename is impossible (a mounted file), commit()
// fails; with Latecomer::kReplace the temporary file then stays, and failure() names it. An OutputFile that
// is destroyed without commit() removes the temporary file, and the earlier file stays as it was. After
// commit() writing may go on in place, as recordings do. "-" and streams (descriptors, devices, FIFOs,
// sockets) have no earlier file: their bytes are written directly, after what a stream already contains.
// BodyTable, FileSink, save_state(), `takt shot` and `takt token` write through OutputFile. FileClaims
// (cli/file_claims.h) decides which names a command may write to.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "cli/file_place.h"
#include "server/file_bytes.h"
#include "takt/core/result.h"

namespace takt::cli {

/// The treatment of a file that another program creates under the name between create() and commit().
enum class Latecomer {
  kReplace,  ///< commit() replaces it
  kKeep,     ///< commit() fails, if the name was free at create() and the file system has hard links
  kNew,      ///< as kKeep, and commit() fails too if the name was not free at create()
};

/// The users of the system who may read a new file.
enum class Readers {
  kUmask,  ///< as the umask allows; an earlier file keeps its permissions
  kOwner,  ///< the owner alone (mode 0600), also in place of an earlier file: the file holds a secret
};

/// One thread at a time uses an OutputFile.
class OutputFile {
 public:
  /// Creates the temporary file, or opens the stream. If the stream is the standard output, stdout of this
  /// process becomes stderr, so that other prints do not mix with the bytes. Errors: a directory, a path that
  /// the system refuses, a read-only earlier file.
  [[nodiscard]] static Result<OutputFile, server::FileError> create(const std::string& path,
                                                                    Latecomer latecomer,
                                                                    Readers readers = Readers::kUmask);

  /// Appends bytes, buffered. After a failure every call returns false, and failure() has the first reason.
  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  /// Passes buffered bytes to the system.
  [[nodiscard]] bool flush();
  /// Flushes and makes the bytes durable on disk. True also for a stream that cannot be synced.
  [[nodiscard]] bool sync();
  /// Flushes, syncs and gives the file its name. A second call flushes only, and so does a stream's.
  [[nodiscard]] bool commit();
  /// Commits and closes; false after any failure. No call but failure() and is_committed() may follow.
  [[nodiscard]] bool close();

  /// "<path>: <reason>" of the first failure; empty before.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  /// True after a successful commit(), and for a stream.
  [[nodiscard]] bool is_committed() const noexcept { return temporary_ == nullptr; }
  /// The path under which another program can write the file before commit().
  [[nodiscard]] std::string path_for_writer() const;

 private:
  struct Remove {
    void operator()(std::string* path) const noexcept;
  };
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  OutputFile(std::string path, FilePlace place, Latecomer latecomer, Readers readers)
      : path_(std::move(path)), place_(std::move(place)), latecomer_(latecomer), readers_(readers) {}
  [[nodiscard]] bool open_stream();
  [[nodiscard]] bool open_temporary();
  [[nodiscard]] bool rename_temporary();
  bool fail(const char* what);

  std::string path_;  // as the user wrote it
  FilePlace place_;
  Latecomer latecomer_;
  Readers readers_;
  std::unique_ptr<std::string, Remove> temporary_;  // null = committed, or a stream
  File file_{nullptr, std::fclose};
  std::string failure_;
};

/// Syncs a folder after a rename in it, so that a power cut does not undo the rename. A failure is ignored,
/// since not every file system can.
void sync_folder(const std::filesystem::path& folder);

}  // namespace takt::cli
