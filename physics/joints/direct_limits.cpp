#include "physics/joints/direct_limits.h"

#include "physics/joints/joint_row_steps.h"

namespace takt {
namespace {

/// Hysteresis of the active set, m/s: a limit that acts is kept while it pulls by less than this speed, and
/// one that does not act is taken when it is violated by more. Velocities of fixed mode round to 2e-10 m/s;
/// at 1e-9 m/s sets of random trees alternate ten times as often. A passed bound is taken back without it.
constexpr double kLimitHysteresisMS = 1e-8;

double gap_at(const DirectLimit& limit, int side) noexcept {
  return side > 0 ? limit.lower_gap : limit.upper_gap;
}

}  // namespace

DirectLimit make_direct_limit(const JointAxisDef& def, std::uint32_t index, double impulse) noexcept {
  DirectLimit limit;
  limit.row = index;
  limit.lower = has_lower(def) ? def.lower : -kUnbounded;
  limit.upper = def.upper;
  if (impulse > 0.0 && limit.lower > -kUnbounded) limit.side = 1;
  if (impulse < 0.0 && limit.upper < kUnbounded) limit.side = -1;
  return limit;
}

void write_row(const DirectLimit& limit, double substep_s, EqualityRow& row) noexcept {
  row.soft = false;
  row.softness = {};
  row.error = 0.0;
  if (limit.side == 0) {
    row.linear = row.jacobian_a = row.jacobian_b = row.inv_i_jacobian_a = row.inv_i_jacobian_b = {};
    return;
  }
  double const impulse = row.impulse;
  static_cast<EqualityRowOf<double>&>(row) = limit.direction;
  row.impulse = impulse;
  double const gap = gap_at(limit, limit.side);
  row.error = limit.side > 0 ? gap : -gap;
  row.soft = gap > 0.0;
  if (row.soft) row.softness.bias_rate = 1.0 / substep_s;
}

bool has_wrong_sign(const DirectLimit& limit, double impulse) noexcept {
  return static_cast<double>(limit.side) * impulse * limit.mobility < -kLimitHysteresisMS;
}

int violated_side(const DirectLimit& limit, const VelocityOf<double>& a, const VelocityOf<double>& b,
                  double substep_s) noexcept {
  if (!(limit.mobility > 0.0)) return 0;
  double const velocity = row_velocity(limit.direction, a, b);
  for (int const side : {1, -1}) {
    double const gap = gap_at(limit, side);
    if (!(gap < kUnbounded)) continue;
    double const slack = limit.flips == 0 ? kLimitHysteresisMS : -kLimitHysteresisMS;
    double const bound = gap > 0.0 ? -gap / substep_s : 0.0;
    if (static_cast<double>(side) * velocity < bound + slack) return side;
  }
  return 0;
}

}  // namespace takt
