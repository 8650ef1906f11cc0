// FileSink and FileSource connect recordings (takt/sim/recording.h) with files of the C interface, and
// read_file() reads a scene's text. SceneFolder reads the files that a scene names. The classes store the
// reason of a failure for takt_last_error(). They interpret no byte. The program takt has classes of its own,
// with locks, durable writes and standard streams (cli/recording_file.h).
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "takt/core/result.h"
#include "takt/sim/recording.h"
#include "takt/sim/scene.h"

namespace takt::c {

/// "<path>: <what>: <the system's reason>".
struct FileFault {
  std::string text;
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

class FileSink final : public sim::ByteSink {
 public:
  /// Creates a file with a temporary name beside `path`, or opens a device or a pipe.
  [[nodiscard]] static Result<std::unique_ptr<FileSink>, FileFault> create(const std::string& path);
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  /// Removes a file that still has its temporary name.
  ~FileSink() override;
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override;
  /// Gives the file its name, which replaces an existing file.
  [[nodiscard]] Result<Unit, FileFault> commit();
  /// Closes a committed file; false when bytes were lost.
  [[nodiscard]] bool close();

 private:
  explicit FileSink(const std::string& path) : path_(path) {}
  std::string path_;
  std::string temporary_;  // empty after commit(), and for a device or a pipe
  File file_{nullptr, std::fclose};
};

class FileSource final : public sim::ByteSource {
 public:
  [[nodiscard]] static Result<std::unique_ptr<FileSource>, FileFault> open(const std::string& path);
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  FileSource(File file, std::uint64_t size_bytes) : file_(std::move(file)), size_bytes_(size_bytes) {}
  File file_;
  std::uint64_t size_bytes_;
};

/// Returns the bytes of a regular file of at most `max_bytes`.
[[nodiscard]] Result<std::string, FileFault> read_file(const std::string& path, std::size_t max_bytes);

/// The files beside a scene file.
class SceneFolder final : public sim::SceneFiles {
 public:
  explicit SceneFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  [[nodiscard]] Result<std::string, sim::SceneFileError> read(std::string_view name,
                                                              std::size_t max) const override;

 private:
  std::filesystem::path folder_;
};

}  // namespace takt::c
