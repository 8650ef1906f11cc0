// Softness is the stiffness of a constraint row. A Softness has one of five forms: rigid, beta and gamma, ERP
// and CFM (ODE), stiffness and damping, frequency and damping ratio. as_spring() and its like convert between
// the forms with equal motion. Softness::row() computes the two coefficients of the soft row (SoftRow,
// CONSTRAINTS 1.3 to 1.9), here beta / h and gamma:
//
//   J v2 + (beta / h) C + gamma lambda = 0
//
// C is the error at the substep's start, lambda the whole impulse of the substep. With C of the start and
// velocities of the end this equals implicit Euler of k C + c C' (1.6). Springs therefore stay stable at any
// rate. A Softness contains no body: functions that need the substep h or the row's effective mass get them
// as arguments. Source: E. Catto, Soft Constraints (GDC 2011); R. Smith, Open Dynamics Engine user's guide,
// ERP and CFM; E. Catto, Solver2D (2024).
#pragma once

#include <cstdint>

namespace takt {

/// The two coefficients of a soft row in one substep.
struct SoftRow {
  double bias_rate = 0.0;  ///< beta / h, 1/s
  double gamma =
      0.0;  ///< velocity per impulse: 1/kg of a linear row, 1/(kg m^2) of an angular one; 0 = rigid
};

class Softness {
 public:
  /// Frozen values: they stand in images and recordings.
  enum class Form : std::uint8_t { kRigid = 0, kBetaGamma = 1, kErpCfm = 2, kSpring = 3, kFrequency = 4 };

  /// The row is satisfied exactly. The biased pass corrects drift and leaves no velocity.
  constexpr Softness() noexcept = default;
  [[nodiscard]] static constexpr Softness rigid() noexcept { return {}; }
  /// beta: fraction of the error corrected in a substep, dimensionless, [0, 1]. gamma: 1/kg (linear) or 1/(kg
  /// m^2) (angular), >= 0. Both belong to one substep length.
  [[nodiscard]] static constexpr Softness beta_gamma(double beta, double gamma) noexcept {
    return {Form::kBetaGamma, beta, gamma};
  }
  /// erp: as beta. cfm: velocity per force, s/kg (linear) or s/(kg m^2) (angular), >= 0. Both belong to one
  /// substep length, as in ODE.
  [[nodiscard]] static constexpr Softness erp_cfm(double erp, double cfm) noexcept {
    return {Form::kErpCfm, erp, cfm};
  }
  /// stiffness: N/m (linear) or N m/rad (angular), >= 0. damping: N s/m or N m s/rad, >= 0. Both 0: the row
  /// has no effect.
  [[nodiscard]] static constexpr Softness spring(double stiffness, double damping) noexcept {
    return {Form::kSpring, stiffness, damping};
  }
  /// hertz: natural frequency of the row's effective mass on its spring, Hz, >= 0. damping_ratio:
  /// dimensionless, >= 0; 1 = critical. hertz 0: the row has no effect.
  [[nodiscard]] static constexpr Softness frequency(double hertz, double damping_ratio) noexcept {
    return {Form::kFrequency, hertz, damping_ratio};
  }

  [[nodiscard]] constexpr Form form() const noexcept { return form_; }
  [[nodiscard]] constexpr bool is_rigid() const noexcept { return form_ == Form::kRigid; }
  /// The form's parameters, in the order of its constructor; 0 for rigid.
  [[nodiscard]] constexpr double first() const noexcept { return first_; }
  [[nodiscard]] constexpr double second() const noexcept { return second_; }
  /// Builds a softness from a form and its parameters, as images and scenes store them. Check the result with
  /// is_valid().
  [[nodiscard]] static constexpr Softness from_parts(Form form, double first, double second) noexcept {
    return {form, first, second};
  }
  /// True for a known form with finite parameters in the ranges of the constructors, each 0 or from 1e-12 to
  /// 1e15.
  [[nodiscard]] bool is_valid() const noexcept;

  /// Coefficients of the row in a substep of substep_s > 0. inverse_mass = K = J M^-1 J^T > 0, 1/kg or 1/(kg
  /// m^2); only kFrequency uses it. Rigid gives {0, 0}: the solver sets the rate of drift correction. A
  /// spring without stiffness and damping also gives gamma 0 and bias rate 0; is_idle() distinguishes it.
  [[nodiscard]] SoftRow row(double substep_s, double inverse_mass) const noexcept;
  /// True when the row has no effect: a spring without stiffness and damping, or a frequency of 0.
  [[nodiscard]] constexpr bool is_idle() const noexcept {
    return (form_ == Form::kSpring && first_ == 0.0 && second_ == 0.0) ||
           (form_ == Form::kFrequency && first_ == 0.0);
  }

  /// Converts to another form with equal motion, for rows of this inverse mass and substeps of this length.
  /// Rigid stays rigid. A row with gamma 0 that a form cannot express (a spring of infinite stiffness)
  /// becomes rigid too. as_frequency of a damper without a spring is idle: it has no frequency.
  [[nodiscard]] Softness as_beta_gamma(double substep_s, double inverse_mass) const noexcept;
  [[nodiscard]] Softness as_erp_cfm(double substep_s, double inverse_mass) const noexcept;
  [[nodiscard]] Softness as_spring(double substep_s, double inverse_mass) const noexcept;
  [[nodiscard]] Softness as_frequency(double substep_s, double inverse_mass) const noexcept;

  friend bool operator==(const Softness&, const Softness&) = default;

 private:
  constexpr Softness(Form form, double first, double second) noexcept
      : form_(form), first_(first), second_(second) {}

  Form form_ = Form::kRigid;
  double first_ = 0.0;
  double second_ = 0.0;
};

}  // namespace takt
