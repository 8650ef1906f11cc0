#include "physics/joints/tree_batches.h"

#include <algorithm>
#include <cstddef>

#include "takt/core/assert.h"

namespace takt {
namespace {

template <class List>
std::uint32_t size_of(const List& list) noexcept {
  return static_cast<std::uint32_t>(list.size());
}

}  // namespace

template <class Real>
bool TreeBatches<Real>::can_batch(const TreeSource& source, NodeRange nodes) noexcept {
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    const EqualityJoint& joint = source.joints[node];
    const PreparedJoint& prepared = source.prepared[joint.joint];
    if (joint.is_point || !prepared.is_steady || joint.row_count == 0 || joint.row_count > kMaxTreeRows)
      return false;
    for (std::uint32_t k = 0; k < prepared.limit_count; ++k) {
      if (source.limits[prepared.first_limit + k].coordinate == JointAxis::kDistance) return false;
    }
    for (std::uint32_t r = 0; r < joint.row_count; ++r) {
      if (source.rows[joint.first_row + r].slot == kLimitSlot) return false;
    }
  }
  return true;
}

template <class Real>
void TreeBatches<Real>::arrange(const TreeSource& source, std::uint32_t lanes,
                                const std::vector<std::uint8_t>& mixed, std::vector<NodeRange>& others) {
  bool const has_kernels = tree_kernels<Real>(lanes, 2).solve != nullptr;
  shapes_.clear(mixed.size());
  kinds_.clear();
  blocks_.clear();
  nodes_.clear();
  links_.clear();
  limits_.clear();
  id_order_.clear();
  moves_.clear();
  bodies_.clear();
  others.clear();
  std::uint32_t first = 0;
  for (std::uint32_t const end : source.forest.tree_ends()) {
    NodeRange const nodes{first, end};
    first = end;
    if (nodes.first == nodes.end) continue;
    std::uint32_t const group = source.forest.group_of(source.forest.pivot(nodes.first));
    if (has_kernels && mixed[group] == 0 && !source.forest.is_looped(group) && can_batch(source, nodes)) {
      shapes_.add(source, nodes);
    } else {
      others.push_back(nodes);
    }
  }
  shapes_.sort();
  // One width for all kinds, chosen for the largest kind.
  std::uint32_t largest = 0;
  for (std::uint32_t run = 0, end = 0; run < shapes_.count(); run = end) {
    end = shapes_.end_of_run(run);
    largest = std::max(largest, end - run);
  }
  kernels_ = &tree_kernels<Real>(lanes, largest);
  for (std::uint32_t run = 0, end = 0; run < shapes_.count(); run = end) {
    end = shapes_.end_of_run(run);
    if (end - run > 1) {
      add_kind(source, run, end);
    } else {
      others.push_back(shapes_.nodes(run));
    }
  }
  assign_memory();
}

template <class Real>
void TreeBatches<Real>::assign_memory() {
  std::size_t size = 0;
  for (Block& block : blocks_) {
    TAKT_ASSERT(block.tree_count > 0 && block.tree_count <= kernels_->lanes);
    block.numbers = size;
    size += std::size_t{kinds_[block.kind].plan.size} * kernels_->lanes;
  }
  numbers_ = reinterpret_cast<double*>(memory_.reserve(size * sizeof(double)));
  for (Kind& kind : kinds_) {
    kind.plan.nodes = nodes_.data() + kind.first_node;
    kind.plan.links = links_.data() + kind.first_link;
    kind.plan.limits = limits_.data() + kind.first_limit;
    kind.plan.moves = moves_.data() + kind.first_body;
    kind.plan.id_order = id_order_.data() + kind.first_node;
  }
}

