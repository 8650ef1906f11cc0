// MeshBvh is the bounding volume hierarchy over the triangles of one mesh or height field;
// TriangleMesh builds it once. visit() calls back for each triangle of every leaf whose box overlaps a
// query box. A leaf holds up to four triangles, and boxes are rounded outwards to binary32. A query may
// therefore return too many triangles, never too few. The tree is binary with median splits, its nodes in
// depth-first order, so traversal needs no stack. Its structure depends on the triangles' boxes and their
// order alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/geometry/hull_builder.h"

namespace takt {

/// A box in the mesh's frame, m.
struct SurfaceBox {
  Vec3<double> lower;
  Vec3<double> upper;
};

[[nodiscard]] inline bool overlap(const SurfaceBox& a, const SurfaceBox& b) noexcept {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
         b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

class MeshBvh {
 public:
  /// Builds the tree over triangles with vertices on the grid.
  void build(std::span<const GridPoint> vertices, std::span<const std::array<std::uint32_t, 3>> triangles);

  /// Calls visit(triangle) once for each triangle whose box may overlap `box`, in tree order.
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
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return nodes_.size() * sizeof(Node) + order_.size() * sizeof(std::uint32_t);
  }

 private:
  struct Node {
    float lower[3];
    float upper[3];
    std::uint32_t first = 0;  ///< range in order_; leaves only
    std::uint32_t count = 0;  ///< 0 = inner node: its first child follows
    std::uint32_t next = 0;   ///< the node after the whole subtree
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
