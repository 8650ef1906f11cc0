// Frames of the simulation service (docs/SERVICE.md, 2): a head of 8 bytes, then one FlatBuffers message of
// schemas/service.fbs. The head is the number of bytes of the message, 32 bits little-endian, and four zero
// bytes. The number is a multiple of 8, so each message of a stream is aligned to 8 bytes. FrameBuffer
// collects the bytes of a stream and splits them into messages. It does not verify messages and has no
// socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt::service {

inline constexpr std::uint32_t kServiceVersion = 1;
inline constexpr std::size_t kFrameHeadBytes = 8;
/// Scenes have at most 16 MiB; an image of 30,000 bodies has about 20 MB.
inline constexpr std::uint32_t kFrameBytesMax = 32u << 20u;
inline constexpr std::uint32_t kHelloBytesMax = 1024;  ///< of a first request, with a token
inline constexpr std::size_t kTokenBytesMin = 16;
inline constexpr std::size_t kTokenBytesMax = 256;
inline constexpr std::size_t kKeyBytes = 24;   ///< of a world or batch: 8 that name it, 16 secret ones
inline constexpr std::uint32_t kWindow = 256;  ///< requests that wait for their replies; more are not read
inline constexpr std::uint32_t kStepTicksMax = 100'000;       ///< of one request
inline constexpr std::size_t kRecordedPartBytes = 1u << 20u;  ///< of a recording in one reply
inline constexpr std::uint32_t kNoWorldIndex = 0xFFFFFFFF;    ///< default of Request::world_index

/// A world, batch or snapshot in a request.
struct Target {
  std::uint32_t handle = 0;
  std::uint32_t world_index = kNoWorldIndex;
};

enum class FrameFault : std::uint8_t {
  kNone,
  kHead,  ///< the last four bytes are not zero, or the number is zero or no multiple of 8
  kSize,  ///< more bytes than the limit
};

/// Writes the head of a frame of `payload_bytes`.
void put_frame_head(std::span<std::byte, kFrameHeadBytes> out, std::uint32_t payload_bytes) noexcept;

/// Empties `bytes` and gives their memory back. An assignment of {} is one of an empty list, which keeps it.
inline void free_bytes(std::vector<std::byte>& bytes) noexcept { std::vector<std::byte>().swap(bytes); }

class FrameBuffer {
 public:
  explicit FrameBuffer(std::uint32_t payload_max) : payload_max_(payload_max) {}

  /// Returns memory for the next bytes of the stream, 1 or more. Earlier payloads are gone.
  [[nodiscard]] std::span<std::byte> room();
  /// Adds the first `count` bytes of room().
  void add(std::size_t count) noexcept { end_ += count; }
  /// Sets `payload` to the next message, which is valid until room(). False without a whole frame. A fault is
  /// final.
  [[nodiscard]] bool next(std::span<const std::byte>& payload) noexcept;
  /// Gives the memory of a large stream back once next() has returned all of it; payloads are then gone.
  void trim() noexcept;
  [[nodiscard]] FrameFault fault() const noexcept { return fault_; }
  void set_payload_max(std::uint32_t bytes) noexcept { payload_max_ = bytes; }
  /// Bytes that next() has not returned.
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return bytes_.capacity(); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0;  // of the bytes that next() has not returned
  std::size_t end_ = 0;
  std::uint32_t payload_max_;
  FrameFault fault_ = FrameFault::kNone;
};

}  // namespace takt::service
