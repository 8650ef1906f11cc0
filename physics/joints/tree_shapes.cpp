#include "physics/joints/tree_shapes.h"

#include <algorithm>
#include <numeric>

#include "takt/core/assert.h"

namespace takt {

TreeLimitKind tree_limit_kind(LimitKind kind) noexcept {
  return kind == LimitKind::kMotor   ? TreeLimitKind::kMotor
         : kind == LimitKind::kLimit ? TreeLimitKind::kLimit
                                     : TreeLimitKind::kFriction;
}

void TreeShapes::clear(std::size_t body_count) {
  trees_.clear();
  words_.clear();
  sorted_.clear();
  local_.assign(body_count, 0);
}

void TreeShapes::number_bodies(const TreeSource& source, NodeRange nodes) {
  bodies_.clear();
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    for (std::uint32_t const body : {source.joints[node].body_a, source.joints[node].body_b}) {
      TAKT_ASSERT(body < local_.size());
      if (local_[body] != 0) continue;
      bodies_.push_back(body);
      local_[body] = static_cast<std::uint32_t>(bodies_.size());
    }
  }
  id_order_.resize(nodes.end - nodes.first);
  std::iota(id_order_.begin(), id_order_.end(), nodes.first);
  std::sort(id_order_.begin(), id_order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return source.joints[a].joint < source.joints[b].joint;
  });
}

void TreeShapes::release_bodies() noexcept {
  for (std::uint32_t const body : bodies_) local_[body] = 0;
}

void TreeShapes::add(const TreeSource& source, NodeRange nodes) {
  TAKT_ASSERT(nodes.first < nodes.end && nodes.end <= source.joints.size());
  Tree& tree = trees_.emplace_back();
  tree.nodes = nodes;
  tree.first_word = static_cast<std::uint32_t>(words_.size());
  number_bodies(source, nodes);
  for (std::uint32_t node = nodes.first; node < nodes.end; ++node) {
    const EqualityJoint& joint = source.joints[node];
    const PreparedJoint& prepared = source.prepared[joint.joint];
    auto const upper = source.pattern.upper(node);
    std::uint32_t const moves = (joint.moving_a != 0 ? 1u : 0u) | (joint.moving_b != 0 ? 2u : 0u);
    std::uint32_t const statics = (joint.body_a == 0 ? 1u : 0u) | (joint.body_b == 0 ? 2u : 0u);
    words_.insert(
        words_.end(),
        {joint.row_count | moves << 8u | statics << 10u | static_cast<std::uint32_t>(prepared.parts) << 12u |
             std::uint32_t{prepared.locked} << 16u | (prepared.limit_tension ? 1u << 24u : 0u),
         local_[joint.body_a], local_[joint.body_b], static_cast<std::uint32_t>(upper.size())});
    for (std::uint32_t r = 0; r < joint.row_count; ++r)
      words_.push_back(source.rows[joint.first_row + r].slot);
    for (std::uint32_t const other : upper) words_.push_back(other - nodes.first);
  }
  for (std::uint32_t const node : id_order_) {
    const PreparedJoint& joint = source.prepared[source.joints[node].joint];
    words_.insert(words_.end(), {node - nodes.first, joint.limit_count});
    for (std::uint32_t k = 0; k < joint.limit_count; ++k) {
      const LimitRow& row = source.limits[joint.first_limit + k];
      words_.push_back(static_cast<std::uint32_t>(tree_limit_kind(row.kind)) |
                       static_cast<std::uint32_t>(row.coordinate) << 8u);
    }
  }
  release_bodies();
  tree.word_count = static_cast<std::uint32_t>(words_.size()) - tree.first_word;
  std::uint64_t digest = 0xcbf29ce484222325ull;  // FNV-1a over words: only speeds the search up
  for (std::uint32_t i = tree.first_word; i < words_.size(); ++i)
    digest = (digest ^ words_[i]) * 0x100000001b3ull;
  tree.digest = digest;
}

void TreeShapes::sort() {
  TAKT_ASSERT(sorted_.empty());
  sorted_.resize(trees_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0u);
  std::sort(sorted_.begin(), sorted_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return trees_[a].digest != trees_[b].digest ? trees_[a].digest < trees_[b].digest : a < b;
  });
}

std::uint32_t TreeShapes::end_of_run(std::uint32_t first) const noexcept {
  std::uint32_t end = first + 1;
  while (end < count() && are_isomorphic(trees_[sorted_[first]], trees_[sorted_[end]])) ++end;
  return end;
}

bool TreeShapes::are_isomorphic(const Tree& a, const Tree& b) const noexcept {
  return a.digest == b.digest && a.word_count == b.word_count &&
         std::equal(words_.begin() + a.first_word, words_.begin() + a.first_word + a.word_count,
                    words_.begin() + b.first_word);
}

}  // namespace takt
