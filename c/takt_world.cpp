// Worlds of takt.h: creation, steps, arrays, names, contacts and events.
#include <algorithm>
#include <exception>
#include <utility>

#include "c/takt_objects.h"
#include "service/wire/world_calls.h"

namespace takt::c {

takt_status check_step(std::uint32_t threads, std::uint32_t lanes) {
  if (threads > ThreadPool::kMaxWorkers) return fail(TAKT_ERROR_RANGE, "threads is not within [0, 64]");
  if (lanes != 0 && lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16)
    return fail(TAKT_ERROR_RANGE, "lanes is none of 0, 1, 4, 8 and 16");
  return TAKT_OK;
}

std::shared_ptr<ThreadPool> make_pool(std::uint32_t threads) {
  return threads > 1 ? std::make_shared<ThreadPool>(threads) : nullptr;
}

takt_status read_options(const takt_world_options* options, std::uint32_t& numbers, StepSetting& setting) {
  takt_world_options read{};
  if (takt_status const bad = read_struct(options, read)) return bad;
  if (read.numbers > TAKT_NUMBERS_FIXED)
    return fail(TAKT_ERROR_RANGE, "numbers is none of 0, TAKT_NUMBERS_FLOAT and TAKT_NUMBERS_FIXED");
  if (takt_status const bad = check_step(read.threads, read.lanes)) return bad;
  numbers = read.numbers;
  setting.lanes = read.lanes;
  setting.pool = make_pool(read.threads);
  return TAKT_OK;
}

takt_status status_of(StepRecord record) {
  switch (record) {
    case StepRecord::kWhole: break;
    case StepRecord::kFileFull: return fail(TAKT_ERROR_FILE, kLostInStep);
    case StepRecord::kNoMemory:
      return fail(TAKT_ERROR_MEMORY, "the recording ended: out of memory; the world has made its ticks");
  }
  return TAKT_OK;
}

void refresh_all(WorldObject& world, BodyId body) {
  world.change([&] {
    world.refresh(body);
    if (world.batch_object != nullptr) world.batch_object->refresh_world(world.batch_index, body);
  });
}

namespace {

takt_status step_world(const char* function, takt_world* world, std::uint32_t ticks, StopCheck* check) {
  return call_world(
      function, world,
      [&](WorldObject& w) -> takt_status {
        StepRecord const record = w.step(ticks, nullptr, check);
        refresh_all(w);
        if (takt_status const lost = status_of(record)) return lost;
        if (check != nullptr && check->has_stopped)
          return fail(TAKT_ERROR_STOPPED,
                      "the step was stopped between two ticks: the world's tick tells where");
        return TAKT_OK;
      },
      [&](RemoteWorld& r) -> takt_status {
        if (check != nullptr) return fail(TAKT_ERROR_UNSUPPORTED, "takt_service_set_stop stops remote steps");
        return r.step(ticks);
      });
}

template <class IdType>
takt_status find_name(const std::vector<std::pair<std::string, IdType>>* names, std::string_view name,
                      const sim::AnyWorld& world, std::uint64_t* out) {
  if (names == nullptr) return fail(TAKT_ERROR_NAME, "the world has no names: it has no scene");
  auto const at =
      std::ranges::lower_bound(*names, name, {}, [](const auto& n) -> std::string_view { return n.first; });
  if (at == names->end() || at->first != name) return fail(TAKT_ERROR_NAME, "nothing has the name ", name);
  if (at + 1 != names->end() && (at + 1)->first == name)
    return fail(TAKT_ERROR_NAME, "more than one thing has the name ", name);
  if (!world.contains(at->second)) return fail(TAKT_ERROR_NAME, name, " no longer exists");
  *out = at->second.to_u64();
  return TAKT_OK;
}

takt_status destroy_remote(takt_world* world) {
  Use<RemoteWorld> use(world, Access::kExclusive);
  if (use.fault() != AcquireFault::kNone) return fail(use.fault(), RemoteWorld::kName);
  if (use->batch != nullptr)
    return fail(TAKT_ERROR_BORROWED, "the world belongs to a batch: destroy the batch");
  use.destroy();
  return TAKT_OK;
}

template <class Item, class Convert>
takt_status give_list(std::size_t size, Item* out, std::size_t capacity, std::size_t* count,
                      const Convert& convert) {
  if (count == nullptr) return null_argument("count");
  if (out == nullptr && capacity != 0) return null_argument("the list");
  *count = size;
  for (std::size_t i = 0; i < std::min(size, capacity); ++i) out[i] = convert(i);
  return TAKT_OK;
}

}  // namespace
}  // namespace takt::c

