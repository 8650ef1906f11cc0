// FileSink and FileSource connect recordings (takt/sim/recording.h) with files. FileSink writes the bytes of
// a RecordingWriter to an OutputFile. commit() gives that file its name, and the recording grows in place.
// FileSource lets a RecordingReader read pieces of a recording file at any offset. Neither class interprets
// the bytes: writer and reader have the format. `takt run` and `takt serve` record to a FileSink, and `takt
// replay` reads a FileSource.
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

/// Writes to a new file. Each write reaches the system, so that a killed process loses nothing that was
/// written after commit(). One thread may write while another commits.
class FileSink final : public sim::ByteSink {
 public:
  /// `kForcedRecording` replaces an earlier file in commit(), `kRecording` an empty one only.
  [[nodiscard]] static Result<std::unique_ptr<FileSink>, server::FileError> create(const std::string& path,
                                                                                   OutputKind kind);
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override;
  /// Makes what was written durable.
  [[nodiscard]] bool sync();
  /// Gives the file its name. A caller commits after header and first image, once nothing else can stop the
  /// recording: until then an earlier file stays. False after a failure; then every write fails.
  [[nodiscard]] bool commit();
  /// False when the file never got its name. Only while nobody writes, and so are the next two.
  [[nodiscard]] bool is_committed() const noexcept { return file_.is_committed(); }
  /// The first reason of a failure; empty before.
  [[nodiscard]] const std::string& failure() const noexcept { return file_.failure(); }
  /// Closes a committed file, or removes another one; false after any failure.
  [[nodiscard]] bool close();

 private:
  explicit FileSink(OutputFile file) : file_(std::move(file)) {}
  std::mutex mutex_;
  OutputFile file_;  // under mutex_ while two threads use it
};

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

/// A file and the reader over it; the reader points into the file's source.
struct OpenRecording {
  std::unique_ptr<FileSource> source;
  sim::RecordingReader reader;
};

[[nodiscard]] Result<OpenRecording, server::FileError> open_recording(const std::string& path);

/// True for a regular file that begins like a recording. Streams are not read.
[[nodiscard]] bool is_recording(const std::string& path);

}  // namespace takt::cli
