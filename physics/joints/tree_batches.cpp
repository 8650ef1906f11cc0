#include "physics/joints/tree_batches.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace takt {
namespace {

TreeBoundKind kind_of(LimitKind kind) noexcept {
  return kind == LimitKind::kMotor   ? TreeBoundKind::kMotor
         : kind == LimitKind::kLimit ? TreeBoundKind::kLimit
                                     : TreeBoundKind::kFriction;
}

}  // namespace

template <class Real>
bool TreeBatches<Real>::can_be(const TreeSource& from, NodeRange nodes) const noexcept {
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    const EqualityJoint& held = from.held[node];
    const PreparedJoint& joint = from.joints[held.joint];
    if (held.is_ball || !joint.is_steady || held.row_count == 0 || held.row_count > kMaxTreeRows)
      return false;
    for (const LimitRow& row : std::span(from.limited).subspan(joint.first_limit, joint.limit_count)) {
      if (row.along == JointAxis::kDistance) return false;
    }
  }
  return true;
}

/// The bodies of a tree in the order in which its joints name them.
template <class Real>
void TreeBatches<Real>::list_bodies(const TreeSource& from, NodeRange nodes) {
  tree_bodies_.clear();
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    for (std::uint32_t const body : {from.held[node].body_a, from.held[node].body_b}) {
      if (local_[body] != 0) continue;
      tree_bodies_.push_back(body);
      local_[body] = static_cast<std::uint32_t>(tree_bodies_.size());
    }
  }
  by_joint_.resize(nodes.end - nodes.first);
  std::iota(by_joint_.begin(), by_joint_.end(), nodes.first);
  std::sort(by_joint_.begin(), by_joint_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return from.held[a].joint < from.held[b].joint; });
}

/// All that makes a tree's plan, in words: equal words, equal plans.
template <class Real>
void TreeBatches<Real>::describe(const TreeSource& from, NodeRange nodes) {
  Tree& tree = trees_.emplace_back();
  tree.nodes = nodes;
  tree.first_word = static_cast<std::uint32_t>(words_.size());
  list_bodies(from, nodes);
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    const EqualityJoint& held = from.held[node];
    auto const upper = from.pattern.upper(node);
    std::uint32_t const moves = (held.pushed_a != 0 ? 1u : 0u) | (held.pushed_b != 0 ? 2u : 0u);
    const PreparedJoint& joint = from.joints[held.joint];
    std::uint32_t const stands = (held.body_a == 0 ? 1u : 0u) | (held.body_b == 0 ? 2u : 0u);
    words_.insert(
        words_.end(),
        {held.row_count | moves << 8u | stands << 10u | static_cast<std::uint32_t>(joint.parts) << 12u |
             std::uint32_t{joint.locked} << 16u | (joint.limit_tension ? 1u << 24u : 0u),
         local_[held.body_a], local_[held.body_b], static_cast<std::uint32_t>(upper.size())});
    for (std::uint32_t r = 0; r < held.row_count; ++r) words_.push_back(from.rows[held.first_row + r].slot);
    for (std::uint32_t const other : upper) words_.push_back(other - nodes.first);
  }
  for (std::uint32_t const node : by_joint_) {
    const PreparedJoint& joint = from.joints[from.held[node].joint];
    words_.insert(words_.end(), {node - nodes.first, joint.limit_count});
    for (std::uint32_t k = 0; k < joint.limit_count; ++k) {
      const LimitRow& row = from.limited[joint.first_limit + k];
      words_.push_back(static_cast<std::uint32_t>(kind_of(row.kind)) | static_cast<std::uint32_t>(row.along)
                                                                           << 8u);
    }
  }
  for (std::uint32_t const body : tree_bodies_) local_[body] = 0;
  tree.word_count = static_cast<std::uint32_t>(words_.size()) - tree.first_word;
  std::uint64_t digest = 0xcbf29ce484222325ull;  // FNV-1a over words: only speeds the search up
  for (std::uint32_t const word : std::span(words_).subspan(tree.first_word, tree.word_count))
    digest = (digest ^ word) * 0x100000001b3ull;
  tree.digest = digest;
}

template <class Real>
bool TreeBatches<Real>::are_isomorphic(const Tree& a, const Tree& b) const noexcept {
  return a.digest == b.digest && std::ranges::equal(std::span(words_).subspan(a.first_word, a.word_count),
                                                    std::span(words_).subspan(b.first_word, b.word_count));
}

