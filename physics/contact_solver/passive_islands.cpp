#include "physics/contact_solver/passive_islands.h"

#include <algorithm>

#include "physics/base/parallel_for.h"
#include "physics/base/union_find.h"
#include "physics/constraints/motion_locks.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Islands of a task.
constexpr std::size_t kIslandGrain = 8;
/// Fraction of an island's energy that its sums may be off: rounding of velocities.
constexpr double kEnergyRounding = 1e-6;

template <class Real>
bool moves(const SolverBody<Real>& body) noexcept {
  return !(vector_of(body.linear_velocity) == Vec3<Real>{} &&
           vector_of(body.angular_velocity) == Vec3<Real>{});
}

/// True if the contact may add energy: by a surface's velocity, a spring, or a kinematic body.
template <class Real>
bool may_drive(const PreparedContact<Real>& contact, const SolverBodies<Real>& bodies) noexcept {
  return contact.soft_a != nullptr || contact.soft_b != nullptr || !(contact.slide == Vec3<Real>{}) ||
         (!contact.dynamic_a && moves(bodies.bodies[contact.body_a])) ||
         (!contact.dynamic_b && moves(bodies.bodies[contact.body_b]));
}

Vec3<double> multiply(const double (&a)[6], Vec3<double> v) noexcept {
  return {a[0] * v.x + a[3] * v.y + a[4] * v.z, a[3] * v.x + a[1] * v.y + a[5] * v.z,
          a[4] * v.x + a[5] * v.y + a[2] * v.z};
}

template <class Real>
void set_velocity(Real (&row)[4], Vec3<double> v) noexcept {
  set_row(row, Vec3<Real>{to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)});
}

}  // namespace

template <class Real>
void PassiveIslands<Real>::find(std::span<const PreparedContact<Real>> contacts,
                                std::span<const ContactBodies> contact_bodies,
                                const SolverBodies<Real>& bodies) {
  TAKT_ASSERT(contacts.size() == contact_bodies.size());
  auto const count = static_cast<std::uint32_t>(bodies.bodies.size());
  clear();
  reset_sets(sets_, count);
  driven_.assign(count, 0);
  grounded_.assign(count, 0);
  contact_counts_.assign(count, 0);
  for (const ContactBodies& contact : contact_bodies) {
    if (contact.moves_both()) unite(sets_, contact.pushed.body_a, contact.pushed.body_b);
  }
  auto const set_of = [this](std::uint32_t body) { return find_root(sets_, body); };
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    ColouredPair const pushed = contact_bodies[i].pushed;
    std::uint32_t const body = pushed.body_a != kNoBody ? pushed.body_a : pushed.body_b;
    if (body == kNoBody) continue;
    std::uint32_t const root = set_of(body);
    ++contact_counts_[root];
    if (may_drive(contacts[i], bodies)) driven_[root] = 1;
    if (!contact_bodies[i].moves_both()) grounded_[root] = 1;
  }
  auto const has_island = [this](std::uint32_t root) {
    return contact_counts_[root] != 0 && driven_[root] == 0;
  };
  next_.assign(count, 0);
  for (std::uint32_t body = 1; body < count; ++body) {
    std::uint32_t const root = set_of(body);
    if (has_island(root)) ++next_[root];
  }
  std::uint32_t end = 0;
  for (std::uint32_t root = 1; root < count; ++root) {
    if (next_[root] == 0) continue;
    islands_.push_back({end, end + next_[root], grounded_[root] != 0, 0.0});
    std::uint32_t const first = end;
    end += next_[root];
    next_[root] = first;
  }
  members_.resize(end);
  for (std::uint32_t body = 1; body < count; ++body) {
    std::uint32_t const root = set_of(body);
    if (!has_island(root)) continue;
    Member& member = members_[next_[root]++];
    const SolverMass<Real>& mass = bodies.masses[body];
    member.body = body;
    member.mass_kg = is_positive(mass.inverse_mass) ? 1.0 / to_double(mass.inverse_mass) : 0.0;
    copy_entries(mass.inverse_inertia, member.inertia);
    invert_free(member.inertia, 1.0, kMinFreeFraction);
  }
}

template <class Real>
void PassiveIslands<Real>::begin_substep() {
  for (Island& island : islands_) island.work_j = 0.0;
  for (Member& member : members_) {
    member.linear_change = {};
    member.angular_change = {};
  }
}

