// RingDesk counts the shared memory of a service's connections, and gives it back to the system. A client
// that keeps its descriptor or its mapping keeps the file, whose pages the service was charged for: so the
// pages are removed from the file when the connection has ended. A client that has closed the connection
// loses them at once. One whose connection the service ended may still read its last reply: its memory stays,
// and counts, until its patience is over or another connection needs the room. Threads may call RingDesk at
// the same time; it has no thread and no clock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "service/client/shared_rings.h"
#include "takt/core/result.h"

namespace takt::service {

class RingDesk {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{10};  ///< with a client that may read its last reply

  /// `sum` counts the bytes of memory, and outlives the desk.
  explicit RingDesk(std::atomic<std::uint64_t>& sum) noexcept : sum_(&sum) {}
  RingDesk(const RingDesk&) = delete;
  RingDesk& operator=(const RingDesk&) = delete;

  /// New rings, unless all memory had more than `limit` bytes with them: RingFault::error is then EDQUOT.
  [[nodiscard]] Result<std::unique_ptr<SharedRings>, RingFault> open(const RingSizes& sizes,
                                                                     std::uint64_t limit);
  /// Takes the rings of an ended connection, which no thread of the service uses any more.
  void close(std::unique_ptr<SharedRings> rings, bool has_client_left, Clock::time_point now) noexcept;
  /// Gives the memory back whose patience is over.
  void free_ended(Clock::time_point now) noexcept;

 private:
  struct Ended {
    std::unique_ptr<SharedRings> rings;
    Clock::time_point end;
  };
  void free(SharedRings& rings) noexcept;
  void free_first() noexcept;

  std::atomic<std::uint64_t>* sum_;
  std::mutex mutex_;
  std::deque<Ended> ended_;  // the oldest first
};

}  // namespace takt::service
