#include "physics/contact_solver/restitution_solver.h"

#include <algorithm>
#include <cmath>

#include "physics/constraints/gyroscope.h"
#include "physics/constraints/motion_locks.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Each generation transmits an impact by one contact. The contact passes absorb the rest without restitution.
constexpr int kMaxGenerations = 256;
// A contact bounces so often in a substep. A crowd hands impacts round and round; without a limit a few of
// its contacts fill all generations.
constexpr std::uint8_t kMaxBounces = 8;
// A support carries at least this fraction of the weight of the lighter body. Bodies that hang side by side
// lean on each other with less, and hand an impact on.
constexpr double kMinSupportWeights = 0.25;
// Support contacts of one generation: limits how far an impact is transmitted at once.
constexpr std::size_t kMaxSupports = 256;

template <class Real>
void add(Real (&to)[4], Vec3<double> v) noexcept {
  to[0] = to_real<Real>(to_double(to[0]) + v.x);
  to[1] = to_real<Real>(to_double(to[1]) + v.y);
  to[2] = to_real<Real>(to_double(to[2]) + v.z);
}
double size_bound(Vec3<double> v) noexcept { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); }

}  // namespace

template <class Real>
void RestitutionSolver<Real>::begin(const RestitutionProblem<Real>& problem) {
  at_ = problem;
  TAKT_ASSERT(at_.contact_bodies.size() == at_.contacts.size());
  TAKT_ASSERT(at_.masses.size() == at_.bodies.size() && at_.moving.size() == at_.bodies.size());
  TAKT_ASSERT(at_.substep_s > 0.0 && at_.threshold >= 0.0);
  linked_ = false;
  candidates_.clear();
  for (std::uint32_t i = 0; i < at_.contacts.size(); ++i) {
    if (at_.contact_bodies[i].bounces) candidates_.push_back(i);
  }
  corrections_.begin(candidates_.empty() ? 0 : at_.bodies.size());
  if (candidates_.empty()) return;
  reach_.assign(at_.bodies.size(), 0.0);
  speed_.assign(at_.bodies.size(), 0.0);
  for (std::uint32_t const i : candidates_) {
    const PreparedContact<Real>& contact = at_.contacts[i];
    for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p) {
      LeverArms const lever_arms = restitution_arms(contact, p);
      reach_[contact.body_a] = std::max(reach_[contact.body_a], size_bound(lever_arms.a));
      reach_[contact.body_b] = std::max(reach_[contact.body_b], size_bound(lever_arms.b));
    }
  }
}

template <class Real>
auto RestitutionSolver<Real>::measure(std::uint32_t index) const -> Closing {
  Closing closing;
  const PreparedContact<Real>& contact = at_.contacts[index];
  const SolverBody<Real>& a = at_.bodies[contact.body_a];
  const SolverBody<Real>& b = at_.bodies[contact.body_b];
  Vec3<double> const n = to_double(contact.manifold.normal);
  Vec3<double> moved = doubles_of(b.delta_position) - doubles_of(a.delta_position);
  Vec3<double> rotated_a = doubles_of(a.delta_rotation);
  Vec3<double> rotated_b = doubles_of(b.delta_rotation);
  corrections_.for_each_of(contact.body_a, contact.body_b, [&](const PositionCorrection& correction) {
    bool const is_of_a = correction.body == contact.body_a;
    moved += is_of_a ? -correction.linear : correction.linear;
    (is_of_a ? rotated_a : rotated_b) += correction.angular;
  });
  double const along = dot(n, doubles_of(b.linear_velocity) - doubles_of(a.linear_velocity));
  for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p) {
    LeverArms const lever_arms = restitution_arms(contact, p);
    Vec3<double> const ra_cross_n = cross(lever_arms.a, n);
    Vec3<double> const rb_cross_n = cross(lever_arms.b, n);
    double const v = along + dot(rb_cross_n, doubles_of(b.angular_velocity)) -
                     dot(ra_cross_n, doubles_of(a.angular_velocity));
    double const separation = to_double(contact.manifold.points[p].separation) + dot(n, moved) +
                              dot(rb_cross_n, rotated_b) - dot(ra_cross_n, rotated_a);
    closing.velocity[p] = v;
    closing.separation[p] = separation;
    if (!(v < 0.0) || separation + v * at_.substep_s > 0.0) continue;
    if (closing.points == 0 || v < closing.velocity[closing.fastest]) closing.fastest = p;
    closing.points |= 1u << p;
    closing.is_fast = closing.is_fast || v < -at_.threshold;
  }
  return closing;
}