/// A kind and its blocks, of the trees at sorted indices [first, end).
template <class Real>
void TreeBatches<Real>::add_kind(const TreeSource& source, std::uint32_t first, std::uint32_t end) {
  Kind& kind = kinds_.emplace_back();
  TreePlan& plan = kind.plan;
  kind.first_node = size_of(nodes_);
  kind.first_link = size_of(links_);
  kind.first_limit = size_of(limits_);
  kind.first_body = size_of(moves_);
  NodeRange const nodes = shapes_.nodes(first);
  shapes_.number_bodies(source, nodes);
  plan.node_count = nodes.end - nodes.first;
  plan.body_count = shapes_.body_count();
  moves_.resize(moves_.size() + plan.body_count, 0);
  add_nodes(source, nodes, kind);
  add_limits(source, nodes, kind);
  shapes_.release_bodies();
  std::uint32_t const entries = plan.matrix;
  auto const take = [&plan](std::uint32_t count) {
    std::uint32_t const offset = plan.size;
    plan.size += count;
    return offset;
  };
  plan.joints = take(plan.node_count * kNumbersOf<TreeJoint>);
  plan.bodies = take(plan.body_count * kNumbersOf<TreeBody>);
  plan.poses = take(plan.body_count * std::max(kNumbersOf<BodyPoseOf>, kNumbersOf<TensionOf>));
  plan.limit_inputs = take(plan.limit_count * kNumbersOf<LimitInputOf>);
  plan.rows = take(plan.row_count * kNumbersOf<EqualityRowOf>);
  plan.limit_rows = take(plan.limit_count * kNumbersOf<TreeLimitRow>);
  plan.velocities = take(plan.body_count * kNumbersOf<VelocityOf>);
  plan.changes = take(plan.body_count * kNumbersOf<VelocityOf>);
  plan.impulses = take(plan.row_count);
  plan.drift = take(plan.row_count);
  plan.pivots = take(3 * plan.row_count);
  plan.scaled = take(kMaxTreeRows * kMaxTreeRows);
  plan.matrix = take(entries);
  TAKT_ASSERT(entries > 0 && plan.row_count > 0);
  plan.size = (plan.size + 7u) / 8u * 8u;  // whole cache lines at every width
  add_blocks(source, first, end);
}

/// Nodes and links; leaves the number of matrix entries in plan.matrix.
template <class Real>
void TreeBatches<Real>::add_nodes(const TreeSource& source, NodeRange nodes, Kind& kind) {
  TreePlan& plan = kind.plan;
  std::uint32_t entries = 0;
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    const EqualityJoint& joint = source.joints[node];
    const PreparedJoint& prepared = source.prepared[joint.joint];
    TreeNode& to = nodes_.emplace_back();
    to.body_a = shapes_.local(joint.body_a);
    to.body_b = shapes_.local(joint.body_b);
    TAKT_ASSERT(to.body_a < plan.body_count && to.body_b < plan.body_count);
    to.moves_a = joint.moving_a != 0;
    to.moves_b = joint.moving_b != 0;
    to.static_a = joint.body_a == 0;
    to.static_b = joint.body_b == 0;
    to.parts = prepared.parts;
    to.locked = prepared.locked;
    to.limit_tension = prepared.limit_tension;
    for (std::uint32_t r = 0; r < joint.row_count; ++r)
      to.slots[r] = static_cast<std::uint8_t>(source.rows[joint.first_row + r].slot);
    if (to.moves_a) moves_[kind.first_body + to.body_a] = 1;
    if (to.moves_b) moves_[kind.first_body + to.body_b] = 1;
    to.first_row = plan.row_count;
    to.row_count = joint.row_count;
    plan.row_count += joint.row_count;
    to.diagonal_block = entries;
    entries += joint.row_count * joint.row_count;
    to.node_block = entries;
    entries += joint.row_count * joint.row_count;
    to.first_link = size_of(links_) - kind.first_link;
    std::uint32_t const shared = source.forest.pivot(node);
    for (std::uint32_t const other : source.pattern.upper(node)) {
      TAKT_ASSERT(other > node && other < nodes.end);
      links_.push_back(
          {other - nodes.first, entries, joint.moving_a == shared, source.joints[other].moving_a == shared});
      entries += joint.row_count * source.joints[other].row_count;
    }
    to.link_count = size_of(links_) - kind.first_link - to.first_link;
  }
  plan.matrix = entries;
}

template <class Real>
void TreeBatches<Real>::add_limits(const TreeSource& source, NodeRange nodes, Kind& kind) {
  for (std::uint32_t const node : shapes_.id_order()) {
    const PreparedJoint& joint = source.prepared[source.joints[node].joint];
    TreeNode& to = nodes_[kind.first_node + node - nodes.first];
    to.first_limit = kind.plan.limit_count;
    to.limit_count = joint.limit_count;
    kind.plan.limit_count += joint.limit_count;
    id_order_.push_back(node - nodes.first);
    for (std::uint32_t k = 0; k < joint.limit_count; ++k) {
      const LimitRow& row = source.limits[joint.first_limit + k];
      limits_.push_back({node - nodes.first, tree_limit_kind(row.kind), row.coordinate});
    }
  }
}

