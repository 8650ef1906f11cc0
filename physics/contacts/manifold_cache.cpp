#include "physics/contacts/manifold_cache.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// A point with a new feature may match an old point within this distance, m: the reference face changed, or
/// a corner was cut.
constexpr double kPointReachM = 0.025;

/// Longer components are not squared: in Q31.32 that could overflow, and overflows are counted.
template <class Real>
bool is_short(Vec3<Real> v) noexcept {
  Vec3<Real> const size = absolute(v);
  return size.x < Real(1) && size.y < Real(1) && size.z < Real(1);
}

/// The rotation from `then` to `now`, rad, world axes; first order.
template <class Real>
Vec3<Real> rotation_since(Quat<Real> then, Quat<Real> now) noexcept {
  Quat<Real> const turn = now * Quat<Real>{-then.x, -then.y, -then.z, then.w};
  Real const two = turn.w < Real(0) ? Real(-2) : Real(2);
  return Vec3<Real>{turn.x, turn.y, turn.z} * two;
}

template <class Real>
bool bears_load(const ContactRecord<Real>& contact) noexcept {
  for (std::uint32_t i = 0; i < contact.point_count; ++i) {
    if (contact.normal_impulses[i] > Real(0)) return true;
  }
  return false;
}

/// The longest lever arm of the first `count` points about a dynamic body, the shorter of the two bodies', m.
template <class Real>
Real reach_of(const ContactRecord<Real>& contact, std::uint32_t count, bool dynamic_a,
              bool dynamic_b) noexcept {
  Real reach_a(0);
  Real reach_b(0);
  for (std::uint32_t i = 0; i < count; ++i) {
    Vec3<Real> const r_a = contact.geometry.positions[i];
    reach_a = maximum(reach_a, length(r_a));
    reach_b = maximum(reach_b, length(r_a - contact.geometry.delta_center));
  }
  if (!dynamic_a) return reach_b;
  return dynamic_b ? minimum(reach_a, reach_b) : reach_a;
}

/// Relative motion of two bodies since their manifold was computed.
template <class Real>
struct Drift {
  Vec3<Real> translation;  ///< of b relative to a, m
  Vec3<Real> angle_a;      ///< rad
  Vec3<Real> angle_b;

  Drift(const ContactGeometry<Real>& cached_geometry, const BodyMotion<Real>& a,
        const BodyMotion<Real>& b) noexcept
      : translation(relative<Real>(b.center, a.center) - cached_geometry.delta_center),
        angle_a(rotation_since(cached_geometry.rotation_a, a.rotation)),
        angle_b(rotation_since(cached_geometry.rotation_b, b.rotation)) {}
};

/// True when neither body has moved or rotated beyond the tolerance since the manifold was computed.
template <class Real>
bool has_stayed(const ContactRecord<Real>& old, const Drift<Real>& drift, bool dynamic_a,
                bool dynamic_b) noexcept {
  Vec3<Real> const translation = drift.translation;
  if (!is_short(translation)) return false;
  Real const max_rotation = to_real<Real>(kRecycleRotationRad);
  if (dot(drift.angle_a, drift.angle_a) > max_rotation * max_rotation ||
      dot(drift.angle_b, drift.angle_b) > max_rotation * max_rotation)
    return false;
  Real const square = dot(translation, translation);
  auto const within_fraction = [&](std::uint32_t count) {
    Real const reach = reach_of(old, count, dynamic_a, dynamic_b);
    Real const max_translation =
        minimum(reach * to_real<Real>(kRecycleTranslationOfReach), to_real<Real>(kRecycleTranslationMaxM));
    return !(square > max_translation * max_translation);
  };
  // The first point's lever arm is at most the longest, and passes almost every test.
  return within_fraction(1) || within_fraction(old.point_count);
}

template <class Real>
void follow(const ContactRecord<Real>& old, const Drift<Real>& drift,
            PreparedContact<Real>& contact) noexcept {
  const ContactGeometry<Real>& cached_geometry = old.geometry;
  contact.cached = cached_geometry;
  contact.manifold.normal = cached_geometry.normal;
  contact.manifold.point_count = old.point_count;
  for (std::uint32_t i = 0; i < old.point_count; ++i) {
    Vec3<Real> const r_a = cached_geometry.positions[i];
    Vec3<Real> const r_b = r_a - cached_geometry.delta_center;
    Real const change = dot(cached_geometry.normal, drift.translation) +
                        (dot(cross(r_b, cached_geometry.normal), drift.angle_b) -
                         dot(cross(r_a, cached_geometry.normal), drift.angle_a));
    contact.manifold.points[i] = {r_a, cached_geometry.separations[i] + change, old.features[i]};
    contact.impulses[i] = old.normal_impulses[i];
  }
  TAKT_ASSERT(old.point_count >= 1 && old.point_count <= 4);
  contact.friction_impulse = old.friction_impulse;
  contact.twist_impulse = old.twist_impulse;
  contact.rolling_impulse = old.rolling_impulse;
  contact.anchor_offset = old.anchor_offset;
  contact.twist_offset = old.twist_offset;
}

}  // namespace

