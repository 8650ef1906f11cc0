#include "protocol/link/packet_simulator.h"

#include <gtest/gtest.h>

#include <limits>

namespace takt::protocol {
namespace {

std::vector<std::byte> packet(std::uint32_t number) {
  std::vector<std::byte> bytes(100);
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(number >> (8 * i));
  return bytes;
}

TEST(PacketSimulator, APerfectWireDeliversAtOnceAndInOrder) {
  PacketSimulator wire({}, 1);
  for (std::uint32_t i = 0; i < 100; ++i) wire.handle_packet(5, i, packet(i));
  PacketSimulator::Packet out;
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(wire.poll_packet(5, out));
    EXPECT_EQ(out.tag, i);
    EXPECT_EQ(out.bytes, packet(i));
  }
  EXPECT_FALSE(wire.poll_packet(5, out));
  EXPECT_EQ(wire.next_arrival_us(), std::numeric_limits<std::uint64_t>::max());
}

TEST(PacketSimulator, LosesDelaysDuplicatesAndReordersInTheStatedShares) {
  PacketSimulator wire(Impairment::hostile(), 7);
  constexpr std::uint32_t kCount = 20'000;
  for (std::uint32_t i = 0; i < kCount; ++i) wire.handle_packet(i * 10'000ull, i, packet(i));
  double const lost = static_cast<double>(wire.packets_dropped()) / kCount;
  EXPECT_NEAR(lost, 0.10, 0.01);
  PacketSimulator::Packet out;
  std::vector<int> copies(kCount, 0);
  std::uint32_t delivered = 0;
  std::uint32_t overtaken = 0;
  std::uint64_t newest = 0;
  while (wire.next_arrival_us() != std::numeric_limits<std::uint64_t>::max()) {
    std::uint64_t const at_us = wire.next_arrival_us();
    ASSERT_TRUE(wire.poll_packet(at_us, out));
    std::uint64_t const delay_us = at_us - out.tag * 10'000;
    EXPECT_GE(delay_us, 80'000u);
    EXPECT_LE(delay_us, 150'000u);
    ++copies[out.tag];
    ++delivered;
    if (out.tag < newest) ++overtaken;
    newest = std::max(newest, out.tag);
  }
  EXPECT_NEAR(static_cast<double>(delivered) / kCount, 0.9 * 1.05, 0.01);
  for (int const c : copies) EXPECT_LE(c, 2);
  EXPECT_GT(overtaken, kCount / 20);
}

TEST(PacketSimulator, TheSameSeedGivesTheSameRun) {
  auto const run = [](std::uint64_t seed) {
    PacketSimulator wire(Impairment::hostile(), seed);
    for (std::uint32_t i = 0; i < 500; ++i) wire.handle_packet(i * 1000ull, i, packet(i));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> arrivals;
    PacketSimulator::Packet out;
    while (wire.packets_under_way() > 0) {
      std::uint64_t const at_us = wire.next_arrival_us();
      (void)wire.poll_packet(at_us, out);
      arrivals.emplace_back(at_us, out.tag);
    }
    return arrivals;
  };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
}

TEST(PacketSimulator, ABottleneckThrottlesAndDropsWhatDoesNotFit) {
  Impairment narrow;
  narrow.bandwidth_bytes_per_s = 100'000;
  narrow.queue_bytes_max = 1000;
  PacketSimulator wire(narrow, 1);
  for (std::uint32_t i = 0; i < 20; ++i)
    wire.handle_packet(0, i, packet(i));  // 100 bytes each: a millisecond each
  EXPECT_EQ(wire.packets_dropped(), 10u);
  PacketSimulator::Packet out;
  for (std::uint64_t i = 1; i <= 10; ++i) {
    EXPECT_EQ(wire.next_arrival_us(), i * 1000);
    ASSERT_TRUE(wire.poll_packet(i * 1000, out));
  }
}

TEST(PacketSimulator, ABlackholeSwallowsAllAndEnds) {
  Impairment hole;
  hole.blackhole = true;
  PacketSimulator wire(hole, 1);
  wire.handle_packet(0, 0, packet(0));
  EXPECT_EQ(wire.packets_under_way(), 0u);
  wire.set_impairment({});
  wire.handle_packet(1, 0, packet(0));
  EXPECT_EQ(wire.packets_under_way(), 1u);
}

}  // namespace
}  // namespace takt::protocol
