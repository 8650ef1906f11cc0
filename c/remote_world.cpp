#include "c/remote_world.h"

#include <algorithm>
#include <string>
#include <utility>

#include "service/client/service_client.h"
#include "service/wire/definitions.h"

namespace takt::c {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Vector;
using service::kNoWorldIndex;
using service::ServiceClient;
using service::Target;
namespace wire = service::wire;

constexpr auto kNothing = [](const wire::Reply&) -> takt_status { return TAKT_OK; };

takt_status broken_reply() { return fail(TAKT_ERROR_REMOTE, "the service sent a reply of another kind"); }

// Numbers of the caller as a struct of a message; null stays null.
class Vec3Of {
 public:
  explicit Vec3Of(const double* v) : is_set_(v != nullptr) {
    if (is_set_) value_ = {v[0], v[1], v[2]};
  }
  [[nodiscard]] const wire::Vec3* get() const noexcept { return is_set_ ? &value_ : nullptr; }

 private:
  wire::Vec3 value_;
  bool is_set_;
};

class QuatOf {
 public:
  explicit QuatOf(const double* q) : is_set_(q != nullptr) {
    if (is_set_) value_ = service::quat_to_wire(q);
  }
  [[nodiscard]] const wire::Quat* get() const noexcept { return is_set_ ? &value_ : nullptr; }

 private:
  wire::Quat value_;
  bool is_set_;
};

template <class T>
Offset<Vector<T>> rows_of(FlatBufferBuilder& builder, const T* rows, std::size_t count) {
  return rows == nullptr ? Offset<Vector<T>>() : builder.CreateVector(rows, count);
}

void drop(ServiceClient& client, std::uint32_t handle) noexcept {
  if (handle == 0) return;  // the service has made nothing
  try {
    (void)client.call({handle, kNoWorldIndex}, 0,
                      [](FlatBufferBuilder& b) { return wire::CreateDestroy(b); });
  } catch (...) {  // out of memory: the service frees the thing at the end of the connection
  }
}

template <class Item, class From, class Convert>
takt_status give_rows(const From* from, Item* out, std::size_t capacity, std::size_t* count,
                      const Convert& convert) {
  *count = from == nullptr ? 0 : from->size();
  for (std::size_t i = 0; i < std::min(*count, capacity); ++i)
    out[i] = convert(from->Get(static_cast<flatbuffers::uoffset_t>(i)));
  return TAKT_OK;
}

takt_status check_list(const void* out, std::size_t capacity, const std::size_t* count) {
  if (count == nullptr) return null_argument("count");
  if (out == nullptr && capacity != 0) return null_argument("the list");
  return TAKT_OK;
}

takt_status give_id(const wire::Reply& reply, std::uint64_t* out) {
  if (reply.ids() == nullptr || reply.ids()->size() != 1) return broken_reply();
  *out = reply.ids()->Get(0);
  return TAKT_OK;
}

constexpr auto kMakeKey = [](FlatBufferBuilder& b) { return wire::CreateKey(b); };

takt_status give_key(const wire::Reply& reply, std::uint8_t* out) {
  if (reply.bytes() == nullptr || reply.bytes()->size() != service::kKeyBytes) return broken_reply();
  std::copy_n(reply.bytes()->data(), service::kKeyBytes, out);
  return TAKT_OK;
}

template <class Thing>
takt_status give_array(Thing& arrays, std::uint32_t field, takt_view* view, takt_array** hold) {
  takt_view out = arrays.view(field);
  if (hold != nullptr) {
    auto held = std::make_unique<HeldArray>();
    held->memory = arrays.memory(field);
    *hold = make_handle<takt_array>(std::move(held));
  }
  write_struct(out, view);
  return TAKT_OK;
}

constexpr auto kMakeCapture = [](FlatBufferBuilder& b) { return wire::CreateCapture(b); };

// `ask` is a function of a request and of what reads its reply.
template <class Ask>
takt_status give_snapshot(const std::shared_ptr<ServiceClient>& client, takt_snapshot** out, const Ask& ask) {
  if (out == nullptr) return null_argument("snapshot");
  NewHandle<takt_snapshot, RemoteSnapshot> made(std::make_unique<RemoteSnapshot>());
  made->client = client;
  return made.give(ask([&](const wire::Reply& reply) -> takt_status {
                     made->handle = reply.handle();
                     made->tick = reply.tick();
                     made->worlds = reply.worlds();
                     return TAKT_OK;
                   }),
                   *out);
}

takt_status use_snapshot(const Use<RemoteSnapshot>& use, const std::shared_ptr<ServiceClient>& client) {
  if (use.fault() != AcquireFault::kNone) return fail(use.fault(), RemoteSnapshot::kName);
  if (use->client != client) return fail(TAKT_ERROR_MISMATCH, "the snapshot belongs to another connection");
  return TAKT_OK;
}

template <class Make, class Read>
takt_status exchange(ServiceClient& client, Target target, RemoteArrays& arrays, std::uint32_t columns,
                     const Make& make, const Read& read) {
  ServiceClient::Answer const answer = client.call(target, columns, make);
  if (answer.status != TAKT_OK && !answer.is_late()) return fail(answer.status, answer.text);
  if (columns != 0 && !arrays.apply(answer.reply->observation())) return broken_reply();
  takt_status const status = read(*answer.reply);
  return status == TAKT_OK && answer.is_late() ? fail(answer.status, answer.text) : status;
}

// Brings arrays up to date after a failed call that has changed worlds. Returns its status, with its text.
template <class Refresh>
takt_status refresh_after(takt_status status, const Refresh& refresh) {
  std::string const text(failure_text());
  (void)refresh();
  return fail(status, text);
}

}  // namespace

