// Who may do what: every refusal, through Simulation::step, because that is where a peer meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

class CommandRules : public ::testing::Test {
 protected:
  void start(std::string_view players = "{}", PlayerId count = 2, bool admin = false) {
    simulation.emplace(make_simulation(stack_scene(3, players)));
    join_players(*simulation, maker, count, admin);
  }
  Refusal give(PlayerId player, Command command) {
    Input const input = maker.make(simulation->tick(), player, std::move(command));
    last = simulation->step(std::span(&input, 1));
    return last.refused.empty() ? Refusal::kNone : last.refused.front().reason;
  }
  BodyId spawn(PlayerId player) {
    EXPECT_EQ(give(player, spawn_of(ShapeKind::kSphere, {0.5f, 0, 0}, Position::from_metres(20, 5, 0))),
              Refusal::kNone);
    return last.spawned.at(0);
  }

  std::optional<Simulation> simulation;
  InputMaker maker;
  TickResult last;
  BodyId const ground = scene_body(0);
  BodyId const box = scene_body(1);
  BodyId const nobody{99, 1};
};

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST_F(CommandRules, StrangersAndWrongTicksAreRefused) {
  start();
  EXPECT_EQ(give(3, ReleaseCommand{}), Refusal::kNotJoined);
  Input early{simulation->tick() + 1, 1, 50, ReleaseCommand{}};
  EXPECT_EQ(simulation->step(std::span(&early, 1)).refused.at(0).reason, Refusal::kWrongTick);
  EXPECT_EQ(give(1, JoinCommand{5, true, ""}), Refusal::kServerOnly);
  EXPECT_EQ(give(1, LeaveCommand{2}), Refusal::kServerOnly);
}

TEST_F(CommandRules, JoiningTwiceOrTooManyOrAsTheServerIsRefused) {
  start("{\"max_players\": 2}");
  EXPECT_EQ(give(kServerPlayer, JoinCommand{1, false, ""}), Refusal::kAlreadyJoined);
  EXPECT_EQ(give(kServerPlayer, JoinCommand{3, false, ""}), Refusal::kTooManyPlayers);
  EXPECT_EQ(give(kServerPlayer, JoinCommand{0, false, ""}), Refusal::kOutOfRange);
  EXPECT_EQ(give(kServerPlayer, JoinCommand{3, false, std::string(33, 'x')}), Refusal::kPayloadTooLong);
  EXPECT_EQ(give(kServerPlayer, LeaveCommand{7}), Refusal::kNotJoined);
}

TEST_F(CommandRules, ASequenceActsOnce) {
  start();
  Input const input{simulation->tick(), 1, 10, ImpulseCommand{box, {1, 0, 0}, {}}};
  std::vector<Input> const twice{input, input};
  TickResult const result = simulation->step(twice);
  ASSERT_EQ(result.refused.size(), 1u);
  EXPECT_EQ(result.refused[0].reason, Refusal::kStaleSequence);
}

TEST_F(CommandRules, RateIsLimitedInBurstsAndRefilledByTicks) {
  start("{\"commands_per_second\": 60, \"command_burst\": 3}", 1);
  std::vector<Input> inputs;
  for (int i = 0; i < 6; ++i)
    inputs.push_back(maker.make(simulation->tick(), 1, ImpulseCommand{box, {1, 0, 0}, {}}));
  EXPECT_EQ(simulation->step(inputs).refused.size(), 3u);
  inputs.clear();
  for (int i = 0; i < 2; ++i)
    inputs.push_back(maker.make(simulation->tick(), 1, ImpulseCommand{box, {1, 0, 0}, {}}));
  TickResult const after = simulation->step(inputs);  // one command a tick at 60 a second and 60 Hz
  ASSERT_EQ(after.refused.size(), 1u);
  EXPECT_EQ(after.refused[0].reason, Refusal::kRateLimited);
}

