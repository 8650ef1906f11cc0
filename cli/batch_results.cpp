#include "cli/batch_results.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/difference_text.h"
#include "cli/output_file.h"
#include "net/entropy.h"
#include "takt/core/hash.h"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;
using sim::BatchMeasureKind;

constexpr const char* kIdName = "plan.id";
constexpr std::uint64_t kMaxIdBytes = 4096;
constexpr std::uint64_t kMaxResultBytes = std::uint64_t{8} << 30u;  // a million rows of 8 KiB
constexpr std::string_view kMagic = "takt batch results 1\n";

std::uint64_t hash_of(std::string_view text) { return hash_bytes(std::as_bytes(std::span(text))); }

std::string id_text(const BatchJob& job) {
  return "takt batch 1\nplan " + hash_text(job.id) + "\nversion " + job.version + "\ngame " + job.game + "\n";
}

bool is_temporary(const std::string& name) { return name.starts_with(".takt-"); }  // of an OutputFile

server::FileError system_failure(const std::string& folder, const std::error_code& code) {
  return {folder + ": " + code.message() + "; name a folder that can be read and written"};
}

// The name of each entry of a folder but temporary files.
Result<std::vector<std::string>, server::FileError> names_in(const std::string& folder) {
  std::error_code code;
  fs::directory_iterator entry(folder, code);
  std::vector<std::string> names;
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    std::string name = entry->path().filename().string();
    if (!is_temporary(name)) names.push_back(std::move(name));
  }
  if (code) return system_failure(folder, code);
  std::ranges::sort(names);
  return names;
}

std::vector<std::string_view> fields_of(std::string_view row) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i <= row.size(); ++i) {
    if (i < row.size() && row[i] == '"') is_quoted = !is_quoted;
    if (i < row.size() && (row[i] != ',' || is_quoted)) continue;
    out.push_back(row.substr(begin, i - begin));
    begin = i + 1;
  }
  return out;
}

// Takes a line without its end from the front of `rest`; false without a line end.
bool take_line(std::string_view& rest, std::string_view& line) {
  std::size_t const end = rest.find('\n');
  if (end == std::string_view::npos) return false;
  line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return true;
}

std::optional<std::uint64_t> run_of(std::string_view row) {
  std::uint64_t run = 0;
  auto const parsed = std::from_chars(row.data(), row.data() + row.size(), run);
  if (parsed.ec != std::errc() || parsed.ptr == row.data() + row.size() || *parsed.ptr != ',')
    return std::nullopt;
  return run;
}

std::string head_of(const BatchJob& job) {
  return std::string(kMagic) + "plan " + hash_text(job.id) + '\n' + batch_columns(job) + '\n';
}

// The rows of a result file. An empty text in `fault` = the file is whole.
std::vector<std::string_view> rows_of(std::string_view bytes, const BatchJob& job, std::string& fault) {
  fault = "is damaged: its runs are run again";
  std::string const head = head_of(job);
  if (!bytes.starts_with(head) || !bytes.ends_with('\n')) return {};
  std::size_t const end = bytes.rfind('\n', bytes.size() - 2) + 1;
  std::string const tail = "end " + hash_text(hash_of(bytes.substr(0, end))) + '\n';
  if (bytes.substr(end) != tail) return {};
  std::vector<std::string_view> rows;
  std::string_view rest = bytes.substr(head.size(), end - head.size());
  std::size_t const columns = fields_of(batch_columns(job)).size();
  for (std::string_view row; take_line(rest, row);) {
    std::optional<std::uint64_t> const run = run_of(row);
    if (!run || *run >= job.plan.run_count || fields_of(row).size() != columns) return {};
    rows.push_back(row);
  }
  fault.clear();
  return rows;
}

// The files of a run exist, which were written before its row.
bool has_files(const std::string& folder, const sim::BatchRun& run) {
  auto const exists = [&](const char* ending) {
    std::error_code code;
    return fs::exists(batch_run_file(folder, run.index, ending), code);
  };
  return (!run.variant->record || exists(".takt")) && (run.variant->csv_every == 0 || exists(".csv"));
}

}  // namespace