RemoteSnapshot::~RemoteSnapshot() {
  if (client != nullptr) drop(*client, handle);
}

RemoteWorld::~RemoteWorld() {
  try {
    if (is_recording()) (void)record_stop();
  } catch (...) {  // out of memory: the file has no end
  }
  if (owner == nullptr) drop(*client_, target_.handle);
}

template <class Make, class Read>
takt_status RemoteWorld::ask(std::uint32_t columns, const Make& make, const Read& read) {
  return exchange(*client_, target_, arrays_, columns, make, read);
}

template <class Make, class Read>
takt_status RemoteWorld::read(const Make& make, const Read& read) {
  return ask(0, make, read);
}

template <class Make, class Read>
takt_status RemoteWorld::change(const Make& make, const Read& read) {
  takt_status const status = ask(arrays_.columns(), make, read);
  auto const fresh = [&]() -> takt_status {
    if (status != TAKT_OK) {
      if (takt_status const bad = refresh()) return bad;
    }
    return owner == nullptr ? TAKT_OK : owner->refresh();
  };
  if (status == TAKT_OK) return fresh();
  return status == TAKT_ERROR_STOPPED ? refresh_after(status, fresh) : status;
}

template <class Make>
takt_status RemoteWorld::change(const Make& make) {
  return change(make, kNothing);
}

takt_status RemoteWorld::refresh() {
  if (arrays_.columns() == 0) return TAKT_OK;
  return ask(
      arrays_.columns(), [](FlatBufferBuilder& b) { return wire::CreateObserve(b); }, kNothing);
}

takt_status RemoteWorld::fork(takt_world** fork) {
  if (fork == nullptr) return null_argument("fork");
  NewHandle<takt_world, RemoteWorld> made(std::make_unique<RemoteWorld>(client_));
  return made.give(read([](FlatBufferBuilder& b) { return wire::CreateFork(b); },
                        [&](const wire::Reply& reply) -> takt_status {
                          made->set_handle(reply.handle());
                          return TAKT_OK;
                        }),
                   *fork);
}

takt_status RemoteWorld::step_part(std::uint32_t ticks, bool keeps_events) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateStep(b, ticks, 0, keeps_events); });
}

takt_status RemoteWorld::step(std::uint32_t ticks) {
  if (!is_recording() || ticks > service::kStepTicksMax) return step_part(ticks, false);
  return step_in_parts(
      ticks, [&](std::uint32_t part, bool is_later) { return step_part(part, is_later); },
      [&](std::uint32_t part) { return follow_recording(part); });
}

