// StreamSealer and StreamOpener seal the frames of one direction of a stream. The frames are counted, and the
// count is the nonce: a frame that is changed, left out, repeated or moved does not open. A stream cannot be
// trusted again after such a frame, so the opener then opens nothing more. Both ends change to the next key
// of the chain (sealed_datagram.h) after kFramesPerKey frames, and wipe the one before. A stream that ends
// early is the caller's to notice: its last frame is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crypto/sealed_datagram.h"
#include "takt/crypto/secret.h"

namespace takt::crypto {

/// Frames that one key seals; at 240 frames a second it lasts four and a half minutes.
inline constexpr std::uint64_t kFramesPerKey = std::uint64_t{1} << 16;

/// The key of a direction and the number of its next frame.
class StreamKey {
 public:
  explicit StreamKey(const SecretKey& key);
  /// The key of the next frame, whose number replaces `number`. The frames count from 0.
  [[nodiscard]] std::span<const std::byte, 32> next(std::uint64_t& number);

 private:
  Secret<64> keys_;  // key of frames, chain secret of the next key
  std::uint64_t next_number_ = 0;
};

class StreamSealer {
 public:
  /// `key`: the key of this direction (SessionKeys).
  explicit StreamSealer(const SecretKey& key) : key_(key) {}
  /// Seals the next frame into `out`, which has payload.size() + kSealTagBytes bytes (asserted) and may begin
  /// at the payload itself. `head` is sent in clear and authenticated.
  void seal(std::span<const std::byte> head, std::span<const std::byte> payload, std::span<std::byte> out);

 private:
  StreamKey key_;
};

class StreamOpener {
 public:
  explicit StreamOpener(const SecretKey& key) : key_(key) {}
  /// Opens the next frame in place; `out` gets the payload inside `sealed`. False: it is forged, or follows
  /// one that was.
  [[nodiscard]] bool open(std::span<const std::byte> head, std::span<std::byte> sealed,
                          std::span<std::byte>& out);

 private:
  StreamKey key_;
  bool failed_ = false;
};

}  // namespace takt::crypto
