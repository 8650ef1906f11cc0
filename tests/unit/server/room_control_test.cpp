// A room that is controlled: pause, steps, speed and other scenes, and that none of it enters the simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "server/room.h"
#include "server/world_view.h"
#include "takt/sim/replay.h"

namespace takt::server {
namespace {

using protocol::ControlAction;
using protocol::ControlStatus;

constexpr std::string_view kFalling = R"({
  "title": "Falling", "world": { "tick_rate_hz": 60 },
  "bodies": [
    { "type": "static", "shapes": [{ "half_space": {} }] },
    { "position": [0, 3, 0], "shapes": [{ "box": { "size": [1, 1, 1] } }] },
    { "position": [0.2, 5, 0], "shapes": [{ "box": { "size": [1, 1, 1] } }] },
  ],
})";
constexpr std::string_view kOther = R"({
  "title": "Öther", "world": { "tick_rate_hz": 120, "substeps": 2 }, "camera": { "eye": [1, 2, -3], "target": [0, 0.5, 0] },
  "bodies": [{ "type": "static", "shapes": [{ "half_space": {} }] }],
})";

sim::Scene control_scene_of(std::string_view text) {
  auto loaded = sim::load_scene(text, "test");
  EXPECT_TRUE(loaded.ok()) << message(loaded.error());
  return *std::move(loaded);
}

class ListedScenes final : public SceneProvider {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {"broken", "falling", "other"}; }
  [[nodiscard]] Result<sim::Scene, std::string> load(std::string_view name) const override {
    if (name == "other") return control_scene_of(kOther);
    if (name == "falling") return control_scene_of(kFalling);
    return std::string("broken.json:7: no such shape \x1b[2J");
  }
};

class RoomControl : public testing::Test {
 protected:
  RoomControl() : room(make()) { room.handle_event(joined(1)); }
  Room make() {
    RoomOptions options;
    options.provider = &provider;
    options.scene_name = "falling";
    return *Room::create(control_scene_of(kFalling), options);
  }
  static protocol::ServerEvent joined(protocol::PlayerId player) {
    protocol::PlayerJoined event;
    event.player = player;
    event.name = "player";
    return event;
  }
  protocol::ControlResult control(ControlAction action, float speed = 1, std::uint64_t tick = 0,
                                  const std::string& scene = {}) {
    room.handle_event(protocol::ControlArrived{1, {++request, action, speed, tick, scene}});
    last = room.idle({});
    EXPECT_EQ(last.answers.size(), 1u);
    EXPECT_EQ(last.answers.at(0).player, 1u);
    EXPECT_EQ(last.answers.at(0).result.request, request);
    return last.answers.at(0).result;
  }
  void inputs(std::uint32_t epoch, std::uint32_t sequence) {
    room.handle_event(protocol::InputsArrived{
        1, {{room.simulation().tick(), sequence, protocol::ReleaseCommand{}}}, epoch});
  }

  ListedScenes provider;
  Room room;
  RoomUpdate last;
  std::uint32_t request = 0;
};

TEST_F(RoomControl, ANewcomerIsWelcomedEvenWhileTheRoomIsPaused) {
  EXPECT_EQ(control(ControlAction::kPause).status, ControlStatus::kDone);
  ASSERT_EQ(last.welcomes.size(), 1u);
  EXPECT_EQ(last.welcomes[0].bodies->size(), 3u);
  ASSERT_TRUE(last.snapshot);
  EXPECT_EQ(last.tick, 0u);
  EXPECT_TRUE(room.idle({}).welcomes.empty());  // once
  EXPECT_FALSE(room.simulation().has_player(1));
  RoomUpdate const stepped = room.step();
  EXPECT_TRUE(stepped.welcomes.empty());
  EXPECT_TRUE(room.simulation().has_player(1));
}

TEST_F(RoomControl, PauseTellsTheHashOfTheTickThatIsShown) {
  for (int i = 0; i < 30; ++i) (void)room.step();
  EXPECT_EQ(control(ControlAction::kPause).status, ControlStatus::kDone);
  ASSERT_TRUE(last.change);
  EXPECT_TRUE(last.change->state.paused);
  EXPECT_EQ(last.change->state.tick, 30u);
  EXPECT_EQ(last.change->playing.ticks_per_s, 0.0);
  ASSERT_TRUE(last.stats);
  EXPECT_EQ(last.stats->tick, 30u);
  EXPECT_EQ(last.stats->state_hash, room.simulation().hash());
}