TEST_F(CommandRules, ImpulsesNeedAFiniteVectorInLimitsOnADynamicBody) {
  start("{\"max_impulse\": 100}");
  EXPECT_EQ(give(1, ImpulseCommand{box, {100, 0, 0}, {}}), Refusal::kNone);
  EXPECT_EQ(give(1, ImpulseCommand{box, {100.1f, 0, 0}, {}}), Refusal::kOverLimit);
  EXPECT_EQ(give(1, ImpulseCommand{box, {kNaN, 0, 0}, {}}), Refusal::kNotFinite);
  EXPECT_EQ(give(1, ImpulseCommand{box, {0, kInfinity, 0}, {}}), Refusal::kNotFinite);
  EXPECT_EQ(give(1, ImpulseCommand{box, {1, 0, 0}, Vec3<float>{0, kNaN, 0}}), Refusal::kNotFinite);
  EXPECT_EQ(give(1, ImpulseCommand{box, {1, 0, 0}, Vec3<float>{1e6f, 0, 0}}), Refusal::kOutOfRange);
  EXPECT_EQ(give(1, ImpulseCommand{nobody, {1, 0, 0}, {}}), Refusal::kUnknownBody);
  EXPECT_EQ(give(1, ImpulseCommand{BodyId{1, 2}, {1, 0, 0}, {}}), Refusal::kUnknownBody);
  EXPECT_EQ(give(1, ImpulseCommand{ground, {1, 0, 0}, {}}), Refusal::kNotDynamic);
  EXPECT_EQ(give(kServerPlayer, ImpulseCommand{box, {3e38f, 0, 0}, {}}), Refusal::kOutOfRange);
}

TEST_F(CommandRules, OwnershipDecidesWhoMayTouch) {
  start("{\"push\": \"own\", \"grab\": \"nothing\"}");
  EXPECT_EQ(give(1, ImpulseCommand{box, {1, 0, 0}, {}}), Refusal::kForbidden);
  BodyId const mine = spawn(1);
  EXPECT_EQ(simulation->owner(mine), 1u);
  EXPECT_EQ(give(1, ImpulseCommand{mine, {1, 0, 0}, {}}), Refusal::kNone);
  EXPECT_EQ(give(2, ImpulseCommand{mine, {1, 0, 0}, {}}), Refusal::kForbidden);
  EXPECT_EQ(give(2, DespawnCommand{mine}), Refusal::kForbidden);
  EXPECT_EQ(give(1, GrabCommand{mine, {}, {}, 10}), Refusal::kForbidden);
  EXPECT_EQ(give(1, DespawnCommand{mine}), Refusal::kNone);
  EXPECT_EQ(last.removed, std::vector<BodyId>{mine});
  EXPECT_EQ(give(1, DespawnCommand{mine}), Refusal::kUnknownBody);
}

TEST_F(CommandRules, TheGroundIsNotThePlayersToRemoveHoweverGenerousThePolicy) {
  start("{\"despawn\": \"anything\", \"teleport\": \"anything\"}");
  EXPECT_EQ(give(1, DespawnCommand{ground}), Refusal::kForbidden);
  EXPECT_EQ(give(1, TeleportCommand{ground, {}, {}, {}, {}}), Refusal::kForbidden);
  EXPECT_EQ(give(1, DespawnCommand{box}), Refusal::kNone);
  EXPECT_EQ(give(kServerPlayer, DespawnCommand{ground}), Refusal::kNone);
}

TEST_F(CommandRules, AdminsPassOwnershipMagnitudeAndRate) {
  start("{\"push\": \"nothing\", \"max_impulse\": 1, \"command_burst\": 1, \"commands_per_second\": 1}", 1,
        true);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(give(1, ImpulseCommand{box, {50, 0, 0}, {}}), Refusal::kNone);
  EXPECT_EQ(give(1, ImpulseCommand{box, {kNaN, 0, 0}, {}}), Refusal::kNotFinite);
}

// 8 sessions that each spawned 64 boxes of 10 m at one point took a tick of the pyramid from 0.4 to 897 ms.
class BodiesSpawnedIntoOneAnother : public CommandRules {
 protected:
  static SpawnCommand box_at(double x_m) {
    return spawn_of(ShapeKind::kBox, {0.5f, 0.5f, 0.5f}, Position::from_metres(x_m, 50, 0));
  }
  // The first refusal of so many commands in one tick.
  std::vector<Refusal> give_all(PlayerId player, const std::vector<Command>& commands) {
    std::vector<Input> inputs;
    for (const Command& command : commands) inputs.push_back(maker.make(simulation->tick(), player, command));
    last = simulation->step(inputs);
    std::vector<Refusal> reasons;
    for (const RefusedInput& refused : last.refused) reasons.push_back(refused.reason);
    return reasons;
  }
};

