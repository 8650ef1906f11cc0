// RecordedBytes has the bytes of a world's recording that the client has not taken, and RecordedSink is the
// end of it that the world writes to. The bytes of all recordings of a session have one limit: a recording
// that meets it ends, and no other. The threads that step the world and the one that answers take turns.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "service/wire/world_calls.h"

namespace takt::service {

/// Bytes of all recordings of a session, and their limit.
struct RecordedSum {
  explicit RecordedSum(std::uint64_t bytes_max) : limit(bytes_max) {}

  std::uint64_t limit;
  std::atomic<std::uint64_t> bytes{0};

  [[nodiscard]] bool add(std::uint64_t count) noexcept {
    if (bytes.fetch_add(count, std::memory_order_relaxed) + count <= limit) return true;
    remove(count);
    return false;
  }
  void remove(std::uint64_t count) noexcept { bytes.fetch_sub(count, std::memory_order_relaxed); }
};

class RecordedBytes {
 public:
  explicit RecordedBytes(std::shared_ptr<RecordedSum> sum) : sum_(std::move(sum)) {}
  ~RecordedBytes() { sum_->remove(size() + edit_bytes_); }
  RecordedBytes(const RecordedBytes&) = delete;
  RecordedBytes& operator=(const RecordedBytes&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() - begin_; }
  [[nodiscard]] std::span<const std::byte> waiting() const noexcept {
    return std::span(bytes_).subspan(begin_);
  }
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }  ///< by the limit
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
  /// Takes the first bytes away.
  void drop(std::size_t count);
  /// Counts an edit until the tick's end. False beyond the limit.
  [[nodiscard]] bool add_edit(std::size_t count) noexcept;
  /// Counts the edits since the last write with the bytes that they have once they are encoded.
  void end_tick(std::size_t waiting_bytes) noexcept;
  /// Adds bytes; false beyond the limit, and without memory.
  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  void end() noexcept {
    end_tick(0);
    has_ended_ = true;
  }

 private:
  std::shared_ptr<RecordedSum> sum_;
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0;         // of `bytes_`, what the client has not taken
  std::uint64_t edit_bytes_ = 0;  // of edits that the world keeps until its next write, encoded or not
  bool is_cut_ = false;
  bool has_ended_ = false;
};

class RecordedSink final : public WorldRecorder {
 public:
  explicit RecordedSink(std::shared_ptr<RecordedBytes> bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] bool add_edit(std::size_t count) noexcept override { return bytes_->add_edit(count); }
  void end_tick(std::size_t waiting_bytes) noexcept override { bytes_->end_tick(waiting_bytes); }
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override { return bytes_->write(bytes); }
  void end() noexcept override { bytes_->end(); }

 private:
  std::shared_ptr<RecordedBytes> bytes_;
};

}  // namespace takt::service