TEST_F(RoomControl, TheLastOfSomeStepsTellsWhereTheRoomStands) {
  EXPECT_EQ(control(ControlAction::kStep, 1, 3).status, ControlStatus::kDone);
  EXPECT_FALSE(room.step({.snapshot = false}).change);
  EXPECT_FALSE(room.step({.snapshot = false}).change);
  RoomUpdate const third = room.step({});
  ASSERT_TRUE(third.change);
  EXPECT_TRUE(third.change->state.paused);
  EXPECT_EQ(third.change->state.tick, 3u);
  ASSERT_TRUE(third.stats);
  EXPECT_EQ(third.stats->state_hash, room.simulation().hash());
  EXPECT_EQ(room.tick_rate().steps_left(), 0u);
}

TEST_F(RoomControl, AnotherTickRateGivesTheSameWorld) {
  Room plain = make();
  plain.handle_event(joined(1));
  for (int i = 0; i < 120; ++i) (void)plain.step();
  for (int i = 0; i < 40; ++i) (void)room.step();
  (void)control(ControlAction::kPause);
  for (int i = 0; i < 10; ++i) (void)room.idle({.stats = true, .inside = true});
  (void)control(ControlAction::kStep, 1, 30);
  for (int i = 0; i < 30; ++i) (void)room.step({.snapshot = i == 29});
  (void)control(ControlAction::kSetSpeed, 0.1f);
  (void)control(ControlAction::kResume);
  for (int i = 0; i < 50; ++i) (void)room.step();
  EXPECT_EQ(room.simulation().tick(), plain.simulation().tick());
  EXPECT_EQ(room.simulation().hash(), plain.simulation().hash());
}

TEST_F(RoomControl, AnotherSceneIsAnotherEpochWithTheSamePlayers) {
  for (int i = 0; i < 10; ++i) (void)room.step();
  inputs(1, 1);  // waits for a tick of the old world, which never comes
  EXPECT_EQ(control(ControlAction::kLoadScene, 1, 0, "other").status, ControlStatus::kDone);
  ASSERT_TRUE(last.change);
  protocol::RoomState const& state = last.change->state;
  EXPECT_EQ(state.epoch, 2u);
  EXPECT_EQ(state.tick, 0u);
  EXPECT_EQ(state.tick_rate_hz, 120u);
  EXPECT_EQ(state.scene, "other");
  EXPECT_EQ(state.title, "Öther");
  EXPECT_EQ(state.scenes, provider.names());
  ASSERT_TRUE(state.camera);
  EXPECT_EQ(state.camera->eye,
            (protocol::Position{std::int64_t{1} << 32, std::int64_t{2} << 32, -(std::int64_t{3} << 32)}));
  EXPECT_EQ(last.change->playing.epoch, 2u);
  EXPECT_EQ(last.change->playing.tick_rate_hz, 120u);
  EXPECT_EQ(last.change->playing.substeps, 2u);
  EXPECT_EQ(last.change->playing.scene_hash, sim::scene_hash(control_scene_of(kOther)));
  EXPECT_EQ(room.tick_rate_hz(), 120u);
  ASSERT_EQ(last.outcomes.size(), 1u);
  EXPECT_EQ(last.outcomes[0].outcome.status, protocol::CommandStatus::kRefusedLate);
  EXPECT_EQ(room.counters().inputs_refused, 1u);
  ASSERT_TRUE(last.snapshot);
  EXPECT_EQ(last.snapshot->size(), 1u);
  // Its bodies are told when the player has come.
  EXPECT_TRUE(last.welcomes.empty());
  room.handle_event(protocol::EpochEntered{1, 2});
  RoomUpdate const entered = room.step();
  ASSERT_EQ(entered.welcomes.size(), 1u);
  EXPECT_EQ(entered.welcomes[0].bodies->size(), 1u);
  EXPECT_TRUE(room.simulation().has_player(1));
  EXPECT_EQ(room.counters().joined, 1u);  // it is the same visit
}