takt_status RemoteWorld::get_info(takt_world_info* info) {
  if (takt_status const bad = check_output(info)) return bad;
  return read([](FlatBufferBuilder& b) { return wire::CreateInfo(b); },
              [&](const wire::Reply& reply) -> takt_status {
                const wire::WorldInfo* const from = reply.info();
                if (from == nullptr) return broken_reply();
                takt_world_info out{};
                out.numbers = from->numbers();
                out.tick = from->tick();
                out.scene_hash = from->scene_hash();
                out.body_count = from->body_count();
                out.rope_count = from->rope_count();
                out.tick_rate_hz = from->tick_rate_hz();
                out.substeps = from->substeps();
                if (from->gravity() != nullptr) service::from_wire(*from->gravity(), out.gravity);
                out.is_recording = is_recording() ? 1 : 0;
                out.is_borrowed = owner != nullptr ? 1 : 0;
                write_struct(out, info);
                return TAKT_OK;
              });
}

takt_status RemoteWorld::hash(std::uint64_t* hash) {
  if (hash == nullptr) return null_argument("hash");
  return read([](FlatBufferBuilder& b) { return wire::CreateHash(b); },
              [&](const wire::Reply& reply) { return give_id(reply, hash); });
}

takt_status RemoteWorld::find(std::uint32_t kind, const char* name, std::size_t name_bytes,
                              std::uint64_t* id) {
  std::string_view text;
  if (takt_status const bad = read_text(name, name_bytes, SIZE_MAX, "name", text)) return bad;
  if (id == nullptr) return null_argument("body or joint");
  return read(
      [&](FlatBufferBuilder& b) {
        auto const words = b.CreateString(text.data(), text.size());
        return wire::CreateFind(b, kind, words);
      },
      [&](const wire::Reply& reply) { return give_id(reply, id); });
}

takt_status RemoteWorld::list(std::uint32_t kind, std::uint64_t* ids, std::size_t capacity,
                              std::size_t* count, std::uint64_t body) {
  if (takt_status const bad = check_list(ids, capacity, count)) return bad;
  return read([&](FlatBufferBuilder& b) { return wire::CreateList(b, kind, body); },
              [&](const wire::Reply& reply) {
                return give_rows(reply.ids(), ids, capacity, count, [](std::uint64_t id) { return id; });
              });
}

takt_status RemoteWorld::joint_state(std::uint64_t joint, std::uint32_t axis, double* value, double* rate) {
  if (value == nullptr || rate == nullptr) return null_argument("value or rate");
  return read([&](FlatBufferBuilder& b) { return wire::CreateJointState(b, joint, axis); },
              [&](const wire::Reply& reply) -> takt_status {
                *value = reply.value();
                *rate = reply.rate();
                return TAKT_OK;
              });
}

// Wants the array of a field from now on, and gives it. `refresh` asks for all arrays that are wanted.
template <class Refresh>
takt_status give_wanted(RemoteArrays& arrays, const Refresh& refresh, std::uint32_t field, takt_view* view,
                        takt_array** hold) {
  if (takt_status const bad = check_output(view)) return bad;
  if (field >= kFieldCount)
    return fail(TAKT_ERROR_RANGE, "field is none of TAKT_BODY_IDS to TAKT_BODY_FLAGS");
  if ((arrays.columns() >> field & 1u) == 0) {
    RemoteArrays const before = arrays;
    arrays.want(field);
    if (takt_status const bad = refresh()) {
      arrays = before;
      return bad;
    }
  }
  return give_array(arrays, field, view, hold);
}

takt_status RemoteWorld::array(std::uint32_t field, takt_view* view, takt_array** hold) {
  return give_wanted(
      arrays_, [this] { return refresh(); }, field, view, hold);
}

takt_status RemoteWorld::contacts(takt_contact* contacts, std::size_t capacity, std::size_t* count) {
  if (takt_status const bad = check_list(contacts, capacity, count)) return bad;
  return read([](FlatBufferBuilder& b) { return wire::CreateContacts(b); },
              [&](const wire::Reply& reply) {
                return give_rows(reply.contacts(), contacts, capacity, count,
                                 [](const wire::ContactItem* c) { return service::from_wire(*c); });
              });
}

