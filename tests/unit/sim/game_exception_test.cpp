// A game that throws during a replay: each function reports the tick and the text, and keeps what it had
// found before.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "takt/sim/recording.h"
#include "takt/sim/replay.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

constexpr std::uint64_t kNever = UINT64_MAX;

// Throws before the physics of a tick.
class ThrowingGame : public Game {
 public:
  explicit ThrowingGame(std::uint64_t throw_tick) : throw_tick_(throw_tick) {}
  [[nodiscard]] std::string_view name() const override { return "throwing/1"; }
  void before_tick(WorldAccess& world) override {
    if (world.tick() == throw_tick_) throw std::out_of_range("map::at");
  }
  void visit_state(StateVisitor& state) override {
    state.field("seven", seven_);
    state.require(seven_ == 7, "seven", "it is not 7");
  }

 private:
  std::uint64_t throw_tick_;
  std::uint32_t seven_ = 7;
};

GameFactory throwing_at(std::uint64_t tick) {
  return [tick](std::string_view) { return std::make_unique<ThrowingGame>(tick); };
}

// 50 ticks with images at 0, 20 and 40.
std::vector<std::byte> record() {
  Scene const scene = stack_scene(1);
  auto live = Simulation::create(scene, NumbersMode::kFloat, std::make_unique<ThrowingGame>(kNever));
  EXPECT_TRUE(live.ok());
  MemorySink sink;
  RecordingOptions options;
  options.image_every_ticks = 20;
  RecordingWriter writer(sink, options);
  EXPECT_TRUE(writer.begin(*live, &scene).ok());
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(writer.append(*live, {}, live->step({})).ok());
  EXPECT_TRUE(writer.close().ok());
  return sink.bytes();
}

class GameException : public testing::Test {
 protected:
  std::vector<std::byte> bytes = record();
  MemorySource source{bytes};
  RecordingReader reader = *RecordingReader::open(source);
};

TEST_F(GameException, VerifyReportsTheTicksBeforeIt) {
  auto const report = verify(reader, {}, throwing_at(33));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->stopped_by, SimError::kGameThrew);
  EXPECT_EQ(report->thrown, "map::at");
  EXPECT_EQ(report->final_tick, 33u);
  EXPECT_EQ(report->ticks_checked, 33u);
  EXPECT_EQ(report->final_hash, reader.tick(32)->hash_after);
  EXPECT_FALSE(report->mismatch || report->unreadable_image);
}

TEST_F(GameException, SeekReportsTheTickAndReachesTheOneBefore) {
  ReplayTrace trace;
  auto const past = seek(reader, 34, {}, throwing_at(33), &trace);
  ASSERT_FALSE(past.ok());
  EXPECT_EQ(past.error(), SimError::kGameThrew);
  EXPECT_EQ(trace.final_tick, 33u);
  EXPECT_EQ(trace.thrown, "map::at");
  auto const before = seek(reader, 33, {}, throwing_at(33), &trace);
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(before->hash(), reader.tick(32)->hash_after);
}

TEST_F(GameException, BisectStopsAtItAndGoesOnAtTheNextImage) {
  auto const checks = bisect(reader, {}, throwing_at(33));
  ASSERT_TRUE(checks.ok());
  ASSERT_EQ(checks->size(), 3u);
  EXPECT_TRUE((*checks)[0].follows());
  EXPECT_EQ((*checks)[1].stopped_by, SimError::kGameThrew);
  EXPECT_EQ((*checks)[1].thrown, "map::at");
  EXPECT_EQ((*checks)[1].final_tick, 33u);
  EXPECT_FALSE((*checks)[1].output_mismatch) << "the run without the restore throws too";
  EXPECT_TRUE((*checks)[2].follows());
}

TEST_F(GameException, BisectComparesItAsAnOutput) {
  // The first game of a bisect comes from the image of tick 0, and goes on past that of tick 20.
  int made = 0;
  auto const checks = bisect(reader, {}, [&made](std::string_view) {
    return std::make_unique<ThrowingGame>(made++ == 0 ? 33u : kNever);
  });
  ASSERT_TRUE(checks.ok());
  ASSERT_TRUE((*checks)[1].output_mismatch);
  EXPECT_EQ((*checks)[1].output_mismatch->tick, 34u);
  EXPECT_EQ((*checks)[1].output_mismatch->continued, "exception: map::at");
  EXPECT_EQ((*checks)[1].output_mismatch->restored, "nothing");
  EXPECT_FALSE((*checks)[1].stopped_by);
}

TEST_F(GameException, CompareNamesTheRecording) {
  auto live = Simulation::create(stack_scene(1), NumbersMode::kFloat, std::make_unique<ThrowingGame>(kNever));
  MemorySink sink;
  RecordingWriter writer(sink);
  ASSERT_TRUE(writer.begin(*live, nullptr).ok());
  InputMaker maker;
  for (std::uint64_t tick = 0; tick < 50; ++tick) {
    std::vector<Input> inputs;
    if (tick == 45) inputs.push_back(maker.make(tick, kServerPlayer, JoinCommand{1, false, "a"}));
    ASSERT_TRUE(writer.append(*live, inputs, live->step(inputs)).ok());
  }
  ASSERT_TRUE(writer.close().ok());
  MemorySource const other_source(sink.bytes());
  auto const other = RecordingReader::open(other_source);
  ComparisonTraces traces;
  auto const report = compare(reader, *other, {}, throwing_at(33), &traces);
  ASSERT_FALSE(report.ok()) << "the left one goes on from the image of tick 40, the right one has none";
  EXPECT_EQ(report.error(), SimError::kGameThrew);
  EXPECT_FALSE(traces.left.stopped_by);
  EXPECT_EQ(traces.right.thrown, "map::at");
  EXPECT_EQ(traces.right.final_tick, 33u);
}

// Throws on the bytes of an image.
class UnreadableGame final : public ThrowingGame {
 public:
  UnreadableGame() : ThrowingGame(kNever) {}
  void visit_state(StateVisitor&) override { throw std::length_error("vector"); }
};

TEST_F(GameException, OfARestoreIsAGameThatRefusedItsState) {
  GameFactory const games = [](std::string_view) { return std::make_unique<UnreadableGame>(); };
  auto const report = verify(reader, {}, games);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error(), SimError::kGameRefused);
  EXPECT_EQ(image_refusal(reader, 20, games), "the game threw: vector");
}

// Refuses every state but its own.
class OtherGame final : public ThrowingGame {
 public:
  OtherGame() : ThrowingGame(kNever) {}
  void visit_state(StateVisitor& state) override {
    state.field("eight", eight_);
    state.require(eight_ == 8, "eight", "it is not 8");
  }

 private:
  std::uint32_t eight_ = 8;
};

TEST_F(GameException, ARefusedImageNamesTheField) {
  EXPECT_EQ(image_refusal(reader, 20, throwing_at(kNever)), "");
  EXPECT_EQ(image_refusal(reader, 20, [](std::string_view) { return std::make_unique<OtherGame>(); }),
            "eight: it is not 8");
}

}  // namespace
}  // namespace takt::sim
