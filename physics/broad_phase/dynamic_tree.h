// DynamicTree is a dynamic bounding-volume tree over FatBounds (enlarged boxes in binary32, shape_bounds.h).
// BroadPhase owns two such trees. Leaves are inserted, moved and removed one at a time. query() visits the
// leaves that overlap a box, walk() those that a predicate admits, and walk_nearest() the nearest first.
// Insertion chooses the sibling by surface-area cost with branch and bound; rotations shrink inner boxes.
// move() leaves a leaf at its parent and enlarges the ancestors; tighten() later shrinks the ancestors of all
// moved leaves. The tree's shape depends on history, so no result may depend on the order of visits. Several
// threads may call const functions at once, each with scratch of its own. Source: E. Catto, Dynamic Bounding
// Volume Hierarchies, GDC 2019 (sibling search and rotations).
#pragma once

#include <cstdint>
#include <vector>

#include "physics/base/near_heap.h"
#include "physics/state/shape_bounds.h"

namespace takt {

class DynamicTree {
 public:
  static constexpr std::int32_t kNone = -1;

  /// Adds a leaf for `user` and returns its node, which stays the same until remove().
  std::int32_t insert(const FatBounds& bounds, std::uint32_t user);
  /// `leaf` is a node of insert() that is not removed yet.
  void remove(std::int32_t leaf);
  /// Sets the bounds of a leaf. The ancestors are enlarged in the same call to contain them, and may be
  /// larger than needed until tighten().
  void move(std::int32_t leaf, const FatBounds& bounds);
  /// Shrinks the ancestors of all leaves moved since the last call, each once, and rotates nodes where that
  /// reduces area. `loose` is the caller's scratch.
  void tighten(std::vector<std::int32_t>& loose);
  void clear();

  [[nodiscard]] const FatBounds& bounds(std::int32_t node) const noexcept {
    return nodes_[static_cast<std::size_t>(node)].bounds;
  }

  /// Calls visit(user) for every leaf whose bounds overlap `bounds`, touching included, in no fixed order.
  /// visit() must not change the tree. `stack` is the caller's scratch.
  template <class Visit>
  void query(const FatBounds& bounds, std::vector<std::int32_t>& stack, Visit visit) const {
    if (root_ == kNone) return;
    stack.clear();
    stack.push_back(root_);
    while (!stack.empty()) {
      Node const& node = nodes_[static_cast<std::size_t>(stack.back())];
      stack.pop_back();
      if (!overlap(node.bounds, bounds)) continue;
      if (node.is_leaf()) {
        visit(node.user);
      } else {
        stack.push_back(node.child_a);
        stack.push_back(node.child_b);
      }
    }
  }

  /// Calls visit(user) for every leaf that enter(bounds) admits and whose ancestors enter() has all admitted.
  /// enter() may admit less from one call to the next. visit() must not change the tree. `stack` is the
  /// caller's scratch.
  template <class Enter, class Visit>
  void walk(std::vector<std::int32_t>& stack, Enter enter, Visit visit) const {
    if (root_ == kNone) return;
    stack.clear();
    stack.push_back(root_);
    while (!stack.empty()) {
      Node const& node = nodes_[static_cast<std::size_t>(stack.back())];
      stack.pop_back();
      if (!enter(node.bounds)) continue;
      if (node.is_leaf()) {
        visit(node.user);
      } else {
        stack.push_back(node.child_a);
        stack.push_back(node.child_b);
      }
    }
  }

  /// Calls visit(user) for leaves in ascending order of their keys. key_of(bounds) is a lower bound of the
  /// distance or fraction sought inside `bounds`, or infinite for none. The key of a box inside another is
  /// not lower. is_wanted(key) is false for the keys above a limit; visits may lower the limit. Nodes with
  /// keys beyond the limit are skipped. `heap` is the caller's scratch.
  template <class KeyOf, class IsWanted, class Visit>
  void walk_nearest(NearHeap& heap, KeyOf key_of, IsWanted is_wanted, Visit visit) const {
    auto const push = [&](std::int32_t node) {
      double const key = key_of(nodes_[static_cast<std::size_t>(node)].bounds);
      if (is_wanted(key)) heap.push({key, node});
    };
    heap.clear();
    if (root_ != kNone) push(root_);
    while (!heap.is_empty() && is_wanted(heap.front().key)) {
      Node const& node = nodes_[static_cast<std::size_t>(heap.front().node)];
      heap.pop();
      if (node.is_leaf()) {
        visit(node.user);
      } else {
        push(node.child_a);
        push(node.child_b);
      }
    }
  }

  /// Returns true when links, heights, looseness and containment of all nodes agree. For tests and
  /// TAKT_VALIDATE.
  [[nodiscard]] bool valid() const {
    std::vector<std::int32_t> stack;
    return valid(stack);
  }
  /// Runs this check with the caller's scratch.
  [[nodiscard]] bool valid(std::vector<std::int32_t>& stack) const;
  /// Levels above the leaves: 0 for an empty tree or a single leaf.
  [[nodiscard]] std::int32_t height() const noexcept {
    return root_ == kNone ? 0 : nodes_[static_cast<std::size_t>(root_)].height;
  }

 private:
  struct Node {
    FatBounds bounds{};
    std::int32_t parent = kNone;  ///< next free node in the free list
    std::int32_t child_a = kNone;
    std::int32_t child_b = kNone;
    std::int32_t height = 0;
    std::uint32_t user = 0;
    bool is_loose = false;  ///< a leaf below has moved; then the parent is loose too
    [[nodiscard]] bool is_leaf() const noexcept { return child_a == kNone; }
  };

  [[nodiscard]] Node& at(std::int32_t node) noexcept { return nodes_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] const Node& at(std::int32_t node) const noexcept {
    return nodes_[static_cast<std::size_t>(node)];
  }
  std::int32_t allocate();
  void release(std::int32_t node);
  [[nodiscard]] std::int32_t best_sibling(const FatBounds& bounds);
  void refit_up(std::int32_t node);
  void rotate_node(std::int32_t node);
  void update_node(std::int32_t node);

  struct Candidate {
    std::int32_t node;
    float inherited;  ///< growth of the ancestors, by half area
  };
  std::vector<Node> nodes_;
  std::vector<Candidate> candidates_;  ///< scratch of best_sibling
  std::int32_t root_ = kNone;
  std::int32_t free_ = kNone;
};

}  // namespace takt
