// takt batch: runs of many scenes, values and seeds after a plan, divided among machines. docs/BATCH.md is
// the guide. The commands share no state but files: a folder of results, which any number of processes may
// fill at once, on one machine or on several that share the folder.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cli/batch_job.h"
#include "cli/batch_results.h"
#include "cli/batch_runner.h"
#include "cli/difference_text.h"
#include "cli/file_claims.h"
#include "cli/game_option.h"
#include "cli/json_text.h"
#include "cli/number_option.h"
#include "cli/output_file.h"
#include "cli/path_option.h"
#include "cli/progress_bar.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "cli/world_options.h"
#include "takt/cli/takt_main.h"
#include "takt/core/task_pool.h"

namespace takt::cli {
namespace {

struct BatchOptions {
  std::string plan_path;
  std::string results_path;
  std::string shard = "1/1";
  std::string threads = "1";
  std::uint32_t sync_ms = 1000;
  std::string table_path;
  std::string csv_path;
  std::optional<std::uint64_t> digest;
  std::uint64_t repeat = 0;
  std::string game;
  std::string version;
  bool until_input_ends = false;
  bool json = false;
  const server::GameRegistry* games = nullptr;
};

StopFlag g_is_stopped{false};
static_assert(StopFlag::is_always_lock_free, "a signal handler writes it");

void catch_stop_signals() {
  auto* const stop = +[](int) { g_is_stopped = true; };
  for (int const signal : {SIGINT, SIGTERM}) std::signal(signal, stop);
  if (std::signal(SIGHUP, stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // of nohup
}

// A thread that stops the runs when the standard input ends.
class InputWatch {
 public:
  explicit InputWatch(bool is_wanted) {
    if (!is_wanted) return;
    thread_ = std::thread([this] {
      while (!is_over_ && !g_is_stopped) {
        if (has_input_ended(100)) g_is_stopped = true;
      }
    });
  }
  ~InputWatch() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }
  InputWatch(const InputWatch&) = delete;
  InputWatch& operator=(const InputWatch&) = delete;

 private:
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

// "3/7", checked by the option.
sim::BatchShard shard_of(const std::string& text) {
  std::size_t const slash = text.find('/');
  return {std::stoull(text.substr(0, slash)), std::stoull(text.substr(slash + 1))};
}

std::string check_shard(std::string& text) {
  std::string const problem = "expected K/N, such as 3/7: shard 3 of 7, with N up to " +
                              std::to_string(sim::kMaxBatchShards) + ", not " + text;
  std::size_t const slash = text.find('/');
  if (slash == std::string::npos) return problem;
  std::string index = text.substr(0, slash), count = text.substr(slash + 1);
  if (!check_number(count, std::uint64_t{1}, sim::kMaxBatchShards).empty()) return problem;
  if (!check_number(index, std::uint64_t{1}, std::uint64_t{std::stoull(count)}).empty()) return problem;
  text = index + '/' + count;  // without leading zeros
  return {};
}

// "3-7 9": runs without a result.
std::string ranges_of(const std::vector<std::uint64_t>& runs, const char* separator) {
  std::string out;
  for (std::size_t i = 0; i < runs.size();) {
    std::size_t end = i + 1;
    while (end < runs.size() && runs[end] == runs[end - 1] + 1) ++end;
    out += (i == 0 ? "" : separator) + std::to_string(runs[i]);
    if (end - i > 1) out += '-' + std::to_string(runs[end - 1]);
    i = end;
  }
  return out;
}

std::vector<std::uint64_t> missing_of(const BatchResults& results) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t run = 0; run < results.rows.size(); ++run)
    if (results.rows[run].empty()) out.push_back(run);
  return out;
}

std::string count_text(std::uint64_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

Result<BatchJob, server::FileError> load_job(const BatchOptions& options, FileClaims& claims) {
  return load_batch_job(options.plan_path, options.version, options.game, claims);
}

// ------------------------------------------------------------ run

// The runs of one shard that have no result, on several threads.
class ShardRun {
 public:
  ShardRun(const BatchOptions& options, const BatchJob& job, std::vector<std::uint64_t> runs, TaskPool* pool)
      : job_(job), runs_(std::move(runs)), pool_(pool) {
    std::uint32_t const workers = pool_ != nullptr ? pool_->worker_count() : 1;
    for (std::uint32_t i = 0; i < workers; ++i)
      runners_.emplace_back(job, *options.games, options.results_path, g_is_stopped);
    for (std::uint64_t const run : runs_) ticks_ += job.plan.run(run).variant->ticks;
  }

  // Loads each scene with its values once, so that bad input is found before the first tick. Runs of one
  // combination differ in the seed of the world's random stream, which takes any seed, or in the value of
  // seed_path, which may not.
  Result<Unit, server::FileError> check() {
    std::vector<std::uint64_t> checked;
    sim::BatchRun last;
    for (std::uint64_t const index : runs_) {
      sim::BatchRun const run = job_.plan.run(index);
      bool const is_same = run.variant == last.variant && run.combination == last.combination;
      if (!is_same || !run.variant->seed_path.empty()) checked.push_back(index);
      last = run;
    }
    std::size_t first_bad = checked.size();
    std::string fault;
    for_each(checked.size(), [&](std::size_t at, std::uint32_t worker) {
      if (g_is_stopped) return;
      {
        std::scoped_lock const lock(mutex_);
        if (at > first_bad) return;
      }
      auto const result = runners_[worker].check(job_.plan.run(checked[at]));
      std::scoped_lock const lock(mutex_);
      if (result || at > first_bad) return;
      first_bad = at;
      fault = message(result.error());
    });
    if (!fault.empty()) return server::FileError{fault};
    return Unit{};
  }

  int execute(ResultWriter& writer) {
    writer_ = &writer;
    ProgressBar bar(ticks_, true);
    bar_ = &bar;
    began_ = std::chrono::steady_clock::now();
    for_each(runs_.size(), [this](std::size_t at, std::uint32_t worker) { run(at, worker); });
    bar.clear();
    // The rows before a failure are results.
    if (!writer.commit() && failure_.empty()) failure_ = writer.failure();
    if (!failure_.empty()) print_error(failure_);
    if (failure_.empty() && g_is_stopped)
      print_error("interrupted after " + std::to_string(writer.written()) + " of " +
                  count_text(runs_.size(), "run") + "; the same command goes on");
    return failure_.empty() && !g_is_stopped ? kExitDone : kExitFailed;
  }

 private:
  // Calls act(item, worker) for the items below `count`, on the threads of the pool.
  template <class Act>
  void for_each(std::size_t count, Act act) {
    auto const part = [](void* context, std::size_t first, std::size_t end, std::uint32_t worker) {
      for (std::size_t at = first; at < end; ++at) (*static_cast<Act*>(context))(at, worker);
    };
    if (pool_ != nullptr) return pool_->for_each(count, 1, {part, &act});
    part(&act, 0, count, 0);
  }

  void run(std::size_t at, std::uint32_t worker) {
    if (g_is_stopped || has_failed_) return;
    sim::BatchRun const run = job_.plan.run(runs_[at]);
    BatchRunner::Outcome outcome = runners_[worker].run(run);
    std::scoped_lock const lock(mutex_);
    if (!outcome.row.empty()) {
      if (!writer_->add(run.index, std::move(outcome.row))) outcome.failure = writer_->failure();
      done_ticks_ += run.variant->ticks;
      bar_->show(done_ticks_,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count());
    }
    if (outcome.failure.empty() || has_failed_) return;
    failure_ = std::move(outcome.failure);
    has_failed_ = true;
  }

  const BatchJob& job_;
  std::vector<std::uint64_t> runs_;
  TaskPool* pool_;
  std::vector<BatchRunner> runners_;  // by worker
  std::uint64_t ticks_ = 0;
  std::atomic<bool> has_failed_{false};
  // The rest under mutex_ while runs go on.
  std::mutex mutex_;
  std::uint64_t done_ticks_ = 0;
  std::string failure_;
  ResultWriter* writer_ = nullptr;
  ProgressBar* bar_ = nullptr;
  std::chrono::steady_clock::time_point began_{};
};

void print_shard(const BatchOptions& options, std::uint64_t count, std::uint64_t before, std::uint64_t done) {
  if (options.json) {
    std::printf("{\"shard\":%s,\"runs\":%" PRIu64 ",\"done\":%" PRIu64 ",\"computed\":%" PRIu64 "}\n",
                json_text(options.shard).c_str(), count, before + done, done);
  } else {
    std::printf("shard %s: %" PRIu64 " of %s done, %" PRIu64 " computed\n", options.shard.c_str(),
                before + done, count_text(count, "run").c_str(), done);
  }
}

int run_shard(const BatchOptions& options) {
  fill_standard_streams();
  FileClaims claims;
  Result<BatchJob, server::FileError> const job = load_job(options, claims);
  if (!job) return print_error(message(job.error())), kExitBadInput;
  Result<bool, server::FileError> const has = has_results(options.results_path, *job);
  if (!has) return print_error(message(has.error())), kExitBadInput;
  Result<BatchResults, server::FileError> results = BatchResults{};
  results->rows.resize(job->plan.run_count);
  if (*has) results = read_results(options.results_path, *job);
  if (!results) return print_error(message(results.error())), kExitBadInput;
  sim::BatchShard const shard = shard_of(options.shard);
  std::vector<std::uint64_t> runs;
  std::uint64_t count = 0;
  for (std::uint64_t run = shard.index - 1; run < job->plan.run_count; run += shard.count) {
    ++count;
    if (results->rows[run].empty()) runs.push_back(run);
  }
  std::uint64_t const before = count - runs.size();
  catch_stop_signals();
  InputWatch const watch(options.until_input_ends);
  std::unique_ptr<TaskPool> const pool = make_pool(options.threads);
  ShardRun run(options, *job, std::move(runs), pool.get());
  if (auto const checked = run.check(); !checked) return print_error(message(checked.error())), kExitBadInput;
  if (auto const claimed = claim_results_folder(options.results_path, *job); !claimed)
    return print_error(message(claimed.error())), kExitBadInput;
  if (before == count) return print_shard(options, count, before, 0), kExitDone;
  Result<ResultWriter, server::FileError> writer =
      ResultWriter::create(options.results_path, *job, shard, std::chrono::milliseconds(options.sync_ms));
  if (!writer) return print_error(message(writer.error())), kExitBadInput;
  for (const std::string& fault : results->faults) print_error(fault);
  int const code = run.execute(*writer);
  print_shard(options, count, before, writer->written());
  return code;
}

// ------------------------------------------------------------ merge, status, verify

int merge(const BatchOptions& options) {
  fill_standard_streams();
  FileClaims claims;
  claims.add_input_folder("--results", options.results_path);
  claims.add_output("--csv", options.csv_path, OutputKind::kFile);
  Result<BatchJob, server::FileError> const job = load_job(options, claims);
  if (!job) return print_error(message(job.error())), kExitBadInput;
  if (auto const checked = claims.check(); !checked)
    return print_error(message(checked.error())), kExitBadInput;
  if (auto const checked = check_results_folder(options.results_path, *job); !checked)
    return print_error(message(checked.error())), kExitBadInput;
  Result<OutputFile, server::FileError> file = OutputFile::create(options.csv_path, Latecomer::kReplace);
  if (!file) return print_error(message(file.error())), kExitBadInput;
  Result<BatchResults, server::FileError> const results = read_results(options.results_path, *job);
  if (!results) return print_error(message(results.error())), kExitBadInput;
  for (const std::string& fault : results->faults) print_error(fault);
  if (results->conflict) return print_error(message(*results->conflict)), kExitFailed;
  if (!results->is_complete()) {
    std::vector<std::uint64_t> const missing = missing_of(*results);
    print_error(options.results_path + ": " + std::to_string(missing.size()) + " of " +
                count_text(results->rows.size(), "run") + " have no result, the first is run " +
                std::to_string(missing.front()) + "; 'batch run' makes them");
    return kExitFailed;
  }
  std::string const table = batch_table(*job, results->rows);
  if (!file->write(std::as_bytes(std::span(table))) || !file->close())
    return print_error(file->failure()), kExitFailed;
  char const* const form =
      options.json ? "{\"runs\":%" PRIu64 ",\"digest\":\"%s\"}\n" : "runs %" PRIu64 " digest %s\n";
  std::printf(form, results->done, hash_text(digest_of(table)).c_str());
  return kExitDone;
}

int print_status(const BatchOptions& options) {
  FileClaims claims;
  Result<BatchJob, server::FileError> const job = load_job(options, claims);
  if (!job) return print_error(message(job.error())), kExitBadInput;
  if (auto const checked = check_results_folder(options.results_path, *job); !checked)
    return print_error(message(checked.error())), kExitBadInput;
  Result<BatchResults, server::FileError> const results = read_results(options.results_path, *job);
  if (!results) return print_error(message(results.error())), kExitBadInput;
  for (const std::string& fault : results->faults) print_error(fault);
  if (results->conflict) print_error(message(*results->conflict));
  std::vector<std::uint64_t> const missing = missing_of(*results);
  std::string const digest =
      results->is_complete() ? hash_text(digest_of(batch_table(*job, results->rows))) : "";
  if (options.json) {
    std::printf("{\"runs\":%zu,\"done\":%" PRIu64 ",\"missing\":%s,\"faults\":%zu,\"digest\":%s}\n",
                results->rows.size(), results->done, json_text(ranges_of(missing, " ")).c_str(),
                results->faults.size() + (results->conflict ? 1 : 0),
                digest.empty() ? "null" : json_text(digest).c_str());
  } else {
    std::printf("runs %zu done %" PRIu64 "%s%s%s%s\n", results->rows.size(), results->done,
                missing.empty() ? "" : " missing ", ranges_of(missing, " ").c_str(),
                digest.empty() ? "" : " digest ", digest.c_str());
  }
  return results->is_complete() ? kExitDone : kExitFailed;
}

// Runs that are distributed evenly over the plan.
std::optional<RowConflict> repeat_runs(const BatchOptions& options, const BatchJob& job,
                                       const std::vector<std::string>& rows, std::string& failure) {
  BatchRunner runner(job, *options.games, "", g_is_stopped);
  std::uint64_t const count = std::min<std::uint64_t>(options.repeat, rows.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t const index = i * rows.size() / count;
    BatchRunner::Outcome const outcome = runner.run(job.plan.run(index));
    if (g_is_stopped) failure = "interrupted after " + std::to_string(i) + " of " + count_text(count, "run");
    if (!outcome.failure.empty()) failure = outcome.failure;
    if (!failure.empty()) return std::nullopt;
    std::optional<RowConflict> conflict = compare_rows(batch_columns(job), index, rows[index], outcome.row);
    if (!conflict) continue;
    conflict->file_a = options.table_path;
    conflict->file_b = "a second run";
    return conflict;
  }
  return std::nullopt;
}

int verify(const BatchOptions& options) {
  FileClaims claims;
  claims.add_input("the table", options.table_path);
  Result<BatchJob, server::FileError> const job = load_job(options, claims);
  if (!job) return print_error(message(job.error())), kExitBadInput;
  Result<std::string, server::FileError> const table = read_table(options.table_path);
  if (!table) return print_error(message(table.error())), kExitBadInput;
  Result<std::vector<std::string>, server::FileError> const rows =
      rows_of_table(*table, options.table_path, *job);
  if (!rows) return print_error(message(rows.error())), kExitFailed;
  std::uint64_t const digest = digest_of(*table);
  if (options.digest && *options.digest != digest) {
    print_error(options.table_path + ": the digest is " + hash_text(digest) + ", not " +
                hash_text(*options.digest));
    return kExitFailed;
  }
  catch_stop_signals();
  std::string failure;
  if (auto const conflict = repeat_runs(options, *job, *rows, failure)) failure = message(*conflict);
  if (!failure.empty()) return print_error(failure), kExitFailed;
  std::uint64_t const repeated = std::min<std::uint64_t>(options.repeat, rows->size());
  char const* const form =
      options.json ? "{\"verified\":true,\"runs\":%zu,\"digest\":\"%s\",\"repeated\":%" PRIu64 "}\n"
                   : "verified: runs %zu digest %s repeated %" PRIu64 "\n";
  std::printf(form, rows->size(), hash_text(digest).c_str(), repeated);
  return kExitDone;
}

}  // namespace

void add_batch(CLI::App& app, Action& action, const Program& program) {
  auto const options = std::make_shared<BatchOptions>();
  options->games = &program.games;
  options->version = version_text(program, "batch");
  CLI::App* const batch = app.add_subcommand(
      "batch", "Run scenes with many values and seeds after a plan, on one machine or many");
  batch->require_subcommand(1);
  auto const add = [&](const char* name, const char* purpose, int (*act)(const BatchOptions&)) {
    CLI::App* const command = batch->add_subcommand(name, purpose);
    add_path(*command, "plan", options->plan_path, PathKind::kFile, "Plan: a JSON file (docs/BATCH.md)")
        ->required();
    add_game_option(*command, options->game, program.games);
    command->add_flag("--json", options->json, "One JSON object instead of text");
    command->callback([options, act, &action] { action = [options, act] { return act(*options); }; });
    return command;
  };
  CLI::App* const run =
      add("run", "Run what has no result yet: a shard of the plan, or all of it", run_shard);
  CLI::App* const merge_command =
      add("merge", "Write the table of all runs, in their order, and print its digest", merge);
  CLI::App* const status = add("status", "Print which runs have a result", print_status);
  CLI::App* const verify_command =
      add("verify", "Check that a table has each run of the plan, and run some of them again", verify);
  for (CLI::App* const command : {run, merge_command, status}) {
    add_path(*command, "--results", options->results_path, PathKind::kFolder,
             "Folder of results: a new one, or one of this plan")
        ->required();
  }
  run->add_option("--shard", options->shard,
                  "K/N: the K-th of N shards, which are run K - 1 and each N-th one after it")
      ->transform(CLI::Validator(check_shard, "K/N", "shard"))
      ->capture_default_str();
  add_threads_option(*run, options->threads, "Runs at a time");
  add_number(*run, "--sync-ms", options->sync_ms, 0, 3'600'000,
             "Milliseconds between two writes of finished runs to the disk; 0 writes after each run")
      ->capture_default_str();
  run->add_flag("--until-input-ends", options->until_input_ends, kUntilInputEndsText);
  add_path(*merge_command, "--csv", options->csv_path, PathKind::kFile,
           "Write the table to this file, - = stdout")
      ->required();
  add_path(*verify_command, "table", options->table_path, PathKind::kFile, "Table file of 'batch merge'")
      ->required();
  add_number(*verify_command, "--digest", options->digest, 0, UINT64_MAX,
             "The digest that the table must have, as 'batch merge' prints it");
  add_number(*verify_command, "--repeat", options->repeat, 0, sim::kMaxBatchRuns,
             "Simulate this number of runs again, distributed evenly, and compare their rows")
      ->capture_default_str();
}

}  // namespace takt::cli
