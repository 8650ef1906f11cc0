// Two peers of the line protocol against each other: equal ones run to the end, a planted change is found in
// its tick and named, and ends that are silent about the protocol are refused by name.
#include <gtest/gtest.h>

#include <functional>

#include "sim/comparison/lockstep_comparison.h"
#include "sim/comparison/lockstep_peer.h"
#include "tests/determinism/nudging_game.h"
#include "tests/unit/sim/counting_game.h"
#include "tests/unit/sim/forgetful_game.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

using Edit = std::function<std::string(const std::string& request, std::string reply)>;

/// Runs both peers; `edit` stands on the way of the right one's lines.
LockstepReport run(LockstepPeer& left, LockstepPeer& right, std::uint64_t ticks, const Edit& edit = nullptr) {
  LockstepComparison comparison(ticks);
  auto const edited = [&](const std::string& request, std::string reply) {
    return edit ? edit(request, std::move(reply)) : reply;
  };
  comparison.handle_line(ComparedEnd::kLeft, left.greeting());
  comparison.handle_line(ComparedEnd::kRight, edited("", right.greeting()));
  while (!comparison.is_finished()) {
    std::optional<std::string> const request = comparison.poll_request();
    if (!request) break;
    comparison.handle_line(ComparedEnd::kLeft, left.handle_line(*request).line);
    comparison.handle_line(ComparedEnd::kRight, edited(*request, right.handle_line(*request).line));
  }
  EXPECT_FALSE(comparison.poll_request());
  return comparison.report();
}

Scene flight_scene() {
  return parse_scene(R"({"bodies": [{"type": "static", "shapes": [{"half_space": {}}]},
    {"position": [0, 500, 0], "velocity": [3, 0, 0], "shapes": [{"sphere": {}}]},
    {"position": [5, 500, 0], "velocity": [1.1, 0, 0], "shapes": [{"box": {}}]}]})");
}

class LockstepTest : public testing::TestWithParam<NumbersMode> {
 protected:
  static Simulation nudged(std::uint64_t tick) {
    return make_simulation(flight_scene(), GetParam(), std::make_unique<NudgingGame>(tick));
  }
};
INSTANTIATE_TEST_SUITE_P(BothModes, LockstepTest, testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

TEST_P(LockstepTest, LanesAndRollbacksOfAScriptedGameAreEqualToTheEnd) {
  std::vector<Input> script;
  InputMaker maker;
  script.push_back(maker.make(0, kServerPlayer, JoinCommand{1, false, "ann"}));
  script.push_back(maker.make(20, 1, CustomCommand{{std::byte{3}}}));
  Simulation a = make_simulation(stack_scene(5), GetParam(), std::make_unique<CountingGame>());
  Simulation b = make_simulation(stack_scene(5), GetParam(), std::make_unique<CountingGame>());
  LockstepPeer left(a, script, {.lanes = 8}, 0);
  LockstepPeer right(b, script, {.lanes = 16}, 5);
  LockstepReport const report = run(left, right, 60);
  EXPECT_TRUE(report.is_equal());
  EXPECT_EQ(report.first_tick, 0u);
  EXPECT_EQ(report.final_tick, 60u);
  EXPECT_EQ(report.final_hash, a.hash());
  EXPECT_EQ(a.players().size(), 1u) << "the script acted";
}

TEST_P(LockstepTest, APlantedChangeOfOneUlpIsFoundInItsTick) {
  Simulation a = nudged(kNever);
  Simulation b = nudged(37);
  LockstepPeer left(a, {}, {}, 0);
  LockstepPeer right(b, {}, {}, 0);
  LockstepReport const report = run(left, right, 100);
  ASSERT_TRUE(report.difference);
  EXPECT_FALSE(report.failure);
  EXPECT_EQ(report.difference->tick, 37u);
  EXPECT_EQ(report.final_tick, 37u);
  EXPECT_NE(report.difference->hashes[0], report.difference->hashes[1]);
  EXPECT_EQ(report.difference->state.parts, std::vector{StatePart::kBodies});
  ASSERT_EQ(report.difference->state.fields.size(), 1u);
  StateDifference const& field = report.difference->state.fields[0];
  EXPECT_EQ(field.path, "body.record[2].linear_velocity.x");
  EXPECT_EQ(field.ulps, GetParam() == NumbersMode::kFloat ? std::optional<std::uint64_t>(1) : std::nullopt);
  EXPECT_GT(field.by, 0);
  EXPECT_LE(field.by, 1.0) << "one raw unit in fixed mode";
}

TEST_P(LockstepTest, AGameThatForgetsStateFailsTheSyncTestOfItsEnd) {
  Simulation a =
      make_simulation(stack_scene(1), GetParam(), std::make_unique<ForgetfulGame>(Forgets::kForce));
  Simulation b =
      make_simulation(stack_scene(1), GetParam(), std::make_unique<ForgetfulGame>(Forgets::kForce));
  LockstepPeer left(a, {}, {}, 3);
  LockstepPeer right(b, {}, {}, 0);
  LockstepReport const report = run(left, right, 100);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->end, ComparedEnd::kLeft);
  EXPECT_TRUE(report.failure->text.starts_with(
      "it reports: sync test: tick 1 comes out differently after a rollback to tick 0; body.record[1]."))
      << report.failure->text;
}

