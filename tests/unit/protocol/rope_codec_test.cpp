// Ropes to bytes and back: how exact, how small, and what of a stranger's bytes is refused.
#include "protocol/messages/rope_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "protocol/wire/bit_stream.h"
#include "protocol/wire/limits.h"
#include "takt/core/bytes.h"
#include "takt/core/random.h"

namespace takt::protocol {
namespace {

constexpr double kMetre = 0x1p32;
constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();

RopeState rope_of(std::size_t count) {
  RopeState rope;
  rope.id = (RopeId{3} << 32) | 70;
  rope.flags = kRopeAsleep;
  rope.radius = 0.02f;
  rope.nodes.resize(count);
  rope.tensions.assign(count - 1, 0.0f);
  return rope;
}
// A catenary of 10 m, 1,000 km from the origin.
RopeState hanging(std::size_t count) {
  RopeState rope = rope_of(count);
  for (std::size_t i = 0; i < count; ++i) {
    double const x = 10 * (static_cast<double>(i) / static_cast<double>(count - 1) - 0.5);
    rope.nodes[i] = {static_cast<std::int64_t>((1e6 + x) * kMetre),
                     static_cast<std::int64_t>(std::cosh(x / 3) * kMetre), -5};
    if (i + 1 < count) rope.tensions[i] = static_cast<float>(30 * std::cosh(x / 3));
  }
  return rope;
}

std::vector<std::byte> all_bytes(const RopeState& rope) {
  std::vector<std::byte> out;
  for (auto const& slice : encode_rope(rope)) out.insert(out.end(), slice.begin(), slice.end());
  return out;
}
RopeState back(const RopeState& rope) {
  auto const slices = decode_rope_slices(all_bytes(rope));
  EXPECT_TRUE(slices.ok());
  RopeState out;
  for (const RopeSlice& slice : *slices) {
    EXPECT_EQ(slice.first, out.nodes.size());
    EXPECT_EQ(slice.node_count, rope.nodes.size());
    out.id = slice.id;
    out.flags = slice.flags;
    out.radius = slice.radius;
    out.nodes.insert(out.nodes.end(), slice.nodes.begin(), slice.nodes.end());
    out.tensions.insert(out.tensions.end(), slice.tensions.begin(), slice.tensions.end());
  }
  return out;
}
void expect_near(const RopeState& read, const RopeState& rope) {
  EXPECT_EQ(read.id, rope.id);
  EXPECT_EQ(read.flags, rope.flags);
  EXPECT_EQ(read.radius, rope.radius);
  ASSERT_EQ(read.nodes.size(), rope.nodes.size());
  ASSERT_EQ(read.tensions.size(), rope.tensions.size());
  constexpr std::int64_t kHalfQuantum = std::int64_t{1} << (31 - kRopeLatticeBits);
  for (std::size_t i = 0; i < rope.nodes.size(); ++i)
    for (auto const axis : {&Position::x, &Position::y, &Position::z}) {
      // At the world's last half quantum there is no place to round up to.
      std::int64_t const max = rope.nodes[i].*axis > kHigh - kHalfQuantum ? 2 * kHalfQuantum : kHalfQuantum;
      EXPECT_LE(std::abs(read.nodes[i].*axis - rope.nodes[i].*axis), max) << i;
    }
  for (std::size_t i = 0; i < rope.tensions.size(); ++i) {
    float const size = std::abs(rope.tensions[i]);
    if (size < 0x1p-7f) {
      EXPECT_EQ(read.tensions[i], 0.0f) << i;
    } else {
      EXPECT_LE(std::abs(read.tensions[i] - rope.tensions[i]), size * 0x1p-8f) << i;
    }
  }
}

TEST(RopeCodec, IsExactToHalfAQuantumAnywhere) {
  RopeState wild = rope_of(9);
  wild.nodes = {{kLow, kHigh, 0},
                {kHigh, kLow, 1},
                {kLow, kHigh, -1},
                {0, 0, 0},
                {1, -1, 1 << 18},
                {-(1 << 18), (1 << 18) - 1, 5},
                {7, 7, 7},
                {},
                {}};
  wild.tensions = {3e38f, -3e38f, 0x1p-7f, -0x1p-7f, 0x1.fep-8f, 0.0f, 1e-40f, -1.5f};
  expect_near(back(wild), wild);
  expect_near(back(hanging(200)), hanging(200));
  expect_near(back(rope_of(1)), rope_of(1));
}

TEST(RopeCodec, RandomRopesComeBack) {
  Random random(20261122);
  for (int round = 0; round < 300; ++round) {
    RopeState rope = rope_of(1 + random.next_below(300));
    double const step = std::ldexp(1.0, static_cast<int>(random.next_below(40)) - 14);
    Position at{};
    for (Position& node : rope.nodes) {
      for (auto const axis : {&Position::x, &Position::y, &Position::z})
        at.*axis += static_cast<std::int64_t>(random.next_between(-step, step) * kMetre / 300);
      node = at;
    }
    for (float& tension : rope.tensions) tension = static_cast<float>(random.next_between(-step, step));
    expect_near(back(rope), rope);
    RopeState const once = back(rope);
    EXPECT_EQ(back(once), once) << "what is on the lattice stays";
  }
}

// The catenary's second differences between nodes are at most (0.05 m)^2 cosh(5 / 3) / 9 = 6.4 quanta in y,
// below one in x and z, and below two steps of tension: twice that, its sign, takes at most 6, 2, 1 and 3
// bits.
TEST(RopeCodec, ASmoothRopeCostsAByteAndAHalfANode) {
  EXPECT_LE(all_bytes(hanging(200)).size(), 33u + 200 * 12 / 8);
}

TEST(RopeCodec, SlicesFitTheirPlaceWhateverTheyHold) {
  RopeState rope = rope_of(kRopeNodesMax);
  Random random(7);
  for (Position& node : rope.nodes)
    node = {random.next_below(2) == 0 ? kLow : kHigh, random.next_below(2) == 0 ? kLow : kHigh, kHigh};
  for (float& tension : rope.tensions) tension = random.next_below(2) == 0 ? -3e38f : 3e38f;
  auto const slices = encode_rope(rope);
  EXPECT_GT(slices.size(), 100u);
  for (auto const& slice : slices) EXPECT_LE(slice.size(), kRopeSliceBytesMax);
  expect_near(back(rope), rope);
  // But for the last, they are full: another node at its worst and the greatest header would not fit.
  for (auto const& all : {slices, encode_rope(rope_of(kRopeNodesMax))})
    for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_GE(all[i].size(), kRopeSliceBytesMax - 2 * 36);
}

// A slice of one node of `count`, whose numbers a test changes.
struct Header {
  std::uint8_t index = 1, generation = 1, count = 2, first = 0, here = 1, flags = 0;
  float radius = 0.5f;
  std::uint8_t bytes = 19;  // 3 x 45 + 16 bits
};
Error error_of(const Header& h, std::size_t cut = 0, std::byte fill = std::byte{0x55}) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  for (std::uint8_t const number : {h.index, h.generation, h.count, h.first, h.here, h.flags})
    out.put(number);
  out.put(h.radius);
  out.put(h.bytes);
  bytes.resize(bytes.size() + h.bytes, fill);
  bytes.resize(bytes.size() - cut);
  auto const slices = decode_rope_slices(bytes);
  return slices ? Error{} : slices.error();
}

TEST(RopeCodec, BytesThatDoNotAddUpAreRefused) {
  EXPECT_EQ(error_of({}), Error{}) << "this one is good";
  EXPECT_EQ(error_of({.generation = 0}), Error::kOutOfRange);
  EXPECT_EQ(error_of({.count = 0}), Error::kOutOfRange);
  EXPECT_EQ(error_of({.first = 2}), Error::kOutOfRange);
  EXPECT_EQ(error_of({.here = 0}), Error::kOutOfRange);
  EXPECT_EQ(error_of({.here = 3}), Error::kOutOfRange);
  EXPECT_EQ(error_of({.first = 1, .here = 2}), Error::kOutOfRange);
  EXPECT_EQ(error_of({.radius = std::numeric_limits<float>::quiet_NaN()}), Error::kNotFinite);
  EXPECT_EQ(error_of({.bytes = 18}), Error::kOutOfRange) << "a byte short";
  EXPECT_EQ(error_of({.bytes = 20}), Error::kOutOfRange) << "a byte too many";
  EXPECT_EQ(error_of({}, 1), Error::kOutOfRange) << "cut off";
  EXPECT_EQ(error_of({}, 26), Error::kOutOfRange) << "in its header";
  EXPECT_EQ(error_of({.here = 2, .bytes = 200}, 0, std::byte{0xFF}), Error::kOutOfRange) << "off the lattice";
  EXPECT_EQ(error_of({}, 0, std::byte{0xFF}), Error::kOutOfRange) << "a tension beyond binary32";
  std::vector<std::byte> endless(11, std::byte{0xFF});
  EXPECT_FALSE(decode_rope_slices(endless).ok());
  EXPECT_TRUE(decode_rope_slices({}).ok());
}

TEST(RopeCodec, MutatedBytesAreRefusedOrStayWithinTheWorld) {
  Random random(99);
  std::vector<std::byte> const good = all_bytes(hanging(60));
  std::size_t read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = good;
    for (std::uint32_t i = 0; i <= random.next_below(4); ++i)
      bytes[random.next_below(static_cast<std::uint32_t>(bytes.size()))] ^=
          static_cast<std::byte>(1u << random.next_below(8));
    if (random.next_below(4) == 0) bytes.resize(random.next_below(static_cast<std::uint32_t>(bytes.size())));
    auto const slices = decode_rope_slices(bytes);
    if (!slices) continue;
    ++read;
    for (const RopeSlice& slice : *slices)
      for (float const tension : slice.tensions) ASSERT_TRUE(std::isfinite(tension));
  }
  EXPECT_GT(read, 100u) << "some are still ropes";
}

TEST(BitStream, NumbersOfAnyWidthComeBackAndTheEndIsSaid) {
  std::vector<std::byte> bytes;
  BitWriter out(bytes);
  for (unsigned width = 0; width <= 56; ++width)
    out.put(0xA5A5A5A5A5A5A5u & ((std::uint64_t{1} << width) - 1), width);
  out.finish();
  BitReader in(bytes);
  for (unsigned width = 0; width <= 56; ++width)
    ASSERT_EQ(in.get(width), 0xA5A5A5A5A5A5A5u & ((std::uint64_t{1} << width) - 1)) << width;
  EXPECT_TRUE(in.ok() && in.is_at_end());
  (void)in.get(8);
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace takt::protocol