TEST_F(BodiesSpawnedIntoOneAnother, TheTenthAtOnePlaceIsRefusedInTheSameTick) {
  start();
  auto const reasons = give_all(1, std::vector<Command>(11, box_at(20)));
  EXPECT_EQ(reasons, std::vector<Refusal>(2, Refusal::kTooCrowded));
  EXPECT_EQ(last.spawned.size(), CommandPolicy{}.max_overlaps + 1);
  EXPECT_EQ(give(2, box_at(20)), Refusal::kTooCrowded) << "whoever spawns it";
  EXPECT_EQ(give(2, box_at(40)), Refusal::kNone) << "there is room beside it";
}

TEST_F(BodiesSpawnedIntoOneAnother, ATeleportIntoTheCrowdIsRefusedAndChangesNothing) {
  start();
  (void)give_all(1, std::vector<Command>(9, box_at(20)));
  ASSERT_EQ(give(2, box_at(60)), Refusal::kNone);
  BodyId const mine = last.spawned.at(0);
  auto const before = simulation->world().world_point(mine, {});
  EXPECT_EQ(give(2, TeleportCommand{mine, Position::from_metres(20, 50, 0), {0, 0, 0, 1}, {}, {}}),
            Refusal::kTooCrowded);
  EXPECT_EQ(simulation->world().world_point(mine, {}).x_raw, before.x_raw) << "it falls where it was";
  EXPECT_EQ(give(2, TeleportCommand{mine, Position::from_metres(60.1, 50, 0), {0, 0, 0, 1}, {}, {}}),
            Refusal::kNone)
      << "a body is not in its own way";
}

// One client with one box and 230 teleports onto 100,000 triangles took a tick of seconds.
TEST(BodiesSpawnedOntoASurface, AreNotSearchedAmongItsTriangles) {
  Query query = Query::overlap(ShapeDef::box(5, 5, 5), Position::from_metres(8, 0, 8), {});
  auto scene = load_scene(
      R"({"bodies": [{"type": "static", "shapes": [{"height_field": {"rows": 64, "columns": 64, "heights": [)" +
          [] {
            std::string heights = "0";
            for (int i = 1; i < 64 * 64; ++i) heights += i % 2 == 0 ? ",0" : ",0.1";
            return heights;
          }() +
          R"(], "spacing_x": 0.25, "spacing_z": 0.25}}]}]})",
      "test");
  ASSERT_TRUE(scene.ok()) << message(scene.error());
  auto const simulation = Simulation::create(*scene, NumbersMode::kFloat);
  ASSERT_TRUE(simulation.ok());
  std::vector<QueryHit> hits;
  QueryWork work;
  ASSERT_TRUE(simulation->world().query(query, hits, &work).ok());
  EXPECT_EQ(hits.size(), 1u);
  EXPECT_GT(work.steps, 100u);
  query.skip_surfaces = true;
  work = {};
  ASSERT_TRUE(simulation->world().query(query, hits, &work).ok());
  EXPECT_TRUE(hits.empty());
  EXPECT_LT(work.steps, 20u);
}

TEST_F(BodiesSpawnedIntoOneAnother, AllPlayersTogetherHaveABound) {
  start("{\"max_spawned_total\": 3}");
  EXPECT_EQ(give(1, box_at(20)), Refusal::kNone);
  EXPECT_EQ(give(1, box_at(30)), Refusal::kNone);
  EXPECT_EQ(give(2, box_at(40)), Refusal::kNone);
  EXPECT_EQ(give(2, box_at(50)), Refusal::kTooManyBodies);
}

TEST_F(BodiesSpawnedIntoOneAnother, ARefusalCostsASecondOfCommands) {
  start("{\"commands_per_second\": 60, \"command_burst\": 30}", 1);
  auto const reasons = give_all(1, std::vector<Command>(14, box_at(20)));
  EXPECT_EQ(std::ranges::count(reasons, Refusal::kTooCrowded), 1) << "9 spawns, and 21 commands left";
  EXPECT_EQ(std::ranges::count(reasons, Refusal::kRateLimited), 4);
}

