#include "physics/world/inspection.h"

#include <algorithm>

#include "physics/step/step_events.h"

namespace takt {
namespace {

double number(float value) noexcept { return static_cast<double>(value); }
double number(Fixed value) noexcept { return value.to_double(); }

template <class Real>
Vec3<double> numbers(Vec3<Real> v) noexcept {
  return {number(v.x), number(v.y), number(v.z)};
}

}  // namespace

template <class Real>
void list_contacts(const WorldState<Real>& state, std::vector<ContactView>& out) {
  out.clear();
  for (const ContactRecord<Real>& contact : state.contacts) {
    ShapeId const shape_a{static_cast<std::uint32_t>(contact.key >> 32u), contact.generation_a};
    ShapeId const shape_b{static_cast<std::uint32_t>(contact.key), contact.generation_b};
    // Contacts of a destroyed body end in the next step.
    if (!state.shapes.contains(shape_a) || !state.shapes.contains(shape_b)) continue;
    std::uint32_t const a = state.shapes[shape_a.index].body;
    std::uint32_t const b = state.shapes[shape_b.index].body;
    for (std::uint32_t i = 0; i < contact.point_count; ++i) {
      ContactView& view = out.emplace_back();
      view.body_a = state.bodies.id(a);
      view.body_b = state.bodies.id(b);
      view.position = moved(state.bodies[a].motion.center, contact.geometry.positions[i]);
      view.normal = numbers(contact.geometry.normal);
      view.impulse_n_s = number(contact.normal_impulses[i]);
      view.separation_m = number(contact.geometry.separations[i]);
    }
  }
}

template <class Real>
void list_grabs(const WorldState<Real>& state, std::vector<GrabView>& out) {
  out.clear();
  for (std::uint32_t i = 0; i < state.grabs.capacity(); ++i) {
    if (!state.grabs.alive(i)) continue;
    const GrabRecord<Real>& grab = state.grabs[i];
    const BodyMotion<Real>& motion = state.bodies[grab.body].motion;
    GrabView& view = out.emplace_back();
    view.id = state.grabs.id(i);
    view.body = state.bodies.id(grab.body);
    view.anchor = moved(motion.center, rotate(motion.rotation, grab.local_anchor));
    view.target = grab.target;
    view.rotation = {number(motion.rotation.x), number(motion.rotation.y), number(motion.rotation.z),
                     number(motion.rotation.w)};
  }
}

template <class Real>
void list_overlaps(const WorldState<Real>& state, std::vector<SensorOverlap>& out) {
  out.clear();
  for (const OverlapRecord& record : state.overlaps) {
    SensorOverlap const overlap = to_overlap(record);
    if (state.shapes.contains(overlap.sensor) && state.shapes.contains(overlap.visitor))
      out.push_back(overlap);
  }
  std::sort(out.begin(), out.end());
}

#define TAKT_INSTANTIATE(Real)                                                       \
  template void list_contacts(const WorldState<Real>&, std::vector<ContactView>&);   \
  template void list_overlaps(const WorldState<Real>&, std::vector<SensorOverlap>&); \
  template void list_grabs(const WorldState<Real>&, std::vector<GrabView>&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
