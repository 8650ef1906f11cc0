// append_rollback() bounds what the queue of a ReplicaClient has of rollbacks that nobody takes. It does not
// bound other events.
#pragma once

#include <algorithm>
#include <deque>
#include <variant>

#include "takt/replica/replica_event.h"

namespace takt::client {

/// Appends a rollback to `events`, or extends the newest event if that is a rollback, too.
inline void append_rollback(std::deque<ReplicaClientEvent>& events, const RolledBack& back) {
  RolledBack* const newest = events.empty() ? nullptr : std::get_if<RolledBack>(&events.back());
  if (newest == nullptr) {
    events.emplace_back(back);
    return;
  }
  newest->from = std::min(newest->from, back.from);
  newest->to = std::max(newest->to, back.to);
}

}  // namespace takt::client
