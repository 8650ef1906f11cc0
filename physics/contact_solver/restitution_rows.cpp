#include "physics/contact_solver/restitution_rows.h"

#include <algorithm>
#include <cmath>

#include "physics/constraints/motion_locks.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr int kMaxIterations = 64;
// Converged when an iteration changes no row velocity by more than this fraction of the fastest closing
// speed.
constexpr double kSolvedFraction = 1e-9;
// Slip below this, m/s, is rounding.
constexpr double kMinSlipMS = 1e-9;

template <class Real>
void set(Real (&to)[4], Vec3<double> v) noexcept {
  for (int i = 0; i < 3; ++i) to[i] = to_real<Real>(i == 0 ? v.x : i == 1 ? v.y : v.z);
}
double largest(Vec3<double> v) noexcept { return std::max({v.x, v.y, v.z}); }

}  // namespace

template <class Real>
void RestitutionRows<Real>::begin(const RestitutionProblem<Real>& problem) {
  clear();
  at_ = problem;
  taken_.assign(at_.contacts.size(), 0);
  slots_.assign(at_.bodies.size(), 0);
}

template <class Real>
void RestitutionRows<Real>::clear() {
  for (const RestitutionContact& collision : contacts_) taken_[collision.contact] = 0;
  for (const Velocity& velocity : velocities_) slots_[velocity.body] = 0;
  contacts_.clear();
  velocities_.clear();
  rows_.clear();
}

template <class Real>
RowBody RestitutionRows<Real>::row_body(std::uint32_t body, bool moves) const {
  TAKT_ASSERT(body < at_.bodies.size() && (body != 0 || !moves));
  RowBody prepared{body, moves, {}, {}};
  if (!moves) return prepared;
  const SolverMass<Real>& mass = at_.masses[body];
  double const m = to_double(mass.inverse_mass);
  prepared.inverse_mass = free_linear(mass.locked_axes, Vec3<double>{m, m, m});
  // The current tensor, not that of the tick's start: an outdated one would add energy to spinning bodies.
  const MovingBody<Real>& moving = at_.moving[body];
  prepared.inverse_inertia = has_angular(mass.locked_axes)
                                 ? to_sym_mat64(mass.inverse_inertia)
                                 : rotated(to_sym_mat64(at_.state->bodies[moving.index].inverse_inertia),
                                           to_matrix(to_double(moving.rotation)));
  return prepared;
}

template <class Real>
std::uint32_t RestitutionRows<Real>::velocity_of(const RowBody& body) {
  TAKT_ASSERT(body.body < slots_.size());
  if (slots_[body.body] == 0) {
    const SolverBody<Real>& from = at_.bodies[body.body];
    velocities_.push_back(
        {body.body, body.moves, 0, doubles_of(from.linear_velocity), doubles_of(from.angular_velocity)});
    slots_[body.body] = static_cast<std::uint32_t>(velocities_.size());
  }
  return slots_[body.body] - 1;
}

template <class Real>
double RestitutionRows<Real>::velocity(const Row& row) const {
  TAKT_VALIDATE(row.a.local < velocities_.size() && row.b.local < velocities_.size());
  const Velocity& a = velocities_[row.a.local];
  const Velocity& b = velocities_[row.b.local];
  return dot(row.a.linear, a.linear) + dot(row.a.angular, a.angular) + dot(row.b.linear, b.linear) +
         dot(row.b.angular, b.angular);
}

template <class Real>
void RestitutionRows<Real>::apply(Row& row, double change) {
  row.impulse += change;
  for (const RowSide* side : {&row.a, &row.b}) {
    Velocity& to = velocities_[side->local];
    to.linear += side->linear_change * change;
    to.angular += side->angular_change * change;
  }
}