template <class Real>
void RestitutionSolver<Real>::consider(std::uint32_t index) {
  if (bounces_[index] < kMaxBounces && measure(index).is_fast) active_.push_back(index);
}

// The time at which separation + (velocity - gained / 2) t + gained / substep t^2 / 2 is 0. A straight line
// finds the impact of an earlier tick too late, and each bounce would gain (g t)^2 / 2 of energy per kg.
template <class Real>
double RestitutionSolver<Real>::time_of_touch(double separation, double velocity, double gained) const {
  double const start = velocity - 0.5 * gained;
  double const square = start * start - 2.0 * gained / at_.substep_s * separation;
  if (!(start < 0.0) || square < 0.0) return -separation / velocity;
  return 2.0 * separation / (sqrt(square) - start);
}

/// Bit per point with a normal impulse; 0 when the contact carries too little to be a support.
template <class Real>
std::uint32_t RestitutionSolver<Real>::support_points(const PreparedContact<Real>& contact) const noexcept {
  std::uint32_t points = 0;
  double sum = 0.0;
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    if (!(contact.impulses[i] > Real(0))) continue;
    points |= 1u << i;
    sum += to_double(contact.impulses[i]);
  }
  if (points == 0) return 0;
  double weight = 0.0;  // in a substep, N s, of the lighter body that moves
  bool found = false;
  for (bool const first : {true, false}) {
    if (!(first ? contact.dynamic_a : contact.dynamic_b)) continue;
    std::uint32_t const body = first ? contact.body_a : contact.body_b;
    double const inverse_mass = to_double(at_.masses[body].inverse_mass);
    if (!(inverse_mass > 0.0)) continue;
    double const own = length(to_double(at_.moving[body].linear.change)) / inverse_mass;
    weight = found ? std::min(weight, own) : own;
    found = true;
  }
  return sum >= kMinSupportWeights * weight ? points : 0;
}

template <class Real>
bool RestitutionSolver<Real>::is_supported(std::uint32_t body, std::uint32_t by_others_than) const {
  std::span const links = links_.of(body);
  return std::any_of(links.begin(), links.end(), [&](std::uint32_t index) {
    return index != by_others_than && support_points(at_.contacts[index]) != 0;
  });
}

template <class Real>
void RestitutionSolver<Real>::add_contact(std::uint32_t index) {
  Closing const closing = measure(index);
  PreparedContact<Real>& contact = at_.contacts[index];
  ++bounces_[index];
  if (Real const normal_velocity = to_real<Real>(closing.velocity[closing.fastest]);
      normal_velocity < contact.normal_velocity) {
    contact.normal_velocity = normal_velocity;
    contact.hit_point = static_cast<std::uint8_t>(closing.fastest);
  }
  // Velocities contain the gain of gravity and forces over the whole substep; the impact has only the gain
  // until its time. Positions in free flight lie on a parabola whose speed is behind by half a substep's
  // gain.
  Vec3<double> const n = to_double(contact.manifold.normal);
  double gained = 0.0;
  double carried = 0.0;  // part of the velocities that the supports of a body at rest will remove
  for (bool const first : {true, false}) {
    if (!(first ? contact.dynamic_a : contact.dynamic_b)) continue;
    std::uint32_t const body = first ? contact.body_a : contact.body_b;
    double const change = (first ? -1.0 : 1.0) * dot(n, to_double(at_.moving[body].linear.change));
    (is_supported(body, index) ? carried : gained) += change;
  }
  double time_s = at_.substep_s;
  for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p) {
    if ((closing.points >> p & 1u) != 0)
      time_s = std::min(time_s, time_of_touch(closing.separation[p], closing.velocity[p] - carried, gained));
  }
  time_s = std::max(time_s, -at_.tick_s);
  TAKT_ASSERT(closing.points != 0);
  double const e = to_double(contact.restitution);
  double const late = (1.0 + e) * gained * (0.5 - time_s / at_.substep_s);
  std::array<double, 4> targets{};
  for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p) {
    if (closing.velocity[p] < -at_.threshold)
      targets[p] = std::max(0.0, late - e * (closing.velocity[p] - carried)) + carried;
  }
  rows_.add({index, closing.points, time_s, true}, targets);
}

