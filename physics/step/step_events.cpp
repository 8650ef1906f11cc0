#include "physics/step/step_events.h"

#include <algorithm>

#include "physics/state/pair_key.h"
#include "takt/core/assert.h"

namespace takt {

SensorOverlap to_overlap(const OverlapRecord& record) noexcept {
  ShapeId const a{pair_first(record.key), record.generation_a};
  ShapeId const b{pair_second(record.key), record.generation_b};
  return record.sensor_is_b ? SensorOverlap{b, a} : SensorOverlap{a, b};
}

template <class Real>
void HitReporter::report(const WorldState<Real>& state, std::span<const PreparedContact<Real>> contacts,
                         StepEvents& events, TaskPool* pool) {
  Real const threshold = to_real<Real>(state.def.hit_threshold_m_s);
  parallel_filter(pool, contacts.size(), hits_, [&](std::size_t i, std::uint32_t& index) {
    index = static_cast<std::uint32_t>(i);
    return -contacts[i].normal_velocity > threshold && contacts[i].total_impulse > Real(0);
  });
  for (std::uint32_t const index : hits_.chosen()) {
    const PreparedContact<Real>& contact = contacts[index];
    std::uint32_t const shape_a = pair_first(contact.key);
    std::uint32_t const shape_b = pair_second(contact.key);
    const BodyRecord<Real>& body_a = state.bodies[state.shapes[shape_a].body];
    TAKT_ASSERT(contact.hit_point < contact.manifold.point_count);
    HitEvent& hit = events.hits.emplace_back();
    hit.shape_a = state.shapes.id(shape_a);
    hit.shape_b = state.shapes.id(shape_b);
    hit.point = moved(body_a.motion.center, contact.manifold.points[contact.hit_point].position);
    hit.normal = to_double(canonical(contact.manifold.normal));
    hit.approach_speed_m_s = to_double(-contact.normal_velocity);
    hit.impulse_n_s = to_double(contact.total_impulse);
  }
}

template <class Real>
void store_overlaps(WorldState<Real>& state, std::span<const OverlapRecord> after, StepEvents& events) {
  const auto& before = state.overlaps;
  if (before.empty() && after.empty()) return;
  TAKT_VALIDATE(
      std::is_sorted(after.begin(), after.end(), [](const auto& a, const auto& b) { return a.key < b.key; }));
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    bool const old_first = j >= after.size() || (i < before.size() && before[i].key <= after[j].key);
    bool const same = i < before.size() && j < after.size() && before[i].key == after[j].key &&
                      before[i].generation_a == after[j].generation_a &&
                      before[i].generation_b == after[j].generation_b;
    if (same) {
      ++i;
      ++j;
    } else if (old_first) {
      events.sensor_end.push_back(to_overlap(before[i++]));
    } else {
      events.sensor_begin.push_back(to_overlap(after[j++]));
    }
  }
  std::sort(events.sensor_begin.begin(), events.sensor_begin.end());
  std::sort(events.sensor_end.begin(), events.sensor_end.end());
  state.overlaps.assign(after.begin(), after.end());
}

#define TAKT_INSTANTIATE(Real)                                                                       \
  template void HitReporter::report(const WorldState<Real>&, std::span<const PreparedContact<Real>>, \
                                    StepEvents&, TaskPool*);                                         \
  template void store_overlaps(WorldState<Real>&, std::span<const OverlapRecord>, StepEvents&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