template <class Real>
void TreeBatches<Real>::arrange(const TreeSource& from, std::uint32_t lanes,
                                const std::vector<std::uint8_t>& mixed, std::vector<NodeRange>& others) {
  bool const has_lanes = tree_kernels<Real>(lanes, 2).solve != nullptr;
  trees_.clear();
  words_.clear();
  kinds_.clear();
  blocks_.clear();
  nodes_.clear();
  links_.clear();
  bounds_.clear();
  in_order_.clear();
  moves_.clear();
  bodies_.clear();
  others.clear();
  local_.assign(mixed.size(), 0);
  std::uint32_t first = 0;
  for (std::uint32_t const end : from.forest.tree_ends()) {
    NodeRange const nodes{first, end};
    first = end;
    if (nodes.first == nodes.end) continue;
    std::uint32_t const group = from.forest.group_of(from.forest.pivot(nodes.first));
    if (has_lanes && mixed[group] == 0 && !from.forest.is_looped(group) && can_be(from, nodes)) {
      describe(from, nodes);
    } else {
      others.push_back(nodes);
    }
  }
  sorted_.resize(trees_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0u);
  std::sort(sorted_.begin(), sorted_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return trees_[a].digest != trees_[b].digest ? trees_[a].digest < trees_[b].digest : a < b;
  });
  auto const count = static_cast<std::uint32_t>(sorted_.size());
  auto const end_of_run = [&](std::uint32_t run) {
    std::uint32_t end = run + 1;
    while (end < count && are_isomorphic(trees_[sorted_[run]], trees_[sorted_[end]])) ++end;
    return end;
  };
  // One width for all kinds, so that the largest fills its blocks.
  std::uint32_t upper = 0;
  for (std::uint32_t run = 0, end = 0; run < count; run = end) {
    end = end_of_run(run);
    upper = std::max(upper, end - run);
  }
  kernels_ = &tree_kernels<Real>(lanes, upper);
  for (std::uint32_t run = 0, end = 0; run < count; run = end) {
    end = end_of_run(run);
    if (end - run > 1) {
      add_kind(from, run, end);
    } else {
      others.push_back(trees_[sorted_[run]].nodes);
    }
  }
  std::size_t size = 0;
  for (Block& block : blocks_) {
    block.numbers = size;
    size += std::size_t{kinds_[block.kind].plan.size} * kernels_->lanes;
  }
  numbers_ = reinterpret_cast<double*>(memory_.reserve(size * sizeof(double)));
  for (Kind& kind : kinds_) {
    kind.plan.nodes = nodes_.data() + kind.first_node;
    kind.plan.links = links_.data() + kind.first_link;
    kind.plan.bounds = bounds_.data() + kind.first_bound;
    kind.plan.moves = moves_.data() + kind.first_body;
    kind.plan.in_order = in_order_.data() + kind.first_node;
  }
}

