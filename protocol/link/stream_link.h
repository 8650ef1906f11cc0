// StreamLink implements Link (link.h) over a stream (TCP or WebSocket), for one session; both channels share
// one order of frames. The transport pulls bytes only as its socket takes them, so waiting frames stay in
// StreamLink. While more than backlog_max bytes wait, new unreliable messages are dropped: a slow reader
// loses snapshots. Reliable messages are queued in any case; ServerPeer and ClientEndpoint bound them.
// ServerStreamSessions and ClientEndpoint create the link.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "protocol/link/frame.h"
#include "protocol/link/link.h"

namespace takt::protocol {

struct StreamLinkOptions {
  std::size_t frame_bytes_max = kFrameBytesMax;  ///< greatest frame accepted from the other end
  std::size_t backlog_max = 64 * 1024;  ///< unsent bytes beyond which unreliable messages are dropped
  Counter sent_counter = Counter::kStreamBytesSent;
};

class StreamLink final : public Link {
 public:
  StreamLink(const StreamLinkOptions& options, std::uint64_t now_us, Counters& counters);

  /// Bytes of the stream, in order, any split. After a framing error has_failed() is true and nothing more is
  /// taken.
  void handle_bytes(std::span<const std::byte> bytes);
  /// Appends whole frames until at least `bytes_max` bytes are written or nothing is left; returns how many
  /// bytes.
  [[nodiscard]] std::size_t poll_bytes(std::uint64_t now_us, std::size_t bytes_max,
                                       std::vector<std::byte>& out);
  [[nodiscard]] bool has_bytes() const noexcept { return !frames_.empty(); }
  [[nodiscard]] std::size_t backlog_bytes() const noexcept { return backlog_bytes_; }
  /// Says KeepAlive when nothing was sent for kKeepAliveInterval: the other end's way to notice a half-open
  /// stream.
  void handle_time(std::uint64_t now_us);
  [[nodiscard]] std::uint64_t next_keep_alive_us() const noexcept {
    return last_sent_us_ + kKeepAliveInterval;
  }

  void send_unreliable(std::span<const std::byte> message, std::uint64_t token) override;
  void send_reliable(std::span<const std::byte> message) override;
  [[nodiscard]] std::size_t reliable_backlog_bytes() const noexcept override { return backlog_bytes_; }
  /// With one slice on top it stays under ServerOptions::stream_backlog_max, so a join image does not count
  /// as congestion and does not starve the snapshots beside it.
  [[nodiscard]] std::size_t useful_backlog_bytes() const noexcept override { return 24 * 1024; }
  [[nodiscard]] bool is_congested() const noexcept override { return backlog_bytes_ > options_.backlog_max; }
  [[nodiscard]] std::uint64_t retransmit_us() const noexcept override { return kSecond; }
  [[nodiscard]] bool is_stream() const noexcept override { return true; }
  [[nodiscard]] SessionStats stats() const override;

  /// The owner measures round trips by ping and pong; a stream has no acks of its own.
  void handle_rtt(std::uint64_t min_us, std::uint64_t max_us) override;

 private:
  struct Outgoing {
    std::vector<std::byte> bytes;
    std::uint64_t token = 0;
  };
  void push(MessageClass message_class, std::span<const std::byte> message, std::uint64_t token);

  StreamLinkOptions options_;
  FrameReader reader_;
  std::deque<Outgoing> frames_;
  std::size_t backlog_bytes_ = 0;
  std::uint64_t last_sent_us_;
  std::vector<std::byte> keep_alive_;
  SessionStats totals_;
};

}  // namespace takt::protocol