template <class Real>
bool recycle_manifold(const ContactRecord<Real>& old, const BodyMotion<Real>& a, const BodyMotion<Real>& b,
                      PreparedContact<Real>& contact) noexcept {
  if (!bears_load(old)) return false;
  Drift<Real> const drift(old.geometry, a, b);
  if (!has_stayed(old, drift, contact.dynamic_a, contact.dynamic_b)) return false;
  follow(old, drift, contact);
  return true;
}

template <class Real>
bool may_recycle_all(std::span<const ContactRecord<Real>> old, const BodyMotion<Real>& a,
                     const BodyMotion<Real>& b, bool dynamic_a, bool dynamic_b) noexcept {
  bool loaded = false;
  for (const ContactRecord<Real>& record : old) {
    if (!has_stayed(record, Drift<Real>(record.geometry, a, b), dynamic_a, dynamic_b)) return false;
    loaded = loaded || bears_load(record);
  }
  return loaded;
}

template <class Real>
void follow_manifold(const ContactRecord<Real>& old, const BodyMotion<Real>& a, const BodyMotion<Real>& b,
                     PreparedContact<Real>& contact) noexcept {
  follow(old, Drift<Real>(old.geometry, a, b), contact);
}

template <class Real>
void take_impulses(const ContactRecord<Real>& old, PreparedContact<Real>& contact) noexcept {
  std::uint32_t taken = 0;
  std::uint32_t matched = 0;
  std::uint32_t const count = contact.manifold.point_count;
  TAKT_ASSERT(count <= 4 && old.point_count <= 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t j = 0; j < old.point_count; ++j) {
      if ((taken & 1u << j) != 0 || contact.manifold.points[i].feature != old.features[j]) continue;
      contact.impulses[i] = old.normal_impulses[j];
      taken |= 1u << j;
      matched |= 1u << i;
      break;
    }
  }
  // Positions are compared relative to the dynamic body: b, or a if b is not dynamic.
  Vec3<Real> const drift =
      contact.dynamic_b ? contact.cached.delta_center - old.geometry.delta_center : Vec3<Real>{};
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((matched & 1u << i) != 0) continue;
    Real nearest = to_real<Real>(kPointReachM * kPointReachM);
    std::uint32_t found = old.point_count;
    for (std::uint32_t j = 0; j < old.point_count; ++j) {
      if ((taken & 1u << j) != 0) continue;
      Vec3<Real> const apart = contact.cached.positions[i] - old.geometry.positions[j] - drift;
      if (!is_short(apart)) continue;
      Real const square = dot(apart, apart);
      if (square > nearest || (square == nearest && found != old.point_count)) continue;
      nearest = square;
      found = j;
    }
    if (found == old.point_count) continue;
    contact.impulses[i] = old.normal_impulses[found];
    taken |= 1u << found;
  }
  contact.friction_impulse = old.friction_impulse;
  contact.twist_impulse = old.twist_impulse;
  contact.rolling_impulse = old.rolling_impulse;
  contact.anchor_offset = old.anchor_offset;
  contact.twist_offset = old.twist_offset;
}

