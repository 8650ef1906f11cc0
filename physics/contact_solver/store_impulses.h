// Reading blocks of W contacts back after the last pass of a tick: impulses, shear, and whether they are
// numbers. The same arithmetic for every width.
#pragma once

#include "physics/contact_solver/friction_anchor.h"
#include "physics/contact_solver/prepare_contacts.h"
#include "physics/math/is_finite.h"

namespace takt {

/// Friction, twist, shear and the impulses of all points.
template <class Real>
bool is_sound(const PreparedContact<Real>& contact) noexcept {
  bool sound = is_finite(contact.friction_impulse) && is_finite(contact.twist_impulse) &&
               is_finite(contact.anchor_offset) && is_finite(contact.twist_offset);
  for (Real const impulse : contact.impulses) sound = sound && is_finite(impulse);
  return sound;
}

/// A contact of a body that was quarantined may hold numbers that are not finite: it starts over.
template <class Real>
void start_over(PreparedContact<Real>& contact) noexcept {
  contact.impulses = {};
  contact.friction_impulse = {};
  contact.twist_impulse = Real(0);
  contact.rolling_impulse = {};
  contact.anchor_offset = {};
  contact.twist_offset = Real(0);
  contact.total_impulse = Real(0);
}

template <class Real>
bool runs(const PreparedContact<Real>& contact) noexcept {
  return contact.slide.x != Real(0) || contact.slide.y != Real(0) || contact.slide.z != Real(0);
}

/// What one lane alone works out of its contact after the tick. `shear`, friction and total impulse of
/// contacts of several lanes come from the stage.
template <class Real, int W>
void end_contact(PreparedContact<Real>& contact, const ContactBlock<Real, W>& block, int lane,
                 std::span<const SolverBody<Real>> bodies) {
  for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p)
    contact.total_impulse = contact.total_impulse + block.rows[p].total_impulse[lane];
  auto const from = static_cast<std::size_t>(lane);
  Vec3<Real> const t1 = lane_of(block.tangent, from);
  Vec3<Real> const t2 = cross(contact.manifold.normal, t1);
  contact.friction_impulse = t1 * block.tangent_impulse[0][lane] + t2 * block.tangent_impulse[1][lane];
  update_friction_anchor(contact, lane_of(block.r_a, from), lane_of(block.r_b, from),
                         block.twist_radius[lane], bodies[contact.body_a], bodies[contact.body_b]);
}

template <int W>
void end_together(const ContactKernels<float>& self, std::byte* block, ContactStaging<float, W>& stage,
                  const ContactTask<float>& task, std::size_t at) {
  if (task.order[at * W + W - 1] == kEmptyLane) stage = {};
  for_lanes<float, W>(task, at, [&](int lane, const PreparedContact<float>& contact) {
    set_lane(stage.anchor_offset, lane, contact.anchor_offset);
    stage.twist_offset[lane] = contact.twist_offset;
    stage.total_impulse[lane] = contact.total_impulse;
    stage.anchored[lane] = contact.dynamic_a && contact.dynamic_b && !runs(contact) ? 1.0f : 0.0f;
  });
  self.end(block, &stage, task.bodies.data());
  for_lanes<float, W>(task, at, [&](int lane, PreparedContact<float>& contact) {
    auto const from = static_cast<std::size_t>(lane);
    contact.friction_impulse = lane_of(stage.friction_impulse, from);
    contact.anchor_offset = lane_of(stage.anchor_offset, from);
    contact.twist_offset = stage.twist_offset[lane];
    contact.total_impulse = stage.total_impulse[lane];
  });
}

template <class Real, int W>
std::uint32_t store_block_impulses(const ContactKernels<Real>& self, const BlockMemory& memory,
                                   std::size_t first, std::size_t end, const ContactTask<Real>& task) {
  using Block = ContactBlock<Real, W>;
  using Extras = ContactExtras<Real, W>;
  [[maybe_unused]] ContactStaging<Real, W> stage{};
  std::uint32_t points = 0;
  for (std::size_t at = first; at < end; ++at) {
    fetch_contacts<Real, W>(task, at + 1);
    std::byte* const index = memory.blocks + at * sizeof(Block);
    const Block& block = *std::launder(reinterpret_cast<const Block*>(index));
    for_lanes<Real, W>(task, at, [&](int lane, PreparedContact<Real>& contact) {
      for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p)
        contact.impulses[p] = block.rows[p].impulse[lane];
      contact.twist_impulse = block.twist_impulse[lane];
      points += contact.manifold.point_count;
      if (at < memory.first_special) return;
      const Extras& extras = *std::launder(
          reinterpret_cast<const Extras*>(memory.extras + (at - memory.first_special) * sizeof(Extras)));
      contact.rolling_impulse = lane_of(extras.rolling_impulse, static_cast<std::size_t>(lane));
    });
    if constexpr (W == 1 || kIsOneByOne<Real, W>) {
      for_lanes<Real, W>(task, at, [&](int lane, PreparedContact<Real>& contact) {
        end_contact(contact, block, lane, task.bodies);
      });
    } else {
      end_together(self, index, stage, task, at);
    }
    for_lanes<Real, W>(task, at, [&](int lane, PreparedContact<Real>& contact) {
      if (contact.total_impulse > Real(0)) contact.touching = true;
      bool sound = is_finite(contact.rolling_impulse);
      if constexpr (W == 1 || kIsOneByOne<Real, W>) {
        sound = sound && is_sound(contact);
      } else {
        sound = sound && stage.doubt[lane] == 0.0f;
      }
      if (!sound) start_over(contact);
    });
  }
  return points;
}

}  // namespace takt
