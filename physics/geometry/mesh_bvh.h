// MeshBvh is the bounding volume hierarchy over the triangles of one mesh or height field; TriangleMesh
// builds it once. visit() calls back for each triangle of every leaf whose box overlaps a query box. A leaf
// holds up to four triangles, and boxes are rounded outwards to binary32. A query may therefore return too
// many triangles, never too few. visit_nearest() visits the nearer child first, for queries whose limit
// shrinks. count() counts triangles up to a limit, and TriangleSample (triangle_sample.h) chooses some of
// them by a walk over nodes. The tree is binary with median splits, its nodes in depth-first order, so
// visit() needs no stack. Its structure depends on the triangles' boxes and their order alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/geometry/hull_builder.h"
#include "takt/core/assert.h"

namespace takt {

/// A box in the mesh's frame, m.
struct SurfaceBox {
  Vec3<double> lower;
  Vec3<double> upper;
};

/// True when the boxes overlap or touch.
[[nodiscard]] inline bool overlap(const SurfaceBox& a, const SurfaceBox& b) noexcept {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
         b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

class MeshBvh {
 public:
  /// Builds the tree over triangles with vertices on the grid, in place of an earlier one. Vertex indices
  /// must be in range.
  void build(std::span<const GridPoint> vertices, std::span<const std::array<std::uint32_t, 3>> triangles);

  /// Calls visit(triangle index) once for each triangle of the leaves whose box overlaps `box`, in tree
  /// order.
  template <class Visit>
  void visit(const SurfaceBox& box, Visit visit) const {
    std::uint32_t at = 0;
    while (at < nodes_.size()) {
      const Node& node = nodes_[at];
      if (!node.overlaps(box)) {
        at = node.next;
        continue;
      }
      for (std::uint32_t i = 0; i < node.count; ++i) visit(order_[node.first + i]);
      ++at;
    }
  }
  /// Calls visit(triangle index) for the triangles of leaves; of two nodes the one with the lower key comes
  /// first. key_of(box) is a lower bound of the distance or fraction sought inside a box, or infinite for
  /// none. Nodes for which is_wanted(key) is false are left out; is_wanted() may admit less after a visit.
  template <class KeyOf, class IsWanted, class Visit>
  void visit_nearest(KeyOf key_of, IsWanted is_wanted, Visit visit) const {
    if (nodes_.empty()) return;
    std::array<Near, kDepthMax> stack;
    std::size_t count = 0;
    auto const near = [&](std::uint32_t at) { return Near{key_of(nodes_[at].box()), at}; };
    stack[count++] = near(0);
    while (count > 0) {
      Near const next = stack[--count];
      if (!is_wanted(next.key)) continue;
      const Node& node = nodes_[next.node];
      for (std::uint32_t i = 0; i < node.count; ++i) visit(order_[node.first + i]);
      if (node.count > 0) continue;
      Near const left = near(next.node + 1);
      Near const right = near(nodes_[next.node + 1].next);
      TAKT_ASSERT(count + 2 <= kDepthMax);
      stack[count++] = right.key < left.key ? left : right;
      stack[count++] = right.key < left.key ? right : left;
    }
  }
  /// Returns the number of triangles of the leaves whose box overlaps `box`, and a number above `max` if it
  /// is above `max`. The walk ends after 4 x max + 2 x kDepthMax nodes; the result is then above `max` too.
  [[nodiscard]] std::uint32_t count(const SurfaceBox& box, std::uint32_t max) const noexcept;

  // Nodes, for walks of their own: node 0 is the root, and a node of an inner node's children is below
  // node_count().
  [[nodiscard]] std::uint32_t node_count() const noexcept {
    return static_cast<std::uint32_t>(nodes_.size());
  }
  [[nodiscard]] SurfaceBox box_of(std::uint32_t node) const noexcept { return nodes_[node].box(); }
  [[nodiscard]] bool overlaps(std::uint32_t node, const SurfaceBox& box) const noexcept {
    return nodes_[node].overlaps(box);
  }
  /// The triangles of a leaf; empty for an inner node.
  [[nodiscard]] std::span<const std::uint32_t> leaf_triangles(std::uint32_t node) const noexcept {
    return std::span(order_).subspan(nodes_[node].first, nodes_[node].count);
  }
  /// Both children of an inner node (asserted).
  [[nodiscard]] std::array<std::uint32_t, 2> children(std::uint32_t node) const noexcept {
    TAKT_ASSERT(nodes_[node].count == 0);
    return {node + 1, nodes_[node + 1].next};
  }

  /// Median splits of 2^32 triangles end here.
  static constexpr std::size_t kDepthMax = 40;

  /// Memory of nodes and triangle indices.
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return nodes_.size() * sizeof(Node) + order_.size() * sizeof(std::uint32_t);
  }

 private:
  struct Near {
    double key;
    std::uint32_t node;
  };
  struct Node {
    float lower[3];
    float upper[3];
    std::uint32_t first = 0;  ///< range in order_; leaves only
    std::uint32_t count = 0;  ///< 0 = inner node: its first child follows
    std::uint32_t next = 0;   ///< the node after the whole subtree
    [[nodiscard]] SurfaceBox box() const noexcept {
      auto const wide = [](const float(&v)[3]) {
        return Vec3<double>{static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
      };
      return {wide(lower), wide(upper)};
    }
    [[nodiscard]] bool overlaps(const SurfaceBox& box) const noexcept {
      return static_cast<double>(lower[0]) <= box.upper.x && box.lower.x <= static_cast<double>(upper[0]) &&
             static_cast<double>(lower[1]) <= box.upper.y && box.lower.y <= static_cast<double>(upper[1]) &&
             static_cast<double>(lower[2]) <= box.upper.z && box.lower.z <= static_cast<double>(upper[2]);
    }
  };
  class Builder;
  /// True when children lie inside their parents' boxes and leaves cover every triangle once.
  [[nodiscard]] bool is_consistent() const;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;
};

}  // namespace takt
