// Messages of a Game: their order, their limits, and that each comes out once, live, replayed and rolled
// back.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "takt/sim/replay.h"
#include "takt/sim/rollback_buffer.h"
#include "takt/threads/thread_pool.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

std::string text_of(const GameMessage& message) {
  return {reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size()};
}

/// Sends what a command says; counts hits of the world in messages.
class TalkingGame final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "talking/1"; }
  void on_join(WorldAccess& world, PlayerId player) override {
    EXPECT_TRUE(world.send(player, "hello " + std::to_string(player)).ok());
  }
  void on_leave(WorldAccess& world, PlayerId player) override {
    EXPECT_TRUE(world.send_to_all(std::to_string(player) + " left").ok());
  }
  bool on_command(WorldAccess& world, PlayerId player, std::span<const std::byte> bytes) override {
    if (bytes.empty()) return world.refuse(refusal);
    int const count = std::to_integer<int>(bytes[0]);
    int sent = 0;
    for (int i = 0; i < 2 * count; ++i) {
      Result<Unit, SimError> const one = i % 2 == 0 ? world.send_to_all(bytes) : world.send(player, bytes);
      if (one) ++sent;
      if (!one) last_error = one.error();
    }
    EXPECT_EQ(world.send(77, "nobody").error(), SimError::kUnknownPlayer);
    EXPECT_EQ(world.send(kServerPlayer, "the server").error(), SimError::kUnknownPlayer);
    return sent > 0;
  }
  void before_tick(WorldAccess& world) override {
    if (world.tick() % 4 == 0) {
      EXPECT_TRUE(world.send_to_all("before " + std::to_string(world.tick())).ok());
    }
  }
  void after_tick(WorldAccess& world, const StepEvents& events) override {
    hits += events.hits.size();
    if (world.tick() % 4 == 0) {
      EXPECT_TRUE(world.send_to_all("hits " + std::to_string(hits)).ok());
    }
  }
  void visit_state(StateVisitor& state) override { state.field("hits", hits); }

  std::uint64_t hits = 0;
  std::string refusal = "say something";
  SimError last_error{};
};

TalkingGame& talker(Simulation& simulation) { return dynamic_cast<TalkingGame&>(*simulation.game()); }

Simulation talking(NumbersMode numbers = NumbersMode::kFloat) {
  return make_simulation(stack_scene(4), numbers, std::make_unique<TalkingGame>());
}

CustomCommand say(std::size_t bytes, std::uint8_t first = 1) {
  CustomCommand command{std::vector<std::byte>(bytes)};
  if (bytes > 0) command.bytes[0] = static_cast<std::byte>(first);
  return command;
}

TEST(GameMessages, ComeOutInTheOrderOfTheirCallsWithTickAndRecipient) {
  Simulation simulation = talking();
  InputMaker maker;
  std::vector<Input> const joins{maker.make(0, kServerPlayer, JoinCommand{1, false, "a"}),
                                 maker.make(0, kServerPlayer, JoinCommand{2, false, "b"})};
  TickResult result = simulation.step(joins);
  std::vector<std::pair<PlayerId, std::string>> got;
  for (const GameMessage& message : result.messages) {
    EXPECT_EQ(message.tick, 1u);
    got.emplace_back(message.player, text_of(message));
  }
  std::vector<std::pair<PlayerId, std::string>> const expected{
      {1, "hello 1"}, {2, "hello 2"}, {kServerPlayer, "before 0"}};
  EXPECT_EQ(got, expected);

  Input const leave = maker.make(1, kServerPlayer, LeaveCommand{1});
  result = simulation.step(std::span(&leave, 1));
  ASSERT_EQ(result.messages.size(), 1u);
  EXPECT_EQ(text_of(result.messages[0]), "1 left");
  EXPECT_EQ(result.messages[0].tick, 2u);
  EXPECT_TRUE(simulation.step({}).messages.empty());
}

