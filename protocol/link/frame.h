// write_frame and FrameReader define the layout of a stream (TCP, WebSocket): frames one after the other,
// each a little-endian length and as many bytes. StreamLink uses both. Every line of the table below
// determines bytes on the wire.
//
//   offset  size  field
//        0     4  length: bytes that follow the field, 2 .. the receiver's limit; of a sealed frame 16 more
//        4     1  kind: 1 message under the limits of a datagram, 2 under those of the reliable channel
//        5        message
//      end    16  tag of a sealed frame
//
// In a sealed frame the kind and the message are encrypted with ChaCha20-Poly1305, and the length is the
// associated data (crypto/stream_seal.h). The frames of a handshake are in clear, and so are all frames of a
// web socket, which TLS protects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crypto/stream_seal.h"
#include "protocol/messages/message_reader.h"
#include "protocol/wire/error.h"
#include "protocol/wire/limits.h"
#include "takt/core/result.h"

namespace takt::protocol {

/// Appends one frame. The message has 1 to kReliableBytesMax bytes (asserted). `sealer`: of the stream's
/// direction; null = the frame is in clear.
void write_frame(MessageClass message_class, std::span<const std::byte> message, std::vector<std::byte>& out,
                 crypto::StreamSealer* sealer = nullptr);

/// Splits the bytes of a stream into frames. A FrameReader stores at most one frame. After an error every
/// call returns that error: the position of the next frame is unknown.
class FrameReader {
 public:
  /// `frame_bytes_max`: greatest length field that is accepted.
  explicit FrameReader(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  struct Frame {
    MessageClass message_class = MessageClass::kDatagram;
    std::span<const std::byte> message;  ///< valid until the next call of next()
  };
  enum class Outcome : std::uint8_t {
    kFrame,      ///< `out` has a frame; `bytes` begins after it
    kNeedMore,   ///< all of `bytes` is stored, and the frame is incomplete
    kOversize,   ///< error: the length is above the limit
    kBadLayout,  ///< error: the length is below 2
    kBadKind,    ///< error: an unknown kind
    kForged,     ///< error: a sealed frame does not open
  };
  /// Consumes bytes from the front of `bytes` until one frame is complete or nothing is left. `opener`: opens
  /// the frame; null = it is in clear.
  [[nodiscard]] Outcome next(std::span<const std::byte>& bytes, Frame& out,
                             crypto::StreamOpener* opener = nullptr);

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