TEST_F(BodiesSpawnedIntoOneAnother, TheServerAndAdminsMayCrowd) {
  start("{}", 1, true);
  EXPECT_TRUE(give_all(1, std::vector<Command>(20, box_at(20))).empty());
}

TEST_F(BodiesSpawnedIntoOneAnother, LaterFieldsOfAPolicyAreInTheStateOnlyIfTheyDiffer) {
  start("{}");
  auto const usual = simulation->save();
  maker = {};  // equal sequences
  start("{\"max_spawned_total\": 1024, \"max_overlaps\": 8}");
  EXPECT_EQ(simulation->save(), usual);
  maker = {};
  start("{\"max_overlaps\": 7}");
  auto const other = simulation->save();
  EXPECT_NE(other, usual);
  auto const restored = Simulation::restore(other);
  ASSERT_TRUE(restored.ok());
  EXPECT_EQ(restored->policy().max_overlaps, 7u);
  EXPECT_EQ(restored->hash(), simulation->hash());
  // The newest field brings the later ones with it, which may have their defaults.
  for (char const* const policy : {"{\"max_ropes\": 5}", "{\"max_overlaps\": 7, \"max_ropes\": 5}"}) {
    maker = {};
    start(policy);
    auto const newest = simulation->save();
    EXPECT_EQ(newest.size(), other.size() + 4);
    auto const again = Simulation::restore(newest);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->policy(), simulation->policy());
    EXPECT_EQ(again->hash(), simulation->hash());
  }
}

TEST_F(CommandRules, SpawnsAreCheckedBeforeTheyExist) {
  start(
      "{\"max_spawned\": 2, \"max_spawn_size\": 1, \"max_speed\": 10, \"max_spin\": 5, "
      "\"max_spawn_density\": 2000}");
  SpawnCommand const good = spawn_of(ShapeKind::kBox, {0.5f, 0.5f, 0.5f}, Position::from_metres(10, 5, 0));
  auto const with = [&](auto change) {
    SpawnCommand command = good;
    change(command);
    return give(1, command);
  };
  EXPECT_EQ(with([](SpawnCommand& c) { c.kind = ShapeKind::kHalfSpace; }), Refusal::kBadShape);
  EXPECT_EQ(with([](SpawnCommand& c) { c.kind = ShapeKind::kHull; }), Refusal::kBadShape);
  EXPECT_EQ(with([](SpawnCommand& c) { c.kind = static_cast<ShapeKind>(200); }), Refusal::kBadShape);
  EXPECT_EQ(with([](SpawnCommand& c) { c.dimensions_m.z = 1.5f; }), Refusal::kOverLimit);
  EXPECT_EQ(with([](SpawnCommand& c) { c.dimensions_m.z = 0; }), Refusal::kOutOfRange);
  EXPECT_EQ(with([](SpawnCommand& c) { c.dimensions_m.z = kNaN; }), Refusal::kNotFinite);
  EXPECT_EQ(with([](SpawnCommand& c) { c.density_kg_m3 = 3000; }), Refusal::kOverLimit);
  EXPECT_EQ(with([](SpawnCommand& c) { c.density_kg_m3 = -1; }), Refusal::kOutOfRange);
  EXPECT_EQ(with([](SpawnCommand& c) { c.friction = -1; }), Refusal::kOutOfRange);
  EXPECT_EQ(with([](SpawnCommand& c) { c.restitution = 1.5f; }), Refusal::kOutOfRange);
  EXPECT_EQ(with([](SpawnCommand& c) { c.rotation = {0, 0, 0, 0}; }), Refusal::kOutOfRange);
  EXPECT_EQ(with([](SpawnCommand& c) { c.linear_velocity_m_s = {11, 0, 0}; }), Refusal::kOverLimit);
  EXPECT_EQ(with([](SpawnCommand& c) { c.angular_velocity_rad_s = {0, 6, 0}; }), Refusal::kOverLimit);
  EXPECT_EQ(with([](SpawnCommand& c) { c.position.x_raw = std::numeric_limits<std::int64_t>::max(); }),
            Refusal::kOutOfRange);
  EXPECT_EQ(simulation->world().body_count(), 4u);
  EXPECT_EQ(with([](SpawnCommand& c) { c.user_kind = 77; }), Refusal::kNone);
  EXPECT_EQ(simulation->world().user_tag(last.spawned.at(0)), 77u);
  EXPECT_EQ(with([](SpawnCommand&) {}), Refusal::kNone);
  EXPECT_EQ(with([](SpawnCommand&) {}), Refusal::kTooManySpawned);
}

