#include "service/ring_desk.h"

#include <cerrno>
#include <exception>
#include <string>
#include <utility>

namespace takt::service {

Result<std::unique_ptr<SharedRings>, RingFault> RingDesk::open(const RingSizes& sizes, std::uint64_t limit) {
  std::lock_guard const lock(mutex_);
  auto const is_full = [&] { return sum_->load(std::memory_order_relaxed) + sizes.memory_bytes() > limit; };
  while (is_full() && !ended_.empty()) free_first();
  if (is_full())
    return RingFault{
        "limit rings: connections with shared memory have " + std::to_string(limit >> 20u) + " MiB of it",
        EDQUOT};
  auto rings = SharedRings::create(sizes);
  if (!rings)
    return RingFault{"the service has no shared memory (" + rings.error().text + ")", rings.error().error};
  sum_->fetch_add((*rings)->size_bytes(), std::memory_order_relaxed);
  return rings;
}

void RingDesk::close(std::unique_ptr<SharedRings> rings, bool has_client_left,
                     Clock::time_point now) noexcept {
  std::lock_guard const lock(mutex_);
  if (has_client_left) return free(*rings);
  try {
    ended_.emplace_back();
  } catch (const std::exception&) {
    return free(*rings);  // without memory nobody waits for a client
  }
  ended_.back() = {std::move(rings), now + kPatience};
}

void RingDesk::free_ended(Clock::time_point now) noexcept {
  std::lock_guard const lock(mutex_);
  while (!ended_.empty() && ended_.front().end <= now) free_first();
}

void RingDesk::free_first() noexcept {
  free(*ended_.front().rings);
  ended_.pop_front();
}

void RingDesk::free(SharedRings& rings) noexcept {
  rings.remove_memory();
  sum_->fetch_sub(rings.size_bytes(), std::memory_order_relaxed);
}

}  // namespace takt::service