TEST(GameMessages, BeyondTheirLimitsAreRefusedByNameAndTheOthersGoOut) {
  Simulation simulation = talking();
  InputMaker maker;
  join_players(simulation, maker, 1);
  // Length: exactly the limit passes.
  Input longest = maker.make(1, 1, say(kMaxGameMessageBytes));
  TickResult result = simulation.step(std::span(&longest, 1));
  EXPECT_TRUE(result.refused.empty());
  EXPECT_EQ(result.messages.size(), 2u);
  // A command is as long as a message at most, so the game itself has to try.
  class TooLong final : public Game {
   public:
    [[nodiscard]] std::string_view name() const override { return "long/1"; }
    void before_tick(WorldAccess& world) override {
      EXPECT_EQ(world.send_to_all(std::string(kMaxGameMessageBytes + 1, 'x')).error(),
                SimError::kMessageTooLong);
      EXPECT_TRUE(world.send_to_all(std::string(kMaxGameMessageBytes, 'x')).ok());
    }
    void visit_state(StateVisitor&) override {}
  };
  Simulation with_long = make_simulation(stack_scene(1), NumbersMode::kFloat, std::make_unique<TooLong>());
  EXPECT_EQ(with_long.step({}).messages.size(), 1u);

  // Number: 2 x 200 are asked for.
  Input const many = maker.make(2, 1, say(1, 200));
  result = simulation.step(std::span(&many, 1));
  EXPECT_EQ(result.messages.size(), kMaxGameMessagesPerTick);
  EXPECT_EQ(talker(simulation).last_error, SimError::kTooManyMessages);
  // The next tick has its own.
  Input const few = maker.make(3, 1, say(1, 3));
  EXPECT_EQ(simulation.step(std::span(&few, 1)).messages.size(), 7u);  // and "hits"
}

TEST(GameMessages, OfAGameAreTheSameInBothNumbersModesAndWithThreads) {
  std::vector<std::vector<GameMessage>> runs;
  ThreadPool pool(3);
  for (int run = 0; run < 3; ++run) {
    Simulation simulation = talking(run == 2 ? NumbersMode::kFixed : NumbersMode::kFloat);
    TickOptions options;
    if (run == 1) options.step.pool = &pool;
    std::vector<GameMessage>& messages = runs.emplace_back();
    for (int tick = 0; tick < 60; ++tick)
      std::ranges::move(simulation.step({}, options).messages, std::back_inserter(messages));
  }
  EXPECT_EQ(runs[0].size(), 30u);
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0], runs[2]);
}

TEST(GameMessages, AReplayComputesThemAgainAndVerifiesBitForBit) {
  Scene const scene = stack_scene(4);
  Simulation live = talking();
  MemorySink sink;
  RecordingOptions options;
  options.image_every_ticks = 25;
  RecordingWriter writer(sink, options);
  ASSERT_TRUE(writer.begin(live, &scene).ok());
  InputMaker maker;
  std::vector<GameMessage> told;
  for (std::uint64_t tick = 0; tick < 100; ++tick) {
    std::vector<Input> inputs;
    if (tick == 0) inputs.push_back(maker.make(tick, kServerPlayer, JoinCommand{1, false, "a"}));
    if (tick % 7 == 3) inputs.push_back(maker.make(tick, 1, say(tick % 14, 2)));
    TickResult const result = live.step(inputs);
    ASSERT_TRUE(writer.append(live, inputs, result).ok());
    told.insert(told.end(), result.messages.begin(), result.messages.end());
  }
  ASSERT_TRUE(writer.close().ok());
  MemorySource const source(sink.bytes());
  auto const reader = RecordingReader::open(source);
  ASSERT_TRUE(reader.ok());
  GameFactory const games = [](std::string_view) { return std::make_unique<TalkingGame>(); };
  auto const report = verify(*reader, {}, games);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->mismatch);
  EXPECT_EQ(report->ticks_checked, 100u);
  auto const checks = bisect(*reader, {}, games);
  ASSERT_TRUE(checks.ok());
  for (const ImageCheck& check : *checks) EXPECT_TRUE(check.follows()) << check.image_tick;

  // From an image in the middle on: the messages of the live run, and none of before.
  auto again = seek(*reader, 60, {}, games);
  ASSERT_TRUE(again.ok());
  std::vector<GameMessage> replayed;
  for (std::uint64_t tick = 60; tick < 100; ++tick)
    std::ranges::move(again->step(reader->tick(tick)->inputs).messages, std::back_inserter(replayed));
  std::erase_if(told, [](const GameMessage& message) { return message.tick <= 60; });
  EXPECT_GT(told.size(), 20u);
  EXPECT_EQ(replayed, told);
}

