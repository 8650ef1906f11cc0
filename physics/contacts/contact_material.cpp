#include "physics/contacts/contact_material.h"

#include "physics/constraints/motion_locks.h"
#include "physics/contacts/soft_contact_sweep.h"
#include "physics/narrow_phase/collide_mesh.h"
#include "physics/state/shape_geometry_of.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
Real mixed(MixRule rule_a, MixRule rule_b, MixRule of_world, Real a, Real b) {
  MixRule const chosen = rule_a < rule_b ? rule_b : rule_a;
  switch (chosen == MixRule::kWorld ? of_world : chosen) {
    case MixRule::kAverage: return (a + b) * to_real<Real>(0.5);
    case MixRule::kMinimum: return minimum(a, b);
    case MixRule::kMultiply: return a * b;
    case MixRule::kMaximum: return maximum(a, b);
    case MixRule::kWorld:
    case MixRule::kGeometricMean: break;
  }
  return sqrt(a * b);
}

namespace {

/// Radius of a shape that can roll; 0 = it cannot.
template <class Real>
Real rolling_radius(const ShapeRecord<Real>& shape) noexcept {
  return shape.kind == ShapeKind::kBox || shape.kind == ShapeKind::kHalfSpace ? Real(0) : shape.extents.x;
}

template <class Real>
Vec3<Real> surface_velocity(const BodyRecord<Real>& body, const ShapeRecord<Real>& shape) noexcept {
  if (shape.surface_velocity == Vec3<Real>{}) return {};
  return rotate(body.motion.rotation, rotate(shape.local_rotation, shape.surface_velocity));
}

/// Material at one shape of a contact.
template <class Real>
struct Material {
  Real friction{};
  Real restitution{};
};
template <class Real>
Material<Real> material_of(const WorldState<Real>& state, const ShapeRecord<Real>& shape,
                           std::uint32_t child) noexcept {
  const SurfaceGeometry* const geometry = surface_of(state, shape);
  const SurfaceMaterial* const own =
      geometry != nullptr ? geometry->material(child_triangle(child)) : nullptr;
  if (own == nullptr) return {shape.friction, shape.restitution};
  return {to_real<Real>(own->friction), to_real<Real>(own->restitution)};
}

}  // namespace

template <class Real>
void mix_materials(const WorldState<Real>& state, const ShapeRecord<Real>& a, const ShapeRecord<Real>& b,
                   PreparedContact<Real>& contact) {
  Material<Real> const of_a = material_of(state, a, contact.child);
  Material<Real> const of_b = material_of(state, b, contact.child);
  contact.friction =
      mixed(a.friction_rule, b.friction_rule, state.def.friction_rule, of_a.friction, of_b.friction);
  contact.restitution = mixed(a.restitution_rule, b.restitution_rule, state.def.restitution_rule,
                              of_a.restitution, of_b.restitution);
  TAKT_ASSERT(contact.friction >= Real(0) && contact.restitution >= Real(0));
  Real const resistance = maximum(a.rolling_resistance, b.rolling_resistance);
  if (resistance > Real(0)) {
    Real const radius_a = rolling_radius(a);
    Real const radius_b = rolling_radius(b);
    bool const only_one = !(radius_a > Real(0)) || !(radius_b > Real(0));
    contact.rolling_reach =
        resistance * (only_one ? maximum(radius_a, radius_b) : minimum(radius_a, radius_b));
  }
  contact.soft_a = a.contact_softness.is_rigid() ? nullptr : &a.contact_softness;
  contact.soft_b = b.contact_softness.is_rigid() ? nullptr : &b.contact_softness;
  bool const is_soft_pair = contact.soft_a != nullptr || contact.soft_b != nullptr;
  contact.soft_depth = is_soft_pair ? soft_depth(state, a, b, contact.manifold.normal) : Real(0);
  bool const runs = a.surface_velocity != Vec3<Real>{} || b.surface_velocity != Vec3<Real>{};
  if (runs)
    contact.slide = surface_velocity(state.bodies[b.body], b) - surface_velocity(state.bodies[a.body], a);
  bool const rolls = contact.rolling_reach > Real(0);
  if (!rolls) contact.rolling_impulse = {};
  contact.locked = (contact.dynamic_a && has_linear(state.bodies[a.body].locked_axes)) ||
                   (contact.dynamic_b && has_linear(state.bodies[b.body].locked_axes));
  contact.special = rolls || contact.locked || is_soft_pair || (runs && contact.slide != Vec3<Real>{});
}

template double mixed(MixRule, MixRule, MixRule, double, double);
template void mix_materials(const WorldState<float>&, const ShapeRecord<float>&, const ShapeRecord<float>&,
                            PreparedContact<float>&);
template void mix_materials(const WorldState<Fixed>&, const ShapeRecord<Fixed>&, const ShapeRecord<Fixed>&,
                            PreparedContact<Fixed>&);

}  // namespace takt
