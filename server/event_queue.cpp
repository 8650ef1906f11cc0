#include "server/event_queue.h"

#include <utility>
#include <variant>

namespace takt::server {

bool EventQueue::push(protocol::ServerEvent&& event) {
  std::lock_guard const lock(mutex_);
  if (auto const* inputs = std::get_if<protocol::InputsArrived>(&event)) {
    if (inputs_count_ >= limits_.inputs_max) return false;
    std::size_t& own = inputs_[inputs->player];
    if (own >= limits_.inputs_per_player_max) return false;
    ++own;
    ++inputs_count_;
  }
  events_.push_back(std::move(event));
  return true;
}

bool EventQueue::pop(protocol::ServerEvent& out) {
  std::lock_guard const lock(mutex_);
  if (events_.empty()) return false;
  out = std::move(events_.front());
  events_.pop_front();
  if (auto const* inputs = std::get_if<protocol::InputsArrived>(&out)) {
    auto const own = inputs_.find(inputs->player);
    if (--own->second == 0) inputs_.erase(own);
    --inputs_count_;
  }
  return true;
}

}  // namespace takt::server
