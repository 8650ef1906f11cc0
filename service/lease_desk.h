// LeaseDesk finds worlds and batches of a service by their keys, and keeps the sessions of ended connections
// for the time of their lease. A client that has lost its connection gives the key on a new one, and the new
// session gets the world (Session::handle, Attach). A key is 8 bytes that name the entry and 16 secret ones,
// both from the system's random numbers; the secret ones are compared in constant time. A key of a world
// whose connection is open ends that connection: the service may not have noticed yet that its client is
// gone. Threads may call LeaseDesk at the same time; it has no thread and no clock.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "service/thing.h"

namespace takt::service {

class Session;

class LeaseDesk {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Find : std::uint8_t {
    kFound,
    kUnknown,    ///< no such key, or another secret part
    kOtherKind,  ///< a batch and not a world, or the other way round
    kOwn,        ///< the session has it
    kOpen,       ///< another connection had it, which ends now: try again
  };

  /// Zero seconds: sessions end with their connections, and nothing has a key.
  explicit LeaseDesk(std::uint32_t lease_s) : lease_(std::chrono::seconds(lease_s)) {}
  ~LeaseDesk();  ///< destroys the sessions under lease; the others must be gone
  LeaseDesk(const LeaseDesk&) = delete;
  LeaseDesk& operator=(const LeaseDesk&) = delete;

  [[nodiscard]] bool has_leases() const noexcept { return lease_.count() != 0; }

  /// Registers a session; `end` ends its connection, and may be called on any thread.
  void open(Session& session, std::function<void()> end);
  /// Takes a session out, whose keys are forgotten. Its destructor calls this.
  void close(const Session& session) noexcept;

  /// A new key of a thing of the session. None when the system has no random numbers.
  [[nodiscard]] std::optional<Key> issue(Session& session, std::uint32_t handle, ThingKind kind);
  void forget(const Key& key) noexcept;
  /// Moves the thing of the key from a session under lease to `session`, which gives it a handle.
  [[nodiscard]] Find attach(std::span<const std::byte> key, ThingKind kind, Session& session,
                            std::uint32_t& handle);

  /// Keeps a session whose connection has ended, unless there are no leases: then it is destroyed.
  void keep(std::unique_ptr<Session> session, Clock::time_point now);
  /// Takes the sessions out whose lease has ended.
  [[nodiscard]] std::vector<std::unique_ptr<Session>> take_ended(Clock::time_point now);

 private:
  struct Entry {
    std::array<std::byte, kKeyBytes - 8> secret;
    Session* session;  // an address alone, unless it is under lease
    std::uint32_t handle;
    ThingKind kind;
  };
  struct Owner {
    std::function<void()> end;
    std::unique_ptr<Session> session;  // under lease
    Clock::time_point lease_end;
  };

  std::chrono::seconds lease_;
  std::mutex mutex_;
  std::map<std::uint64_t, Entry> entries_;  // by the first 8 bytes of the key
  std::map<const Session*, Owner> owners_;
};

}  // namespace takt::service
