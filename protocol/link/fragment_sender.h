// FragmentSender is the sending half of the reliable ordered channel over datagrams. It cuts messages into
// numbered fragments and queues them. next() returns the next fragment to send: lost fragments first, then
// new ones within a window. DatagramLink has one FragmentSender, reports each fragment as delivered or lost,
// and adds time, rate and datagram headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "protocol/wire/datagram.h"

namespace takt::protocol {

class FragmentSender {
 public:
  /// `window`: fragments that may be in flight at once; no greater than the receiver's.
  explicit FragmentSender(std::uint32_t window) : window_(window) {}

  /// Queues a message of 1 .. kReliableBytesMax bytes (asserted).
  void push(std::span<const std::byte> message);

  /// The next fragment that may go and fits `room_bytes` with its section header: lost ones first, then new
  /// ones. False: none. The section's payload stays valid until the fragment is acknowledged.
  [[nodiscard]] bool next(std::size_t room_bytes, Section& out);
  /// There is a fragment that may go now.
  [[nodiscard]] bool is_ready() const noexcept;

  void handle_delivered(std::uint32_t fragment);
  void handle_lost(std::uint32_t fragment);

  /// Bytes not yet acknowledged.
  [[nodiscard]] std::size_t backlog_bytes() const noexcept { return backlog_bytes_; }
  /// Fragments handed out more than once so far.
  [[nodiscard]] std::uint64_t resent_count() const noexcept { return resent_count_; }

 private:
  enum class State : std::uint8_t { kUnsent, kInFlight, kLost, kDelivered };
  struct Fragment {
    std::vector<std::byte> bytes;
    bool last = false;
    State state = State::kUnsent;
  };
  [[nodiscard]] Fragment* find(std::uint32_t number) noexcept;
  [[nodiscard]] bool send(std::uint32_t offset, std::size_t room_bytes, Section& out);

  std::uint32_t window_;
  std::deque<Fragment> fragments_;  // numbers base_, base_ + 1, ...
  std::deque<std::uint32_t> lost_;  // numbers, may hold ones delivered since
  std::uint32_t base_ = 0;          // oldest not acknowledged
  std::uint32_t unsent_ = 0;        // offset of the first never sent
  std::size_t lost_count_ = 0;      // fragments in state lost
  std::size_t backlog_bytes_ = 0;
  std::uint64_t resent_count_ = 0;
};

}  // namespace takt::protocol
