// WorkerCall ends the wait of a thread of ServiceHost's pool. The thread waits for its call and for a
// connection: in poll() with an eventfd, or at the words of a ring and of the call. Any thread calls wake().
// A client cannot hold a call up: the word of the call is not in shared memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "service/client/shared_rings.h"
#include "service/client/spin_wait.h"

namespace takt::service {

class WorkerCall {
 public:
  WorkerCall() noexcept;
  ~WorkerCall();
  WorkerCall(const WorkerCall&) = delete;
  WorkerCall& operator=(const WorkerCall&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return event_ >= 0; }  ///< false: the system refuses it
  /// Ends the wait, or the next one.
  void wake() noexcept;

  /// Waits for wake(), and for bytes of a socket unless it is -1. The worker alone calls it.
  void wait(int socket) noexcept;
  /// Waits for wake(), and for bytes of the ring of requests. Needs can_wait_at_either().
  void wait(SharedRings& rings) noexcept;

 private:
  int event_;
  std::atomic<std::uint32_t> word_{0};    // 1 = called
  std::atomic<bool> is_at_words_{false};  // the worker waits at words, or is about to
  SpinWait spin_;
};

}  // namespace takt::service