// Breadth first from the hit bodies, over contacts under load. They share the time of impact.
template <class Real>
void RestitutionSolver<Real>::add_supports() {
  std::size_t const limit = rows_.restitution_contacts().size() + kMaxSupports;
  for (std::size_t i = 0; i < rows_.restitution_contacts().size(); ++i) {
    RestitutionContact const from = rows_.restitution_contacts()[i];
    const PreparedContact<Real>& hit = at_.contacts[from.contact];
    for (bool const first : {true, false}) {
      if (!(first ? hit.dynamic_a : hit.dynamic_b)) continue;
      for (std::uint32_t const index : links_.of(first ? hit.body_a : hit.body_b)) {
        std::uint32_t const points = support_points(at_.contacts[index]);
        if (points == 0 || rows_.contains(index)) continue;
        if (rows_.restitution_contacts().size() == limit) return;
        std::array<double, 4> targets = measure(index).velocity;
        for (double& target : targets)
          target = -std::fabs(target);  // no faster than before, and no gain of energy
        rows_.add({index, points, from.time_s, false}, targets);
      }
    }
  }
}

template <class Real>
void RestitutionSolver<Real>::move(const PositionCorrection& correction) {
  TAKT_ASSERT(correction.body != 0 && correction.body < at_.bodies.size());
  SolverBody<Real>& body = at_.bodies[correction.body];
  add(body.delta_position, correction.linear);
  add(body.delta_rotation, correction.angular);
  MovingBody<Real>& moving = at_.moving[correction.body];
  Quat<Real> const before = moving.rotation;
  moving.rotation =
      rotated(moving.rotation, {to_real<Real>(correction.angular.x), to_real<Real>(correction.angular.y),
                                to_real<Real>(correction.angular.z)});
  if (has_angular(at_.masses[correction.body].locked_axes)) return;
  Vec3<double> const w = turned_velocity(at_.state->bodies[moving.index].inverse_inertia, to_double(before),
                                         to_double(moving.rotation), doubles_of(body.angular_velocity));
  set_row(body.angular_velocity, {to_real<Real>(w.x), to_real<Real>(w.y), to_real<Real>(w.z)});
}

template <class Real>
void RestitutionSolver<Real>::settle() {
  for (const PositionCorrection& correction : corrections_.all()) move(correction);
  corrections_.clear();
}

template <class Real>
void RestitutionSolver<Real>::run_generation() {
  rows_.clear();
  for (std::uint32_t const index : active_) add_contact(index);
  add_supports();
  rows_.solve();
  TAKT_VALIDATE(rows_.are_feasible());
  for (const RestitutionContact& collision : rows_.restitution_contacts()) {
    PreparedContact<Real>& contact = at_.contacts[collision.contact];
    contact.total_impulse = contact.total_impulse + to_real<Real>(rows_.total(collision));
    for (const PositionCorrection& correction : rows_.finish(collision)) {
      if (!correction.moves) continue;
      if (collision.time_s > 0.0)
        corrections_.add(correction);
      else
        late_.push_back(correction);
    }
  }
  changed_.clear();
  rows_.store(changed_);
  // A correction of a rotation changes the angular velocity too, so it follows the store.
  for (const PositionCorrection& correction : late_) move(correction);
  moved_ = moved_ || !late_.empty();
  late_.clear();
  next_.clear();
  for (std::uint32_t const body : changed_) {
    for (std::uint32_t const index : links_.of(body)) {
      if (at_.contact_bodies[index].bounces) next_.push_back(index);
    }
  }
  std::sort(next_.begin(), next_.end());
  next_.erase(std::unique(next_.begin(), next_.end()), next_.end());
  active_.clear();
  for (std::uint32_t const index : next_) consider(index);
}

template <class Real>
bool RestitutionSolver<Real>::solve() {
  moved_ = false;
  if (candidates_.empty()) return false;
  for (std::size_t i = 1; i < at_.bodies.size(); ++i) {
    if (!(reach_[i] > 0.0)) continue;
    speed_[i] = size_bound(doubles_of(at_.bodies[i].linear_velocity)) +
                size_bound(doubles_of(at_.bodies[i].angular_velocity)) * reach_[i];
  }
  active_.clear();
  bounces_.assign(at_.contacts.size(), 0);
  for (std::uint32_t const index : candidates_) {
    const PreparedContact<Real>& contact = at_.contacts[index];
    if (speed_[contact.body_a] + speed_[contact.body_b] > at_.threshold) consider(index);
  }
  if (active_.empty()) return false;
  if (!linked_) {
    links_.connect(at_.contact_bodies, at_.bodies.size());
    rows_.begin(at_);
    linked_ = true;
  }
  for (int i = 0; i < kMaxGenerations && !active_.empty(); ++i) run_generation();
  return moved_;
}

template class RestitutionSolver<float>;
template class RestitutionSolver<Fixed>;

}  // namespace takt