TEST(Lockstep, NonsenseIsOneErrorThatNamesTheEnd) {
  struct Case {
    std::string request;  // whose reply is edited
    Edit edit;
    std::string expected;
  };
  auto const constant = [](const std::string& text) {
    return [text](const std::string&, const std::string&) { return text; };
  };
  std::vector<Case> const cases{
      {"", constant("hello"),
       "its first line is 'hello' and no greeting 'takt-lockstep ...'; it must be a takt that has "
       "'lockstep-peer'"},
      {"", constant("takt-lockstep 2 scene"),
       "it speaks version '2' of the line protocol, and this program speaks 1"},
      {"", constant("takt-lockstep 1 scene 0x12"), "its greeting is malformed: 'takt-lockstep 1 scene 0x12'"},
      {"step", constant("tick 2 hash 0x0123456789abcdef"),
       "it answers 'tick 2 hash 0x0123456789abcdef' to 'step' instead of 'tick 1 hash 0x...'"},
      {"step", constant(std::string(1000, 'x')),
       "it answers '" + std::string(80, 'x') + "...' to 'step' instead of 'tick 1 hash 0x...'"},
      {"step", constant("error out of luck"), "it reports: out of luck"},
      {"probe world", constant("answer world/bodies"),
       "it answers 'answer world/bodies' instead of 'answer world ...'"},
      {"probe world", constant("answer"), "it answers 'answer' instead of 'answer world ...'"},
      {"probe world", constant("answer world 0x00"),
       "its answer to 'world': word 1 is not 9 hashes, 0x and 16 digits each"},
      {"probe world/bodies", constant("answer world/bodies"),
       "the answer to 'world/bodies' does not have the hash that the answer before gave for it"},
  };
  for (const Case& c : cases) {
    Simulation a =
        make_simulation(flight_scene(), NumbersMode::kFloat, std::make_unique<NudgingGame>(kNever));
    Simulation b = make_simulation(flight_scene(), NumbersMode::kFloat,
                                   std::make_unique<NudgingGame>(c.request == "step" ? 9 : 1));
    LockstepPeer left(a, {}, {}, 0);
    LockstepPeer right(b, {}, {}, 0);
    LockstepReport const report =
        run(left, right, 5, [&](const std::string& request, const std::string& reply) {
          return request == c.request ? c.edit(request, reply) : reply;
        });
    ASSERT_TRUE(report.failure) << c.expected;
    EXPECT_EQ(report.failure->end, ComparedEnd::kRight);
    EXPECT_EQ(report.failure->text, c.expected);
  }
}

TEST(Lockstep, EndsThatCannotBeComparedAreRefusedInTheGreeting) {
  Simulation a = make_simulation(stack_scene(1));
  Simulation other_scene = make_simulation(stack_scene(2));
  Simulation other_numbers = make_simulation(stack_scene(1), NumbersMode::kFixed);
  Simulation later = make_simulation(stack_scene(1));
  (void)later.step({});
  std::vector<std::pair<Simulation*, std::string>> const cases{
      {&other_scene, "its scene has the hash "},
      {&other_numbers, "its numbers are fixed, and those of the other float"},
      {&later, "it begins at tick 1, and the other at 0"}};
  for (auto const& [simulation, expected] : cases) {
    LockstepPeer left(a, {}, {}, 0);
    LockstepPeer right(*simulation, {}, {}, 0);
    LockstepReport const report = run(left, right, 5);
    ASSERT_TRUE(report.failure);
    EXPECT_TRUE(report.failure->text.starts_with(expected)) << report.failure->text;
  }
}

TEST(Lockstep, AGameAtOneEndAloneIsNamed) {
  Simulation a = make_simulation(stack_scene(1));
  Simulation b = make_simulation(stack_scene(1), NumbersMode::kFloat,
                                 std::make_unique<ForgetfulGame>(Forgets::kMessage));
  LockstepPeer left(a, {}, {}, 0);
  LockstepPeer right(b, {}, {}, 0);
  LockstepReport const report = run(left, right, 5);
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->tick, 0u);
  ASSERT_EQ(report.difference->state.fields.size(), 1u);
  EXPECT_EQ(message(report.difference->state.fields[0]), "game_name.name: \"\" != \"forgetful/1\"");
}

TEST(Lockstep, ThePeerRefusesOtherLines) {
  Simulation simulation = make_simulation(stack_scene(1));
  LockstepPeer peer(simulation, {}, {}, 0);
  EXPECT_EQ(peer.handle_line("jump").line, "error the line is none of 'step', 'probe PATH' and 'end'");
  EXPECT_EQ(peer.handle_line("probe nowhere").line,
            "error path 'nowhere': it must begin with 'world', not 'nowhere'");
  EXPECT_TRUE(peer.handle_line("probe nowhere").is_last);
  EXPECT_FALSE(peer.handle_line("step").is_last);
  EXPECT_EQ(peer.handle_line("probe world/bodies/body.record/0/0")
                .line.rfind("answer world/bodies/body.record/0/0 center.x:i64:", 0),
            0u);
  EXPECT_TRUE(peer.handle_line("end").is_last);
}

}  // namespace
}  // namespace takt::sim
