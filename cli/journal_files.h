// JournalFiles has the files of a server's recording, a series: the file that the user names, then numbered
// ones in its folder, such as match.takt, match.2.takt and match.3.takt. A Journal (server/journal.h) writes
// through JournalFiles, and begins the next file when one is full or cannot be written. The first file gets
// its name by FileSink::commit(). A numbered file has its name from its creation and replaces no other.
// last_recording() finds the newest file of a series from which a server can resume.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/journal_spool.h"
#include "cli/recording_file.h"
#include "server/journal.h"
#include "takt/core/result.h"

namespace takt::cli {

/// Returns the path of the file behind symbolic links, so that lock, spool and the files of the series are
/// those of one place. A path that is no link is returned as it is; so is one with too many links, or that
/// leads to a device or a pipe.
[[nodiscard]] std::string series_path(const std::string& path);
/// Returns the path of a file of the series: 1 = `path` itself, 2 = "name.2.ending".
[[nodiscard]] std::string numbered_path(const std::string& path, std::uint32_t number);
/// Returns the numbers of the files of the series that exist, ascending.
[[nodiscard]] std::vector<std::uint32_t> series_numbers(const std::string& path);

class JournalFiles final : public server::JournalStore {
 public:
  /// Begins a series with `path` itself, or a stream, which has no further files. `bytes_max` limits all
  /// files of the series together, 0 = no limit. When a file begins, the oldest ones are removed, so that it
  /// can grow to a quarter of the limit; the present file is never removed.
  [[nodiscard]] static Result<std::unique_ptr<JournalFiles>, server::FileError> create(
      const std::string& path, OutputKind kind, std::uint64_t bytes_max);
  /// Continues a series with the number after its last file.
  [[nodiscard]] static Result<std::unique_ptr<JournalFiles>, server::FileError> resume(
      const std::string& path, std::uint64_t bytes_max);
  ~JournalFiles() override;

  // JournalStore (server/journal.h) has the contracts of these calls.
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override;
  void keep(std::span<const std::byte> chunk) noexcept override { spool_.keep(chunk); }
  [[nodiscard]] bool sync() override;
  [[nodiscard]] bool begin_next() override;
  [[nodiscard]] bool has_next() const override { return has_next_; }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] std::uint64_t bytes_max() const override { return bytes_max_; }

  /// The server has started: FileSink::commit() of the first file; true when the present file is a numbered
  /// one. Files that begin later may remove the oldest ones.
  [[nodiscard]] bool commit() {
    may_remove_ = true;
    return first_ == nullptr || first_->commit();
  }
  [[nodiscard]] bool is_committed() const noexcept { return first_ == nullptr || first_->is_committed(); }
  /// Removes the present file if it is a numbered one: the server did not start. No other thread may write
  /// during the call, and none may write after it.
  void discard();
  /// Closes the present file; false after its failure. No other thread may write during the call.
  [[nodiscard]] bool close();
  /// The latest reason of a failure; empty before. Any thread may call failure() and path().
  [[nodiscard]] std::string failure() const;
  /// Path of the present file.
  [[nodiscard]] std::string path() const;

 private:
  JournalFiles(std::string path, std::uint64_t bytes_max)
      : path_(std::move(path)), bytes_max_(bytes_max), spool_(path_) {}
  bool fail(const char* what);
  [[nodiscard]] bool open_number(std::uint32_t number);
  [[nodiscard]] std::uint64_t size_of(std::uint32_t number) const;
  void remove_oldest();

  std::string path_;
  std::uint64_t bytes_max_;
  std::atomic<std::uint64_t> bytes_ = 0;  // of the series
  JournalSpool spool_;
  bool has_next_ = true;
  std::atomic<bool> may_remove_ = false;
  std::unique_ptr<FileSink> first_;  // null in a numbered file
  int descriptor_ = -1;              // of a numbered file
  bool has_failed_ = false;          // the present file
  bool has_image_ = false;           // the present file: its first write, header and image, is whole
  mutable std::mutex mutex_;         // over the next two
  std::uint32_t number_ = 1;
  std::string failure_;
};

/// A file of a series, opened.
struct LastRecording {
  std::string path;
  OpenRecording recording;
};
/// Opens the newest file of the series that is a readable recording, after JournalSpool::recover() for that
/// file. Errors: no file exists; that of the newest file, with its size, if none is readable.
[[nodiscard]] Result<LastRecording, server::FileError> last_recording(const std::string& path);

}  // namespace takt::cli
