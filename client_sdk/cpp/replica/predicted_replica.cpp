#include "client_sdk/cpp/replica/predicted_replica.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <iterator>
#include <utility>
#include <variant>

#include "sim/recording/simulation_image.h"
#include "sim/replication/wire_types.h"
#include "takt/core/assert.h"

namespace takt::client {
namespace {

/// Snapshots that reordering may bring after newer ones: more than 0.5 s at 60 Hz.
constexpr std::uint64_t kLateTicks = 32;
/// The area is chosen anew after so many ticks, and at once when a command names another body.
constexpr std::uint64_t kAreaTicks = 8;
/// Bodies that follow snapshots are so far behind the newest one, so that the next comes in time.
constexpr double kFollowTicks = 3;
/// Distance below which a body that follows is left alone, m and in components of its rotation.
constexpr double kRestM = 1e-4;
constexpr double kRestRotation = 1e-4;

// Commands that create or destroy bodies come with the server's word, and a Game's with its effects.
bool can_predict(const sim::Command& command) {
  return !std::holds_alternative<sim::SpawnCommand>(command) &&
         !std::holds_alternative<sim::DespawnCommand>(command) &&
         !std::holds_alternative<sim::CustomCommand>(command);
}

std::optional<BodyId> body_named(const sim::Command& command) {
  return std::visit(
      []<class One>(const One& one) -> std::optional<BodyId> {
        if constexpr (requires {
                        { one.body } -> std::convertible_to<BodyId>;
                      })
          return one.body;
        return std::nullopt;
      },
      command);
}

ShapeDef to_shape(const protocol::ShapeInfo& info) {
  ShapeDef shape;
  shape.kind = sim::from_wire(info.kind);
  auto const wide = [](const protocol::Vec3f& v) {
    return Vec3<double>{static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
  };
  Vec3<double> const size = wide(info.dimensions);
  shape.local_position_m = wide(info.local_position);
  shape.local_rotation = {
      static_cast<double>(info.local_rotation.x), static_cast<double>(info.local_rotation.y),
      static_cast<double>(info.local_rotation.z), static_cast<double>(info.local_rotation.w)};
  switch (shape.kind) {
    case ShapeKind::kSphere: shape.radius_m = size.x; break;
    case ShapeKind::kCapsule:
    case ShapeKind::kCylinder:
    case ShapeKind::kCone:
      shape.radius_m = size.x;
      shape.half_length_m = size.y;
      break;
    case ShapeKind::kHalfSpace: break;
    case ShapeKind::kBox: shape.half_extents_m = size; break;
    case ShapeKind::kHull:
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField:
      // A stand-in: its box.
      shape.kind = ShapeKind::kBox;
      shape.half_extents_m = size;
      break;
  }
  return shape;
}

bool has_moved(const sim::BodyView& body, const BodyCorrection& to) noexcept {
  auto const far = [](double a, double b) { return std::abs(a - b) > kRestM; };
  if (far(body.position.x_m(), to.position.x_m()) || far(body.position.y_m(), to.position.y_m()) ||
      far(body.position.z_m(), to.position.z_m()))
    return true;
  Quat<double> const& a = body.rotation;
  Quat<double> const& b = to.rotation;
  double const sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
  auto const turned = [&](double p, double q) { return std::abs(p - sign * q) > kRestRotation; };
  return turned(a.x, b.x) || turned(a.y, b.y) || turned(a.z, b.z) || turned(a.w, b.w);
}

}  // namespace

PredictedReplica::PredictedReplica(const PredictedOptions& options)
    : options_(options),
      area_(options.area_radius_m),
      slots_(options.ahead_ticks_max + kLateTicks + options.catch_up_ticks + 1) {
  TAKT_ASSERT(options.catch_up_ticks >= 1 && options.ahead_ticks_max >= 1 && options.ahead_ticks_max <= 1024);
}

Result<Unit, sim::SimError> PredictedReplica::restore(std::span<const std::byte> image, sim::PlayerId own,
                                                      std::uint32_t sequence_offset) {
  auto sections = sim::parse_image(image);
  if (!sections) return sections.error();
  std::vector<std::byte> without_game;
  if (!sections->game_name.empty()) {
    sections->game_name = {};
    sections->game = {};
    without_game = sim::frame_image(*sections);
    image = without_game;
  }
  auto restored = sim::Simulation::restore(image);
  if (!restored) return restored.error();
  // News of bodies that came since the image may have overtaken it.
  auto lives = std::exchange(lives_, {});
  clear();
  lives_ = std::move(lives);
  simulation_ = *std::move(restored);
  own_ = own;
  first_tick_ = image_tick_ = simulation_->tick();
  std::erase_if(lives_, [&](const auto& one) {
    Life const& life = one.second;
    return (life.until == UINT64_MAX ? life.from : life.until) <= image_tick_;
  });
  sequence_offset_ = sequence_offset;
  std::vector<BodyId> ids;
  simulation_->world().list_bodies(ids);
  for (BodyId const id : ids) types_[id] = simulation_->world().body_type(id);
  return Unit{};
}

void PredictedReplica::clear() {
  simulation_.reset();
  truth_.clear();
  area_.clear();
  types_.clear();
  first_tick_ = image_tick_ = 0;
  sequence_offset_ = 0;
  inputs_.clear();
  lives_.clear();
  dirty_tick_.reset();
  delay_ticks_ = 0;
  is_area_due_ = true;
  silence_tick_ = 0;
  rollbacks_.clear();
  stats_ = {};
}

const sim::Simulation& PredictedReplica::simulation() const {
  TAKT_ASSERT(simulation_);
  return *simulation_;
}

std::uint64_t PredictedReplica::snapshot_tick() const noexcept {
  return std::max(image_tick_, truth_.newest_tick());
}

// ---------------------------------------------------------------- in

void PredictedReplica::handle_snapshot(const protocol::SnapshotPart& part, bool completes) {
  if (!simulation_) return;
  // However late: the server sends no state again that has arrived, and this may be a body's last one.
  truth_.handle_part(part, completes);
  for (const protocol::BodyState& body : part.bodies) {
    BodyId const id = BodyId::from_u64(body.id);
    if (auto const known = types_.find(id); known != types_.end()) known->second = to_truth(body).type;
  }
}

void PredictedReplica::handle_added(const protocol::BodiesAdded& added) {
  if (simulation_ && added.tick <= image_tick_) return;
  for (const protocol::BodyInfo& body : added.bodies) {
    Life& life = lives_[BodyId::from_u64(body.id)];
    life.from = added.tick;
    life.info = body;
  }
}

void PredictedReplica::handle_removed(const protocol::BodiesRemoved& removed) {
  if (simulation_ && removed.tick <= image_tick_) return;
  for (protocol::BodyId const id : removed.ids) lives_[BodyId::from_u64(id)].until = removed.tick;
}

void PredictedReplica::add_input(std::uint64_t tick, std::uint32_t sequence, sim::Command command) {
  TAKT_ASSERT(simulation_ && tick >= simulation_->tick());
  if (!can_predict(command)) return;
  if (auto const body = body_named(command)) {
    is_area_due_ = is_area_due_ || !area_.is_named(*body);
    area_.note_named(*body, tick);
    if (BodyTruth::Track* const track = truth_.find(*body)) track->is_held = false;
  }
  if (std::holds_alternative<sim::GrabCommand>(command)) area_.note_grab(tick);
  inputs_.push_back({tick, own_, sequence + sequence_offset_, std::move(command)});
}

void PredictedReplica::note_dirty(std::uint64_t tick) {
  if (tick >= simulation_->tick()) return;
  tick = std::max(tick, first_tick_);
  dirty_tick_ = dirty_tick_ ? std::min(*dirty_tick_, tick) : tick;
}

void PredictedReplica::move_input(std::uint32_t sequence, std::uint64_t tick) {
  for (sim::Input& input : inputs_) {
    if (input.sequence != sequence + sequence_offset_ || input.tick == tick) continue;
    note_dirty(std::min(input.tick, tick));
    // Effects that snapshots do not tell, such as the input of a mover, must not be lost.
    input.tick = std::max(tick, first_tick_);
  }
}

void PredictedReplica::drop_input(std::uint32_t sequence) {
  std::erase_if(inputs_, [&](const sim::Input& input) {
    if (input.sequence != sequence + sequence_offset_) return false;
    note_dirty(input.tick);
    return true;
  });
}

// ---------------------------------------------------------------- corrections

bool PredictedReplica::steps(BodyId body) const {
  if (!area_.contains(body)) return false;
  BodyTruth::Track const* const track = truth_.find(body);
  return track == nullptr || !track->is_held;
}

// Bodies that the own world computes, and not those that follow snapshots.
bool PredictedReplica::is_predicted(const TruthState& truth) const {
  return truth.type == BodyType::kKinematic || (truth.type == BodyType::kDynamic && steps(truth.body));
}

bool PredictedReplica::differs(std::uint64_t tick, const TruthState& truth) {
  std::vector<sim::BodyView> const& had = slot(tick).predicted;
  auto const at = std::ranges::lower_bound(had, truth.body, {}, &sim::BodyView::id);
  if (at == had.end() || at->id != truth.body) return simulation_->world().contains(truth.body);
  ++stats_.compared;
  double const x = at->position.x_m() - truth.state.position.x_m();
  double const y = at->position.y_m() - truth.state.position.y_m();
  double const z = at->position.z_m() - truth.state.position.z_m();
  double const error_m = std::sqrt(x * x + y * y + z * z);
  stats_.error_sum_m += error_m;
  stats_.error_max_m = std::max(stats_.error_max_m, error_m);
  if (agrees_at(tick, *at, truth)) return false;
  ++stats_.corrected;
  return true;
}

// A mover's input is a part of its state: it acts on all ticks that follow.
bool PredictedReplica::agrees_at(std::uint64_t tick, const sim::BodyView& own, const TruthState& truth) {
  if (!agrees(own, truth)) return false;
  if (!truth.input) return true;
  auto const& inputs = slot(tick).inputs;
  auto const had = std::ranges::find(inputs, truth.body, &std::pair<BodyId, MoverInput>::first);
  return had == inputs.end() || is_equal_input(had->second, *truth.input);
}

// A body that followed snapshots was behind: the own world steps it from its newest state on.
void PredictedReplica::note_entered() {
  for (BodyId const body : area_.bodies()) {
    BodyTruth::Track const* const track = truth_.find(body);
    if (track != nullptr && steps(body) && simulation_->world().body_type(body) != BodyType::kDynamic)
      note_dirty(track->tick);
  }
}

void PredictedReplica::note_silence() {
  std::uint64_t const newest = truth_.newest_tick();
  std::uint64_t const present = simulation_->tick();
  if (newest == silence_tick_ || newest < first_tick_ || newest >= present) return;
  silence_tick_ = newest;
  for (const sim::BodyView& own : slot(newest).predicted) {
    BodyTruth::Track* const track = truth_.find(own.id);
    if (track == nullptr || track->tick >= newest) continue;
    if (agrees_at(newest, own, track->newest)) {
      track->differs_since = 0;
    } else if (track->differs_since == 0) {
      track->differs_since = newest;
    } else if (newest - track->differs_since >= truth_.silence_ticks(present - newest)) {
      track->differs_since = 0;
      track->is_held = track->newest.asleep && track->newest.type == BodyType::kDynamic && !own.asleep;
      if (track->is_held) note_dirty(newest);
      if (!track->is_held) truth_.affirm(*track);
    }
  }
}

std::optional<std::uint64_t> PredictedReplica::first_difference() {
  truth_.drop_before(first_tick_);
  note_silence();
  std::optional<std::uint64_t> first = std::exchange(dirty_tick_, std::nullopt);
  for (BodyTruth::Heard& heard : truth_.heard()) {
    if (heard.tick >= simulation_->tick()) break;
    if (!std::exchange(heard.is_new, false)) continue;
    bool is_different = false;
    truth_.visit(heard, [&](const TruthState& truth) {
      if (is_predicted(truth) && differs(heard.tick, truth)) is_different = true;
    });
    if (is_different && (!first || heard.tick < *first)) first = heard.tick;
  }
  return first;
}

void PredictedReplica::correct(const TruthState& truth) {
  if (!is_predicted(truth) || !simulation_->world().contains(truth.body)) return;
  sim::BodyView const own = simulation_->world().view(truth.body);
  // Exactly, also what agrees: once the own world steps again, that costs nothing.
  if (own.type != truth.type && !simulation_->local_world().set_type(truth.body, truth.type).ok()) return;
  // A correction wakes nothing; a body that moves on the server must.
  if (own.asleep && !truth.asleep) (void)simulation_->local_world().wake(truth.body);
  (void)simulation_->correct(truth.body, truth.state);
  if (!truth.input) return;
  simulation_->local_world().visit([&](auto& world) {
    if (MoverId const mover = world.mover_of(truth.body)) (void)world.set_mover_input(mover, *truth.input);
  });
}

void PredictedReplica::apply_truth() {
  if (BodyTruth::Heard const* const heard = truth_.heard_at(simulation_->tick()))
    truth_.visit(*heard, [&](const TruthState& truth) { correct(truth); });
}

void PredictedReplica::rewind(std::uint64_t tick, VisualOffsets* offsets) {
  std::uint64_t const present = simulation_->tick();
  TAKT_ASSERT(tick >= first_tick_ && tick < present);
  if (offsets != nullptr) offsets->hold(*simulation_);
  simulation_->rollback(slot(tick).before);
  while (simulation_->tick() < present) step();
  if (offsets != nullptr) offsets->release(*simulation_);
  ++stats_.rollbacks;
  stats_.resimulated_ticks += present - tick;
  stats_.deepest_rollback_ticks = std::max(stats_.deepest_rollback_ticks, present - tick);
  rollbacks_.push_back({tick, present});
}

// ---------------------------------------------------------------- steps

void PredictedReplica::advance(std::uint64_t target_tick, VisualOffsets* offsets) {
  if (!simulation_) return;
  std::uint64_t const present = simulation_->tick();
  bool const is_choice_due = present >= area_tick_ + kAreaTicks || present < area_tick_;
  if (is_area_due_ || is_choice_due) {
    area_.update(*simulation_, own_, types_);
    area_tick_ = present;
    is_area_due_ = false;
    note_entered();
  }
  double const behind = static_cast<double>(present) - static_cast<double>(snapshot_tick());
  delay_ticks_ = std::max({behind + kFollowTicks, delay_ticks_ - 0.05, 0.0});
  if (auto const from = first_difference()) rewind(*from, offsets);
  for (std::uint32_t i = 0; i < options_.catch_up_ticks && simulation_->tick() < target_tick; ++i) {
    if (simulation_->tick() >= snapshot_tick() + options_.ahead_ticks_max) {
      ++stats_.stalled_advances;
      break;
    }
    step();
  }
  trim();
}

void PredictedReplica::step() {
  apply_lives();
  apply_truth();
  keep();
  drive_bodies();
  drive_movers();
  step_inputs_.clear();
  for (const sim::Input& input : inputs_)
    if (input.tick == simulation_->tick()) step_inputs_.push_back(input);
  (void)simulation_->step(step_inputs_, {.step = options_.step, .want_hash = false});
}

void PredictedReplica::keep() {
  Slot& held = slot(simulation_->tick());
  simulation_->capture(held.before);
  held.predicted.clear();
  sim::AnyWorld const& world = simulation_->world();
  for (auto const& [body, type] : types_)
    if (type != BodyType::kStatic && world.contains(body) && (type == BodyType::kKinematic || steps(body)))
      held.predicted.push_back(world.view(body));
  world.list_movers(movers_);
  held.inputs.clear();
  world.visit([&](const auto& w) {
    for (MoverId const mover : movers_) held.inputs.emplace_back(w.mover(mover).body, w.mover_input(mover));
  });
}

// Snapshots tell where a body is that came: before, it cannot be made.
void PredictedReplica::admit(BodyId body, const protocol::BodyInfo& info) {
  BodyTruth::Track const* const track = truth_.find(body);
  if (track == nullptr) return;
  std::vector<ShapeDef> shapes;
  for (const protocol::ShapeInfo& shape : info.shapes) shapes.push_back(to_shape(shape));
  BodyDef def;
  def.type = track->newest.type;
  def.position = track->newest.state.position;
  def.rotation = track->newest.state.rotation;
  def.user_tag = info.user_kind;
  def.shapes = shapes;
  if (!simulation_->admit_body(body, def, info.player)) return;
  (void)simulation_->correct(body, track->newest.state);
  types_[body] = track->newest.type;
  is_area_due_ = true;
}

// In id order, so that a body goes before another one gets its index.
void PredictedReplica::apply_lives() {
  std::uint64_t const tick = simulation_->tick();
  for (auto& [body, life] : lives_) {
    bool const is_there = simulation_->world().contains(body);
    if (is_there && tick >= life.until) {
      (void)simulation_->dismiss_body(body);
    } else if (!is_there && tick >= life.from && tick < life.until && life.info) {
      admit(body, *life.info);
    } else {
      continue;
    }
    life.applied_tick = std::max(life.applied_tick, tick);
  }
}

void PredictedReplica::drive_bodies() {
  for (auto const& [body, type] : types_) {
    if (type != BodyType::kDynamic || !simulation_->world().contains(body)) continue;
    BodyTruth::Track const* const track = truth_.find(body);
    if (!steps(body)) {
      if (track != nullptr) drive(body, *track);
      continue;
    }
    if (simulation_->world().body_type(body) == BodyType::kDynamic) continue;
    (void)simulation_->local_world().set_type(body, BodyType::kDynamic);
    if (track == nullptr) continue;
    auto const tick = static_cast<double>(simulation_->tick());
    (void)simulation_->correct(body, BodyTruth::interpolated(*track, tick).state);
  }
}

// A body outside of the area follows its snapshots.
void PredictedReplica::drive(BodyId body, const BodyTruth::Track& track) {
  sim::AnyWorld& world = simulation_->local_world();
  sim::BodyView const own = world.view(body);
  double const tick = static_cast<double>(simulation_->tick() + 1) - delay_ticks_;
  BodyCorrection to = BodyTruth::interpolated(track, tick).state;
  bool const is_off = has_moved(own, to);
  if (own.asleep && !is_off) return;
  // A target would give a body that rests the velocity of this way, however short, and wake it.
  TruthState resting = track.newest;
  resting.asleep = true;
  resting.state.linear_velocity_m_s = resting.state.angular_velocity_rad_s = {};
  sim::BodyView still = own;
  still.asleep = true;
  bool const has_come_to_rest =
      BodyTruth::rests(track) && tick >= static_cast<double>(track.tick) && is_equal(still, resting);
  if (own.asleep && has_come_to_rest) return (void)simulation_->correct(body, resting.state);
  if (own.type != BodyType::kKinematic && !world.set_type(body, BodyType::kKinematic).ok()) return;
  if (has_come_to_rest || track.is_held) return (void)simulation_->correct(body, resting.state);
  if (!is_off) {
    to.linear_velocity_m_s = to.angular_velocity_rad_s = {};
    if (own.type != BodyType::kKinematic) (void)simulation_->correct(body, to);
    return;
  }
  // Too far for a tick: it jumps.
  if (!world.set_target(body, to.position, to.rotation).ok()) (void)simulation_->correct(body, to);
}

// Movers go on with the input that the server has told. One that does not tell: those of others go on as
// they went last.
void PredictedReplica::drive_movers() {
  sim::AnyWorld& world = simulation_->local_world();
  world.list_movers(movers_);
  for (MoverId const mover : movers_) {
    BodyId const body = world.mover(mover).body;
    BodyTruth::Track const* const track = truth_.find(body);
    if (track == nullptr || track->newest.input || area_.is_named(body) || simulation_->owner(body) == own_)
      continue;
    MoverInput input;
    input.velocity_m_s = track->newest.state.linear_velocity_m_s;
    input.velocity_m_s.y = 0;
    input.turn_rad_s = std::clamp(track->newest.state.angular_velocity_rad_s.y, -100.0, 100.0);
    (void)world.set_mover_input(mover, input);
  }
}

void PredictedReplica::trim() {
  std::uint64_t const present = simulation_->tick();
  std::uint64_t const newest = std::min(snapshot_tick(), present);
  std::uint64_t const late = newest > kLateTicks ? newest - kLateTicks : 0;
  std::uint64_t const full = present > slots_.size() ? present - slots_.size() : 0;
  first_tick_ = std::max({first_tick_, late, full});
  std::erase_if(inputs_, [&](const sim::Input& input) { return input.tick < first_tick_; });
  for (auto at = lives_.begin(); at != lives_.end();) {
    auto const& [body, life] = *at;
    bool const is_gone = life.until != UINT64_MAX;
    // The worlds of all held ticks agree with it.
    bool const is_settled = simulation_->world().contains(body) != is_gone &&
                            std::max(life.applied_tick, is_gone ? life.until : life.from) < first_tick_;
    if (is_settled && is_gone) {
      types_.erase(body);
      truth_.forget(body);
    }
    at = is_settled ? lives_.erase(at) : std::next(at);
  }
}

std::optional<RolledBack> PredictedReplica::next_rollback() {
  if (rollbacks_.empty()) return std::nullopt;
  RolledBack const back = rollbacks_.front();
  rollbacks_.pop_front();
  return back;
}

}  // namespace takt::client