template <class Real>
void TreeBatches<Real>::add_blocks(const TreeSource& source, std::uint32_t first, std::uint32_t end) {
  const Kind& kind = kinds_.back();
  std::uint32_t const lanes = kernels_->lanes;
  for (std::uint32_t tree = first; tree < end; tree += lanes) {
    Block& block = blocks_.emplace_back();
    block.kind = size_of(kinds_) - 1;
    block.first_tree = tree;
    block.tree_count = std::min(lanes, end - tree);
    block.first_body = size_of(bodies_);
    bodies_.resize(bodies_.size() + std::size_t{kind.plan.body_count} * lanes);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      NodeRange const nodes = shapes_.nodes(tree + std::min(lane, block.tree_count - 1));
      for (std::uint32_t i = 0; i < kind.plan.node_count; ++i) {
        const TreeNode& node = nodes_[kind.first_node + i];
        EqualityJoint& joint = source.joints[nodes.first + i];
        joint.in_batch = true;
        bodies_[block.first_body + node.body_a * lanes + lane] = joint.body_a;
        bodies_[block.first_body + node.body_b * lanes + lane] = joint.body_b;
      }
    }
  }
}

template <class Real>
TreeBlock TreeBatches<Real>::block_of(const Block& block) const noexcept {
  return {numbers_ + block.numbers, bodies_.data() + block.first_body, block.tree_count};
}

template <class Real>
bool TreeBatches<Real>::is_stale(const Block& block, const std::vector<std::uint8_t>& stale) const noexcept {
  const TreePlan& plan = plan_of(block);
  for (std::uint32_t i = 0; i < plan.body_count; ++i) {
    const std::uint32_t* const bodies = bodies_.data() + block.first_body + std::size_t{i} * kernels_->lanes;
    for (std::uint32_t lane = 0; lane < block.tree_count && plan.moves[i] != 0; ++lane) {
      if (stale[bodies[lane]] != 0) return true;
    }
  }
  return false;
}

template <class Real>
void TreeBatches<Real>::compute_rows(const TreeSource& source, const JointBodies<Real>& bodies,
                                     const std::vector<std::uint8_t>& stale, bool first_substep) {
  for_blocks(bodies, [&](const Block& block) {
    if (first_substep) pack_lanes(source, block);
    if (first_substep || is_stale(block, stale))
      kernels_->compute_rows(plan_of(block), block_of(block), bodies.bodies.data(), bodies.moving.data());
  });
}

template <class Real>
void TreeBatches<Real>::sum_tensions(const JointBodies<Real>& bodies,
                                     std::vector<GeometricStiffness>& tensions) {
  for_blocks(bodies, [&](const Block& block) {
    kernels_->sum_tensions(plan_of(block), block_of(block), bodies.bodies.data(), tensions.data());
  });
}

template <class Real>
void TreeBatches<Real>::fill(const JointBodies<Real>& bodies, const std::vector<SymMat64>& inertias,
                             const std::vector<std::uint8_t>& stale, bool recompute) {
  for_blocks(bodies, [&](const Block& block) {
    if (!is_stale(block, stale)) return;
    if (recompute)
      kernels_->compute_rows(plan_of(block), block_of(block), bodies.bodies.data(), bodies.moving.data());
    kernels_->fill(plan_of(block), block_of(block), inertias.data());
  });
}

template <class Real>
void TreeBatches<Real>::warm_start(const JointBodies<Real>& bodies) {
  for_blocks(bodies, [&](const Block& block) {
    kernels_->warm_start(plan_of(block), block_of(block), bodies.bodies.data());
  });
}

template <class Real>
void TreeBatches<Real>::solve(const JointBodies<Real>& bodies, const JointConstants& constants,
                              bool use_bias) {
  TreeParameters const parameters{constants.tick.substep_s, &constants.softness};
  for_blocks(bodies, [&](const Block& block) {
    kernels_->solve(plan_of(block), block_of(block), bodies.bodies.data(), parameters, use_bias);
  });
}

template <class Real>
void TreeBatches<Real>::react(const TreeSource& source, const JointBodies<Real>& bodies, bool last) {
  for_blocks(bodies, [&](const Block& block) {
    kernels_->react(plan_of(block), block_of(block));
    if (last) unpack(source, block);
  });
}

template class TreeBatches<float>;
template class TreeBatches<Fixed>;

}  // namespace takt