takt_status RemoteWorld::events(takt_event* events, std::size_t capacity, std::size_t* count) {
  if (takt_status const bad = check_list(events, capacity, count)) return bad;
  return read([](FlatBufferBuilder& b) { return wire::CreateEvents(b); },
              [&](const wire::Reply& reply) {
                return give_rows(reply.events(), events, capacity, count,
                                 [](const wire::EventItem* e) { return service::from_wire(*e); });
              });
}

takt_status RemoteWorld::query(const takt_query* queries, std::size_t query_count, takt_answer* answers,
                               takt_hit* hits, std::size_t hit_capacity, std::size_t* hit_count) {
  if (hit_count == nullptr) return null_argument("hit_count");
  if (query_count != 0 && (queries == nullptr || answers == nullptr))
    return null_argument("queries or answers");
  if (hits == nullptr && hit_capacity != 0) return null_argument("hits");
  if (query_count > service::kFrameBytesMax / sizeof(takt_query))
    return fail(TAKT_ERROR_LIMIT, "limit frame: fewer queries in a call");
  return read(
      [&](FlatBufferBuilder& b) {
        wire::QueryItem* out = nullptr;
        auto const rows = b.CreateUninitializedVectorOfStructs<wire::QueryItem>(query_count, &out);
        for (std::size_t i = 0; i < query_count; ++i) out[i] = service::to_wire(queries[i]);
        return wire::CreateQuery(b, rows);
      },
      [&](const wire::Reply& reply) -> takt_status {
        std::size_t count = 0;
        give_rows(reply.answers(), answers, query_count, &count,
                  [](const wire::AnswerItem* a) { return service::from_wire(*a); });
        if (count != query_count) return broken_reply();
        return give_rows(reply.hits(), hits, hit_capacity, hit_count,
                         [](const wire::HitItem* h) { return service::from_wire(*h); });
      });
}

takt_status RemoteWorld::impulse(std::uint64_t body, const double* impulse, const double* local_point) {
  if (impulse == nullptr) return null_argument("impulse");
  return change([&](FlatBufferBuilder& b) {
    return wire::CreateImpulse(b, body, Vec3Of(impulse).get(), Vec3Of(local_point).get());
  });
}

takt_status RemoteWorld::force(std::uint64_t body, const double* force, const double* torque,
                               std::uint32_t ticks) {
  if (force == nullptr) return null_argument("force");
  return change([&](FlatBufferBuilder& b) {
    return wire::CreateForce(b, body, Vec3Of(force).get(), Vec3Of(torque).get(), ticks);
  });
}

takt_status RemoteWorld::teleport(std::uint64_t body, const double* position, const double* rotation,
                                  const double* linear, const double* angular) {
  return change([&](FlatBufferBuilder& b) {
    return wire::CreateTeleport(b, body, Vec3Of(position).get(), QuatOf(rotation).get(), Vec3Of(linear).get(),
                                Vec3Of(angular).get());
  });
}

takt_status RemoteWorld::spawn(const takt_spawn* spawn, std::uint64_t* body) {
  if (spawn == nullptr) return null_argument("spawn");
  if (body == nullptr) return null_argument("body");
  takt_spawn s{};
  if (takt_status const bad = read_struct(spawn, s)) return bad;
  return change(
      [&](FlatBufferBuilder& b) {
        return wire::CreateSpawn(b, s.shape, Vec3Of(s.dimensions).get(), Vec3Of(s.position).get(),
                                 QuatOf(s.rotation).get(), Vec3Of(s.linear_velocity).get(),
                                 Vec3Of(s.angular_velocity).get(), s.density, s.friction, s.restitution,
                                 s.tag);
      },
      [&](const wire::Reply& reply) { return give_id(reply, body); });
}

takt_status RemoteWorld::despawn(std::uint64_t body) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateDespawn(b, body); });
}

takt_status RemoteWorld::move(std::uint64_t body, const double* velocity, double turn,
                              std::uint32_t in_heading_frame, std::uint32_t jump) {
  if (velocity == nullptr) return null_argument("velocity");
  return change([&](FlatBufferBuilder& b) {
    return wire::CreateMove(b, body, Vec3Of(velocity).get(), turn, in_heading_frame, jump);
  });
}

