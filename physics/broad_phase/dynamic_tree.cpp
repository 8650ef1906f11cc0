#include "physics/broad_phase/dynamic_tree.h"

#include "physics/base/slot_pool.h"
#include "takt/core/assert.h"

namespace takt {

std::int32_t DynamicTree::allocate() {
  if (free_ == kNone) {
    make_room(nodes_);
    nodes_.emplace_back();
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }
  std::int32_t const node = free_;
  free_ = at(node).parent;
  at(node) = Node{};
  return node;
}

void DynamicTree::release(std::int32_t node) {
  at(node) = Node{};
  at(node).parent = free_;
  at(node).height = -1;
  free_ = node;
}

void DynamicTree::clear() {
  nodes_.clear();
  root_ = kNone;
  free_ = kNone;
}

std::int32_t DynamicTree::best_sibling(const FatBounds& bounds) {
  float const area = half_area(bounds);
  std::int32_t best = root_;
  float best_cost = half_area(merged(at(root_).bounds, bounds));
  candidates_.clear();
  candidates_.push_back({root_, 0.0f});
  while (!candidates_.empty()) {
    Candidate const candidate = candidates_.back();
    candidates_.pop_back();
    Node const& node = at(candidate.node);
    float const direct = half_area(merged(node.bounds, bounds));
    float const cost = direct + candidate.inherited;
    if (cost < best_cost) {
      best_cost = cost;
      best = candidate.node;
    }
    if (node.is_leaf()) continue;
    float const inherited = candidate.inherited + direct - half_area(node.bounds);
    if (inherited + area >= best_cost) continue;  // no descendant can be cheaper
    // The child that grows less is tested first, so it is pushed last.
    float const grow_a =
        half_area(merged(at(node.child_a).bounds, bounds)) - half_area(at(node.child_a).bounds);
    float const grow_b =
        half_area(merged(at(node.child_b).bounds, bounds)) - half_area(at(node.child_b).bounds);
    bool const a_first = grow_a < grow_b;
    candidates_.push_back({a_first ? node.child_b : node.child_a, inherited});
    candidates_.push_back({a_first ? node.child_a : node.child_b, inherited});
  }
  return best;
}

std::int32_t DynamicTree::insert(const FatBounds& bounds, std::uint32_t user) {
  std::int32_t const leaf = allocate();
  at(leaf).bounds = bounds;
  at(leaf).user = user;
  if (root_ == kNone) {
    root_ = leaf;
    return leaf;
  }
  std::int32_t const sibling = best_sibling(bounds);
  std::int32_t const parent = allocate();
  std::int32_t const grandparent = at(sibling).parent;
  at(parent).parent = grandparent;
  at(parent).child_a = sibling;
  at(parent).child_b = leaf;
  at(parent).is_loose = at(sibling).is_loose;
  at(sibling).parent = parent;
  at(leaf).parent = parent;
  if (grandparent == kNone) {
    root_ = parent;
  } else if (at(grandparent).child_a == sibling) {
    at(grandparent).child_a = parent;
  } else {
    at(grandparent).child_b = parent;
  }
  refit_up(parent);
  return leaf;
}

void DynamicTree::remove(std::int32_t leaf) {
  TAKT_ASSERT(at(leaf).is_leaf() && at(leaf).height == 0);
  std::int32_t const parent = at(leaf).parent;
  release(leaf);
  if (parent == kNone) {
    root_ = kNone;
    return;
  }
  std::int32_t const sibling = at(parent).child_a == leaf ? at(parent).child_b : at(parent).child_a;
  std::int32_t const grandparent = at(parent).parent;
  release(parent);
  at(sibling).parent = grandparent;
  if (grandparent == kNone) {
    root_ = sibling;
    return;
  }
  if (at(grandparent).child_a == parent) {
    at(grandparent).child_a = sibling;
  } else {
    at(grandparent).child_b = sibling;
  }
  refit_up(grandparent);
}

void DynamicTree::move(std::int32_t leaf, const FatBounds& bounds) {
  TAKT_ASSERT(at(leaf).is_leaf() && at(leaf).height == 0);
  at(leaf).bounds = bounds;
  for (std::int32_t node = at(leaf).parent; node != kNone; node = at(node).parent) {
    Node& ancestor = at(node);
    bool const holds = contains(ancestor.bounds, bounds);
    if (holds && ancestor.is_loose) return;  // its ancestors are loose and contain it too
    if (!holds) ancestor.bounds = merged(ancestor.bounds, bounds);
    ancestor.is_loose = true;
  }
}

void DynamicTree::tighten(std::vector<std::int32_t>& loose) {
  loose.clear();
  auto const add = [&](std::int32_t node) {
    if (at(node).is_loose) loose.push_back(node);
  };
  if (root_ != kNone) add(root_);
  // Parents before their children.
  for (std::size_t i = 0; i < loose.size(); ++i) {
    std::int32_t const node = loose[i];
    add(at(node).child_a);
    add(at(node).child_b);
  }
  // A rotation changes only descendants, which are final by then.
  for (std::size_t i = loose.size(); i-- > 0;) {
    at(loose[i]).is_loose = false;
    update_node(loose[i]);
    rotate_node(loose[i]);
  }
}

void DynamicTree::update_node(std::int32_t node) {
  Node& n = at(node);
  Node const& a = at(n.child_a);
  Node const& b = at(n.child_b);
  n.bounds = merged(a.bounds, b.bounds);
  n.height = 1 + (a.height > b.height ? a.height : b.height);
}

void DynamicTree::refit_up(std::int32_t node) {
  for (; node != kNone; node = at(node).parent) {
    update_node(node);
    rotate_node(node);
  }
}

// Swaps a child with a grandchild of the other side if that shrinks the child's new box.
void DynamicTree::rotate_node(std::int32_t node) {
  if (at(node).height < 2) return;
  std::int32_t const children[2] = {at(node).child_a, at(node).child_b};
  float best_gain = 0.0f;
  std::int32_t best_child = kNone;
  std::int32_t best_grandchild = kNone;
  for (int side = 0; side < 2; ++side) {
    Node const& pair = at(children[side]);
    if (pair.is_leaf()) continue;
    std::int32_t const other = children[1 - side];
    float const before = half_area(pair.bounds);
    std::int32_t const grandchildren[2] = {pair.child_a, pair.child_b};
    for (int k = 0; k < 2; ++k) {
      // `other` replaces grandchild k beside grandchild 1 - k
      float const gain = before - half_area(merged(at(other).bounds, at(grandchildren[1 - k]).bounds));
      if (gain > best_gain) {
        best_gain = gain;
        best_child = other;
        best_grandchild = grandchildren[k];
      }
    }
  }
  if (best_child == kNone) return;
  std::int32_t const pair = at(best_grandchild).parent;
  if (at(node).child_a == best_child) {
    at(node).child_a = best_grandchild;
  } else {
    at(node).child_b = best_grandchild;
  }
  if (at(pair).child_a == best_grandchild) {
    at(pair).child_a = best_child;
  } else {
    at(pair).child_b = best_child;
  }
  at(best_grandchild).parent = node;
  at(best_child).parent = pair;
  at(pair).is_loose = at(pair).is_loose || at(best_child).is_loose;
  update_node(pair);
  update_node(node);
}

bool DynamicTree::valid(std::vector<std::int32_t>& stack) const {
  if (root_ == kNone) return true;
  if (at(root_).parent != kNone) return false;
  stack.assign(1, root_);
  while (!stack.empty()) {
    std::int32_t const index = stack.back();
    stack.pop_back();
    Node const& node = at(index);
    if (node.is_leaf()) {
      if (node.height != 0 || node.child_b != kNone) return false;
      continue;
    }
    Node const& a = at(node.child_a);
    Node const& b = at(node.child_b);
    if (a.parent != index || b.parent != index) return false;
    if (node.height != 1 + (a.height > b.height ? a.height : b.height)) return false;
    if (!contains(node.bounds, a.bounds) || !contains(node.bounds, b.bounds)) return false;
    if ((a.is_loose || b.is_loose) && !node.is_loose) return false;
    stack.push_back(node.child_a);
    stack.push_back(node.child_b);
  }
  return true;
}

}  // namespace takt