TEST_F(RoomControl, WhatWasMeantForTheWorldBeforeDoesNotActInThisOne) {
  (void)room.step();
  (void)control(ControlAction::kLoadScene, 1, 0, "other");
  inputs(1, 1);
  inputs(2, 2);
  RoomUpdate const update = room.step();
  // The first is of epoch 1. The second is of this epoch: a release without a grab, refused by the simulation
  // itself.
  ASSERT_EQ(update.outcomes.size(), 2u);
  EXPECT_EQ(update.outcomes[0].outcome,
            (protocol::CommandOutcome{
                1, protocol::CommandStatus::kRefusedLate, 0, protocol::CommandRefusal::kOtherWorld, {}}));
  EXPECT_EQ(update.outcomes[1].outcome.sequence, 2u);
  EXPECT_EQ(update.outcomes[1].outcome.status, protocol::CommandStatus::kRefusedUnknownBody);
}

TEST_F(RoomControl, ABrokenSceneLeavesTheOldWorldAndSaysWhereItIsBroken) {
  for (int i = 0; i < 10; ++i) (void)room.step();
  std::uint64_t const hash = room.simulation().hash();
  auto const result = control(ControlAction::kLoadScene, 1, 0, "broken");
  EXPECT_EQ(result.status, ControlStatus::kFailed);
  EXPECT_EQ(result.text, "broken.json:7: no such shape [2J");  // printable
  EXPECT_FALSE(last.change);
  EXPECT_EQ(room.epoch(), 1u);
  EXPECT_EQ(room.simulation().hash(), hash);
  EXPECT_EQ(control(ControlAction::kLoadScene, 1, 0, "../falling").status,
            ControlStatus::kRefusedUnknownScene);
  EXPECT_EQ(control(ControlAction::kSeek, 1, 5).status, ControlStatus::kRefusedNotHere);
}

TEST_F(RoomControl, NoSceneIsLoadedIntoARecording) {
  sim::MemorySink sink;
  ASSERT_TRUE(room.start_recording(sink, control_scene_of(kFalling)).ok());
  EXPECT_TRUE(room.now().state.scenes.empty());
  for (int i = 0; i < 20; ++i) (void)room.step();
  EXPECT_EQ(control(ControlAction::kLoadScene, 1, 0, "other").status, ControlStatus::kFailed);
  (void)control(ControlAction::kPause);
  for (int i = 0; i < 5; ++i) (void)room.idle({});
  (void)control(ControlAction::kResume);
  for (int i = 0; i < 20; ++i) (void)room.step();
  ASSERT_TRUE(room.close_recording().ok());
  sim::MemorySource const source(sink.bytes());
  auto const reader = sim::RecordingReader::open(source);
  ASSERT_TRUE(reader.ok());
  auto const report = sim::verify(*reader);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->mismatch);
  EXPECT_EQ(report->ticks_checked, 40u);  // a pause leaves no trace
}

/// Takes everything until it is full.
class FillingDisk final : public sim::ByteSink {
 public:
  [[nodiscard]] bool write(std::span<const std::byte>) override { return !is_full; }
  bool is_full = false;
};

TEST_F(RoomControl, AfterAFailedRecordingASceneIsListedAndLoaded) {
  FillingDisk disk;
  ASSERT_TRUE(room.start_recording(disk, control_scene_of(kFalling)).ok());
  for (int i = 0; i < 10; ++i) (void)room.step();
  EXPECT_TRUE(room.now().state.scenes.empty());
  disk.is_full = true;
  RoomUpdate update;
  for (int i = 0; i < 120 && !room.has_recording_failed(); ++i) update = room.step();
  ASSERT_TRUE(room.has_recording_failed());
  ASSERT_TRUE(update.change) << "clients learn that scenes can be loaded";
  EXPECT_EQ(update.change->state.scenes, provider.names());
  EXPECT_EQ(room.now().state.scenes, provider.names());
  EXPECT_EQ(control(ControlAction::kLoadScene, 1, 0, "other").status, ControlStatus::kDone);
  for (int i = 0; i < 5; ++i) (void)room.step();
  EXPECT_EQ(room.simulation().tick(), 5u);
  EXPECT_TRUE(room.has_recording_failed());
  EXPECT_TRUE(room.close_recording().ok());
}

TEST_F(RoomControl, WithoutAProviderThereIsNothingToLoad) {
  room = *Room::create(control_scene_of(kFalling), {});
  EXPECT_EQ(control(ControlAction::kLoadScene, 1, 0, "other").status, ControlStatus::kFailed);
  EXPECT_TRUE(room.now().state.scenes.empty());
}