// Counts presses, sends or refuses by the count, and forgets to save it.
class ForgetfulGame : public Game {
 public:
  explicit ForgetfulGame(bool has_messages) : has_messages_(has_messages) {}
  [[nodiscard]] std::string_view name() const override { return "forgetful/1"; }
  [[nodiscard]] bool on_command(WorldAccess& world, PlayerId, std::span<const std::byte>) override {
    ++presses_;
    if (has_messages_) return world.send_to_all("score " + std::to_string(presses_)).ok();
    return presses_ <= 2 || world.refuse("twice in a round");
  }
  void visit_state(StateVisitor&) override {}

 private:
  int presses_ = 0;
  bool has_messages_;
};

TEST(GameMessages, BisectFindsStateThatOnlyMessagesOrRefusalsShow) {
  for (bool const has_messages : {true, false}) {
    Scene const scene = stack_scene(1);
    auto live = Simulation::create(scene, NumbersMode::kFloat, std::make_unique<ForgetfulGame>(has_messages));
    ASSERT_TRUE(live.ok());
    MemorySink sink;
    RecordingOptions options;
    options.image_every_ticks = 20;
    RecordingWriter writer(sink, options);
    ASSERT_TRUE(writer.begin(*live, &scene).ok());
    InputMaker maker;
    for (std::uint64_t tick = 0; tick < 50; ++tick) {
      std::vector<Input> inputs;
      if (tick == 0) inputs.push_back(maker.make(tick, kServerPlayer, JoinCommand{1, false, "a"}));
      if (tick == 5 || tick == 7 || tick == 27) inputs.push_back(maker.make(tick, 1, CustomCommand{}));
      ASSERT_TRUE(writer.append(*live, inputs, live->step(inputs)).ok());
    }
    ASSERT_TRUE(writer.close().ok());
    MemorySource const source(sink.bytes());
    auto const reader = RecordingReader::open(source);
    ASSERT_TRUE(reader.ok());
    auto const checks = bisect(*reader, {}, [has_messages](std::string_view) {
      return std::make_unique<ForgetfulGame>(has_messages);
    });
    ASSERT_TRUE(checks.ok());
    ASSERT_EQ(checks->size(), 3u);
    EXPECT_TRUE((*checks)[0].follows());
    EXPECT_FALSE((*checks)[1].follows());
    EXPECT_TRUE((*checks)[2].follows()) << "nothing was sent after it";
    EXPECT_FALSE((*checks)[1].mismatch);
    ASSERT_TRUE((*checks)[1].output_mismatch);
    OutputMismatch const& found = *(*checks)[1].output_mismatch;
    EXPECT_EQ(found.tick, 28u);
    EXPECT_EQ(found.continued, has_messages
                                   ? "to all: score 3"
                                   : "input 3 of player 1 refused: the game refused: twice in a round");
    EXPECT_EQ(found.restored, has_messages ? "to all: score 1" : "nothing");
  }
}

