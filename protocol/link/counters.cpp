#include "protocol/link/counters.h"

namespace takt::protocol {
namespace {

// In the order of the enum; the static_assert below keeps the lengths equal and a unit test the order.
constexpr std::string_view kNames[] = {
    "datagrams_received",
    "datagram_bytes_received",
    "datagrams_sent",
    "datagram_bytes_sent",
    "stream_bytes_received",
    "stream_bytes_sent",
    "websocket_bytes_received",
    "websocket_bytes_sent",
    "messages_received",
    "sessions_polled",
    "orphans_seen",
    "datagram_short",
    "datagram_oversize",
    "datagram_bad_magic",
    "datagram_bad_type",
    "datagram_bad_layout",
    "datagram_unknown_session",
    "datagram_wrong_state",
    "datagram_forged",
    "datagram_late",
    "duplicate",
    "ack_out_of_window",
    "fragment_out_of_window",
    "frame_oversize",
    "frame_bad_kind",
    "frame_bad_layout",
    "frame_forged",
    "stream_truncated",
    "verifier_failed",
    "message_bad_field",
    "message_unexpected",
    "reliable_oversize",
    "session_budget",
    "ack_traps",
    "handshake_rate",
    "handshake_short_request",
    "handshake_cookie_bad",
    "handshake_cookie_expired",
    "handshake_cookie_reused",
    "handshake_token_rate",
    "handshake_agreement_rate",
    "handshake_proof_bad",
    "handshake_key_bad",
    "handshake_refused",
    "handshake_accepted",
    "handshake_tokens_opened",
    "streams_displaced",
    "sessions_displaced",
    "sessions_moved",
    "modes_switched",
    "sessions_resumed",
    "latency_probes",
    "input_invalid",
    "input_duplicate",
    "input_out_of_window",
    "input_rate",
    "snapshot_stale",
    "snapshot_duplicate",
    "snapshot_index_range",
    "snapshot_other_epoch",
    "snapshot_dropped_slow_reader",
    "snapshot_parts_sent",
    "snapshot_parts_lost",
    "confirmed_bytes_sent",
    "confirmed_bad",
    "confirmed_other_epoch",
    "control_permission",
    "control_rate",
    "query_rate",
    "join_image_bad",
    "geometry_bad",
    "datagrams_lost",
    "fragments_resent",
    "timeouts",
    "slow_readers",
    "queue_overflow",
};
static_assert(sizeof kNames / sizeof kNames[0] == kCounterCount);

}  // namespace

std::string_view name_of(Counter counter) noexcept {
  auto const index = static_cast<std::size_t>(counter);
  return index < kCounterCount ? kNames[index] : std::string_view("unknown");
}

}  // namespace takt::protocol
