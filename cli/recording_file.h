// FileSink and FileSource connect recordings (takt/sim/recording.h) with files. FileSink writes the bytes of
// a RecordingWriter to an OutputFile. commit() gives that file its name, and the recording grows in place.
// FileSource lets a RecordingReader read pieces of a recording file at any offset. Neither class interprets
// the bytes: writer and reader have the format. `takt run` and `takt serve` record to a FileSink. `takt
// replay`, `serve --resume` and `shot` read a FileSource.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "cli/file_claims.h"
#include "cli/output_file.h"
#include "server/file_bytes.h"
#include "takt/core/result.h"
#include "takt/sim/recording.h"

namespace takt::cli {

/// Writes to a new file, or to a stream. Each write reaches the system, so that a killed process loses no
/// byte that was written after commit(). One thread may write while another commits.
class FileSink final : public sim::ByteSink {
 public:
  /// Creates the temporary file of an OutputFile. `kForcedRecording` has Latecomer::kReplace, the other kinds
  /// have kKeep. FileClaims::check() protects files that existed before.
  [[nodiscard]] static Result<std::unique_ptr<FileSink>, server::FileError> create(const std::string& path,
                                                                                   OutputKind kind);
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override;
  /// Makes the written bytes durable on disk.
  [[nodiscard]] bool sync();
  /// Gives the file its name; an earlier file stays until then. A caller commits after header and first
  /// image, once nothing else can stop the recording. False after a failure; then every write fails.
  [[nodiscard]] bool commit();
  /// True after a successful commit(), and for a stream. No other thread may write during this call and the
  /// next two.
  [[nodiscard]] bool is_committed() const noexcept { return file_.is_committed(); }
  /// The first reason of a failure; empty before.
  [[nodiscard]] const std::string& failure() const noexcept { return file_.failure(); }
  /// Commits the file, if it is not yet committed, and closes it; false after any failure. A sink that is
  /// destroyed before commit() or after its failure removes the temporary file.
  [[nodiscard]] bool close();

 private:
  explicit FileSink(OutputFile file) : file_(std::move(file)) {}
  std::mutex mutex_;
  OutputFile file_;  // under mutex_ while two threads use it
};

/// Reads a regular file, whose size is that at open(). One thread at a time uses a FileSource.
class FileSource final : public sim::ByteSource {
 public:
  [[nodiscard]] static Result<FileSource, server::FileError> open(const std::string& path);
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  FileSource(File file, std::uint64_t size_bytes) : file_(std::move(file)), size_bytes_(size_bytes) {}
  File file_;
  std::uint64_t size_bytes_;
};

/// A recording file and the reader over it; the reader refers to `source`.
struct OpenRecording {
  std::unique_ptr<FileSource> source;
  sim::RecordingReader reader;
};

/// Opens a recording. The error is a line with the path and the reason.
[[nodiscard]] Result<OpenRecording, server::FileError> open_recording(const std::string& path);

/// Returns true for a regular file that begins with kRecordingMagic. Streams are not read.
[[nodiscard]] bool is_recording(const std::string& path);

}  // namespace takt::cli
