// A recording that was cut anywhere: the server goes on from its last whole tick with the state of the run
// that was never disturbed, or refuses and names the file and the byte.
#include "cli/resumed_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "takt/core/random.h"
#include "tests/unit/cli/folder.h"
#include "tests/unit/cli/recorded_room.h"

namespace takt::cli {
namespace {

using test::Folder;
using test::RecordedRoom;

TEST(TheRecordingIsACrashJournal, CutAtAnyByteItGoesOnFromItsLastWholeTickOrIsRefused) {
  constexpr std::uint64_t kSeed = 18;
  constexpr int kCuts = 300;
  constexpr std::uint32_t kTicks = 230;
  Folder const here;
  RecordedRoom room(here / "whole.takt");
  std::uint64_t const first_bytes = room.bytes();
  room.run(kTicks);
  std::string const whole = here.read("whole.takt");
  ASSERT_EQ(whole.size(), room.bytes());
  Random random(kSeed);
  server::GameRegistry const games;
  std::set<std::uint64_t> resumed_ticks;
  int refused = 0;
  for (int i = 0; i < kCuts; ++i) {
    // Every tenth cut is in the header and the first image, the others are within the bytes of a tick.
    std::uint64_t const tick_cut = 1 + random.next_below(kTicks);
    std::uint64_t const from = i % 10 == 0 ? 0 : room.bytes_of_tick().at(tick_cut - 1);
    std::uint64_t const to = i % 10 == 0 ? first_bytes : room.bytes_of_tick().at(tick_cut);
    std::uint64_t const cut = from + random.next_below(static_cast<std::uint32_t>(to - from));
    std::string const path = here.write("cut.takt", whole.substr(0, cut));
    auto const resumed = resume_world(path, games, {});
    SCOPED_TRACE("cut at byte " + std::to_string(cut) + " of " + std::to_string(whole.size()) + ", seed " +
                 std::to_string(kSeed));
    if (!resumed) {
      EXPECT_LT(cut, first_bytes) << message(resumed.error());
      std::string const text(message(resumed.error()));
      EXPECT_TRUE(text.starts_with(path + ": ")) << text;
      EXPECT_NE(text.find("; the file ends after " + std::to_string(cut) + " bytes"), std::string::npos)
          << text;
      ++refused;
      continue;
    }
    EXPECT_GE(cut, first_bytes);
    std::uint64_t last_whole = 0;
    for (auto const& [tick, bytes] : room.bytes_of_tick())
      if (bytes <= cut) last_whole = std::max(last_whole, tick);
    // An image follows the hash of its tick, so a cut within the image loses no tick.
    std::uint64_t const tick = resumed->simulation.tick();
    bool const is_cut_in_image =
        tick == last_whole + 1 && tick % RecordedRoom::kImageEveryTicks == 0 && tick < room.tick();
    EXPECT_TRUE(tick == last_whole || is_cut_in_image) << tick << " of " << last_whole;
    EXPECT_EQ(resumed->simulation.hash(), room.hashes().at(resumed->simulation.tick()));
    EXPECT_EQ(resumed->path, path);
    resumed_ticks.insert(resumed->simulation.tick());
  }
  EXPECT_EQ(refused, kCuts / 10);
  EXPECT_GT(resumed_ticks.size(), 100u);
}

}  // namespace
}  // namespace takt::cli