using namespace takt::c;  // NOLINT(google-build-using-namespace): functions of takt.h are global
using takt::BodyId;
using takt::JointId;
using takt::RopeId;

takt_status takt_world_create(takt_scene* scene, const takt_world_options* options, takt_world** world) {
  return call(__func__, [&]() -> takt_status {
    if (world == nullptr) return null_argument("world");
    Use<SceneObject> const use(scene, Access::kShared);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), SceneObject::kName);
    std::uint32_t numbers = 0;
    StepSetting setting;
    if (takt_status const bad = read_options(options, numbers, setting)) return bad;
    auto const mode = numbers == TAKT_NUMBERS_FIXED ? takt::NumbersMode::kFixed : takt::NumbersMode::kFloat;
    auto simulation = takt::sim::Simulation::create(*use->scene, mode);
    if (!simulation) return fail(simulation.error());
    auto names = names_of(*use->scene, simulation->world());
    *world = make_handle<takt_world>(std::make_unique<WorldObject>(*std::move(simulation), use->scene,
                                                                   std::move(names), std::move(setting)));
    return TAKT_OK;
  });
}

takt_status takt_world_destroy(takt_world* world) {
  return call(__func__, [&]() -> takt_status {
    if (world == nullptr) return TAKT_OK;
    if (kind_of(world) == HandleKind::kRemoteWorld) return destroy_remote(world);
    Use<WorldObject> use(world, Access::kExclusive);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), WorldObject::kName);
    if (use->batch != nullptr)
      return fail(TAKT_ERROR_BORROWED, "the world belongs to a batch: destroy the batch");
    try {
      if (use->is_recording()) (void)use->stop_recording();
    } catch (const std::exception&) {  // out of memory: the recording has ended without its index
    }
    use.destroy();
    return TAKT_OK;
  });
}

takt_status takt_world_fork(takt_world* world, takt_world** fork) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (fork == nullptr) return null_argument("fork");
        *fork = make_handle<takt_world>(w.fork());
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.fork(fork); });
}

takt_status takt_world_step(takt_world* world, uint32_t ticks) {
  return step_world(__func__, world, ticks, nullptr);
}

takt_status takt_world_step_until(takt_world* world, uint32_t ticks, takt_stop_function is_stopped,
                                  void* context) {
  StopCheck check{is_stopped, context};
  return step_world(__func__, world, ticks, &check);
}

takt_status takt::service::step_part(takt_world* world, const StepPart& part, bool& has_stopped) {
  StopCheck check{part.is_stopped, part.context};
  check.keeps_events = part.keeps_events;
  takt_status const status = step_world("takt_world_step", world, part.ticks, &check);
  has_stopped = check.has_stopped;
  return status;
}

takt_status takt_world_get_info(takt_world* world, takt_world_info* info) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (takt_status const bad = check_output(info)) return bad;
        takt::WorldDef const& def = w.world().def();
        takt_world_info out{};
        out.numbers = static_cast<std::uint32_t>(w.simulation().numbers());
        out.tick = w.simulation().tick();
        out.scene_hash = w.simulation().scene_hash();
        out.body_count = w.world().body_count();
        out.rope_count = w.world().rope_count();
        out.tick_rate_hz = def.tick_rate_hz;
        out.substeps = def.substeps;
        out.gravity[0] = def.gravity_m_s2.x;
        out.gravity[1] = def.gravity_m_s2.y;
        out.gravity[2] = def.gravity_m_s2.z;
        out.is_recording = w.is_recording() ? 1 : 0;
        out.is_borrowed = w.batch != nullptr ? 1 : 0;
        write_struct(out, info);
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.get_info(info); });
}

takt_status takt_world_hash(takt_world* world, uint64_t* hash) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (hash == nullptr) return null_argument("hash");
        *hash = w.simulation().hash();
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.hash(hash); });
}

takt_status takt_world_find_body(takt_world* world, const char* name, size_t name_bytes, uint64_t* body) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        std::string_view text;
        if (takt_status const bad = read_text(name, name_bytes, SIZE_MAX, "name", text)) return bad;
        if (body == nullptr) return null_argument("body");
        return find_name(w.names() != nullptr ? &w.names()->bodies : nullptr, text, w.world(), body);
      },
      [&](RemoteWorld& r) { return r.find(0, name, name_bytes, body); });
}

