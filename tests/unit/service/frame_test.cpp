#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "service/wire/frame.h"

namespace takt::service {
namespace {

std::vector<std::byte> frame(std::size_t bytes, std::uint8_t value) {
  std::vector<std::byte> out(kFrameHeadBytes + bytes, std::byte{value});
  put_frame_head(std::span(out).first<kFrameHeadBytes>(), static_cast<std::uint32_t>(bytes));
  return out;
}

// Gives the bytes to a buffer in parts of `part` bytes, and returns the messages.
std::vector<std::vector<std::byte>> split(FrameBuffer& buffer, std::span<const std::byte> bytes,
                                          std::size_t part) {
  std::vector<std::vector<std::byte>> messages;
  while (!bytes.empty()) {
    std::span<std::byte> const room = buffer.room();
    std::size_t const count = std::min({part, bytes.size(), room.size()});
    std::ranges::copy(bytes.first(count), room.begin());
    buffer.add(count);
    bytes = bytes.subspan(count);
    std::span<const std::byte> message;
    while (buffer.next(message)) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(message.data()) % 8, 0u);
      messages.emplace_back(message.begin(), message.end());
    }
  }
  return messages;
}

TEST(FrameBuffer, SplitsAStreamOfAnyParts) {
  std::vector<std::byte> stream;
  std::vector<std::size_t> const sizes{8, 64, 16, 40'000, 8, 200'000, 24};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto const next = frame(sizes[i], static_cast<std::uint8_t>(i + 1));
    stream.insert(stream.end(), next.begin(), next.end());
  }
  for (std::size_t const part : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, stream.size()}) {
    FrameBuffer buffer(1u << 20u);
    auto const messages = split(buffer, stream, part);
    ASSERT_EQ(messages.size(), sizes.size()) << part;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(messages[i], std::vector<std::byte>(sizes[i], std::byte(i + 1)));
    }
    EXPECT_EQ(buffer.fault(), FrameFault::kNone);
  }
}

TEST(FrameBuffer, ALargeFrameLeavesNoMemoryBehind) {
  FrameBuffer buffer(kFrameBytesMax);
  constexpr std::size_t kLargeBytes = 5u << 20u;
  EXPECT_EQ(split(buffer, frame(kLargeBytes, 1), kLargeBytes).size(), 1u);
  EXPECT_GE(buffer.capacity(), kLargeBytes);
  EXPECT_EQ(split(buffer, frame(8, 1), 16).size(), 1u);
  EXPECT_LE(buffer.capacity(), 1u << 16u);
  EXPECT_EQ(split(buffer, frame(kLargeBytes, 1), kLargeBytes).size(), 1u);
  buffer.trim();
  EXPECT_EQ(buffer.capacity(), 0u);
  std::vector<std::byte> const large = frame(kLargeBytes, 1);
  EXPECT_TRUE(split(buffer, std::span(large).first(kLargeBytes), kLargeBytes).empty());
  buffer.trim();  // not while bytes wait
  EXPECT_EQ(split(buffer, std::span(large).subspan(kLargeBytes), kLargeBytes).size(), 1u);
}

TEST(FrameBuffer, RefusesALengthBeyondTheLimitBeforeTheBytesCome) {
  FrameBuffer buffer(64);
  std::vector<std::byte> const large = frame(72, 1);
  EXPECT_TRUE(split(buffer, std::span(large).first(kFrameHeadBytes), 8).empty());
  EXPECT_EQ(buffer.fault(), FrameFault::kSize);
  EXPECT_TRUE(split(buffer, frame(8, 1), 16).empty());  // a fault is final
}

TEST(FrameBuffer, RefusesHeadsThatAreNone) {
  for (std::array<std::uint8_t, 8> const head : {std::array<std::uint8_t, 8>{0, 0, 0, 0, 0, 0, 0, 0},
                                                 {9, 0, 0, 0, 0, 0, 0, 0},
                                                 {8, 0, 0, 0, 1, 0, 0, 0},
                                                 {8, 0, 0, 0, 0, 0, 0, 128}}) {
    FrameBuffer buffer(64);
    EXPECT_TRUE(split(buffer, std::as_bytes(std::span(head)), 8).empty());
    EXPECT_EQ(buffer.fault(), FrameFault::kHead);
  }
}

}  // namespace
}  // namespace takt::service
