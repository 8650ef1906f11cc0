#include "physics/geometry/hull_mass_properties.h"

#include <numeric>
#include <vector>

#include "physics/math/is_finite.h"
#include "takt/core/assert.h"
#include "takt/physics/trigonometry.h"

namespace takt {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Integrals over a solid of 1, x and x x^T (xx, yy, zz, xy, xz, yz).
struct Moments {
  double zeroth = 0.0;
  Vec3<double> first{};
  std::array<double, 6> second{};

  void add_second(Vec3<double> u, Vec3<double> v,
                  double factor) noexcept {  // adds factor (u v^T + v u^T) / 2
    second[0] += factor * u.x * v.x;
    second[1] += factor * u.y * v.y;
    second[2] += factor * u.z * v.z;
    second[3] += factor * 0.5 * (u.x * v.y + u.y * v.x);
    second[4] += factor * 0.5 * (u.x * v.z + u.z * v.x);
    second[5] += factor * 0.5 * (u.y * v.z + u.z * v.y);
  }
  void add_identity(double factor) noexcept {
    for (std::size_t i = 0; i < 3; ++i) second[i] += factor;
  }
};

Vec3<double> unit(Vec3<double> v) noexcept {
  double const size = length(v);
  return {v.x / size, v.y / size, v.z / size};
}

/// The angle between two unit vectors, in [0, pi], within 2e-10.
double angle_between(Vec3<double> a, Vec3<double> b) noexcept {
  TAKT_VALIDATE(is_unit(a) && is_unit(b));
  return to_double(atan2(Fixed(length(cross(a, b))), Fixed(dot(a, b))));
}

void add_polyhedron(const PolyhedronView& solid, Moments& m) noexcept {
  // Sums tetrahedra from the first vertex. The moments are taken about it and moved to the origin at the end.
  Vec3<double> const apex = solid.vertices[0];
  Moments about;
  for (const LoopRange& face : solid.faces) {
    auto const loop = solid.loops.subspan(face.first, face.count);
    Vec3<double> const a = solid.vertices[loop[0]] - apex;
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      Vec3<double> const b = solid.vertices[loop[i]] - apex;
      Vec3<double> const c = solid.vertices[loop[i + 1]] - apex;
      double const volume = dot(a, cross(b, c)) / 6.0;
      Vec3<double> const sum = a + b + c;
      about.zeroth += volume;
      about.first += sum * (volume / 4.0);
      // Integral of x x^T over a tetrahedron with one corner at 0: V / 20 (sum sum^T + a a^T + b b^T + c
      // c^T).
      about.add_second(sum, sum, volume / 20.0);
      about.add_second(a, a, volume / 20.0);
      about.add_second(b, b, volume / 20.0);
      about.add_second(c, c, volume / 20.0);
    }
  }
  m.zeroth += about.zeroth;
  m.first += about.first + apex * about.zeroth;
  for (std::size_t i = 0; i < 6; ++i) m.second[i] += about.second[i];
  m.add_second(about.first, apex, 2.0);
  m.add_second(apex, apex, about.zeroth);
}

/// Integrates p + t n over the polygon's points p and t in [0, r].
void add_slab(const PolyhedronView& solid, std::span<const std::uint8_t> loop, Vec3<double> normal, double r,
              Moments& m) noexcept {
  const Vec3<double>& a = solid.vertices[loop[0]];
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
    const Vec3<double>& b = solid.vertices[loop[i]];
    const Vec3<double>& c = solid.vertices[loop[i + 1]];
    double const area = 0.5 * dot(normal, cross(b - a, c - a));
    Vec3<double> const sum = a + b + c;
    Vec3<double> const center = sum * (1.0 / 3.0);
    m.zeroth += area * r;
    m.first += center * (area * r) + normal * (0.5 * area * r * r);
    for (const Vec3<double>& p : {a, b, c, sum}) m.add_second(p, p, area * r / 12.0);
    m.add_second(center, normal, area * r * r);
    m.add_second(normal, normal, area * r * r * r / 3.0);
  }
}

/// An edge with its two faces.
struct Ridge {
  std::uint8_t from = 0;
  std::uint8_t to = 0;
  Vec3<double> normal_left;   ///< of the face whose loop runs from `from` to `to`
  Vec3<double> normal_right;  ///< of the other face
  // Arc of normals between both, computed from these:
  double angle = 0.0;
  Vec3<double> arc;  ///< integral of u over the arc
};

/// Integrates a + s e + rho u over the edge, the arc of normals u and rho in [0, r].
void add_wedge(const PolyhedronView& solid, Ridge& ridge, double r, Moments& m) noexcept {
  Vec3<double> const a = solid.vertices[ridge.from];
  Vec3<double> const b = solid.vertices[ridge.to];
  double const size = length(b - a);
  Vec3<double> const e = unit(b - a);
  Vec3<double> const middle = (a + b) * 0.5;
  Vec3<double> const n = ridge.normal_left;
  Vec3<double> w = cross(n, e);  // perpendicular to the edge and the left normal, towards the right one
  if (dot(w, ridge.normal_right) < 0.0) w = -w;
  double const angle = angle_between(n, ridge.normal_right);
  double const sine = dot(w, ridge.normal_right);
  double const cosine = dot(n, ridge.normal_right);
  ridge.angle = angle;
  ridge.arc = n * sine + w * (1.0 - cosine);
  double const r2 = 0.5 * r * r;
  double const r3 = r * r * r / 3.0;
  double const r4 = 0.25 * r * r * r * r;
  m.zeroth += size * angle * r2;
  m.first += middle * (size * angle * r2) + ridge.arc * (size * r3);
  m.add_second(middle, middle, size * angle * r2);
  m.add_second(e, e, size * size * size / 12.0 * angle * r2);
  m.add_second(middle, ridge.arc, 2.0 * size * r3);
  // Integral of u u^T over the arc.
  m.add_second(n, n, size * r4 * 0.5 * (angle + sine * cosine));
  m.add_second(w, w, size * r4 * 0.5 * (angle - sine * cosine));
  m.add_second(n, w, size * r4 * sine * sine);
}

