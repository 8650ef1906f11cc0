// What the contacts of one block of several lanes hand over before the first pass of a tick and take back after its last: the work on contacts that is not solving
// (contact_lanes.h, eight_fixed_fill.h), done for all lanes at once. One lane, bodies with locked axes and large numbers in fixed point go through contact_lane()
// and its like in contact_fill.h, which define the result.
#pragma once

#include "physics/manifold.h"

namespace takt {

template <class Real, int W>
struct ContactStage;

template <int W>
struct alignas(64) ContactStage<float, W> {
  float positions[4][3][W];  ///< of the points, from a's centre of mass, world axes, m
  float point_count[W];      ///< 0 = no contact in this lane
  float point_share[W];      ///< 1 / point_count
  float between[3][W];       ///< b's centre of mass - a's, m
  // As in PreparedContact: given and taken.
  float friction_impulse[3][W];
  float shear[3][W];
  float twist_shear[W];
  float total_impulse[W];
  // Taken at the tick's start.
  float approach[W];   ///< of the fastest point, m/s; 0 or below
  float hit_point[W];  ///< which that is
  // At the tick's end.
  float sheared[W];  ///< given: 1 = both bodies move under impulses and neither surface runs, else 0
  float doubt[W];    ///< taken: 0 when everything is finite, else not a number
};

/// The same of fixed mode, of which lanes only do what comes before the first pass.
template <int W>
struct alignas(64) ContactStage<Fixed, W> {
  Fixed positions[4][3][W];
  std::int64_t point_count[W];
  Fixed point_share[W];
  Fixed between[3][W];
  Fixed friction_impulse[3][W];
  Fixed shear[3][W];
  // Taken.
  Fixed approach[W];
  std::int64_t hit_point[W];
};

}  // namespace takt
