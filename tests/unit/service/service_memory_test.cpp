// Memory of a client of the service: this program's operator new can refuse the n-th allocation of a thread.
// The service runs on threads of its own, which have all memory.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/service/host_clients.h"

namespace {

thread_local std::size_t allocation_count = 0;
thread_local std::size_t refused_at = 0;  // number of the allocation that fails; 0 = none

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (++allocation_count == refused_at) throw std::bad_alloc();
  std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// Not inlined: GCC would report a mismatch of new and free.
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

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

namespace takt::service::test {
namespace {

// A world whose image is larger than the buffers of a new connection.
constexpr std::string_view kTower = R"({"bodies": [
  {"name": "ground", "type": "static", "shapes": [{"half_space": {}}]}],
  "generators": [{"stack": {"count": 200}}]})";

struct Client {
  explicit Client(const Door& door) : service(connect(door)) {
    takt_scene* const scene = load(kTower);
    EXPECT_EQ(takt_service_world(service, scene, nullptr, &world), TAKT_OK) << takt_last_error();
    EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() {
    EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
    EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  }
  takt_service* service = nullptr;
  takt_world* world = nullptr;
};

// Refuses the first allocation of a call on a new connection, then the second one of the call on another and
// so on, until the call succeeds. Returns the number of failures.
template <class Call, class Check>
int fail_each(const Door& door, const Call& call, const Check& check) {
  int failures = 0;
  for (std::size_t n = 1;; ++n) {
    Client const client(door);
    allocation_count = 0;
    refused_at = n;
    takt_status const status = call(client.world);
    refused_at = 0;
    bool const is_through = allocation_count < n;
    if (status != TAKT_OK) {
      EXPECT_EQ(status, TAKT_ERROR_MEMORY) << n << ": " << takt_last_error();
      ++failures;
    }
    check(client.world, n);
    if (is_through) return failures;
  }
}

// The reply to a call that found no memory is not taken for that to the next one.
TEST(ServiceMemory, ACallAfterOneWithoutMemoryGetsItsOwnReply) {
  auto const host = open_host({});
  std::uint64_t const expected = hash_of(Client(host->doors()[0]).world);
  auto const save = [](takt_world* world) {
    const void* image = nullptr;
    std::size_t bytes = 0;
    return takt_world_save(world, &image, &bytes);
  };
  auto const check = [&](takt_world* world, std::size_t n) {
    std::uint64_t hash = 0;
    EXPECT_EQ(takt_world_hash(world, &hash), TAKT_OK) << n << ": " << takt_last_error();
    EXPECT_EQ(hash, expected) << n;
  };
  for (const Door& door : host->doors()) {
    EXPECT_GT(fail_each(door, save, check), 0);
  }
}

// The calls on a world of a service. Each ends in success or TAKT_ERROR_MEMORY, whatever allocation of the
// client fails, and the next call gets its own reply.
TEST(ServiceMemory, EveryCallOnAWorldSurvives) {
  auto const host = open_host({});
  double const vector[4] = {0, 0, 0, 1};
  std::uint64_t id = 0;
  std::size_t count = 0;
  std::array<std::uint64_t, 4> ids{};
  auto const box = [](takt_world* world) {  // the first box
    auto view = sized<takt_view>();
    EXPECT_EQ(takt_world_array(world, TAKT_BODY_IDS, &view, nullptr), TAKT_OK) << takt_last_error();
    return static_cast<const std::uint64_t*>(view.data)[1];
  };
  using Call = std::function<takt_status(takt_world*)>;
  std::vector<std::pair<std::string, Call>> const calls{
      {"step", [](takt_world* w) { return takt_world_step(w, 2); }},
      {"get_info",
       [](takt_world* w) {
         auto info = sized<takt_world_info>();
         return takt_world_get_info(w, &info);
       }},
      {"find_body", [&](takt_world* w) { return takt_world_find_body(w, "ground", 6, &id); }},
      {"list_joints", [&](takt_world* w) { return takt_world_list_joints(w, ids.data(), 4, &count); }},
      {"list_ropes", [&](takt_world* w) { return takt_world_list_ropes(w, ids.data(), 4, &count); }},
      {"list_shapes", [&](takt_world* w) { return takt_world_list_shapes(w, id, ids.data(), 4, &count); }},
      {"array",
       [](takt_world* w) {
         auto view = sized<takt_view>();
         return takt_world_array(w, TAKT_ROTATIONS, &view, nullptr);
       }},
      {"impulse", [&](takt_world* w) { return takt_world_impulse(w, id, vector, nullptr); }},
      {"force", [&](takt_world* w) { return takt_world_force(w, id, vector, nullptr, 1); }},
      {"teleport",
       [&](takt_world* w) { return takt_world_teleport(w, id, vector, nullptr, nullptr, nullptr); }},
      {"spawn",
       [&](takt_world* w) {
         auto spawn = sized<takt_spawn>();
         EXPECT_EQ(takt_spawn_defaults(&spawn), TAKT_OK);
         std::uint64_t made = 0;
         return takt_world_spawn(w, &spawn, &made);
       }},
      {"despawn", [&](takt_world* w) { return takt_world_despawn(w, id); }},
      {"change_body",
       [&](takt_world* w) {
         auto change = sized<takt_body_change>();
         change.fields = TAKT_BODY_GRAVITY_SCALE;
         return takt_world_change_body(w, id, &change);
       }},
      {"create_mover",
       [&](takt_world* w) {
         auto def = sized<takt_mover_def>();
         EXPECT_EQ(takt_mover_defaults(&def), TAKT_OK);
         std::uint64_t made = 0;
         return takt_world_create_mover(w, &def, nullptr, &made);
       }},
      {"create_rope",
       [&](takt_world* w) {
         auto def = sized<takt_rope_def>();
         EXPECT_EQ(takt_rope_defaults(&def), TAKT_OK);
         def.node_count = 2;
         double const points[6] = {7, 5, 0, 8, 5, 0};
         std::uint64_t made = 0;
         return takt_world_create_rope(w, &def, points, &made);
       }},
      {"grab", [&](takt_world* w) { return takt_world_grab(w, id, nullptr, vector, 10); }},
      {"fork",
       [](takt_world* w) {
         takt_world* fork = nullptr;
         takt_status const status = takt_world_fork(w, &fork);
         if (status == TAKT_OK) {
           EXPECT_EQ(takt_world_destroy(fork), TAKT_OK);
         }
         return status;
       }},
      {"capture",
       [](takt_world* w) {
         takt_snapshot* snapshot = nullptr;
         takt_status const status = takt_world_capture(w, &snapshot);
         if (status == TAKT_OK) {
           EXPECT_EQ(takt_snapshot_destroy(snapshot), TAKT_OK);
         }
         return status;
       }},
      {"query",
       [&](takt_world* w) {
         takt_query query{};
         query.kind = TAKT_QUERY_RAY;
         query.mode = TAKT_MODE_ALL;
         query.translation[1] = -9;
         takt_answer answer{};
         return takt_world_query(w, &query, 1, &answer, nullptr, 0, &count);
       }},
      {"contacts", [&](takt_world* w) { return takt_world_contacts(w, nullptr, 0, &count); }},
      {"events", [&](takt_world* w) { return takt_world_events(w, nullptr, 0, &count); }},
  };
  for (auto const& [name, call] : calls) {
    SCOPED_TRACE(name);
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    {
      Client const whole(host->doors()[0]);
      id = box(whole.world);
      before = hash_of(whole.world);
      EXPECT_EQ(call(whole.world), TAKT_OK) << takt_last_error();
      after = hash_of(whole.world);
    }
    auto const ready = [&](takt_world* world) {
      std::size_t const refused = std::exchange(refused_at, 0);
      id = box(world);
      allocation_count = 0;
      refused_at = refused;
      return call(world);
    };
    (void)fail_each(host->doors()[0], ready, [&](takt_world* world, std::size_t n) {
      std::uint64_t hash = 0;
      ASSERT_EQ(takt_world_hash(world, &hash), TAKT_OK) << n << ": " << takt_last_error();
      EXPECT_TRUE(hash == before || hash == after) << n << ": the reply of another call";
    });
  }
}

// A call that makes a thing at the service and then finds no memory for it here takes it back.
TEST(ServiceMemory, ACallThatMakesAThingLeavesNoneAtTheService) {
  auto const host = open_host({});
  takt_scene* const scene = load();
  std::vector<unsigned char> image;
  using Make = std::function<takt_status(takt_service*, takt_world*)>;
  auto const ended = [](takt_status status, auto*& made, auto destroy) {
    refused_at = 0;
    if (status == TAKT_OK) {
      EXPECT_EQ(destroy(std::exchange(made, nullptr)), TAKT_OK) << takt_last_error();
    }
    EXPECT_EQ(made, nullptr);
    return status;
  };
  takt_world* world = nullptr;
  takt_batch* batch = nullptr;
  takt_snapshot* snapshot = nullptr;
  std::vector<std::pair<std::string, Make>> const calls{
      {"world",
       [&](takt_service* s, takt_world*) {
         return ended(takt_service_world(s, scene, nullptr, &world), world, takt_world_destroy);
       }},
      {"world_from_image",
       [&](takt_service* s, takt_world*) {
         return ended(takt_service_world_from_image(s, image.data(), image.size(), nullptr, nullptr, &world),
                      world, takt_world_destroy);
       }},
      {"batch",
       [&](takt_service* s, takt_world*) {
         auto options = sized<takt_batch_options>();
         options.world_count = 3;
         return ended(takt_service_batch(s, scene, &options, &batch), batch, takt_batch_destroy);
       }},
      {"fork", [&](takt_service*,
                   takt_world* w) { return ended(takt_world_fork(w, &world), world, takt_world_destroy); }},
      {"capture",
       [&](takt_service*, takt_world* w) {
         return ended(takt_world_capture(w, &snapshot), snapshot, takt_snapshot_destroy);
       }},
  };
  for (const Door& door : host->doors()) {
    for (auto const& [name, call] : calls) {
      SCOPED_TRACE(name);
      int failures = 0;
      for (std::size_t n = 1;; ++n) {
        Client const client(door);
        if (image.empty()) {
          const void* bytes = nullptr;
          std::size_t size = 0;
          ASSERT_EQ(takt_world_save(client.world, &bytes, &size), TAKT_OK) << takt_last_error();
          image.assign(static_cast<const unsigned char*>(bytes),
                       static_cast<const unsigned char*>(bytes) + size);
        }
        std::uint64_t const requests = host->counts().requests;
        allocation_count = 0;
        refused_at = n;
        takt_status const status = call(client.service, client.world);
        bool const is_through = allocation_count < n;
        EXPECT_EQ(host->counts().worlds, 1u) << n;
        std::uint64_t const made = host->counts().requests - requests;
        EXPECT_TRUE(made == 0 || made == 2) << n << ": it is made and destroyed, or neither";
        if (is_through) {
          EXPECT_EQ(status, TAKT_OK) << n << ": " << takt_last_error();
          break;
        }
        ++failures;
        EXPECT_EQ(status, TAKT_ERROR_MEMORY) << n;
      }
      EXPECT_GE(failures, 1);
    }
  }
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
}

TEST(ServiceMemory, AConnectThatFindsNoMemoryEndsItsConnection) {
  auto const host = open_host({});
  std::vector<std::string> addresses{"shm:" + host->doors()[0].path};
  for (const Door& door : host->doors()) addresses.push_back(text_of(door));
  for (const std::string& address : addresses) {
    SCOPED_TRACE(address);
    for (std::size_t n = 1;; ++n) {
      takt_service* service = nullptr;
      allocation_count = 0;
      refused_at = n;
      takt_status const status = takt_connect(address.data(), address.size(), nullptr, 0, &service);
      refused_at = 0;
      bool const is_through = allocation_count < n;
      if (status != TAKT_OK) {
        EXPECT_EQ(status, TAKT_ERROR_MEMORY) << n << ": " << takt_last_error();
        EXPECT_EQ(service, nullptr);
      } else {
        auto info = sized<takt_service_info>();
        EXPECT_EQ(takt_service_get_info(service, &info), TAKT_OK) << takt_last_error();
        EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
      }
      ASSERT_TRUE(wait_for([&] { return host->counts().clients == 0; })) << n;
      if (is_through) break;
    }
  }
}

// A world whose taking over found no memory can be taken over.
TEST(ServiceMemory, AnAttachThatFindsNoMemoryCanBeTriedAgain) {
  ServiceOptions options;
  options.lease_s = 60;
  auto const host = open_host(std::move(options));
  Door const door = host->doors()[0];
  for (bool const is_batch : {false, true}) {
    std::uint8_t key[TAKT_KEY_BYTES] = {};
    std::uint64_t hash = 0;
    std::uint64_t hashes[3] = {};
    {
      // The handle of the world outlives the connection, which a second taking over ends.
      takt_service* const service = connect(door);
      takt_world* world = is_batch ? nullptr : remote_world(service);
      takt_batch* batch = is_batch ? remote_batch(service, 3) : nullptr;
      ASSERT_EQ(is_batch ? takt_batch_key(batch, key) : takt_world_key(world, key), TAKT_OK);
      ASSERT_EQ(is_batch ? takt_batch_hashes(batch, hashes) : takt_world_hash(world, &hash), TAKT_OK);
    }
    int failures = 0;
    for (std::size_t n = 1;; ++n) {
      takt_service* const service = connect(door);
      takt_world* world = nullptr;
      takt_batch* batch = nullptr;
      auto const attach = [&] {
        return is_batch ? takt_service_attach_batch(service, key, &batch)
                        : takt_service_attach_world(service, key, &world);
      };
      allocation_count = 0;
      refused_at = n;
      takt_status const status = attach();
      refused_at = 0;
      bool const is_through = allocation_count < n;
      if (status != TAKT_OK) {
        ++failures;
        EXPECT_EQ(status, TAKT_ERROR_MEMORY) << n << ": " << takt_last_error();
        ASSERT_EQ(attach(), TAKT_OK) << n << ": " << takt_last_error();
      }
      std::uint64_t found[3] = {};
      ASSERT_EQ(is_batch ? takt_batch_hashes(batch, found) : takt_world_hash(world, found), TAKT_OK);
      for (int i = 0; i < (is_batch ? 3 : 1); ++i) EXPECT_EQ(found[i], is_batch ? hashes[i] : hash) << n;
      if (is_through) break;
    }
    EXPECT_GE(failures, 1);
  }
}

// Afterwards the world records, or it can: the service has no recording that the client does not know of.
TEST(ServiceMemory, ARecordingThatFindsNoMemoryIsEnded) {
  auto const host = open_host({});
  std::string const path = socket_path("memory.takt");
  auto const record = [&](takt_world* world) { return takt_world_record(world, path.data(), path.size()); };
  auto const check = [&](takt_world* world, std::size_t n) {
    auto info = sized<takt_world_info>();
    ASSERT_EQ(takt_world_get_info(world, &info), TAKT_OK) << takt_last_error();
    if (info.is_recording != 0) {
      EXPECT_EQ(takt_world_record_stop(world), TAKT_OK) << n << ": " << takt_last_error();
    }
    ASSERT_EQ(takt_world_step(world, 1), TAKT_OK) << takt_last_error();
    ASSERT_EQ(record(world), TAKT_OK) << n << ": " << takt_last_error();
    ASSERT_EQ(takt_world_record_stop(world), TAKT_OK) << n << ": " << takt_last_error();
  };
  EXPECT_GT(fail_each(host->doors()[0], record, check), 0);
  (void)std::remove(path.c_str());
}

}  // namespace
}  // namespace takt::service::test