// 0.3 of binary32 is above 0.3, 0.005 below 0.005: a player who gives the limit itself is within it.
TEST_F(CommandRules, LimitsThatBinary32CannotHoldAreInclusive) {
  start(
      R"({"max_spawned": 9, "max_spawn_size": 0.3, "max_spawn_density": 1000.1, "max_speed": 3.3, "max_spin": 0.7,
          "max_impulse": 0.1, "max_force": 0.3, "max_torque": 1.7, "max_grab_force": 0.9})");
  Position const place = Position::from_metres(20, 5, 0);
  auto const next = [](float f) { return std::nextafter(f, kInfinity); };
  // A vector has the engine's tolerance of 5e-7, a number none but its rounding.
  auto const longer = [](float f) { return f * 1.000001f; };
  SpawnCommand spawn = spawn_of(ShapeKind::kSphere, {0.3f, 0, 0}, place);
  spawn.density_kg_m3 = 1000.1f;
  spawn.linear_velocity_m_s = {0, 3.3f, 0};
  spawn.angular_velocity_rad_s = {0, 0, 0.7f};
  EXPECT_EQ(give(1, spawn), Refusal::kNone);
  BodyId const mine = last.spawned.at(0);
  auto const with = [&](auto change) {
    SpawnCommand command = spawn;
    change(command);
    return give(1, command);
  };
  EXPECT_EQ(with([&](SpawnCommand& c) { c.dimensions_m.x = next(0.3f); }), Refusal::kOverLimit);
  EXPECT_EQ(with([&](SpawnCommand& c) { c.density_kg_m3 = next(1000.1f); }), Refusal::kOverLimit);
  EXPECT_EQ(with([&](SpawnCommand& c) { c.linear_velocity_m_s.y = longer(3.3f); }), Refusal::kOverLimit);
  EXPECT_EQ(with([&](SpawnCommand& c) { c.angular_velocity_rad_s.z = longer(0.7f); }), Refusal::kOverLimit);
  EXPECT_EQ(with([&](SpawnCommand& c) { c.dimensions_m.x = 0.005f; }), Refusal::kNone);
  EXPECT_EQ(with([&](SpawnCommand& c) { c.dimensions_m.x = std::nextafter(0.005f, 0.0f); }),
            Refusal::kOutOfRange);
  EXPECT_EQ(give(1, ImpulseCommand{mine, {0.1f, 0, 0}, {}}), Refusal::kNone);
  EXPECT_EQ(give(1, ImpulseCommand{mine, {longer(0.1f), 0, 0}, {}}), Refusal::kOverLimit);
  EXPECT_EQ(give(1, ForceCommand{mine, {0.3f, 0, 0}, {1.7f, 0, 0}, 1}), Refusal::kNone);
  EXPECT_EQ(give(1, ForceCommand{mine, {longer(0.3f), 0, 0}, {}, 1}), Refusal::kOverLimit);
  EXPECT_EQ(give(1, ForceCommand{mine, {}, {longer(1.7f), 0, 0}, 1}), Refusal::kOverLimit);
  EXPECT_EQ(give(1, GrabCommand{mine, {}, place, next(0.9f)}), Refusal::kOverLimit);
  EXPECT_EQ(give(1, GrabCommand{mine, {}, place, 0.9f}), Refusal::kNone);
}

TEST_F(CommandRules, ASpawnIntoAFullWorldIsRefused) {
  simulation.emplace(make_simulation(
      parse_scene("{\"world\": {\"max_bodies\": 1}, \"bodies\": [{\"shapes\": [{\"sphere\": {}}]}]}")));
  join_players(*simulation, maker, 1);
  EXPECT_EQ(give(1, SpawnCommand{}), Refusal::kWorldFull);
}

