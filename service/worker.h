// Worker is a thread of ServiceHost's pool: how to wake it, its buffers, and its turn. ServiceHost decides
// what it does.
#pragma once

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "service/worker_call.h"

namespace takt::service {

/// A thread of the pool of ServiceHost. Its buffers stay from turn to turn.
struct Worker {
  // Gives the memory of large requests and replies away.
  void trim() {
    constexpr std::size_t kKeptBytes = 1u << 20u;
    if (requests.capacity() > kKeptBytes) requests = {};
    if (replies.capacity() > kKeptBytes) replies = {};
  }

  WorkerCall call;
  std::vector<std::byte> requests;
  std::vector<std::byte> replies;
  std::chrono::steady_clock::time_point gave_back{};  // a connection that it kept
  std::chrono::steady_clock::time_point turn_start{};
  std::thread::id thread{};  // written before it has a connection
  // Guarded by the queue's mutex:
  bool is_spare = false;   // it takes no job until another worker parks
  bool is_parked = false;  // it is within a step, and waits for its job in the queue
};

}  // namespace takt::service
