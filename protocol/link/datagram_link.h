// DatagramLink implements Link (link.h) over datagrams, for one session. DatagramLink seals, numbers and
// acknowledges datagrams, and drops those that do not open (crypto/datagram_opener.h). A datagram counts as
// lost after a time-out (RttEstimator), or when kSentWindow later ones have been sent. Fragments of reliable
// messages go at the rate of a Pacer and are resent when lost. Unreliable messages go once, with the next
// polls, ahead of fragments. A KeepAlive goes when nothing was sent for kKeepAliveInterval. ServerDatagrams
// and ClientEndpoint create the link after the handshake and move its bytes. ServerPeer and ClientEndpoint
// read the messages, and end the session after a time-out.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "crypto/datagram_opener.h"
#include "crypto/datagram_sealer.h"
#include "protocol/link/ack_window.h"
#include "protocol/link/fragment_receiver.h"
#include "protocol/link/fragment_sender.h"
#include "protocol/link/link.h"
#include "protocol/link/link_keys.h"
#include "protocol/link/pacer.h"
#include "protocol/link/rtt_estimator.h"
#include "protocol/wire/datagram.h"

namespace takt::protocol {

/// Payload of a path probe and of its answer.
using ProbeBytes = std::array<std::byte, 8>;

struct DatagramLinkOptions {
  std::uint32_t connection_id = 0;  ///< of every datagram
  crypto::DatagramCipher cipher = crypto::DatagramCipher::kChaCha20Poly1305;
  std::uint32_t send_window =
      kFragmentWindowToClient;  ///< fragments; no greater than the other end's receive window
  std::uint32_t receive_window = kFragmentWindowToServer;  ///< fragments; a power of two
  PacerOptions pacer;
  /// Secret number that chooses packet numbers which are never sent (traps); 0 = no traps. An ack of a trap
  /// names a datagram that the other end never received. An ack that arrives before the trap counts as lost
  /// makes has_failed() true from then on. Source of the idea: J. Iyengar, M. Thomson, RFC 9000 (2021),
  /// section 21.4.
  std::uint64_t trap_seed = 0;
  /// A received datagram with more sections is dropped as malformed, and not acknowledged.
  std::size_t sections_max = std::numeric_limits<std::size_t>::max();
  crypto::KeyPhaseLimits key_phase;
};

class DatagramLink final : public Link {
 public:
  /// Copies the keys.
  DatagramLink(const DatagramLinkOptions& options, const LinkKeys& keys, std::uint64_t now_us,
               Counters& counters);

  /// Opens a datagram of at most kDatagramBytesMax bytes (asserted). False: it does not open, and is counted
  /// and dropped. One that opens is handled by handle_opened(), or by dropping it counts as lost.
  [[nodiscard]] bool open_datagram(std::uint64_t now_us, std::span<const std::byte> datagram);
  /// Handles the datagram of the last open_datagram(), once. `earliest_us`: earliest possible time of
  /// arrival, before `now_us` after a stall of the caller.
  void handle_opened(std::uint64_t now_us, std::uint64_t earliest_us);
  bool handle_datagram(std::uint64_t now_us, std::span<const std::byte> datagram, std::uint64_t earliest_us) {
    if (!open_datagram(now_us, datagram)) return false;
    handle_opened(now_us, earliest_us);
    return true;
  }
  bool handle_datagram(std::uint64_t now_us, std::span<const std::byte> datagram) {
    return handle_datagram(now_us, datagram, now_us);
  }
  /// The next datagram to send now replaces `out`; false: none is due, and `out` is unchanged. Also detects
  /// losses, so call it until false at each wake-up and after each handle_datagram() and send.
  [[nodiscard]] bool poll_datagram(std::uint64_t now_us, std::vector<std::byte>& out);
  /// The time by which poll_datagram() must be called again; at least `now_us`.
  [[nodiscard]] std::uint64_t next_wakeup_us(std::uint64_t now_us) const noexcept;
  [[nodiscard]] std::uint32_t connection_id() const noexcept { return options_.connection_id; }
  /// Seals a path probe into `out`: a datagram with these bytes alone, which the other end sends back. The
  /// caller sends it to an address of its choice.
  void write_probe(std::uint64_t now_us, const ProbeBytes& probe, std::vector<std::byte>& out);
  /// The bytes of a path probe that arrived since the last call.
  [[nodiscard]] std::optional<ProbeBytes> take_probe() noexcept {
    return std::exchange(probe_, std::nullopt);
  }
  /// Number of the last opened datagram.
  [[nodiscard]] std::uint64_t opened_number() const noexcept { return opened_.number; }
  /// True if something that went to the present address was acknowledged since the last call: the path to
  /// the other end works.
  [[nodiscard]] bool take_reached() noexcept { return std::exchange(reached_, false); }
  /// The other end, or this one, is at another address from now on: round trips begin anew, and the rate at
  /// the start or at the present rate, whichever is lower.
  void restart_path();
  /// True while unreliable messages wait for a poll.
  [[nodiscard]] bool has_unreliable() const noexcept { return !unreliable_.empty(); }

