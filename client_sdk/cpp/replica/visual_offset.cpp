#include "client_sdk/cpp/replica/visual_offset.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace takt::client {
namespace {

constexpr double kUnit = 0x1p-32;
/// Below a tenth of a millimetre and of a milliradian nobody sees an offset.
constexpr double kGoneM = 1e-4;
constexpr double kGoneRad = 1e-4;

Vec3<double> between(const Position& from, const Position& to) noexcept {
  return {static_cast<double>(to.x_raw - from.x_raw) * kUnit,
          static_cast<double>(to.y_raw - from.y_raw) * kUnit,
          static_cast<double>(to.z_raw - from.z_raw) * kUnit};
}

Position moved(const Position& from, const Vec3<double>& by) noexcept {
  return Position::from_raw(from.x_raw + std::llround(by.x / kUnit), from.y_raw + std::llround(by.y / kUnit),
                            from.z_raw + std::llround(by.z / kUnit));
}

Quat<double> times(const Quat<double>& a, const Quat<double>& b) noexcept {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

Quat<double> inverse(const Quat<double>& q) noexcept { return {-q.x, -q.y, -q.z, q.w}; }

Quat<double> normalised(const Quat<double>& q) noexcept {
  double const norm = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / norm, q.y / norm, q.z / norm, q.w / norm};
}

double angle(const Quat<double>& q) noexcept { return 2 * std::acos(std::min(1.0, std::abs(q.w))); }

// Towards no rotation, by linear blending: angles stay below kSnapRad.
Quat<double> scaled(const Quat<double>& q, double factor) noexcept {
  double const sign = q.w < 0 ? -1 : 1;
  return normalised({q.x * factor, q.y * factor, q.z * factor, q.w * factor + sign * (1 - factor)});
}

constexpr double kDecaysPerS = 60;

double decay_of(double offset_m) noexcept {
  double const t = std::clamp(
      (offset_m - VisualOffsets::kSmallM) / (VisualOffsets::kLargeM - VisualOffsets::kSmallM), 0.0, 1.0);
  return VisualOffsets::kDecaySmall + t * (VisualOffsets::kDecayLarge - VisualOffsets::kDecaySmall);
}

}  // namespace

void VisualOffsets::hold(const sim::Simulation& before) {
  held_.clear();
  std::vector<DrawnBody> drawn;
  draw(before, drawn);
  for (const DrawnBody& body : drawn) held_[body.id] = {body.position, body.rotation};
}

void VisualOffsets::release(const sim::Simulation& after) {
  offsets_.clear();
  for (auto const& [id, pose] : held_) {
    if (!after.world().contains(id)) continue;
    sim::BodyView const body = after.world().view(id);
    Offset const offset{between(body.position, pose.position),
                        normalised(times(pose.rotation, inverse(body.rotation)))};
    double const distance = length(offset.position_m);
    double const turn = angle(offset.rotation);
    bool const is_gone = distance < kGoneM && turn < kGoneRad;
    if (!is_gone && distance <= kSnapM && turn <= kSnapRad) offsets_[id] = offset;
  }
  held_.clear();
}

void VisualOffsets::decay(double seconds) {
  for (auto at = offsets_.begin(); at != offsets_.end();) {
    Offset& offset = at->second;
    double const factor = std::pow(decay_of(length(offset.position_m)), kDecaysPerS * seconds);
    offset.position_m = {offset.position_m.x * factor, offset.position_m.y * factor,
                         offset.position_m.z * factor};
    offset.rotation = scaled(offset.rotation, factor);
    bool const is_gone = length(offset.position_m) < kGoneM && angle(offset.rotation) < kGoneRad;
    at = is_gone ? offsets_.erase(at) : std::next(at);
  }
}

void VisualOffsets::clear() {
  offsets_.clear();
  held_.clear();
}

void VisualOffsets::draw(const sim::Simulation& simulation, std::vector<DrawnBody>& out) const {
  out.clear();
  std::vector<BodyId> ids;
  simulation.world().list_bodies(ids);
  for (BodyId const id : ids) {
    sim::BodyView const body = simulation.world().view(id);
    DrawnBody& drawn = out.emplace_back(DrawnBody{id, body.position, body.rotation});
    auto const offset = offsets_.find(id);
    if (offset == offsets_.end()) continue;
    drawn.position = moved(body.position, offset->second.position_m);
    drawn.rotation = normalised(times(offset->second.rotation, body.rotation));
  }
}

double VisualOffsets::greatest_m() const noexcept {
  double greatest = 0;
  for (auto const& [id, offset] : offsets_) greatest = std::max(greatest, length(offset.position_m));
  return greatest;
}

}  // namespace takt::client