takt_status RemoteWorld::cut_rope(std::uint64_t rope, std::uint32_t segment) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateCutRope(b, rope, segment); });
}

takt_status RemoteWorld::joint_motor(std::uint64_t joint, std::uint32_t axis, double speed, double max) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateJointMotor(b, joint, axis, speed, max); });
}

takt_status RemoteWorld::joint_drive(std::uint64_t joint, std::uint32_t axis, std::uint32_t on, double target,
                                     double frequency, double damping_ratio, double max) {
  return change([&](FlatBufferBuilder& b) {
    return wire::CreateJointDrive(b, joint, axis, on, target, frequency, damping_ratio, max);
  });
}

takt_status RemoteWorld::joint_limit(std::uint64_t joint, std::uint32_t axis, double lower, double upper) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateJointLimit(b, joint, axis, lower, upper); });
}

takt_status RemoteWorld::joint_friction(std::uint64_t joint, std::uint32_t axis, double friction) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateJointFriction(b, joint, axis, friction); });
}

takt_status RemoteWorld::joint_enable(std::uint64_t joint, std::uint32_t enabled) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateJointEnable(b, joint, enabled); });
}

takt_status RemoteWorld::destroy_joint(std::uint64_t joint) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateDestroyJoint(b, joint); });
}

takt_status RemoteWorld::change_joint(std::uint64_t joint, const takt_joint_change* change) {
  if (change == nullptr) return null_argument("change");
  takt_joint_change read{};
  if (takt_status const bad = read_struct(change, read)) return bad;
  wire::Vec3 const position_a = service::to_wire(read.position_a);
  wire::Vec3 const position_b = service::to_wire(read.position_b);
  wire::Quat const rotation_a = service::quat_to_wire(read.rotation_a);
  wire::Quat const rotation_b = service::quat_to_wire(read.rotation_b);
  return this->change([&](FlatBufferBuilder& b) {
    return wire::CreateChangeJoint(
        b, joint, read.fields, read.collide_connected, read.locked, &position_a, &rotation_a, &position_b,
        &rotation_b, read.linear_frequency, read.linear_damping_ratio, read.angular_frequency,
        read.angular_damping_ratio, read.max_force, read.max_torque, read.break_force, read.break_torque,
        read.ratio, read.length, read.direct, read.axis, read.lower, read.upper, read.limit_frequency,
        read.limit_damping_ratio);
  });
}

takt_status RemoteWorld::create_joint(const takt_joint_def* def, std::uint64_t* joint) {
  if (def == nullptr) return null_argument("def");
  if (joint == nullptr) return null_argument("joint");
  takt_joint_def d{};
  if (takt_status const bad = read_struct(def, d)) return bad;
  return change([&](FlatBufferBuilder& b) { return service::write_joint(b, d); },
                [&](const wire::Reply& reply) { return give_id(reply, joint); });
}

takt_status RemoteWorld::change_body(std::uint64_t body, const takt_body_change* change) {
  if (change == nullptr) return null_argument("change");
  takt_body_change c{};
  if (takt_status const bad = read_struct(change, c)) return bad;
  return this->change([&](FlatBufferBuilder& b) {
    return wire::CreateChangeBody(b, body, c.fields, c.type, c.enabled, c.locked, c.gravity_scale,
                                  c.linear_damping, c.angular_damping, c.tag);
  });
}

takt_status RemoteWorld::set_target(std::uint64_t body, const double* position, const double* rotation) {
  if (position == nullptr || rotation == nullptr) return null_argument("position or rotation");
  return change([&](FlatBufferBuilder& b) {
    return wire::CreateSetTarget(b, body, Vec3Of(position).get(), QuatOf(rotation).get());
  });
}

takt_status RemoteWorld::change_shape(std::uint64_t shape, const takt_shape_change* change) {
  if (change == nullptr) return null_argument("change");
  takt_shape_change c{};
  if (takt_status const bad = read_struct(change, c)) return bad;
  return this->change([&](FlatBufferBuilder& b) {
    return wire::CreateChangeShape(b, shape, c.fields, c.category, c.mask, c.group, c.friction, c.restitution,
                                   Vec3Of(c.surface_velocity).get());
  });
}

