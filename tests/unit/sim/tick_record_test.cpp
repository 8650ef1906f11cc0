#include "sim/recording/tick_record.h"

#include <gtest/gtest.h>

namespace takt::sim {
namespace {

std::vector<std::byte> bytes_of(const TickRecord& record) {
  std::vector<std::byte> bytes;
  encode(record, bytes);
  return bytes;
}

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (int const value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

Input walk(std::uint64_t tick, PlayerId player, std::uint32_t sequence) {
  return {tick, player, sequence, MoveCommand{BodyId{17, 1}, {1.5f, 0, -3.25f}, 0, false, false}};
}

TEST(TickRecord, AnEmptyTickHasNoBytes) {
  EXPECT_TRUE(bytes_of({.tick = 5, .inputs = {}, .hash = {}}).empty());
  auto const back = decode_tick_record(5, {});
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, (TickRecord{.tick = 5, .inputs = {}, .hash = {}}));
}

TEST(TickRecord, InputsAndHashComeBack) {
  TickRecord const record{1000, {walk(1000, 1, 70), walk(1000, 2, 3), walk(1000, 2, 4)}, StateHash{996, 77}};
  auto const back = decode_tick_record(1000, bytes_of(record));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, record);
}

// The fields of fixed width are 35 bytes.
TEST(TickRecord, AWalkersInputTakesAtMostSixteenBytes) {
  EXPECT_LE(bytes_of({.tick = 9, .inputs = {walk(9, 3, 300)}, .hash = {}}).size(), 16u);
}

TEST(TickRecord, BytesThatEncodeDoesNotWriteAreRefusedByName) {
  auto const error_of = [](const std::vector<std::byte>& malformed) {
    auto const record = decode_tick_record(3, malformed);
    return record ? SimError{} : record.error();
  };
  auto const sound = bytes_of({.tick = 3, .inputs = {walk(3, 1, 1)}, .hash = StateHash{4, 5}});
  auto cut = sound;
  cut.pop_back();
  auto longer = sound;
  longer.push_back(std::byte{0});
  EXPECT_EQ(error_of(cut), SimError::kTickRecordMalformed);
  EXPECT_EQ(error_of(longer), SimError::kTickRecordMalformed);
  EXPECT_EQ(error_of(bytes({0})), SimError::kTickRecordMalformed) << "neither inputs nor hash";
  EXPECT_EQ(error_of(bytes({1, 0})), SimError::kTickRecordMalformed) << "a zero that is not left out";
  EXPECT_EQ(error_of(bytes({2, 200})), SimError::kTickRecordMalformed) << "an input that is missing";
  EXPECT_EQ(error_of(bytes({1, 40})), SimError::kTickRecordMalformed) << "a hash of before the first tick";
  auto twice = bytes_of({.tick = 3, .inputs = {walk(3, 1, 1), walk(3, 1, 2)}, .hash = {}});
  for (std::byte& byte : twice)
    if (byte == std::byte{2} && &byte != &twice[1]) byte = std::byte{1};  // the second sequence
  EXPECT_EQ(error_of(twice), SimError::kTickRecordMalformed) << "inputs out of order";
  EXPECT_EQ(error_of(std::vector<std::byte>(kTickRecordBytesMax + 1)), SimError::kTooLarge);
}

}  // namespace
}  // namespace takt::sim
