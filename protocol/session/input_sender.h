// InputSender stores a client's unacknowledged inputs and decides when each is sent. Over datagrams an input
// goes out kRepeats (3) times, kRepeatSpacing (16 ms) apart or with the inputs that follow it, so that a lost
// datagram costs one spacing. After that, the input goes out at each retransmission time-out until it is
// acknowledged. Over a stream an input goes out once. ClientInbox owns InputSender; ClientEndpoint checks the
// commands and writes the messages. wire_bytes_max() bounds an input's size in a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "protocol/messages/command.h"
#include "protocol/wire/limits.h"

namespace takt::protocol {

class InputSender {
 public:
  /// `over_stream`: the link delivers every message, so no input is repeated.
  explicit InputSender(bool over_stream) noexcept : over_stream_(over_stream) {}

  /// True when kInputWindow inputs are unacknowledged.
  [[nodiscard]] bool is_full() const noexcept { return pending_.size() >= kInputWindow; }
  /// Queues a command that check() accepted, for `tick`; not while is_full() (asserted). Returns its
  /// sequence.
  std::uint32_t push(std::uint64_t tick, Command command);

  /// Replaces `out` by the inputs of the next message to send now, oldest first, at most kInputsPerMessage
  /// and kUnreliableBytesMax bytes. They count as sent. False: none is due; call until false. `retransmit_us`
  /// is Link::retransmit_us().
  [[nodiscard]] bool poll(std::uint64_t now_us, std::uint64_t retransmit_us, std::vector<Input>& out);
  /// The inputs that poll() has just returned repeat a command that the server has: RepeatedInputs may stand
  /// for them. Not over a stream.
  [[nodiscard]] bool repeats(const std::vector<Input>& batch) const noexcept;
  /// Time at which poll() next has inputs, at least `now_us`; UINT64_MAX when all are acknowledged, or over a
  /// stream all are sent.
  [[nodiscard]] std::uint64_t next_wakeup_us(std::uint64_t now_us,
                                             std::uint64_t retransmit_us) const noexcept;

  /// All inputs up to and including `sequence` have arrived. False: `sequence` was never pushed, and nothing
  /// changes.
  bool handle_ack(std::uint32_t sequence);

  /// Sequence number of the next input to be pushed.
  [[nodiscard]] std::uint32_t next_sequence() const noexcept { return next_sequence_; }
  /// Inputs not yet acknowledged, those never sent included.
  [[nodiscard]] std::size_t in_flight() const noexcept { return pending_.size(); }

  static constexpr std::uint32_t kRepeats = 3;
  /// Time between two repeats: a tick at 60 Hz, so that one burst of loss does not drop all of them.
  static constexpr std::uint64_t kRepeatSpacing = 16 * kMillisecond;
  /// The repeats of an input whose command is that of the input before wait for the datagram of the next
  /// input while inputs follow one another within this time: 30 inputs a second cost 30 datagrams. An input
  /// that changes the command waits for nothing.
  static constexpr std::uint64_t kRideMax = 40 * kMillisecond;

 private:
  struct Pending {
    Input input;
    std::size_t bytes = 0;  // upper bound of its size in a message
    std::uint64_t sent_us = 0;
    std::uint32_t times_sent = 0;
    bool is_repeat = false;  // its command is that of the input before it
  };
  void follow_rate(std::uint64_t now_us) noexcept;
  [[nodiscard]] std::uint64_t due_us(const Pending& pending, std::uint64_t retransmit_us) const noexcept;

  bool over_stream_;
  std::deque<Pending> pending_;  // sequence ascending, without gaps
  std::uint32_t next_sequence_ = 1;
  std::optional<Command> acknowledged_;  // command of the last acknowledged input
  std::uint64_t spacing_us_ = kRepeatSpacing;
  std::uint64_t new_sent_us_ = 0;  // when an input last went out for the first time
};

/// Greatest number of bytes that an input with this command adds to an Inputs message.
[[nodiscard]] std::size_t wire_bytes_max(const Command& command);

}  // namespace takt::protocol