std::string batch_columns(const BatchJob& job) {
  std::string out = "run,name,seed,swept,numbers,tick,scene_hash,hash,bodies,refused";
  for (const sim::BatchMeasure& measure : job.plan.measures) {
    auto const add = [&](std::initializer_list<const char*> names) {
      for (const char* const name : names) {
        out += ',';
        if (!measure.body.empty()) out += measure.body + '.';
        out += name;
      }
    };
    switch (measure.kind) {
      case BatchMeasureKind::kEnergy: add({"kinetic_j", "potential_j"}); break;
      case BatchMeasureKind::kContacts: add({"contacts"}); break;
      case BatchMeasureKind::kAwake: add({"awake"}); break;
      case BatchMeasureKind::kPosition: add({"x", "y", "z"}); break;
      case BatchMeasureKind::kRotation: add({"qx", "qy", "qz", "qw"}); break;
      case BatchMeasureKind::kVelocity: add({"vx", "vy", "vz"}); break;
      case BatchMeasureKind::kAngularVelocity: add({"wx", "wy", "wz"}); break;
    }
  }
  return out;
}

std::string batch_run_file(const std::string& folder, std::uint64_t run, const std::string& ending) {
  std::string digits = std::to_string(run);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return (fs::path(folder) / ("run-" + digits + ending)).string();
}

Result<bool, server::FileError> has_results(const std::string& folder, const BatchJob& job) {
  std::error_code code;
  if (!fs::exists(folder, code) && !code) return false;
  Result<std::vector<std::string>, server::FileError> const names = names_in(folder);
  if (!names) return names.error();
  if (names->empty()) return false;
  std::string const path = (fs::path(folder) / kIdName).string();
  // Another shard may have made the file since the names were read.
  if (!fs::exists(path, code)) {
    return server::FileError{folder + ": has files, but no results of a plan (" + names->front() +
                             "); name a new folder"};
  }
  Result<std::string, server::FileError> const text = server::read_file(path, kMaxIdBytes);
  if (!text) return text.error();
  if (*text == id_text(job)) return true;
  return server::FileError{folder +
                           ": has results of another plan, scene, input script, game or version of the "
                           "program; name another folder"};
}

Result<Unit, server::FileError> check_results_folder(const std::string& folder, const BatchJob& job) {
  Result<bool, server::FileError> const has = has_results(folder, job);
  if (!has) return has.error();
  if (!*has) return server::FileError{folder + ": has no results; 'batch run' makes them"};
  return Unit{};
}

Result<Unit, server::FileError> claim_results_folder(const std::string& folder, const BatchJob& job) {
  Result<bool, server::FileError> const has = has_results(folder, job);
  if (!has) return has.error();
  if (*has) return Unit{};
  std::error_code code;
  fs::create_directory(folder, code);
  if (code) return system_failure(folder, code);
  std::string const path = (fs::path(folder) / kIdName).string();
  Result<OutputFile, server::FileError> file = OutputFile::create(path, Latecomer::kNew);
  if (!file) return file.error();
  std::string const text = id_text(job);
  bool const is_written = file->write(std::as_bytes(std::span(text))) && file->close();
  if (!is_written && !fs::exists(path, code)) return server::FileError{file->failure()};
  return check_results_folder(folder, job);
}

std::string message(const RowConflict& conflict) {
  return "run " + std::to_string(conflict.run) + " has two results: " + conflict.column + " is " +
         conflict.value_a + " in " + conflict.file_a + " and " + conflict.value_b + " in " + conflict.file_b;
}

std::optional<RowConflict> compare_rows(const std::string& columns, std::uint64_t run,
                                        const std::string& row_a, const std::string& row_b) {
  if (row_a == row_b) return std::nullopt;
  std::vector<std::string_view> const names = fields_of(columns), a = fields_of(row_a), b = fields_of(row_b);
  RowConflict conflict{
      run, {}, {}, "the number of columns", std::to_string(a.size()), std::to_string(b.size())};
  for (std::size_t i = 0; i < std::min({names.size(), a.size(), b.size()}); ++i) {
    if (a[i] == b[i]) continue;
    conflict.column = names[i];
    conflict.value_a = a[i];
    conflict.value_b = b[i];
    break;
  }
  return conflict;
}

