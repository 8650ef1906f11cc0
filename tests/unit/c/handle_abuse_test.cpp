// Every function of takt.h with null, foreign and destroyed handles, null pointers and hostile numbers.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/unit/c/c_scene.h"

namespace takt::test {
namespace {

constexpr double kAbuseNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kZero[4] = {0, 0, 0, 1};

template <class Handle>
Handle* as(void* handle) {
  return static_cast<Handle*>(handle);
}

// One call of each function with a handle; the other arguments are valid, or null where `out` is false.
using HandleCall = std::function<takt_status(void* handle, bool out)>;

struct Outputs {
  std::uint64_t id = 0;
  std::uint64_t ids[8] = {};
  std::size_t count = 0;
  double value = 0;
  double rate = 0;
  const void* data = nullptr;
  takt_world* world = nullptr;
  takt_snapshot* snapshot = nullptr;
  std::uint8_t key[TAKT_KEY_BYTES] = {};
  takt_answer answer{};
  takt_world_info info = sized<takt_world_info>();
  takt_view view = sized<takt_view>();
  takt_spawn spawn = sized<takt_spawn>();
  takt_joint_change joint_change = sized<takt_joint_change>();
  takt_joint_def joint_def = sized<takt_joint_def>();
  takt_body_change body_change = sized<takt_body_change>();
  takt_shape_change shape_change = sized<takt_shape_change>();
  takt_mover_tuning tuning = sized<takt_mover_tuning>();
  takt_mover_def mover_def = sized<takt_mover_def>();
  takt_rope_def rope_def = sized<takt_rope_def>();
  takt_world_options options = sized<takt_world_options>();
  takt_batch_options batch_options = sized<takt_batch_options>();
  takt_recording_info recording_info = sized<takt_recording_info>();
  takt_verify_report report = sized<takt_verify_report>();
  takt_service_info service_info = sized<takt_service_info>();
  takt_batch* batch = nullptr;
  takt_query query{};
};

template <class T>
T* if_out(bool out, T& value) {
  return out ? &value : nullptr;
}

std::map<std::string, HandleCall> handle_calls(Outputs& o) {
  o.batch_options.world_count = 2;
  using W = takt_world;
  using B = takt_batch;
  using R = takt_recording;
  using S = takt_service;
  return {
      {"takt_scene_destroy", [](void* h, bool) { return takt_scene_destroy(as<takt_scene>(h)); }},
      {"takt_world_create",
       [&](void* h, bool out) {
         return takt_world_create(as<takt_scene>(h), &o.options, if_out(out, o.world));
       }},
      {"takt_batch_create",
       [&](void* h, bool out) {
         return takt_batch_create(as<takt_scene>(h), if_out(out, o.batch_options), if_out(out, o.batch));
       }},
      {"takt_world_fork", [&](void* h, bool out) { return takt_world_fork(as<W>(h), if_out(out, o.world)); }},
      {"takt_world_destroy", [](void* h, bool) { return takt_world_destroy(as<W>(h)); }},
      {"takt_world_step", [](void* h, bool) { return takt_world_step(as<W>(h), 1); }},
      {"takt_world_get_info",
       [&](void* h, bool out) { return takt_world_get_info(as<W>(h), if_out(out, o.info)); }},
      {"takt_world_hash", [&](void* h, bool out) { return takt_world_hash(as<W>(h), if_out(out, o.id)); }},
      {"takt_world_find_body",
       [&](void* h, bool out) { return takt_world_find_body(as<W>(h), "box", 3, if_out(out, o.id)); }},
      {"takt_world_find_joint",
       [&](void* h, bool out) { return takt_world_find_joint(as<W>(h), "slide", 5, if_out(out, o.id)); }},
      {"takt_world_list_joints",
       [&](void* h, bool out) { return takt_world_list_joints(as<W>(h), o.ids, 8, if_out(out, o.count)); }},
      {"takt_world_list_ropes",
       [&](void* h, bool out) { return takt_world_list_ropes(as<W>(h), o.ids, 8, if_out(out, o.count)); }},
      {"takt_world_joint_state",
       [&](void* h, bool out) {
         return takt_world_joint_state(as<W>(h), o.ids[0], 0, if_out(out, o.value), if_out(out, o.rate));
       }},
      {"takt_world_array",
       [&](void* h, bool out) {
         return takt_world_array(as<W>(h), TAKT_POSITIONS, if_out(out, o.view), nullptr);
       }},
      {"takt_array_destroy", [](void* h, bool) { return takt_array_destroy(as<takt_array>(h)); }},
      {"takt_world_impulse",
       [&](void* h, bool out) {
         return takt_world_impulse(as<W>(h), o.ids[1], out ? kZero : nullptr, nullptr);
       }},
      {"takt_world_force",
       [&](void* h, bool out) {
         return takt_world_force(as<W>(h), o.ids[1], out ? kZero : nullptr, nullptr, 1);
       }},
      {"takt_world_teleport",
       [&](void* h, bool) {
         return takt_world_teleport(as<W>(h), o.ids[1], nullptr, nullptr, nullptr, nullptr);
       }},
      {"takt_world_spawn",
       [&](void* h, bool out) {
         (void)takt_spawn_defaults(&o.spawn);
         return takt_world_spawn(as<W>(h), if_out(out, o.spawn), if_out(out, o.id));
       }},
      {"takt_world_despawn", [&](void* h, bool) { return takt_world_despawn(as<W>(h), o.ids[1]); }},
      {"takt_world_move",
       [&](void* h, bool out) {
         return takt_world_move(as<W>(h), o.ids[2], out ? kZero : nullptr, 0, 0, 0);
       }},
      {"takt_world_cut_rope", [&](void* h, bool) { return takt_world_cut_rope(as<W>(h), o.ids[3], 1); }},
      {"takt_world_joint_motor",
       [&](void* h, bool) { return takt_world_joint_motor(as<W>(h), o.ids[0], 0, 1, 1); }},
      {"takt_world_joint_drive",
       [&](void* h, bool) { return takt_world_joint_drive(as<W>(h), o.ids[0], 0, 1, 0, 1, 1, 1); }},
      {"takt_world_joint_limit",
       [&](void* h, bool) { return takt_world_joint_limit(as<W>(h), o.ids[0], 0, -1, 1); }},
      {"takt_world_change_joint",
       [&](void* h, bool out) {
         return takt_world_change_joint(as<W>(h), o.ids[0], if_out(out, o.joint_change));
       }},
      {"takt_world_joint_friction",
       [&](void* h, bool) { return takt_world_joint_friction(as<W>(h), o.ids[0], 0, 1); }},
      {"takt_world_joint_enable",
       [&](void* h, bool) { return takt_world_joint_enable(as<W>(h), o.ids[0], 1); }},
      {"takt_world_destroy_joint",
       [&](void* h, bool) { return takt_world_destroy_joint(as<W>(h), o.ids[0]); }},
      {"takt_world_create_joint",
       [&](void* h, bool out) {
         return takt_world_create_joint(as<W>(h), if_out(out, o.joint_def), if_out(out, o.id));
       }},
      {"takt_world_change_body",
       [&](void* h, bool out) {
         return takt_world_change_body(as<W>(h), o.ids[1], if_out(out, o.body_change));
       }},
      {"takt_world_set_target",
       [&](void* h, bool out) {
         return takt_world_set_target(as<W>(h), o.ids[1], out ? kZero : nullptr, out ? kZero : nullptr);
       }},
      {"takt_world_list_shapes",
       [&](void* h, bool out) {
         return takt_world_list_shapes(as<W>(h), o.ids[1], o.ids, 8, if_out(out, o.count));
       }},
      {"takt_world_change_shape",
       [&](void* h, bool out) {
         return takt_world_change_shape(as<W>(h), o.ids[0], if_out(out, o.shape_change));
       }},
      {"takt_world_tune_mover",
       [&](void* h, bool out) { return takt_world_tune_mover(as<W>(h), o.ids[1], if_out(out, o.tuning)); }},
      {"takt_world_create_mover",
       [&](void* h, bool out) {
         return takt_world_create_mover(as<W>(h), if_out(out, o.mover_def), nullptr, if_out(out, o.id));
       }},
      {"takt_world_create_rope",
       [&](void* h, bool out) {
         return takt_world_create_rope(as<W>(h), if_out(out, o.rope_def), nullptr, if_out(out, o.id));
       }},
      {"takt_world_destroy_rope", [&](void* h, bool) { return takt_world_destroy_rope(as<W>(h), o.ids[0]); }},
      {"takt_world_rope_length",
       [&](void* h, bool) { return takt_world_rope_length(as<W>(h), o.ids[0], 1); }},
      {"takt_world_pin_rope",
       [&](void* h, bool) { return takt_world_pin_rope(as<W>(h), o.ids[0], 0, 0, nullptr); }},
      {"takt_world_unpin_rope", [&](void* h, bool) { return takt_world_unpin_rope(as<W>(h), o.ids[0], 0); }},
      {"takt_world_grab",
       [&](void* h, bool out) {
         return takt_world_grab(as<W>(h), o.ids[1], nullptr, out ? kZero : nullptr, 1);
       }},
      {"takt_world_move_grab",
       [&](void* h, bool out) { return takt_world_move_grab(as<W>(h), out ? kZero : nullptr); }},
      {"takt_world_release", [&](void* h, bool) { return takt_world_release(as<W>(h)); }},
      {"takt_world_capture",
       [&](void* h, bool out) { return takt_world_capture(as<W>(h), if_out(out, o.snapshot)); }},
      {"takt_world_capture_into",
       [&](void* h, bool out) { return takt_world_capture_into(as<W>(h), out ? o.snapshot : nullptr); }},
      {"takt_world_rollback",
       [&](void* h, bool out) { return takt_world_rollback(as<W>(h), out ? o.snapshot : nullptr); }},
      {"takt_snapshot_destroy", [](void* h, bool) { return takt_snapshot_destroy(as<takt_snapshot>(h)); }},
      {"takt_snapshot_info",
       [](void* h, bool) { return takt_snapshot_info(as<takt_snapshot>(h), nullptr, nullptr); }},
      {"takt_world_save",
       [&](void* h, bool out) {
         return takt_world_save(as<W>(h), if_out(out, o.data), if_out(out, o.count));
       }},
      {"takt_world_restore",
       [&](void* h, bool out) { return takt_world_restore(as<W>(h), out ? o.data : nullptr, o.count); }},
      {"takt_world_query",
       [&](void* h, bool out) {
         return takt_world_query(as<W>(h), &o.query, 1, if_out(out, o.answer), nullptr, 0, &o.count);
       }},
      {"takt_world_contacts",
       [&](void* h, bool out) { return takt_world_contacts(as<W>(h), nullptr, 0, if_out(out, o.count)); }},
      {"takt_world_events",
       [&](void* h, bool out) { return takt_world_events(as<W>(h), nullptr, 0, if_out(out, o.count)); }},
      {"takt_batch_destroy", [](void* h, bool) { return takt_batch_destroy(as<B>(h)); }},
      {"takt_batch_world",
       [&](void* h, bool out) { return takt_batch_world(as<B>(h), 0, if_out(out, o.world)); }},
      {"takt_batch_step", [](void* h, bool) { return takt_batch_step(as<B>(h), 1, nullptr); }},
      {"takt_batch_hashes",
       [&](void* h, bool out) { return takt_batch_hashes(as<B>(h), out ? o.ids : nullptr); }},
      {"takt_batch_array",
       [&](void* h, bool out) {
         return takt_batch_array(as<B>(h), TAKT_POSITIONS, if_out(out, o.view), nullptr);
       }},
      {"takt_batch_capture",
       [&](void* h, bool out) { return takt_batch_capture(as<B>(h), if_out(out, o.snapshot)); }},
      {"takt_batch_rollback",
       [&](void* h, bool out) { return takt_batch_rollback(as<B>(h), out ? o.snapshot : nullptr, nullptr); }},
      {"takt_batch_force",
       [&](void* h, bool out) {
         return takt_batch_force(as<B>(h), out ? o.ids : nullptr, kZero, nullptr, 1, nullptr);
       }},
      {"takt_batch_teleport",
       [&](void* h, bool out) {
         return takt_batch_teleport(as<B>(h), out ? o.ids : nullptr, nullptr, nullptr, nullptr, nullptr,
                                    nullptr);
       }},
      {"takt_world_record",
       [](void* h, bool out) { return takt_world_record(as<W>(h), out ? "abuse.takt" : nullptr, 10); }},
      {"takt_world_record_stop", [](void* h, bool) { return takt_world_record_stop(as<W>(h)); }},
      {"takt_recording_destroy", [](void* h, bool) { return takt_recording_destroy(as<R>(h)); }},
      {"takt_recording_get_info",
       [&](void* h, bool out) { return takt_recording_get_info(as<R>(h), if_out(out, o.recording_info)); }},
      {"takt_recording_verify",
       [&](void* h, bool out) { return takt_recording_verify(as<R>(h), 1, if_out(out, o.report)); }},
      {"takt_recording_world",
       [&](void* h, bool out) { return takt_recording_world(as<R>(h), 0, nullptr, if_out(out, o.world)); }},
      {"takt_service_destroy", [](void* h, bool) { return takt_service_destroy(as<S>(h)); }},
      {"takt_world_step_until",
       [](void* h, bool) { return takt_world_step_until(as<W>(h), 1, nullptr, nullptr); }},
      {"takt_batch_step_until",
       [](void* h, bool) { return takt_batch_step_until(as<B>(h), 1, nullptr, nullptr, nullptr); }},
      {"takt_world_key", [&](void* h, bool out) { return takt_world_key(as<W>(h), out ? o.key : nullptr); }},
      {"takt_batch_key", [&](void* h, bool out) { return takt_batch_key(as<B>(h), out ? o.key : nullptr); }},
      {"takt_service_attach_world",
       [&](void* h, bool out) { return takt_service_attach_world(as<S>(h), o.key, if_out(out, o.world)); }},
      {"takt_service_attach_batch",
       [&](void* h, bool out) { return takt_service_attach_batch(as<S>(h), o.key, if_out(out, o.batch)); }},
      {"takt_service_set_stop",
       [](void* h, bool) { return takt_service_set_stop(as<S>(h), nullptr, nullptr); }},
      {"takt_service_get_info",
       [&](void* h, bool out) { return takt_service_get_info(as<S>(h), if_out(out, o.service_info)); }},
      {"takt_service_world",
       [&](void* h, bool out) {
         return takt_service_world(as<S>(h), nullptr, nullptr, if_out(out, o.world));
       }},
      {"takt_service_world_from_image",
       [&](void* h, bool out) {
         return takt_service_world_from_image(as<S>(h), "x", 1, nullptr, nullptr, if_out(out, o.world));
       }},
      {"takt_service_batch",
       [&](void* h, bool out) {
         o.batch_options.world_count = 2;
         return takt_service_batch(as<S>(h), nullptr, &o.batch_options, if_out(out, o.batch));
       }},
  };
}

// Functions whose first argument is no handle; other tests of this file call them.
const std::set<std::string> kWithoutHandle{
    "takt_abi_version",        "takt_version",        "takt_last_error",
    "takt_scene_parse",        "takt_scene_load",     "takt_spawn_defaults",
    "takt_joint_defaults",     "takt_rope_defaults",  "takt_mover_defaults",
    "takt_world_from_image",   "takt_recording_open", "takt_connect",  // service_host_test.cpp
    "takt_stop_on_main_thread"};                                       // service_stop_test.cpp

TEST(CHandleAbuse, TheTableHasEveryFunctionOfTheHeader) {
  std::ifstream file(TAKT_SOURCE_DIR "/include/takt/c/takt.h");
  std::stringstream text;
  text << file.rdbuf();
  std::string const header = text.str();
  static const std::regex kFunction("TAKT_API [^;(]*\\b(takt_\\w+)\\(");
  Outputs outputs;
  std::set<std::string> tested = kWithoutHandle;
  for (auto const& [name, call] : handle_calls(outputs)) tested.insert(name);
  std::set<std::string> declared;
  for (std::sregex_iterator at(header.begin(), header.end(), kFunction), end; at != end; ++at)
    declared.insert((*at)[1]);
  EXPECT_EQ(declared, tested);
}

TEST(CHandleAbuse, NullForeignAndDestroyedHandlesAreRefused) {
  Outputs outputs;
  takt_world* const gone = make_world();
  ASSERT_EQ(takt_world_destroy(gone), TAKT_OK);
  takt_scene* const gone_scene = load();
  ASSERT_EQ(takt_scene_destroy(gone_scene), TAKT_OK);
  int local = 0;
  std::vector<void*> const foreign{
      &local,
      gone,
      gone_scene,
      reinterpret_cast<void*>(1),                    // NOLINT(performance-no-int-to-ptr)
      reinterpret_cast<void*>(-1),                   // NOLINT(performance-no-int-to-ptr)
      reinterpret_cast<void*>(0x2000000000000001)};  // NOLINT(performance-no-int-to-ptr)
  for (auto const& [name, call] : handle_calls(outputs)) {
    bool const is_destroy = name.ends_with("_destroy");
    for (bool const out : {false, true}) {
      EXPECT_EQ(call(nullptr, out), is_destroy ? TAKT_OK : TAKT_ERROR_NULL) << name;
      for (void* const handle : foreign) {
        takt_status const status = call(handle, out);
        // A function that checks its pointers first may name them.
        EXPECT_TRUE(status == TAKT_ERROR_HANDLE || (!out && status == TAKT_ERROR_NULL)) << name << status;
        EXPECT_TRUE(std::string_view(takt_last_error()).starts_with(name + ": ")) << takt_last_error();
      }
    }
  }
}

TEST(CHandleAbuse, AHandleOfAnotherKindIsRefused) {
  Outputs outputs;
  takt_world* const world = make_world();
  takt_scene* const scene = load();
  for (auto const& [name, call] : handle_calls(outputs)) {
    bool const wants_scene = name == "takt_scene_destroy" || name.ends_with("_create");
    void* const other = wants_scene ? static_cast<void*>(world) : static_cast<void*>(scene);
    EXPECT_EQ(call(other, true), TAKT_ERROR_HANDLE) << name;
  }
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

TEST(CHandleAbuse, NullPointersBehindAGoodHandleAreRefusedAndChangeNothing) {
  Outputs outputs;
  takt_world* const world = make_world();
  outputs.ids[0] = joint_of(world, "slide");
  outputs.ids[1] = body_of(world, "ball");
  std::uint64_t const before = hash_of(world);
  // The calls that take no pointer but the handle, or accept null for each.
  std::set<std::string> const pure{
      "takt_world_step",         "takt_world_step_until",  "takt_world_teleport",
      "takt_world_despawn",      "takt_world_cut_rope",    "takt_world_joint_motor",
      "takt_world_joint_drive",  "takt_world_joint_limit", "takt_world_joint_friction",
      "takt_world_joint_enable", "takt_world_destroy",     "takt_world_destroy_joint",
      "takt_world_destroy_rope", "takt_world_rope_length", "takt_world_pin_rope",
      "takt_world_unpin_rope",   "takt_world_release",     "takt_world_record_stop"};
  for (auto const& [name, call] : handle_calls(outputs)) {
    if (!name.starts_with("takt_world_") || name == "takt_world_create" || pure.contains(name)) continue;
    EXPECT_EQ(call(world, false), TAKT_ERROR_NULL) << name;
  }
  EXPECT_EQ(hash_of(world), before);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);

  EXPECT_EQ(takt_scene_parse(nullptr, 3, "x", 1, nullptr), TAKT_ERROR_NULL);
  takt_scene* scene = nullptr;
  EXPECT_EQ(takt_scene_parse(nullptr, 3, "x", 1, &scene), TAKT_ERROR_NULL);
  EXPECT_EQ(takt_scene_parse("{}", SIZE_MAX, "x", 1, &scene), TAKT_ERROR_RANGE);
  EXPECT_EQ(takt_scene_load(nullptr, 3, &scene), TAKT_ERROR_NULL);
  EXPECT_EQ(takt_scene_load("/", 1, &scene), TAKT_ERROR_FILE);
  EXPECT_EQ(takt_scene_load("no such file", 12, &scene), TAKT_ERROR_FILE);
  EXPECT_EQ(takt_spawn_defaults(nullptr), TAKT_ERROR_NULL);
  EXPECT_EQ(takt_rope_defaults(nullptr), TAKT_ERROR_NULL);
  EXPECT_EQ(takt_mover_defaults(nullptr), TAKT_ERROR_NULL);
  EXPECT_EQ(takt_joint_defaults(TAKT_JOINT_WELD, nullptr), TAKT_ERROR_NULL);
  takt_world* restored = nullptr;
  EXPECT_EQ(takt_world_from_image(nullptr, 9, nullptr, nullptr, &restored), TAKT_ERROR_NULL);
  EXPECT_EQ(takt_world_from_image("noimage", 7, nullptr, nullptr, &restored), TAKT_ERROR_SIM + 1);
  takt_recording* recording = nullptr;
  EXPECT_EQ(takt_recording_open(nullptr, 1, &recording), TAKT_ERROR_NULL);
  EXPECT_EQ(takt_recording_open("no such file", 12, &recording), TAKT_ERROR_FILE);
}

TEST(CHandleAbuse, HostileNumbersAreRefused) {
  takt_world* const world = make_world();
  std::uint64_t const box = body_of(world, "box");
  std::uint64_t const slide = joint_of(world, "slide");
  for (double const bad : {kAbuseNaN, kInfinity, -kInfinity, 1e300, -1e300, 1e10}) {
    double const vector[4] = {bad, 0, 0, 1};
    EXPECT_NE(takt_world_impulse(world, box, vector, nullptr), TAKT_OK) << bad;
    EXPECT_NE(takt_world_impulse(world, box, kZero, vector), TAKT_OK) << bad;
    EXPECT_NE(takt_world_force(world, box, vector, nullptr, 1), TAKT_OK) << bad;
    EXPECT_NE(takt_world_force(world, box, kZero, vector, 1), TAKT_OK) << bad;
    EXPECT_NE(takt_world_teleport(world, box, vector, nullptr, nullptr, nullptr), TAKT_OK) << bad;
    EXPECT_NE(takt_world_teleport(world, box, nullptr, vector, nullptr, nullptr), TAKT_OK) << bad;
    EXPECT_NE(takt_world_teleport(world, box, nullptr, nullptr, vector, nullptr), TAKT_OK) << bad;
    EXPECT_NE(takt_world_teleport(world, box, nullptr, nullptr, nullptr, vector), TAKT_OK) << bad;
    EXPECT_NE(takt_world_move(world, body_of(world, "ann"), vector, 0, 0, 0), TAKT_OK) << bad;
    EXPECT_NE(takt_world_move(world, body_of(world, "ann"), kZero, bad, 0, 0), TAKT_OK) << bad;
    std::uint64_t body = 0;
    for (int member = 0; member < 19; ++member) {
      auto spawn = sized<takt_spawn>();
      ASSERT_EQ(takt_spawn_defaults(&spawn), TAKT_OK);
      if (member == 1 || member == 2) continue;  // a sphere has one dimension
      // The numbers from `dimensions` to `restitution` follow one another without a gap.
      std::memcpy(reinterpret_cast<char*>(&spawn) + offsetof(takt_spawn, dimensions) + member * sizeof bad,
                  &bad, sizeof bad);
      EXPECT_NE(takt_world_spawn(world, &spawn, &body), TAKT_OK) << bad << " in number " << member;
    }
    takt_query query{};
    query.kind = TAKT_QUERY_RAY;
    query.mode = TAKT_MODE_ALL;
    query.translation[0] = bad;
    takt_answer answer{};
    std::size_t count = 0;
    ASSERT_EQ(takt_world_query(world, &query, 1, &answer, nullptr, 0, &count), TAKT_OK);
    EXPECT_NE(answer.status, TAKT_OK) << bad;
    query.translation[0] = 1;
    query.position[2] = bad;
    ASSERT_EQ(takt_world_query(world, &query, 1, &answer, nullptr, 0, &count), TAKT_OK);
    EXPECT_EQ(answer.status, TAKT_ERROR_RANGE) << bad;
  }
  EXPECT_EQ(takt_world_joint_motor(world, slide, 0, kAbuseNaN, 1), TAKT_ERROR_REFUSED + 8);
  EXPECT_EQ(takt_world_joint_limit(world, slide, 0, 1, -1), TAKT_ERROR_REFUSED + 27);
  EXPECT_NE(takt_world_joint_drive(world, slide, 0, 1, 0, kAbuseNaN, 1, 1), TAKT_OK);
  EXPECT_NE(takt_world_joint_friction(world, slide, 0, -1), TAKT_OK);
  for (double const bad : {kAbuseNaN, kInfinity, -kInfinity, 1e300, -1.0}) {
    for (double takt_joint_change::*const member :
         {&takt_joint_change::linear_frequency, &takt_joint_change::angular_damping_ratio,
          &takt_joint_change::max_force, &takt_joint_change::max_torque, &takt_joint_change::break_force,
          &takt_joint_change::break_torque}) {
      auto change = sized<takt_joint_change>();
      change.fields = TAKT_JOINT_LINEAR | TAKT_JOINT_ANGULAR | TAKT_JOINT_MAX_FORCE | TAKT_JOINT_MAX_TORQUE |
                      TAKT_JOINT_BREAK_FORCE | TAKT_JOINT_BREAK_TORQUE;
      change.linear_frequency = change.angular_frequency = change.max_force = change.max_torque = 1;
      change.break_force = change.break_torque = 1;
      change.*member = bad;
      bool const is_unbounded = bad > 1 && member != &takt_joint_change::linear_frequency &&
                                member != &takt_joint_change::angular_damping_ratio;
      if (!is_unbounded) {
        EXPECT_NE(takt_world_change_joint(world, slide, &change), TAKT_OK) << bad;
      }
    }
    auto change = sized<takt_joint_change>();
    change.fields = TAKT_JOINT_FRAME_B;
    change.rotation_b[3] = 1;
    change.position_b[2] = bad == -1.0 ? 1e10 : bad;
    EXPECT_NE(takt_world_change_joint(world, slide, &change), TAKT_OK) << bad;
  }
  auto wrong = sized<takt_joint_change>();
  wrong.fields = TAKT_JOINT_FRAME_A;  // with a rotation of zeros
  EXPECT_NE(takt_world_change_joint(world, slide, &wrong), TAKT_OK);
  wrong.fields = TAKT_JOINT_LOCKED;
  wrong.locked = 1u << 6u;
  EXPECT_EQ(takt_world_change_joint(world, slide, &wrong), TAKT_ERROR_RANGE);
  wrong.fields = 1u << 14u;
  EXPECT_EQ(takt_world_change_joint(world, slide, &wrong), TAKT_ERROR_RANGE);
  wrong.fields = TAKT_JOINT_COLLIDE_CONNECTED;
  wrong.collide_connected = 2;
  EXPECT_EQ(takt_world_change_joint(world, slide, &wrong), TAKT_ERROR_RANGE);
  wrong.size = 8;
  EXPECT_EQ(takt_world_change_joint(world, slide, &wrong), TAKT_ERROR_SIZE);
  for (std::uint32_t const bad : {8u, UINT32_MAX}) {
    double value = 0;
    EXPECT_EQ(takt_world_joint_motor(world, slide, bad, 1, 1), TAKT_ERROR_RANGE);
    EXPECT_EQ(takt_world_joint_state(world, slide, bad, &value, &value), TAKT_ERROR_RANGE);
    EXPECT_EQ(takt_world_joint_enable(world, slide, bad), TAKT_ERROR_RANGE);
    auto view = sized<takt_view>();
    EXPECT_EQ(takt_world_array(world, bad, &view, nullptr), TAKT_ERROR_RANGE);
    EXPECT_NE(takt_world_cut_rope(world, rope_of(world), bad), TAKT_OK);
    EXPECT_NE(takt_world_force(world, box, kZero, nullptr, bad == 8u ? 0u : bad), TAKT_OK);
    takt_query query{};
    query.kind = bad;
    query.mode = TAKT_MODE_ALL;
    takt_answer answer{};
    std::size_t count = 0;
    EXPECT_EQ(takt_world_query(world, &query, 1, &answer, nullptr, 0, &count), TAKT_OK);
    EXPECT_EQ(answer.status, TAKT_ERROR_RANGE);
    query.kind = TAKT_QUERY_OVERLAP;
    query.shape = bad;
    EXPECT_EQ(takt_world_query(world, &query, 1, &answer, nullptr, 0, &count), TAKT_OK);
    EXPECT_NE(answer.status, TAKT_OK);
  }
  for (std::uint64_t const id : {std::uint64_t{0}, std::uint64_t{77}, UINT64_MAX}) {
    double value = 0;
    EXPECT_NE(takt_world_impulse(world, id, kZero, nullptr), TAKT_OK);
    EXPECT_NE(takt_world_teleport(world, id, nullptr, nullptr, nullptr, nullptr), TAKT_OK);
    EXPECT_NE(takt_world_despawn(world, id), TAKT_OK);
    EXPECT_NE(takt_world_cut_rope(world, id, 0), TAKT_OK);
    EXPECT_NE(takt_world_destroy_joint(world, id), TAKT_OK);
    EXPECT_NE(takt_world_joint_state(world, id, 0, &value, &value), TAKT_OK);
  }
  EXPECT_EQ(takt_world_step(world, 1), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

// Each number of a struct of doubles, from the first to the last, as a bad one.
template <class Struct, class Give>
void give_bad_numbers(const Struct& good, std::size_t first, std::size_t last, const Give& give) {
  for (double const bad : {kAbuseNaN, kInfinity, -kInfinity, 1e300, -1e9}) {
    for (std::size_t at = first; at <= last; at += sizeof bad) {
      Struct made = good;
      std::memcpy(reinterpret_cast<char*>(&made) + at, &bad, sizeof bad);
      EXPECT_NE(give(made), TAKT_OK) << bad << " at byte " << at;
    }
  }
}

TEST(CHandleAbuse, ARefusedSpawnNamesItsMember) {
  takt_world* const world = make_world();
  auto const text_of = [&](auto&& change) {
    auto spawn = sized<takt_spawn>();
    EXPECT_EQ(takt_spawn_defaults(&spawn), TAKT_OK);
    change(spawn);
    std::uint64_t body = 0;
    EXPECT_NE(takt_world_spawn(world, &spawn, &body), TAKT_OK);
    return std::string(takt_last_error()).substr(std::string_view("takt_world_spawn: ").size());
  };
  EXPECT_EQ(text_of([](takt_spawn& s) { s.friction = 200; }), "friction is 200: allowed is 0 to 100");
  EXPECT_EQ(text_of([](takt_spawn& s) { s.restitution = kAbuseNaN; }),
            "restitution is nan: allowed is 0 to 1");
  EXPECT_EQ(text_of([](takt_spawn& s) { s.dimensions[0] = 0; }),
            "dimensions is 0: allowed is 0.005 to 10000");
  EXPECT_EQ(text_of([](takt_spawn& s) { s.density = -1; }), "density is -1: allowed is 0 to 1e+06");
  EXPECT_EQ(text_of([](takt_spawn& s) { s.angular_velocity[2] = 500; }),
            "angular_velocity is 500 long: allowed is a length of at most 400");
  EXPECT_EQ(text_of([](takt_spawn& s) { s.rotation[3] = 2; }),
            "rotation is 2 long: allowed is a length of 1 within 1 %");
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

TEST(CHandleAbuse, HostileDefinitionsAreRefused) {
  takt_world* const world = make_world();
  std::uint64_t const box = body_of(world, "box");
  std::uint64_t const ball = body_of(world, "ball");
  std::uint64_t id = 0;
  std::size_t count = 0;
  ASSERT_EQ(takt_world_list_shapes(world, box, &id, 1, &count), TAKT_OK);
  std::uint64_t const shape = id;
  EXPECT_EQ(takt_world_list_shapes(world, 0xdead, &id, 1, &count), TAKT_ERROR_PHYSICS + 10);

  auto body = sized<takt_body_change>();
  body.fields = TAKT_BODY_GRAVITY_SCALE | TAKT_BODY_DAMPING;
  give_bad_numbers(body, offsetof(takt_body_change, gravity_scale),
                   offsetof(takt_body_change, angular_damping),
                   [&](const auto& c) { return takt_world_change_body(world, box, &c); });
  body = sized<takt_body_change>();
  body.fields = TAKT_BODY_TYPE;
  body.type = 3;
  EXPECT_EQ(takt_world_change_body(world, box, &body), TAKT_ERROR_RANGE);
  body.fields = TAKT_BODY_ENABLED;
  body.enabled = 2;
  EXPECT_EQ(takt_world_change_body(world, box, &body), TAKT_ERROR_RANGE);
  body.fields = TAKT_BODY_LOCKED;
  body.locked = 64;
  EXPECT_EQ(takt_world_change_body(world, box, &body), TAKT_ERROR_RANGE);
  body.fields = 64;
  EXPECT_EQ(takt_world_change_body(world, box, &body), TAKT_ERROR_RANGE);
  body.size = 8;
  EXPECT_EQ(takt_world_change_body(world, box, &body), TAKT_ERROR_SIZE);

  auto shaped = sized<takt_shape_change>();
  shaped.fields = TAKT_SHAPE_FRICTION | TAKT_SHAPE_RESTITUTION | TAKT_SHAPE_SURFACE_VELOCITY;
  give_bad_numbers(shaped, offsetof(takt_shape_change, friction), sizeof shaped - sizeof(double),
                   [&](const auto& c) { return takt_world_change_shape(world, shape, &c); });
  shaped.fields = 16;
  EXPECT_EQ(takt_world_change_shape(world, shape, &shaped), TAKT_ERROR_RANGE);
  shaped.fields = 0;
  EXPECT_EQ(takt_world_change_shape(world, box ^ 0x5000000000, &shaped), TAKT_ERROR_REFUSED + 11);

  auto tuning = sized<takt_mover_tuning>();
  tuning.fields = 8191;
  tuning.skin = 0.01;
  give_bad_numbers(tuning, offsetof(takt_mover_tuning, max_slope), sizeof tuning - sizeof(double),
                   [&](const auto& t) { return takt_world_tune_mover(world, body_of(world, "ann"), &t); });
  tuning.fields = 8192;
  EXPECT_EQ(takt_world_tune_mover(world, body_of(world, "ann"), &tuning), TAKT_ERROR_RANGE);
  tuning.fields = 0;
  EXPECT_EQ(takt_world_tune_mover(world, box, &tuning), TAKT_ERROR_REFUSED + 23);

  auto mover = sized<takt_mover_def>();
  ASSERT_EQ(takt_mover_defaults(&mover), TAKT_OK);
  give_bad_numbers(mover, offsetof(takt_mover_def, position), offsetof(takt_mover_def, restitution),
                   [&](const auto& d) { return takt_world_create_mover(world, &d, nullptr, &id); });
  tuning.fields = 8191;
  give_bad_numbers(tuning, offsetof(takt_mover_tuning, max_slope), sizeof tuning - sizeof(double),
                   [&](const auto& t) { return takt_world_create_mover(world, &mover, &t, &id); });
  tuning.fields = 8192;
  EXPECT_EQ(takt_world_create_mover(world, &mover, &tuning, &id), TAKT_ERROR_RANGE);
  tuning.size = 8;
  EXPECT_EQ(takt_world_create_mover(world, &mover, &tuning, &id), TAKT_ERROR_SIZE);
  EXPECT_EQ(takt_world_create_mover(world, &mover, nullptr, nullptr), TAKT_ERROR_NULL);
  mover.size = 8;
  EXPECT_EQ(takt_world_create_mover(world, &mover, nullptr, &id), TAKT_ERROR_SIZE);
  EXPECT_EQ(takt_mover_defaults(&mover), TAKT_ERROR_SIZE);

  auto rope = sized<takt_rope_def>();
  ASSERT_EQ(takt_rope_defaults(&rope), TAKT_OK);
  rope.compliant = 1;
  give_bad_numbers(rope, offsetof(takt_rope_def, start), offsetof(takt_rope_def, mass),
                   [&](const auto& d) { return takt_world_create_rope(world, &d, nullptr, &id); });
  give_bad_numbers(rope, offsetof(takt_rope_def, compliance), offsetof(takt_rope_def, friction),
                   [&](const auto& d) { return takt_world_create_rope(world, &d, nullptr, &id); });
  for (std::uint32_t const nodes : {0u, 1u, 4097u, UINT32_MAX}) {
    rope.node_count = nodes;
    EXPECT_EQ(takt_world_create_rope(world, &rope, nullptr, &id), TAKT_ERROR_RANGE);
  }
  rope.node_count = 2;
  double const points[6] = {0, 1, 0, kAbuseNaN, 2, 0};
  EXPECT_EQ(takt_world_create_rope(world, &rope, points, &id), TAKT_ERROR_RANGE);
  rope.collides = 2;
  EXPECT_EQ(takt_world_create_rope(world, &rope, nullptr, &id), TAKT_ERROR_RANGE);
  std::uint64_t const own = rope_of(world);
  EXPECT_NE(takt_world_rope_length(world, own, kAbuseNaN), TAKT_OK);
  EXPECT_NE(takt_world_pin_rope(world, own, 77, 0, nullptr), TAKT_OK);
  EXPECT_NE(takt_world_pin_rope(world, own, 1, 0xdead, nullptr), TAKT_OK);
  EXPECT_EQ(takt_world_pin_rope(world, own, 1, 0, points + 3), TAKT_ERROR_RANGE);
  EXPECT_NE(takt_world_unpin_rope(world, own, 77), TAKT_OK);
  EXPECT_EQ(takt_world_destroy_rope(world, 0xdead), TAKT_ERROR_REFUSED + 24);

  auto joint = sized<takt_joint_def>();
  EXPECT_EQ(takt_joint_defaults(0, &joint), TAKT_ERROR_RANGE);
  EXPECT_EQ(takt_joint_defaults(14, &joint), TAKT_ERROR_RANGE);
  ASSERT_EQ(takt_joint_defaults(TAKT_JOINT_PULLEY, &joint), TAKT_OK);
  joint.body_a = box;
  joint.body_b = ball;
  joint.length = 2;
  for (std::size_t const at : {offsetof(takt_joint_def, position_a), offsetof(takt_joint_def, rotation_b),
                               offsetof(takt_joint_def, linear_frequency), offsetof(takt_joint_def, length),
                               offsetof(takt_joint_def, ratio), offsetof(takt_joint_def, ground_b)})
    give_bad_numbers(joint, at, at, [&](const auto& d) { return takt_world_create_joint(world, &d, &id); });
  for (std::size_t const at : {offsetof(takt_joint_def, max_force), offsetof(takt_joint_def, break_force)}) {
    for (double const bad : {kAbuseNaN, -1.0}) {
      takt_joint_def made = joint;
      std::memcpy(reinterpret_cast<char*>(&made) + at, &bad, sizeof bad);
      EXPECT_NE(takt_world_create_joint(world, &made, &id), TAKT_OK) << bad << " at byte " << at;
    }
  }
  for (std::size_t const at : {offsetof(takt_joint_def, kind), offsetof(takt_joint_def, locked),
                               offsetof(takt_joint_def, collide_connected), offsetof(takt_joint_def, enabled),
                               offsetof(takt_joint_def, direct), offsetof(takt_joint_def, axis_1)}) {
    takt_joint_def made = joint;
    std::uint32_t const bad = 64;
    std::memcpy(reinterpret_cast<char*>(&made) + at, &bad, sizeof bad);
    EXPECT_EQ(takt_world_create_joint(world, &made, &id), TAKT_ERROR_RANGE) << "at byte " << at;
  }
  joint.body_b = box;
  id = 7;
  EXPECT_NE(takt_world_create_joint(world, &joint, &id), TAKT_OK);
  EXPECT_EQ(id, 7u) << "a refused call writes no id";
  ASSERT_EQ(takt_joint_defaults(TAKT_JOINT_DISTANCE, &joint), TAKT_OK);
  joint.body_a = box;
  joint.body_b = ball;
  EXPECT_EQ(takt_world_create_joint(world, &joint, &id), TAKT_ERROR_RANGE) << "its length is 0";

  double const far_away[3] = {1e10, 0, 0};
  EXPECT_EQ(takt_world_set_target(world, box, far_away, kZero), TAKT_ERROR_RANGE);
  EXPECT_NE(takt_world_set_target(world, box, kZero, kZero), TAKT_OK);  // the box is dynamic
  EXPECT_EQ(takt_world_grab(world, box, nullptr, far_away, 10), TAKT_ERROR_RANGE);
  EXPECT_EQ(takt_world_grab(world, box, nullptr, kZero, kAbuseNaN), TAKT_ERROR_REFUSED + 8);
  EXPECT_EQ(takt_world_grab(world, box, far_away, kZero, 10), TAKT_ERROR_REFUSED + 9);
  EXPECT_EQ(takt_world_move_grab(world, kZero), TAKT_ERROR_REFUSED + 17);
  EXPECT_EQ(takt_world_release(world), TAKT_ERROR_REFUSED + 17);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

// takt_joint_change has grown: a program of ABI 4 passes its 208 bytes.
TEST(CHandleAbuse, AStructOfAnEarlierVersionIsAccepted) {
  takt_world* const world = make_world();
  std::uint64_t const slide = joint_of(world, "slide");
  auto change = sized<takt_joint_change>();
  change.size = 208;
  change.fields = TAKT_JOINT_MAX_FORCE;
  change.max_force = 100;
  std::memset(reinterpret_cast<char*>(&change) + 208, 0xff, sizeof change - 208);  // no memory of the caller
  EXPECT_EQ(takt_world_change_joint(world, slide, &change), TAKT_OK) << takt_last_error();
  change.size = 200;
  EXPECT_EQ(takt_world_change_joint(world, slide, &change), TAKT_ERROR_SIZE);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

TEST(CHandleAbuse, OptionsOutsideOfTheirRangesAreRefused) {
  takt_scene* const scene = load();
  takt_world* world = nullptr;
  auto try_options = [&](auto change) {
    auto options = sized<takt_world_options>();
    change(options);
    return takt_world_create(scene, &options, &world);
  };
  EXPECT_EQ(try_options([](auto& o) { o.size = 0; }), TAKT_ERROR_SIZE);
  EXPECT_EQ(try_options([](auto& o) { o.size = UINT32_MAX; }), TAKT_ERROR_SIZE);
  EXPECT_EQ(try_options([](auto& o) { o.numbers = 3; }), TAKT_ERROR_RANGE);
  EXPECT_EQ(try_options([](auto& o) { o.threads = 65; }), TAKT_ERROR_RANGE);
  EXPECT_EQ(try_options([](auto& o) { o.lanes = 2; }), TAKT_ERROR_RANGE);
  auto options = sized<takt_batch_options>();
  takt_batch* batch = nullptr;
  EXPECT_EQ(takt_batch_create(scene, &options, &batch), TAKT_ERROR_RANGE);
  options.world_count = 65537;
  EXPECT_EQ(takt_batch_create(scene, &options, &batch), TAKT_ERROR_RANGE);
  // A caller of a later version: its unknown fields may be zero, not set.
  struct Later {
    takt_world_options known;
    std::uint64_t unknown;
  } later{};
  later.known.size = sizeof later;
  EXPECT_EQ(takt_world_create(scene, &later.known, &world), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  later.unknown = 1;
  EXPECT_EQ(takt_world_create(scene, &later.known, &world), TAKT_ERROR_SIZE);
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
}

TEST(CHandleAbuse, ASecondThreadOnOneWorldIsRefusedAtOnce) {
  takt_world* const world = make_world();
  std::atomic<bool> is_over = false;
  std::thread stepper([&] {
    while (!is_over) {
      takt_status const status = takt_world_step(world, 50);
      EXPECT_TRUE(status == TAKT_OK || status == TAKT_ERROR_BUSY) << takt_last_error();
    }
  });
  std::uint64_t hash = 0;
  takt_status status = TAKT_OK;
  while (status == TAKT_OK) status = takt_world_hash(world, &hash);
  is_over = true;
  stepper.join();
  EXPECT_EQ(status, TAKT_ERROR_BUSY) << takt_last_error();
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
}

TEST(CHandleAbuse, AWorldOfABatchBelongsToIt) {
  takt_scene* const scene = load();
  auto options = sized<takt_batch_options>();
  options.world_count = 3;
  takt_batch* batch = nullptr;
  ASSERT_EQ(takt_batch_create(scene, &options, &batch), TAKT_OK);
  takt_world* world = nullptr;
  EXPECT_EQ(takt_batch_world(batch, 3, &world), TAKT_ERROR_RANGE);
  ASSERT_EQ(takt_batch_world(batch, 2, &world), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_ERROR_BORROWED);
  EXPECT_EQ(takt_world_step(world, 1), TAKT_OK);
  EXPECT_EQ(takt_batch_destroy(batch), TAKT_OK);
  EXPECT_EQ(takt_world_step(world, 1), TAKT_ERROR_HANDLE);
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
}

}  // namespace
}  // namespace takt::test
