// FileSink and FileSource connect recordings (takt/sim/recording.h) with files of the C interface, and
// read_file() reads a scene's text. SceneFolder reads the files that a scene names. Functions that create,
// open, commit or read whole files return the reason of a failure, which callers pass to fail() (c/call.h).
// Other functions that fail return only false. No function interprets the bytes. The program takt has its own
// classes (cli/recording_file.h, cli/output_file.h, cli/series_lock.h), with durable writes, standard streams
// and a file lock.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "takt/core/result.h"
#include "takt/sim/recording.h"
#include "takt/sim/scene.h"

namespace takt::c {

/// "<path>: <what>", and ": <the system's reason>" behind it if there is one.
struct FileFault {
  std::string text;
};

/// Reasons behind the name of a sink that takes no more bytes.
inline constexpr std::string_view kNoRoom = ": takes no bytes: the disk is full";

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// The destination of the recording of a world.
class RecordingSink : public sim::ByteSink {
 public:
  /// An edit takes `bytes` of memory until the tick's end. False beyond a limit: the edit must not be made.
  [[nodiscard]] virtual bool add_edit(std::size_t /*bytes*/) noexcept { return true; }
  /// The tick has ended. Its edits are encoded, and those that no write() has taken have `waiting_bytes`.
  virtual void end_tick(std::size_t /*waiting_bytes*/) noexcept {}
  /// The recording has begun.
  [[nodiscard]] virtual Result<Unit, FileFault> commit() = 0;
  /// Ends a committed one; false when bytes were lost.
  [[nodiscard]] virtual bool close() = 0;
};

class FileSink final : public RecordingSink {
 public:
  /// Memory of a tick's edits: some 500,000 edits. A chunk has a gigabyte at most.
  static constexpr std::size_t kEditBytesMax = 256u << 20u;

  /// Creates a temporary file beside the file to which `path` leads, or opens a device or a pipe.
  [[nodiscard]] static Result<std::unique_ptr<FileSink>, FileFault> create(const std::string& path);
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  /// Removes a file that still has its temporary name.
  ~FileSink() override;
  [[nodiscard]] bool add_edit(std::size_t bytes) noexcept override;
  void end_tick(std::size_t /*waiting_bytes*/) noexcept override { edit_bytes_ = 0; }
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override;
  /// Gives the file its name, which replaces an existing file.
  [[nodiscard]] Result<Unit, FileFault> commit() override;
  /// Closes a committed file; false when bytes were lost.
  [[nodiscard]] bool close() override;

 private:
  explicit FileSink(const std::string& path) : path_(path) {}
  std::string path_;
  std::string temporary_;       // empty after commit(), and for a device or a pipe
  std::size_t edit_bytes_ = 0;  // of the tick's edits
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
