// Which contacts the direct solve takes: those through which a heavy body rests on much lighter ones, or is
// about to. Gauss-Seidel hands on about the ratio of the two masses of such a load a sweep; the direct solve
// all of it. Light bodies that lie on heavy ones or beside them load nothing. A pure function of the sorted
// contacts, the masses, the velocities and the impulses of the last tick.
//
// Load groups that share bodies, taken together: clusters share no body that moves, so they may be solved
// side by side, each group after group as one thread would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"
#include "physics/contacts/contact_graph.h"

namespace takt {

/// Scratch of a search and its result.
struct MassRatioGroups {
  std::vector<std::uint32_t>
      contacts;  ///< places in the prepared contacts, group after group, outward from the heavy body
  std::vector<std::uint32_t> ends;  ///< where each group ends in `contacts`
  std::vector<std::uint8_t> taken;  ///< by prepared contact: in some group

  FilteredItems<std::uint32_t> direct_contacts;  ///< places of contacts that load something
  std::vector<double> masses;                    ///< kg, by solver body; 0 for what impulses do not move
  ContactLinks links;
  std::vector<std::uint32_t> queue;
  std::vector<std::uint8_t> reached;  ///< by solver body
};

/// What a search looks at, at a tick's start. Bodies by the solver's place.
template <class Real>
struct MassRatioInput {
  std::span<const PreparedContact<Real>>
      contacts;  ///< in order of their keys, with the impulses of the last tick
  std::span<const SolverMass<Real>> masses;
  std::span<const SolverBody<Real>> bodies;
  std::span<const MovingBody<Real>> moving;
  double weight_m_s = 0.0;  ///< what the world's gravity adds to a speed in a substep
  double substeps = 1.0;
  std::span<const ContactBodies> contact_bodies;  ///< of the contacts
  TaskPool* pool = nullptr;
};

/// Fills `groups`; all of it is empty when nothing heavy rests on anything light.
template <class Real>
void find_mass_ratio_groups(const MassRatioInput<Real>& question, MassRatioGroups& groups);

/// Bodies of one group: a run of a list.
struct GroupBodies {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

class GroupClusters {
 public:
  /// Finds the clusters of the groups, in the order of their first ones. `bodies`: the solver's places of
  /// what moves.
  void find(std::span<const GroupBodies> groups, std::span<const std::uint32_t> bodies);

  [[nodiscard]] std::size_t size() const noexcept { return starts_.empty() ? 0 : starts_.size() - 1; }
  /// Groups of a cluster, in their order.
  [[nodiscard]] std::span<const std::uint32_t> groups_of(std::size_t cluster) const noexcept {
    return {groups_.data() + starts_[cluster], groups_.data() + starts_[cluster + 1]};
  }

 private:
  std::vector<std::uint32_t> groups_;    ///< cluster after cluster
  std::vector<std::uint32_t> starts_;    ///< of each in `groups_`, and the end
  std::vector<std::uint32_t> parents_;   ///< by group (union_find.h)
  std::vector<std::uint32_t> clusters_;  ///< by group
  std::vector<std::uint32_t> owners_;    ///< by the solver's place: the first group with that body
};

}  // namespace takt
