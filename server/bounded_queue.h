// BoundedQueue is a first-in first-out queue between two threads. It has at most `capacity` items, except for
// those of push_always(). try_push() fails when the queue is full, try_pop() when it is empty; neither waits.
// push() waits for space; close() ends such a wait, and from then on push() drops its item. Server
// (server/app/server.cpp) uses one for events to the simulation thread and one for RoomUpdates to the network
// thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

namespace takt::server {

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// False when full: the item is left alone.
  [[nodiscard]] bool try_push(T&& item) {
    std::lock_guard const lock(mutex_);
    if (items_.size() >= capacity_) return false;
    items_.push_back(std::move(item));
    return true;
  }
  /// Waits for room. False when the queue was closed; the item is then dropped.
  bool push(T&& item) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return closed_ || items_.size() < capacity_; });
    if (closed_) return false;
    items_.push_back(std::move(item));
    return true;
  }
  /// Past the bound: for the few items that must not be lost and that something else bounds.
  void push_always(T&& item) {
    std::lock_guard const lock(mutex_);
    items_.push_back(std::move(item));
  }
  [[nodiscard]] bool try_pop(T& out) {
    {
      std::lock_guard const lock(mutex_);
      if (items_.empty()) return false;
      out = std::move(items_.front());
      items_.pop_front();
    }
    room_.notify_one();
    return true;
  }
  void close() {
    {
      std::lock_guard const lock(mutex_);
      closed_ = true;
    }
    room_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable room_;
  std::deque<T> items_;
  std::size_t capacity_;
  bool closed_ = false;
};

}  // namespace takt::server
