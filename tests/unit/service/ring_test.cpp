#include "service/wire/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <thread>
#include <vector>

namespace takt::service {
namespace {

struct Ring {
  explicit Ring(std::size_t size = kRingBytesMin) : bytes(size) {}
  RingHead head;
  std::vector<std::byte> bytes;
  RingReader reader{head, bytes};
  RingWriter writer{head, bytes};
};

std::byte byte_at(std::uint64_t position) { return static_cast<std::byte>(position * 31 % 251); }

TEST(ServiceRing, BytesComeInOrderWhateverTheParts) {
  Ring ring;
  std::mt19937 random(5);
  std::array<std::byte, 3 * kRingBytesMin> part{};
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  while (read < 64 * kRingBytesMin) {
    std::size_t const offered = random() % part.size();
    for (std::size_t i = 0; i < offered; ++i) part[i] = byte_at(written + i);
    std::size_t const fits = std::min<std::size_t>(offered, kRingBytesMin - (written - read));
    ASSERT_EQ(ring.writer.write(std::span(part).first(offered)), fits);
    written += fits;
    ASSERT_EQ(ring.writer.has_room(), written - read < kRingBytesMin);
    ASSERT_EQ(ring.reader.has_bytes(), written != read);
    std::size_t const wanted = random() % part.size();
    std::size_t count = ring.reader.read(std::span(part).first(wanted));
    // A reader that has seen a part of the bytes sees the rest at the next call.
    count += ring.reader.read(std::span(part).subspan(count, wanted - count));
    ASSERT_EQ(count, std::min<std::size_t>(wanted, written - read));
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(part[i], byte_at(read + i)) << read + i;
    read += count;
  }
}

TEST(ServiceRing, TwoThreadsPassAStream) {
  Ring ring;
  constexpr std::uint64_t kBytes = 1u << 22u;
  std::thread writer([&] {
    std::array<std::byte, 1000> part{};
    for (std::uint64_t done = 0; done < kBytes;) {
      std::size_t const size = std::min<std::uint64_t>(part.size(), kBytes - done);
      for (std::size_t i = 0; i < size; ++i) part[i] = byte_at(done + i);
      std::size_t const count = ring.writer.write(std::span(part).first(size));
      if (count == 0) std::this_thread::yield();
      done += count;
    }
  });
  std::array<std::byte, 777> part{};
  std::uint64_t wrong = 0;
  for (std::uint64_t done = 0; done < kBytes;) {
    std::size_t const count = ring.reader.read(part);
    if (count == 0) std::this_thread::yield();
    for (std::size_t i = 0; i < count; ++i) wrong += part[i] != byte_at(done + i) ? 1 : 0;
    done += count;
  }
  writer.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(ServiceRing, AWritersPositionThatCannotBeEndsTheReader) {
  for (std::uint64_t const wrong : {std::uint64_t{kRingBytesMin} + 9, std::uint64_t{7}, ~std::uint64_t{0}}) {
    Ring ring;
    std::array<std::byte, 64> part{};
    ASSERT_EQ(ring.writer.write(std::span(part).first(8)), 8u);
    ASSERT_EQ(ring.reader.read(part), 8u);
    ring.head.written.store(wrong);  // too far, or back
    EXPECT_TRUE(ring.reader.has_bytes());
    EXPECT_EQ(ring.reader.read(part), 0u);
    EXPECT_TRUE(ring.reader.is_broken());
    ring.head.written.store(9);
    EXPECT_EQ(ring.reader.read(part), 0u);
    EXPECT_FALSE(ring.reader.has_bytes());
  }
}

TEST(ServiceRing, AReadersPositionThatCannotBeEndsTheWriter) {
  for (std::uint64_t const wrong : {std::uint64_t{kRingBytesMin} + 1, ~std::uint64_t{0}}) {
    Ring ring;
    std::vector<std::byte> const all(kRingBytesMin);
    ASSERT_EQ(ring.writer.write(all), all.size());
    ring.head.read.store(wrong);  // ahead of the bytes, or back
    EXPECT_TRUE(ring.writer.has_room());
    EXPECT_EQ(ring.writer.write(std::span(all).first(1)), 0u);
    EXPECT_TRUE(ring.writer.is_broken());
    ring.head.read.store(all.size());
    EXPECT_EQ(ring.writer.write(all), 0u);
  }
}

TEST(ServiceRing, ASideThatWaitsIsWokenOnce) {
  Ring ring;
  std::vector<std::byte> part(kRingBytesMin);
  EXPECT_EQ(ring.writer.take_reader_wait(), RingWait::kAwake);
  EXPECT_TRUE(ring.reader.begin_wait(RingWait::kSocket));
  ASSERT_EQ(ring.writer.write(std::span(part).first(1)), 1u);
  EXPECT_EQ(ring.writer.take_reader_wait(), RingWait::kSocket);
  EXPECT_EQ(ring.writer.take_reader_wait(), RingWait::kAwake);
  EXPECT_FALSE(ring.reader.begin_wait(RingWait::kFutex));  // a byte is there
  EXPECT_EQ(ring.writer.take_reader_wait(), RingWait::kAwake);
  // The writer is woken when half of the ring is free.
  EXPECT_FALSE(ring.writer.begin_wait(RingWait::kFutex));
  ASSERT_EQ(ring.writer.write(part), part.size() - 1);
  EXPECT_TRUE(ring.writer.begin_wait(RingWait::kFutex));
  ASSERT_EQ(ring.reader.read(std::span(part).first(1)), 1u);
  ASSERT_EQ(ring.reader.read(std::span(part).first(9)), 9u);
  EXPECT_EQ(ring.reader.take_writer_wait(), RingWait::kAwake);
  ASSERT_EQ(ring.reader.read(std::span(part).first(part.size() / 2)), part.size() / 2);
  EXPECT_EQ(ring.reader.take_writer_wait(), RingWait::kFutex);
}

}  // namespace
}  // namespace takt::service
