// InputSender stores a client's unacknowledged inputs and decides when each is sent. Over datagrams an input
// goes out kRepeats (3) times, kRepeatSpacing (16 ms) apart, so that a lost datagram costs one spacing. After
// that it goes out at each retransmission time-out until it is acknowledged. Over a stream an input goes out
// once. ClientInbox owns InputSender; ClientEndpoint checks the commands and writes the messages.
// wire_bytes_max() bounds an input's size in a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "protocol/messages/command.h"
#include "protocol/wire/limits.h"

namespace takt::protocol {

class InputSender {
 public:
  explicit InputSender(bool over_stream) noexcept : over_stream_(over_stream) {}

  [[nodiscard]] bool is_full() const noexcept { return pending_.size() >= kInputWindow; }
  /// Queues a checked command; not while full (asserted). Returns its sequence.
  std::uint32_t push(std::uint64_t tick, Command command);

  /// The inputs for one message to send now, oldest first, at most kInputsPerMessage and kUnreliableBytesMax;
  /// false when nothing is due. Call until false. `retransmit_us` is the link's time-out.
  [[nodiscard]] bool poll(std::uint64_t now_us, std::uint64_t retransmit_us, std::vector<Input>& out);
  /// When poll() will next say something; UINT64_MAX when all is acknowledged.
  [[nodiscard]] std::uint64_t next_wakeup_us(std::uint64_t now_us,
                                             std::uint64_t retransmit_us) const noexcept;

  /// Everything up to and including `sequence` has arrived. Sequences never sent are ignored: false.
  bool handle_ack(std::uint32_t sequence);

  /// Sequence number of the next input to be pushed.
  [[nodiscard]] std::uint32_t next_sequence() const noexcept { return next_sequence_; }
  [[nodiscard]] std::size_t in_flight() const noexcept { return pending_.size(); }

  static constexpr std::uint32_t kRepeats = 3;
  /// Between the repeats: a tick at 60 Hz, so that one burst of loss does not take them all.
  static constexpr std::uint64_t kRepeatSpacing = 16 * kMillisecond;

 private:
  struct Pending {
    Input input;
    std::size_t bytes = 0;  // upper bound of its size in a message
    std::uint64_t sent_us = 0;
    std::uint32_t times_sent = 0;
  };
  [[nodiscard]] std::uint64_t due_us(const Pending& pending, std::uint64_t retransmit_us) const noexcept;

  bool over_stream_;
  std::deque<Pending> pending_;  // sequence ascending, without gaps
  std::uint32_t next_sequence_ = 1;
};

/// An upper bound of what one input adds to an Inputs message, bytes.
[[nodiscard]] std::size_t wire_bytes_max(const Command& command);

}  // namespace takt::protocol
