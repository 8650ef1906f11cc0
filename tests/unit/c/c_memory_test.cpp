// Memory of takt.h: this program's operator new serves libtakt.so too. It counts allocations, and can refuse
// the n-th of them.
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <new>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/c/c_scene.h"

namespace {

std::atomic<std::size_t> allocation_count{0};
std::atomic<std::size_t> live_bytes{0};
std::atomic<std::size_t> refused_at{0};  // number of the allocation that fails; 0 = none

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (++allocation_count == refused_at) throw std::bad_alloc();
  std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  live_bytes += malloc_usable_size(memory);
  return memory;
}

void release(void* memory) noexcept {
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace takt::test {
namespace {

// Tests run beside each other in one folder. A file of each keeps the number of allocations, because the name
// of a temporary file that another test has is tried first.
takt_status record(takt_world* world, std::string_view file) {
  return takt_world_record(world, file.data(), file.size());
}

TEST(CMemory, ASteadyStepWithArraysAllocatesNothing) {
  for (std::uint32_t const numbers : {TAKT_NUMBERS_FLOAT, TAKT_NUMBERS_FIXED}) {
    takt_world* const world = make_world(numbers);
    for (std::uint32_t field = TAKT_BODY_IDS; field <= TAKT_BODY_FLAGS; ++field) (void)view_of(world, field);
    double const push[3] = {10, 0, 0};
    std::uint64_t const box = body_of(world, "box");
    auto const run = [&](int ticks) {
      for (int i = 0; i < ticks; ++i) {
        ASSERT_EQ(takt_world_force(world, box, push, nullptr, 1), TAKT_OK);
        ASSERT_EQ(takt_world_step(world, 1), TAKT_OK);
      }
    };
    run(1500);
    std::size_t const before = allocation_count;
    run(300);
    EXPECT_EQ(allocation_count, before);
    ASSERT_EQ(takt_world_destroy(world), TAKT_OK);
  }
}

TEST(CMemory, AHundredThousandResetsKeepTheMemory) {
  takt_world* const world = make_world();
  (void)view_of(world, TAKT_POSITIONS);
  takt_snapshot* start = nullptr;
  ASSERT_EQ(takt_world_capture(world, &start), TAKT_OK);
  auto const reset = [&] {
    ASSERT_EQ(takt_world_rollback(world, start), TAKT_OK);
    ASSERT_EQ(takt_world_step(world, 1), TAKT_OK);
  };
  for (int i = 0; i < 100; ++i) reset();
  std::size_t const before = live_bytes;
  for (int i = 0; i < 100'000; ++i) reset();
  EXPECT_LE(live_bytes, before + (std::size_t{1} << 20u));
  ASSERT_EQ(takt_snapshot_destroy(start), TAKT_OK);
  ASSERT_EQ(takt_world_destroy(world), TAKT_OK);
}

TEST(CMemory, DestroyedObjectsGiveTheirMemoryBack) {
  auto const use_all = [] {
    takt_scene* const scene = load();
    auto options = sized<takt_batch_options>();
    options.world_count = 4;
    options.threads = 2;
    takt_batch* batch = nullptr;
    takt_snapshot* snapshot = nullptr;
    takt_world* world = nullptr;
    takt_world* fork = nullptr;
    ASSERT_EQ(takt_batch_create(scene, &options, &batch), TAKT_OK);
    ASSERT_EQ(takt_batch_capture(batch, &snapshot), TAKT_OK);
    ASSERT_EQ(takt_batch_world(batch, 1, &world), TAKT_OK);
    ASSERT_EQ(takt_world_fork(world, &fork), TAKT_OK);
    ASSERT_EQ(takt_batch_step(batch, 3, nullptr), TAKT_OK);
    ASSERT_EQ(takt_scene_destroy(scene), TAKT_OK);
    ASSERT_EQ(takt_batch_destroy(batch), TAKT_OK);
    ASSERT_EQ(takt_world_step(fork, 3), TAKT_OK);
    ASSERT_EQ(takt_world_destroy(fork), TAKT_OK);
    ASSERT_EQ(takt_snapshot_destroy(snapshot), TAKT_OK);
  };
  use_all();
  std::size_t const before = live_bytes;
  for (int i = 0; i < 20; ++i) use_all();
  EXPECT_LE(live_bytes, before);
}

// A program may have thousands of recording worlds, so none keeps the memory of its busiest tick.
TEST(CMemory, ARecordingGivesTheMemoryOfItsEditsBack) {
  takt_world* const world = make_world();
  ASSERT_EQ(record(world, "memory_edits.takt"), TAKT_OK) << takt_last_error();
  double const push[3] = {0, 0.001, 0};
  std::uint64_t const box = body_of(world, "box");
  auto const edit = [&](int count) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(takt_world_impulse(world, box, push, nullptr), TAKT_OK);
  };
  edit(100);
  ASSERT_EQ(takt_world_step(world, 120), TAKT_OK);
  std::size_t const before = live_bytes;
  edit(20'000);
  EXPECT_GT(live_bytes, before + (std::size_t{5} << 20u));
  ASSERT_EQ(takt_world_step(world, 1), TAKT_OK);
  EXPECT_LT(live_bytes, before + (std::size_t{5} << 20u)) << "the edits are encoded";
  ASSERT_EQ(takt_world_step(world, 59), TAKT_OK);
  EXPECT_LT(live_bytes, before + (std::size_t{256} << 10u)) << "their chunk is written";
  edit(20'000);
  ASSERT_EQ(takt_world_record_stop(world), TAKT_OK);
  EXPECT_LT(live_bytes, before + (std::size_t{256} << 10u)) << "no tick has them";
  ASSERT_EQ(takt_world_destroy(world), TAKT_OK);
}

using Calls = std::map<std::string, std::function<takt_status()>>;

// Calls that connect to a service, and make, take over or call worlds of it, are in service_memory_test.cpp.
// world_step has a test of its own. The others end objects, or write a constant.
void expect_every_function_in(const Calls& calls) {
  std::ifstream file(TAKT_SOURCE_DIR "/include/takt/c/takt.h");
  std::stringstream text;
  text << file.rdbuf();
  std::string const header = text.str();
  static const std::regex kFunction("TAKT_API [^;(]*\\btakt_(\\w+)\\(");
  static const std::regex kOthers(
      "service_\\w+|connect|(world|batch)_key|stop_on_main_thread|world_step|\\w+_destroy|\\w+_defaults|abi_"
      "version|"
      "version|last_error");
  std::size_t count = 0;
  for (std::sregex_iterator at(header.begin(), header.end(), kFunction), end; at != end; ++at, ++count) {
    std::string const name = (*at)[1];
    EXPECT_NE(calls.contains(name), std::regex_match(name, kOthers)) << name;
  }
  EXPECT_GT(count, 90u);
}

// The calls that allocate, on a world after 30 ticks. Each must end in success or TAKT_ERROR_MEMORY, whatever
// allocation fails, and leave a world that a rollback repairs.
class CFailingAllocator : public testing::Test {
 protected:
  void SetUp() override {
    scene_ = load();
    world_ = make_world();
    ASSERT_EQ(takt_world_step(world_, 30), TAKT_OK);
    ASSERT_EQ(takt_world_capture(world_, &snapshot_), TAKT_OK);
    hash_ = hash_of(world_);
    ASSERT_EQ(takt_world_fork(world_, &stepped_), TAKT_OK);
    ASSERT_EQ(takt_world_step(stepped_, 1), TAKT_OK);
    next_hash_ = hash_of(stepped_);
    ASSERT_EQ(takt_world_destroy(stepped_), TAKT_OK);
  }
  void TearDown() override {
    refused_at = 0;
    ASSERT_EQ(takt_snapshot_destroy(snapshot_), TAKT_OK);
    ASSERT_EQ(takt_world_destroy(world_), TAKT_OK);
    ASSERT_EQ(takt_scene_destroy(scene_), TAKT_OK);
  }

  /// Refuses the first allocation of the call, then the second and so on, until it succeeds. The steps
  /// between the numbers grow with them.
  void fail_each(const std::string& name, const std::function<takt_status()>& call) {
    for (std::size_t n = 1;; n += 1 + n / 8) {
      allocation_count = 0;
      refused_at = n;
      takt_status const status = call();
      refused_at = 0;
      bool const is_through = allocation_count < n;
      if (status != TAKT_OK) {
        EXPECT_EQ(status, TAKT_ERROR_MEMORY) << name << ", allocation " << n << ": " << takt_last_error();
        std::uint64_t hash = 0;
        takt_status const after = takt_world_hash(world_, &hash);
        EXPECT_TRUE(after == TAKT_ERROR_BROKEN || (after == TAKT_OK && hash == hash_)) << name << ' ' << n;
      }
      EXPECT_EQ(takt_world_rollback(world_, snapshot_), TAKT_OK) << takt_last_error();
      EXPECT_EQ(hash_of(world_), hash_) << name << ", allocation " << n;
      if (is_through) break;
    }
    EXPECT_EQ(takt_world_step(world_, 1), TAKT_OK);
    EXPECT_EQ(hash_of(world_), next_hash_) << name;
    EXPECT_EQ(takt_world_rollback(world_, snapshot_), TAKT_OK);
  }

  takt_scene* scene_ = nullptr;
  takt_world* world_ = nullptr;
  takt_world* stepped_ = nullptr;
  takt_snapshot* snapshot_ = nullptr;
  std::uint64_t hash_ = 0;
  std::uint64_t next_hash_ = 0;
};

TEST_F(CFailingAllocator, EveryCallThatAllocatesSurvives) {
  auto spawn = sized<takt_spawn>();
  ASSERT_EQ(takt_spawn_defaults(&spawn), TAKT_OK);
  spawn.position[1] = 20;
  std::uint64_t const box = body_of(world_, "box");
  std::uint64_t const slide = joint_of(world_, "slide");
  std::uint64_t const rope = rope_of(world_);
  std::uint64_t shape = 0;
  std::size_t shape_count = 0;
  ASSERT_EQ(takt_world_list_shapes(world_, box, &shape, 1, &shape_count), TAKT_OK);
  auto joint_def = sized<takt_joint_def>();
  ASSERT_EQ(takt_joint_defaults(TAKT_JOINT_POINT, &joint_def), TAKT_OK);
  joint_def.body_a = box;
  joint_def.body_b = body_of(world_, "ball");
  auto rope_def = sized<takt_rope_def>();
  ASSERT_EQ(takt_rope_defaults(&rope_def), TAKT_OK);
  rope_def.node_count = 2;
  double const points[6] = {7, 5, 0, 8, 5, 0};
  auto mover_def = sized<takt_mover_def>();
  ASSERT_EQ(takt_mover_defaults(&mover_def), TAKT_OK);
  mover_def.position[1] = 20;
  auto body_change = sized<takt_body_change>();
  body_change.fields = TAKT_BODY_TYPE | TAKT_BODY_GRAVITY_SCALE;
  body_change.type = TAKT_BODY_STATIC;
  auto shape_change = sized<takt_shape_change>();
  shape_change.fields = TAKT_SHAPE_FRICTION | TAKT_SHAPE_FILTER;
  auto tuning = sized<takt_mover_tuning>();
  tuning.fields = TAKT_MOVER_MAX_SPEED;
  tuning.max_speed = 2;
  const void* data = nullptr;
  std::size_t bytes = 0;
  ASSERT_EQ(takt_world_save(world_, &data, &bytes), TAKT_OK);
  std::vector<unsigned char> const image(static_cast<const unsigned char*>(data),
                                         static_cast<const unsigned char*>(data) + bytes);
  double const zero[3] = {};
  static constexpr std::string_view kFile = "memory_kept.takt";
  static constexpr std::string_view kCallsFile = "memory_calls.takt";
  takt_world* recorded = nullptr;
  ASSERT_EQ(takt_world_create(scene_, nullptr, &recorded), TAKT_OK);
  ASSERT_EQ(record(recorded, kFile), TAKT_OK) << takt_last_error();
  ASSERT_EQ(takt_world_force(recorded, body_of(recorded, "box"), zero, nullptr, 1), TAKT_OK);
  ASSERT_EQ(takt_world_step(recorded, 5), TAKT_OK);
  ASSERT_EQ(takt_world_record_stop(recorded), TAKT_OK);
  ASSERT_EQ(takt_world_destroy(recorded), TAKT_OK);
  int lost_recordings = 0;
  takt_recording* recording = nullptr;
  ASSERT_EQ(takt_recording_open(kFile.data(), kFile.size(), &recording), TAKT_OK) << takt_last_error();
  auto const destroyed_always = [](takt_status status, takt_snapshot*& handle) {
    EXPECT_EQ(takt_snapshot_destroy(handle), TAKT_OK);
    handle = nullptr;
    return status;
  };
  auto const destroyed = [](takt_status status, auto& handle, auto destroy) {
    if (status == TAKT_OK) {
      EXPECT_EQ(destroy(handle), TAKT_OK);
    }
    handle = nullptr;
    return status;
  };
  auto batch_options = sized<takt_batch_options>();
  batch_options.world_count = 3;
  takt_batch* batch = nullptr;
  takt_snapshot* batch_snapshot = nullptr;
  ASSERT_EQ(takt_batch_create(scene_, &batch_options, &batch), TAKT_OK);
  ASSERT_EQ(takt_batch_capture(batch, &batch_snapshot), TAKT_OK);
  // The call on the batch, which a rollback repairs.
  auto const on_batch = [&](auto const& call) {  // no std::function, which would allocate
    takt_status const status = call();
    std::size_t const count = allocation_count;
    refused_at = 0;
    EXPECT_EQ(takt_batch_rollback(batch, batch_snapshot, nullptr), TAKT_OK) << takt_last_error();
    allocation_count = count;
    return status;
  };
  // The call after another one, which has all memory.
  auto const after = [&](auto const& prepare, auto const& call) {
    std::size_t const refused = refused_at.exchange(0);
    EXPECT_EQ(prepare(), TAKT_OK) << takt_last_error();
    allocation_count = 0;
    refused_at = refused;
    takt_status const status = call();
    std::size_t const count = allocation_count;
    refused_at = 0;
    EXPECT_EQ(takt_world_rollback(world_, snapshot_), TAKT_OK) << takt_last_error();
    allocation_count = count;
    return status;
  };
  auto const grab = [&] { return takt_world_grab(world_, box, nullptr, points, 10); };
  auto kinematic = sized<takt_body_change>();
  kinematic.fields = TAKT_BODY_TYPE;
  kinematic.type = TAKT_BODY_KINEMATIC;
  auto joint_change = sized<takt_joint_change>();
  joint_change.fields = TAKT_JOINT_MAX_FORCE;
  joint_change.max_force = 100;
  std::array<std::uint64_t, 8> ids{};
  std::array<std::uint64_t, 3> const boxes{box, box, box};
  std::array<double, 9> const rows{};
  std::string const file = TAKT_SOURCE_DIR "/examples/scenes/stack.json";
  Calls const calls{
      {"scene_load",
       [&] {
         takt_scene* scene = nullptr;
         return destroyed(takt_scene_load(file.data(), file.size(), &scene), scene, takt_scene_destroy);
       }},
      {"world_get_info",
       [&] {
         auto info = sized<takt_world_info>();
         return takt_world_get_info(world_, &info);
       }},
      {"world_find_body",
       [&] {
         std::uint64_t body = 0;
         return takt_world_find_body(world_, "ball", 4, &body);
       }},
      {"world_find_joint",
       [&] {
         std::uint64_t joint = 0;
         return takt_world_find_joint(world_, "slide", 5, &joint);
       }},
      {"world_list_joints",
       [&] {
         std::size_t count = 0;
         return takt_world_list_joints(world_, ids.data(), ids.size(), &count);
       }},
      {"world_list_ropes",
       [&] {
         std::size_t count = 0;
         return takt_world_list_ropes(world_, ids.data(), ids.size(), &count);
       }},
      {"world_joint_state",
       [&] {
         double value = 0;
         double rate = 0;
         return takt_world_joint_state(world_, slide, 0, &value, &rate);
       }},
      {"world_impulse", [&] { return takt_world_impulse(world_, box, zero, nullptr); }},
      {"world_teleport", [&] { return takt_world_teleport(world_, box, points, nullptr, zero, nullptr); }},
      {"world_move", [&] { return takt_world_move(world_, body_of(world_, "ann"), zero, 1, 0, 1); }},
      {"world_joint_drive", [&] { return takt_world_joint_drive(world_, slide, 0, 1, 0, 1, 1, 1); }},
      {"world_joint_limit", [&] { return takt_world_joint_limit(world_, slide, 0, -1, 1); }},
      {"world_joint_friction", [&] { return takt_world_joint_friction(world_, slide, 0, 1); }},
      {"world_joint_enable", [&] { return takt_world_joint_enable(world_, slide, 0); }},
      {"world_change_joint", [&] { return takt_world_change_joint(world_, slide, &joint_change); }},
      {"world_set_target",
       [&] {
         double const turned[4] = {0, 0, 0, 1};
         return after([&] { return takt_world_change_body(world_, box, &kinematic); },
                      [&] { return takt_world_set_target(world_, box, points, turned); });
       }},
      {"world_move_grab", [&] { return after(grab, [&] { return takt_world_move_grab(world_, points); }); }},
      {"world_release", [&] { return after(grab, [&] { return takt_world_release(world_); }); }},
      {"world_capture_into",
       [&] {
         takt_snapshot* into = nullptr;
         return after([&] { return takt_world_capture(world_, &into); },
                      [&] { return destroyed_always(takt_world_capture_into(world_, into), into); });
       }},
      {"snapshot_info",
       [&] {
         std::uint64_t tick = 0;
         return takt_snapshot_info(snapshot_, &tick, nullptr);
       }},
      {"world_events",
       [&] {
         std::size_t count = 0;
         return takt_world_events(world_, nullptr, 0, &count);
       }},
      {"world_step_until",
       [&] {
         return after([] { return TAKT_OK; },
                      [&] { return takt_world_step_until(world_, 1, nullptr, nullptr); });
       }},
      {"batch_world",
       [&] {
         takt_world* world = nullptr;
         return on_batch([&] { return takt_batch_world(batch, 1, &world); });
       }},
      {"batch_step", [&] { return on_batch([&] { return takt_batch_step(batch, 2, nullptr); }); }},
      {"batch_step_until",
       [&] { return on_batch([&] { return takt_batch_step_until(batch, 2, nullptr, nullptr, nullptr); }); }},
      {"batch_hashes", [&] { return on_batch([&] { return takt_batch_hashes(batch, ids.data()); }); }},
      {"batch_array",
       [&] {
         auto view = sized<takt_view>();
         return on_batch([&] { return takt_batch_array(batch, TAKT_ROTATIONS, &view, nullptr); });
       }},
      {"batch_capture",
       [&] {
         takt_snapshot* snapshot = nullptr;
         return on_batch([&] {
           return destroyed(takt_batch_capture(batch, &snapshot), snapshot, takt_snapshot_destroy);
         });
       }},
      {"batch_rollback",
       [&] { return on_batch([&] { return takt_batch_rollback(batch, batch_snapshot, nullptr); }); }},
      {"batch_force",
       [&] {
         return on_batch(
             [&] { return takt_batch_force(batch, boxes.data(), rows.data(), nullptr, 1, nullptr); });
       }},
      {"batch_teleport",
       [&] {
         return on_batch([&] {
           return takt_batch_teleport(batch, boxes.data(), rows.data(), nullptr, nullptr, nullptr, nullptr);
         });
       }},
      {"scene_parse",
       [&] {
         takt_scene* scene = nullptr;
         return destroyed(takt_scene_parse(kScene.data(), kScene.size(), "t", 1, &scene), scene,
                          takt_scene_destroy);
       }},
      {"world_create",
       [&] {
         takt_world* world = nullptr;
         return destroyed(takt_world_create(scene_, nullptr, &world), world, takt_world_destroy);
       }},
      {"world_from_image",
       [&] {
         takt_world* world = nullptr;
         return destroyed(takt_world_from_image(image.data(), image.size(), scene_, nullptr, &world), world,
                          takt_world_destroy);
       }},
      {"batch_create",
       [&] {
         auto options = sized<takt_batch_options>();
         options.world_count = 3;
         takt_batch* made = nullptr;
         return destroyed(takt_batch_create(scene_, &options, &made), made, takt_batch_destroy);
       }},
      {"world_fork",
       [&] {
         takt_world* fork = nullptr;
         return destroyed(takt_world_fork(world_, &fork), fork, takt_world_destroy);
       }},
      {"world_capture",
       [&] {
         takt_snapshot* snapshot = nullptr;
         return destroyed(takt_world_capture(world_, &snapshot), snapshot, takt_snapshot_destroy);
       }},
      {"world_restore", [&] { return takt_world_restore(world_, image.data(), image.size()); }},
      {"world_rollback", [&] { return takt_world_rollback(world_, snapshot_); }},
      {"world_spawn",
       [&] {
         std::uint64_t body = 0;
         return takt_world_spawn(world_, &spawn, &body);
       }},
      {"world_despawn", [&] { return takt_world_despawn(world_, box); }},
      {"world_force", [&] { return takt_world_force(world_, box, zero, nullptr, 1); }},
      {"world_cut_rope", [&] { return takt_world_cut_rope(world_, rope, 1); }},
      {"world_joint_motor", [&] { return takt_world_joint_motor(world_, slide, 0, 1, 1); }},
      {"world_destroy_joint", [&] { return takt_world_destroy_joint(world_, slide); }},
      {"world_create_joint",
       [&] {
         std::uint64_t joint = 0;
         return takt_world_create_joint(world_, &joint_def, &joint);
       }},
      {"world_create_rope",
       [&] {
         std::uint64_t made = 0;
         return takt_world_create_rope(world_, &rope_def, points, &made);
       }},
      {"world_create_mover",
       [&] {
         std::uint64_t body = 0;
         return takt_world_create_mover(world_, &mover_def, &tuning, &body);
       }},
      {"world_pin_rope", [&] { return takt_world_pin_rope(world_, rope, 2, box, nullptr); }},
      {"world_unpin_rope", [&] { return takt_world_unpin_rope(world_, rope, 0); }},
      {"world_rope_length", [&] { return takt_world_rope_length(world_, rope, 0.5); }},
      {"world_destroy_rope", [&] { return takt_world_destroy_rope(world_, rope); }},
      {"world_change_body", [&] { return takt_world_change_body(world_, box, &body_change); }},
      {"world_change_shape", [&] { return takt_world_change_shape(world_, shape, &shape_change); }},
      {"world_tune_mover", [&] { return takt_world_tune_mover(world_, body_of(world_, "ann"), &tuning); }},
      {"world_grab", [&] { return takt_world_grab(world_, box, nullptr, points, 10); }},
      {"world_list_shapes",
       [&] {
         std::size_t count = 0;
         return takt_world_list_shapes(world_, box, nullptr, 0, &count);
       }},
      {"world_array",
       [&] {
         auto view = sized<takt_view>();
         takt_array* held = nullptr;
         return destroyed(takt_world_array(world_, TAKT_ROTATIONS, &view, &held), held, takt_array_destroy);
       }},
      {"world_query",
       [&] {
         takt_query query{};
         query.kind = TAKT_QUERY_RAY;
         query.mode = TAKT_MODE_ALL;
         query.translation[1] = -9;
         takt_answer answer{};
         std::size_t count = 0;
         return takt_world_query(world_, &query, 1, &answer, nullptr, 0, &count);
       }},
      {"world_contacts",
       [&] {
         std::size_t count = 0;
         return takt_world_contacts(world_, nullptr, 0, &count);
       }},
      {"world_save", [&] { return takt_world_save(world_, &data, &bytes); }},
      {"world_hash",
       [&] {
         std::uint64_t hash = 0;
         return takt_world_hash(world_, &hash);
       }},
      {"world_record",
       [&] {
         takt_status const status = record(world_, kCallsFile);
         std::size_t const count = allocation_count;
         refused_at = 0;
         EXPECT_EQ(takt_world_record_stop(world_), status == TAKT_OK ? TAKT_OK : TAKT_ERROR_RECORDING);
         allocation_count = count;
         return status;
       }},
      {"world_step_recorded",
       [&] {
         std::size_t const refused = refused_at.exchange(0);
         EXPECT_EQ(record(world_, kCallsFile), TAKT_OK) << takt_last_error();
         EXPECT_EQ(takt_world_force(world_, box, zero, nullptr, 1), TAKT_OK);
         allocation_count = 0;
         refused_at = refused;
         takt_status const status = takt_world_step(world_, 1);
         std::size_t const count = allocation_count;
         refused_at = 0;
         takt_status const stopped = takt_world_record_stop(world_);
         if (stopped != TAKT_OK) {  // the tick is made, and its recording has ended
           EXPECT_EQ(stopped, TAKT_ERROR_RECORDING);
           EXPECT_EQ(status, TAKT_ERROR_MEMORY);
           EXPECT_EQ(takt_world_step(world_, 1), TAKT_OK);
           ++lost_recordings;
         }
         EXPECT_EQ(takt_world_rollback(world_, snapshot_), TAKT_OK);
         allocation_count = count;
         return status;
       }},
      {"world_record_destroy",
       [&] {
         std::size_t const refused = refused_at.exchange(0);
         takt_world* fork = nullptr;
         EXPECT_EQ(takt_world_fork(world_, &fork), TAKT_OK);
         EXPECT_EQ(record(fork, kCallsFile), TAKT_OK) << takt_last_error();
         EXPECT_EQ(takt_world_step(fork, 1), TAKT_OK) << takt_last_error();
         allocation_count = 0;
         refused_at = refused;
         return takt_world_destroy(fork);
       }},
      {"world_record_stop",
       [&] {
         std::size_t const refused = refused_at.exchange(0);
         EXPECT_EQ(record(world_, kCallsFile), TAKT_OK) << takt_last_error();
         EXPECT_EQ(takt_world_step(world_, 1), TAKT_OK) << takt_last_error();
         allocation_count = 0;
         refused_at = refused;
         takt_status const status = takt_world_record_stop(world_);
         std::size_t const count = allocation_count;
         refused_at = 0;
         EXPECT_EQ(takt_world_record_stop(world_), TAKT_ERROR_RECORDING);
         EXPECT_EQ(takt_world_rollback(world_, snapshot_), TAKT_OK);
         allocation_count = count;
         return status;
       }},
      {"recording_open",
       [&] {
         takt_recording* opened = nullptr;
         return destroyed(takt_recording_open(kFile.data(), kFile.size(), &opened), opened,
                          takt_recording_destroy);
       }},
      {"recording_get_info",
       [&] {
         auto info = sized<takt_recording_info>();
         return takt_recording_get_info(recording, &info);
       }},
      {"recording_verify",
       [&] {
         auto report = sized<takt_verify_report>();
         takt_status const status = takt_recording_verify(recording, 1, &report);
         EXPECT_TRUE(status != TAKT_OK || report.agrees == 1);
         return status;
       }},
      {"recording_world",
       [&] {
         takt_world* there = nullptr;
         return destroyed(takt_recording_world(recording, 3, nullptr, &there), there, takt_world_destroy);
       }},
  };
  expect_every_function_in(calls);
  for (auto const& [name, call] : calls) {
    SCOPED_TRACE(name);
    fail_each(name, call);
  }
  EXPECT_GE(lost_recordings, 1);
  EXPECT_EQ(takt_snapshot_destroy(batch_snapshot), TAKT_OK);
  EXPECT_EQ(takt_batch_destroy(batch), TAKT_OK);
  EXPECT_EQ(takt_recording_destroy(recording), TAKT_OK);
}

// The recording of the first world gets no memory: all worlds step, and the arrays show it.
TEST(CRecordingWithoutMemory, LetsAllWorldsOfABatchStep) {
  auto options = sized<takt_batch_options>();
  options.world_count = 3;
  options.threads = 1;
  takt_scene* const scene = load();
  takt_batch* batch = nullptr;
  ASSERT_EQ(takt_batch_create(scene, &options, &batch), TAKT_OK);
  auto view = sized<takt_view>();
  ASSERT_EQ(takt_batch_array(batch, TAKT_POSITIONS, &view, nullptr), TAKT_OK);
  std::array<takt_world*, 3> worlds{};
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_EQ(takt_batch_world(batch, i, &worlds[i]), TAKT_OK);
  double const push[3] = {10, 0, 0};
  for (int i = 0; i < 30; ++i) ASSERT_EQ(takt_batch_step(batch, 1, nullptr), TAKT_OK);
  takt_snapshot* start = nullptr;
  ASSERT_EQ(takt_batch_capture(batch, &start), TAKT_OK);
  int lost = 0;
  for (std::size_t n = 1; n < 400; ++n) {
    // A step that failed has given up the scratch memory: a whole one makes it again.
    ASSERT_EQ(takt_batch_rollback(batch, start, nullptr), TAKT_OK) << takt_last_error();
    ASSERT_EQ(takt_batch_step(batch, 1, nullptr), TAKT_OK) << n;
    ASSERT_EQ(takt_batch_rollback(batch, start, nullptr), TAKT_OK) << takt_last_error();
    ASSERT_EQ(record(worlds[0], "memory_batch.takt"), TAKT_OK) << takt_last_error();
    for (takt_world* const world : worlds)
      ASSERT_EQ(takt_world_force(world, body_of(world, "box"), push, nullptr, 1), TAKT_OK);
    allocation_count = 0;
    refused_at = n;
    takt_status const status = takt_batch_step(batch, 1, nullptr);
    refused_at = 0;
    bool const is_through = allocation_count < n;
    bool const is_lost = takt_world_record_stop(worlds[0]) == TAKT_ERROR_RECORDING;
    if (status != TAKT_OK && !is_lost) continue;  // an allocation of the step itself: a world is broken
    EXPECT_EQ(status, is_lost ? TAKT_ERROR_MEMORY : TAKT_OK);
    lost += is_lost ? 1 : 0;
    auto const* const positions = static_cast<const double*>(view.data);
    for (std::size_t i = 0; i < 3; ++i) {
      auto info = sized<takt_world_info>();
      ASSERT_EQ(takt_world_get_info(worlds[i], &info), TAKT_OK);
      EXPECT_EQ(info.tick, 31u) << n;
      takt_view const own = view_of(worlds[i], TAKT_POSITIONS);
      std::size_t const count = static_cast<std::size_t>(own.shape[0]) * 3;
      auto const* const row = positions + i * count;
      EXPECT_TRUE(std::equal(row, row + count, static_cast<const double*>(own.data))) << n;
    }
    if (is_through) break;
  }
  EXPECT_GE(lost, 1);
  EXPECT_EQ(takt_snapshot_destroy(start), TAKT_OK);
  EXPECT_EQ(takt_batch_destroy(batch), TAKT_OK);
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
}

TEST_F(CFailingAllocator, AStepSurvives) {
  // A fork has no scratch memory, so that its first step allocates.
  std::size_t failures = 0;
  for (std::size_t n = 1;; n += 1 + n / 8) {
    takt_world* fork = nullptr;
    ASSERT_EQ(takt_world_fork(world_, &fork), TAKT_OK);
    allocation_count = 0;
    refused_at = n;
    takt_status const status = takt_world_step(fork, 1);
    refused_at = 0;
    bool const is_through = allocation_count < n;
    if (status != TAKT_OK) {
      ++failures;
      EXPECT_EQ(status, TAKT_ERROR_MEMORY) << n;
      EXPECT_EQ(takt_world_step(fork, 1), TAKT_ERROR_BROKEN) << n;
      EXPECT_EQ(takt_world_rollback(fork, snapshot_), TAKT_OK) << n << takt_last_error();
      EXPECT_EQ(takt_world_step(fork, 1), TAKT_OK) << n;
    }
    EXPECT_EQ(hash_of(fork), next_hash_) << n;
    EXPECT_EQ(takt_world_destroy(fork), TAKT_OK);
    if (is_through) break;
  }
  EXPECT_GT(failures, 10u);
}

}  // namespace
}  // namespace takt::test
