#include "physics/contact_solver/mass_lending.h"

#include <algorithm>

#include "physics/base/slot_pool.h"
#include "physics/base/solver_constants.h"
#include "physics/base/union_find.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Rounds in which what small requests leave is passed on to the large ones.
constexpr int kLevelRounds = 4;

std::uint32_t other_of(const ColouredPair& pair, std::uint32_t body) noexcept {
  return pair.body_a == body ? pair.body_b : pair.body_a;
}

template <class Real>
Vec3<double> velocity_at(const SolverBody<Real>& body, Vec3<double> r) noexcept {
  return doubles_of(body.linear_velocity) + cross(doubles_of(body.angular_velocity), r);
}

/// The maximum closing speed of the contact's points, m/s.
template <class Real>
double closing_speed(const PreparedContact<Real>& contact, const SolverBody<Real>& a,
                     const SolverBody<Real>& b) noexcept {
  Vec3<double> const normal = to_double(contact.manifold.normal);
  Vec3<double> const delta_center = to_double(contact.cached.delta_center);
  double fastest = 0.0;
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    Vec3<double> const r_a = to_double(contact.manifold.points[i].position);
    double const speed = dot(normal, velocity_at(a, r_a) - velocity_at(b, r_a - delta_center));
    if (i == 0 || speed > fastest) fastest = speed;
  }
  return fastest;
}

/// The maximum speed of body a's or b's contact points along a direction, m/s.
template <class Real>
double speed_along(const PreparedContact<Real>& contact, const SolverBody<Real>& body, bool is_a,
                   Vec3<double> direction) noexcept {
  Vec3<double> const origin = is_a ? Vec3<double>{} : to_double(contact.cached.delta_center);
  double fastest = 0.0;
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    double const speed =
        dot(direction, velocity_at(body, to_double(contact.manifold.points[i].position) - origin));
    if (i == 0 || speed > fastest) fastest = speed;
  }
  return fastest;
}

template <class Real>
bool touches(const PreparedContact<Real>& contact) noexcept {
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    if (contact.impulses[i] > Real(0) || contact.manifold.points[i].separation <= to_real<Real>(kLinearSlopM))
      return true;
  }
  return false;
}

template <class Real>
void scale_mass(SolverMass<Real>& mass, double factor) noexcept {
  mass.inverse_mass = to_mass<Real>(to_double(mass.inverse_mass) / factor);
  mass.inverse_inertia = scaled(mass.inverse_inertia, 1.0 / factor);
}

/// True if the masses times their factors have the sum of the masses, up to rounding.
[[maybe_unused]] bool is_mass_conserved(std::span<const double> masses_kg, std::span<const double> factors) {
  double before = 0.0;
  double after = 0.0;
  for (std::size_t i = 0; i < masses_kg.size(); ++i) {
    before += masses_kg[i];
    after += masses_kg[i] * factors[i];
  }
  return absolute(after - before) <= 1e-9 * before;
}

}  // namespace

/// A body at rest moves by rest_m_s_ a substep before its contacts stop it.
template <class Real>
void MassLending<Real>::lend(const MassRatioInput<Real>& input, const ContactLoads& loads) {
  std::size_t const bodies = input.masses.size();
  TAKT_ASSERT(loads.loads().size() == input.contacts.size() && loads.masses_kg().size() == bodies);
  rest_m_s_ = std::max(input.weight_m_s, kMinRestSpeedMS);
  arriving_.assign(input.contacts.size(), 0.0);
  sums_.assign(bodies, {});
  squeezes_.assign(bodies, 0.0);
  lenders_.assign(bodies, kNoIndex);
  factors_.assign(bodies, 1.0);
  reached_.assign(bodies, 0);
  add_arriving(input, loads);
  find_squeezes(input, loads);
  find_lenders(input, loads);
  find_grounded(input, loads);
  find_factors(input, loads);
  masses_.assign(input.masses.begin(), input.masses.end());
  for (std::size_t i = 1; i < bodies; ++i) {
    TAKT_ASSERT(factors_[i] > 0.0);
    if (factors_[i] != 1.0) scale_mass(masses_[i], factors_[i]);
  }
}

