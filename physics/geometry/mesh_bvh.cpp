#include "physics/geometry/mesh_bvh.h"

#include <algorithm>

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

void MeshBvh::build(std::span<const GridPoint> vertices,
                    std::span<const std::array<std::uint32_t, 3>> triangles) {
  nodes_.clear();
  order_.clear();
  std::vector<Item> items;
  items.reserve(triangles.size());
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    Item item{vertices[triangles[i][0]], vertices[triangles[i][0]], i};
    for (std::uint32_t const index : triangles[i]) {
      const GridPoint& p = vertices[index];
      item.low = {minimum(item.low.x, p.x), minimum(item.low.y, p.y), minimum(item.low.z, p.z)};
      item.high = {maximum(item.high.x, p.x), maximum(item.high.y, p.y), maximum(item.high.z, p.z)};
    }
    items.push_back(item);
  }
  order_.reserve(items.size());
  if (!items.empty()) build_node(items);
  TAKT_ASSERT(order_.size() == triangles.size());
  TAKT_VALIDATE(is_consistent());
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

void MeshBvh::build_node(std::span<Item> items) {
  GridPoint low = items[0].low;
  GridPoint high = items[0].high;
  GridPoint min{};  // of the boxes' centres, doubled
  GridPoint max{};
  bool first = true;
  auto const middle = [](const Item& item, int axis) {
    return coordinate(item.low, axis) + coordinate(item.high, axis);
  };
  for (const Item& item : items) {
    low = {minimum(low.x, item.low.x), minimum(low.y, item.low.y), minimum(low.z, item.low.z)};
    high = {maximum(high.x, item.high.x), maximum(high.y, item.high.y), maximum(high.z, item.high.z)};
    GridPoint const m{middle(item, 0), middle(item, 1), middle(item, 2)};
    min = first ? m : GridPoint{minimum(min.x, m.x), minimum(min.y, m.y), minimum(min.z, m.z)};
    max = first ? m : GridPoint{maximum(max.x, m.x), maximum(max.y, m.y), maximum(max.z, m.z)};
    first = false;
  }
  TAKT_ASSERT(!items.empty() && low.x <= high.x && low.y <= high.y && low.z <= high.z);
  std::size_t const at = nodes_.size();
  nodes_.push_back({{rounded_down(low.x), rounded_down(low.y), rounded_down(low.z)},
                    {rounded_up(high.x), rounded_up(high.y), rounded_up(high.z)}});
  if (items.size() <= kLeafTriangles) {
    nodes_[at].first = static_cast<std::uint32_t>(order_.size());
    nodes_[at].count = static_cast<std::uint32_t>(items.size());
    for (const Item& item : items) order_.push_back(item.triangle);
  } else {
    GridPoint const spread{max.x - min.x, max.y - min.y, max.z - min.z};
    int const axis = spread.x >= spread.y && spread.x >= spread.z ? 0 : (spread.y >= spread.z ? 1 : 2);
    // A total order: centres, then the triangle's index.
    std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
      std::int64_t const ma = middle(a, axis);
      std::int64_t const mb = middle(b, axis);
      return ma != mb ? ma < mb : a.triangle < b.triangle;
    });
    std::size_t const half = items.size() / 2;
    build_node(items.first(half));
    build_node(items.subspan(half));
  }
  nodes_[at].next = static_cast<std::uint32_t>(nodes_.size());
}

}  // namespace takt
