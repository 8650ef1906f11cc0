#include "physics/step/substeps.h"

#include <algorithm>
#include <atomic>

#include "physics/base/parallel_for.h"
#include "physics/contact_solver/block_layout.h"
#include "physics/joints/grab_solver.h"
#include "physics/ropes/rope_solver.h"
#include "physics/step/gather_bodies.h"
#include "physics/step/integrate_bodies.h"
#include "physics/step/step_events.h"

namespace takt {
namespace {

/// The blocks of the coloured contacts and those of the load groups, which are always one contact wide.
template <class Real>
struct SolverBlocks {
  const ContactKernels<Real>& kernels;
  BlockMemory memory;
  const ContactKernels<Real>& direct_kernels;
  BlockMemory direct_memory;
  std::size_t direct_count = 0;
  TaskPool* pool = nullptr;
  std::size_t grain = 1;    ///< blocks
  std::uint32_t lanes = 0;  ///< as in StepOptions
};

template <class Real>
SolverBlocks<Real> reserve_blocks(DerivedState<Real>& derived, const StepConstants<Real>& constants,
                                  const StepOptions& options, StepStatus& status) {
  const ContactKernels<Real>& kernels = contact_kernels<Real>(options.lanes, derived.found.contacts.size());
  const ContactKernels<Real>& direct_kernels = contact_kernels<Real>(1, 0);
  derived.direct_contacts.find({derived.found.contacts, derived.masses, derived.bodies, derived.moving,
                                constants.weight_m_s, static_cast<double>(constants.substeps),
                                derived.found.contact_bodies, options.pool});
  BlockLayout const layout = assign_blocks(derived, kernels.lanes);
  status.colour_count = layout.colour_count;
  status.overflow_contact_count = layout.overflow_count;
  std::size_t const count = derived.order.size() / kernels.lanes;
  std::size_t const direct_count = derived.direct_contacts.order().size();
  return {
      kernels,
      {derived.blocks.reserve(count * kernels.block_bytes),
       derived.extras.reserve((count - layout.first_special) * kernels.extra_bytes), layout.first_special},
      direct_kernels,
      {derived.direct_blocks.reserve(direct_count * direct_kernels.block_bytes),
       derived.direct_extras.reserve(direct_count * direct_kernels.extra_bytes), 0},
      direct_count,
      options.pool,
      std::max<std::size_t>(1, kSolveGrain / kernels.lanes),
      options.lanes};
}

template <class Real>
ContactTask<Real> task_of(DerivedState<Real>& derived, std::span<const std::uint32_t> order) noexcept {
  return {order, derived.found.contacts, derived.masses, derived.bodies};
}

/// Colour after colour, each shared: body(first block, end). A pool tends to give a worker the same blocks in
/// each call.
template <class Real, class Body>
void for_colours(const DerivedState<Real>& derived, const SolverBlocks<Real>& at, const Body& body) {
  for (const BlockRange& range : derived.ranges) {
    parallel_for(at.pool, range.end - range.first, at.grain,
                 [&](std::size_t first, std::size_t end, std::uint32_t) {
                   body(range.first + first, range.first + end);
                 });
  }
}

/// The same where no order is needed: contacts past the last colour, which have a range each, go together.
template <class Real, class Body>
void for_all_blocks(const DerivedState<Real>& derived, const SolverBlocks<Real>& at, const Body& body) {
  auto const is_one = [](const BlockRange& range) { return range.end - range.first == 1; };
  auto const& ranges = derived.ranges;
  for (std::size_t r = 0, next = 0; r < ranges.size(); r = next) {
    for (next = r + 1; next < ranges.size() && is_one(ranges[r]) && is_one(ranges[next]) &&
                       ranges[next].first == ranges[next - 1].end;)
      ++next;
    std::size_t const begin = ranges[r].first;
    parallel_for(
        at.pool, ranges[next - 1].end - begin, at.grain,
        [&](std::size_t first, std::size_t end, std::uint32_t) { body(begin + first, begin + end); });
  }
}

template <class Real>
void fill_blocks(DerivedState<Real>& derived, const SolverBlocks<Real>& at,
                 const ContactParameters<Real>& parameters) {
  for_all_blocks(derived, at, [&](std::size_t first, std::size_t end) {
    at.kernels.fill(at.kernels, at.memory, first, end, task_of<Real>(derived, derived.order), parameters);
  });
  // Contacts of load groups all have extras, needed or not: one contact a block, in the order of their
  // groups.
  at.direct_kernels.fill(at.direct_kernels, at.direct_memory, 0, at.direct_count,
                         task_of<Real>(derived, derived.direct_contacts.order()), parameters);
  derived.direct_contacts.prepare(at.direct_memory, at.pool);
}

/// One pass over all contacts. Load groups come last: what carries them has settled.
template <class Real>
void solve_contacts(DerivedState<Real>& derived, const SolverBlocks<Real>& at,
                    const StepConstants<Real>& constants, bool use_bias) {
  SolverBody<Real>* const bodies = derived.bodies.data();
  for_colours(derived, at, [&](std::size_t first, std::size_t end) {
    at.kernels.solve(at.memory, first, end, bodies, constants.contact, use_bias);
  });
  derived.direct_contacts.solve(
      {at.direct_kernels, at.direct_memory, bodies, constants.contact, use_bias, at.pool});
}

template <class Real>
void warm_start(DerivedState<Real>& derived, const SolverBlocks<Real>& at) {
  SolverBody<Real>* const bodies = derived.bodies.data();
  for_colours(derived, at, [&](std::size_t first, std::size_t end) {
    at.kernels.warm_start(at.memory, first, end, bodies);
  });
  at.direct_kernels.warm_start(at.direct_memory, 0, at.direct_count, bodies);
}

template <class Real>
void run_substep(const WorldState<Real>& state, DerivedState<Real>& derived, const SolverBlocks<Real>& at,
                 const StepConstants<Real>& constants) {
  integrate_velocities(derived, at.pool);
  bool const moved = derived.restitution_contacts.solve();
  begin_gyroscopic(derived, constants.substep_s, at.lanes, at.pool);
  bool const with_joints = !derived.joints.empty();
  if (with_joints) derived.joints.begin_substep(state, joint_bodies(derived, at.pool), moved);
  warm_start_grabs(derived);
  warm_start(derived, at);
  solve_grabs(derived, constants.grab);
  // Joints first, so that contacts know what hangs on what they touch, and last, so that what holds ends a
  // pass exact.
  if (with_joints) derived.joints.solve(joint_bodies(derived, at.pool), false);
  solve_ropes(derived);
  solve_contacts(derived, at, constants, true);
  if (with_joints) derived.joints.solve(joint_bodies(derived, at.pool), true);
  integrate_positions(derived, constants.substep, at.pool);
  derived.restitution_contacts.settle();
  end_gyroscopic(derived, at.lanes, at.pool);
  if (with_joints) derived.joints.begin_relax(state, joint_bodies(derived, at.pool));
  solve_contacts(derived, at, constants, false);
  if (with_joints) derived.joints.solve(joint_bodies(derived, at.pool), false);
  if (with_joints) derived.joints.end_substep(joint_bodies(derived, at.pool));
}

/// Impulses back from the blocks, and what the contacts remember of the tick.
template <class Real>
void finish_contacts(DerivedState<Real>& derived, const SolverBlocks<Real>& at, StepStatus& status) {
  std::atomic<std::uint32_t> point_count{0};
  for_all_blocks(derived, at, [&](std::size_t first, std::size_t end) {
    std::uint32_t const points =
        at.kernels.store_impulses(at.kernels, at.memory, first, end, task_of<Real>(derived, derived.order));
    point_count.fetch_add(points, std::memory_order_relaxed);
  });
  std::uint32_t const direct_points =
      at.direct_kernels.store_impulses(at.direct_kernels, at.direct_memory, 0, at.direct_count,
                                       task_of<Real>(derived, derived.direct_contacts.order()));
  status.contact_point_count = point_count.load(std::memory_order_relaxed) + direct_points;
}

}  // namespace

template <class Real>
void run_substeps(const WorldState<Real>& state, DerivedState<Real>& derived,
                  const StepConstants<Real>& constants, const StepOptions& options, StepStatus& status) {
  derived.joints.mark_joined(derived.found.contacts);
  SolverBlocks<Real> const blocks = reserve_blocks(derived, constants, options, status);
  fill_blocks(derived, blocks, constants.contact);
  derived.restitution_contacts.begin({derived.found.contacts, derived.bodies, derived.masses, derived.moving,
                                      &state, state.def.restitution_threshold_m_s, constants.substep_s,
                                      constants.substep_s * static_cast<double>(constants.substeps),
                                      derived.found.contact_bodies});
  for (std::uint32_t substep = 0; substep < constants.substeps; ++substep)
    run_substep(state, derived, blocks, constants);
  finish_contacts(derived, blocks, status);
}

template void run_substeps(const WorldState<float>&, DerivedState<float>&, const StepConstants<float>&,
                           const StepOptions&, StepStatus&);
template void run_substeps(const WorldState<Fixed>&, DerivedState<Fixed>&, const StepConstants<Fixed>&,
                           const StepOptions&, StepStatus&);

}  // namespace takt