TEST_F(CommandRules, OneGrabAPlayerUntilReleasedOrGone) {
  start("{\"max_grab_force\": 1000}");
  Position const up = Position::from_metres(0, 9, 0);
  EXPECT_EQ(give(1, MoveGrabCommand{up}), Refusal::kNotGrabbing);
  EXPECT_EQ(give(1, ReleaseCommand{}), Refusal::kNotGrabbing);
  EXPECT_EQ(give(1, GrabCommand{box, {}, up, 1001}), Refusal::kOverLimit);
  EXPECT_EQ(give(1, GrabCommand{box, {}, up, 0}), Refusal::kOutOfRange);
  EXPECT_EQ(give(1, GrabCommand{box, {}, up, kNaN}), Refusal::kNotFinite);
  EXPECT_EQ(give(1, GrabCommand{ground, {}, up, 10}), Refusal::kNotDynamic);
  EXPECT_EQ(give(1, GrabCommand{box, {}, up, 900}), Refusal::kNone);
  EXPECT_EQ(simulation->players().at(0).grabbed, box);
  EXPECT_EQ(give(1, GrabCommand{scene_body(2), {}, up, 900}), Refusal::kAlreadyGrabbing);
  EXPECT_EQ(give(1, MoveGrabCommand{up}), Refusal::kNone);
  EXPECT_EQ(give(1, ReleaseCommand{}), Refusal::kNone);
  EXPECT_EQ(give(1, GrabCommand{box, {}, up, 900}), Refusal::kNone);
  EXPECT_EQ(give(kServerPlayer, DespawnCommand{box}), Refusal::kNone);
  EXPECT_EQ(give(1, MoveGrabCommand{up}), Refusal::kNotGrabbing);
}

TEST_F(CommandRules, LastingForcesAreCountedAndEnd) {
  start("{\"max_forces\": 1}");
  EXPECT_EQ(give(1, ForceCommand{box, {1, 0, 0}, {}, 0}), Refusal::kOutOfRange);
  EXPECT_EQ(give(1, ForceCommand{box, {1, 0, 0}, {}, kMaxForceTicks + 1}), Refusal::kOutOfRange);
  EXPECT_EQ(give(1, ForceCommand{box, {1, 0, 0}, {}, 3}), Refusal::kNone);  // acts in this step and two more
  EXPECT_EQ(give(1, ForceCommand{box, {1, 0, 0}, {}, 1}), Refusal::kTooManyForces);
  EXPECT_EQ(give(1, ForceCommand{box, {1, 0, 0}, {}, 1}), Refusal::kTooManyForces);
  EXPECT_EQ(give(1, ForceCommand{box, {1, 0, 0}, {}, 1}), Refusal::kNone);
}

TEST_F(CommandRules, TeleportNeedsOwnershipAndKeepsLimits) {
  start("{\"max_speed\": 10}");
  BodyId const mine = spawn(1);
  Position const there = Position::from_metres(-20, 3, 0);
  EXPECT_EQ(give(1, TeleportCommand{box, there, {}, {}, {}}), Refusal::kForbidden);
  EXPECT_EQ(give(1, TeleportCommand{mine, there, {}, {11, 0, 0}, {}}), Refusal::kOverLimit);
  EXPECT_EQ(give(1, TeleportCommand{mine, there, {0, 0, 0, 3}, {}, {}}), Refusal::kOutOfRange);
  EXPECT_EQ(give(1, TeleportCommand{mine, there, {}, {}, {}}), Refusal::kNone);
  EXPECT_NEAR(simulation->world().view(mine).position.x_m(), -20, 0.01);
  // A published speed may be above the engine's limit by rounding.
  auto const part = static_cast<float>(kMaxLinearSpeedMS / 5);
  for (auto const& [z, refusal] : {std::pair(std::nextafter(4 * part, 5 * part), Refusal::kNone),
                                   std::pair(4.001f * part, Refusal::kOutOfRange)})
    EXPECT_EQ(give(kServerPlayer, TeleportCommand{mine, there, {}, {3 * part, 0, z}, {}}), refusal) << z;
}

