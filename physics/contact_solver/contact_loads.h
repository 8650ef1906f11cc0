// ContactLoads lists what each contact carried in the last substep of the last tick: the impulse, its size,
// and its torques on both bodies. MassLending and WarmStartGuard, which handle high mass ratios, read the
// list. Worlds in which no two bodies differ in mass by more than kLendingMassRatio pay one scan of the
// masses and one of the impulses between moving bodies. They have a list only in a tick after an impact, or
// after a call took a body from the contacts or joints of others. Contacts connect dynamic bodies into sets.
// A set is unequal when two of its bodies differ in mass by more than that factor, even if they do not touch.
// A set is overloaded when one of its contacts carries an impulse that rest cannot explain. All values are
// binary64 in both numbers modes and depend on the contacts in key order alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/constraints/external_load.h"
#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"
#include "physics/contacts/contact_graph.h"

namespace takt {

/// Impulses that one contact carries over from the last substep of the last tick.
struct ContactLoad {
  Vec3<double> impulse;   ///< on b, N s, world; the reaction acts on a
  Vec3<double> torque_a;  ///< of `impulse` about a's centre of mass, N m s: on a with the opposite sign
  Vec3<double> torque_b;  ///< about b's centre of mass, N m s
  double size = 0.0;      ///< |impulse|, N s
};

/// Input at a tick's start. The last four spans are indexed by solver index.
template <class Real>
struct MassRatioInput {
  std::span<PreparedContact<Real>> contacts;      ///< sorted by key, with the impulses of the last tick
  std::span<const ContactBodies> contact_bodies;  ///< parallel to contacts
  std::span<const SolverMass<Real>> masses;
  std::span<const SolverBody<Real>> bodies;
  std::span<const MovingBody<Real>> moving;
  std::span<const ExternalLoad> external;  ///< of all solver bodies
  double weight_m_s = 0.0;                 ///< speed that gravity adds in a substep, m/s
  bool any_unloaded = false;               ///< a call took a body from the contacts or joints of a moving one
  TaskPool* pool = nullptr;
};

class ContactLoads {
 public:
  /// Fills the lists. Returns false when no set is unequal or overloaded; the other functions must then not
  /// be called. Their results are valid until the next find().
  template <class Real>
  [[nodiscard]] bool find(const MassRatioInput<Real>& input);

  /// By contact, in key order.
  [[nodiscard]] std::span<const ContactLoad> loads() const noexcept { return loads_; }
  /// True masses, kg, by solver index; 0 = does not move under impulses.
  [[nodiscard]] std::span<const double> masses_kg() const noexcept { return masses_kg_; }
  /// The contacts of each body.
  [[nodiscard]] const ContactLinks& links() const noexcept { return links_; }
  /// Indices of the contacts of two dynamic bodies whose masses differ by more than kLendingMassRatio,
  /// ascending.
  [[nodiscard]] std::span<const std::uint32_t> high_ratio_contacts() const noexcept {
    return high_ratio_.chosen();
  }

  /// The lowest solver index in the body's set; that of the body itself without contacts.
  [[nodiscard]] std::uint32_t set_of(std::uint32_t body) const noexcept { return sets_[body]; }
  /// True if the body's set is unequal.
  [[nodiscard]] bool is_unequal(std::uint32_t body) const noexcept { return unequal_[sets_[body]] != 0; }
  /// True if the world has a high mass ratio, or a call took a body from the contacts or joints of others.
  /// The guard of the warm start then acts on unequal and on overloaded sets.
  [[nodiscard]] bool is_guarded() const noexcept { return is_guarded_; }
  /// True if the body's set is overloaded: a contact carries more than kStillWeights times the impulse of the
  /// set's weight in a substep. An impact made that impulse, or a heavy body that has left the set.
  [[nodiscard]] bool is_overloaded(std::uint32_t body) const noexcept {
    return overloaded_[sets_[body]] != 0;
  }

 private:
  struct SetMass {
    double lightest_kg = 0.0;
    double heaviest_kg = 0.0;
    double sum_kg = 0.0;
  };
  [[nodiscard]] bool has_high_ratio() const noexcept;
  template <class Real>
  [[nodiscard]] bool may_be_overloaded(const MassRatioInput<Real>& input, double rest_m_s) const noexcept;
  void find_sets(std::span<const ContactBodies> contact_bodies);
  [[nodiscard]] bool mark_sets(std::span<const ContactBodies> contact_bodies, double rest_m_s);

  bool is_guarded_ = false;
  std::vector<ContactLoad> loads_;  ///< by contact
  std::vector<double> masses_kg_;
  FilteredItems<std::uint32_t> high_ratio_;
  ContactLinks links_;
  std::vector<std::uint32_t> sets_;       ///< by body: the lowest of its set
  std::vector<SetMass> set_masses_;       ///< by lowest body of a set
  std::vector<std::uint8_t> unequal_;     ///< by lowest body of a set
  std::vector<std::uint8_t> overloaded_;  ///< by lowest body of a set
};

}  // namespace takt
