#include "sim/scene/face_triangles.h"

#include <cmath>
#include <cstddef>

namespace takt::sim {
namespace {

struct Flat {
  double x = 0.0;
  double y = 0.0;
};

/// Twice the signed area of a triangle, positive counter-clockwise.
double area2(Flat a, Flat b, Flat c) noexcept {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Newell's normal, as long as twice the area: of any polygon, flat or not.
Vec3<double> normal_of(std::span<const Vec3<double>> corners) noexcept {
  Vec3<double> n{};
  const Vec3<double>& base = corners[0];
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) n += cross(corners[i] - base, corners[i + 1] - base);
  return n;
}

/// Seen against the normal's largest component, so that the polygon runs counter-clockwise.
std::vector<Flat> flattened(std::span<const Vec3<double>> corners, Vec3<double> n) {
  double const x = std::fabs(n.x), y = std::fabs(n.y), z = std::fabs(n.z);
  std::vector<Flat> flat;
  flat.reserve(corners.size());
  for (const Vec3<double>& corner : corners) {
    Vec3<double> const d = corner - corners[0];
    Flat const f = x >= y && x >= z ? Flat{d.y, d.z} : y >= z ? Flat{d.z, d.x} : Flat{d.x, d.y};
    flat.push_back(f);
  }
  bool const is_mirrored = (x >= y && x >= z ? n.x : y >= z ? n.y : n.z) < 0.0;
  if (is_mirrored) {
    for (Flat& f : flat) f.x = -f.x;
  }
  return flat;
}

/// Returns true if the triangle at a corner can be cut off: it has the polygon's winding, and no other corner
/// lies in it.
bool is_ear(std::span<const Flat> flat, std::span<const std::uint32_t> ring, std::size_t at,
            bool may_be_flat) noexcept {
  std::size_t const count = ring.size();
  std::uint32_t const before = ring[(at + count - 1) % count];
  std::uint32_t const after = ring[(at + 1) % count];
  Flat const a = flat[before], b = flat[ring[at]], c = flat[after];
  double const area = area2(a, b, c);
  if (area < 0.0 || (area == 0.0 && !may_be_flat)) return false;
  for (std::uint32_t const other : ring) {
    Flat const p = flat[other];
    auto const same = [p](Flat q) { return p.x == q.x && p.y == q.y; };
    if (other == before || other == ring[at] || other == after || same(a) || same(b) || same(c)) continue;
    if (area2(a, b, p) >= 0.0 && area2(b, c, p) >= 0.0 && area2(c, a, p) >= 0.0) return false;
  }
  return true;
}

constexpr std::size_t kNone = ~std::size_t{0};

/// The first ear from `at` on, round the ring. One without an area only where there is no other: it would
/// leave a corner in the middle of an edge.
std::size_t find_ear(std::span<const Flat> flat, std::span<const std::uint32_t> ring,
                     std::size_t at) noexcept {
  for (bool const may_be_flat : {false, true}) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      std::size_t const corner = (at + i) % ring.size();
      if (is_ear(flat, ring, corner, may_be_flat)) return corner;
    }
  }
  return kNone;
}

}  // namespace

bool append_triangles(std::span<const Vec3<double>> corners,
                      std::vector<std::array<std::uint32_t, 3>>& triangles) {
  auto const count = static_cast<std::uint32_t>(corners.size());
  auto const is_zero = [](Vec3<double> v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; };
  Vec3<double> const n = normal_of(corners);
  if (count == 3 || is_zero(n)) {
    for (std::uint32_t i = 1; count > 3 && i + 1 < count; ++i) {
      if (!is_zero(cross(corners[i] - corners[0], corners[i + 1] - corners[0]))) return false;
    }
    for (std::uint32_t i = 1; i + 1 < count; ++i) triangles.push_back({0, i, i + 1});
    return true;
  }
  std::vector<Flat> const flat = flattened(corners, n);
  std::vector<std::uint32_t> ring(count);
  for (std::uint32_t i = 0; i < count; ++i) ring[i] = i;
  std::size_t const first = triangles.size();
  // From behind the last ear on: a convex polygon becomes a fan.
  std::size_t at = 1;
  while (ring.size() > 3) {
    at = find_ear(flat, ring, at);
    if (at == kNone) {
      triangles.resize(first);
      return false;
    }
    std::size_t const size = ring.size();
    triangles.push_back({ring[(at + size - 1) % size], ring[at], ring[(at + 1) % size]});
    ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(at));
    at %= ring.size();
  }
  if (area2(flat[ring[0]], flat[ring[1]], flat[ring[2]]) < 0.0) {
    triangles.resize(first);
    return false;
  }
  triangles.push_back({ring[0], ring[1], ring[2]});
  return true;
}

}  // namespace takt::sim