TEST_F(RoomControl, TheInsideIsShownToThoseWhoAskOfBoxesThatRest) {
  for (int i = 0; i < 240; ++i) (void)room.step();
  EXPECT_FALSE(room.idle({.inside = true}).inside);  // nobody asked
  room.handle_event(protocol::InspectArrived{1, protocol::kInspectContacts | protocol::kInspectJoints});
  RoomUpdate const update = room.idle({.inside = true});
  ASSERT_TRUE(update.inside);
  ASSERT_GE(update.inside->contacts.size(), 4u);
  EXPECT_EQ(update.inside->contacts_total, update.inside->contacts.size());
  float before = update.inside->contacts[0].impulse;
  for (auto const& point : update.inside->contacts) {
    EXPECT_LE(point.impulse, before);
    before = point.impulse;
  }
  EXPECT_TRUE(update.inside->joints.empty());
  room.handle_event(protocol::PlayerLeft{1, protocol::DisconnectReason::kClientLeft, {}});
  EXPECT_FALSE(room.idle({.inside = true}).inside);
}

constexpr std::string_view kHanging = R"({
  "bodies": [
    { "name": "post", "type": "static", "position": [0, 5, 0], "shapes": [{ "sphere": { "radius": 0.1 } }] },
    { "name": "load", "position": [0, 4, 0], "shapes": [{ "box": { "size": [0.5, 0.5, 0.5] } }] },
  ],
  "joints": [{ "kind": "point", "a": "post", "b": "load", "anchor": [0, 5, 0], "break_force": 5000 }],
  "ropes": [
    { "nodes": 3, "start": [5, 5, 0], "end": [6, 5, 0], "can_sleep": false, "pins": [{}] },
    { "nodes": 2, "start": [9, 5, 0], "end": [9, 4, 0], "pins": [{}, { "node": 1 }] },
  ],
})";

TEST_F(RoomControl, JointsAreShownWithWhatTheyHoldAndABreakIsToldOnce) {
  room = *Room::create(control_scene_of(kHanging), {});
  room.handle_event(joined(1));
  room.handle_event(protocol::InspectArrived{1, protocol::kInspectJoints});
  for (int i = 0; i < 120; ++i) EXPECT_TRUE(room.step().broken_joints.empty());
  RoomUpdate update = room.idle({.inside = true});
  ASSERT_TRUE(update.inside);
  EXPECT_FALSE(update.ropes) << "nobody asked for them";
  EXPECT_EQ(update.inside->joints_total, 1u);
  ASSERT_EQ(update.inside->joints.size(), 1u);
  protocol::JointFrame const joint = update.inside->joints[0];
  EXPECT_EQ(joint.id, (JointId{0, 1}.to_u64()));
  EXPECT_EQ(joint.body_a, (BodyId{0, 1}.to_u64()));
  EXPECT_EQ(joint.body_b, (BodyId{1, 1}.to_u64()));
  EXPECT_EQ(joint.kind, static_cast<std::uint32_t>(JointKind::kPoint));
  EXPECT_EQ(joint.anchor_a.y, std::int64_t{5} << 32);
  EXPECT_NEAR(static_cast<double>(joint.anchor_b.y) * 0x1p-32, 5.0, 1e-3);
  EXPECT_NEAR(joint.force, 0.125 * 1000 * 9.81, 1.0) << "the load's weight";
  EXPECT_EQ(joint.flags, 0u);

  room.handle_event(protocol::InputsArrived{
      1,
      {{room.simulation().tick(), 1, protocol::ImpulseCommand{BodyId{1, 1}.to_u64(), {0, -1000, 0}, {}}}},
      1});
  std::vector<std::uint64_t> broken;
  for (int i = 0; i < 10; ++i) {
    RoomUpdate const step = room.step();
    broken.insert(broken.end(), step.broken_joints.begin(), step.broken_joints.end());
  }
  EXPECT_EQ(broken, std::vector<std::uint64_t>{joint.id});
  update = room.idle({.inside = true});
  EXPECT_EQ(update.inside->joints.at(0).flags, protocol::kJointTorn);
}

