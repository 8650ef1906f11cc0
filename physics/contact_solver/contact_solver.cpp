#include "physics/contact_solver/contact_solver.h"

#include <algorithm>
#include <atomic>

#include "physics/base/parallel_for.h"
#include "physics/math/is_finite.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// True if no normal impulse is below 0. NaN passes: its body is quarantined.
template <class Real>
[[maybe_unused]] bool impulses_are_feasible(std::span<const PreparedContact<Real>> contacts) noexcept {
  for (const PreparedContact<Real>& contact : contacts) {
    for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p) {
      if (contact.impulses[p] < Real(0)) return false;
    }
  }
  return true;
}

/// True if contacts are sorted by key and child, and none is listed twice.
template <class Real>
[[maybe_unused]] bool keys_ascend(std::span<const PreparedContact<Real>> contacts) noexcept {
  for (std::size_t i = 1; i < contacts.size(); ++i) {
    if (!comes_before(contacts[i - 1], contacts[i])) return false;
  }
  return true;
}

template <class Real>
[[maybe_unused]] bool impulses_are_finite(std::span<const PreparedContact<Real>> contacts) noexcept {
  for (const PreparedContact<Real>& contact : contacts) {
    for (Real const impulse : contact.impulses) {
      if (!is_finite(impulse)) return false;
    }
    if (!is_finite(contact.friction_impulse) || !is_finite(contact.twist_impulse)) return false;
  }
  return true;
}

}  // namespace

/// Finds the masses that contacts are solved with, and reduces carried impulses that would blow a body up.
template <class Real>
void ContactSolver<Real>::prepare_masses(const ContactTick& tick) {
  MassRatioInput<Real> const input{results_->contacts, results_->contact_bodies, bodies_->masses,
                                   bodies_->bodies,    bodies_->moving,          tick.external,
                                   tick.weight_m_s,    bodies_->any_unloaded,    pool_};
  masses_ = bodies_->masses;
  islands_.clear();
  if (!loads_.find(input)) return;
  lending_.lend(input, loads_);
  masses_ = lending_.masses();
  guard_.guard(input, loads_, masses_);
  islands_.find(input, loads_);
}

template <class Real>
void ContactSolver<Real>::reserve_blocks(const ContactTick& tick) {
  coloured_.kernels = &contact_kernels<Real>(tick.lanes, results_->contacts.size());
  std::uint32_t const lanes = coloured_.kernels->lanes;
  assignment_.assign(results_->contact_bodies, bodies_->bodies.size(), lanes);
  TAKT_ASSERT(assignment_.order().size() % lanes == 0);
  coloured_.reserve(assignment_.order().size() / lanes, assignment_.layout().first_special);
  grain_ = std::max<std::size_t>(1, kSolveGrain / lanes);
}

/// Calls body(first block, end) for colour after colour, each shared by the workers. A pool tends to give a
/// worker the same blocks in each call.
template <class Real>
template <class Body>
void ContactSolver<Real>::for_colours(const Body& body) const {
  for (const BlockRange& range : assignment_.ranges()) {
    parallel_for(pool_, range.end - range.first, grain_,
                 [&](std::size_t first, std::size_t end, std::uint32_t) {
                   body(range.first + first, range.first + end);
                 });
  }
}

/// As for_colours(), without an order. Contacts past the last colour have a range each; consecutive ones go
/// together.
template <class Real>
template <class Body>
void ContactSolver<Real>::for_all_blocks(const Body& body) const {
  auto const is_one = [](const BlockRange& range) { return range.end - range.first == 1; };
  auto const ranges = assignment_.ranges();
  for (std::size_t r = 0, next = 0; r < ranges.size(); r = next) {
    for (next = r + 1; next < ranges.size() && is_one(ranges[r]) && is_one(ranges[next]) &&
                       ranges[next].first == ranges[next - 1].end;)
      ++next;
    std::size_t const begin = ranges[r].first;
    parallel_for(
        pool_, ranges[next - 1].end - begin, grain_,
        [&](std::size_t first, std::size_t end, std::uint32_t) { body(begin + first, begin + end); });
  }
}

template <class Real>
void ContactSolver<Real>::prepare(NarrowPhaseResults<Real>& contacts, SolverBodies<Real>& bodies,
                                  const ContactParameters<Real>& parameters, const ContactTick& tick) {
  TAKT_ASSERT(contacts.contact_bodies.size() == contacts.contacts.size());
  TAKT_ASSERT(bodies.masses.size() == bodies.bodies.size());
  TAKT_VALIDATE(keys_ascend<Real>(contacts.contacts));
  TAKT_VALIDATE(impulses_are_finite<Real>(contacts.contacts));
  TAKT_VALIDATE(impulses_are_feasible<Real>(contacts.contacts));
  results_ = &contacts;
  bodies_ = &bodies;
  parameters_ = &parameters;
  pool_ = tick.pool;
  prepare_masses(tick);
  reserve_blocks(tick);
  const ContactKernels<Real>& kernels = *coloured_.kernels;
  for_all_blocks([&](std::size_t first, std::size_t end) {
    kernels.fill(kernels, coloured_.memory, first, end, task_of(assignment_.order()), *parameters_);
  });
}

template <class Real>
void ContactSolver<Real>::warm_start() {
  TAKT_ASSERT(bodies_ != nullptr && coloured_.kernels != nullptr);
  SolverBody<Real>* const bodies = bodies_->bodies.data();
  islands_.begin_substep();
  islands_.begin_pass(bodies_->bodies, pool_);
  for_colours([&](std::size_t first, std::size_t end) {
    coloured_.kernels->warm_start(coloured_.memory, first, end, bodies);
  });
  islands_.end_pass(bodies_->bodies, pool_);
}

template <class Real>
void ContactSolver<Real>::solve(bool use_bias) {
  SolverBody<Real>* const bodies = bodies_->bodies.data();
  islands_.begin_pass(bodies_->bodies, pool_);
  for_colours([&](std::size_t first, std::size_t end) {
    coloured_.kernels->solve(coloured_.memory, first, end, bodies, *parameters_, use_bias);
  });
  islands_.end_pass(bodies_->bodies, pool_);
  if (!use_bias) islands_.end_substep(bodies_->bodies, pool_);
}

template <class Real>
std::uint32_t ContactSolver<Real>::store_impulses() {
  std::atomic<std::uint32_t> point_count{0};
  const ContactKernels<Real>& kernels = *coloured_.kernels;
  for_all_blocks([&](std::size_t first, std::size_t end) {
    std::uint32_t const points =
        kernels.store_impulses(kernels, coloured_.memory, first, end, task_of(assignment_.order()));
    point_count.fetch_add(points, std::memory_order_relaxed);
  });
  TAKT_VALIDATE(impulses_are_feasible<Real>(results_->contacts));
  return point_count.load(std::memory_order_relaxed);
}

template class ContactSolver<float>;
template class ContactSolver<Fixed>;

}  // namespace takt
