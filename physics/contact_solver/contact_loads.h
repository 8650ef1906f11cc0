// ContactLoads lists what each contact carried in a substep of the last tick: the impulse, its size, and its
// torques on both bodies. MassLending and WarmStartGuard, which handle high mass ratios, read the list.
// Worlds in which no two bodies differ in mass by more than kLendingMassRatio pay one scan of the masses and
// have no list, except in a tick after a call took a body from the contacts of others. A set of bodies that
// contacts connect is unequal when two of its bodies differ so much, even if they do not touch. It is
// overloaded when it carries an impulse that its masses cannot have made. All values are binary64 in both
// numbers modes and depend on the contacts in key order alone.
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

/// Impulses of one contact in a substep of the last tick.
struct ContactLoad {
  Vec3<double> impulse;   ///< on b, N s, world; the reaction acts on a
  Vec3<double> torque_a;  ///< of `impulse` about a's centre of mass, N m s: on a with the opposite sign
  Vec3<double> torque_b;  ///< about b's centre of mass, N m s
  double size = 0.0;      ///< |impulse|
};

/// Input at a tick's start. Bodies are indexed by solver body.
template <class Real>
struct MassRatioInput {
  std::span<PreparedContact<Real>> contacts;      ///< sorted by key, with the impulses of the last tick
  std::span<const ContactBodies> contact_bodies;  ///< parallel to contacts
  std::span<const SolverMass<Real>> masses;
  std::span<const SolverBody<Real>> bodies;
  std::span<const MovingBody<Real>> moving;
  std::span<const ExternalLoad> external;
  double weight_m_s = 0.0;    ///< speed that gravity adds in a substep
  bool any_unloaded = false;  ///< a call took a body from the contacts or joints of a moving one
  TaskPool* pool = nullptr;
};

class ContactLoads {
 public:
  /// Fills the lists. Returns false, with lists that are not valid, when no set is unequal or overloaded.
  template <class Real>
  [[nodiscard]] bool find(const MassRatioInput<Real>& input);

  [[nodiscard]] std::span<const ContactLoad> loads() const noexcept { return loads_; }
  /// kg, by solver body; 0 = does not move under impulses.
  [[nodiscard]] std::span<const double> masses_kg() const noexcept { return masses_kg_; }
  [[nodiscard]] const ContactLinks& links() const noexcept { return links_; }
  /// Indices of the contacts between bodies with a high mass ratio, ascending.
  [[nodiscard]] std::span<const std::uint32_t> high_ratio_contacts() const noexcept {
    return high_ratio_.chosen();
  }

  /// The lowest body of the set that contacts connect with a dynamic body.
  [[nodiscard]] std::uint32_t set_of(std::uint32_t body) const noexcept { return sets_[body]; }
  /// True if two bodies of the body's set have a high mass ratio, whether they touch or not.
  [[nodiscard]] bool is_unequal(std::uint32_t body) const noexcept { return unequal_[sets_[body]] != 0; }
  /// True if a contact of the body's set carries more than kStillWeights of the weights of the whole set: a
  /// heavy body that made the impulse has left the set.
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
  void find_sets(std::span<const ContactBodies> contact_bodies);
  [[nodiscard]] bool mark_sets(std::span<const ContactBodies> contact_bodies, double rest_m_s);

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
