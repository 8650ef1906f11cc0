#include "physics/joints/grab_solver.h"

#include "physics/constraints/motion_locks.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

template <class Real>
void add_to(Real (&v)[4], Vec3<Real> change) noexcept {
  v[0] = v[0] + change.x;
  v[1] = v[1] + change.y;
  v[2] = v[2] + change.z;
}

template <class Real>
void push(SolverBodies<Real>& bodies, const PreparedGrab<Real>& grab, Vec3<Real> impulse) {
  SolverBody<Real>& body = bodies.bodies[grab.body];
  const SolverMass<Real>& mass = bodies.masses[grab.body];
  add_to(body.linear_velocity, free_linear(mass.locked_axes, Vec3<Real>{mass.inverse_mass * impulse.x,
                                                                        mass.inverse_mass * impulse.y,
                                                                        mass.inverse_mass * impulse.z}));
  add_to(body.angular_velocity, mass.inverse_inertia * cross(grab.lever_arm, impulse));
}

// The inverse of K = 1/m - [arm] I^-1 [arm], by cofactors in the mass type.
template <class Real>
void invert_point_mass(const SolverMass<Real>& mass, Vec3<Real> lever_arm, Mass<Real> (&out)[6]) {
  Vec3<Real> const ex{Real(1), Real(0), Real(0)};
  Vec3<Real> const ey{Real(0), Real(1), Real(0)};
  Vec3<Real> const ez{Real(0), Real(0), Real(1)};
  Vec3<Real> const tx = cross(lever_arm, ex);
  Vec3<Real> const ty = cross(lever_arm, ey);
  Vec3<Real> const tz = cross(lever_arm, ez);
  auto const& inertia = mass.inverse_inertia;
  if (mass.locked_axes != 0) {
    Mass<Real> const none{};
    out[0] = ((mass.locked_axes & kLockLinearX) != 0 ? none : mass.inverse_mass) + bilinear(tx, inertia, tx);
    out[1] = ((mass.locked_axes & kLockLinearY) != 0 ? none : mass.inverse_mass) + bilinear(ty, inertia, ty);
    out[2] = ((mass.locked_axes & kLockLinearZ) != 0 ? none : mass.inverse_mass) + bilinear(tz, inertia, tz);
    out[3] = bilinear(tx, inertia, ty);
    out[4] = bilinear(tx, inertia, tz);
    out[5] = bilinear(ty, inertia, tz);
    invert_free(out, Mass<Real>(Real(1)), Mass<Real>(to_real<Real>(1e-4)));
    return;
  }
  Mass<Real> const xx = mass.inverse_mass + bilinear(tx, inertia, tx);
  Mass<Real> const yy = mass.inverse_mass + bilinear(ty, inertia, ty);
  Mass<Real> const zz = mass.inverse_mass + bilinear(tz, inertia, tz);
  Mass<Real> const xy = bilinear(tx, inertia, ty);
  Mass<Real> const xz = bilinear(tx, inertia, tz);
  Mass<Real> const yz = bilinear(ty, inertia, tz);
  Mass<Real> const cxx = yy * zz - yz * yz;
  Mass<Real> const cxy = xz * yz - xy * zz;
  Mass<Real> const cxz = xy * yz - xz * yy;
  Mass<Real> const determinant = xx * cxx + xy * cxy + xz * cxz;
  if (!is_positive(determinant)) return;
  out[0] = cxx / determinant;
  out[1] = (xx * zz - xz * xz) / determinant;
  out[2] = (xx * yy - xy * xy) / determinant;
  out[3] = cxy / determinant;
  out[4] = cxz / determinant;
  out[5] = (xy * xz - xx * yz) / determinant;
}

}  // namespace

template <class Real>
void GrabSolver<Real>::prepare(const WorldState<Real>& state, const SolverBodies<Real>& bodies,
                               Real substep) {
  grabs_.clear();
  for (std::uint32_t i = 0; i < state.grabs.capacity(); ++i) {
    if (!state.grabs.alive(i)) continue;
    const GrabRecord<Real>& record = state.grabs[i];
    const BodyRecord<Real>& body = state.bodies[record.body];
    if (body.type != BodyType::kDynamic || body.quarantined || !body.enabled) continue;
    PreparedGrab<Real>& grab = grabs_.emplace_back();
    grab.index = i;
    grab.body = bodies.solver_index[record.body];
    TAKT_ASSERT(grab.body != 0 && grab.body < bodies.masses.size());
    grab.local_anchor = record.local_anchor;
    grab.lever_arm = rotate(body.motion.rotation, record.local_anchor);
    grab.from_target = relative<Real>(body.motion.center, record.target);
    grab.max_impulse = record.max_force * substep;
    grab.impulse = record.impulse;
    invert_point_mass(bodies.masses[grab.body], grab.lever_arm, grab.mass);
  }
}

template <class Real>
void GrabSolver<Real>::warm_start(SolverBodies<Real>& bodies) {
  for (PreparedGrab<Real>& grab : grabs_) {
    // The lever arm turns with the body in every substep: one that stayed would drag a fast top along.
    grab.lever_arm = rotate(bodies.moving[grab.body].rotation, grab.local_anchor);
    push(bodies, grab, grab.impulse);
  }
}

template <class Real>
void GrabSolver<Real>::solve(SolverBodies<Real>& bodies, const ContactSoftness<Real>& soft) {
  for (PreparedGrab<Real>& grab : grabs_) {
    const SolverBody<Real>& body = bodies.bodies[grab.body];
    Vec3<Real> const error = grab.from_target + vector_of(body.delta_position) + grab.lever_arm;
    Vec3<Real> const velocity =
        vector_of(body.linear_velocity) + cross(vector_of(body.angular_velocity), grab.lever_arm);
    Vec3<Real> const w = (velocity + error * soft.bias_rate) * soft.mass_scale;
    const Mass<Real>(&m)[6] = grab.mass;
    Vec3<Real> const reaction{m[0] * w.x + m[3] * w.y + m[4] * w.z, m[3] * w.x + m[1] * w.y + m[5] * w.z,
                              m[4] * w.x + m[5] * w.y + m[2] * w.z};
    Vec3<Real> wanted = grab.impulse - (reaction + grab.impulse * soft.impulse_scale);
    Real const size = length(wanted);
    if (size > grab.max_impulse)
      wanted = Vec3<Real>{wanted.x / size, wanted.y / size, wanted.z / size} * grab.max_impulse;
    Vec3<Real> const change = wanted - grab.impulse;
    grab.impulse = wanted;
    push(bodies, grab, change);
  }
}

template <class Real>
void GrabSolver<Real>::store(WorldState<Real>& state) const {
  for (const PreparedGrab<Real>& grab : grabs_) {
    GrabRecord<Real>& record = state.grabs[grab.index];
    record.impulse = state.bodies[record.body].quarantined ? Vec3<Real>{} : canonical(grab.impulse);
  }
}

template class GrabSolver<float>;
template class GrabSolver<Fixed>;

}  // namespace takt
