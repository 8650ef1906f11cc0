// A dynamic bounding-volume tree over FatBounds: insert, move and remove one leaf at a time, query by
// overlap. Siblings are chosen by the surface-area cost, branch and bound, and rotations keep the tree low.
// What moves stays where it hangs: its ancestors grow at once and shrink together later. Its shape depends on
// history; nothing that uses it may (queries are sorted by the caller). Source: E. Catto, Dynamic Bounding
// Volume Hierarchies, GDC 2019 (sibling search and rotations).
#pragma once

#include <cstdint>
#include <vector>

#include "physics/state/shape_bounds.h"

namespace takt {

class BoundsTree {
 public:
  static constexpr std::int32_t kNone = -1;

  /// Adds a leaf for `user` and returns its node.
  std::int32_t insert(const FatBounds& bounds, std::uint32_t user);
  void remove(std::int32_t leaf);
  /// Gives a leaf other bounds. Its ancestors hold them from now on, and may be larger than they must be
  /// until tighten().
  void move(std::int32_t leaf, const FatBounds& bounds);
  /// Shrinks the ancestors of what has moved since the last call, each once, and turns the tree where that
  /// makes it smaller. `loose` is the caller's scratch.
  void tighten(std::vector<std::int32_t>& loose);
  void clear();

  [[nodiscard]] const FatBounds& bounds(std::int32_t node) const noexcept {
    return nodes_[static_cast<std::size_t>(node)].bounds;
  }

  /// Calls visit(user) for every leaf whose bounds overlap. `stack` is the caller's scratch.
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

  /// The same for every leaf that enter(bounds) lets in, and whose ancestors it did. It may let in less as
  /// visits find something nearer.
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

  /// Checks links, heights and containment; for tests and TAKT_VALIDATE.
  [[nodiscard]] bool valid() const;
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
    bool is_loose = false;  ///< something below has moved; so is its parent
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