/// A kind and its blocks of the trees at first to end of sorted_.
template <class Real>
void TreeBatches<Real>::add_kind(const TreeSource& from, std::uint32_t first, std::uint32_t end) {
  auto const size_of = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  Kind& kind = kinds_.emplace_back();
  TreePlan& plan = kind.plan;
  kind.first_node = size_of(nodes_);
  kind.first_link = size_of(links_);
  kind.first_bound = size_of(bounds_);
  kind.first_body = size_of(moves_);
  NodeRange const nodes = trees_[sorted_[first]].nodes;
  list_bodies(from, nodes);
  plan.node_count = nodes.end - nodes.first;
  plan.body_count = size_of(tree_bodies_);
  moves_.resize(moves_.size() + plan.body_count, 0);
  std::uint32_t entries = 0;
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    const EqualityJoint& held = from.held[node];
    TreeNode& to = nodes_.emplace_back();
    to.body_a = local_[held.body_a] - 1;
    to.body_b = local_[held.body_b] - 1;
    to.moves_a = held.pushed_a != 0;
    to.moves_b = held.pushed_b != 0;
    to.stands_a = held.body_a == 0;
    to.stands_b = held.body_b == 0;
    to.parts = from.joints[held.joint].parts;
    to.locked = from.joints[held.joint].locked;
    to.limit_tension = from.joints[held.joint].limit_tension;
    for (std::uint32_t r = 0; r < held.row_count; ++r)
      to.slots[r] = static_cast<std::uint8_t>(from.rows[held.first_row + r].slot);
    if (to.moves_a) moves_[kind.first_body + to.body_a] = 1;
    if (to.moves_b) moves_[kind.first_body + to.body_b] = 1;
    to.first_row = plan.row_count;
    to.row_count = held.row_count;
    plan.row_count += held.row_count;
    to.own_block = entries;
    entries += held.row_count * held.row_count;
    to.scalar_block = entries;
    entries += held.row_count * held.row_count;
    to.first_link = size_of(links_) - kind.first_link;
    std::uint32_t const shared = from.forest.pivot(node);
    for (std::uint32_t const other : from.pattern.upper(node)) {
      links_.push_back(
          {other - nodes.first, entries, held.pushed_a == shared, from.held[other].pushed_a == shared});
      entries += held.row_count * from.held[other].row_count;
    }
    to.link_count = size_of(links_) - kind.first_link - to.first_link;
  }
  for (std::uint32_t const node : by_joint_) {
    const PreparedJoint& joint = from.joints[from.held[node].joint];
    TreeNode& to = nodes_[kind.first_node + node - nodes.first];
    to.first_limit = plan.bound_count;
    to.limit_count = joint.limit_count;
    plan.bound_count += joint.limit_count;
    in_order_.push_back(node - nodes.first);
    for (std::uint32_t k = 0; k < joint.limit_count; ++k) {
      const LimitRow& row = from.limited[joint.first_limit + k];
      bounds_.push_back({node - nodes.first, kind_of(row.kind), row.along});
    }
  }
  for (std::uint32_t const body : tree_bodies_) local_[body] = 0;
  auto const take = [&plan](std::uint32_t count) {
    std::uint32_t const index = plan.size;
    plan.size += count;
    return index;
  };
  plan.joints = take(plan.node_count * kNumbersOf<TreeJoint>);
  plan.bodies = take(plan.body_count * kNumbersOf<TreeBody>);
  plan.indices = take(plan.body_count * std::max(kNumbersOf<TreeBodyFrame>, kNumbersOf<TensionOf>));
  plan.givens = take(plan.bound_count * kNumbersOf<TreeGiven>);
  plan.rows = take(plan.row_count * kNumbersOf<TreeRow>);
  plan.limited = take(plan.bound_count * kNumbersOf<TreeLimits>);
  plan.motions = take(plan.body_count * kNumbersOf<TreeMotion>);
  plan.changes = take(plan.body_count * kNumbersOf<TreeMotion>);
  plan.values = take(plan.row_count);
  plan.pushes = take(plan.row_count);
  plan.given = take(plan.row_count);
  plan.scaled = take(kMaxTreeRows * kMaxTreeRows);
  plan.matrix = take(entries);
  plan.size = (plan.size + 7u) / 8u * 8u;  // whole cache lines, whatever the width
  for (std::uint32_t tree = first; tree < end; tree += kernels_->lanes) {
    Block& block = blocks_.emplace_back();
    block.kind = size_of(kinds_) - 1;
    block.first_tree = tree;
    block.tree_count = std::min(kernels_->lanes, end - tree);
    block.first_body = size_of(bodies_);
    bodies_.resize(bodies_.size() + std::size_t{plan.body_count} * kernels_->lanes);
    for (std::uint32_t lane = 0; lane < kernels_->lanes; ++lane) {
      NodeRange const of_lane = trees_[sorted_[tree + std::min(lane, block.tree_count - 1)]].nodes;
      for (std::uint32_t i = 0; i < plan.node_count; ++i) {
        const TreeNode& node = nodes_[kind.first_node + i];
        EqualityJoint& held = from.held[of_lane.first + i];
        held.in_lanes = true;
        bodies_[block.first_body + node.body_a * kernels_->lanes + lane] = held.body_a;
        bodies_[block.first_body + node.body_b * kernels_->lanes + lane] = held.body_b;
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
void TreeBatches<Real>::compute_rows(const TreeSource& from, const JointBodies<Real>& at,
                                     const std::vector<std::uint8_t>& stale, bool fresh) {
  for_blocks(at, [&](const Block& block) {
    if (fresh) take(from, block);
    if (fresh || is_stale(block, stale))
      kernels_->compute_rows(plan_of(block), block_of(block), at.bodies.data(), at.moving.data());
  });
}

template <class Real>
void TreeBatches<Real>::sum_tensions(const JointBodies<Real>& at, std::vector<GeometricStiffness>& tensions) {
  for_blocks(at, [&](const Block& block) {
    kernels_->sum_tensions(plan_of(block), block_of(block), at.bodies.data(), tensions.data());
  });
}

template <class Real>
void TreeBatches<Real>::fill(const JointBodies<Real>& at, const std::vector<SymMat64>& inertias,
                             const std::vector<std::uint8_t>& stale, bool anew) {
  for_blocks(at, [&](const Block& block) {
    if (!is_stale(block, stale)) return;
    if (anew) kernels_->compute_rows(plan_of(block), block_of(block), at.bodies.data(), at.moving.data());
    kernels_->fill(plan_of(block), block_of(block), inertias.data());
  });
}

template <class Real>
void TreeBatches<Real>::warm_start(const JointBodies<Real>& at) {
  for_blocks(at, [&](const Block& block) {
    kernels_->warm_start(plan_of(block), block_of(block), at.bodies.data());
  });
}

template <class Real>
void TreeBatches<Real>::solve(const JointBodies<Real>& at, const TreeParameters& parameters, bool use_bias) {
  for_blocks(at, [&](const Block& block) {
    kernels_->solve(plan_of(block), block_of(block), at.bodies.data(), parameters, use_bias);
  });
}

template <class Real>
void TreeBatches<Real>::react(const TreeSource& from, const JointBodies<Real>& at, bool last) {
  for_blocks(at, [&](const Block& block) {
    kernels_->react(plan_of(block), block_of(block));
    if (last) give_back(from, block);
  });
}

template class TreeBatches<float>;
template class TreeBatches<Fixed>;

}  // namespace takt
