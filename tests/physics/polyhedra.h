// Point sets of well-known solids and sums over cells, for tests of hulls.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "physics/geometry/hull_geometry.h"
#include "physics/state/mass_properties.h"
#include "takt/core/random.h"
#include "takt/physics/body.h"

namespace takt::test {

inline std::vector<Vec3<double>> box_corners(double x_m, double y_m, double z_m) {
  std::vector<Vec3<double>> points;
  for (int i = 0; i < 8; ++i)
    points.push_back({(i & 1) != 0 ? x_m : -x_m, (i & 2) != 0 ? y_m : -y_m, (i & 4) != 0 ? z_m : -z_m});
  return points;
}

/// Corners at `radius_m` from the origin.
inline std::vector<Vec3<double>> tetrahedron(double radius_m) {
  double const a = radius_m / std::sqrt(3.0);
  return {{a, a, a}, {a, -a, -a}, {-a, a, -a}, {-a, -a, a}};
}
inline std::vector<Vec3<double>> octahedron(double radius_m) {
  return {{radius_m, 0, 0},  {-radius_m, 0, 0}, {0, radius_m, 0},
          {0, -radius_m, 0}, {0, 0, radius_m},  {0, 0, -radius_m}};
}
inline std::vector<Vec3<double>> icosahedron(double radius_m) {
  double const phi = std::numbers::phi;
  double const b = radius_m / std::sqrt(1 + phi * phi);
  double const a = b * phi;
  std::vector<Vec3<double>> points;
  for (double const s : {1.0, -1.0}) {
    for (double const t : {1.0, -1.0}) {
      points.push_back({0, s * b, t * a});
      points.push_back({s * b, t * a, 0});
      points.push_back({s * a, 0, t * b});
    }
  }
  return points;
}
inline std::vector<Vec3<double>> dodecahedron(double radius_m) {
  double const phi = std::numbers::phi;
  double const c = radius_m / std::sqrt(3.0);
  std::vector<Vec3<double>> points = box_corners(c, c, c);
  for (double const s : {1.0, -1.0}) {
    for (double const t : {1.0, -1.0}) {
      points.push_back({0, s * c / phi, t * c * phi});
      points.push_back({s * c / phi, t * c * phi, 0});
      points.push_back({s * c * phi, 0, t * c / phi});
    }
  }
  return points;
}
/// Spread over a sphere on a spiral.
inline std::vector<Vec3<double>> ball_points(int count, double radius_m) {
  std::vector<Vec3<double>> points;
  for (int i = 0; i < count; ++i) {
    double const y = 1 - 2 * (i + 0.5) / count;
    double const ring = std::sqrt(1 - y * y);
    double const angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
    points.push_back({radius_m * ring * std::cos(angle), radius_m * y, radius_m * ring * std::sin(angle)});
  }
  return points;
}

/// Distance of a point from a hull (0 inside), by its faces' planes and then by brute force over its exact
/// faces.
inline double distance_to_hull(const HullGeometry& hull, Vec3<double> p) {
  double best = 1e300;
  bool inside = true;
  for (const LoopRange& face : hull.exact_faces) {
    Vec3<double> const a = hull.vertices[hull.exact_loops[face.first]];
    for (std::uint32_t i = 1; i + 1 < face.count; ++i) {
      Vec3<double> const b = hull.vertices[hull.exact_loops[face.first + i]];
      Vec3<double> const c = hull.vertices[hull.exact_loops[face.first + i + 1]];
      Vec3<double> const n = cross(b - a, c - a);
      double const height = dot(n, p - a) / length(n);
      if (height > 0) inside = false;
      if (height <= 0) continue;
      auto const beside = [&](Vec3<double> from, Vec3<double> to) {
        return dot(cross(n, to - from), p - from) < 0;
      };
      if (!beside(a, b) && !beside(b, c) && !beside(c, a)) best = std::min(best, height);
      for (auto const& [from, to] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}}) {
        double const t = std::clamp(dot(p - from, to - from) / dot(to - from, to - from), 0.0, 1.0);
        best = std::min(best, length(p - (from + (to - from) * t)));
      }
    }
  }
  return inside ? 0 : best;
}

/// A solid as the sum of points, one at random in each cell of a cube.
struct CellSum {
  double volume = 0;
  Vec3<double> center;
  std::array<double, 6> inertia{};  ///< about the centre, density 1
};

template <class Inside>
CellSum sum_cells(int cells, double half_edge_m, Inside inside, Random& random) {
  CellSum sum;
  double const edge = 2 * half_edge_m / cells;
  double const volume = edge * edge * edge;
  Vec3<double> weighted;
  std::array<double, 6> second{};  // xx, yy, zz, xy, xz, yz
  for (int x = 0; x < cells; ++x) {
    for (int y = 0; y < cells; ++y) {
      for (int z = 0; z < cells; ++z) {
        Vec3<double> p;
        p.x = (x + random.next_unit()) * edge - half_edge_m;
        p.y = (y + random.next_unit()) * edge - half_edge_m;
        p.z = (z + random.next_unit()) * edge - half_edge_m;
        if (!inside(p)) continue;
        sum.volume += volume;
        weighted += p * volume;
        second[0] += volume * p.x * p.x;
        second[1] += volume * p.y * p.y;
        second[2] += volume * p.z * p.z;
        second[3] += volume * p.x * p.y;
        second[4] += volume * p.x * p.z;
        second[5] += volume * p.y * p.z;
      }
    }
  }
  Vec3<double> const c = weighted * (1 / sum.volume);
  sum.center = c;
  double const xx = second[0] - sum.volume * c.x * c.x;
  double const yy = second[1] - sum.volume * c.y * c.y;
  double const zz = second[2] - sum.volume * c.z * c.z;
  sum.inertia = {yy + zz,
                 xx + zz,
                 xx + yy,
                 -(second[3] - sum.volume * c.x * c.y),
                 -(second[4] - sum.volume * c.x * c.z),
                 -(second[5] - sum.volume * c.y * c.z)};
  return sum;
}

}  // namespace takt::test
