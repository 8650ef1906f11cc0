#include "service/lease_desk.h"

#include <sys/random.h>

#include <cstring>
#include <utility>

#include "service/session.h"
#include "takt/core/bytes.h"

namespace takt::service {
namespace {

constexpr std::size_t kNameBytes = 8;

}  // namespace

// Sessions close themselves at the desk, which is whole until then.
LeaseDesk::~LeaseDesk() { take_ended(Clock::time_point::max()).clear(); }

void LeaseDesk::open(Session& session, std::function<void()> end) {
  std::lock_guard const lock(mutex_);
  owners_[&session].end = std::move(end);
}

void LeaseDesk::close(const Session& session) noexcept {
  std::lock_guard const lock(mutex_);
  owners_.erase(&session);
}

std::optional<Key> LeaseDesk::issue(Session& session, std::uint32_t handle, ThingKind kind) {
  Key key{};
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) return std::nullopt;
  Entry entry{{}, &session, handle, kind};
  std::memcpy(entry.secret.data(), key.data() + kNameBytes, entry.secret.size());
  std::lock_guard const lock(mutex_);
  bool const is_new = entries_.emplace(load_little_endian<std::uint64_t>(key.data()), entry).second;
  return is_new ? std::optional(key) : std::nullopt;  // else a generator that repeats itself
}

void LeaseDesk::forget(const Key& key) noexcept {
  std::lock_guard const lock(mutex_);
  entries_.erase(load_little_endian<std::uint64_t>(key.data()));
}

LeaseDesk::Find LeaseDesk::attach(std::span<const std::byte> key, ThingKind kind, Session& session,
                                  std::uint32_t& handle) {
  if (key.size() != kKeyBytes) return Find::kUnknown;
  std::function<void()> end;
  {
    std::lock_guard const lock(mutex_);
    auto const found = entries_.find(load_little_endian<std::uint64_t>(key.data()));
    if (found == entries_.end()) return Find::kUnknown;
    Entry& entry = found->second;
    std::byte difference{0};
    for (std::size_t i = 0; i < entry.secret.size(); ++i) difference |= entry.secret[i] ^ key[kNameBytes + i];
    auto const owner = owners_.find(entry.session);
    if (difference != std::byte{0} || owner == owners_.end()) return Find::kUnknown;
    if (entry.kind != kind) return Find::kOtherKind;
    if (entry.session == &session) return Find::kOwn;
    if (owner->second.session != nullptr) {
      handle = session.adopt(*owner->second.session, entry.handle);
      entry.session = &session;
      entry.handle = handle;
      return Find::kFound;
    }
    end = owner->second.end;
  }
  if (end != nullptr) end();
  return Find::kOpen;
}

void LeaseDesk::keep(std::unique_ptr<Session> session, Clock::time_point now) {
  if (session == nullptr || session->size() == 0 || !has_leases()) return;
  std::lock_guard const lock(mutex_);
  Owner& owner = owners_[session.get()];
  owner.end = nullptr;
  owner.lease_end = now + lease_;
  owner.session = std::move(session);
}

std::vector<std::unique_ptr<Session>> LeaseDesk::take_ended(Clock::time_point now) {
  std::vector<std::unique_ptr<Session>> ended;
  std::lock_guard const lock(mutex_);
  for (auto& [session, owner] : owners_) {
    if (owner.session != nullptr && owner.lease_end <= now) ended.push_back(std::move(owner.session));
  }
  for (const auto& session : ended) owners_.erase(session.get());
  return ended;
}

}  // namespace takt::service
