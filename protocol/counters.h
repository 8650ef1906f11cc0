// Everything that was sent, received, dropped or refused, counted by name. One Counters per endpoint; it does not log and is not shared
// between threads (copy it out on the endpoint's thread).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace takt::protocol {

/// What is counted. Names are stable: metrics and tests use them. docs/PROTOCOL.md has a sentence on each.
enum class Counter : std::uint8_t {
  // traffic
  datagrams_received,
  datagram_bytes_received,
  datagrams_sent,
  datagram_bytes_sent,
  stream_bytes_received,
  stream_bytes_sent,
  messages_received,
  // refused datagrams
  datagram_short,
  datagram_oversize,
  datagram_bad_magic,
  datagram_bad_type,
  datagram_bad_layout,
  datagram_unknown_session,
  datagram_wrong_state,
  duplicate,
  stale_sequence,
  ack_out_of_window,
  fragment_out_of_window,
  // refused frames
  frame_oversize,
  frame_bad_kind,
  frame_bad_layout,
  // refused messages
  verifier_failed,
  message_bad_field,
  message_unexpected,
  reliable_oversize,
  // handshake
  handshake_rate,
  handshake_short_request,
  handshake_cookie_bad,
  handshake_cookie_expired,
  handshake_cookie_reused,
  handshake_refused,
  handshake_accepted,
  // inputs
  input_invalid,
  input_duplicate,
  input_out_of_window,
  input_rate,
  // snapshots
  snapshot_stale,
  snapshot_duplicate,
  snapshot_index_range,
  snapshot_dropped_slow_reader,
  snapshot_parts_sent,
  snapshot_parts_lost,
  // join image
  join_image_bad,
  // endings and loss
  datagrams_lost,
  fragments_resent,
  timeouts,
  slow_readers,
  queue_overflow,
  count_  // not a counter
};

inline constexpr std::size_t kCounterCount = static_cast<std::size_t>(Counter::count_);

/// The counter's stable name, e.g. "datagram_short".
[[nodiscard]] std::string_view name_of(Counter counter) noexcept;

class Counters {
 public:
  void add(Counter counter, std::uint64_t amount = 1) noexcept { values_[static_cast<std::size_t>(counter)] += amount; }
  [[nodiscard]] std::uint64_t operator[](Counter counter) const noexcept { return values_[static_cast<std::size_t>(counter)]; }

 private:
  std::array<std::uint64_t, kCounterCount> values_{};
};

}  // namespace takt::protocol