/// A heavy body whose contact does not carry what stops it within this substep arrives.
template <class Real>
void MassLending<Real>::add_arriving(const MassRatioInput<Real>& input, const ContactLoads& loads) {
  for (std::uint32_t const index : loads.high_ratio_contacts()) {
    const PreparedContact<Real>& contact = input.contacts[index];
    if (!touches(contact)) continue;
    bool const a_is_heavier = loads.masses_kg()[contact.body_a] > loads.masses_kg()[contact.body_b];
    std::uint32_t const heavier = a_is_heavier ? contact.body_a : contact.body_b;
    std::uint32_t const light = a_is_heavier ? contact.body_b : contact.body_a;
    Vec3<double> const direction =
        a_is_heavier ? to_double(contact.manifold.normal) : -to_double(contact.manifold.normal);
    double speed = closing_speed(contact, input.bodies[contact.body_a], input.bodies[contact.body_b]);
    if (loads.loads()[index].size == 0.0)
      speed += dot(direction, to_double(input.moving[heavier].linear.change));
    double const impulse = speed * loads.masses_kg()[heavier];
    if (!(impulse > kArrivingFactor * loads.loads()[index].size)) continue;
    spread_arriving(input, loads, light, index, direction, speed);
  }
}

/// The impulse counts at the contact of the arriving body and at the contacts behind the light body, as far
/// as they transmit it along its direction: breadth first, at most kMaxArrivingContacts of
/// the first kMaxSeenContacts. The heavy body arrives no faster than it approaches a body behind the light
/// one: a light body that flies at a heavy one brings its own momentum only.
template <class Real>
void MassLending<Real>::spread_arriving(const MassRatioInput<Real>& input, const ContactLoads& loads,
                                        std::uint32_t light, std::uint32_t from, Vec3<double> direction,
                                        double closing_speed) {
  const PreparedContact<Real>& first = input.contacts[from];
  bool const heavier_is_a = first.body_b == light;
  std::uint32_t const heavier = heavier_is_a ? first.body_a : first.body_b;
  double speed_of_heavier = speed_along(first, input.bodies[heavier], heavier_is_a, direction);
  if (loads.loads()[from].size == 0.0)
    speed_of_heavier += dot(direction, to_double(input.moving[heavier].linear.change));
  double backed_speed = 0.0;
  queue_.clear();
  reached_bodies_.assign(1, light);
  reached_[light] = 1;
  std::size_t seen_count = 0;
  for (std::size_t next = 0; next < reached_bodies_.size() && queue_.size() < kMaxArrivingContacts; ++next) {
    std::uint32_t const body = reached_bodies_[next];
    for (std::uint32_t const index : loads.links().of(body)) {
      if (++seen_count > kMaxSeenContacts) break;
      const PreparedContact<Real>& contact = input.contacts[index];
      bool const body_is_a = contact.body_a == body && contact.dynamic_a;
      Vec3<double> const normal = to_double(contact.manifold.normal);
      double const along = body_is_a ? dot(normal, direction) : -dot(normal, direction);
      if (index == from || along < kMinArrivingCosine || !touches(contact)) continue;
      if (queue_.size() == kMaxArrivingContacts) break;
      queue_.push_back(index);
      std::uint32_t const behind = body_is_a ? contact.body_b : contact.body_a;
      double const away = speed_along(contact, input.bodies[behind], !body_is_a, direction);
      backed_speed = std::max(backed_speed, speed_of_heavier - away);
      std::uint32_t const other = other_of(input.contact_bodies[index].pushed, body);
      if (other == kNoBody || reached_[other] != 0) continue;
      reached_[other] = 1;
      reached_bodies_.push_back(other);
    }
  }
  for (std::uint32_t const body : reached_bodies_) reached_[body] = 0;
  double const impulse = std::min(closing_speed, backed_speed) * loads.masses_kg()[heavier];
  if (!(impulse > kArrivingFactor * loads.loads()[from].size)) return;
  arriving_[from] = std::max(arriving_[from], impulse);
  for (std::uint32_t const index : queue_) arriving_[index] = std::max(arriving_[index], impulse);
}