Result<BatchResults, server::FileError> read_results(const std::string& folder, const BatchJob& job) {
  Result<std::vector<std::string>, server::FileError> const names = names_in(folder);
  if (!names) return names.error();
  BatchResults results;
  results.rows.resize(job.plan.run_count);
  std::vector<std::size_t> files(job.plan.run_count);  // of the rows, indices in `names`
  for (std::size_t f = 0; f < names->size(); ++f) {
    std::string const& name = (*names)[f];
    if (!name.ends_with(".rows")) continue;
    std::string const path = (fs::path(folder) / name).string();
    Result<std::string, server::FileError> const bytes = server::read_file(path, kMaxResultBytes);
    std::string fault;
    std::vector<std::string_view> const rows =
        bytes ? rows_of(*bytes, job, fault) : std::vector<std::string_view>{};
    if (!bytes || !fault.empty()) {
      results.faults.push_back(bytes ? path + ": " + fault : bytes.error().text);
      continue;
    }
    for (std::string_view const row : rows) {
      std::uint64_t const run = *run_of(row);
      if (!has_files(folder, job.plan.run(run))) continue;
      std::string& kept = results.rows[run];
      if (kept.empty()) {
        kept = row;
        files[run] = f;
        ++results.done;
      } else if (!results.conflict) {
        results.conflict = compare_rows(batch_columns(job), run, kept, std::string(row));
        if (!results.conflict) continue;
        results.conflict->file_a = (*names)[files[run]];
        results.conflict->file_b = name;
      }
    }
  }
  return results;
}

std::string batch_table(const BatchJob& job, const std::vector<std::string>& rows) {
  std::string out = batch_columns(job) + '\n';
  for (const std::string& row : rows) out += row + '\n';
  return out;
}

std::uint64_t digest_of(const std::string& table) { return hash_of(table); }

Result<std::string, server::FileError> read_table(const std::string& path) {
  return server::read_file(path, kMaxResultBytes);
}

Result<std::vector<std::string>, server::FileError> rows_of_table(const std::string& table,
                                                                  const std::string& path,
                                                                  const BatchJob& job) {
  std::string_view rest = table;
  std::string_view line;
  if (!take_line(rest, line) || line != batch_columns(job))
    return server::FileError{path + ":1: has other columns than a table of " + job.plan_path};
  std::vector<std::string> rows;
  while (take_line(rest, line)) {
    if (run_of(line) != rows.size()) {
      return server::FileError{path + ':' + std::to_string(rows.size() + 2) + ": expected run " +
                               std::to_string(rows.size())};
    }
    rows.emplace_back(line);
  }
  if (!rest.empty() || rows.size() != job.plan.run_count) {
    return server::FileError{path + ": has " + std::to_string(rows.size()) + " runs, and the plan " +
                             std::to_string(job.plan.run_count)};
  }
  return rows;
}

Result<ResultWriter, server::FileError> ResultWriter::create(const std::string& folder, const BatchJob& job,
                                                             const sim::BatchShard& shard,
                                                             std::chrono::milliseconds interval) {
  // No other process of any machine draws this name, so the file is this process's alone.
  std::string const name = "shard-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count) +
                           "-" + hash_text(net::draw_nonce()).substr(2) + ".rows";
  ResultWriter writer((fs::path(folder) / name).string(), head_of(job), interval);
  if (!writer.write(true)) return server::FileError{writer.failure_};
  return writer;
}

bool ResultWriter::write(bool is_new) {
  auto const began = std::chrono::steady_clock::now();
  std::string bytes = head_;
  for (const auto& [run, row] : rows_) bytes += row + '\n';
  bytes += "end " + hash_text(hash_of(bytes)) + '\n';
  Result<OutputFile, server::FileError> file =
      OutputFile::create(path_, is_new ? Latecomer::kNew : Latecomer::kReplace);
  if (!file) return failure_ = file.error().text, false;
  if (!file->write(std::as_bytes(std::span(bytes))) || !file->close())
    return failure_ = file->failure(), false;
  written_ = rows_.size();
  auto const now = std::chrono::steady_clock::now();
  bool const is_at_once = interval_.count() == 0;
  next_ =
      is_at_once ? now : now + std::max<std::chrono::steady_clock::duration>(interval_, 10 * (now - began));
  return true;
}

bool ResultWriter::add(std::uint64_t run, std::string row) {
  std::pair<std::uint64_t, std::string> added(run, std::move(row));
  rows_.insert(std::ranges::upper_bound(rows_, added), std::move(added));
  return std::chrono::steady_clock::now() < next_ || write(false);
}

bool ResultWriter::commit() { return written_ == rows_.size() || write(false); }

}  // namespace takt::cli
