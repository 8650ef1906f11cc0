// Link is the interface of one session's transport, with two channels: unreliable, and reliable and ordered.
// DatagramLink (UDP) and StreamLink (TCP, WebSocket) implement it. Messages are bytes here. poll_message()
// gives the next Inbound message. The function poll_settled() tells whether an unreliable message, named by a
// token, was delivered or lost. ServerPeer and ClientEndpoint each own one Link, read its messages and write
// their own.
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
  /// `counters` must outlive the link.
  explicit Link(Counters& counters) noexcept : counters_(&counters) {}
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Queues a message that may get lost, 1 .. kUnreliableBytesMax bytes (asserted). The caller chooses the
  /// token; poll_settled() reports it once, unless it is 0 or the session ends before.
  virtual void send_unreliable(std::span<const std::byte> message, std::uint64_t token) = 0;
  /// Queues a message that arrives, in order, 1 .. kReliableBytesMax bytes (asserted).
  virtual void send_reliable(std::span<const std::byte> message) = 0;
  /// Queued bytes: over datagrams those of reliable messages that are not acknowledged, over a stream all
  /// that the transport has not pulled.
  [[nodiscard]] virtual std::size_t reliable_backlog_bytes() const noexcept = 0;
  /// A place in the reliable channel, behind all that is queued now; for has_arrived().
  [[nodiscard]] virtual std::uint32_t reliable_mark() const noexcept = 0;
  /// True when all reliable messages before the mark are known to have arrived; over a stream, when nothing
  /// waits for the transport.
  [[nodiscard]] virtual bool has_arrived(std::uint32_t mark) const noexcept = 0;
  /// True when so much waits unsent that the caller should send no further snapshots.
  [[nodiscard]] virtual bool is_congested() const noexcept = 0;
  /// Bytes of snapshots that may be sent now (Pacer::allowance). A stream has no limit except is_congested().
  [[nodiscard]] virtual std::size_t snapshot_allowance(std::uint64_t /*now_us*/, bool /*reliable_waits*/) {
    return std::numeric_limits<std::size_t>::max();
  }
  /// Takes the bytes of a snapshot from the allowance (Pacer::spend_allowance).
  virtual void spend_snapshot_allowance(std::size_t /*bytes*/, bool /*is_cut*/) {}
  /// Value of reliable_backlog_bytes() that keeps the path busy. The owner queues messages beyond it itself
  /// (ReliableQueue), where a prompt message can still overtake them.
  [[nodiscard]] virtual std::size_t useful_backlog_bytes() const noexcept = 0;
  /// Time after which an unreliable message without an answer should be sent again, microseconds.
  [[nodiscard]] virtual std::uint64_t retransmit_us() const noexcept = 0;
  /// True when an ack is due now, with whatever is queued by then; over a stream never.
  [[nodiscard]] virtual bool is_ack_due(std::uint64_t /*now_us*/) const noexcept { return false; }
  /// True when every queued message arrives, in order, unless the session ends.
  [[nodiscard]] virtual bool is_stream() const noexcept = 0;
  [[nodiscard]] virtual SessionStats stats() const = 0;
  /// Takes a round trip that a Ping measured, in microseconds. After a stall of the caller its true value is
  /// between `min_us` and `max_us`; otherwise both are equal. DatagramLink ignores it, because acks measure
  /// better.
  virtual void handle_rtt(std::uint64_t /*min_us*/, std::uint64_t /*max_us*/) {}

  struct Inbound {
    MessageClass message_class = MessageClass::kDatagram;
    std::vector<std::byte> bytes;
  };
  /// Moves the next message that arrived to `out`; false: there is none.
  [[nodiscard]] bool poll_message(Inbound& out) { return pop(inbox_, out); }

  struct Settled {
    std::uint64_t token = 0;
    bool delivered = false;
  };
  /// The next token that settled as delivered or lost; false: there is none.
  [[nodiscard]] bool poll_settled(Settled& out) { return pop(settled_, out); }

  /// Number of malformed datagrams since the last call, which the link dropped whole or in part.
  [[nodiscard]] std::uint32_t take_malformed() noexcept { return std::exchange(malformed_, 0); }

  /// True once the other end broke the rules of frames, fragments or acks. The owner must then end the
  /// session with DisconnectReason::kProtocolError.
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