template <class Real>
void take_impulses_of_children(std::span<const ContactRecord<Real>> old,
                               std::span<PreparedContact<Real>> fresh, std::vector<std::uint8_t>& taken) {
  TAKT_VALIDATE(
      std::is_sorted(old.begin(), old.end(), [](const auto& a, const auto& b) { return a.child < b.child; }));
  TAKT_VALIDATE(std::is_sorted(fresh.begin(), fresh.end(),
                               [](const auto& a, const auto& b) { return a.child < b.child; }));
  taken.assign(old.size(), 0);
  Real const alike = to_real<Real>(0.9);
  auto const is_taken = [&taken](std::size_t record, std::uint32_t point) {
    return (taken[record] & 1u << point) != 0;
  };
  auto const take = [&](PreparedContact<Real>& contact, std::uint32_t i, std::size_t record,
                        std::uint32_t point) {
    contact.impulses[i] = old[record].normal_impulses[point];
    taken[record] = static_cast<std::uint8_t>(taken[record] | 1u << point);
  };
  // Match by child and feature. Both lists ascend by child.
  std::size_t at = 0;
  for (PreparedContact<Real>& contact : fresh) {
    while (at < old.size() && old[at].child < contact.child) ++at;
    if (at == old.size() || old[at].child != contact.child) continue;
    contact.friction_impulse = old[at].friction_impulse;
    contact.twist_impulse = old[at].twist_impulse;
    contact.rolling_impulse = old[at].rolling_impulse;
    contact.anchor_offset = old[at].anchor_offset;
    contact.twist_offset = old[at].twist_offset;
    taken[at] = 1u << 5;  // its friction
    for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
      for (std::uint32_t j = 0; j < old[at].point_count; ++j) {
        if (is_taken(at, j) || contact.manifold.points[i].feature != old[at].features[j]) continue;
        take(contact, i, at, j);
        break;
      }
    }
  }
  // Match by position, relative to the dynamic body.
  for (PreparedContact<Real>& contact : fresh) {
    for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
      if (contact.impulses[i] > Real(0)) continue;
      Real nearest = to_real<Real>(kPointReachM * kPointReachM);
      std::size_t found = old.size();
      std::uint32_t found_point = 0;
      for (std::size_t record = 0; record < old.size(); ++record) {
        if (!(dot(old[record].geometry.normal, contact.cached.normal) >= alike)) continue;
        Vec3<Real> const drift = contact.dynamic_b
                                     ? contact.cached.delta_center - old[record].geometry.delta_center
                                     : Vec3<Real>{};
        for (std::uint32_t j = 0; j < old[record].point_count; ++j) {
          if (is_taken(record, j)) continue;
          Vec3<Real> const apart = contact.cached.positions[i] - old[record].geometry.positions[j] - drift;
          if (!is_short(apart)) continue;
          Real const square = dot(apart, apart);
          if (square > nearest || (square == nearest && found != old.size())) continue;
          nearest = square;
          found = record;
          found_point = j;
        }
      }
      if (found == old.size()) continue;
      take(contact, i, found, found_point);
      if ((taken[found] & 1u << 5) != 0 || contact.twist_impulse != Real(0) ||
          contact.friction_impulse != Vec3<Real>{})
        continue;
      contact.friction_impulse = old[found].friction_impulse;
      contact.twist_impulse = old[found].twist_impulse;
      contact.rolling_impulse = old[found].rolling_impulse;
      contact.anchor_offset = old[found].anchor_offset;
      contact.twist_offset = old[found].twist_offset;
      taken[found] = static_cast<std::uint8_t>(taken[found] | 1u << 5);
    }
  }
}

template <class Real>
ContactGeometry<Real> canonical(const ContactGeometry<Real>& geometry) noexcept {
  ContactGeometry<Real> out;
  out.normal = canonical(geometry.normal);
  for (std::size_t i = 0; i < 4; ++i) {
    out.positions[i] = canonical(geometry.positions[i]);
    out.separations[i] = canonical(geometry.separations[i]);
  }
  out.delta_center = canonical(geometry.delta_center);
  out.rotation_a = geometry.rotation_a;
  out.rotation_b = geometry.rotation_b;
  return out;
}

template bool recycle_manifold(const ContactRecord<float>&, const BodyMotion<float>&,
                               const BodyMotion<float>&, PreparedContact<float>&) noexcept;
template bool recycle_manifold(const ContactRecord<Fixed>&, const BodyMotion<Fixed>&,
                               const BodyMotion<Fixed>&, PreparedContact<Fixed>&) noexcept;
template void take_impulses(const ContactRecord<float>&, PreparedContact<float>&) noexcept;
template void take_impulses(const ContactRecord<Fixed>&, PreparedContact<Fixed>&) noexcept;
template bool may_recycle_all(std::span<const ContactRecord<float>>, const BodyMotion<float>&,
                              const BodyMotion<float>&, bool, bool) noexcept;
template void follow_manifold(const ContactRecord<float>&, const BodyMotion<float>&, const BodyMotion<float>&,
                              PreparedContact<float>&) noexcept;
template void take_impulses_of_children(std::span<const ContactRecord<float>>,
                                        std::span<PreparedContact<float>>, std::vector<std::uint8_t>&);
template bool may_recycle_all(std::span<const ContactRecord<Fixed>>, const BodyMotion<Fixed>&,
                              const BodyMotion<Fixed>&, bool, bool) noexcept;
template void follow_manifold(const ContactRecord<Fixed>&, const BodyMotion<Fixed>&, const BodyMotion<Fixed>&,
                              PreparedContact<Fixed>&) noexcept;
template void take_impulses_of_children(std::span<const ContactRecord<Fixed>>,
                                        std::span<PreparedContact<Fixed>>, std::vector<std::uint8_t>&);
template ContactGeometry<float> canonical(const ContactGeometry<float>&) noexcept;
template ContactGeometry<Fixed> canonical(const ContactGeometry<Fixed>&) noexcept;

}  // namespace takt
