// Counters counts what an endpoint sent, received, dropped and refused: one number for each Counter.
// name_of() returns a Counter's stable name, for metrics and tests. A ClientEndpoint has one Counters, and a
// ServerEndpoint one for all its sessions (ServerShared). Counts only grow. Counters has no lock: another
// thread needs a copy that the endpoint's thread made. Counters writes no log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace takt::protocol {

/// Counters of an endpoint. Names are stable: metrics and tests use them. docs/PROTOCOL.md has a sentence on
/// each.
enum class Counter : std::uint8_t {
  // traffic
  kDatagramsReceived,
  kDatagramBytesReceived,
  kDatagramsSent,
  kDatagramBytesSent,
  kStreamBytesReceived,
  kStreamBytesSent,
  kWebSocketBytesReceived,
  kWebSocketBytesSent,
  kMessagesReceived,
  kSessionsPolled,
  kOrphansSeen,
  // refused datagrams
  kDatagramShort,
  kDatagramOversize,
  kDatagramBadMagic,
  kDatagramBadType,
  kDatagramBadLayout,
  kDatagramUnknownSession,
  kDatagramWrongState,
  kDatagramForged,
  kDatagramLate,
  kDuplicate,
  kAckOutOfWindow,
  kFragmentOutOfWindow,
  // refused frames
  kFrameOversize,
  kFrameBadKind,
  kFrameBadLayout,
  kFrameForged,
  kStreamTruncated,
  // refused messages
  kVerifierFailed,
  kMessageBadField,
  kMessageUnexpected,
  kReliableOversize,
  kSessionBudget,
  kAckTraps,
  // handshake
  kHandshakeRate,
  kHandshakeShortRequest,
  kHandshakeCookieBad,
  kHandshakeCookieExpired,
  kHandshakeCookieReused,
  kHandshakeTokenRate,
  kHandshakeAgreementRate,
  kHandshakeProofBad,
  kHandshakeKeyBad,
  kHandshakeRefused,
  kHandshakeAccepted,
  kHandshakeTokensOpened,
  kStreamsDisplaced,
  kSessionsDisplaced,
  kSessionsMoved,
  kModesSwitched,
  kSessionsResumed,
  kLatencyProbes,
  // inputs
  kInputInvalid,
  kInputDuplicate,
  kInputOutOfWindow,
  kInputRate,
  // snapshots
  kSnapshotStale,
  kSnapshotDuplicate,
  kSnapshotIndexRange,
  kSnapshotOtherEpoch,
  kSnapshotDroppedSlowReader,
  kSnapshotPartsSent,
  kSnapshotPartsLost,
  // confirmed ticks
  kConfirmedBytesSent,
  kConfirmedBad,
  kConfirmedOtherEpoch,
  // control
  kControlPermission,
  kControlRate,
  // queries
  kQueryRate,
  // join image
  kJoinImageBad,
  // geometry
  kGeometryBad,
  // endings and loss
  kDatagramsLost,
  kFragmentsResent,
  kTimeouts,
  kSlowReaders,
  kQueueOverflow,
  kCount  // not a counter
};

inline constexpr std::size_t kCounterCount = static_cast<std::size_t>(Counter::kCount);

/// The counter's stable name, e.g. "datagram_short"; for all but kCount.
[[nodiscard]] std::string_view name_of(Counter counter) noexcept;

class Counters {
 public:
  void add(Counter counter, std::uint64_t amount = 1) noexcept {
    values_[static_cast<std::size_t>(counter)] += amount;
  }
  [[nodiscard]] std::uint64_t operator[](Counter counter) const noexcept {
    return values_[static_cast<std::size_t>(counter)];
  }

 private:
  std::array<std::uint64_t, kCounterCount> values_{};
};

}  // namespace takt::protocol
