// A folder of results belongs to one plan of `takt batch` (BatchJob::id). Each process that runs a shard
// writes one file there (ResultWriter). The file is always whole: each change replaces it by a rename, and
// its last line has a hash of the lines before. read_results() reads all files of the folder. So a killed
// process loses only the rows since its last change, and shards may be of any number and size. Two processes
// that run the same shard do not disturb each other. A row is a line of the table, and begins with the number
// of its run.
//
// docs/BATCH.md has the form of the files.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch_job.h"
#include "server/file_bytes.h"
#include "takt/core/result.h"

namespace takt::cli {

/// The columns of the table, as its first line without a line end.
[[nodiscard]] std::string batch_columns(const BatchJob& job);

/// A name of the folder's own files: "run-000012.takt" with the ending ".takt".
[[nodiscard]] std::string batch_run_file(const std::string& folder, std::uint64_t run,
                                         const std::string& ending);

/// Returns true for a folder of this plan's results, false for a new or an empty one. Errors: the folder has
/// files of something else, or results of another plan.
[[nodiscard]] Result<bool, server::FileError> has_results(const std::string& folder, const BatchJob& job);
/// Makes the folder and its file `plan.id` where has_results() returns false.
[[nodiscard]] Result<Unit, server::FileError> claim_results_folder(const std::string& folder,
                                                                   const BatchJob& job);
/// As has_results(), for commands that need results: false is an error.
[[nodiscard]] Result<Unit, server::FileError> check_results_folder(const std::string& folder,
                                                                   const BatchJob& job);

/// Two rows of one run that differ: a machine that computes otherwise, or a changed file.
struct RowConflict {
  std::uint64_t run = 0;
  std::string file_a, file_b;
  std::string column;
  std::string value_a, value_b;
};
[[nodiscard]] std::string message(const RowConflict& conflict);
/// Returns the first column in which two rows of a run differ; none if they are equal.
[[nodiscard]] std::optional<RowConflict> compare_rows(const std::string& columns, std::uint64_t run,
                                                      const std::string& row_a, const std::string& row_b);

struct BatchResults {
  std::vector<std::string> rows;  ///< by run; empty = the run has no result
  std::uint64_t done = 0;         ///< rows that are not empty
  /// Lines about files that were left out, because they are damaged or cannot be read.
  std::vector<std::string> faults;
  std::optional<RowConflict> conflict;  ///< the first one

  [[nodiscard]] bool is_complete() const noexcept { return done == rows.size() && !conflict; }
};
/// Reads the files of a folder that check_results_folder() accepts.
[[nodiscard]] Result<BatchResults, server::FileError> read_results(const std::string& folder,
                                                                   const BatchJob& job);

/// The whole table: columns and rows. XXH3-64 of its bytes is the digest of the results.
[[nodiscard]] std::string batch_table(const BatchJob& job, const std::vector<std::string>& rows);
[[nodiscard]] std::uint64_t digest_of(const std::string& table);
/// The bytes of a table file.
[[nodiscard]] Result<std::string, server::FileError> read_table(const std::string& path);
/// The rows of a table. Errors: other columns, a run that is missing, repeated or out of order. `path` is for
/// messages.
[[nodiscard]] Result<std::vector<std::string>, server::FileError> rows_of_table(const std::string& table,
                                                                                const std::string& path,
                                                                                const BatchJob& job);

/// Writes the rows of one process. One thread at a time uses a ResultWriter.
class ResultWriter {
 public:
  /// Creates a new file without rows in the folder, under a name that no other process has.
  [[nodiscard]] static Result<ResultWriter, server::FileError> create(const std::string& folder,
                                                                      const BatchJob& job,
                                                                      const sim::BatchShard& shard,
                                                                      std::chrono::milliseconds interval);
  /// Adds the row of a run. The file is replaced if the last time was `interval` ago, and ten times the
  /// duration of that replacement. A zero interval replaces the file for each row. False after a failure,
  /// whose line failure() has.
  [[nodiscard]] bool add(std::uint64_t run, std::string row);
  /// Replaces the file, if rows came since the last time.
  [[nodiscard]] bool commit();
  /// Number of rows in the file.
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  ResultWriter(std::string path, std::string head, std::chrono::milliseconds interval)
      : path_(std::move(path)), head_(std::move(head)), interval_(interval) {}
  [[nodiscard]] bool write(bool is_new);

  std::string path_;
  std::string head_;  // the lines above the rows
  std::chrono::milliseconds interval_;
  std::vector<std::pair<std::uint64_t, std::string>> rows_;
  std::size_t written_ = 0;  // rows in the file
  std::chrono::steady_clock::time_point next_{};
  std::string failure_;
};

}  // namespace takt::cli
