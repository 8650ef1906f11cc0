#include "physics/contact_solver/contact_loads.h"

#include <algorithm>
#include <limits>

#include "physics/base/parallel_for.h"
#include "physics/base/solver_constants.h"
#include "physics/base/union_find.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

template <class Real>
ContactLoad load_of(const PreparedContact<Real>& contact) noexcept {
  ContactLoad load;
  Vec3<double> const normal = to_double(contact.manifold.normal);
  Vec3<double> const delta_center = to_double(contact.cached.delta_center);
  auto const add = [&load, &delta_center](Vec3<double> impulse, Vec3<double> r_a) {
    load.impulse += impulse;
    load.torque_a += cross(r_a, impulse);
    load.torque_b += cross(r_a - delta_center, impulse);
  };
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i)
    add(normal * to_double(contact.impulses[i]), to_double(contact.manifold.points[i].position));
  add(to_double(contact.friction_impulse), to_double(manifold_center(contact.manifold)));
  Vec3<double> const couple = normal * to_double(contact.twist_impulse) + to_double(contact.rolling_impulse);
  load.torque_a += couple;
  load.torque_b += couple;
  load.size = length(load.impulse);
  return load;
}

/// True if the contact's load has a size above `max_n_s`. A bound excludes almost every contact.
template <class Real>
bool exceeds(const PreparedContact<Real>& contact, double max_n_s) noexcept {
  constexpr double kRounding = 1e-5;  // of the normal's length, and of sums
  double bound = 0.0;
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) bound += to_double(contact.impulses[i]);
  Vec3<double> const friction = to_double(contact.friction_impulse);
  bound += absolute(friction.x) + absolute(friction.y) + absolute(friction.z);
  return bound * (1.0 + kRounding) > max_n_s && load_of(contact).size > max_n_s;
}

}  // namespace

/// True if two bodies of the world differ in mass by more than kLendingMassRatio.
bool ContactLoads::has_high_ratio() const noexcept {
  double lightest = std::numeric_limits<double>::infinity();
  double heaviest = 0.0;
  for (double const mass_kg : masses_kg_) {
    if (mass_kg == 0.0) continue;
    lightest = std::min(lightest, mass_kg);
    heaviest = std::max(heaviest, mass_kg);
  }
  return heaviest > kLendingMassRatio * lightest;
}

/// True if a contact of two moving bodies carries more than rest can explain for both: a set that contains
/// them may be overloaded.
template <class Real>
bool ContactLoads::may_be_overloaded(const MassRatioInput<Real>& input, double rest_m_s) const noexcept {
  double const weights_m_s = kStillWeights * rest_m_s;
  for (std::size_t i = 0; i < input.contacts.size(); ++i) {
    const ContactBodies& bodies = input.contact_bodies[i];
    if (!bodies.moves_both()) continue;
    double const pair_kg = masses_kg_[bodies.pushed.body_a] + masses_kg_[bodies.pushed.body_b];
    if (exceeds(input.contacts[i], weights_m_s * pair_kg)) return true;
  }
  return false;
}

/// Fills sets_ with the sets that contacts connect.
void ContactLoads::find_sets(std::span<const ContactBodies> contact_bodies) {
  reset_sets(sets_, static_cast<std::uint32_t>(masses_kg_.size()));
  for (const ContactBodies& contact : contact_bodies) {
    if (contact.moves_both()) unite(sets_, contact.pushed.body_a, contact.pushed.body_b);
  }
  // Parents are lower than their children, so one ascending pass makes every entry the lowest of its set.
  for (std::size_t i = 0; i < sets_.size(); ++i) sets_[i] = sets_[sets_[i]];
  set_masses_.assign(sets_.size(), {});
  for (std::size_t i = 1; i < sets_.size(); ++i) {
    double const mass_kg = masses_kg_[i];
    if (mass_kg == 0.0) continue;
    SetMass& set = set_masses_[sets_[i]];
    set.lightest_kg = set.sum_kg == 0.0 ? mass_kg : std::min(set.lightest_kg, mass_kg);
    set.heaviest_kg = std::max(set.heaviest_kg, mass_kg);
    set.sum_kg += mass_kg;
  }
}

