// Which contacts the direct solve takes: those through which a heavy body rests on much lighter ones. Gauss-Seidel hands on about the ratio of the two masses
// of such a load a sweep; the direct solve all of it. A pure function of the sorted contacts, the masses and the impulses of the last tick.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/contact_links.h"

namespace takt {

/// Scratch of a search and its result.
struct LoadGroups {
  std::vector<std::uint32_t> contacts;  ///< places in the prepared contacts, group after group, outward from the heavy body
  std::vector<std::uint32_t> ends;      ///< where each group ends in `contacts`
  std::vector<std::uint8_t> taken;      ///< by prepared contact: in some group

  std::vector<double> masses;  ///< kg, by solver body; 0 for what impulses do not move
  ContactLinks links;
  std::vector<std::uint32_t> queue;
  std::vector<std::uint8_t> reached;  ///< by solver body
};

/// Fills `groups`; all of it is empty when nothing heavy rests on anything light. `contacts` are in order of their keys.
template <class Real>
void find_load_groups(std::span<const PreparedContact<Real>> contacts, std::span<const SolverMass<Real>> bodies, LoadGroups& groups);

}  // namespace takt
