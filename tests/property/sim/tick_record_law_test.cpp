#include <gtest/gtest.h>

#include <algorithm>

#include "sim/recording/tick_record.h"
#include "tests/property/sim/random_inputs.h"

namespace takt::sim {
namespace {

// NaN compares unequal to itself: laws about values go by their bytes.
std::vector<std::byte> bytes_of(const TickRecord& record) {
  std::vector<std::byte> bytes;
  encode(record, bytes);
  return bytes;
}

TickRecord random_record(RandomInputs& inputs, Random& random, std::uint64_t tick) {
  TickRecord record{tick, inputs.tick(tick), {}};
  sort_inputs(record.inputs);
  std::uint64_t const age = random.next_below(12);
  if (age <= tick && random.next_below(8) == 0)
    record.hash = StateHash{tick + 1 - age, std::uint64_t{random.next_u32()} << 32 | random.next_u32()};
  return record;
}

TEST(TickRecordLaw, DecodingUndoesEncoding) {
  std::size_t packed = 0;
  std::size_t plain = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomInputs inputs(seed);
    Random random(seed);
    for (std::uint64_t tick = 0; tick < 200; ++tick) {
      TickRecord const record = random_record(inputs, random, tick);
      auto const bytes = bytes_of(record);
      auto const back = decode_tick_record(tick, bytes);
      ASSERT_TRUE(back.ok()) << "seed " << seed << " tick " << tick;
      ASSERT_EQ(bytes_of(*back), bytes) << "seed " << seed << " tick " << tick;
      ASSERT_EQ(back->hash, record.hash);
      packed += bytes.size();
      std::vector<std::byte> unpacked;
      for (const Input& input : record.inputs) encode(input, unpacked);
      plain += unpacked.size();
    }
  }
  EXPECT_LT(packed, plain);
}

// Sound records with some bytes changed, cut or added.
TEST(TickRecordLaw, AnyBytesDecodeToWhatEncodesAsThemOrAreRefused) {
  RandomInputs inputs(7);
  Random random(99);
  int decoded = 0;
  int refused = 0;
  for (int draw = 0; draw < 20000; ++draw) {
    std::vector<std::byte> bytes = bytes_of(random_record(inputs, random, 1000));
    if (draw % 2 == 0) {
      bytes.resize(random.next_below(80));
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next_u32());
    }
    for (std::uint32_t change = random.next_below(3); change > 0 && !bytes.empty(); --change)
      bytes[random.next_below(static_cast<std::uint32_t>(bytes.size()))] =
          static_cast<std::byte>(random.next_u32());
    auto const record = decode_tick_record(1000, bytes);
    if (!record) {
      ++refused;
      ASSERT_EQ(record.error(), SimError::kTickRecordMalformed) << "draw " << draw;
      continue;
    }
    ++decoded;
    ASSERT_EQ(bytes_of(*record), bytes) << "draw " << draw;
  }
  EXPECT_GT(decoded, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace takt::sim
