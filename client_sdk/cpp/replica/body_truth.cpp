#include "client_sdk/cpp/replica/body_truth.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/replication/wire_types.h"

namespace takt::client {
namespace {

/// Snapshots that wait for the own world to reach their ticks: 4 s at 60 Hz.
constexpr std::size_t kPendingMax = 256;

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

bool is_near(const Position& a, const Position& b) noexcept {
  constexpr auto kGrid = static_cast<std::uint64_t>(kPositionGridM * 0x1p32);
  auto const near_by = [](std::int64_t left, std::int64_t right) {
    auto const l = static_cast<std::uint64_t>(left);
    auto const r = static_cast<std::uint64_t>(right);
    return (left > right ? l - r : r - l) <= kGrid;
  };
  return near_by(a.x_raw, b.x_raw) && near_by(a.y_raw, b.y_raw) && near_by(a.z_raw, b.z_raw);
}

bool rests(const TruthState& state) noexcept {
  Vec3<double> const zero{};
  return state.asleep ||
         (state.state.linear_velocity_m_s == zero && state.state.angular_velocity_rad_s == zero);
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
  if (!is_near(own.position, truth.state.position) ||
      !is_near(own.rotation, truth.state.rotation, kRotationGrid))
    return false;
  if (own.asleep && truth.asleep) return true;
  return is_near(own.linear_velocity_m_s, truth.state.linear_velocity_m_s, kLinearGridMS) &&
         is_near(own.angular_velocity_rad_s, truth.state.angular_velocity_rad_s, kAngularGridRadS);
}

void BodyTruth::clear() {
  tracks_.clear();
  pending_.clear();
  newest_tick_ = 0;
}

void BodyTruth::forget(BodyId body) { tracks_.erase(body); }

const BodyTruth::Track* BodyTruth::find(BodyId body) const {
  auto const at = tracks_.find(body);
  return at == tracks_.end() ? nullptr : &at->second;
}

void BodyTruth::handle_part(const protocol::SnapshotPart& part, bool completes) {
  newest_tick_ = std::max(newest_tick_, part.tick);
  std::vector<TruthState>& states = pending_[part.tick];
  for (const protocol::BodyState& body : part.bodies) {
    TruthState const truth = to_truth(body);
    states.push_back(truth);
    Track& track = tracks_[truth.body];
    if (track.tick >= part.tick && track.tick != 0) continue;
    // A body that rested moves from the tick before this one.
    if (track.tick != 0 && rests(track.newest) && part.tick - track.tick > 1)
      track.earlier.push_back({part.tick - 1, track.newest.state});
    track.earlier.push_back({part.tick, truth.state});
    while (track.earlier.size() > kHistoryMax) track.earlier.erase(track.earlier.begin());
    track.newest = truth;
    track.tick = part.tick;
  }
  if (completes && part.deferred == 0)
    for (auto const& [body, track] : tracks_)
      if (track.tick < part.tick && rests(track.newest) && track.newest.type != BodyType::kStatic)
        states.push_back(track.newest);
  while (pending_.size() > kPendingMax) pending_.erase(pending_.begin());
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
