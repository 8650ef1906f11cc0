#include "client_sdk/cpp/replica/body_truth.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "sim/replication/wire_types.h"

namespace takt::client {
namespace {

/// Bound of a turn: a minute at 60 Hz.
constexpr std::uint64_t kTurnTicksMax = 3600;

Vec3<double> widened(const Vec3<float>& v) noexcept {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

Quat<double> unit(const Quat<float>& q) noexcept {
  Quat<double> const w{static_cast<double>(q.x), static_cast<double>(q.y), static_cast<double>(q.z),
                       static_cast<double>(q.w)};
  double const size = std::sqrt(w.x * w.x + w.y * w.y + w.z * w.z + w.w * w.w);
  // A rotation of a world is exact; whatever else a server sends is refused by World::correct().
  return std::abs(size - 1) < 1e-3 ? w : Quat<double>{};
}

bool is_near(const Vec3<double>& a, const Vec3<double>& b, double grid) noexcept {
  return std::abs(a.x - b.x) <= grid && std::abs(a.y - b.y) <= grid && std::abs(a.z - b.z) <= grid;
}

bool is_near(const Quat<double>& a, const Quat<double>& b, double grid) noexcept {
  double const sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
  return std::abs(a.x - sign * b.x) <= grid && std::abs(a.y - sign * b.y) <= grid &&
         std::abs(a.z - sign * b.z) <= grid && std::abs(a.w - sign * b.w) <= grid;
}

bool is_near(const Position& a, const Position& b, double grid) noexcept {
  auto const grid_raw = static_cast<std::uint64_t>(grid * 0x1p32);
  auto const near_by = [&](std::int64_t left, std::int64_t right) {
    auto const l = static_cast<std::uint64_t>(left);
    auto const r = static_cast<std::uint64_t>(right);
    return (left > right ? l - r : r - l) <= grid_raw;
  };
  return near_by(a.x_raw, b.x_raw) && near_by(a.y_raw, b.y_raw) && near_by(a.z_raw, b.z_raw);
}

// The parts are of the grids.
bool is_within(const sim::BodyView& own, const TruthState& truth, double of_pose, double of_velocities) {
  if (!is_near(own.position, truth.state.position, kPositionGridM * of_pose) ||
      !is_near(own.rotation, truth.state.rotation, kRotationGrid * of_pose))
    return false;
  if (own.asleep && truth.asleep) return true;
  return is_near(own.linear_velocity_m_s, truth.state.linear_velocity_m_s, kLinearGridMS * of_velocities) &&
         is_near(own.angular_velocity_rad_s, truth.state.angular_velocity_rad_s,
                 kAngularGridRadS * of_velocities);
}

}  // namespace

TruthState to_truth(const protocol::BodyState& state) {
  TruthState out;
  out.body = BodyId::from_u64(state.id);
  if ((state.flags & protocol::kBodyStatic) != 0) out.type = BodyType::kStatic;
  if ((state.flags & protocol::kBodyKinematic) != 0) out.type = BodyType::kKinematic;
  out.asleep = (state.flags & protocol::kBodyAsleep) != 0;
  out.state = {sim::from_wire(state.position), unit(sim::from_wire(state.rotation)),
               widened(sim::from_wire(state.linear_velocity)),
               widened(sim::from_wire(state.angular_velocity))};
  return out;
}

bool is_equal(const sim::BodyView& own, const TruthState& truth) noexcept {
  return is_within(own, truth, 1, 1);
}

bool agrees(const sim::BodyView& own, const TruthState& truth) noexcept {
  return is_within(own, truth, 1 / kGridFraction, 1 / kGridFraction);
}

bool is_equal_input(const MoverInput& a, const MoverInput& b) noexcept {
  return sim::to_wire(BodyId{}, a) == sim::to_wire(BodyId{}, b);
}

void BodyTruth::clear() {
  tracks_.clear();
  heard_.clear();
  newest_tick_ = 0;
  turn_ticks_ = 0;
}

void BodyTruth::forget(BodyId body) { tracks_.erase(body); }

const BodyTruth::Track* BodyTruth::find(BodyId body) const {
  auto const at = tracks_.find(body);
  return at == tracks_.end() ? nullptr : &at->second;
}

BodyTruth::Track* BodyTruth::find(BodyId body) {
  auto const at = tracks_.find(body);
  return at == tracks_.end() ? nullptr : &at->second;
}

bool BodyTruth::rests(const Track& track) noexcept {
  TruthState const& state = track.newest;
  Vec3<double> const zero{};
  return state.type != BodyType::kStatic && (state.asleep || (state.state.linear_velocity_m_s == zero &&
                                                              state.state.angular_velocity_rad_s == zero));
}

std::uint64_t BodyTruth::silence_ticks(std::uint64_t behind_ticks) const noexcept {
  return kSilenceTicks + 2 * behind_ticks + 3 * turn_ticks_;
}

const BodyTruth::Heard* BodyTruth::heard_at(std::uint64_t tick) const noexcept {
  auto const at = std::ranges::lower_bound(heard_, tick, {}, &Heard::tick);
  return at == heard_.end() || at->tick != tick ? nullptr : &*at;
}

BodyTruth::Heard& BodyTruth::hear(std::uint64_t tick) {
  auto at = std::ranges::lower_bound(heard_, tick, {}, &Heard::tick);
  if (at != heard_.end() && at->tick == tick) return *at;
  Heard fresh;
  if (!spare_.empty()) {
    fresh = std::move(spare_.back());
    spare_.pop_back();
  }
  fresh.tick = tick;
  fresh.is_complete = false;
  fresh.is_new = true;
  fresh.states.clear();
  return *heard_.insert(at, std::move(fresh));
}

void BodyTruth::drop_before(std::uint64_t tick) {
  auto const end = std::ranges::lower_bound(heard_, tick, {}, &Heard::tick);
  for (auto at = heard_.begin(); at != end; ++at) spare_.push_back(std::move(*at));
  heard_.erase(heard_.begin(), end);
}

void BodyTruth::handle_part(const protocol::SnapshotPart& part, bool completes) {
  if (part.tick > newest_tick_) {
    std::uint64_t const interval_ticks = newest_tick_ == 0 ? 1 : part.tick - newest_tick_;
    std::uint64_t const room = std::uint64_t{part.part_count} * protocol::kSnapshotBodiesPerPart;
    std::uint64_t const turns = part.deferred == 0 ? 0 : part.deferred / room + 1;
    turn_ticks_ = std::min(turns * std::min(interval_ticks, kTurnTicksMax), kTurnTicksMax);
    newest_tick_ = part.tick;
  }
  if (heard_.size() == kHeardMax && part.tick > heard_.front().tick) drop_before(heard_[1].tick);
  Heard& heard = hear(part.tick);
  heard.is_new = true;
  heard.is_complete = heard.is_complete || (completes && part.deferred == 0);
  for (const protocol::BodyState& body : part.bodies) {
    TruthState truth = to_truth(body);
    auto const mover = std::ranges::find(part.movers, body.id, &protocol::MoverInput::body);
    if (mover != part.movers.end()) truth.input = sim::from_wire(*mover);
    heard.states.push_back(truth);
    Track& track = tracks_[truth.body];
    if (track.tick >= part.tick && track.tick != 0) continue;
    track.earlier.reserve(kHistoryMax + 2);
    // A body that rested moves from the tick before this one.
    if (track.tick != 0 && rests(track) && part.tick - track.tick > 1)
      track.earlier.push_back({part.tick - 1, track.newest.state});
    track.earlier.push_back({part.tick, truth.state});
    while (track.earlier.size() > kHistoryMax) track.earlier.erase(track.earlier.begin());
    track.newest = truth;
    track.tick = part.tick;
    track.differs_since = 0;
    track.is_held = false;
  }
}

void BodyTruth::affirm(const Track& track) {
  Heard& heard = hear(newest_tick_);
  heard.is_new = true;
  heard.states.push_back(track.newest);
}

TruthState BodyTruth::interpolated(const Track& track, double tick) {
  auto const after = std::ranges::find_if(
      track.earlier, [&](const Track::At& at) { return static_cast<double>(at.tick) >= tick; });
  if (after == track.earlier.end()) return track.newest;
  TruthState out = track.newest;
  out.state = after->state;
  if (after == track.earlier.begin()) return out;
  auto const before = std::prev(after);
  double const part =
      (tick - static_cast<double>(before->tick)) / static_cast<double>(after->tick - before->tick);
  auto const mix = [&](std::int64_t from, std::int64_t to) {
    return from + std::llround(static_cast<double>(to - from) * part);
  };
  const BodyCorrection& a = before->state;
  const BodyCorrection& b = after->state;
  out.state.position =
      Position::from_raw(mix(a.position.x_raw, b.position.x_raw), mix(a.position.y_raw, b.position.y_raw),
                         mix(a.position.z_raw, b.position.z_raw));
  Quat<double> const& p = a.rotation;
  Quat<double> const& q = b.rotation;
  double const sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0 ? -1 : 1;
  Quat<double> r{p.x + (sign * q.x - p.x) * part, p.y + (sign * q.y - p.y) * part,
                 p.z + (sign * q.z - p.z) * part, p.w + (sign * q.w - p.w) * part};
  double const size = std::sqrt(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
  if (size > 0) out.state.rotation = {r.x / size, r.y / size, r.z / size, r.w / size};
  return out;
}

}  // namespace takt::client