TEST(GameMessages, OfTicksThatAreSteppedAgainComeOutOfARollbackBufferOnce) {
  Simulation straight = talking();
  Simulation late = talking();
  InputMaker maker;
  Input const join = maker.make(0, kServerPlayer, JoinCommand{1, false, "a"});
  Input const say_it = maker.make(5, 1, say(3, 2));
  RollbackBuffer buffer(6);
  std::vector<GameMessage> expected;
  std::vector<GameMessage> got;
  for (std::uint64_t tick = 0; tick < 40; ++tick) {
    std::vector<Input> inputs;
    if (tick == 0) inputs.push_back(join);
    std::vector<Input> in_time = inputs;
    if (tick == 5) in_time.push_back(say_it);
    std::ranges::move(straight.step(in_time).messages, std::back_inserter(expected));
    EXPECT_TRUE(buffer.step(late, inputs).messages.empty());
    if (tick == 8) {
      ASSERT_TRUE(buffer.set_inputs(5, std::span(&say_it, 1)).ok());
      for (const TickResult& again : buffer.resimulate(late)) EXPECT_TRUE(again.messages.empty());
    }
    if (tick == 20) {  // the same tick twice over
      ASSERT_TRUE(buffer.set_inputs(17, std::span(&say_it, 1)).ok());
      (void)buffer.resimulate(late);
      ASSERT_TRUE(buffer.set_inputs(17, {}).ok());
      (void)buffer.resimulate(late);
    }
    std::ranges::move(buffer.take_messages(), std::back_inserter(got));
  }
  EXPECT_LT(got.size(), expected.size()) << "the last ticks may still change";
  buffer.confirm_before(40);
  std::ranges::move(buffer.take_messages(), std::back_inserter(got));
  EXPECT_EQ(late.hash(), straight.hash());
  EXPECT_EQ(got, expected);
  EXPECT_TRUE(buffer.take_messages().empty());
}

TEST(GameMessages, OfTicksThatAClearedBufferHeldAreLost) {
  Simulation simulation = talking();
  RollbackBuffer buffer(8);
  for (int tick = 0; tick < 5; ++tick) (void)buffer.step(simulation, {});
  buffer.clear();
  for (int tick = 5; tick < 7; ++tick) (void)buffer.step(simulation, {});
  buffer.confirm_before(7);
  EXPECT_TRUE(buffer.take_messages().empty()) << "ticks 5 and 6 send nothing";
}

TEST(GameMessages, AreNeitherHashedNorSaved) {
  Simulation loud = talking();
  Simulation quiet = talking();
  InputMaker maker;
  join_players(loud, maker, 1);
  InputMaker other;
  join_players(quiet, other, 1);
  Input const many = maker.make(1, 1, say(1, 100));
  Input const one = other.make(1, 1, say(1, 1));
  EXPECT_NE(loud.step(std::span(&many, 1)).messages.size(), quiet.step(std::span(&one, 1)).messages.size());
  EXPECT_EQ(loud.hash(), quiet.hash());
  EXPECT_EQ(loud.save(), quiet.save());
}

TEST(GameRefusals, HaveTheGamesWordsCutBetweenCharacters) {
  Simulation simulation = talking();
  InputMaker maker;
  join_players(simulation, maker, 1);
  auto const refused = [&](const Command& command) {
    Input const input = maker.make(simulation.tick(), 1, command);
    return simulation.step(std::span(&input, 1)).refused.at(0);
  };
  RefusedInput const told = refused(say(0));
  EXPECT_EQ(told.reason, Refusal::kGameRefused);
  EXPECT_EQ(told.text, "say something");
  // Another refusal of the tick has no words of the one before.
  EXPECT_EQ(refused(ReleaseCommand{}).text, "");

  talker(simulation).refusal = std::string(199, 'x') + "\xc3\xbc";  // 201 bytes; the cut would halve the last
  EXPECT_EQ(refused(say(0)).text, std::string(199, 'x'));
  talker(simulation).refusal = std::string(198, 'x') + "\xc3\xbc";
  EXPECT_EQ(refused(say(0)).text.size(), kMaxRefusalTextBytes);
}

}  // namespace
}  // namespace takt::sim
