#include "c/world_object.h"

#include <algorithm>
#include <new>
#include <tuple>
#include <variant>

#include "c/call.h"

namespace takt::c {
namespace {

takt_event event_of(std::uint64_t tick, std::uint32_t kind) noexcept {
  takt_event event{};
  event.tick = tick;
  event.kind = kind;
  return event;
}

void put(double (&out)[3], const Vec3<double>& v) noexcept {
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

template <class Field>
std::size_t list_bytes_of(const Field&) noexcept {
  return 0;
}
template <class Element>
std::size_t list_bytes_of(const std::vector<Element>& list) noexcept {
  return list.size() * sizeof(Element);
}
std::size_t list_bytes_of(const std::string& text) noexcept { return text.size(); }

// Room for edits of a recording world that stays from tick to tick.
constexpr std::size_t kKeptInputs = (std::size_t{64} << 10u) / sizeof(sim::Input);

// Memory of an edit that waits for the next step of its recording.
std::size_t bytes_of(const sim::Command& command) {
  auto const lists = []<class C>(const C& c) {
    return std::apply([](const auto&... field) { return (std::size_t{0} + ... + list_bytes_of(field)); },
                      C::fields(c));
  };
  return sizeof(sim::Input) + std::visit(lists, command);
}

template <class Item, class IdType>
void add_names(const std::vector<Item>& items, const std::vector<IdType>& ids,
               std::vector<std::pair<std::string, IdType>>& out) {
  for (std::size_t i = 0; i < items.size() && i < ids.size(); ++i) {
    if (!items[i].name.empty()) out.emplace_back(items[i].name, ids[i]);
  }
  std::ranges::sort(out);
}

}  // namespace

// A new world gives ids in order of creation, so lists in id order are in the order of the scene.
std::shared_ptr<const NameTable> names_of(const sim::Scene& scene, const sim::AnyWorld& world) {
  auto names = std::make_shared<NameTable>();
  std::vector<BodyId> bodies;
  std::vector<JointId> joints;
  world.list_bodies(bodies);
  world.list_joints(joints);
  add_names(scene.bodies, bodies, names->bodies);
  add_names(scene.joints, joints, names->joints);
  return names;
}

WorldObject::WorldObject(sim::Simulation simulation, std::shared_ptr<const sim::Scene> scene,
                         std::shared_ptr<const NameTable> names, StepSetting setting)
    : simulation_(std::move(simulation)),
      scene_(std::move(scene)),
      names_(std::move(names)),
      setting_(std::move(setting)) {}

StepRecord WorldObject::step(std::uint32_t ticks, StepScratch* scratch, StopCheck* check) {
  sim::TickOptions options;
  options.step.lanes = setting_.lanes;
  options.step.pool = setting_.pool.get();
  options.step.scratch = scratch;
  if (check == nullptr || !check->keeps_events) events_.clear();
  StepRecord record = StepRecord::kWhole;
  for (std::uint32_t i = 0; i < ticks; ++i) {
    if (i > 0 && check != nullptr && check->stops()) break;
    options.want_hash = writer_.has_value();
    sim::TickResult const result = change([&] { return simulation_.step({}, options); });
    if (writer_) {
      try {
        if (!writer_->append(simulation_, inputs_, result)) {
          record = StepRecord::kFileFull;
          (void)stop_recording();
        }
      } catch (const std::bad_alloc&) {  // the writer has a part of the tick, or none
        record = StepRecord::kNoMemory;
        drop_recording();
      }
      inputs_.clear();
      if (inputs_.capacity() > kKeptInputs) inputs_.shrink_to_fit();
      if (sink_) sink_->end_tick(writer_->waiting_bytes());
    }
    collect_events();
  }
  return record;
}

void WorldObject::collect_events() {
  StepEvents const& from = simulation_.events();
  std::uint64_t const tick = simulation_.tick();
  auto const add = [&](std::uint32_t kind) -> takt_event* {
    if (events_.size() == kMaxEvents) return nullptr;
    return &events_.emplace_back(event_of(tick, kind));
  };
  auto const add_shapes = [&](std::uint32_t kind, ShapeId a, ShapeId b) {
    takt_event* const event = add(kind);
    if (event == nullptr) return event;
    event->shape_a = a.to_u64();
    event->shape_b = b.to_u64();
    event->body_a = world().body_of(a).to_u64();
    event->body_b = world().body_of(b).to_u64();
    return event;
  };
  auto const add_body = [&](std::uint32_t kind, BodyId body) {
    if (takt_event* const event = add(kind)) event->body_a = body.to_u64();
  };
  for (const ContactEvent& e : from.contact_begin) add_shapes(TAKT_EVENT_CONTACT_BEGIN, e.shape_a, e.shape_b);
  for (const ContactEvent& e : from.contact_end) add_shapes(TAKT_EVENT_CONTACT_END, e.shape_a, e.shape_b);
  for (const HitEvent& e : from.hits) {
    takt_event* const event = add_shapes(TAKT_EVENT_HIT, e.shape_a, e.shape_b);
    if (event == nullptr) continue;
    put(event->position, e.point.to_metres());
    put(event->normal, e.normal);
    event->impulse = e.impulse_n_s;
    event->speed = e.approach_speed_m_s;
  }
  for (const SensorOverlap& e : from.sensor_begin) add_shapes(TAKT_EVENT_SENSOR_BEGIN, e.sensor, e.visitor);
  for (const SensorOverlap& e : from.sensor_end) add_shapes(TAKT_EVENT_SENSOR_END, e.sensor, e.visitor);
  for (BodyId const body : from.quarantined) add_body(TAKT_EVENT_QUARANTINED, body);
  for (BodyId const body : from.slept) add_body(TAKT_EVENT_SLEPT, body);
  for (BodyId const body : from.woken) add_body(TAKT_EVENT_WOKEN, body);
  for (JointId const joint : from.broken_joints) {
    if (takt_event* const event = add(TAKT_EVENT_JOINT_BROKEN)) event->joint = joint.to_u64();
  }
}

sim::Refusal WorldObject::edit(sim::Command command, BodyId* spawned, std::uint64_t* created) {
  sim::Input input;
  input.tick = simulation_.tick();
  input.player = sim::kServerPlayer;
  input.sequence = simulation_.server_sequence() + 1;
  input.command = std::move(command);
  sim::TickResult result;
  if (writer_) {  // a refused one too: its number is part of the state
    if (!sink_->add_edit(bytes_of(input.command))) throw RecordingLimit();
    inputs_.push_back(input);
  }
  sim::Refusal const refusal = change([&] { return simulation_.apply(input, result, created); });
  if (spawned != nullptr && !result.spawned.empty()) *spawned = result.spawned.back();
  return refusal;
}

void WorldObject::run_queries() {
  change([&] { world().query(queries, query_results); });
}

void WorldObject::capture(CapturedWorld& out) const {
  simulation_.capture(out.snapshot);
  out.def = world().def();
  out.numbers = simulation_.numbers();
  out.scene_hash = simulation_.scene_hash();
  out.tick = simulation_.tick();
}

bool WorldObject::fits(const CapturedWorld& captured) const noexcept {
  return captured.numbers == simulation_.numbers() && captured.scene_hash == simulation_.scene_hash() &&
         captured.def == world().def();
}

void WorldObject::rollback(const CapturedWorld& captured) {
  if (is_broken_) simulation_ = sim::Simulation::make_shadow(simulation_);
  change([&] { simulation_.rollback(captured.snapshot); });
  events_.clear();
}

void WorldObject::replace(sim::Simulation simulation) {
  simulation_ = std::move(simulation);
  is_broken_ = false;
  events_.clear();
}

std::unique_ptr<WorldObject> WorldObject::fork() const {
  sim::SimulationSnapshot snapshot;
  simulation_.capture(snapshot);
  sim::Simulation twin = sim::Simulation::make_shadow(simulation_);
  twin.rollback(snapshot);
  return std::make_unique<WorldObject>(std::move(twin), scene_, names_, setting_);
}

Result<Unit, FileFault> WorldObject::start_recording(std::unique_ptr<RecordingSink> sink,
                                                     const std::string& name) {
  sim::RecordingOptions options;
  options.created_by = "libtakt " TAKT_VERSION;
  sim::RecordingWriter writer(*sink, options);
  if (!writer.begin(simulation_, scene_.get())) return FileFault{name + std::string(kNoRoom)};
  if (auto const committed = sink->commit(); !committed) return committed.error();
  sink_ = std::move(sink);
  writer_.emplace(std::move(writer));
  inputs_.clear();
  return Unit{};
}

bool WorldObject::stop_recording() {
  bool is_ended = false;
  try {
    bool const has_failed = writer_->failed();
    is_ended = writer_->close().ok() && !has_failed;
  } catch (...) {
    drop_recording();
    throw;
  }
  return drop_recording() && is_ended;
}

bool WorldObject::drop_recording() {
  writer_.reset();
  std::vector<sim::Input>().swap(inputs_);
  std::unique_ptr<RecordingSink> const sink = std::move(sink_);
  return sink == nullptr || sink->close();
}

}  // namespace takt::c