takt_status RemoteWorld::tune_mover(std::uint64_t body, const takt_mover_tuning* tuning) {
  if (tuning == nullptr) return null_argument("tuning");
  takt_mover_tuning t{};
  if (takt_status const bad = read_struct(tuning, t)) return bad;
  return change([&](FlatBufferBuilder& b) {
    service::TuningValues const numbers = service::values_of(t);
    auto const values = b.CreateVector(numbers.data(), numbers.size());
    return wire::CreateTuneMover(b, body, t.fields, values);
  });
}

takt_status RemoteWorld::create_mover(const takt_mover_def* def, const takt_mover_tuning* tuning,
                                      std::uint64_t* body) {
  if (def == nullptr) return null_argument("def");
  if (body == nullptr) return null_argument("body");
  takt_mover_def d{};
  if (takt_status const bad = read_struct(def, d)) return bad;
  takt_mover_tuning t{};
  if (takt_status const bad = read_struct(tuning, t)) return bad;
  return change([&](FlatBufferBuilder& b) { return service::write_mover(b, d, t); },
                [&](const wire::Reply& reply) { return give_id(reply, body); });
}

takt_status RemoteWorld::create_rope(const takt_rope_def* def, const double* points, std::uint64_t* rope) {
  if (def == nullptr) return null_argument("def");
  if (rope == nullptr) return null_argument("rope");
  takt_rope_def d{};
  if (takt_status const bad = read_struct(def, d)) return bad;
  if (d.node_count > service::kRopeNodesMax)
    return fail(TAKT_ERROR_RANGE, "node_count is not within [2, 4096]");
  return change(
      [&](FlatBufferBuilder& b) {
        return service::write_rope(b, d, rows_of(b, points, 3 * std::size_t{d.node_count}));
      },
      [&](const wire::Reply& reply) { return give_id(reply, rope); });
}

takt_status RemoteWorld::destroy_rope(std::uint64_t rope) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateDestroyRope(b, rope); });
}

takt_status RemoteWorld::rope_length(std::uint64_t rope, double segment_length) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateRopeLength(b, rope, segment_length); });
}

takt_status RemoteWorld::pin_rope(std::uint64_t rope, std::uint32_t node, std::uint64_t body,
                                  const double* point) {
  return change(
      [&](FlatBufferBuilder& b) { return wire::CreatePinRope(b, rope, node, body, Vec3Of(point).get()); });
}

takt_status RemoteWorld::unpin_rope(std::uint64_t rope, std::uint32_t node) {
  return change([&](FlatBufferBuilder& b) { return wire::CreateUnpinRope(b, rope, node); });
}

takt_status RemoteWorld::grab(std::uint64_t body, const double* local_point, const double* target,
                              double max_force) {
  if (target == nullptr) return null_argument("target");
  return change([&](FlatBufferBuilder& b) {
    return wire::CreateGrab(b, body, Vec3Of(local_point).get(), Vec3Of(target).get(), max_force);
  });
}

takt_status RemoteWorld::move_grab(const double* target) {
  if (target == nullptr) return null_argument("target");
  return change([&](FlatBufferBuilder& b) { return wire::CreateMoveGrab(b, Vec3Of(target).get()); });
}

takt_status RemoteWorld::release() {
  return change([](FlatBufferBuilder& b) { return wire::CreateRelease(b); });
}

takt_status RemoteWorld::capture(takt_snapshot** snapshot) {
  return give_snapshot(client_, snapshot, [&](auto const& take) { return read(kMakeCapture, take); });
}

takt_status RemoteWorld::capture_into(takt_snapshot* snapshot) {
  Use<RemoteSnapshot> const use(snapshot, Access::kExclusive);
  if (takt_status const bad = use_snapshot(use, client_)) return bad;
  return read([&](FlatBufferBuilder& b) { return wire::CreateCapture(b, use->handle); },
              [&](const wire::Reply& reply) -> takt_status {
                use->tick = reply.tick();
                return TAKT_OK;
              });
}

