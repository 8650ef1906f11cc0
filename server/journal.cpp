#include "server/journal.h"

#include <algorithm>
#include <utility>

#include "takt/core/assert.h"

namespace takt::server {
namespace {

/// Ticks without inputs, and hashes, of one chunk.
constexpr std::size_t kTicksPerChunk = 60;
/// An image that has not come after so many ticks is asked for again.
constexpr std::uint64_t kStartTicksMax = 600;

void append(std::vector<std::byte>& to, const std::vector<std::byte>& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

Journal::~Journal() {
  {
    Lock const lock(mutex_);
    is_stopping_ = true;
  }
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Journal::begin(const sim::Simulation& simulation, const sim::RecordingHead& head) {
  head_ = head;
  std::uint64_t const tick = simulation.tick();
  std::vector<std::byte> bytes = sim::encode_file_head(sim::kJournalVersion);
  append(bytes, sim::encode_header(head_, tick));
  append(bytes, sim::encode_image(tick, simulation.hash(), simulation.save()));
  file_first_tick_ = first_tick_ = end_tick_ = written_tick_ = first_hash_ = tick;
  Lock lock(mutex_);
  state_ = State::kOn;
  put(lock, {std::move(bytes), false});
  return state_ == State::kOn;
}

void Journal::start_thread() {
  TAKT_ASSERT(!thread_.joinable());
  thread_ = std::thread([this] { run_thread(); });
}

// ---------------------------------------------------------------- the room's side

void Journal::begin_tick(std::uint64_t tick, std::span<const sim::Input> inputs) {
  Lock lock(mutex_);
  if (state_ == State::kSuspended || state_ == State::kEnded) {
    ++status_.lost_ticks;
    return;
  }
  TAKT_ASSERT(tick == end_tick_);
  ++end_tick_;
  if (counts_.empty()) first_tick_ = tick;
  counts_.push_back(static_cast<std::uint32_t>(inputs.size()));
  sim::encode_sorted(inputs, inputs_);
  input_count_ += inputs.size();
  // Ticks without inputs lose nothing when they wait.
  if (!inputs.empty() || counts_.size() >= kTicksPerChunk || options_.sync_ms == 0) put_inputs(lock, true);
}

bool Journal::wants_image(std::uint64_t tick) {
  Lock lock(mutex_);
  // The shadow world has given the image up.
  if (state_ == State::kStarting && tick > start_tick_ + kStartTicksMax) {
    if (!is_rotating_) suspend();
    if (is_rotating_) state_ = State::kOn;
    is_rotating_ = false;
    held_.clear();
    held_bytes_ = 0;
  }
  // A file whose first image is larger than its share must not end at once: rotation would never stop.
  bool const is_full = options_.file_bytes_max > 0 && file_bytes_ > options_.file_bytes_max &&
                       tick >= file_first_tick_ + options_.image_every_ticks;
  bool const may_retry = state_ == State::kSuspended && store_.has_next() && Clock::now() >= retry_at_;
  if (may_retry || (state_ == State::kOn && is_full && store_.has_next())) {
    is_rotating_ = state_ == State::kOn;
    if (is_rotating_) put_inputs(lock, false);
    if (!is_rotating_) {
      counts_.clear();
      inputs_.clear();
      hashes_.clear();
      end_tick_ = written_tick_ = tick;
    }
    state_ = State::kStarting;
    start_tick_ = tick;
    start_hashes_.clear();
    return true;
  }
  return state_ == State::kOn && tick % options_.image_every_ticks == 0;
}

// ---------------------------------------------------------------- the shadow world's side

void Journal::handle_hash(std::uint64_t tick, std::uint64_t hash) {
  Lock lock(mutex_);
  if (state_ == State::kStarting && tick == start_tick_ + start_hashes_.size() + 1)
    start_hashes_.push_back(hash);
  bool const has_file = state_ == State::kOn || (state_ == State::kStarting && is_rotating_);
  if (!has_file || tick <= file_first_tick_ || tick > end_tick_) return;
  if (!hashes_.empty() && first_hash_ + hashes_.size() != tick - 1) put_hashes(lock);
  if (hashes_.empty()) first_hash_ = tick - 1;
  hashes_.push_back(hash);
  if (hashes_.size() >= kTicksPerChunk || options_.sync_ms == 0) put_hashes(lock);
}

void Journal::handle_image(std::uint64_t tick, std::uint64_t hash, std::vector<std::byte>&& image) {
  std::vector<std::byte> chunk = sim::encode_image(tick, hash, image);
  Lock lock(mutex_);
  if (state_ == State::kStarting && tick == start_tick_) {
    if (is_rotating_) put_hashes(lock);
    std::vector<std::byte> bytes = sim::encode_file_head(sim::kJournalVersion);
    append(bytes, sim::encode_header(head_, tick));
    append(bytes, chunk);
    state_ = State::kOn;
    is_rotating_ = false;
    hashes_ = std::exchange(start_hashes_, {});
    file_first_tick_ = first_hash_ = tick;
    input_count_ = 0;
    std::vector<Item> held = std::exchange(held_, {});
    held_bytes_ = 0;
    put(lock, {std::move(bytes), true});
    for (Item& item : held) put(lock, std::move(item));
    return;
  }
  if (state_ != State::kOn || tick < file_first_tick_) return;
  if (queue_bytes_ + chunk.size() > options_.queue_bytes_max) {
    ++status_.skipped_images;
    return;
  }
  put_inputs(lock, false);  // an image follows the inputs that lead to it
  put(lock, {std::move(chunk), false});
}

// ---------------------------------------------------------------- chunks

void Journal::put_inputs(Lock& lock, bool in_work) {
  if (counts_.empty()) return;
  std::vector<std::byte> chunk = sim::encode_inputs(first_tick_, counts_, inputs_, in_work);
  store_.keep(chunk);
  // The tick may be on its way to the old file and to the next one.
  if (state_ == State::kStarting && first_tick_ >= start_tick_) {
    held_bytes_ += chunk.size();
    if (held_bytes_ > options_.queue_bytes_max) return suspend();
    held_.push_back({chunk, false, end_tick_});
  }
  counts_.clear();
  inputs_.clear();
  if (state_ == State::kOn || is_rotating_) put(lock, {std::move(chunk), false, end_tick_});
}

void Journal::put_hashes(Lock& lock) {
  if (hashes_.empty()) return;
  put_inputs(lock, false);      // hashes follow the inputs that lead to them
  if (hashes_.empty()) return;  // the store has failed
  std::vector<std::byte> chunk = sim::encode_hashes(first_hash_, hashes_);
  hashes_.clear();
  if (state_ == State::kOn || is_rotating_) put(lock, {std::move(chunk), false});
}

void Journal::put(Lock& lock, Item&& item) {
  if (state_ == State::kSuspended || state_ == State::kEnded) return;
  bool const is_chunk = !item.begins_file;
  if (is_chunk && queue_bytes_ + item.bytes.size() > options_.queue_bytes_max && !queue_.empty())
    return suspend();
  queue_bytes_ += item.bytes.size();
  queue_.push_back(std::move(item));
  if (thread_.joinable()) {
    work_.notify_one();
    return;
  }
  while (!queue_.empty()) write_one(lock);
  if (options_.sync_ms == 0) sync(lock);
}

void Journal::suspend() {
  ++status_.failures;
  status_.lost_ticks += end_tick_ - written_tick_;  // what was on its way; a write under way counts, too
  written_tick_ = end_tick_;
  queue_.clear();
  queue_bytes_ = 0;
  held_.clear();
  held_bytes_ = 0;
  counts_.clear();
  inputs_.clear();
  hashes_.clear();
  is_rotating_ = false;
  is_unsynced_ = false;
  state_ = store_.has_next() ? State::kSuspended : State::kEnded;
  retry_at_ = Clock::now() + std::chrono::milliseconds(options_.retry_ms);
}

// The lock is open while the store writes.
void Journal::write_one(Lock& lock) {
  Item const item = std::move(queue_.front());
  queue_.pop_front();
  lock.unlock();
  bool const is_written = (!item.begins_file || store_.begin_next()) && store_.write(item.bytes);
  lock.lock();
  if (!is_written) return suspend();
  queue_bytes_ -= std::min(queue_bytes_, item.bytes.size());  // the queue may have been given up meanwhile
  file_bytes_ = item.begins_file ? item.bytes.size() : file_bytes_ + item.bytes.size();
  status_.written_bytes += item.bytes.size();
  written_tick_ = std::max(written_tick_, item.end_tick);
  is_unsynced_ = true;
}

void Journal::sync(Lock& lock) {
  if (!std::exchange(is_unsynced_, false)) return;
  lock.unlock();
  bool const is_synced = store_.sync();
  lock.lock();
  if (!is_synced && (state_ == State::kOn || is_rotating_)) suspend();
}

void Journal::run_thread() {
  Lock lock(mutex_);
  auto const interval = std::chrono::milliseconds(options_.sync_ms);
  Clock::time_point sync_at = Clock::now() + interval;
  for (;;) {
    work_.wait_until(lock, sync_at, [this] { return is_stopping_ || !queue_.empty(); });
    while (!queue_.empty()) write_one(lock);
    if (is_stopping_) return;
    if (options_.sync_ms > 0 && Clock::now() < sync_at) continue;
    if (options_.sync_ms > 0) {
      put_hashes(lock);
      put_inputs(lock, false);
      while (!queue_.empty()) write_one(lock);
    }
    sync(lock);
    sync_at = Clock::now() + (options_.sync_ms > 0 ? interval : std::chrono::milliseconds(1000));
  }
}

bool Journal::close() {
  Lock lock(mutex_);
  put_hashes(lock);
  put_inputs(lock, false);
  bool const is_whole = state_ == State::kOn;
  is_stopping_ = true;
  lock.unlock();
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
  thread_ = std::thread();
  lock.lock();
  while (!queue_.empty()) write_one(lock);
  if (state_ == State::kOn) put(lock, {sim::encode_journal_end(file_bytes_, end_tick_, input_count_), false});
  sync(lock);
  bool const is_closed = is_whole && state_ == State::kOn;
  state_ = State::kEnded;
  return is_closed;
}

JournalStatus Journal::status() const {
  Lock const lock(mutex_);
  JournalStatus status = status_;
  status.is_suspended = state_ == State::kSuspended || (state_ == State::kStarting && !is_rotating_);
  status.has_ended = state_ == State::kEnded;
  status.store_bytes = store_.bytes();
  status.store_bytes_max = store_.bytes_max();
  return status;
}

}  // namespace takt::server
