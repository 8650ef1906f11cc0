#include "physics/geometry/mesh_bvh.h"

#include <algorithm>

#include "physics/base/radix_order.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Triangles per leaf: testing four boxes costs about as much as one more level.
constexpr std::size_t kLeafTriangles = 4;

std::int64_t coordinate(const GridPoint& p, int axis) noexcept {
  return axis == 0 ? p.x : (axis == 1 ? p.y : p.z);
}

// One unit in the last place covers the conversion of an integer of up to 38 bits; a grid unit covers zero.
float rounded_down(std::int64_t v) noexcept {
  float const f = static_cast<float>(v);
  return (f - absolute(f) * 0x1p-23f - 1.0f) * static_cast<float>(kHullGridM);
}
float rounded_up(std::int64_t v) noexcept {
  float const f = static_cast<float>(v);
  return (f + absolute(f) * 0x1p-23f + 1.0f) * static_cast<float>(kHullGridM);
}

}  // namespace

/// Triangles sorted along each axis, and the nodes that are made of them. A node's triangles are one range of
/// all three orders. A split divides the order of its axis in the middle and the other two without changing
/// their order, so nothing is sorted twice.
class MeshBvh::Builder {
 public:
  Builder(std::span<const GridPoint> vertices, std::span<const std::array<std::uint32_t, 3>> triangles,
          MeshBvh& tree)
      : vertices_(vertices), triangles_(triangles), tree_(tree) {
    std::vector<std::uint64_t> keys(triangles.size());
    for (int axis = 0; axis < 3; ++axis) {
      for (std::uint32_t i = 0; i < triangles.size(); ++i)
        keys[i] = static_cast<std::uint64_t>(middle(i, axis) + kKeyOffset);
      order_[static_cast<std::size_t>(axis)] = ascending_order(keys);
    }
    is_left_.resize(triangles.size());
    right_.resize(triangles.size());
  }

  /// `along`: the axis whose order a leaf lists its triangles in; kNoAxis = the order of their indices.
  void add_node(std::size_t begin, std::size_t end, std::size_t along) {
    TAKT_ASSERT(begin < end && end <= triangles_.size());
    std::size_t const at = tree_.nodes_.size();
    tree_.nodes_.emplace_back();
    if (end - begin <= kLeafTriangles) {
      tree_.nodes_[at] = leaf(begin, end, along);
    } else {
      std::size_t const axis = widest_axis(begin, end);
      std::size_t const half = begin + (end - begin) / 2;
      if (end - begin > 2 * kLeafTriangles) divide(begin, half, end, axis);
      add_node(begin, half, axis);
      std::size_t const second = tree_.nodes_.size();
      add_node(half, end, axis);
      tree_.nodes_[at] = around(tree_.nodes_[at + 1], tree_.nodes_[second]);
    }
    tree_.nodes_[at].next = static_cast<std::uint32_t>(tree_.nodes_.size());
  }

  static constexpr std::size_t kNoAxis = 3;

 private:
  // Makes every middle positive: coordinates are below 2^38 in size.
  static constexpr std::int64_t kKeyOffset = std::int64_t{1} << 40;

