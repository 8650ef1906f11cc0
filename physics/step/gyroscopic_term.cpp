#include "physics/step/gyroscopic_term.h"

#include <span>

#include "physics/base/parallel_for.h"
#include "physics/constraints/motion_locks.h"
#include "physics/joints/tree_batch.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
void GyroscopicTerm<Real>::prepare(std::size_t body, const BodyRecord<Real>& record) {
  TAKT_ASSERT(body != 0 && body < gyroscopes_.size());
  Gyroscope& gyroscope = gyroscopes_[body];
  gyroscope.body = 0;
  if (record.type != BodyType::kDynamic || has_angular(record.locked_axes)) return;
  if (make_gyroscope(record.inverse_inertia, gyroscope)) gyroscope.body = static_cast<std::uint32_t>(body);
}

template <class Real>
void GyroscopicTerm<Real>::finish(TaskPool* pool) {
  parallel_filter(pool, gyroscopes_.size() - 1, with_a_term_, [this](std::size_t i, std::uint32_t& body) {
    body = static_cast<std::uint32_t>(i + 1);
    return gyroscopes_[body].body != 0;
  });
}

/// Calls body(bodies, kernels) for parts of the list, one body at a time or in lanes.
template <class Real>
template <class Body>
void GyroscopicTerm<Real>::for_bodies(SolverBodies<Real>& bodies, std::uint32_t lanes, TaskPool* pool,
                                      const Body& body) {
  TAKT_ASSERT(gyroscopes_.size() == bodies.bodies.size());
  std::span const indices = with_a_term_.chosen();
  parallel_for(pool, indices.size(), kBodyGrain, [&](std::size_t first, std::size_t end, std::uint32_t) {
    SpinningBodies<Real> const at{indices.data() + first, end - first, gyroscopes_.data(),
                                  bodies.bodies.data(), bodies.moving.data()};
    body(at, tree_kernels<Real>(at.count > 1 ? lanes : 1, at.count));
  });
}

template <class Real>
void GyroscopicTerm<Real>::begin_substep(SolverBodies<Real>& bodies, double substep_s, std::uint32_t lanes,
                                         TaskPool* pool) {
  for_bodies(bodies, lanes, pool,
             [substep_s](const SpinningBodies<Real>& at, const TreeKernels<Real>& kernels) {
               kernels.begin_gyroscopic != nullptr ? kernels.begin_gyroscopic(at, substep_s)
                                                   : begin_gyroscopic(at, substep_s);
             });
}

template <class Real>
void GyroscopicTerm<Real>::end_substep(SolverBodies<Real>& bodies, std::uint32_t lanes, TaskPool* pool) {
  for_bodies(bodies, lanes, pool, [](const SpinningBodies<Real>& at, const TreeKernels<Real>& kernels) {
    kernels.end_gyroscopic != nullptr ? kernels.end_gyroscopic(at) : end_gyroscopic(at);
  });
}

template class GyroscopicTerm<float>;
template class GyroscopicTerm<Fixed>;

}  // namespace takt
