#include "physics/impact_rows.h"

#include <algorithm>
#include <cmath>

#include "physics/locked_axes.h"

namespace takt {
namespace {

constexpr int kMostPasses = 64;
// The rows are solved when a pass changes none by more than this share of the fastest approach.
constexpr double kSolvedShare = 1e-9;
// Slip below this, m/s, is rounding.
constexpr double kLeastSlipMS = 1e-9;

template <class Real>
void set(Real (&to)[4], Vec3<double> v) noexcept {
  for (int i = 0; i < 3; ++i) to[i] = to_real<Real>(i == 0 ? v.x : i == 1 ? v.y : v.z);
}
double largest(Vec3<double> v) noexcept { return std::max({v.x, v.y, v.z}); }

}  // namespace

template <class Real>
void ImpactRows<Real>::begin(const ImpactProblem<Real>& problem) {
  clear();
  at_ = problem;
  taken_.assign(at_.contacts.size(), 0);
  slots_.assign(at_.bodies.size(), 0);
}

template <class Real>
void ImpactRows<Real>::clear() {
  for (const Impact& impact : impacts_) taken_[impact.contact] = 0;
  for (const Velocity& velocity : velocities_) slots_[velocity.body] = 0;
  impacts_.clear();
  velocities_.clear();
  rows_.clear();
}

template <class Real>
RowBody ImpactRows<Real>::row_body(std::uint32_t body, bool moves) const {
  RowBody made{body, moves, {}, {}};
  if (!moves) return made;
  const SolverMass<Real>& mass = at_.masses[body];
  double const m = to_double(mass.inverse_mass);
  made.inverse_mass = free_linear(mass.locked_axes, Vec3<double>{m, m, m});
  // The tensor of now, not of the tick's start: an impact that knows another than the body has would add energy to what spins.
  const MovingBody<Real>& moving = at_.moving[body];
  made.inverse_inertia = has_angular(mass.locked_axes)
                             ? to_sym_mat64(mass.inverse_inertia)
                             : rotated(to_sym_mat64(at_.state->bodies[moving.index].inverse_inertia), to_matrix(to_double(moving.rotation)));
  return made;
}

template <class Real>
std::uint32_t ImpactRows<Real>::velocity_of(const RowBody& body) {
  if (slots_[body.body] == 0) {
    const SolverBody<Real>& from = at_.bodies[body.body];
    velocities_.push_back({body.body, body.moves, doubles_of(from.linear_velocity), doubles_of(from.angular_velocity)});
    slots_[body.body] = static_cast<std::uint32_t>(velocities_.size());
  }
  return slots_[body.body] - 1;
}

template <class Real>
double ImpactRows<Real>::velocity(const Row& row) const {
  const Velocity& a = velocities_[row.a.local];
  const Velocity& b = velocities_[row.b.local];
  return dot(row.a.linear, a.linear) + dot(row.a.angular, a.angular) + dot(row.b.linear, b.linear) + dot(row.b.angular, b.angular);
}

template <class Real>
void ImpactRows<Real>::apply(Row& row, double change) {
  row.impulse += change;
  for (const RowSide* side : {&row.a, &row.b}) {
    Velocity& to = velocities_[side->local];
    to.linear += side->linear_change * change;
    to.angular += side->angular_change * change;
  }
}

// The row whose velocity is linear . (v_b - v_a) + turn_b . w_b - turn_a . w_a.
template <class Real>
auto ImpactRows<Real>::make_row(const RowBody& a, const RowBody& b, Vec3<double> linear, Vec3<double> turn_a, Vec3<double> turn_b) -> Row {
  Row row;
  row.a = a.side(-linear, -turn_a);
  row.b = b.side(linear, turn_b);
  row.a.local = velocity_of(a);
  row.b.local = velocity_of(b);
  double const turning = dot(row.a.angular, row.a.angular_change) + dot(row.b.angular, row.b.angular_change);
  double const k = dot(row.a.linear, row.a.linear_change) + dot(row.b.linear, row.b.linear_change) + turning;
  if (k > kLeastFreeShare * (largest(a.inverse_mass) + largest(b.inverse_mass))) row.mass = 1.0 / k;
  return row;
}

template <class Real>
void ImpactRows<Real>::add(Impact impact, const std::array<double, 4>& targets) {
  const PreparedContact<Real>& contact = at_.contacts[impact.contact];
  RowBody const a = row_body(contact.body_a, contact.dynamic_a);
  RowBody const b = row_body(contact.body_b, contact.dynamic_b);
  Vec3<double> const n = to_double(contact.manifold.normal);
  impact.first_row = static_cast<std::uint32_t>(rows_.size());
  for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p) {
    if ((impact.points >> p & 1u) == 0) continue;
    ImpactArms const arms = impact_arms(contact, p);
    Row row = make_row(a, b, n, cross(arms.a, n), cross(arms.b, n));
    row.target = targets[p];
    row.point = p;
    rows_.push_back(row);
  }
  impact.end_row = static_cast<std::uint32_t>(rows_.size());
  taken_[impact.contact] = 1;
  impacts_.push_back(impact);
}