template <class Real>
void PassiveIslands<Real>::begin_pass(std::span<const SolverBody<Real>> bodies, TaskPool* pool) {
  if (islands_.empty()) return;
  parallel_for(pool, members_.size(), kBodyGrain, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t i = first; i < end; ++i) {
      Member& member = members_[i];
      member.linear_before = doubles_of(bodies[member.body].linear_velocity);
      member.angular_before = doubles_of(bodies[member.body].angular_velocity);
    }
  });
}

template <class Real>
void PassiveIslands<Real>::end_pass(std::span<const SolverBody<Real>> bodies, TaskPool* pool) {
  if (islands_.empty()) return;
  parallel_for(pool, islands_.size(), kIslandGrain, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t i = first; i < end; ++i) {
      Island& island = islands_[i];
      for (std::uint32_t k = island.first; k < island.end; ++k) {
        Member& member = members_[k];
        Vec3<double> const v = doubles_of(bodies[member.body].linear_velocity);
        Vec3<double> const w = doubles_of(bodies[member.body].angular_velocity);
        Vec3<double> const dv = v - member.linear_before;
        Vec3<double> const dw = w - member.angular_before;
        island.work_j += 0.5 * (member.mass_kg * dot(v + member.linear_before, dv) +
                                dot(w + member.angular_before, multiply(member.inertia, dw)));
        member.linear_change += dv;
        member.angular_change += dw;
      }
    }
  });
}

/// Takes the work of an island's contacts back if it is above 0.
template <class Real>
void PassiveIslands<Real>::settle(const Island& island, std::span<SolverBody<Real>> bodies) const {
  if (!(island.work_j > 0.0)) return;
  // The energy falls by `linear` x - `square` x^2 when a fraction x of the changes is taken back.
  double energy = 0.0;
  double linear = 0.0;
  double square = 0.0;
  for (std::uint32_t k = island.first; k < island.end; ++k) {
    const Member& member = members_[k];
    Vec3<double> const v = doubles_of(bodies[member.body].linear_velocity);
    Vec3<double> const w = doubles_of(bodies[member.body].angular_velocity);
    Vec3<double> const angular_momentum = multiply(member.inertia, w);
    energy += 0.5 * (member.mass_kg * dot(v, v) + dot(w, angular_momentum));
    linear += member.mass_kg * dot(v, member.linear_change) + dot(angular_momentum, member.angular_change);
    square += 0.5 * (member.mass_kg * dot(member.linear_change, member.linear_change) +
                     dot(member.angular_change, multiply(member.inertia, member.angular_change)));
  }
  // NaN passes: its body is quarantined.
  if (!(island.work_j > kEnergyRounding * energy) || !(square > 0.0)) return;
  double scale = 1.0;
  double taken_back = 0.0;
  if (island.grounded) {
    scale = energy > 0.0 ? sqrt(maximum(energy - island.work_j, 0.0) / energy) : 1.0;
  } else {
    // The smaller root, or the fraction that takes most when the work cannot be taken back whole.
    double const discriminant = linear * linear - 4.0 * square * island.work_j;
    taken_back = (linear - sqrt(maximum(discriminant, 0.0))) / (2.0 * square);
    taken_back = clamp(taken_back, 0.0, 1.0);
  }
  TAKT_VALIDATE(scale >= 0.0 && scale <= 1.0);
  for (std::uint32_t k = island.first; k < island.end; ++k) {
    const Member& member = members_[k];
    SolverBody<Real>& body = bodies[member.body];
    set_velocity(body.linear_velocity,
                 (doubles_of(body.linear_velocity) - member.linear_change * taken_back) * scale);
    set_velocity(body.angular_velocity,
                 (doubles_of(body.angular_velocity) - member.angular_change * taken_back) * scale);
  }
}

template <class Real>
void PassiveIslands<Real>::end_substep(std::span<SolverBody<Real>> bodies, TaskPool* pool) {
  if (islands_.empty()) return;
  parallel_for(pool, islands_.size(), kIslandGrain, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t i = first; i < end; ++i) settle(islands_[i], bodies);
  });
}

template class PassiveIslands<float>;
template class PassiveIslands<Fixed>;

}  // namespace takt
