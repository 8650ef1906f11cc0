#include "physics/contact_solver/fixed_lane_fallback.h"

#include "physics/simd/fixed_lanes.h"
#include "physics/simd/fixed_lanes_ifma_bounds.h"

namespace takt {
namespace {

/// Copies lane `lane` of one array into the only lane of another, and back.
struct CopyOut {
  int lane;
  template <class T, int W>
  void operator()(const T (&wide)[W], T (&one)[1]) const noexcept {
    one[0] = wide[lane];
  }
  template <class T, std::size_t N, int W>
  void operator()(const T (&wide)[N][W], T (&one)[N][1]) const noexcept {
    for (std::size_t i = 0; i < N; ++i) one[i][0] = wide[i][lane];
  }
  template <int W>
  void operator()(const InertiaLanes<Fixed, W>& wide, InertiaLanes<Fixed, 1>& one) const noexcept {
    for (std::size_t i = 0; i < 6; ++i) one.m[0].mantissa[i] = wide.mantissa[i][lane];
    one.m[0].exponent = static_cast<std::int32_t>(wide.exponent[lane]);
  }
};
struct CopyBack {
  int lane;
  template <class T, int W>
  void operator()(T (&wide)[W], const T (&one)[1]) const noexcept {
    wide[lane] = one[0];
  }
  template <class T, std::size_t N, int W>
  void operator()(T (&wide)[N][W], const T (&one)[N][1]) const noexcept {
    for (std::size_t i = 0; i < N; ++i) wide[i][lane] = one[i][0];
  }
};

// Each field once: impulses change in every pass, prepare_block() writes the prepared fields, and the given
// fields stay.
template <class Wide, class One, class Copy>
void impulse_fields(Wide& wide, One& one, const Copy& copy) {
  copy(wide.tangent_impulse, one.tangent_impulse);
  copy(wide.twist_impulse, one.twist_impulse);
  for (int r = 0; r < 4; ++r) {
    copy(wide.rows[r].impulse, one.rows[r].impulse);
    copy(wide.rows[r].total_impulse, one.rows[r].total_impulse);
  }
}
template <class Wide, class One, class Copy>
void prepared_fields(Wide& wide, One& one, const Copy& copy) {
  copy(wide.tangent, one.tangent);
  copy(wide.r_a, one.r_a);
  copy(wide.r_b, one.r_b);
  copy(wide.tangent_mass, one.tangent_mass);
  copy(wide.twist_mass, one.twist_mass);
  copy(wide.twist_radius, one.twist_radius);
  copy(wide.anchor_offset, one.anchor_offset);
  for (int r = 0; r < 4; ++r) {
    copy(wide.rows[r].ra_cross_n, one.rows[r].ra_cross_n);
    copy(wide.rows[r].rb_cross_n, one.rows[r].rb_cross_n);
    copy(wide.rows[r].mass, one.rows[r].mass);
  }
}
template <class Wide, class One, class Copy>
void given_fields(Wide& wide, One& one, const Copy& copy) {
  copy(wide.body_a, one.body_a);
  copy(wide.body_b, one.body_b);
  copy(wide.normal, one.normal);
  copy(wide.inverse_mass_a, one.inverse_mass_a);
  copy(wide.inverse_mass_b, one.inverse_mass_b);
  copy(wide.inverse_inertia_a, one.inverse_inertia_a);
  copy(wide.inverse_inertia_b, one.inverse_inertia_b);
  copy(wide.friction, one.friction);
  copy(wide.bias_rate, one.bias_rate);
  copy(wide.restitution_speed, one.restitution_speed);
  copy(wide.mass_scale, one.mass_scale);
  copy(wide.impulse_scale, one.impulse_scale);
  copy(wide.relax_impulse_scale, one.relax_impulse_scale);
  copy(wide.friction_impulse_scale, one.friction_impulse_scale);
  copy(wide.anchor_rate, one.anchor_rate);
  copy(wide.twist_offset, one.twist_offset);
  for (int r = 0; r < 4; ++r) {
    copy(wide.rows[r].separation, one.rows[r].separation);
    copy(wide.rows[r].slop, one.rows[r].slop);
  }
}
template <class Wide, class One, class Copy>
void impulse_extras(Wide& wide, One& one, const Copy& copy) {
  copy(wide.rolling_impulse, one.rolling_impulse);
  for (int r = 0; r < 4; ++r) copy(wide.spring_rows[r].bias, one.spring_rows[r].bias);
}
template <class Wide, class One, class Copy>
void given_extras(Wide& wide, One& one, const Copy& copy) {
  copy(wide.slide, one.slide);
  copy(wide.rolling_reach, one.rolling_reach);
  copy(wide.rolling_mass, one.rolling_mass);
  copy(wide.inverse_mass_a, one.inverse_mass_a);
  copy(wide.inverse_mass_b, one.inverse_mass_b);
  copy(wide.spring, one.spring);
  copy(wide.spring_rate, one.spring_rate);
  copy(wide.soft_depth, one.soft_depth);
  for (int r = 0; r < 4; ++r) {
    copy(wide.spring_rows[r].mass, one.spring_rows[r].mass);
    copy(wide.spring_rows[r].spring_impulse_scale, one.spring_rows[r].spring_impulse_scale);
  }
}

/// True if no magnitude is above `max`, in raw units.
template <std::size_t N>
bool within(const Fixed (&values)[N], std::int64_t max) noexcept {
  bool all = true;
  for (Fixed const v : values) all = all & (v.raw() <= max) & (v.raw() >= -max);
  return all;
}
template <std::size_t M, std::size_t N>
bool within(const Fixed (&values)[M][N], std::int64_t max) noexcept {
  bool all = true;
  for (auto const& row : values) all = all & within(row, max);
  return all;
}
template <std::size_t N>
bool shifts_down(const Scaled (&masses)[N]) noexcept {
  bool all = true;
  for (Scaled const mass : masses) all = (mass.is_zero() || mass.exponent() < 0) && all;
  return all;
}
template <std::size_t M, std::size_t N>
bool shifts_down(const Scaled (&masses)[M][N]) noexcept {
  bool all = true;
  for (auto const& row : masses) all = shifts_down(row) && all;
  return all;
}
template <int W>
bool shifts_down(const InertiaLanes<Fixed, W>& inertia) noexcept {
  bool all = true;
  for (int lane = 0; lane < W; ++lane) {
    std::int64_t any = 0;
    for (auto const& mantissa : inertia.mantissa) any |= mantissa[lane];
    all = (any == 0 || (inertia.exponent[lane] < 0 && inertia.exponent[lane] >= kMinInertiaExponent)) && all;
  }
  return all;
}

}  // namespace

bool has_small_numbers(const FixedBlock& block) noexcept {
  auto const unit = [](auto const& values) { return within(values, kMaxUnit); };
  auto const lever_arm = [](auto const& values) { return within(values, kMaxLeverArm); };
  auto const factor = [](auto const& values) { return within(values, kMaxFactor); };
  bool small = unit(block.normal) && unit(block.tangent) && unit(block.mass_scale) &&
               unit(block.impulse_scale) && unit(block.relax_impulse_scale) &&
               unit(block.friction_impulse_scale) && lever_arm(block.r_a) && lever_arm(block.r_b) &&
               lever_arm(block.twist_radius) && factor(block.friction) && factor(block.bias_rate) &&
               factor(block.anchor_rate) && factor(block.anchor_offset) && factor(block.twist_offset);
  small = small && shifts_down(block.inverse_mass_a) && shifts_down(block.inverse_mass_b) &&
          shifts_down(block.inverse_inertia_a) && shifts_down(block.inverse_inertia_b) &&
          shifts_down(block.tangent_mass) && shifts_down(block.twist_mass);
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    auto const& row = block.rows[r];
    small = small && lever_arm(row.ra_cross_n) && lever_arm(row.rb_cross_n) && factor(row.separation) &&
            shifts_down(row.mass);
  }
  return small;
}