takt_status RemoteWorld::rollback(takt_snapshot* snapshot) {
  Use<RemoteSnapshot> const use(snapshot, Access::kShared);
  if (takt_status const bad = use_snapshot(use, client_)) return bad;
  return change([&](FlatBufferBuilder& b) { return wire::CreateRollback(b, use->handle); });
}

takt_status RemoteWorld::save(const void** image, std::size_t* image_bytes) {
  if (image == nullptr || image_bytes == nullptr) return null_argument("image or image_bytes");
  return read([](FlatBufferBuilder& b) { return wire::CreateSave(b); },
              [&](const wire::Reply& reply) -> takt_status {
                if (reply.bytes() == nullptr) return broken_reply();
                auto const* const data = reinterpret_cast<const std::byte*>(reply.bytes()->data());
                image_.assign(data, data + reply.bytes()->size());
                *image = image_.data();
                *image_bytes = image_.size();
                return TAKT_OK;
              });
}

takt_status RemoteWorld::restore(const void* image, std::size_t image_bytes) {
  if (image == nullptr) return null_argument("image");
  if (image_bytes > service::kFrameBytesMax)
    return fail(TAKT_ERROR_LIMIT, "limit frame: the image is larger");
  return change([&](FlatBufferBuilder& b) {
    return wire::CreateRestore(b, b.CreateVector(static_cast<const std::uint8_t*>(image), image_bytes));
  });
}

takt_status RemoteWorld::key(std::uint8_t* key) {
  if (key == nullptr) return null_argument("key");
  return read(kMakeKey, [&](const wire::Reply& reply) { return give_key(reply, key); });
}

RemoteBatch::~RemoteBatch() {
  objects_.clear();  // ends recordings
  drop(*client_, handle_);
}

template <class Make, class Read>
takt_status RemoteBatch::ask(std::uint32_t columns, const Make& make, const Read& read) {
  return exchange(*client_, {handle_, kNoWorldIndex}, arrays_, columns, make, read);
}

// A partial change has changed worlds even when it fails, and so has a stopped step.
template <class Make>
takt_status RemoteBatch::change(const Make& make, bool is_partial) {
  takt_status const status = ask(arrays_.columns(), make, kNothing);
  bool const has_changed = is_partial ? status >= TAKT_ERROR_RANGE : status == TAKT_ERROR_STOPPED;
  if (status != TAKT_OK && !has_changed) return status;
  auto const fresh = [&]() -> takt_status {
    if (status != TAKT_OK) {
      if (takt_status const bad = refresh()) return bad;
    }
    for (const auto& [index, world] : objects_) {
      if (takt_status const bad = world->refresh()) return bad;
    }
    return TAKT_OK;
  };
  return status == TAKT_OK ? fresh() : refresh_after(status, fresh);
}

takt_status RemoteBatch::refresh() {
  if (arrays_.columns() == 0) return TAKT_OK;
  return ask(
      arrays_.columns(), [](FlatBufferBuilder& b) { return wire::CreateObserve(b); }, kNothing);
}

takt_status RemoteBatch::world(takt_batch* own, std::size_t index, takt_world** world) {
  if (world == nullptr) return null_argument("world");
  if (index >= worlds_) return fail(TAKT_ERROR_RANGE, "index is not below the number of worlds");
  auto const found = handles_.find(index);
  if (found != handles_.end()) {
    *world = found->second;
    return TAKT_OK;
  }
  auto object = std::make_unique<RemoteWorld>(client_, Target{handle_, static_cast<std::uint32_t>(index)});
  object->owner = this;
  object->batch = own;
  auto const entry = handles_.emplace(index, nullptr).first;
  auto const owned = objects_.emplace(index, std::move(object)).first;
  try {
    entry->second =
        pointer_of<takt_world>(HandleTable::instance().insert(HandleKind::kRemoteWorld, owned->second.get()));
  } catch (...) {
    handles_.erase(entry);
    objects_.erase(owned);
    throw;
  }
  *world = entry->second;
  return TAKT_OK;
}

takt_status RemoteBatch::step_part(std::uint32_t ticks, const std::uint8_t* where, bool keeps_events) {
  return change(
      [&](FlatBufferBuilder& b) {
        auto const mask = rows_of(b, where, worlds_);
        return wire::CreateStep(b, ticks, mask, keeps_events);
      },
      false);
}