template <class Real>
void MassLending<Real>::find_squeezes(const MassRatioInput<Real>& input, const ContactLoads& loads) {
  for (std::size_t i = 0; i < input.contacts.size(); ++i) {
    const ContactLoad& load = loads.loads()[i];
    Vec3<double> impulse = load.impulse;
    double size = load.size;
    if (arriving_[i] > size) {
      size = arriving_[i];
      impulse = to_double(input.contacts[i].manifold.normal) * size;
    }
    if (size == 0.0) continue;
    ColouredPair const pushed = input.contact_bodies[i].pushed;
    if (pushed.body_a != kNoBody) {
      sums_[pushed.body_a] += -impulse;
      squeezes_[pushed.body_a] += size;
    }
    if (pushed.body_b != kNoBody) {
      sums_[pushed.body_b] += impulse;
      squeezes_[pushed.body_b] += size;
    }
  }
  for (std::size_t i = 1; i < squeezes_.size(); ++i) {
    squeezes_[i] = 0.5 * std::max(0.0, squeezes_[i] - length(sums_[i]));
    if (squeezes_[i] > kPressedWeights * loads.masses_kg()[i] * rest_m_s_)
      lenders_[i] = static_cast<std::uint32_t>(i);
  }
  // A spring refers to the true mass and shows the true load.
  soft_.assign(squeezes_.size(), 0);
  for (const PreparedContact<Real>& contact : input.contacts) {
    if (contact.soft_a == nullptr && contact.soft_b == nullptr) continue;
    if (contact.dynamic_a) soft_[contact.body_a] = 1;
    if (contact.dynamic_b) soft_[contact.body_b] = 1;
  }
  for (std::size_t i = 1; i < soft_.size(); ++i) {
    if (soft_[i] != 0) lenders_[i] = kNoIndex;
  }
}

/// lenders_[i] of a pressed body starts as the body itself. Each round passes the heaviest known body on over
/// the contacts of pressed bodies.
template <class Real>
void MassLending<Real>::find_lenders(const MassRatioInput<Real>& input, const ContactLoads& loads) {
  pressing_.clear();
  offers_.clear();
  auto const is_pressed = [this](std::uint32_t body) { return lenders_[body] != kNoIndex; };
  for (std::uint32_t i = 0; i < input.contact_bodies.size(); ++i) {
    const ContactBodies& contact = input.contact_bodies[i];
    if (!contact.moves_both()) continue;
    double const size = std::max(loads.loads()[i].size, arriving_[i]);
    auto const is_part = [&](std::uint32_t body) {
      return is_pressed(body) && size >= kMinSqueezeFraction * squeezes_[body];
    };
    auto const offer = [&](std::uint32_t to, std::uint32_t from) {
      if (is_pressed(to) && !(size < kMinSqueezeFraction * squeezes_[to])) offers_.push_back({to, from});
    };
    if (!(size > 0.0) || !(is_part(contact.pushed.body_a) || is_part(contact.pushed.body_b))) continue;
    pressing_.push_back(i);
    offer(contact.pushed.body_a, contact.pushed.body_b);
    offer(contact.pushed.body_b, contact.pushed.body_a);
  }
  heaviest_.resize(lenders_.size());
  for (std::uint32_t i = 0; i < heaviest_.size(); ++i) heaviest_[i] = {loads.masses_kg()[i], i};
  bool changed = true;
  for (std::uint32_t round = 0; changed && round < kMaxLendingRounds; ++round) {
    changed = false;
    for (const Offer& offer : offers_) {
      if (!(heaviest_[offer.from].mass_kg > heaviest_[offer.to].mass_kg)) continue;
      heaviest_[offer.to] = heaviest_[offer.from];
      changed = true;
    }
  }
  for (const Offer& offer : offers_) lenders_[offer.to] = heaviest_[offer.to].body;
}

/// A set of bodies in flight keeps its masses: contacts would not conserve its momentum otherwise.
template <class Real>
void MassLending<Real>::find_grounded(const MassRatioInput<Real>& input, const ContactLoads& loads) {
  reset_sets(sets_, static_cast<std::uint32_t>(squeezes_.size()));
  grounded_.assign(squeezes_.size(), 0);
  for (std::uint32_t const index : pressing_) {
    ColouredPair const pair = input.contact_bodies[index].pushed;
    unite(sets_, pair.body_a, pair.body_b);
  }
  for (std::uint32_t i = 0; i < input.contact_bodies.size(); ++i) {
    ColouredPair const pair = input.contact_bodies[i].pushed;
    if (pair.body_a != kNoBody && pair.body_b != kNoBody) continue;
    std::uint32_t const body = pair.body_a != kNoBody ? pair.body_a : pair.body_b;
    if (body == kNoBody || (loads.loads()[i].size == 0.0 && arriving_[i] == 0.0)) continue;
    grounded_[find_root(sets_, body)] = 1;
  }
}

