// Worker is a thread of ServiceHost's pool: how to wake it, its buffers, and its turn. ServiceHost decides
// what it does. A Worker stays until ServiceHost ends, and its thread may end before.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <thread>
#include <vector>

#include "service/wire/frame.h"
#include "service/worker_call.h"

namespace takt::service {

/// A thread of the pool of ServiceHost. Its buffers stay from turn to turn.
struct Worker {
  static constexpr std::size_t kKeptBytes = 1u << 20u;  // of each buffer, from connection to connection

  // Gives the memory of large requests and replies away.
  void trim() {
    if (requests.capacity() > kKeptBytes) free_bytes(requests);
    if (replies.capacity() > kKeptBytes) free_bytes(replies);
  }

  WorkerCall call;
  std::vector<std::byte> requests;
  std::vector<std::byte> replies;
  std::chrono::steady_clock::time_point gave_back{};  // a connection that it kept
  // The threads of a batch that it steps read it.
  std::atomic<std::chrono::steady_clock::time_point> turn_start{};
  // Guarded by the queue's mutex:
  std::thread thread;
  std::condition_variable change;  // of the two below
  bool is_spare = false;           // it takes no job until another worker parks
  bool is_parked = false;          // its step waits for its job in the queue, with all threads of the step
  bool has_ended = false;          // its thread takes no job any more
};

}  // namespace takt::service
