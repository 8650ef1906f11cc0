#include "physics/movers/mover_store.h"

#include "takt/core/assert.h"
#include "takt/physics/trigonometry.h"

namespace takt {

BodyDef mover_body(const MoverDef& def, ShapeDef& shape) noexcept {
  shape.kind = ShapeKind::kCapsule;
  shape.radius_m = def.radius_m;
  shape.half_length_m = def.half_length_m;
  shape.friction = def.friction;
  shape.restitution = def.restitution;
  shape.filter = def.filter;
  SinCos<Fixed> const half = sin_cos(Fixed(0.5 * def.heading_rad));
  BodyDef body;
  body.type = BodyType::kKinematic;
  body.position = def.position;
  body.rotation = {0.0, half.sin.to_double(), 0.0, half.cos.to_double()};
  body.user_tag = def.user_tag;
  body.shapes = {&shape, 1};
  return body;
}

template <class Real>
std::uint32_t mover_of(const WorldState<Real>& state, std::uint32_t body) noexcept {
  for (std::uint32_t i = 0; i < state.movers.capacity(); ++i) {
    if (state.movers.alive(i) && state.movers[i].body == body) return i;
  }
  return kNoIndex;
}

void throw_mover(MoverRecord& mover, Vec3<double> velocity) noexcept {
  mover.velocity = canonical(velocity);
  mover.ground_velocity = {};
  mover.grounded = false;
  mover.ground = {};
  mover.ground_normal = {0.0, 1.0, 0.0};
}

void correct_mover(MoverRecord& mover, Vec3<double> velocity) noexcept {
  Vec3<double> const relative = velocity - mover.ground_velocity;
  // On the ground, steps and slopes give the body a vertical velocity that the mover does not have.
  mover.velocity =
      canonical(Vec3<double>{relative.x, mover.grounded ? mover.velocity.y : relative.y, relative.z});
}

template <class Real>
MoverView view_mover(const WorldState<Real>& state, const MoverRecord& mover) {
  TAKT_ASSERT(mover.body < state.bodies.capacity() && state.bodies.alive(mover.body));
  MoverView view;
  view.body = state.bodies.id(mover.body);
  view.grounded = mover.grounded;
  view.ground = mover.ground;
  view.ground_normal = mover.ground_normal;
  view.velocity_m_s = mover.velocity + mover.ground_velocity;
  const Quat<Real>& q = state.bodies[mover.body].motion.rotation;
  Real const half = atan2(q.w < Real(0) ? -q.y : q.y, absolute(q.w));
  view.heading_rad = 2.0 * to_double(half);
  return view;
}

#define TAKT_INSTANTIATE(Real)                                                      \
  template std::uint32_t mover_of(const WorldState<Real>&, std::uint32_t) noexcept; \
  template MoverView view_mover(const WorldState<Real>&, const MoverRecord&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
