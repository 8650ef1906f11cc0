// Which contacts the direct solve takes: those through which a heavy body rests on much lighter ones, or is about to. Gauss-Seidel hands on about the ratio of the two
// masses of such a load a sweep; the direct solve all of it. Light bodies that lie on heavy ones or beside them load nothing. A pure function of the sorted contacts, the
// masses, the velocities and the impulses of the last tick.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/contact_links.h"
#include "physics/moving_body.h"
#include "physics/parallel_choice.h"

namespace takt {

/// Scratch of a search and its result.
struct LoadGroups {
  std::vector<std::uint32_t> contacts;  ///< places in the prepared contacts, group after group, outward from the heavy body
  std::vector<std::uint32_t> ends;      ///< where each group ends in `contacts`
  std::vector<std::uint8_t> taken;      ///< by prepared contact: in some group

  Choice<std::uint32_t> loads;  ///< places of contacts that load something
  std::vector<double> masses;   ///< kg, by solver body; 0 for what impulses do not move
  ContactLinks links;
  std::vector<std::uint32_t> queue;
  std::vector<std::uint8_t> reached;  ///< by solver body
};

/// What a search looks at, at a tick's start. Bodies by the solver's place.
template <class Real>
struct LoadQuestion {
  std::span<const PreparedContact<Real>> contacts;  ///< in order of their keys, with the impulses of the last tick
  std::span<const SolverMass<Real>> masses;
  std::span<const SolverBody<Real>> bodies;
  std::span<const MovingBody<Real>> moving;
  double weight_m_s = 0.0;  ///< what the world's gravity adds to a speed in a substep
  double substeps = 1.0;
  std::span<const ContactOutline> outlines;  ///< of the contacts
  TaskPool* pool = nullptr;
};

/// Fills `groups`; all of it is empty when nothing heavy rests on anything light.
template <class Real>
void find_load_groups(const LoadQuestion<Real>& question, LoadGroups& groups);

}  // namespace takt
