// FileSink and FileSource connect recordings (takt/sim/recording.h) with files. FileSink writes the bytes of
// a RecordingWriter to a new file, which replaces an existing one. FileSource lets a RecordingReader read
// pieces of a recording file at any offset. Neither class interprets the bytes: writer and reader have the
// format. `takt run` and `takt serve` record to a FileSink, and `takt replay` reads a FileSource.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "server/file_bytes.h"
#include "takt/core/result.h"
#include "takt/sim/recording.h"

namespace takt::cli {

/// Writes to a new file (an existing one is replaced). Each write reaches the system, so that a killed
/// process loses nothing that was written.
class FileSink final : public sim::ByteSink {
 public:
  [[nodiscard]] static Result<FileSink, server::FileError> create(const std::string& path);
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override;
  /// Why the first write failed; empty before.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  /// Writes what is buffered and closes; false when that fails.
  [[nodiscard]] bool close();

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  FileSink(std::string path, File file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  File file_;
  std::string failure_;
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

}  // namespace takt::cli
