#include "protocol/link/stream_link.h"

#include <utility>

#include "protocol/link/rtt_estimator.h"
#include "protocol/messages/message_writer.h"
#include "takt/core/assert.h"

namespace takt::protocol {

StreamLink::StreamLink(const StreamLinkOptions& options, std::uint64_t now_us, Counters& counters)
    : Link(counters),
      options_(options),
      reader_(options.frame_bytes_max),
      clear_frames_(options.clear_frames),
      last_sent_us_(now_us) {
  MessageWriter writer;
  auto const bytes = writer.write(KeepAlive{});
  keep_alive_.assign(bytes.begin(), bytes.end());
}

void StreamLink::handle_bytes(std::span<const std::byte> bytes) {
  totals_.bytes_received += bytes.size();
  read_frames(bytes);
}

void StreamLink::seal(const LinkKeys& keys) {
  TAKT_ASSERT(!sealer_);
  sealer_.emplace(keys.send);
  opener_.emplace(keys.receive);
  auto const early = std::exchange(early_, {});
  read_frames(early);
}

void StreamLink::read_frames(std::span<const std::byte> bytes) {
  FrameReader::Frame frame;
  while (!has_failed()) {
    if (!opener_ && clear_frames_ == 0) {
      early_.insert(early_.end(), bytes.begin(), bytes.end());
      return;
    }
    switch (reader_.next(bytes, frame, opener_ ? &*opener_ : nullptr)) {
      case FrameReader::Outcome::kFrame:
        if (!opener_) --clear_frames_;
        deliver(frame.message_class, frame.message);
        break;
      case FrameReader::Outcome::kNeedMore: return;
      case FrameReader::Outcome::kOversize:
        counters().add(Counter::kFrameOversize);
        fail();
        break;
      case FrameReader::Outcome::kBadLayout:
        counters().add(Counter::kFrameBadLayout);
        fail();
        break;
      case FrameReader::Outcome::kBadKind:
        counters().add(Counter::kFrameBadKind);
        fail();
        break;
      case FrameReader::Outcome::kForged:
        counters().add(Counter::kFrameForged);
        fail();
        break;
    }
  }
}

void StreamLink::push(MessageClass message_class, std::span<const std::byte> message, std::uint64_t token) {
  Outgoing& frame = frames_.emplace_back();
  frame.token = token;
  write_frame(message_class, message, frame.bytes, sealer_ ? &*sealer_ : nullptr);
  backlog_bytes_ += frame.bytes.size();
}

void StreamLink::send_unreliable(std::span<const std::byte> message, std::uint64_t token) {
  TAKT_ASSERT(!message.empty() && message.size() <= kUnreliableBytesMax);
  if (is_congested()) {
    if (token == 0) counters().add(Counter::kQueueOverflow);
    settle(token, false);
    return;
  }
  push(MessageClass::kDatagram, message, token);
}

void StreamLink::send_reliable(std::span<const std::byte> message) {
  push(MessageClass::kReliable, message, 0);
}

std::size_t StreamLink::poll_bytes(std::uint64_t now_us, std::size_t bytes_max, std::vector<std::byte>& out) {
  std::size_t written = 0;
  while (!frames_.empty() && written < bytes_max) {
    Outgoing const& frame = frames_.front();
    out.insert(out.end(), frame.bytes.begin(), frame.bytes.end());
    written += frame.bytes.size();
    settle(frame.token, true);  // the stream delivers it, or dies and the session with it
    frames_.pop_front();
  }
  backlog_bytes_ -= written;
  if (written > 0) last_sent_us_ = now_us;
  totals_.bytes_sent += written;
  counters().add(options_.sent_counter, written);
  return written;
}

void StreamLink::handle_time(std::uint64_t now_us) {
  if (now_us >= next_keep_alive_us() && frames_.empty()) push(MessageClass::kDatagram, keep_alive_, 0);
}

void StreamLink::handle_rtt(std::uint64_t min_us, std::uint64_t max_us) {
  std::uint64_t const rtt_us = likely_rtt_us(totals_.rtt_us, min_us, max_us);
  totals_.rtt_variation_us =
      totals_.rtt_us == 0 ? rtt_us / 2
                          : (3 * totals_.rtt_variation_us +
                             (rtt_us > totals_.rtt_us ? rtt_us - totals_.rtt_us : totals_.rtt_us - rtt_us)) /
                                4;
  totals_.rtt_us = totals_.rtt_us == 0 ? rtt_us : (7 * totals_.rtt_us + rtt_us) / 8;
  if (totals_.rtt_min_us == 0 || rtt_us < totals_.rtt_min_us) totals_.rtt_min_us = rtt_us;
}

SessionStats StreamLink::stats() const {
  SessionStats stats = totals_;
  stats.reliable_queue_bytes = backlog_bytes_;
  return stats;
}

}  // namespace takt::protocol