/// Turns level_kg_ from what a lender may give in all into the most that it gives to one body: those who want
/// less get what they want, the others equal parts of the rest. Equal parts do not change when a load sways.
template <class Real>
void MassLending<Real>::find_levels() {
  limits_kg_.assign(level_kg_.begin(), level_kg_.end());
  for (int round = 0; round < kLevelRounds; ++round) {
    std::fill(lent_kg_.begin(), lent_kg_.end(), 0.0);
    waiting_.assign(level_kg_.size(), 0);
    for (std::size_t i = 1; i < wanted_kg_.size(); ++i) {
      if (wanted_kg_[i] == 0.0) continue;
      std::uint32_t const lender = lenders_[i];
      bool const satisfied = round > 0 && wanted_kg_[i] <= level_kg_[lender];
      if (satisfied) lent_kg_[lender] += wanted_kg_[i];
      waiting_[lender] += satisfied ? 0u : 1u;
    }
    for (std::size_t i = 1; i < wanted_kg_.size(); ++i) {
      if (waiting_[i] != 0) level_kg_[i] = (limits_kg_[i] - lent_kg_[i]) / static_cast<double>(waiting_[i]);
    }
  }
}

template <class Real>
void MassLending<Real>::find_factors(const MassRatioInput<Real>& input, const ContactLoads& loads) {
  auto const masses_kg = loads.masses_kg();
  wanted_kg_.assign(masses_kg.size(), 0.0);
  lent_kg_.assign(masses_kg.size(), 0.0);
  level_kg_.assign(masses_kg.size(), 0.0);
  double const still = kStillWeights * rest_m_s_;
  for (std::size_t i = 1; i < masses_kg.size(); ++i) {
    std::uint32_t const lender = lenders_[i];
    if (lender == kNoIndex || !(masses_kg[lender] > kLendingMassRatio * masses_kg[i])) continue;
    if (grounded_[find_root(sets_, static_cast<std::uint32_t>(i))] == 0 || soft_[lender] != 0) continue;
    Vec3<double> const velocity = doubles_of(input.bodies[i].linear_velocity);
    Vec3<double> const relative = velocity - doubles_of(input.bodies[lender].linear_velocity);
    // A body that moves neither with the ground nor with its lender would bring the energy of the mass that
    // it borrowed. It gets the mass that has no more of it than the squeeze times the speed of rest.
    double const square = std::min(dot(velocity, velocity), dot(relative, relative));
    double const carried_kg = 0.5 * kStillWeights * squeezes_[i] * still / (still * still + square);
    double const max_kg = kMaxLentFraction * masses_kg[lender];
    // Grows from 0 at the squeeze from which a body is pressed: a small change of the load changes little.
    double const wanted_kg = std::min(carried_kg - 0.5 * kPressedWeights * masses_kg[i], max_kg);
    if (!(wanted_kg > 0.0)) continue;
    wanted_kg_[i] = wanted_kg;
    level_kg_[lender] = max_kg;
  }
  find_levels();
  for (std::size_t i = 1; i < masses_kg.size(); ++i) {
    if (wanted_kg_[i] == 0.0) continue;
    double const granted_kg = std::min(wanted_kg_[i], level_kg_[lenders_[i]]);
    factors_[i] += granted_kg / masses_kg[i];
    wanted_kg_[i] = granted_kg;
  }
  std::fill(lent_kg_.begin(), lent_kg_.end(), 0.0);
  for (std::size_t i = 1; i < masses_kg.size(); ++i) {
    if (wanted_kg_[i] != 0.0) lent_kg_[lenders_[i]] += wanted_kg_[i];
  }
  for (std::size_t i = 1; i < masses_kg.size(); ++i) {
    if (lent_kg_[i] == 0.0) continue;
    TAKT_ASSERT(lent_kg_[i] < masses_kg[i]);
    factors_[i] -= lent_kg_[i] / masses_kg[i];
  }
  TAKT_VALIDATE(is_mass_conserved(masses_kg, factors_));
}

template class MassLending<float>;
template class MassLending<Fixed>;

}  // namespace takt