TEST_F(CommandRules, CustomBytesNeedAGameAndALimit) {
  start();
  EXPECT_EQ(give(1, CustomCommand{std::vector<std::byte>(3)}), Refusal::kNoGame);
  EXPECT_EQ(give(1, CustomCommand{std::vector<std::byte>(kMaxCustomBytes + 1)}), Refusal::kPayloadTooLong);
}

TEST_F(CommandRules, LeavingTakesBodiesGrabsAndForcesAlong) {
  start();
  BodyId const mine = spawn(1);
  EXPECT_EQ(give(1, GrabCommand{box, {}, Position::from_metres(0, 9, 0), 900}), Refusal::kNone);
  EXPECT_EQ(give(1, ForceCommand{box, {1, 0, 0}, {}, 100}), Refusal::kNone);
  EXPECT_EQ(give(kServerPlayer, LeaveCommand{1}), Refusal::kNone);
  EXPECT_EQ(last.removed, std::vector<BodyId>{mine});
  EXPECT_FALSE(simulation->has_player(1));
  EXPECT_TRUE(simulation->has_player(2));
  EXPECT_EQ(give(kServerPlayer, JoinCommand{1, false, "again"}), Refusal::kNone);
  EXPECT_EQ(simulation->players().at(0).grabbed, BodyId{});
}

TEST_F(CommandRules, LeavingMayLeaveBodiesBehind) {
  start("{\"despawn_on_leave\": false}");
  BodyId const mine = spawn(1);
  EXPECT_EQ(give(kServerPlayer, LeaveCommand{1}), Refusal::kNone);
  EXPECT_TRUE(simulation->world().contains(mine));
  EXPECT_EQ(simulation->owner(mine), kServerPlayer);
}

TEST_F(CommandRules, ARefusedCommandLeavesTheWorldAlone) {
  start("{\"push\": \"nothing\"}");
  Simulation other = make_simulation(stack_scene(3, "{\"push\": \"nothing\"}"));
  InputMaker others;
  join_players(other, others, 2);
  EXPECT_EQ(give(1, ImpulseCommand{box, {1000, 0, 0}, {}}), Refusal::kForbidden);
  (void)other.step({});
  EXPECT_EQ(simulation->world().hash(), other.world().hash());
  EXPECT_NE(simulation->hash(), other.hash());  // the sequence was used up
}

/// A mover on the ground, as body 1 of a scene.
constexpr std::string_view kMoverScene = R"({"players": {"move": "PLAYERS"}, "bodies": [
  {"type": "static", "shapes": [{"half_space": {}}]},
  {"name": "ann", "position": [0, 0.92, 0], "user_tag": 7, "mover": {"max_speed": 4}},
  {"position": [5, 0.5, 0], "shapes": [{"box": {}}]},
]})";

Scene mover_scene(std::string_view move) {
  std::string text(kMoverScene);
  text.replace(text.find("PLAYERS"), 7, move);
  return parse_scene(text);
}

TEST_F(CommandRules, MovesMoversAndChecksEveryNumber) {
  simulation.emplace(make_simulation(mover_scene("anything")));
  join_players(*simulation, maker, 2, false);
  BodyId const ann = scene_body(1);
  EXPECT_EQ(simulation->world().user_tag(ann), 7u);
  EXPECT_EQ(give(1, MoveCommand{nobody, {}, 0, false, false}), Refusal::kUnknownBody);
  EXPECT_EQ(give(1, MoveCommand{scene_body(2), {}, 0, false, false}), Refusal::kNotMover);
  EXPECT_EQ(give(1, MoveCommand{ann, {kNaN, 0, 0}, 0, false, false}), Refusal::kNotFinite);
  EXPECT_EQ(give(1, MoveCommand{ann, {0, 0, kInfinity}, 0, false, false}), Refusal::kNotFinite);
  EXPECT_EQ(give(1, MoveCommand{ann, {}, kNaN, false, false}), Refusal::kNotFinite);
  EXPECT_EQ(give(1, MoveCommand{ann, {1e6f, 0, 0}, 0, false, false}), Refusal::kOutOfRange);
  EXPECT_EQ(give(1, MoveCommand{ann, {}, 1e6f, false, false}), Refusal::kOutOfRange);
  EXPECT_EQ(give(1, ImpulseCommand{ann, {1, 0, 0}, {}}), Refusal::kNotDynamic);
  EXPECT_EQ(give(1, DespawnCommand{ann}), Refusal::kForbidden);
  EXPECT_EQ(give(1, MoveCommand{ann, {100, 0, 0}, 0, false, false}), Refusal::kNone);
  for (int i = 0; i < 60; ++i) (void)simulation->step({});
  MoverView const view = simulation->world().mover(simulation->world().mover_of(ann));
  EXPECT_NEAR(view.velocity_m_s.x, 4.0, 1e-6) << "it goes on, at its own most";
  EXPECT_TRUE(view.grounded);
  EXPECT_EQ(give(2, MoveCommand{ann, {}, 0, false, true}), Refusal::kNone);
  EXPECT_FALSE(simulation->world().mover(simulation->world().mover_of(ann)).grounded) << "jumps";
}

