// StreamLink implements Link (link.h) over a stream (TCP or WebSocket), for one session; both channels share
// one order of frames. The transport pulls bytes only as its socket takes them, so waiting frames stay in
// StreamLink. While more than backlog_max bytes wait, new unreliable messages are dropped and settle as lost:
// a slow reader loses snapshots. Reliable messages are queued in any case; ServerPeer and ClientEndpoint
// bound them. ServerStreamSessions and ClientEndpoint create the link. Over TCP the first
// StreamLinkOptions::clear_frames of each direction are in clear; seal() then gives the link its keys.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "crypto/stream_seal.h"
#include "protocol/link/frame.h"
#include "protocol/link/link.h"
#include "protocol/link/link_keys.h"

namespace takt::protocol {

struct StreamLinkOptions {
  std::size_t frame_bytes_max = kFrameBytesMax;  ///< greatest frame accepted from the other end
  std::size_t backlog_max = 64 * 1024;  ///< unsent bytes beyond which unreliable messages are dropped
  Counter sent_counter = Counter::kStreamBytesSent;  ///< counts the bytes that poll_bytes() gives
  /// Frames of a handshake that arrive in clear. Bytes behind them wait until seal(); their sender has the
  /// keys before the link has.
  std::uint32_t clear_frames = std::numeric_limits<std::uint32_t>::max();
};

/// StreamLinkOptions::clear_frames of both ends over TCP: ConnectRequest and ChallengeResponse to the server,
/// Challenge and SealedAccept to the client.
inline constexpr std::uint32_t kHandshakeFrames = 2;

class StreamLink final : public Link {
 public:
  StreamLink(const StreamLinkOptions& options, std::uint64_t now_us, Counters& counters);

  /// Takes bytes of the stream, in order, split anywhere. After a framing error, or a frame that does not
  /// open, has_failed() is true, and further bytes are ignored.
  void handle_bytes(std::span<const std::byte> bytes);
  /// Seals the frames that are queued from now on, and opens those that arrive behind the clear ones, which
  /// the link then delivers. Once.
  void seal(const LinkKeys& keys);
  /// True when bytes wait for seal().
  [[nodiscard]] bool has_early_bytes() const noexcept { return !early_.empty(); }
  [[nodiscard]] bool is_sealed() const noexcept { return sealer_.has_value(); }
  /// Appends whole frames to `out` until at least `bytes_max` bytes are written or none is left; returns the
  /// number of bytes. Tokens of the frames settle as delivered.
  [[nodiscard]] std::size_t poll_bytes(std::uint64_t now_us, std::size_t bytes_max,
                                       std::vector<std::byte>& out);
  /// True when poll_bytes() has something to give.
  [[nodiscard]] bool has_bytes() const noexcept { return !frames_.empty(); }
  /// Bytes of the frames that wait, headers included.
  [[nodiscard]] std::size_t backlog_bytes() const noexcept { return backlog_bytes_; }
  /// Queues a KeepAlive when no frame waits and none was sent for kKeepAliveInterval, so that the other end
  /// notices a half-open stream.
  void handle_time(std::uint64_t now_us);
  [[nodiscard]] std::uint64_t next_keep_alive_us() const noexcept {
    return last_sent_us_ + kKeepAliveInterval;
  }

  void send_unreliable(std::span<const std::byte> message, std::uint64_t token) override;
  void send_reliable(std::span<const std::byte> message) override;
  [[nodiscard]] std::size_t reliable_backlog_bytes() const noexcept override { return backlog_bytes_; }
  [[nodiscard]] std::uint32_t reliable_mark() const noexcept override { return 0; }
  [[nodiscard]] bool has_arrived(std::uint32_t /*mark*/) const noexcept override {
    return backlog_bytes_ == 0;
  }
  /// 24 KiB. With one slice (32 KiB) more, the backlog stays under the default of
  /// ServerOptions::stream_backlog_max. A join image is therefore no congestion, and snapshots go on beside
  /// it.
  [[nodiscard]] std::size_t useful_backlog_bytes() const noexcept override { return 24 * 1024; }
  [[nodiscard]] bool is_congested() const noexcept override { return backlog_bytes_ > options_.backlog_max; }
  [[nodiscard]] std::uint64_t retransmit_us() const noexcept override { return kSecond; }
  [[nodiscard]] bool is_stream() const noexcept override { return true; }
  [[nodiscard]] SessionStats stats() const override;

  /// Smooths the round trips of ping and pong, because a stream has no acks of its own.
  void handle_rtt(std::uint64_t min_us, std::uint64_t max_us) override;

 private:
  struct Outgoing {
    std::vector<std::byte> bytes;
    std::uint64_t token = 0;
  };
  void push(MessageClass message_class, std::span<const std::byte> message, std::uint64_t token);
  void read_frames(std::span<const std::byte> bytes);

  StreamLinkOptions options_;
  FrameReader reader_;
  std::uint32_t clear_frames_;  // that may still arrive
  std::optional<crypto::StreamSealer> sealer_;
  std::optional<crypto::StreamOpener> opener_;
  std::vector<std::byte> early_;  // behind the clear frames, before seal()
  std::deque<Outgoing> frames_;
  std::size_t backlog_bytes_ = 0;
  std::uint64_t last_sent_us_;
  std::vector<std::byte> keep_alive_;
  SessionStats totals_;
};

}  // namespace takt::protocol
