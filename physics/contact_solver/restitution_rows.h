// RestitutionRows solves one generation of impacts: the contacts that bounce at the same time, and the loaded
// contacts that support the hit bodies. add() makes the rows of a contact, and solve() computes all normal
// impulses together by projected Gauss-Seidel in binary64. finish() then applies friction to one contact, if
// it bounces, and returns the position corrections of its bodies. store() writes the new velocities to the
// solver bodies. RestitutionSolver owns the RestitutionRows, selects the contacts and sets their target
// velocities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/constraint_row.h"
#include "physics/constraints/moving_body.h"
#include "physics/contact_solver/position_corrections.h"
#include "physics/contacts/contact_graph.h"

namespace takt {

/// The tick's contacts and bodies. All spans and `state` must stay valid until the tick is over; bodies,
/// masses and moving are indexed by solver index.
template <class Real>
struct RestitutionProblem {
  std::span<PreparedContact<Real>> contacts;  ///< in the order of their keys
  std::span<SolverBody<Real>> bodies;
  std::span<const SolverMass<Real>> masses;
  std::span<MovingBody<Real>> moving;
  const WorldState<Real>* state = nullptr;
  double threshold = 0;                           ///< m/s: slower contacts do not bounce
  double substep_s = 0;                           ///< above 0
  double tick_s = 0;                              ///< no impact is earlier than this before a substep
  std::span<const ContactBodies> contact_bodies;  ///< of the contacts
};

/// A contact of a generation.
struct RestitutionContact {
  std::uint32_t contact = 0;  ///< index in the tick's contacts
  std::uint32_t points = 0;   ///< bit per point that has a row
  double time_s = 0;     ///< time of impact from the substep's start; below 0 if the shapes overlapped before
  bool bounces = false;  ///< else it is a support
  std::uint32_t first_row = 0;  ///< rows [first_row, end_row), which RestitutionRows::add() sets
  std::uint32_t end_row = 0;
};

/// Lever arms of a contact point from both centres of mass, m, world axes.
struct LeverArms {
  Vec3<double> a;
  Vec3<double> b;
};
template <class Real>
[[nodiscard]] LeverArms restitution_arms(const PreparedContact<Real>& contact, std::uint32_t point) noexcept {
  Vec3<double> const a = to_double(contact.manifold.points[point].position);
  return {a, a - to_double(contact.cached.delta_center)};
}

template <class Real>
class RestitutionRows {
 public:
  /// Starts a tick, without rows.
  void begin(const RestitutionProblem<Real>& problem);
  /// Starts a generation: removes all rows.
  void clear();
  /// Adds a row for each point of collision.points; the contact must not be in the generation yet. `targets`
  /// are the minimum relative normal velocities after solve(), by point, m/s; entries of other points are
  /// ignored.
  void add(RestitutionContact collision, const std::array<double, 4>& targets);
  /// Computes the impulses of all rows from the velocities that the bodies had at their first add().
  void solve();
  /// The sum of the contact's normal impulses, N s. `collision` is an entry of restitution_contacts().
  [[nodiscard]] double total(const RestitutionContact& collision) const;
  /// Applies friction if the contact bounces. Returns the position corrections of bodies a and b: -time_s x
  /// the velocity change by this contact. Call it once for each entry of restitution_contacts(), after
  /// solve().
  [[nodiscard]] std::array<PositionCorrection, 2> finish(const RestitutionContact& collision);
  /// Stores the velocities in the solver bodies, after all calls of finish(). Appends the solver indices of
  /// the generation's bodies that impulses move.
  void store(std::vector<std::uint32_t>& moved);

  /// True if no impulse is below 0.
  [[nodiscard]] bool are_feasible() const noexcept;
  /// True if the contact is in the generation. `contact` is an index in the tick's contacts.
  [[nodiscard]] bool contains(std::uint32_t contact) const noexcept { return taken_[contact] != 0; }
  /// The generation, in the order of add(). The next add() or clear() makes the span invalid.
  [[nodiscard]] std::span<const RestitutionContact> restitution_contacts() const noexcept {
    return contacts_;
  }

 private:
  struct Row {
    RowSide a;
    RowSide b;
    double mass = 0;     ///< effective, kg; 0 = locked
    double target = 0;   ///< m/s
    double impulse = 0;  ///< N s, accumulated
    std::uint32_t point = 0;
    std::uint32_t settled = 0;  ///< visit of solve() that changed nothing, or 0
  };
  struct Velocity {
    std::uint32_t body = 0;
    bool moves = false;
    std::uint32_t changed = 0;  ///< visit of solve() that changed it last, or 0
    Vec3<double> linear;
    Vec3<double> angular;
  };

  [[nodiscard]] RowBody row_body(std::uint32_t body, bool moves) const;
  [[nodiscard]] std::uint32_t velocity_of(const RowBody& body);
  [[nodiscard]] Row make_row(const RowBody& a, const RowBody& b, Vec3<double> linear, Vec3<double> ra_cross_n,
                             Vec3<double> rb_cross_n);
  [[nodiscard]] double velocity(const Row& row) const;
  void apply(Row& row, double change);
  void apply_friction(const RestitutionContact& collision, std::vector<Row>& friction);

  RestitutionProblem<Real> at_;
  std::vector<std::uint8_t> taken_;   ///< by contact: 1 = in the generation
  std::vector<std::uint32_t> slots_;  ///< by body: index in velocities_ + 1, or 0
  std::vector<Velocity> velocities_;
  std::vector<RestitutionContact> contacts_;
  std::vector<Row> rows_;
  std::vector<Row> friction_;  ///< scratch of finish()
};

}  // namespace takt
