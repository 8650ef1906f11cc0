#include "server/update_mailbox.h"

#include <algorithm>
#include <utility>

namespace takt::server {
namespace {

/// Bytes around each fact: headers and containers, as a rough estimate.
constexpr std::size_t kFactBytes = 64;
/// Bytes of a body's description, and of each of its shapes.
constexpr std::size_t kBodyInfoBytes = 128;

std::size_t bytes_of(const std::vector<protocol::BodyInfo>& bodies) noexcept {
  std::size_t bytes = 0;
  for (const protocol::BodyInfo& body : bodies) bytes += kBodyInfoBytes * (1 + body.shapes.size());
  return bytes;
}

std::size_t bytes_of(const protocol::QueryResult& result) noexcept {
  return kFactBytes + result.answers.size() * sizeof(protocol::QueryAnswer) +
         result.hits.size() * sizeof(protocol::QueryHit);
}

bool has_facts(const RoomUpdate& update) noexcept {
  return update.change || !update.added.empty() || !update.removed.empty() || !update.outcomes.empty() ||
         !update.welcomes.empty() || !update.kicks.empty() || !update.answers.empty() ||
         !update.replies.empty() || !update.messages.empty() || !update.broken_joints.empty() ||
         !update.confirmed.empty() || update.images || !update.desync_replies.empty() ||
         !update.mode_changes.empty();
}

// The contents of which only the newest counts move out of `older` when `newer` has them too.
void keep_newest(RoomUpdate& older, RoomUpdate& newer, RoomUpdate& replaced) {
  if (newer.snapshot) {
    if (older.snapshot) replaced.snapshot.swap(older.snapshot);
    replaced.movers.swap(older.movers);
    if (older.ropes) replaced.ropes.swap(older.ropes);
  }
  if (newer.inside && older.inside) replaced.inside.swap(older.inside);
  if (newer.stats) older.stats.reset();
}

}  // namespace

void UpdateMailbox::put(RoomUpdate&& update) {
  RoomUpdate replaced;  // is freed after the lock
  std::lock_guard const lock(mutex_);
  for (RoomUpdate& older : waiting_) keep_newest(older, update, replaced);
  std::erase_if(waiting_, [](const RoomUpdate& older) {
    return !has_facts(older) && !older.snapshot && !older.inside && !older.stats;
  });
  count(update);
  waiting_.push_back(std::move(update));
  if (shared_bytes_ > bytes_max_) return drop_all();
  for (auto const& [player, bytes] : player_bytes_)
    if (bytes + shared_bytes_ > bytes_max_) gone_.insert(player);
  for (sim::PlayerId const player : gone_) drop_player(player);
}

bool UpdateMailbox::take(Delivery& out) {
  out = {};
  std::lock_guard const lock(mutex_);
  if (waiting_.empty()) return false;
  for (sim::PlayerId const player : gone_)
    waiting_.back().kicks.push_back(
        {player, "too much waits for you", protocol::DisconnectReason::kSlowReader});
  out.updates.swap(waiting_);
  out.is_overrun = std::exchange(is_overrun_, false);
  player_bytes_.clear();
  shared_bytes_ = 0;
  gone_.clear();
  return true;
}

void UpdateMailbox::count(const RoomUpdate& update) {
  shared_bytes_ += bytes_of(update.added) + 8 * (update.removed.size() + update.broken_joints.size());
  for (const protocol::ConfirmedTick& tick : update.confirmed)
    shared_bytes_ += kFactBytes + tick.record.size();
  for (auto const& [player, outcome] : update.outcomes)
    player_bytes_[player] += kFactBytes + outcome.text.size();
  for (const Welcome& welcome : update.welcomes)
    player_bytes_[welcome.player] += kFactBytes;  // the bodies are shared
  for (const ControlAnswer& answer : update.answers)
    player_bytes_[answer.player] += kFactBytes + answer.result.text.size();
  for (const QueryReply& reply : update.replies) player_bytes_[reply.player] += bytes_of(reply.result);
  for (const DesyncReply& reply : update.desync_replies)
    player_bytes_[reply.player] += kFactBytes + reply.answer.answer.size();
  for (const sim::GameMessage& message : update.messages) {
    std::size_t const bytes = kFactBytes + message.bytes.size();
    if (message.player == sim::kServerPlayer) {
      shared_bytes_ += bytes;
    } else {
      player_bytes_[message.player] += bytes;
    }
  }
}

void UpdateMailbox::drop_player(sim::PlayerId player) {
  auto const is_for = [player](const auto& fact) { return fact.player == player; };
  for (RoomUpdate& update : waiting_) {
    std::erase_if(update.outcomes, is_for);
    std::erase_if(update.welcomes, is_for);
    std::erase_if(update.answers, is_for);
    std::erase_if(update.replies, is_for);
    std::erase_if(update.desync_replies, is_for);
    std::erase_if(update.messages, is_for);
    if (update.images) std::erase_if(update.images->receivers, is_for);
  }
  player_bytes_.erase(player);
}

// The newest description of the room stays: the sessions that follow begin with it.
void UpdateMailbox::drop_all() {
  RoomUpdate left;
  left.tick = waiting_.back().tick;
  left.epoch = waiting_.back().epoch;
  for (RoomUpdate& update : waiting_)
    if (update.change) left.change = std::move(update.change);
  waiting_.clear();
  waiting_.push_back(std::move(left));
  player_bytes_.clear();
  shared_bytes_ = 0;
  gone_.clear();
  is_overrun_ = true;
}

}  // namespace takt::server
