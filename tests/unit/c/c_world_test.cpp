// Worlds, batches, arrays, snapshots and recordings through takt.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "takt/core/bytes.h"
#include "tests/unit/c/edit_script.h"

namespace takt::test {
namespace {

std::vector<std::byte> saved(takt_world* world) {
  const void* data = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(takt_world_save(world, &data, &bytes), TAKT_OK);
  auto const* const first = static_cast<const std::byte*>(data);
  return {first, first + bytes};
}

// The world image in a simulation image of a world without a game (docs/RECORDING.md, Image head).
std::vector<std::byte> world_image_of(const std::vector<std::byte>& image) {
  auto const number_at = [&](std::size_t offset) {
    return load_little_endian<std::uint64_t>(image.data() + offset);
  };
  auto const first = image.begin() + static_cast<std::ptrdiff_t>(48 + number_at(24));
  return {first, first + static_cast<std::ptrdiff_t>(number_at(40))};
}

class CWorldTest : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Numbers, CWorldTest, testing::Values(TAKT_NUMBERS_FLOAT, TAKT_NUMBERS_FIXED));

TEST_P(CWorldTest, BatchesOfAnySizeAndThreadsHaveTheHashesOfOneWorld) {
  constexpr std::uint32_t kTicks = 30;
  takt_world* const world = make_world(GetParam());
  std::uint64_t const box = body_of(world, "box");
  std::vector<std::uint64_t> wanted;
  double const push[3] = {300, 900, 0};
  for (std::uint32_t i = 0; i < kTicks; ++i) {
    ASSERT_EQ(takt_world_force(world, box, push, nullptr, 2), TAKT_OK);
    ASSERT_EQ(takt_world_step(world, 1), TAKT_OK);
    wanted.push_back(hash_of(world));
  }
  takt_scene* const scene = load();
  for (std::uint32_t const worlds : {1u, 7u, 64u}) {
    for (std::uint32_t const threads : {1u, 2u, 3u, 8u}) {
      auto options = sized<takt_batch_options>();
      options.numbers = GetParam();
      options.world_count = worlds;
      options.threads = threads;
      takt_batch* batch = nullptr;
      ASSERT_EQ(takt_batch_create(scene, &options, &batch), TAKT_OK) << takt_last_error();
      std::vector<std::uint64_t> const bodies(worlds, box);
      std::vector<double> forces;
      for (std::uint32_t i = 0; i < worlds; ++i) forces.insert(forces.end(), push, push + 3);
      std::vector<std::uint64_t> hashes(worlds);
      for (std::uint32_t i = 0; i < kTicks; ++i) {
        ASSERT_EQ(takt_batch_force(batch, bodies.data(), forces.data(), nullptr, 2, nullptr), TAKT_OK);
        ASSERT_EQ(takt_batch_step(batch, 1, nullptr), TAKT_OK);
        ASSERT_EQ(takt_batch_hashes(batch, hashes.data()), TAKT_OK);
        ASSERT_EQ(hashes, std::vector<std::uint64_t>(worlds, wanted[i])) << worlds << ' ' << threads;
      }
      ASSERT_EQ(takt_batch_destroy(batch), TAKT_OK);
    }
  }
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

TEST_P(CWorldTest, ThreadsOfAWorldChangeNoBit) {
  std::vector<std::uint64_t> hashes;
  for (std::uint32_t const threads : {1u, 2u, 3u, 8u}) {
    takt_world* const world = make_world(GetParam(), threads);
    run_every_edit(world);
    hashes.push_back(hash_of(world));
    EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  }
  EXPECT_EQ(hashes, std::vector<std::uint64_t>(4, hashes.front()));
}

TEST_P(CWorldTest, RestoredRolledBackAndForkedWorldsContinueEqually) {
  takt_world* const world = make_world(GetParam());
  ASSERT_EQ(takt_world_step(world, 12), TAKT_OK);
  double const push[3] = {100, 0, 0};
  ASSERT_EQ(takt_world_force(world, body_of(world, "box"), push, nullptr, 20), TAKT_OK);
  takt_snapshot* snapshot = nullptr;
  ASSERT_EQ(takt_world_capture(world, &snapshot), TAKT_OK);
  std::vector<std::byte> const image = saved(world);
  takt_world* fork = nullptr;
  ASSERT_EQ(takt_world_fork(world, &fork), TAKT_OK);
  takt_world* restored = nullptr;
  ASSERT_EQ(takt_world_from_image(image.data(), image.size(), nullptr, nullptr, &restored), TAKT_OK);
  for (int i = 0; i < 40; ++i) {
    for (takt_world* const w : {world, fork, restored}) ASSERT_EQ(takt_world_step(w, 1), TAKT_OK);
    ASSERT_EQ(hash_of(fork), hash_of(world));
    ASSERT_EQ(hash_of(restored), hash_of(world));
  }
  std::uint64_t const wanted = hash_of(world);
  ASSERT_EQ(takt_world_rollback(world, snapshot), TAKT_OK);
  ASSERT_EQ(takt_world_step(world, 40), TAKT_OK);
  EXPECT_EQ(hash_of(world), wanted);
  ASSERT_EQ(takt_world_restore(world, image.data(), image.size()), TAKT_OK);
  ASSERT_EQ(takt_world_step(world, 40), TAKT_OK);
  EXPECT_EQ(hash_of(world), wanted);
  ASSERT_EQ(takt_world_capture_into(world, snapshot), TAKT_OK);
  std::uint64_t tick = 0;
  std::size_t worlds = 0;
  ASSERT_EQ(takt_snapshot_info(snapshot, &tick, &worlds), TAKT_OK);
  EXPECT_EQ(tick, 52u);
  EXPECT_EQ(worlds, 1u);
  takt_world* const other =
      make_world(GetParam() == TAKT_NUMBERS_FLOAT ? TAKT_NUMBERS_FIXED : TAKT_NUMBERS_FLOAT);
  EXPECT_EQ(takt_world_rollback(other, snapshot), TAKT_ERROR_MISMATCH);
  EXPECT_EQ(takt_world_restore(other, image.data(), image.size()), TAKT_ERROR_MISMATCH);
  for (takt_world* const w : {world, fork, restored, other}) EXPECT_EQ(takt_world_destroy(w), TAKT_OK);
  EXPECT_EQ(takt_snapshot_destroy(snapshot), TAKT_OK);
}

TEST_P(CWorldTest, AnImageOfAnotherSceneIsRefusedByName) {
  constexpr std::string_view kOther =
      R"({ "title": "Other", "bodies": [{ "name": "cube", "shapes": [{ "box": {} }] }] })";
  takt_world* const world = make_world(GetParam());
  takt_world* const other = make_world(GetParam(), 1, kOther);
  ASSERT_EQ(takt_world_step(world, 5), TAKT_OK);
  std::uint64_t const before = hash_of(world);
  std::vector<std::byte> const image = saved(other);
  EXPECT_EQ(takt_world_restore(world, image.data(), image.size()), TAKT_ERROR_MISMATCH);
  std::string const text = takt_last_error();
  for (takt_world* const w : {world, other}) {
    auto info = sized<takt_world_info>();
    ASSERT_EQ(takt_world_get_info(w, &info), TAKT_OK);
    std::array<char, 17> digits{};
    (void)std::snprintf(digits.data(), digits.size(), "%016llx",
                        static_cast<unsigned long long>(info.scene_hash));
    EXPECT_NE(text.find(digits.data()), std::string::npos) << text;
  }
  EXPECT_NE(text.find("make a new world from the image"), std::string::npos) << text;
  EXPECT_EQ(hash_of(world), before);
  EXPECT_NE(body_of(world, "box"), 0u);  // the names stay
  takt_world* made = nullptr;
  ASSERT_EQ(takt_world_from_image(image.data(), image.size(), nullptr, nullptr, &made), TAKT_OK);
  EXPECT_EQ(hash_of(made), hash_of(other));
  for (takt_world* const w : {world, other, made}) EXPECT_EQ(takt_world_destroy(w), TAKT_OK);
}

TEST_P(CWorldTest, ARecordingOfEveryEditVerifies) {
  std::string const path = "every_edit_" + std::to_string(GetParam()) + ".takt";
  takt_world* const world = make_world(GetParam());
  ASSERT_EQ(takt_world_step(world, 3), TAKT_OK);
  ASSERT_EQ(takt_world_record(world, path.data(), path.size()), TAKT_OK) << takt_last_error();
  run_every_edit(world);
  takt_snapshot* snapshot = nullptr;
  ASSERT_EQ(takt_world_capture(world, &snapshot), TAKT_OK);
  EXPECT_EQ(takt_world_rollback(world, snapshot), TAKT_ERROR_RECORDING);
  EXPECT_EQ(takt_world_record(world, path.data(), path.size()), TAKT_ERROR_RECORDING);
  ASSERT_EQ(takt_world_record_stop(world), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_record_stop(world), TAKT_ERROR_RECORDING);
  takt_recording* recording = nullptr;
  ASSERT_EQ(takt_recording_open(path.data(), path.size(), &recording), TAKT_OK) << takt_last_error();
  auto info = sized<takt_recording_info>();
  ASSERT_EQ(takt_recording_get_info(recording, &info), TAKT_OK);
  EXPECT_EQ(info.first_tick, 3u);
  EXPECT_EQ(info.end_tick, 68u);
  EXPECT_EQ(info.input_count, 33u);
  EXPECT_EQ(info.is_closed, 1u);
  auto report = sized<takt_verify_report>();
  ASSERT_EQ(takt_recording_verify(recording, 2, &report), TAKT_OK) << takt_last_error();
  EXPECT_EQ(report.agrees, 1u);
  EXPECT_EQ(report.ticks_checked, 65u);
  EXPECT_EQ(report.final_hash, hash_of(world));
  EXPECT_EQ(report.mismatch_tick, UINT64_MAX);
  std::string const committed = TAKT_SOURCE_DIR "/tests/determinism/recordings/every_edit_" +
                                std::string(GetParam() == TAKT_NUMBERS_FLOAT ? "float" : "fixed") + ".takt";
  takt_recording* old = nullptr;
  auto earlier = sized<takt_verify_report>();
  ASSERT_EQ(takt_recording_open(committed.data(), committed.size(), &old), TAKT_OK) << takt_last_error();
  ASSERT_EQ(takt_recording_verify(old, 1, &earlier), TAKT_OK) << takt_last_error();
  EXPECT_EQ(earlier.final_hash, report.final_hash) << "copy " << path << " to " << committed;
  EXPECT_EQ(takt_recording_destroy(old), TAKT_OK);
  takt_world* there = nullptr;
  EXPECT_EQ(takt_recording_world(recording, 69, nullptr, &there), TAKT_ERROR_SIM + 12);
  ASSERT_EQ(takt_recording_world(recording, 68, nullptr, &there), TAKT_OK);
  EXPECT_EQ(hash_of(there), hash_of(world));
  EXPECT_EQ(takt_world_destroy(there), TAKT_OK);
  EXPECT_EQ(takt_recording_destroy(recording), TAKT_OK);
  EXPECT_EQ(takt_snapshot_destroy(snapshot), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

// Refused edits are recorded, too: without a limit, one tick could have more than a chunk holds.
TEST_P(CWorldTest, EditsOfOneTickOfARecordingHaveALimit) {
  std::string const path = "many_edits_" + std::to_string(GetParam()) + ".takt";
  takt_world* const world = make_world(GetParam());
  ASSERT_EQ(takt_world_record(world, path.data(), path.size()), TAKT_OK) << takt_last_error();
  takt_status status = TAKT_OK;
  std::uint64_t edits = 0;
  while (edits < 2'000'000) {
    status = takt_world_release(world);
    if (status == TAKT_ERROR_LIMIT) break;
    ++edits;
  }
  ASSERT_EQ(status, TAKT_ERROR_LIMIT);
  EXPECT_GT(edits, 100'000u);
  std::uint64_t const before = hash_of(world);
  EXPECT_EQ(takt_world_release(world), TAKT_ERROR_LIMIT);
  EXPECT_NE(std::string(takt_last_error()).find("limit recording"), std::string::npos) << takt_last_error();
  EXPECT_EQ(hash_of(world), before);  // not even its number counts
  ASSERT_EQ(takt_world_step(world, 1), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_release(world), TAKT_ERROR_REFUSED + 17);  // there is room again
  ASSERT_EQ(takt_world_record_stop(world), TAKT_OK);
  takt_recording* recording = nullptr;
  ASSERT_EQ(takt_recording_open(path.data(), path.size(), &recording), TAKT_OK) << takt_last_error();
  auto info = sized<takt_recording_info>();
  ASSERT_EQ(takt_recording_get_info(recording, &info), TAKT_OK);
  EXPECT_EQ(info.input_count, edits);
  auto report = sized<takt_verify_report>();
  ASSERT_EQ(takt_recording_verify(recording, 1, &report), TAKT_OK) << takt_last_error();
  EXPECT_EQ(report.agrees, 1u);
  EXPECT_EQ(takt_recording_destroy(recording), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

TEST_P(CWorldTest, ArraysAreFreshAfterEveryCallAndOutliveTheWorld) {
  takt_world* const world = make_world(GetParam());
  auto view = sized<takt_view>();
  takt_array* held = nullptr;
  ASSERT_EQ(takt_world_array(world, TAKT_POSITIONS, &view, &held), TAKT_OK);
  takt_view const ids = view_of(world, TAKT_BODY_IDS);
  takt_view const flags = view_of(world, TAKT_BODY_FLAGS);
  ASSERT_EQ(view.shape[0], 8u);
  ASSERT_EQ(view.shape[1], 3u);
  ASSERT_EQ(view.strides[0], 24);
  auto const* const x = static_cast<const double*>(view.data);
  std::uint64_t const box = body_of(world, "box");
  EXPECT_EQ(static_cast<const std::uint64_t*>(ids.data)[1], box);
  EXPECT_EQ(static_cast<const std::uint8_t*>(flags.data)[0] >> 4, TAKT_BODY_STATIC);
  EXPECT_EQ(static_cast<const std::uint8_t*>(flags.data)[1] >> 4, TAKT_BODY_DYNAMIC);
  double const place[3] = {2, 7, 1};
  ASSERT_EQ(takt_world_teleport(world, box, place, nullptr, nullptr, nullptr), TAKT_OK);
  EXPECT_EQ(x[3], 2.0);
  EXPECT_EQ(x[4], 7.0);
  takt_snapshot* snapshot = nullptr;
  ASSERT_EQ(takt_world_capture(world, &snapshot), TAKT_OK);
  ASSERT_EQ(takt_world_step(world, 10), TAKT_OK);
  EXPECT_LT(x[4], 7.0);
  ASSERT_EQ(takt_world_rollback(world, snapshot), TAKT_OK);
  EXPECT_EQ(x[4], 7.0);
  // A body more: the held array keeps its shape and values, a new one has both.
  auto spawn = sized<takt_spawn>();
  ASSERT_EQ(takt_spawn_defaults(&spawn), TAKT_OK);
  spawn.position[0] = 20;
  std::uint64_t spawned = 0;
  ASSERT_EQ(takt_world_spawn(world, &spawn, &spawned), TAKT_OK);
  takt_view const larger = view_of(world, TAKT_POSITIONS);
  EXPECT_EQ(larger.shape[0], 9u);
  EXPECT_NE(larger.data, view.data);
  EXPECT_EQ(static_cast<const double*>(larger.data)[24], 20.0);
  ASSERT_EQ(takt_world_step(world, 5), TAKT_OK);
  EXPECT_EQ(x[4], 7.0);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(x[4], 7.0);
  EXPECT_EQ(takt_array_destroy(held), TAKT_OK);
  EXPECT_EQ(takt_snapshot_destroy(snapshot), TAKT_OK);
}

// A mover that an edit made, with the tuning that a scene gave to another, has its bits in each tick.
TEST_P(CWorldTest, ANewMoverWalksAsThatOfAScene) {
  std::string scene(kScene);
  std::string_view const last = "\"position\": [9, 0.5, 3], \"shapes\": [{ \"sphere\": {} }] }";
  scene.insert(scene.find(last) + last.size(),
               R"(, { "name": "bob", "position": [-3, 1.02, 3], "user_tag": 11, "mover": { "radius": 0.3,
                   "length": 1.4, "friction": 0.5, "restitution": 0.1, "max_speed": 3, "mass": 60,
                   "filter": { "category": 3, "mask": 4294967295, "group": 0 } } })");
  takt_world* const expected = make_world(GetParam(), 1, scene);
  takt_world* const world = make_world(GetParam());
  auto def = sized<takt_mover_def>();
  ASSERT_EQ(takt_mover_defaults(&def), TAKT_OK);
  def.position[0] = -3;
  def.position[1] = 1.02;
  def.position[2] = 3;
  def.radius = 0.3;
  def.half_length = 0.7;
  def.friction = 0.5;
  def.restitution = 0.1;
  def.category = 3;
  def.tag = 11;
  auto tuning = sized<takt_mover_tuning>();
  tuning.fields = TAKT_MOVER_MAX_SPEED | TAKT_MOVER_MASS;
  tuning.max_speed = 3;
  tuning.mass = 60;
  std::uint64_t bob = 0;
  ASSERT_EQ(takt_world_create_mover(world, &def, &tuning, &bob), TAKT_OK) << takt_last_error();
  EXPECT_EQ(bob, body_of(expected, "bob"));
  takt_view const ours = view_of(world, TAKT_POSITIONS_RAW);
  takt_view const theirs = view_of(expected, TAKT_POSITIONS_RAW);
  ASSERT_EQ(ours.shape[0], 9u);
  ASSERT_EQ(theirs.shape[0], 9u);
  double const walk[3] = {2, 0, -2};
  takt_world* fork = nullptr;
  for (int i = 0; i < 120; ++i) {
    for (takt_world* const one : {expected, world}) {
      if (i % 30 == 0) {
        ASSERT_EQ(takt_world_move(one, bob, walk, 0.5, i >= 60, i == 30), TAKT_OK);
      }
      ASSERT_EQ(takt_world_step(one, 1), TAKT_OK);
    }
    ASSERT_EQ(std::memcmp(ours.data, theirs.data, 9 * 24), 0) << i;
    if (i == 70) {
      ASSERT_EQ(takt_world_fork(world, &fork), TAKT_OK);
    }
  }
  // It is more than 2 m from its start, as at least a second of 3 m/s on the ground says.
  auto const* const raw = static_cast<const std::int64_t*>(ours.data) + 8 * 3;
  double const x = static_cast<double>(raw[0]) * 0x1p-32 + 3;
  double const z = static_cast<double>(raw[2]) * 0x1p-32 - 3;
  EXPECT_GT(x * x + z * z, 4.0);
  EXPECT_EQ(world_image_of(saved(world)), world_image_of(saved(expected)));
  ASSERT_EQ(takt_world_step(fork, 19), TAKT_OK);  // of tick 71
  ASSERT_EQ(takt_world_move(fork, bob, walk, 0.5, 1, 0), TAKT_OK);
  ASSERT_EQ(takt_world_step(fork, 30), TAKT_OK);
  EXPECT_EQ(hash_of(fork), hash_of(world));
  std::vector<std::byte> const image = saved(world);
  ASSERT_EQ(takt_world_despawn(fork, bob), TAKT_OK);
  EXPECT_EQ(takt_world_move(fork, bob, walk, 0, 0, 0), TAKT_ERROR_REFUSED + 11);
  ASSERT_EQ(takt_world_restore(fork, image.data(), image.size()), TAKT_OK);
  for (takt_world* const one : {fork, world}) ASSERT_EQ(takt_world_step(one, 60), TAKT_OK);
  EXPECT_EQ(hash_of(fork), hash_of(world));
  for (takt_world* const one : {fork, world, expected}) EXPECT_EQ(takt_world_destroy(one), TAKT_OK);
}

TEST_P(CWorldTest, TheTuningOfANewMoverIsTheDefaultWithoutOne) {
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < 4; ++i) {
    takt_world* const world = make_world(GetParam());
    auto def = sized<takt_mover_def>();
    ASSERT_EQ(takt_mover_defaults(&def), TAKT_OK);
    auto tuning = sized<takt_mover_tuning>();
    tuning.jump_speed = 9;  // not selected but in the last world
    if (i == 2) {
      tuning.fields = TAKT_MOVER_MAX_SPEED | TAKT_MOVER_SKIN;
      tuning.max_speed = 6;
      tuning.skin = 0.01;
    }
    if (i == 3) tuning.fields = TAKT_MOVER_JUMP_SPEED;
    std::uint64_t body = 0;
    ASSERT_EQ(takt_world_create_mover(world, &def, i == 0 ? nullptr : &tuning, &body), TAKT_OK);
    hashes.push_back(hash_of(world));
    EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  }
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
  EXPECT_NE(hashes[3], hashes[0]);
}

TEST_P(CWorldTest, ABatchRollsBackTheWorldsOfAMaskAndPadsItsArrays) {
  takt_scene* const scene = load();
  auto options = sized<takt_batch_options>();
  options.numbers = GetParam();
  options.world_count = 5;
  options.threads = 2;
  takt_batch* batch = nullptr;
  ASSERT_EQ(takt_batch_create(scene, &options, &batch), TAKT_OK);
  takt_snapshot* start = nullptr;
  takt_snapshot* one = nullptr;
  takt_world* second = nullptr;
  ASSERT_EQ(takt_batch_world(batch, 1, &second), TAKT_OK);
  ASSERT_EQ(takt_batch_capture(batch, &start), TAKT_OK);
  ASSERT_EQ(takt_world_capture(second, &one), TAKT_OK);
  std::vector<std::uint64_t> before(5);
  std::vector<std::uint64_t> after(5);
  std::vector<std::uint64_t> now(5);
  ASSERT_EQ(takt_batch_hashes(batch, before.data()), TAKT_OK);
  ASSERT_EQ(takt_batch_step(batch, 9, nullptr), TAKT_OK);
  ASSERT_EQ(takt_batch_hashes(batch, after.data()), TAKT_OK);
  std::uint8_t const mask[5] = {0, 1, 0, 0, 1};
  for (takt_snapshot* const from : {start, one}) {
    ASSERT_EQ(takt_batch_rollback(batch, from, mask), TAKT_OK);
    ASSERT_EQ(takt_batch_hashes(batch, now.data()), TAKT_OK);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(now[i], mask[i] != 0 ? before[i] : after[i]);
    ASSERT_EQ(takt_batch_step(batch, 9, mask), TAKT_OK);
    ASSERT_EQ(takt_batch_hashes(batch, now.data()), TAKT_OK);
    EXPECT_EQ(now, after);
  }
  auto view = sized<takt_view>();
  takt_array* held = nullptr;
  ASSERT_EQ(takt_batch_array(batch, TAKT_POSITIONS, &view, &held), TAKT_OK);
  EXPECT_EQ(view.dimensions, 3u);
  EXPECT_EQ(view.shape[0], 5u);
  EXPECT_EQ(view.shape[1], 8u);
  auto spawn = sized<takt_spawn>();
  ASSERT_EQ(takt_spawn_defaults(&spawn), TAKT_OK);
  spawn.position[1] = 30;
  std::uint64_t spawned = 0;
  ASSERT_EQ(takt_world_spawn(second, &spawn, &spawned), TAKT_OK);
  ASSERT_EQ(takt_batch_array(batch, TAKT_POSITIONS, &view, nullptr), TAKT_OK);
  ASSERT_EQ(view.shape[1], 9u);
  auto const* const data = static_cast<const double*>(view.data);
  auto const y = [&](std::size_t world, std::size_t row) { return data[world * 27 + row * 3 + 1]; };
  EXPECT_EQ(y(1, 8), 30.0);
  EXPECT_EQ(y(0, 8), 0.0);
  EXPECT_EQ(takt_array_destroy(held), TAKT_OK);
  EXPECT_EQ(takt_batch_destroy(batch), TAKT_OK);
  EXPECT_EQ(takt_snapshot_destroy(start), TAKT_OK);
  EXPECT_EQ(takt_snapshot_destroy(one), TAKT_OK);
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
}

TEST(CWorld, QueriesContactsAndEvents) {
  takt_world* const world = make_world();
  ASSERT_EQ(takt_world_step(world, 30), TAKT_OK);
  takt_query queries[4]{};
  for (takt_query& query : queries) {
    query.mode = TAKT_MODE_CLOSEST;
    query.rotation[3] = 1;
    query.dimensions[0] = 0.4;
    query.shape = TAKT_SHAPE_SPHERE;
  }
  queries[0].kind = TAKT_QUERY_RAY;
  queries[0].position[1] = 0.5;
  queries[0].position[2] = -5;
  queries[0].translation[2] = 10;
  queries[1].kind = TAKT_QUERY_OVERLAP;
  queries[1].mode = TAKT_MODE_ALL;
  queries[1].position[1] = 0.9;
  queries[2].kind = TAKT_QUERY_CLOSEST;
  queries[2].position[1] = 0.5;
  queries[2].position[2] = -2;
  queries[2].max_distance = 1.6;
  queries[2].ignore = body_of(world, "ground");
  queries[3].kind = TAKT_QUERY_CAST;
  queries[3].position[1] = 40;
  queries[3].translation[1] = -1;
  takt_answer answers[4]{};
  takt_hit hits[8]{};
  std::size_t count = 0;
  ASSERT_EQ(takt_world_query(world, queries, 4, answers, hits, 8, &count), TAKT_OK) << takt_last_error();
  std::uint64_t const box = body_of(world, "box");
  EXPECT_EQ(answers[0].found, 1u);
  EXPECT_EQ(hits[0].body, box);
  EXPECT_NEAR(hits[0].fraction, 0.45, 1e-3);  // the face is at z = -0.5, and the box has moved a little
  EXPECT_EQ(answers[1].found, 1u);
  EXPECT_EQ(answers[2].hit_count, 1u);
  EXPECT_EQ(hits[answers[2].first_hit].body, box);
  EXPECT_EQ(answers[3].found, 0u);
  // A short list gets the first hits, and the count of all.
  takt_hit first{};
  std::size_t again = 0;
  ASSERT_EQ(takt_world_query(world, queries, 4, answers, &first, 1, &again), TAKT_OK);
  EXPECT_EQ(again, count);
  EXPECT_EQ(first.body, hits[0].body);
  EXPECT_EQ(first.shape, hits[0].shape);
  EXPECT_EQ(first.fraction, hits[0].fraction);

  std::size_t contact_count = 0;
  ASSERT_EQ(takt_world_contacts(world, nullptr, 0, &contact_count), TAKT_OK);
  ASSERT_GE(contact_count, 4u);
  std::vector<takt_contact> contacts(contact_count);
  ASSERT_EQ(takt_world_contacts(world, contacts.data(), contacts.size(), &contact_count), TAKT_OK);
  EXPECT_TRUE(std::ranges::any_of(contacts, [&](const takt_contact& c) { return c.body_b == box; }));
  std::size_t event_count = 0;
  ASSERT_EQ(takt_world_events(world, nullptr, 0, &event_count), TAKT_OK);
  std::vector<takt_event> events(event_count);
  ASSERT_EQ(takt_world_events(world, events.data(), events.size(), &event_count), TAKT_OK);
  auto const begin = std::ranges::find(events, std::uint32_t{TAKT_EVENT_CONTACT_BEGIN}, &takt_event::kind);
  ASSERT_NE(begin, events.end());
  EXPECT_NE(begin->body_a, 0u);
  EXPECT_GE(begin->tick, 1u);
  ASSERT_EQ(takt_world_step(world, 1), TAKT_OK);
  ASSERT_EQ(takt_world_events(world, nullptr, 0, &again), TAKT_OK);
  EXPECT_LT(again, event_count);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

TEST(CWorld, NamesAndTextsOfFailures) {
  takt_world* const world = make_world();
  std::uint64_t id = 0;
  EXPECT_EQ(takt_world_find_body(world, "twin", 4, &id), TAKT_ERROR_NAME);
  EXPECT_STREQ(takt_last_error(), "takt_world_find_body: more than one thing has the name twin");
  EXPECT_EQ(takt_world_find_body(world, "", 0, &id), TAKT_ERROR_NAME);
  EXPECT_EQ(takt_world_find_joint(world, "box", 3, &id), TAKT_ERROR_NAME);
  ASSERT_EQ(takt_world_despawn(world, body_of(world, "box")), TAKT_OK);
  EXPECT_EQ(takt_world_find_body(world, "box", 3, &id), TAKT_ERROR_NAME);
  EXPECT_STREQ(takt_last_error(), "takt_world_find_body: box no longer exists");
  takt_scene* scene = nullptr;
  std::string_view const bad = "{\n \"bodies\": [ { \"shapes\": [ { \"sphere\": { \"radius\": -1 } } ] } ] }";
  EXPECT_EQ(takt_scene_parse(bad.data(), bad.size(), "bad.json", 8, &scene), TAKT_ERROR_SCENE);
  EXPECT_TRUE(std::string_view(takt_last_error()).starts_with("takt_scene_parse: bad.json:2: "))
      << takt_last_error();
  EXPECT_EQ(takt_abi_version(), std::uint32_t{TAKT_ABI_VERSION});
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

TEST(CWorld, AStepThatIsStoppedHasWholeTicks) {
  auto const after_five = [](void* context) { return std::uint32_t{++*static_cast<int*>(context) >= 5}; };
  takt_world* const stopped = make_world();
  takt_world* const whole = make_world();
  int calls = 0;
  takt_view const positions = view_of(stopped, TAKT_POSITIONS);
  EXPECT_EQ(takt_world_step_until(stopped, 100, after_five, &calls), TAKT_ERROR_STOPPED);
  EXPECT_EQ(calls, 5);
  ASSERT_EQ(takt_world_step(whole, 5), TAKT_OK);
  EXPECT_EQ(hash_of(stopped), hash_of(whole));
  takt_view const expected = view_of(whole, TAKT_POSITIONS);
  EXPECT_EQ(std::memcmp(positions.data, expected.data, expected.shape[0] * 24), 0);
  calls = 0;
  EXPECT_EQ(takt_world_step_until(stopped, 5, after_five, &calls), TAKT_OK);  // not after the last tick
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(takt_world_step_until(whole, 5, nullptr, nullptr), TAKT_OK);
  EXPECT_EQ(hash_of(stopped), hash_of(whole));
  EXPECT_EQ(takt_world_destroy(stopped), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(whole), TAKT_OK);
}

}  // namespace
}  // namespace takt::test