/// Two bodies of a set may differ much although no two that touch do: each level of a tower may have four
/// times the mass of the one below it. A set may still carry the impulses of a heavy body that left it.
bool ContactLoads::mark_sets(std::span<const ContactBodies> contact_bodies, double rest_m_s) {
  bool any = false;
  unequal_.assign(sets_.size(), 0);
  overloaded_.assign(sets_.size(), 0);
  for (std::size_t i = 1; i < sets_.size(); ++i) {
    const SetMass& set = set_masses_[i];
    if (!(set.heaviest_kg > kLendingMassRatio * set.lightest_kg)) continue;
    unequal_[i] = 1;
    any = true;
  }
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    ColouredPair const pushed = contact_bodies[i].pushed;
    std::uint32_t const body = pushed.body_a != kNoBody ? pushed.body_a : pushed.body_b;
    if (body == kNoBody || loads_[i].size == 0.0) continue;
    // A single body that lands does so whatever happens elsewhere in the world.
    if (!is_guarded_ && !contact_bodies[i].moves_both()) continue;
    std::uint32_t const set = sets_[body];
    if (!(loads_[i].size > kStillWeights * rest_m_s * set_masses_[set].sum_kg)) continue;
    overloaded_[set] = 1;
    any = true;
  }
  return any;
}

template <class Real>
bool ContactLoads::find(const MassRatioInput<Real>& input) {
  TAKT_ASSERT(input.contact_bodies.size() == input.contacts.size());
  TAKT_ASSERT(input.bodies.size() == input.masses.size() && input.moving.size() == input.masses.size());
  loads_.clear();
  masses_kg_.resize(input.masses.size());
  parallel_for(input.pool, input.masses.size(), kBodyGrain,
               [&](std::size_t first, std::size_t end, std::uint32_t) {
                 for (std::size_t i = first; i < end; ++i) {
                   Mass<Real> const inverse = input.masses[i].inverse_mass;
                   masses_kg_[i] = is_positive(inverse) ? 1.0 / to_double(inverse) : 0.0;
                 }
               });
  double const rest_m_s = std::max(input.weight_m_s, kMinRestSpeedMS);
  is_guarded_ = has_high_ratio() || input.any_unloaded;
  if (!is_guarded_ && !may_be_overloaded(input, rest_m_s)) return false;
  find_sets(input.contact_bodies);
  auto const is_overload = [&](std::size_t i) {
    const ContactBodies& bodies = input.contact_bodies[i];
    return bodies.moves_both() &&
           exceeds(input.contacts[i],
                   kStillWeights * rest_m_s * set_masses_[sets_[bodies.pushed.body_a]].sum_kg);
  };
  // A tall pile rests on contacts with many times the weight of their bodies. It ends here.
  bool any_overload = is_guarded_;
  for (std::size_t i = 0; !any_overload && i < input.contacts.size(); ++i) any_overload = is_overload(i);
  if (!any_overload) return false;
  loads_.resize(input.contacts.size());
  parallel_for(input.pool, input.contacts.size(), kContactGrain,
               [&](std::size_t first, std::size_t end, std::uint32_t) {
                 for (std::size_t i = first; i < end; ++i) loads_[i] = load_of(input.contacts[i]);
               });
  if (!mark_sets(input.contact_bodies, rest_m_s)) return false;
  TAKT_ASSERT(input.external.size() == input.masses.size());
  links_.connect(input.contact_bodies, input.masses.size());
  parallel_filter(input.pool, input.contacts.size(), high_ratio_, [&](std::size_t i, std::uint32_t& index) {
    index = static_cast<std::uint32_t>(i);
    const ContactBodies& contact = input.contact_bodies[i];
    if (!contact.moves_both()) return false;
    double const a = masses_kg_[contact.pushed.body_a];
    double const b = masses_kg_[contact.pushed.body_b];
    return a > 0.0 && b > 0.0 && (a > kLendingMassRatio * b || b > kLendingMassRatio * a);
  });
  return true;
}

template bool ContactLoads::find(const MassRatioInput<float>&);
template bool ContactLoads::find(const MassRatioInput<Fixed>&);

}  // namespace takt