// The row whose velocity is linear . (v_b - v_a) + rb_cross_n . w_b - ra_cross_n . w_a.
template <class Real>
auto RestitutionRows<Real>::make_row(const RowBody& a, const RowBody& b, Vec3<double> linear,
                                     Vec3<double> ra_cross_n, Vec3<double> rb_cross_n) -> Row {
  Row row;
  row.a = a.side(-linear, -ra_cross_n);
  row.b = b.side(linear, rb_cross_n);
  row.a.local = velocity_of(a);
  row.b.local = velocity_of(b);
  double const angular = dot(row.a.angular, row.a.angular_change) + dot(row.b.angular, row.b.angular_change);
  double const k = dot(row.a.linear, row.a.linear_change) + dot(row.b.linear, row.b.linear_change) + angular;
  if (k > kMinFreeFraction * (largest(a.inverse_mass) + largest(b.inverse_mass))) row.mass = 1.0 / k;
  return row;
}

template <class Real>
void RestitutionRows<Real>::add(RestitutionContact collision, const std::array<double, 4>& targets) {
  const PreparedContact<Real>& contact = at_.contacts[collision.contact];
  RowBody const a = row_body(contact.body_a, contact.dynamic_a);
  RowBody const b = row_body(contact.body_b, contact.dynamic_b);
  Vec3<double> const n = to_double(contact.manifold.normal);
  TAKT_ASSERT(taken_[collision.contact] == 0);
  TAKT_ASSERT(collision.points >> contact.manifold.point_count == 0);
  collision.first_row = static_cast<std::uint32_t>(rows_.size());
  for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p) {
    if ((collision.points >> p & 1u) == 0) continue;
    LeverArms const lever_arms = restitution_arms(contact, p);
    Row row = make_row(a, b, n, cross(lever_arms.a, n), cross(lever_arms.b, n));
    row.target = targets[p];
    row.point = p;
    rows_.push_back(row);
  }
  collision.end_row = static_cast<std::uint32_t>(rows_.size());
  taken_[collision.contact] = 1;
  contacts_.push_back(collision);
}

template <class Real>
void RestitutionRows<Real>::solve() {
  double fastest = 0.0;
  for (const Row& row : rows_) fastest = std::max(fastest, row.target - velocity(row));
  // A row that changed nothing stays as it is until a velocity of its bodies changes: it is not visited.
  std::uint32_t visits = 0;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    double worst = 0.0;
    for (Row& row : rows_) {
      Velocity& a = velocities_[row.a.local];
      Velocity& b = velocities_[row.b.local];
      if (row.settled > std::max(a.changed, b.changed)) continue;
      double const change = std::max(row.mass * (row.target - velocity(row)), -row.impulse);
      apply(row, change);
      ++visits;
      if (change == 0.0) {
        row.settled = visits;
        continue;
      }
      if (a.moves) a.changed = visits;
      if (b.moves) b.changed = visits;
      if (row.mass > 0.0) worst = std::max(worst, std::fabs(change) / row.mass);
    }
    if (!(worst > kSolvedFraction * fastest)) return;
  }
}

template <class Real>
bool RestitutionRows<Real>::are_feasible() const noexcept {
  return std::all_of(rows_.begin(), rows_.end(), [](const Row& row) { return !(row.impulse < 0.0); });
}

template <class Real>
double RestitutionRows<Real>::total(const RestitutionContact& collision) const {
  TAKT_ASSERT(collision.first_row <= collision.end_row && collision.end_row <= rows_.size());
  double sum = 0.0;
  for (std::uint32_t r = collision.first_row; r < collision.end_row; ++r) sum += rows_[r].impulse;
  return sum;
}