takt_status RemoteBatch::step(std::uint32_t ticks, const std::uint8_t* where) {
  bool const records =
      std::ranges::any_of(objects_, [](const auto& world) { return world.second->is_recording(); });
  if (!records || ticks > service::kStepTicksMax) return step_part(ticks, where, false);
  return step_in_parts(
      ticks, [&](std::uint32_t part, bool is_later) { return step_part(part, where, is_later); },
      [&](std::uint32_t part) -> takt_status {
        takt_status lost = TAKT_OK;
        std::string text;
        for (const auto& [index, world] : objects_) {
          takt_status const bad = world->follow_recording(part);
          if (bad == TAKT_OK) continue;
          if (bad != TAKT_ERROR_FILE && bad != TAKT_ERROR_LIMIT) return bad;
          lost = bad;
          text = failure_text();
        }
        return lost == TAKT_OK ? TAKT_OK : fail(lost, text);
      });
}

takt_status RemoteBatch::hashes(std::uint64_t* hashes) {
  if (hashes == nullptr) return null_argument("hashes");
  return ask(
      0, [](FlatBufferBuilder& b) { return wire::CreateHash(b); },
      [&](const wire::Reply& reply) -> takt_status {
        std::size_t count = 0;
        give_rows(reply.ids(), hashes, worlds_, &count, [](std::uint64_t hash) { return hash; });
        return count == worlds_ ? takt_status{TAKT_OK} : broken_reply();
      });
}

takt_status RemoteBatch::array(std::uint32_t field, takt_view* view, takt_array** hold) {
  return give_wanted(
      arrays_, [this] { return refresh(); }, field, view, hold);
}

takt_status RemoteBatch::capture(takt_snapshot** snapshot) {
  return give_snapshot(client_, snapshot, [&](auto const& take) { return ask(0, kMakeCapture, take); });
}

takt_status RemoteBatch::key(std::uint8_t* key) {
  if (key == nullptr) return null_argument("key");
  return ask(0, kMakeKey, [&](const wire::Reply& reply) { return give_key(reply, key); });
}

takt_status RemoteBatch::rollback(takt_snapshot* snapshot, const std::uint8_t* where) {
  Use<RemoteSnapshot> const use(snapshot, Access::kShared);
  if (takt_status const bad = use_snapshot(use, client_)) return bad;
  return change(
      [&](FlatBufferBuilder& b) {
        auto const mask = rows_of(b, where, worlds_);
        return wire::CreateRollback(b, use->handle, mask);
      },
      false);
}

takt_status RemoteBatch::force(const std::uint64_t* bodies, const double* forces, const double* torques,
                               std::uint32_t ticks, const std::uint8_t* where) {
  if (bodies == nullptr || forces == nullptr) return null_argument("bodies or forces");
  return change(
      [&](FlatBufferBuilder& b) {
        auto const ids = rows_of(b, bodies, worlds_);
        auto const f = rows_of(b, forces, std::size_t{3} * worlds_);
        auto const t = rows_of(b, torques, std::size_t{3} * worlds_);
        auto const mask = rows_of(b, where, worlds_);
        return wire::CreateBatchForce(b, ids, f, t, ticks, mask);
      },
      true);
}

takt_status RemoteBatch::teleport(const std::uint64_t* bodies, const double* positions,
                                  const double* rotations, const double* linear, const double* angular,
                                  const std::uint8_t* where) {
  if (bodies == nullptr) return null_argument("bodies");
  return change(
      [&](FlatBufferBuilder& b) {
        auto const ids = rows_of(b, bodies, worlds_);
        auto const p = rows_of(b, positions, std::size_t{3} * worlds_);
        auto const q = rows_of(b, rotations, std::size_t{4} * worlds_);
        auto const v = rows_of(b, linear, std::size_t{3} * worlds_);
        auto const w = rows_of(b, angular, std::size_t{3} * worlds_);
        auto const mask = rows_of(b, where, worlds_);
        return wire::CreateBatchTeleport(b, ids, p, q, v, w, mask);
      },
      true);
}

}  // namespace takt::c
