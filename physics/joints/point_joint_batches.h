// Balls and sockets of sheets within a tick: coloured, laid into blocks (point_joint_block.h), solved by
// sequential impulses (CONSTRAINTS 2.3, 2.4) in lanes and by as many threads as are handed in
// (docs/adr/0013). Colours and blocks are a pure function of the joints in id order. Which joints they are
// says EliminationForest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/aligned_buffer.h"
#include "physics/constraints/constraint_row.h"
#include "physics/constraints/graph_colouring.h"
#include "physics/joints/joint_bodies.h"
#include "physics/state/world_state.h"

namespace takt {

struct BatchedPointJoint {
  std::uint32_t index = 0;   ///< in the pool of joints
  std::uint32_t body_a = 0;  ///< the solver's places
  std::uint32_t body_b = 0;
  std::uint32_t pushed_a = 0;  ///< the same of what moves under impulses, else 0
  std::uint32_t pushed_b = 0;
};

/// A ball's arms and impulse of now, world.
struct BatchTension {
  Vec3<double> r_a;  ///< m
  Vec3<double> r_b;
  Vec3<double> impulse;  ///< on b, N s
};

/// What a ball did in a tick, on b, world.
struct BatchReaction {
  Vec3<double> impulse;    ///< of the last substep, N s
  Vec3<double> force_sum;  ///< of all substeps, N s
};

template <class Real>
class PointJointBatches {
 public:
  void clear() noexcept {
    balls_.clear();
    special_.clear();
  }
  /// Those of a tick, in id order: filled in after clear() and before prepare().
  [[nodiscard]] std::vector<BatchedPointJoint>& balls() noexcept { return balls_; }
  [[nodiscard]] const std::vector<BatchedPointJoint>& balls() const noexcept { return balls_; }
  /// Colours and blocks, with what the pools remember. `held` are the solver's bodies that other joints hold
  /// too.
  void prepare(const WorldState<Real>& state, const JointBodies<Real>& at, const JointTick& tick,
               std::span<const std::uint32_t> held);
  [[nodiscard]] bool empty() const noexcept { return balls_.empty(); }
  /// Places in balls() of those with a body that resists otherwise than a free ball does, or is pulled so
  /// hard, or by other joints, that it might swing too fast: they want set_tensors() wherever bodies have
  /// moved.
  [[nodiscard]] const std::vector<std::uint32_t>& special() const noexcept { return special_; }

  /// Inverse inertia by body of the solver, world.
  void set_tensors(const std::vector<SymMat64>& inverse_inertias);
  /// Arms and matrices, of all or of the special ones.
  void compute_rows(const JointBodies<Real>& at, bool only_special);
  void warm_start(const JointBodies<Real>& at);
  /// With bias: soft, taking drift back.
  void solve(const JointBodies<Real>& at);
  /// Arms and matrices where the bodies are after they have moved, then without bias; what comes of it is the
  /// substep's reaction.
  void relax(const JointBodies<Real>& at);
  [[nodiscard]] BatchTension tension_of(std::uint32_t ball) const;
  [[nodiscard]] BatchReaction reaction_of(std::uint32_t ball) const;

 private:
  using N = PointJointNumber<Real>;
  using Pass = typename PointJointKernels<Real>::Pass;
  void find_plain(const WorldState<Real>& state, const JointBodies<Real>& at, double substep_s,
                  std::span<const std::uint32_t> held);
  void arrange(const JointBodies<Real>& at);
  template <int W>
  void fill(const WorldState<Real>& state, const JointBodies<Real>& at, std::size_t index);
  template <class Body>
  auto with_width(const Body& body) const;
  void run(const JointBodies<Real>& at, Pass pass);

  std::vector<BatchedPointJoint> balls_;
  std::vector<std::uint8_t> colours_;
  std::vector<std::uint64_t> masks_;
  std::vector<double> moments_;      ///< by body of the solver: of the impulses that pull it, N m s
  std::vector<std::uint8_t> plain_;  ///< by body of the solver: resists like a free ball
  std::vector<std::uint32_t> special_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> indices_;  ///< by ball: in order_
  std::vector<BlockRange> ranges_;
  BlockLayout layout_;
  std::size_t block_count_ = 0;
  const PointJointKernels<Real>* kernels_ = nullptr;
  std::uint32_t lanes_ = 1;
  PointJointParameters<N> parameters_;
  AlignedBuffer blocks_;
  AlignedBuffer frames_;
  AlignedBuffer tensors_;
  PointJointMemory memory_;
};

}  // namespace takt
