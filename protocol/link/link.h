// Link is the interface of one session's transport, with two channels: unreliable, and reliable and ordered.
// DatagramLink (UDP) and StreamLink (TCP, WebSocket) implement it. Messages are bytes here. poll_message()
// returns an Inbound message; poll_settled() returns whether an unreliable message, named by a token, was
// delivered or lost. ServerPeer and ClientEndpoint each own one Link, read its messages and write their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "protocol/link/counters.h"
#include "protocol/link/session_stats.h"
#include "protocol/messages/message_reader.h"

namespace takt::protocol {

class Link {
 public:
  explicit Link(Counters& counters) noexcept : counters_(&counters) {}
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Queues a message that may get lost, at most kUnreliableBytesMax bytes (asserted). A token other than 0
  /// is reported by poll_settled once.
  virtual void send_unreliable(std::span<const std::byte> message, std::uint64_t token) = 0;
  /// Queues a message that arrives, in order, 1 .. kReliableBytesMax bytes (asserted).
  virtual void send_reliable(std::span<const std::byte> message) = 0;
  /// Reliable bytes queued and not yet known to have left (stream) or arrived (datagrams).
  [[nodiscard]] virtual std::size_t reliable_backlog_bytes() const noexcept = 0;
  /// Enough unsent bytes that what can be dropped should be.
  [[nodiscard]] virtual bool is_congested() const noexcept = 0;
  /// Bytes of snapshots that the path takes now, and their spending (Pacer). A stream has no such limit: its
  /// own backlog tells.
  [[nodiscard]] virtual std::size_t snapshot_allowance(std::uint64_t /*now_us*/, bool /*reliable_waits*/) {
    return std::numeric_limits<std::size_t>::max();
  }
  virtual void spend_snapshot_allowance(std::size_t /*bytes*/, bool /*is_cut*/) {}
  /// Reliable backlog that keeps the path busy. Messages beyond it wait outside, where a prompt one can still
  /// overtake them.
  [[nodiscard]] virtual std::size_t useful_backlog_bytes() const noexcept = 0;
  /// The time-out after which something unanswered should be sent again.
  [[nodiscard]] virtual std::uint64_t retransmit_us() const noexcept = 0;
  /// A message that is sent arrives, unless the session ends.
  [[nodiscard]] virtual bool is_stream() const noexcept = 0;
  [[nodiscard]] virtual SessionStats stats() const = 0;
  /// A round trip that a Ping measured, between two bounds: the answer may have arrived at the first, and was
  /// handled at the second. They differ after a stall of the caller. Datagram links ignore it: their acks
  /// measure better.
  virtual void handle_rtt(std::uint64_t /*min_us*/, std::uint64_t /*max_us*/) {}

  struct Inbound {
    MessageClass message_class = MessageClass::kDatagram;
    std::vector<std::byte> bytes;
  };
  /// The next message that arrived.
  [[nodiscard]] bool poll_message(Inbound& out) { return pop(inbox_, out); }

  struct Settled {
    std::uint64_t token = 0;
    bool delivered = false;
  };
  /// The next token that is known to be delivered or lost.
  [[nodiscard]] bool poll_settled(Settled& out) { return pop(settled_, out); }

  /// Malformed datagrams since the last call, which the link dropped whole or in part.
  [[nodiscard]] std::uint32_t take_malformed() noexcept { return std::exchange(malformed_, 0); }

  /// The other end broke the channel's rules; the session must end with DisconnectReason::kProtocolError.
  [[nodiscard]] bool has_failed() const noexcept { return failed_; }

 protected:
  Counters& counters() noexcept { return *counters_; }
  void deliver(MessageClass message_class, std::span<const std::byte> bytes) {
    counters_->add(Counter::kMessagesReceived);
    inbox_.push_back({message_class, {bytes.begin(), bytes.end()}});
  }
  void settle(std::uint64_t token, bool delivered) {
    if (token != 0) settled_.push_back({token, delivered});
  }
  void note_malformed() noexcept { ++malformed_; }
  void fail() noexcept { failed_ = true; }

 private:
  template <class T>
  static bool pop(std::deque<T>& queue, T& out) {
    if (queue.empty()) return false;
    out = std::move(queue.front());
    queue.pop_front();
    return true;
  }
  Counters* counters_;
  std::deque<Inbound> inbox_;
  std::deque<Settled> settled_;
  std::uint32_t malformed_ = 0;
  bool failed_ = false;
};

}  // namespace takt::protocol
