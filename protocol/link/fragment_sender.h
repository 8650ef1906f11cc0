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
  /// `window`: only this many fragments, counted from the oldest unacknowledged one, may be sent. At most the
  /// window of the other end's FragmentReceiver.
  explicit FragmentSender(std::uint32_t window) : window_(window) {}

  /// Copies a message of 1 .. kReliableBytesMax bytes (asserted) to the end of the queue.
  void push(std::span<const std::byte> message);

  /// The next fragment, lost ones first, then new ones within the window. False: there is none, or it does
  /// not fit `room_bytes` with its section header. The payload stays valid until handle_delivered() for the
  /// fragment.
  [[nodiscard]] bool next(std::size_t room_bytes, Section& out);
  /// True when next() has a fragment for enough room.
  [[nodiscard]] bool is_ready() const noexcept;

  /// A fragment that next() returned has arrived, even if it counted as lost. Other numbers are ignored.
  void handle_delivered(std::uint32_t fragment);
  /// A fragment in flight is lost, and next() returns it again. Other numbers are ignored.
  void handle_lost(std::uint32_t fragment);

  /// Bytes of all fragments not yet delivered, those never sent included.
  [[nodiscard]] std::size_t backlog_bytes() const noexcept { return backlog_bytes_; }
  /// Number of the next fragment that push() makes.
  [[nodiscard]] std::uint32_t end() const noexcept {
    return base_ + static_cast<std::uint32_t>(fragments_.size());
  }
  /// Number of the oldest fragment that is not known to have arrived; end() if there is none.
  [[nodiscard]] std::uint32_t first_pending() const noexcept { return base_; }
  /// Number of times that next() returned a lost fragment.
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
