#include "physics/contact_solver/passive_islands.h"

#include <algorithm>

#include "physics/base/parallel_for.h"
#include "physics/constraints/motion_locks.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Islands of a task.
constexpr std::size_t kIslandGrain = 8;
/// The passes of a substep are the warm start, the biased pass and the relax pass.
constexpr std::uint32_t kBiasedPass = 1;
/// Fraction of an island's energy that its sums may be off: rounding of velocities.
constexpr double kEnergyRounding = 1e-6;

template <class Real>
bool moves(const SolverBody<Real>& body) noexcept {
  return !(vector_of(body.linear_velocity) == Vec3<Real>{} &&
           vector_of(body.angular_velocity) == Vec3<Real>{});
}

/// True if the contact may add energy: by a surface's velocity, a spring, or a kinematic body.
template <class Real>
bool may_drive(const PreparedContact<Real>& contact, std::span<const SolverBody<Real>> bodies) noexcept {
  return contact.soft_a != nullptr || contact.soft_b != nullptr || !(contact.slide == Vec3<Real>{}) ||
         (!contact.dynamic_a && moves(bodies[contact.body_a])) ||
         (!contact.dynamic_b && moves(bodies[contact.body_b]));
}

Vec3<double> multiply(const double (&a)[6], Vec3<double> v) noexcept {
  return {a[0] * v.x + a[3] * v.y + a[4] * v.z, a[3] * v.x + a[1] * v.y + a[5] * v.z,
          a[4] * v.x + a[5] * v.y + a[2] * v.z};
}

/// The kinetic energy that a change of velocities adds to a body, J.
template <class Member>
double work_of(const Member& member, Vec3<double> v0, Vec3<double> w0, Vec3<double> v1,
               Vec3<double> w1) noexcept {
  return 0.5 * (member.mass_kg * dot(v0 + v1, v1 - v0) + dot(w0 + w1, multiply(member.inertia, w1 - w0)));
}

template <class Real>
void set_velocity(Real (&row)[4], Vec3<double> v) noexcept {
  set_row(row, Vec3<Real>{to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)});
}

}  // namespace

template <class Real>
void PassiveIslands<Real>::find(const MassRatioInput<Real>& input, const ContactLoads& loads) {
  auto const count = static_cast<std::uint32_t>(input.bodies.size());
  clear();
  driven_.assign(count, 0);
  joined_.assign(count, 0);
  grounded_.assign(count, 0);
  contact_counts_.assign(count, 0);
  for (std::size_t i = 0; i < input.contacts.size(); ++i) {
    ColouredPair const pushed = input.contact_bodies[i].pushed;
    std::uint32_t const body = pushed.body_a != kNoBody ? pushed.body_a : pushed.body_b;
    if (body == kNoBody) continue;
    std::uint32_t const set = loads.set_of(body);
    ++contact_counts_[set];
    if (may_drive(input.contacts[i], input.bodies)) driven_[set] = 1;
    if (!input.contact_bodies[i].moves_both()) grounded_[set] = 1;
  }
  for (std::uint32_t body = 1; body < count; ++body) {
    LoadSource const source = input.external[body].source;
    if (source == LoadSource::kUnknown) driven_[loads.set_of(body)] = 1;
    if (source == LoadSource::kJoints) joined_[loads.set_of(body)] = 1;
  }
  auto const has_island = [&](std::uint32_t set) {
    return contact_counts_[set] != 0 && driven_[set] == 0 &&
           (loads.is_unequal(set) || loads.is_overloaded(set));
  };
  next_.assign(count, 0);
  for (std::uint32_t body = 1; body < count; ++body) {
    std::uint32_t const set = loads.set_of(body);
    if (has_island(set)) ++next_[set];
  }
  std::uint32_t end = 0;
  for (std::uint32_t set = 1; set < count; ++set) {
    if (next_[set] == 0) continue;
    islands_.push_back({end, end + next_[set], grounded_[set] != 0, joined_[set] != 0, 0.0});
    std::uint32_t const first = end;
    end += next_[set];
    next_[set] = first;
  }
  members_.resize(end);
  for (std::uint32_t body = 1; body < count; ++body) {
    std::uint32_t const set = loads.set_of(body);
    if (!has_island(set)) continue;
    Member& member = members_[next_[set]++];
    const SolverMass<Real>& mass = input.masses[body];
    member.body = body;
    member.mass_kg = loads.masses_kg()[body];
    copy_entries(mass.inverse_inertia, member.inertia);
    invert_free(member.inertia, 1.0, 0.0);
  }
}

template <class Real>
void PassiveIslands<Real>::begin_substep() noexcept {
  pass_ = 0;
}

/// Contacts pay in a pass for what joints, ropes and grabs take before the next one: at rest the warm start
/// raises the energy that a rope takes back. Work that others took counts as taken by contacts. Joints alone
/// act on an island between the warm start and the biased pass.
template <class Real>
void PassiveIslands<Real>::begin_pass(std::span<const SolverBody<Real>> bodies, TaskPool* pool) {
  if (islands_.empty()) return;
  std::uint32_t const pass = pass_++;
  parallel_for(pool, islands_.size(), kIslandGrain, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t i = first; i < end; ++i) {
      Island& island = islands_[i];
      if (pass == 0) {
        begin_work(island, bodies);
      } else if (pass != kBiasedPass || island.joined) {
        add_work_of_others(island, bodies);
      }
    }
  });
}

template <class Real>
void PassiveIslands<Real>::begin_work(Island& island, std::span<const SolverBody<Real>> bodies) {
  island.work_j = 0.0;
  for (std::uint32_t k = island.first; k < island.end; ++k) {
    Member& member = members_[k];
    member.linear_now = doubles_of(bodies[member.body].linear_velocity);
    member.angular_now = doubles_of(bodies[member.body].angular_velocity);
    member.linear_change = {};
    member.angular_change = {};
  }
}

template <class Real>
void PassiveIslands<Real>::add_work_of_others(Island& island, std::span<const SolverBody<Real>> bodies) {
  double others_j = 0.0;
  for (std::uint32_t k = island.first; k < island.end; ++k) {
    Member& member = members_[k];
    Vec3<double> const v = doubles_of(bodies[member.body].linear_velocity);
    Vec3<double> const w = doubles_of(bodies[member.body].angular_velocity);
    if (v == member.linear_now && w == member.angular_now) continue;
    others_j += work_of(member, member.linear_now, member.angular_now, v, w);
    member.linear_now = v;
    member.angular_now = w;
  }
  island.work_j += minimum(others_j, 0.0);
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
        island.work_j += work_of(member, member.linear_now, member.angular_now, v, w);
        member.linear_change += v - member.linear_now;
        member.angular_change += w - member.angular_now;
        member.linear_now = v;
        member.angular_now = w;
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
