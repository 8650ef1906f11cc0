// OutputFile is a file that a command writes. Its bytes go to a temporary file beside its name; commit()
// syncs that file and renames it over an earlier one; where that is impossible (a mounted file), the
// temporary file stays and failure() names it. An OutputFile that ends without commit() removes the temporary
// file, and the earlier file stays as it was. After commit() writing may go on in place, as
// recordings do. "-" and streams (descriptors, devices, FIFOs, sockets) have no earlier file: their bytes are
// written directly. BodyTable, FileSink and `takt shot` write through it. FileClaims (cli/file_claims.h)
// decides which names a command may write to.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "cli/file_place.h"
#include "server/file_bytes.h"
#include "takt/core/result.h"

namespace takt::cli {

/// The treatment of a file that got the name after create(), from another program.
enum class Latecomer {
  kReplace,  ///< commit() replaces it
  kKeep,     ///< commit() fails
};

/// Not for several threads at once.
class OutputFile {
 public:
  /// Creates the temporary file, or opens the stream. If that is the standard output, stdout of this process
  /// is stderr from then on, so that nothing else mixes with the bytes.
  [[nodiscard]] static Result<OutputFile, server::FileError> create(const std::string& path,
                                                                    Latecomer latecomer);

  /// False when the file takes no more. After a failure every call fails; failure() has the first reason.
  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  /// Passes buffered bytes to the system.
  [[nodiscard]] bool flush();
  /// Makes a file durable. A stream that cannot be synced is as durable as it gets.
  [[nodiscard]] bool sync();
  /// Gives the file its name, once it is whole or fit to grow in place. A second call does nothing.
  [[nodiscard]] bool commit();
  /// Commits and closes.
  [[nodiscard]] bool close();

  /// "<path>: <reason>" of the first failure; empty before.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  /// True once the bytes are where the user wanted them; streams at once.
  [[nodiscard]] bool is_committed() const noexcept { return temporary_ == nullptr; }
  /// The path under which another program can write the bytes before commit().
  [[nodiscard]] std::string path_for_writer() const;

 private:
  struct Remove {
    void operator()(std::string* path) const noexcept;
  };
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  OutputFile(std::string path, FilePlace place, Latecomer latecomer)
      : path_(std::move(path)), place_(std::move(place)), latecomer_(latecomer) {}
  [[nodiscard]] bool open_stream();
  [[nodiscard]] bool open_temporary();
  [[nodiscard]] bool rename_temporary();
  bool fail(const char* what);

  std::string path_;  // as the user wrote it
  FilePlace place_;
  Latecomer latecomer_;
  std::unique_ptr<std::string, Remove> temporary_;  // null = committed, or a stream
  File file_{nullptr, std::fclose};
  std::string failure_;
};

}  // namespace takt::cli