  /// The middle of a triangle's box along an axis, doubled.
  [[nodiscard]] std::int64_t middle(std::uint32_t triangle, int axis) const noexcept {
    const auto& corners = triangles_[triangle];
    std::int64_t const a = coordinate(vertices_[corners[0]], axis);
    std::int64_t const b = coordinate(vertices_[corners[1]], axis);
    std::int64_t const c = coordinate(vertices_[corners[2]], axis);
    return minimum(a, minimum(b, c)) + maximum(a, maximum(b, c));
  }
  [[nodiscard]] std::size_t widest_axis(std::size_t begin, std::size_t end) const noexcept {
    std::array<std::int64_t, 3> spread{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      spread[axis] = middle(order_[axis][end - 1], static_cast<int>(axis)) -
                     middle(order_[axis][begin], static_cast<int>(axis));
    return spread[0] >= spread[1] && spread[0] >= spread[2] ? 0 : (spread[1] >= spread[2] ? 1 : 2);
  }
  void divide(std::size_t begin, std::size_t half, std::size_t end, std::size_t axis) noexcept {
    for (std::size_t i = begin; i < end; ++i) is_left_[order_[axis][i]] = i < half ? 1 : 0;
    for (std::size_t other = 0; other < 3; ++other) {
      if (other == axis) continue;
      std::uint32_t* const order = order_[other].data();
      std::size_t left = begin;
      std::size_t right = 0;
      for (std::size_t i = begin; i < end; ++i) {
        std::uint32_t const triangle = order[i];
        std::size_t const is_left = is_left_[triangle];
        order[left] = triangle;  // one of these two is overwritten
        right_[right] = triangle;
        left += is_left;
        right += 1 - is_left;
      }
      TAKT_ASSERT(left == half && left + right == end);
      std::copy_n(right_.begin(), right, order + half);
    }
  }
  [[nodiscard]] Node leaf(std::size_t begin, std::size_t end, std::size_t along) {
    GridPoint low = vertices_[triangles_[order_[0][begin]][0]];
    GridPoint high = low;
    std::size_t const first = tree_.order_.size();
    const std::vector<std::uint32_t>& order = order_[along == kNoAxis ? 0 : along];
    for (std::size_t i = begin; i < end; ++i) {
      tree_.order_.push_back(order[i]);
      for (std::uint32_t const index : triangles_[order[i]]) {
        const GridPoint& p = vertices_[index];
        low = {minimum(low.x, p.x), minimum(low.y, p.y), minimum(low.z, p.z)};
        high = {maximum(high.x, p.x), maximum(high.y, p.y), maximum(high.z, p.z)};
      }
    }
    if (along == kNoAxis)
      std::sort(tree_.order_.begin() + static_cast<std::ptrdiff_t>(first), tree_.order_.end());
    return {{rounded_down(low.x), rounded_down(low.y), rounded_down(low.z)},
            {rounded_up(high.x), rounded_up(high.y), rounded_up(high.z)},
            static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(end - begin)};
  }
  /// Rounding is monotonic, so the union of rounded boxes is the rounded union.
  [[nodiscard]] static Node around(const Node& a, const Node& b) noexcept {
    Node node{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      node.lower[axis] = minimum(a.lower[axis], b.lower[axis]);
      node.upper[axis] = maximum(a.upper[axis], b.upper[axis]);
    }
    return node;
  }

  std::span<const GridPoint> vertices_;
  std::span<const std::array<std::uint32_t, 3>> triangles_;
  MeshBvh& tree_;
  std::array<std::vector<std::uint32_t>, 3> order_;  ///< by axis: triangles by middle, then by index
  std::vector<std::uint8_t> is_left_;                ///< by triangle; scratch of divide()
  std::vector<std::uint32_t> right_;                 ///< scratch of divide()
};

void MeshBvh::build(std::span<const GridPoint> vertices,
                    std::span<const std::array<std::uint32_t, 3>> triangles) {
  nodes_.clear();
  order_.clear();
  order_.reserve(triangles.size());
  nodes_.reserve(triangles.size());  // a leaf has at least two triangles
  if (!triangles.empty()) Builder(vertices, triangles, *this).add_node(0, triangles.size(), Builder::kNoAxis);
  TAKT_ASSERT(order_.size() == triangles.size());
  TAKT_VALIDATE(is_consistent());
}

std::uint32_t MeshBvh::count(const SurfaceBox& box, std::uint32_t max) const noexcept {
  std::uint64_t nodes_left = std::uint64_t{4} * max + 2 * kDepthMax;
  std::uint32_t found = 0;
  for (std::uint32_t at = 0; at < nodes_.size() && found <= max;) {
    if (nodes_left-- == 0) return max + 1;
    const Node& node = nodes_[at];
    bool const is_near = node.overlaps(box);
    if (is_near) found += node.count;
    at = is_near ? at + 1 : node.next;
  }
  return found;
}

bool MeshBvh::is_consistent() const {
  auto const contains = [](const Node& parent, const Node& child) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (child.lower[axis] < parent.lower[axis] || child.upper[axis] > parent.upper[axis]) return false;
    }
    return true;
  };
  std::size_t leaf_triangles = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.next <= i || node.next > nodes_.size()) return false;
    if (node.count > 0) {
      if (node.next != i + 1 || node.first != leaf_triangles) return false;
      leaf_triangles += node.count;
      continue;
    }
    const Node& left = nodes_[i + 1];
    if (left.next >= node.next) return false;
    const Node& right = nodes_[left.next];
    if (right.next != node.next || !contains(node, left) || !contains(node, right)) return false;
  }
  return leaf_triangles == order_.size();
}

}  // namespace takt