BlockLane::BlockLane(const FixedBlock& wide, const FixedExtras* wide_extras, int lane) noexcept
    : block{}, extras{} {
  CopyOut const copy{lane};
  impulse_fields(wide, block, copy);
  prepared_fields(wide, block, copy);
  given_fields(wide, block, copy);
  block.writes_a = wide.writes_a >> lane & 1u;
  block.writes_b = wide.writes_b >> lane & 1u;
  block.row_count = point_count(wide, lane);
  if (wide_extras == nullptr) return;
  impulse_extras(*wide_extras, extras, copy);
  given_extras(*wide_extras, extras, copy);
  extras.springs = wide_extras->springs >> lane & 1u;
}

void BlockLane::store_impulses(FixedBlock& wide, FixedExtras* wide_extras, int lane) const noexcept {
  CopyBack const copy{lane};
  impulse_fields(wide, block, copy);
  if (wide_extras != nullptr) impulse_extras(*wide_extras, extras, copy);
}

void BlockLane::store_prepared(FixedBlock& wide, int lane) const noexcept {
  TAKT_ASSERT(lane >= 0 && lane < wide.filled);
  CopyBack const copy{lane};
  impulse_fields(wide, block, copy);
  prepared_fields(wide, block, copy);
}

void invert_masses(FixedBlock& block) noexcept {
  for (int lane = 0; lane < block.filled; ++lane) {
    for (std::uint32_t r = 0; r < point_count(block, lane); ++r)
      block.rows[r].mass[lane] = reciprocal_or_zero(block.rows[r].mass[lane]);
    block.twist_mass[lane] = reciprocal_or_zero(block.twist_mass[lane]);
    Scaled inverse[3][1];
    FixedLanes::store_inverse2(inverse, block.tangent_mass[0][lane], block.tangent_mass[1][lane],
                               block.tangent_mass[2][lane]);
    for (std::size_t i = 0; i < 3; ++i) block.tangent_mass[i][lane] = inverse[i][0];
  }
}

}  // namespace takt