takt_status takt_world_find_joint(takt_world* world, const char* name, size_t name_bytes, uint64_t* joint) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        std::string_view text;
        if (takt_status const bad = read_text(name, name_bytes, SIZE_MAX, "name", text)) return bad;
        if (joint == nullptr) return null_argument("joint");
        return find_name(w.names() != nullptr ? &w.names()->joints : nullptr, text, w.world(), joint);
      },
      [&](RemoteWorld& r) { return r.find(1, name, name_bytes, joint); });
}

takt_status takt_world_list_joints(takt_world* world, uint64_t* ids, size_t capacity, size_t* count) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        std::vector<JointId> joints;
        w.world().list_joints(joints);
        return give_list(joints.size(), ids, capacity, count,
                         [&](std::size_t i) { return joints[i].to_u64(); });
      },
      [&](RemoteWorld& r) { return r.list(1, ids, capacity, count); });
}

takt_status takt_world_list_ropes(takt_world* world, uint64_t* ids, size_t capacity, size_t* count) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        std::vector<RopeId> ropes;
        w.world().list_ropes(ropes);
        return give_list(ropes.size(), ids, capacity, count,
                         [&](std::size_t i) { return ropes[i].to_u64(); });
      },
      [&](RemoteWorld& r) { return r.list(2, ids, capacity, count); });
}

takt_status takt_world_list_shapes(takt_world* world, uint64_t body, uint64_t* ids, size_t capacity,
                                   size_t* count) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        BodyId const id = BodyId::from_u64(body);
        if (!w.world().contains(id)) return fail(takt::PhysicsError::kUnknownBody);
        std::vector<takt::ShapeId> const shapes = w.world().shapes(id);
        return give_list(shapes.size(), ids, capacity, count,
                         [&](std::size_t i) { return shapes[i].to_u64(); });
      },
      [&](RemoteWorld& r) { return r.list(3, ids, capacity, count, body); });
}

takt_status takt_world_joint_state(takt_world* world, uint64_t joint, uint32_t axis, double* value,
                                   double* rate) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (value == nullptr || rate == nullptr) return null_argument("value or rate");
        if (axis >= takt::kJointAxisCount) return fail(TAKT_ERROR_RANGE, "axis is not within [0, 7]");
        JointId const id = JointId::from_u64(joint);
        if (!w.world().contains(id)) return fail(takt::PhysicsError::kUnknownJoint);
        *value = w.world().joint_coordinate(id, static_cast<takt::JointAxis>(axis));
        *rate = w.world().joint_rate(id, static_cast<takt::JointAxis>(axis));
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.joint_state(joint, axis, value, rate); });
}

takt_status takt_world_array(takt_world* world, uint32_t field, takt_view* view, takt_array** hold) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (takt_status const bad = check_output(view)) return bad;
        if (field >= kFieldCount)
          return fail(TAKT_ERROR_RANGE, "field is none of TAKT_BODY_IDS to TAKT_BODY_FLAGS");
        takt_view out = w.view(field);
        if (hold != nullptr) {
          auto held = std::make_unique<HeldArray>();
          held->memory = w.arrays().memory(field);
          *hold = make_handle<takt_array>(std::move(held));
        }
        write_struct(out, view);
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.array(field, view, hold); });
}

takt_status takt_array_destroy(takt_array* array) { return destroy_handle<HeldArray>(__func__, array); }

takt_status takt_world_contacts(takt_world* world, takt_contact* contacts, size_t capacity, size_t* count) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        w.world().list_contacts(w.contacts);
        return give_list(w.contacts.size(), contacts, capacity, count, [&](std::size_t i) {
          takt::ContactView const& from = w.contacts[i];
          takt::Vec3<double> const at = from.position.to_metres();
          return takt_contact{from.body_a.to_u64(), from.body_b.to_u64(),
                              {at.x, at.y, at.z},   {from.normal.x, from.normal.y, from.normal.z},
                              from.impulse_n_s,     from.separation_m};
        });
      },
      [&](RemoteWorld& r) { return r.contacts(contacts, capacity, count); });
}

takt_status takt_world_events(takt_world* world, takt_event* events, size_t capacity, size_t* count) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        return give_list(w.events().size(), events, capacity, count,
                         [&](std::size_t i) { return w.events()[i]; });
      },
      [&](RemoteWorld& r) { return r.events(events, capacity, count); });
}