template <class Real>
void ImpactRows<Real>::solve() {
  double fastest = 0.0;
  for (const Row& row : rows_) fastest = std::max(fastest, row.target - velocity(row));
  for (int pass = 0; pass < kMostPasses; ++pass) {
    double worst = 0.0;
    for (Row& row : rows_) {
      double const change = std::max(row.mass * (row.target - velocity(row)), -row.impulse);
      apply(row, change);
      if (row.mass > 0.0) worst = std::max(worst, std::fabs(change) / row.mass);
    }
    if (!(worst > kSolvedShare * fastest)) return;
  }
}

template <class Real>
double ImpactRows<Real>::total(const Impact& impact) const {
  double sum = 0.0;
  for (std::uint32_t r = impact.first_row; r < impact.end_row; ++r) sum += rows_[r].impulse;
  return sum;
}

// Once, and never more than it takes to stop the slip and the spin about the normal: it only takes energy.
template <class Real>
void ImpactRows<Real>::rub(const Impact& impact, std::vector<Row>& friction) {
  const PreparedContact<Real>& contact = at_.contacts[impact.contact];
  double const sum = total(impact);
  double left = to_double(contact.friction) * sum;
  if (!(left > 0.0)) return;
  Vec3<double> const n = to_double(contact.manifold.normal);
  // Points lie midway between the surfaces as they were at the tick's start; the blow falls where the surfaces meet.
  ImpactArms center;
  for (std::uint32_t r = impact.first_row; r < impact.end_row; ++r) {
    ImpactArms const arms = impact_arms(contact, rows_[r].point);
    Vec3<double> const to_surface = n * (0.5 * to_double(contact.manifold.points[rows_[r].point].separation));
    center.a += (arms.a - to_surface) * (rows_[r].impulse / sum);
    center.b += (arms.b + to_surface) * (rows_[r].impulse / sum);
  }
  double radius = 0.0;
  for (std::uint32_t r = impact.first_row; r < impact.end_row; ++r) {
    Vec3<double> const arm = impact_arms(contact, rows_[r].point).a - center.a;
    radius += length(arm - n * dot(n, arm)) * (rows_[r].impulse / sum);
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
    (void)brake(twist, velocity(twist), left * radius);
  }
  // Along the slip, and then along what that left of it.
  for (int i = 0; i < 2; ++i) {
    const Velocity& of_a = velocities_[velocity_of(a)];
    const Velocity& of_b = velocities_[velocity_of(b)];
    Vec3<double> slip = (of_b.linear + cross(of_b.angular, center.b)) - (of_a.linear + cross(of_a.angular, center.a)) + to_double(contact.slide);
    slip = slip - n * dot(n, slip);
    double const speed = length(slip);
    if (!(speed > kLeastSlipMS)) return;
    Vec3<double> const along = slip * (1.0 / speed);
    left -= brake(make_row(a, b, along, cross(center.a, along), cross(center.b, along)), speed, left);
  }
}

template <class Real>
std::array<ImpactShift, 2> ImpactRows<Real>::finish(const Impact& impact) {
  friction_.clear();
  if (impact.bounces) rub(impact, friction_);
  const PreparedContact<Real>& contact = at_.contacts[impact.contact];
  std::array<ImpactShift, 2> shifts{ImpactShift{contact.body_a, contact.dynamic_a, {}, {}}, ImpactShift{contact.body_b, contact.dynamic_b, {}, {}}};
  auto const add = [&](const Row& row) {
    double const scale = -impact.time_s * row.impulse;
    for (int i = 0; i < 2; ++i) {
      const RowSide& side = i == 0 ? row.a : row.b;
      shifts[static_cast<std::size_t>(i)].linear += side.linear_change * scale;
      shifts[static_cast<std::size_t>(i)].angular += side.angular_change * scale;
    }
  };
  for (std::uint32_t r = impact.first_row; r < impact.end_row; ++r) add(rows_[r]);
  for (const Row& row : friction_) add(row);
  return shifts;
}

template <class Real>
void ImpactRows<Real>::store(std::vector<std::uint32_t>& moved) {
  for (const Velocity& velocity : velocities_) {
    if (!velocity.moves) continue;
    set(at_.bodies[velocity.body].linear_velocity, velocity.linear);
    set(at_.bodies[velocity.body].angular_velocity, velocity.angular);
    moved.push_back(velocity.body);
  }
}

template class ImpactRows<float>;
template class ImpactRows<Fixed>;

}  // namespace takt
