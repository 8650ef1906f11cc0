// MessageWriter makes the bytes of a message: a FlatBuffer with the file identifier "TKTP". Texts and lists
// over the limits of limits.h fail an assert, because the values come from our own code. A SnapshotPart,
// which SnapshotEncoder bounds, and commands, which check() tests, have no assert. Values are not checked
// otherwise: a reader refuses texts that are not printable, for example. Sessions, handshakes and links of
// both ends use MessageWriter. Headers of datagrams (datagram.h) and frames (frame.h) are added later.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "protocol/messages/message.h"

namespace takt::protocol {

/// Bytes of a ChallengeResponse over UDP or TCP around the token of its request, at most, with every field
/// and the worst padding. Root, identifier and Packet: 28; vtable and table of the response: 32; cookie, key
/// and proof with their lengths: 20 + 36 + 20; vtable and table of the request: 28 + 72; length of the token:
/// 4; padding of the request's 8-byte fields and of the whole: 14.
inline constexpr std::size_t kTokenResponseBytes = 28 + 32 + 20 + 36 + 20 + 28 + 72 + 4 + 14;

class MessageWriter {
 public:
  MessageWriter();
  ~MessageWriter();
  MessageWriter(MessageWriter&&) noexcept;
  MessageWriter& operator=(MessageWriter&&) noexcept;

  /// The message's bytes, valid until the next call on this writer. Texts and lists must satisfy the
  /// limits of protocol/wire/limits.h (asserted, except in a SnapshotPart and in commands).
  [[nodiscard]] std::span<const std::byte> write(const ConnectRequest& message);
  [[nodiscard]] std::span<const std::byte> write(const Challenge& message);
  [[nodiscard]] std::span<const std::byte> write(const ChallengeResponse& message);
  [[nodiscard]] std::span<const std::byte> write(const Accept& message);
  [[nodiscard]] std::span<const std::byte> write(const Refuse& message);
  [[nodiscard]] std::span<const std::byte> write(const Disconnect& message);
  [[nodiscard]] std::span<const std::byte> write(const KeepAlive& message);
  [[nodiscard]] std::span<const std::byte> write(const Ping& message);
  [[nodiscard]] std::span<const std::byte> write(const Pong& message);
  [[nodiscard]] std::span<const std::byte> write(std::span<const Input> inputs);
  [[nodiscard]] std::span<const std::byte> write(const Inputs& message) {
    return write(std::span<const Input>(message.inputs));
  }
  [[nodiscard]] std::span<const std::byte> write(const InputAck& message);
  [[nodiscard]] std::span<const std::byte> write(const SnapshotPart& message);
  [[nodiscard]] std::span<const std::byte> write(const JoinSlice& message);
  [[nodiscard]] std::span<const std::byte> write(const BodiesAdded& message) {
    return write(message.tick, message.bodies);
  }
  [[nodiscard]] std::span<const std::byte> write(std::uint64_t tick, std::span<const BodyInfo> added);
  [[nodiscard]] std::span<const std::byte> write(const BodiesRemoved& message);
  [[nodiscard]] std::span<const std::byte> write(const GameEvent& message);
  [[nodiscard]] std::span<const std::byte> write(const ServerStats& message);
  [[nodiscard]] std::span<const std::byte> write(const Control& message);
  [[nodiscard]] std::span<const std::byte> write(const ControlResult& message);
  [[nodiscard]] std::span<const std::byte> write(const RoomState& message);
  [[nodiscard]] std::span<const std::byte> write(const RoomEntered& message);
  [[nodiscard]] std::span<const std::byte> write(const Inspect& message);
  [[nodiscard]] std::span<const std::byte> write(const Contacts& message);
  [[nodiscard]] std::span<const std::byte> write(const JointFrames& message);
  [[nodiscard]] std::span<const std::byte> write(const GeometrySlice& message);
  [[nodiscard]] std::span<const std::byte> write(const QueryRequest& message);
  [[nodiscard]] std::span<const std::byte> write(const QueryResult& message);
  [[nodiscard]] std::span<const std::byte> write(const JointsBroken& message);
  [[nodiscard]] std::span<const std::byte> write(const ConfirmedSlice& message);
  [[nodiscard]] std::span<const std::byte> write(const DesyncProbe& message);
  [[nodiscard]] std::span<const std::byte> write(const DesyncAnswer& message);
  [[nodiscard]] std::span<const std::byte> write(const ModeSwitch& message);
  [[nodiscard]] std::span<const std::byte> write(const SealedAccept& message);
  [[nodiscard]] std::span<const std::byte> write(const Message& message);

  /// As write() of a JoinSlice with `bytes` instead of head.bytes, which saves a copy.
  [[nodiscard]] std::span<const std::byte> write_slice(const JoinSlice& head,
                                                       std::span<const std::byte> bytes);
  /// As write() of a GeometrySlice with `bytes` instead of head.bytes.
  [[nodiscard]] std::span<const std::byte> write_slice(const GeometrySlice& head,
                                                       std::span<const std::byte> bytes);
  /// The request with padding, so that the message has exactly `bytes_total` bytes: a multiple of 8, and
  /// enough for the request (both asserted).
  [[nodiscard]] std::span<const std::byte> write_padded(const ConnectRequest& message,
                                                        std::size_t bytes_total);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace takt::protocol