TEST_F(RoomControl, RopesGoWithSnapshotsToThoseWhoAsk) {
  room = *Room::create(control_scene_of(kHanging), {});
  room.handle_event(joined(1));
  EXPECT_FALSE(room.step({}).ropes) << "nobody asked";
  room.handle_event(protocol::InspectArrived{1, protocol::kInspectRopes});
  for (int i = 0; i < 120; ++i) (void)room.step({});
  RoomUpdate const update = room.step({});
  ASSERT_TRUE(update.ropes);
  EXPECT_FALSE(update.inside) << "what else is inside was not asked for";
  ASSERT_EQ(update.ropes->size(), 2u);
  protocol::RopeState const& awake = (*update.ropes)[0];
  EXPECT_EQ(awake.id, (RopeId{0, 1}.to_u64()));
  EXPECT_EQ(awake.flags, 0u);
  RopeView rope;
  room.simulation().world().read_rope(RopeId{0, 1}, rope);
  ASSERT_EQ(awake.nodes.size(), 3u);
  ASSERT_EQ(awake.tensions.size(), 2u);
  EXPECT_EQ(awake.nodes[2].y, rope.nodes[2].y_raw);
  EXPECT_EQ(awake.tensions[1], static_cast<float>(rope.tensions_n[1]));
  EXPECT_EQ((*update.ropes)[1].flags, protocol::kRopeAsleep) << "it has nothing to do";
  EXPECT_FALSE(room.step({.snapshot = false}).ropes);
  EXPECT_TRUE(room.idle({}).ropes) << "a room that stands still shows them too";
  room.handle_event(protocol::InspectArrived{1, protocol::kInspectContacts});
  EXPECT_FALSE(room.step({}).ropes);
}

// More ropes than a tick may read.
std::string scene_of_many_ropes() {
  std::string text = R"({ "bodies": [{ "type": "static", "shapes": [{ "half_space": {} }] }], "ropes": [)";
  for (int i = 0; i < 70; ++i)
    text += R"({ "nodes": 60, "can_sleep": false, "pins": [{}], "start": [)" + std::to_string(i) +
            R"(, 5, 0], "end": [)" + std::to_string(i) + ", 5, 5] },";
  return text + "] }";
}

// 65,536 nodes were copied on the tick thread in each tick, and each rope searched all pins of the world.
TEST(OneCuriousClientCostsTheTick, ManyRopesAreReadByTheShadowWorld) {
  std::string const text = scene_of_many_ropes();
  for (bool const has_thread : {false, true}) {
    Room room = *Room::create(control_scene_of(text), {});
    EXPECT_FALSE(list_ropes(room.simulation(), kRopesOnTick)) << "more than a tick may read";
    if (has_thread) room.start_shadow_thread();
    protocol::PlayerJoined joined;
    joined.player = 1;
    room.handle_event(joined);
    room.handle_event(protocol::InspectArrived{1, protocol::kInspectRopes});
    RoomUpdate update = room.step({});
    if (!has_thread) {
      EXPECT_TRUE(update.ropes);
    }
    for (int i = 0; i < 10'000 && !update.ropes; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      update = room.idle({});
    }
    ASSERT_TRUE(update.ropes);
    EXPECT_EQ(*update.ropes, *list_ropes(room.simulation())) << "of that tick";
    room.handle_event(protocol::InspectArrived{1, protocol::kInspectContacts});
    EXPECT_FALSE(room.step({}).ropes);
  }
}

// A list that came after its viewer stopped to inspect was sent when anybody began again.
TEST(OneCuriousClientCostsTheTick, NoRopesOfBeforeTheInspectionAreSent) {
  Room room = *Room::create(control_scene_of(scene_of_many_ropes()), {});
  room.start_shadow_thread();
  protocol::PlayerJoined joined;
  joined.player = 1;
  room.handle_event(joined);
  std::map<std::uint64_t, std::vector<protocol::RopeState>> lists;  // by tick
  std::uint64_t oldest = 0;  // tick at which the present inspection began
  std::uint64_t last = 0;    // tick of the last list
  int sent = 0;
  for (int i = 0; i < 400; ++i) {
    bool const asks = i % 40 < 30 && i % 40 != 1;
    room.handle_event(protocol::InspectArrived{1, asks ? protocol::kInspectRopes : 0u});
    if (!asks) oldest = room.simulation().tick() + 1;
    RoomUpdate const update = room.step({.snapshot = i % 2 == 0});
    lists[update.tick] = *list_ropes(room.simulation());
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    if (!update.ropes) continue;
    ++sent;
    auto const at =
        std::ranges::find_if(lists, [&](auto const& list) { return list.second == *update.ropes; });
    ASSERT_NE(at, lists.end());
    ASSERT_GE(at->first, oldest) << "at tick " << update.tick;
    ASSERT_GE(at->first, last) << "at tick " << update.tick;
    last = at->first;
  }
  EXPECT_GT(sent, 20);
}

}  // namespace
}  // namespace takt::server