// One pass of friction. It at most stops the slip and the spin about the normal, so it never adds energy.
template <class Real>
void RestitutionRows<Real>::apply_friction(const RestitutionContact& collision, std::vector<Row>& friction) {
  const PreparedContact<Real>& contact = at_.contacts[collision.contact];
  double const sum = total(collision);
  double limit_n_s = to_double(contact.friction) * sum;
  if (!(limit_n_s > 0.0)) return;
  Vec3<double> const n = to_double(contact.manifold.normal);
  // Contact points lie midway between the surfaces of the tick's start; the impulse acts where the surfaces
  // meet.
  LeverArms center;
  for (std::uint32_t r = collision.first_row; r < collision.end_row; ++r) {
    LeverArms const lever_arms = restitution_arms(contact, rows_[r].point);
    Vec3<double> const to_surface = n * (0.5 * to_double(contact.manifold.points[rows_[r].point].separation));
    center.a += (lever_arms.a - to_surface) * (rows_[r].impulse / sum);
    center.b += (lever_arms.b + to_surface) * (rows_[r].impulse / sum);
  }
  double radius = 0.0;
  for (std::uint32_t r = collision.first_row; r < collision.end_row; ++r) {
    Vec3<double> const lever_arm = restitution_arms(contact, rows_[r].point).a - center.a;
    radius += length(lever_arm - n * dot(n, lever_arm)) * (rows_[r].impulse / sum);
  }
  RowBody const a = row_body(contact.body_a, contact.dynamic_a);
  RowBody const b = row_body(contact.body_b, contact.dynamic_b);
  auto const brake = [&](const Row& row, double speed, double limit) {
    friction.push_back(row);
    double const change = std::clamp(-row.mass * speed, -limit, limit);
    apply(friction.back(), change);
    return std::fabs(change);
  };
  if (radius > 0.0) {
    Row const twist = make_row(a, b, {}, n, n);
    (void)brake(twist, velocity(twist), limit_n_s * radius);
  }
  // Along the slip, then along the remaining slip.
  for (int i = 0; i < 2; ++i) {
    const Velocity& of_a = velocities_[velocity_of(a)];
    const Velocity& of_b = velocities_[velocity_of(b)];
    Vec3<double> slip = (of_b.linear + cross(of_b.angular, center.b)) -
                        (of_a.linear + cross(of_a.angular, center.a)) + to_double(contact.slide);
    slip = slip - n * dot(n, slip);
    double const speed = length(slip);
    if (!(speed > kMinSlipMS)) return;
    Vec3<double> const along = slip * (1.0 / speed);
    limit_n_s -=
        brake(make_row(a, b, along, cross(center.a, along), cross(center.b, along)), speed, limit_n_s);
  }
}

template <class Real>
std::array<PositionCorrection, 2> RestitutionRows<Real>::finish(const RestitutionContact& collision) {
  friction_.clear();
  if (collision.bounces) apply_friction(collision, friction_);
  const PreparedContact<Real>& contact = at_.contacts[collision.contact];
  std::array<PositionCorrection, 2> corrections{
      PositionCorrection{contact.body_a, contact.dynamic_a, {}, {}},
      PositionCorrection{contact.body_b, contact.dynamic_b, {}, {}}};
  auto const add = [&](const Row& row) {
    double const scale = -collision.time_s * row.impulse;
    for (int i = 0; i < 2; ++i) {
      const RowSide& side = i == 0 ? row.a : row.b;
      corrections[static_cast<std::size_t>(i)].linear += side.linear_change * scale;
      corrections[static_cast<std::size_t>(i)].angular += side.angular_change * scale;
    }
  };
  for (std::uint32_t r = collision.first_row; r < collision.end_row; ++r) add(rows_[r]);
  for (const Row& row : friction_) add(row);
  return corrections;
}

template <class Real>
void RestitutionRows<Real>::store(std::vector<std::uint32_t>& moved) {
  for (const Velocity& velocity : velocities_) {
    if (!velocity.moves) continue;
    TAKT_ASSERT(velocity.body != 0);
    set(at_.bodies[velocity.body].linear_velocity, velocity.linear);
    set(at_.bodies[velocity.body].angular_velocity, velocity.angular);
    moved.push_back(velocity.body);
  }
}

template class RestitutionRows<float>;
template class RestitutionRows<Fixed>;

}  // namespace takt