TEST_F(CommandRules, WhoMayMoveAMoverIsThePolicys) {
  simulation.emplace(make_simulation(mover_scene("own")));
  join_players(*simulation, maker, 1, false);
  EXPECT_EQ(give(1, MoveCommand{scene_body(1), {1, 0, 0}, 0, false, false}), Refusal::kForbidden);
  EXPECT_EQ(give(kServerPlayer, MoveCommand{scene_body(1), {1, 0, 0}, 0, false, false}), Refusal::kNone);
  simulation.emplace(make_simulation(mover_scene("nothing")));
  join_players(*simulation, maker, 1, true);
  EXPECT_EQ(give(1, MoveCommand{scene_body(1), {1, 0, 0}, 0, false, false}), Refusal::kNone) << "an admin";
}

TEST_F(CommandRules, CutsRopesForThoseWhoMayDespawnAnything) {
  auto const scene = [](std::string_view right) {
    return parse_scene(
        "{\"players\": {\"despawn\": \"" + std::string(right) +
        "\"}, \"bodies\": [], \"ropes\": [{\"start\": [0, 5, 0], \"end\": [3, 5, 0], \"pins\": [{}]}]}");
  };
  simulation.emplace(make_simulation(scene("own")));
  join_players(*simulation, maker, 1, false);
  RopeId const rope{0, 1};
  EXPECT_EQ(give(1, CutCommand{rope, 4}), Refusal::kForbidden) << "ropes are nobody's own";
  EXPECT_EQ(give(kServerPlayer, CutCommand{RopeId{1, 1}, 4}), Refusal::kUnknownRope);
  EXPECT_EQ(give(kServerPlayer, CutCommand{rope, 15}), Refusal::kUnknownRope) << "16 nodes have 15 segments";
  EXPECT_EQ(give(kServerPlayer, CutCommand{rope, 4}), Refusal::kNone);
  RopeView left;
  simulation->world().read_rope(rope, left);
  EXPECT_EQ(left.nodes.size(), 5u);
  simulation.emplace(make_simulation(scene("anything")));
  join_players(*simulation, maker, 1, false);
  EXPECT_EQ(give(1, CutCommand{rope, 14}), Refusal::kNone);
  std::vector<RopeId> ropes;
  simulation->world().list_ropes(ropes);
  EXPECT_EQ(ropes.size(), 2u);
}

// Nobody had bounded how many ropes a player makes of one.
TEST_F(CommandRules, PlayersCutRopesUpToThePolicysNumber) {
  simulation.emplace(make_simulation(
      parse_scene("{\"players\": {\"despawn\": \"anything\", \"max_ropes\": 3}, \"bodies\": [],"
                  "\"ropes\": [{\"start\": [0, 5, 0], \"end\": [3, 5, 0], \"pins\": [{}]}]}")));
  join_players(*simulation, maker, 1, false);
  RopeId const rope{0, 1};
  EXPECT_EQ(give(1, CutCommand{rope, 12}), Refusal::kNone);
  EXPECT_EQ(give(1, CutCommand{rope, 8}), Refusal::kNone);
  EXPECT_EQ(give(1, CutCommand{rope, 4}), Refusal::kTooManyRopes);
  EXPECT_EQ(simulation->world().rope_count(), 3u);
  EXPECT_EQ(give(kServerPlayer, CutCommand{rope, 4}), Refusal::kNone) << "the server may";
}

}  // namespace
}  // namespace takt::sim