/// Integrates v + rho u over the normals u of a corner and rho in [0, r]. The normals fill a spherical
/// polygon whose sides are the arcs of its edges. The outward direction across a side, along the sphere, is
/// the edge's direction e leaving the corner. Stokes' theorem, and div grad (u_i u_j) = 2 d_ij - 6 u_i u_j on
/// the unit sphere for the second moment, give:
///
/// integral of u = - sum of (angle e) / 2
///   integral of u u^T = (2 I (solid angle) - sum of (e arc^T + arc e^T)) / 6
void add_sector(Vec3<double> v, std::span<const Ridge> ridges, std::span<const Vec3<double>> vertices,
                std::uint8_t index, double solid_angle, double r, Moments& m) noexcept {
  double const r3 = r * r * r / 3.0;
  double const r4 = 0.25 * r * r * r * r;
  double const r5 = 0.2 * r * r * r * r * r;
  Vec3<double> mean{};
  for (const Ridge& ridge : ridges) {
    if (ridge.from != index && ridge.to != index) continue;
    Vec3<double> const e = unit(vertices[ridge.from == index ? ridge.to : ridge.from] - v);
    mean -= e * (0.5 * ridge.angle);
    m.add_second(e, ridge.arc, -r5 / 3.0);
  }
  m.zeroth += solid_angle * r3;
  m.first += v * (solid_angle * r3) + mean * r4;
  m.add_second(v, v, solid_angle * r3);
  m.add_second(v, mean, 2.0 * r4);
  m.add_identity(solid_angle * r5 / 3.0);
}

void add_rounding(const PolyhedronView& solid, double r, Moments& m) {
  std::vector<Ridge> ridges;
  std::vector<double> solid_angles(solid.vertices.size(),
                                   2.0 * kPi);  // minus the angles of the faces that meet there
  for (const LoopRange& face : solid.faces) {
    auto const loop = solid.loops.subspan(face.first, face.count);
    Vec3<double> area{};
    const Vec3<double>& origin = solid.vertices[loop[0]];
    for (std::size_t i = 1; i + 1 < loop.size(); ++i)
      area += cross(solid.vertices[loop[i]] - origin, solid.vertices[loop[i + 1]] - origin);
    Vec3<double> const normal = unit(area);
    add_slab(solid, loop, normal, r, m);
    for (std::size_t i = 0; i < loop.size(); ++i) {
      std::uint8_t const from = loop[i];
      std::uint8_t const to = loop[i + 1 == loop.size() ? 0 : i + 1];
      std::uint8_t const before = loop[i == 0 ? loop.size() - 1 : i - 1];
      Vec3<double> const corner = solid.vertices[from];
      solid_angles[from] -=
          angle_between(unit(solid.vertices[to] - corner), unit(solid.vertices[before] - corner));
      bool known = false;
      for (Ridge& ridge : ridges) {
        if (ridge.from != to || ridge.to != from) continue;
        ridge.normal_right = normal;
        known = true;
      }
      if (!known) ridges.push_back({from, to, normal, normal, 0.0, {}});
    }
  }
  // The sectors of all corners form one ball; 64 corners of up to 2e-10 rad error per angle stay below 1e-6.
  TAKT_VALIDATE(absolute(std::accumulate(solid_angles.begin(), solid_angles.end(), -4.0 * kPi)) < 1e-6);
  for (Ridge& ridge : ridges) add_wedge(solid, ridge, r, m);
  for (std::size_t v = 0; v < solid.vertices.size(); ++v) {
    add_sector(solid.vertices[v], ridges, solid.vertices, static_cast<std::uint8_t>(v), solid_angles[v], r,
               m);
  }
}

}  // namespace

SolidMass solid_mass(const PolyhedronView& solid, double rounding_m) {
  Moments m;
  add_polyhedron(solid, m);
  if (rounding_m > 0.0) add_rounding(solid, rounding_m, m);
  SolidMass mass;
  TAKT_ASSERT(m.zeroth > 0.0);
  mass.volume_m3 = m.zeroth;
  mass.center_m = {m.first.x / m.zeroth, m.first.y / m.zeroth, m.first.z / m.zeroth};
  m.add_second(mass.center_m, mass.center_m, -m.zeroth);  // about the centre
  const auto& s = m.second;
  mass.inertia = {s[1] + s[2], s[0] + s[2], s[0] + s[1], -s[3], -s[4], -s[5]};
  TAKT_VALIDATE(mass.inertia[0] > 0.0 && mass.inertia[1] > 0.0 && mass.inertia[2] > 0.0);
  return mass;
}

}  // namespace takt
