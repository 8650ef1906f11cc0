#include <gtest/gtest.h>

#include "tests/property/sim/random_inputs.h"

namespace takt::sim {
namespace {

// NaN compares unequal to itself: laws about values go by their bytes.
std::vector<std::byte> bytes_of(const Input& input) {
  std::vector<std::byte> bytes;
  encode(input, bytes);
  return bytes;
}

TEST(InputLaw, DecodingUndoesEncoding) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomInputs inputs(seed);
    std::vector<std::byte> stream;
    std::vector<std::vector<std::byte>> each;
    for (std::uint64_t tick = 0; tick < 200; ++tick) {
      for (const Input& input : inputs.tick(tick)) {
        encode(input, stream);
        each.push_back(bytes_of(input));
      }
    }
    ByteReader reader(stream);
    for (const auto& bytes : each) {
      Result<Input, SimError> const back = decode_input(reader);
      ASSERT_TRUE(back) << "seed " << seed;
      ASSERT_EQ(bytes_of(*back), bytes) << "seed " << seed;
    }
    EXPECT_EQ(reader.remaining(), 0u);
  }
}

TEST(InputLaw, AnyBytesDecodeToWhatEncodesAsThemOrAreRefused) {
  Random random(99);
  int decoded = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> bytes(17 + random.next_below(110));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random.next_u32());
    bytes[16] = static_cast<std::byte>(random.next_below(13));
    ByteReader reader(bytes);
    Result<Input, SimError> const input = decode_input(reader);
    if (!input) continue;
    ++decoded;
    bytes.resize(reader.offset());
    ASSERT_EQ(bytes_of(*input), bytes) << "draw " << i;
  }
  EXPECT_GT(decoded, 1000);
}

}  // namespace
}  // namespace takt::sim
