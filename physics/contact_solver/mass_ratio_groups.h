// find_mass_ratio_groups() selects the contacts of DirectContactSolver: a body presses through them on a body
// more than 16 times lighter, now or within this tick. One Gauss-Seidel iteration transmits only about
// m_light / m_heavy of such a load; the direct solver transmits all of it. A light body that lies on a heavy
// one needs no direct solver. Contacts with locked axes, surface velocities, soft materials, or bodies that
// joints connect are never selected. The selection is a pure function of the contacts in key order, last
// tick's impulses, and the bodies' masses, velocities and forces.
//
// A group is one heavy body and up to kMaxGroupContacts contacts that pass its load on. The group grows from
// the heavy body breadth first over bodies at least 16 times lighter than it, in any direction. Static and
// heavier bodies end the growth. GroupClusters unites groups that share bodies to clusters. Clusters share no
// moving body, so workers solve them concurrently. The groups of a cluster are solved one after the other, in
// the order of their first contacts.
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

/// Result and scratch of find_mass_ratio_groups().
struct MassRatioGroups {
  std::vector<std::uint32_t>
      contacts;  ///< contact indices, group by group, each breadth first from the heavy body
  std::vector<std::uint32_t> ends;  ///< by group: end of its run in `contacts`
  std::vector<std::uint8_t> taken;  ///< by contact: 1 = in a group

  FilteredItems<std::uint32_t> direct_contacts;  ///< indices of contacts that start a group
  std::vector<double> masses;                    ///< kg, by solver body; 0 = does not move
  ContactLinks links;
  std::vector<std::uint32_t> queue;
  std::vector<std::uint8_t> reached;  ///< by solver body
};

/// Input at a tick's start. Bodies are indexed by solver body.
template <class Real>
struct MassRatioInput {
  std::span<const PreparedContact<Real>> contacts;  ///< sorted by key, with the impulses of the last tick
  std::span<const SolverMass<Real>> masses;
  std::span<const SolverBody<Real>> bodies;
  std::span<const MovingBody<Real>> moving;
  double weight_m_s = 0.0;  ///< speed that gravity adds in a substep
  double substeps = 1.0;
  std::span<const ContactBodies> contact_bodies;  ///< parallel to contacts
  TaskPool* pool = nullptr;
};

/// Writes `groups`. All lists are empty when no heavy body loads a light one.
template <class Real>
void find_mass_ratio_groups(const MassRatioInput<Real>& input, MassRatioGroups& groups);

/// True if every contact is in at most one group, and `taken` marks exactly those contacts.
[[nodiscard]] bool are_disjoint(MassRatioGroups& groups);

/// The bodies of one group: a run of a list.
struct GroupBodies {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

class GroupClusters {
 public:
  /// Finds the clusters, ordered by their first groups. `bodies`: solver body indices of moving bodies, in
  /// runs by group.
  void find(std::span<const GroupBodies> groups, std::span<const std::uint32_t> bodies);

  [[nodiscard]] std::size_t size() const noexcept { return starts_.empty() ? 0 : starts_.size() - 1; }
  /// Group indices of a cluster, ascending.
  [[nodiscard]] std::span<const std::uint32_t> groups_of(std::size_t cluster) const noexcept {
    return {groups_.data() + starts_[cluster], groups_.data() + starts_[cluster + 1]};
  }

 private:
  [[nodiscard]] bool are_disjoint(std::span<const GroupBodies> groups,
                                  std::span<const std::uint32_t> bodies) const;

  std::vector<std::uint32_t> groups_;    ///< group indices, cluster by cluster
  std::vector<std::uint32_t> starts_;    ///< by cluster: start of its run in groups_; and the end
  std::vector<std::uint32_t> parents_;   ///< by group (union_find.h)
  std::vector<std::uint32_t> clusters_;  ///< by group
  std::vector<std::uint32_t> owners_;    ///< by solver body: the first group with that body
};

}  // namespace takt