  void send_unreliable(std::span<const std::byte> message, std::uint64_t token) override;
  void send_reliable(std::span<const std::byte> message) override;
  [[nodiscard]] std::size_t reliable_backlog_bytes() const noexcept override {
    return fragments_out_.backlog_bytes();
  }
  [[nodiscard]] std::uint32_t reliable_mark() const noexcept override { return fragments_out_.end(); }
  [[nodiscard]] bool has_arrived(std::uint32_t mark) const noexcept override {
    // Numbers wrap: the difference tells which is first.
    return static_cast<std::int32_t>(fragments_out_.first_pending() - mark) >= 0;
  }
  [[nodiscard]] std::size_t snapshot_allowance(std::uint64_t now_us, bool reliable_waits) override {
    return pacer_.allowance(now_us, reliable_waits);
  }
  void spend_snapshot_allowance(std::size_t bytes, bool is_cut) override {
    pacer_.spend_allowance(bytes, is_cut);
  }
  [[nodiscard]] std::size_t useful_backlog_bytes() const noexcept override;
  [[nodiscard]] bool is_congested() const noexcept override {
    return unreliable_.size() >= kUnreliableQueueMax / 2;
  }
  [[nodiscard]] std::uint64_t retransmit_us() const noexcept override { return rtt_.timeout_us(); }
  [[nodiscard]] bool is_ack_due(std::uint64_t now_us) const noexcept override;
  [[nodiscard]] bool is_stream() const noexcept override { return false; }
  [[nodiscard]] SessionStats stats() const override;

  /// Greatest number of unreliable messages that wait for a poll. Further ones are dropped, and their tokens
  /// settle as lost. From half of it on the link is congested.
  static constexpr std::size_t kUnreliableQueueMax = 512;

 private:
  struct Waiting {
    std::uint64_t token = 0;
    std::vector<std::byte> bytes;
  };
  struct Sent {
    std::uint64_t at_us = 0;
    std::uint32_t bytes = 0;
    bool ack_eliciting = false;
    bool settled = false;
    bool is_trap = false;  // was never sent
    std::vector<std::uint32_t> fragments;
    std::vector<std::uint64_t> tokens;
  };

  /// When a datagram arrived: between the two, which differ after a stall of the caller.
  struct Arrival {
    std::uint64_t earliest_us = 0;
    std::uint64_t now_us = 0;
  };
  void count_drop(crypto::DropReason reason);
  void handle_acks(const Arrival& arrival, const AckBlock& block);
  void handle_one_ack(const Arrival& arrival, std::uint64_t number, std::uint64_t ack_delay_us, bool newest);
  void handle_sections(std::span<const std::byte> body);
  [[nodiscard]] bool has_too_many_sections(std::span<const std::byte> body) const noexcept;
  void detect_losses(std::uint64_t now_us);
  void set_trap() noexcept;
  void skip_trap(std::uint64_t now_us);
  void settle_sent(Sent& sent, bool delivered);
  void write_acks(std::uint64_t now_us);
  void write_sections(std::uint64_t now_us, Sent& sent);

  DatagramLinkOptions options_;
  crypto::DatagramSealer sealer_;
  crypto::DatagramOpener opener_;
  std::vector<std::byte> payload_;  // of the datagram that is being opened or sealed
  crypto::OpenedDatagram opened_;   // in payload_
  AckWindow received_;
  RttEstimator rtt_;
  Pacer pacer_;
  FragmentSender fragments_out_;
  FragmentReceiver fragments_in_;
  std::deque<Waiting> unreliable_;
  std::optional<ProbeBytes> probe_;
  std::deque<Sent> sent_;  // numbers first_sent_, first_sent_ + 1, ... up to sealer_.next_number() - 1
  std::uint64_t first_sent_ = 1;
  std::uint64_t first_on_path_ = 1;  // numbers below it went to an earlier address
  std::uint64_t newest_acked_ = 0;
  bool reached_ = false;
  std::uint64_t trap_state_;
  std::uint64_t trap_number_ = 0;         // the next number that is left out, if there are traps
  std::uint64_t newest_received_us_ = 0;  // when received_.newest() arrived
  std::uint64_t ack_owed_since_us_ = 0;
  std::uint32_t acks_owed_ = 0;  // ack-eliciting datagrams not yet acknowledged by us
  std::uint64_t last_sent_us_;
  std::vector<std::byte> keep_alive_;
  SessionStats totals_;
};

}  // namespace takt::protocol
