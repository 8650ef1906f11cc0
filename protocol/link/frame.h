// write_frame and FrameReader define the layout of a stream (TCP, WebSocket): frames one after the other,
// each a little-endian length and as many bytes. StreamLink uses both. Every line of the table below
// determines bytes on the wire.
//
//   offset  size  field
//        0     4  length: bytes that follow, 2 .. the receiver's limit
//        4     1  kind: 1 message under the limits of a datagram, 2 under those of the reliable channel
//        5        message
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/messages/message_reader.h"
#include "protocol/wire/error.h"
#include "protocol/wire/limits.h"
#include "takt/core/result.h"

namespace takt::protocol {

/// Appends one frame; the message must fit kReliableBytesMax (asserted).
void write_frame(MessageClass message_class, std::span<const std::byte> message, std::vector<std::byte>& out);

/// Takes a stream apart into frames. Holds at most one incomplete frame, so at most its limit in bytes. After
/// an error it stays failed: a stream that lost its framing cannot be trusted again.
class FrameReader {
 public:
  /// `frame_bytes_max`: greatest length field accepted, at most kFrameBytesMax.
  explicit FrameReader(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  struct Frame {
    MessageClass message_class = MessageClass::kDatagram;
    std::span<const std::byte> message;  ///< valid until the next call
  };
  enum class Outcome : std::uint8_t { kFrame, kNeedMore, kOversize, kBadLayout, kBadKind };
  /// Consumes from the front of `bytes` until one frame is complete or nothing is left.
  [[nodiscard]] Outcome next(std::span<const std::byte>& bytes, Frame& out);

 private:
  Outcome fail(Outcome outcome) noexcept {
    failed_ = outcome;
    return outcome;
  }
  std::size_t frame_bytes_max_;
  std::vector<std::byte> held_;
  bool complete_ = false;             // held_ is the frame handed out last
  Outcome failed_ = Outcome::kFrame;  // frame = not failed
};

}  // namespace takt::protocol
