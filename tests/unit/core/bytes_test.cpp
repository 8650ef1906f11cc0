#include "takt/core/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

namespace takt {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> out;
  for (unsigned const v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

// The patterns are spelled out byte by byte, so that a big-endian machine has to swap to pass.
TEST(Bytes, EveryWidthIsLittleEndian) {
  std::vector<std::byte> out;
  ByteWriter writer(out);
  writer.put(std::uint8_t{0x01});
  writer.put(std::uint16_t{0x0203});
  writer.put(std::uint32_t{0x04050607});
  writer.put(std::uint64_t{0x08090a0b0c0d0e0f});
  writer.put(std::int32_t{-2});
  writer.put(1.0f);
  writer.put(-2.0);
  writer.put(true);
  EXPECT_EQ(out, bytes_of({0x01, 0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 0x0f, 0x0e, 0x0d, 0x0c,
                           0x0b, 0x0a, 0x09, 0x08, 0xfe, 0xff, 0xff, 0xff, 0x00, 0x00, 0x80,
                           0x3f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xc0, 0x01}));
  EXPECT_EQ(writer.size(), 32u);
}

TEST(Bytes, AnIdIsItsWireFormAndComesBack) {
  struct Tag;
  std::vector<std::byte> out;
  ByteWriter(out).put(Id<Tag>{0x04030201, 0x08070605});
  EXPECT_EQ(out, bytes_of({1, 2, 3, 4, 5, 6, 7, 8}));
  ByteReader reader(out);
  EXPECT_EQ(reader.get<Id<Tag>>(), (Id<Tag>{0x04030201, 0x08070605}));
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.get<Id<Tag>>().is_null());
  EXPECT_FALSE(reader.ok());
}

template <class T>
void expect_round_trip(T value) {
  std::vector<std::byte> out;
  ByteWriter(out).put(value);
  ASSERT_EQ(out.size(), sizeof(T));
  ByteReader reader(out);
  T const back = reader.get<T>();
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0u);
  using Bits = std::array<std::byte, sizeof(T)>;
  EXPECT_EQ(std::bit_cast<Bits>(back), std::bit_cast<Bits>(value));  // NaN and -0 too
}

TEST(Bytes, ValuesComeBackBitForBit) {
  expect_round_trip(std::numeric_limits<std::int8_t>::min());
  expect_round_trip(std::numeric_limits<std::int16_t>::min());
  expect_round_trip(std::numeric_limits<std::int32_t>::min());
  expect_round_trip(std::numeric_limits<std::int64_t>::min());
  expect_round_trip(std::numeric_limits<std::uint64_t>::max());
  expect_round_trip(std::uint16_t{0x1234});
  expect_round_trip(true);
  expect_round_trip(false);
  expect_round_trip(-0.0f);
  expect_round_trip(std::numeric_limits<float>::denorm_min());
  expect_round_trip(std::numeric_limits<float>::infinity());
  expect_round_trip(std::numeric_limits<double>::quiet_NaN());
  expect_round_trip(0.1);
}

TEST(Bytes, ShortReadGivesZeroAndStaysFailed) {
  auto const three = bytes_of({0xff, 0xff, 0xff});
  ByteReader reader(three);
  EXPECT_EQ(reader.get<std::uint32_t>(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0u);
  EXPECT_EQ(reader.get<std::uint8_t>(), 0u) << "a failed reader must not go on with what was left";
  EXPECT_TRUE(reader.get_bytes(0).empty());
}

TEST(Bytes, SpansAreTakenOnlyWhole) {
  auto const five = bytes_of({1, 2, 3, 4, 5});
  ByteReader reader(five);
  EXPECT_EQ(reader.get_bytes(2).size(), 2u);
  EXPECT_EQ(reader.offset(), 2u);
  EXPECT_EQ(reader.get<std::uint8_t>(), 3u);
  EXPECT_TRUE(reader.get_bytes(3).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(Bytes, HugeCountDoesNotWrap) {
  auto const five = bytes_of({1, 2, 3, 4, 5});
  ByteReader reader(five);
  (void)reader.get<std::uint8_t>();
  EXPECT_TRUE(reader.get_bytes(std::numeric_limits<std::size_t>::max()).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(Bytes, WriterAppends) {
  std::vector<std::byte> out = bytes_of({9});
  ByteWriter writer(out);
  writer.put_bytes(bytes_of({8, 7}));
  EXPECT_EQ(out, bytes_of({9, 8, 7}));
}

TEST(Bytes, BoolIsTrueForEveryByteButZero) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::byte const b = static_cast<std::byte>(byte);
    EXPECT_EQ(load_little_endian<bool>(&b), byte != 0);
  }
}

}  // namespace
}  // namespace takt
