// Every convex kind against surfaces of triangles (meshes, one-sided meshes, height fields with holes), in
// random poses, both modes, against the distance to each triangle (surface_reference.h: proved between two
// bounds for cores that are apart, sampled for those that overlap). No contact is missed or invented, its
// deepest point is as deep as docs/COLLISION.md states, and the normal of what is apart is that of a nearest
// point. TAKT_POSES=10000 takes that many poses of each kind.
#include <gtest/gtest.h>

#include "physics/base/solver_constants.h"
#include "physics/narrow_phase/collide_mesh.h"
#include "takt/core/random.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"
#include "tests/property/numbers/seed.h"
#include "tests/property/physics/draw_pose.h"
#include "tests/property/physics/pose_count.h"
#include "tests/property/physics/surface_reference.h"

namespace takt {
namespace {

// docs/COLLISION.md derives the bounds of any two convex shapes, 4.2 mm and 3.2 mm; a facet's plane may be
// 0.1 mm beside a triangle of it (kFacetFlatnessM).
constexpr double kSurfaceDepthM = 0.0042 + kFacetFlatnessM;
constexpr double kSurfaceNormalM = 0.0032 + kFacetFlatnessM;
// The narrow phase finds an axis to within 10 um (convex_distance.h), the reference to within kCertifiedM.
constexpr double kSearchM = 1e-5 + test::kCertifiedM;
// Nearly the normal of a facet (1.8 degrees) is the facet's own (Surfaces 3).
constexpr double kFacetCosine = 0.9995;
// Among more than four parts, those within 5 degrees of the lowest are one, with the normal of the deepest
// (Surfaces 4): 10 degrees between two of them, and the 1.8.
constexpr double kJoinedCosine = 0.9788;
// A direction that is another part's gives way to a facet that is deeper by up to this (Surfaces 3).
constexpr double kGhostM = 0.1;
// Farther than anything that may be reported.
constexpr double kFarM = 0.04;

template <class Real>
struct DrawnSolid {
  ShapeGeometry<Real> geometry;
  std::shared_ptr<const HullGeometry> hull;
};

template <class Real>
DrawnSolid<Real> draw_shape(Random& random, ShapeKind kind, bool rounded, bool aligned) {
  DrawnSolid<Real> drawn;
  ShapeGeometry<Real>& shape = drawn.geometry;
  shape.kind = kind;
  double const x = random.next_between(0.1, 0.5);
  double const y = random.next_between(0.1, 0.5);
  double const z = random.next_between(0.1, 0.5);
  if (kind == ShapeKind::kHull) {
    std::vector<Vec3<double>> points = {{x, 0, 0}, {0, y, 0}, {0, 0, z}, {-x, -y, -z}};
    for (int i = 0; i < 6; ++i) {
      Vec3<double> const p = test::draw_vector(random);
      points.push_back({p.x * x, p.y * y, p.z * z});
    }
    drawn.hull = make_hull(points)->geometry;
    shape.hull = drawn.hull.get();
    if (rounded) shape.extents.x = to_real<Real>(random.next_between(0.01, 0.2));
  } else {
    shape.extents.x = to_real<Real>(x);
    if (kind != ShapeKind::kSphere) shape.extents.y = to_real<Real>(y);
    if (kind == ShapeKind::kBox) shape.extents.z = to_real<Real>(z);
  }
  Quat<Real> rotation = test::draw_rotation<Real>(random);
  if (aligned)
    rotation =
        normalise(Quat<Real>{to_real<Real>(random.next_between(-0.01, 0.01)), Real(0), Real(0), Real(1)});
  shape.rotation = to_matrix(rotation);
  return drawn;
}

enum class SurfaceKind { kTwoSided, kOneSided, kHeightField };

/// A closed box (meshes only), a plane, smooth ground, rough ground.
std::vector<std::shared_ptr<const SurfaceGeometry>> make_surfaces(SurfaceKind kind) {
  auto const height = [](double bump, double x, double z) {
    return bump * (x * x - 0.6 * z * z + 0.4 * x * z);
  };
  std::vector<std::shared_ptr<const SurfaceGeometry>> surfaces;
  auto const add_mesh = [&](test::MeshSource mesh) {
    mesh.one_sided = kind == SurfaceKind::kOneSided;
    surfaces.push_back(make_surface(mesh.def()).value());
  };
  if (kind != SurfaceKind::kHeightField) add_mesh(test::box_mesh(0.6, 0.4, 0.5));
  for (double const bump : {0.0, 0.1, 0.6}) {
    if (kind != SurfaceKind::kHeightField) {
      add_mesh(test::grid_mesh(3, 3, 0.7, -1, -1, [&](double x, double z) { return height(bump, x, z); }));
      continue;
    }
    constexpr std::uint32_t kColumns = 5;
    std::vector<double> heights;
    for (std::uint32_t i = 0; i < 4 * kColumns; ++i)
      heights.push_back(height(bump, 0.6 * (i % kColumns) - 1.2, 0.7 * (i / kColumns) - 1));
    std::vector<std::uint8_t> const holes = {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1};
    HeightFieldDef field;
    field.rows = 4;
    field.columns = kColumns;
    field.spacing_x_m = 0.6;
    field.spacing_z_m = 0.7;
    field.heights_m = heights;
    field.holes = holes;
    surfaces.push_back(make_surface(field).value());
  }
  return surfaces;
}

/// A pose: over, beside or below a random point of a random triangle, along a random direction; what can only
/// be touched from its front mostly from there.
template <class Real>
Vec3<Real> draw_center(Random& random, const TriangleMesh& surface, const ShapeGeometry<Real>& shape,
                       int pose) {
  std::uint32_t const index = random.next_below(surface.triangle_count());
  double const u = random.next_between(0, 1);
  double const v = random.next_between(0, 1 - u);
  Vec3<double> const on =
      surface.corner(index, 0) * (1 - u - v) + surface.corner(index, 1) * u + surface.corner(index, 2) * v;
  test::WideVec direction = test::towards(test::widened(test::draw_vector(random)));
  test::WideVec const front = test::widened(surface.facet(surface.triangle(index).facet).normal);
  if (surface.one_sided() && pose % 5 != 0 && test::inner(direction, front) < 0) direction = direction * -1;
  if (pose % 3 == 0 || pose % 7 == 0) direction = front;
  test::WideShape const still = test::wide_shape(shape, Vec3<Real>{});
  double const displacement =
      static_cast<double>(test::support(still, direction * -1)) + random.next_between(-0.03, 0.05);
  return {to_real<Real>(on.x + static_cast<double>(direction.x) * displacement),
          to_real<Real>(on.y + static_cast<double>(direction.y) * displacement),
          to_real<Real>(on.z + static_cast<double>(direction.z) * displacement)};
}

/// Checks that hold of any result; returns the separation of the deepest point, or 1e9.
double expect_sound(const SurfaceScratch& scratch) {
  double deepest = 1e9;
  for (std::size_t i = 0; i < scratch.manifolds.size(); ++i) {
    const Manifold<double>& m = scratch.manifolds[i].manifold;
    EXPECT_TRUE(m.point_count >= 1 && m.point_count <= 4) << m.point_count;
    if (i > 0) {
      EXPECT_LT(scratch.manifolds[i - 1].child, scratch.manifolds[i].child);
    }
    EXPECT_NEAR(length(m.normal), 1.0, 1e-9);
    for (std::uint32_t p = 0; p < m.point_count; ++p) {
      deepest = std::min(deepest, m.points[p].separation);
      EXPECT_LE(m.points[p].separation, kSpeculativeDistanceM + 1e-9);
      for (std::uint32_t q = 0; q < p; ++q) EXPECT_NE(m.points[p].feature, m.points[q].feature);
    }
  }
  return deepest;
}

/// The deepest separation that must be reached at least, of a shape whose core's signed distance is `core`
/// (docs/COLLISION.md, the table of pairs): all but the bound.
double shallowest_allowed(double core, double radius) { return core + kSurfaceDepthM - radius; }

/// The worst over all poses, m.
struct Worst {
  double depth = 0;   ///< of shapes whose cores are apart
  double normal = 0;  ///< of these, but for normals that are nearly a facet's
};

/// A pose and both of its answers.
struct Trial {
  const TriangleMesh& surface;
  const test::WideShape& shape;
  const SurfaceScratch& scratch;
  Vec3<double> center;
  test::NearestTriangle nearest;
  bool may_pass = false;  ///< what it is nearest to may not push it, having one side
};

void expect_touch_is_right(const Trial& trial, double deepest, Random& random, Worst& worst) {
  double const d = trial.nearest.distance;
  auto const radius = static_cast<double>(test::core_radius(trial.shape));
  double const core = d + radius;
  EXPECT_LE(d, kSpeculativeDistanceM + kSurfaceNormalM + kSearchM) << "invented";
  if (!trial.may_pass) {
    EXPECT_LE(deepest, shallowest_allowed(core, radius) + kSearchM) << "not as deep as it is";
  }
  if (!(core > 0)) {
    if (deepest >= d - kSurfaceDepthM - kSearchM) return;
    // Deeper than the triangle it is deepest in: the facet has a say for another part. It says no more than
    // the way out along a facet that is overlapped; beyond kGhostM it is only ever the facet that the shape
    // is deepest in.
    double const at_least = deepest < d - kGhostM ? -d - kSurfaceDepthM : 0.0;
    EXPECT_GE(deepest, test::longest_way_out(trial.surface, trial.shape, at_least, trial.center, random) -
                           kSurfaceDepthM - kSearchM)
        << "too deep";
    return;
  }
  EXPECT_GE(deepest, d - kSurfaceDepthM - kSearchM) << "deeper than it is";
  bool same_way = false;
  double along = -1e9;  // the gap along the normal of a part that is as near as the nearest triangle
  for (const SurfaceManifold& part : trial.scratch.manifolds) {
    const Manifold<double>& m = part.manifold;
    bool near = false;
    for (std::uint32_t p = 0; p < m.point_count; ++p)
      near = near || m.points[p].separation <= d + kSurfaceDepthM + kSearchM;
    if (!near) continue;
    test::WideShape const triangle = test::wide_triangle(trial.surface, trial.nearest.index);
    along = std::max(along, static_cast<double>(test::gap(triangle, trial.shape,
                                                          test::towards(test::widened(m.normal) * -1))));
    same_way =
        same_way || -dot(m.normal, trial.nearest.direction) >= (part.joined ? kJoinedCosine : kFacetCosine);
  }
  if (trial.may_pass) return;
  worst.depth = std::max(worst.depth, std::abs(deepest - d));
  if (same_way) return;
  EXPECT_GE(along, d - kSurfaceNormalM - kSearchM) << "the wrong way";
  worst.normal = std::max(worst.normal, d - along);
}

template <class Real>
void compare(ShapeKind kind, SurfaceKind surface_kind, bool rounded = false) {
  std::uint64_t const seed = test::property_seed();
  Random random(seed, 900 + static_cast<std::uint64_t>(kind) + 20 * static_cast<std::uint64_t>(surface_kind) +
                          (rounded ? 10 : 0));
  Random search(seed, 9000);  // of the reference, so that poses do not depend on how it searches
  int const poses = test::pose_count(300);
  auto const surfaces = make_surfaces(surface_kind);
  int touching = 0;
  int apart = 0;
  Worst worst;
  SurfaceScratch scratch;
  for (int pose = 0; pose < poses && !testing::Test::HasFailure(); ++pose) {
    const SurfaceGeometry& geometry = *surfaces[static_cast<std::size_t>(pose) % surfaces.size()];
    const TriangleMesh& surface = geometry.surface;
    DrawnSolid<Real> const drawn = draw_shape<Real>(random, kind, rounded, pose % 3 == 0);
    Vec3<Real> const center = draw_center<Real>(random, surface, drawn.geometry, pose);
    test::WideShape const shape = test::wide_shape(drawn.geometry, center);
    auto const before = [&](std::uint32_t t) {
      return !surface.one_sided() || test::is_before(surface, t, to_double(center));
    };
    bool certified = true;
    Trial trial{surface, shape, scratch, to_double(center),
                test::nearest_triangle(surface, shape, kFarM, search, certified, before)};
    double const d = trial.nearest.distance;
    // Nearer to a triangle that it is behind, or as near: at an edge the nearest place decides, and what
    // comes from behind passes.
    if (surface.one_sided()) {
      auto const behind = test::nearest_triangle(surface, shape, kFarM, search, certified,
                                                 [&](std::uint32_t t) { return !before(t); });
      trial.may_pass = behind.found && behind.distance <= d + kSearchM;
    }
    ShapeGeometry<Real> on_surface;
    on_surface.kind = geometry.source.kind;
    on_surface.rotation = to_matrix(Quat<Real>{});
    on_surface.surface = &geometry;
    collide_surface(drawn.geometry, on_surface, -to_double(center), {}, scratch);
    double const deepest = expect_sound(scratch);
    SCOPED_TRACE(testing::Message() << "seed " << seed << " pose " << pose << " distance " << d << " deepest "
                                    << deepest << " parts " << scratch.manifolds.size());
    EXPECT_TRUE(certified) << "the reference must prove its distances";
    if (scratch.manifolds.empty()) {
      ++apart;
      if (!trial.may_pass) {
        EXPECT_GT(d, kSpeculativeDistanceM - kFacetFlatnessM - kSearchM) << "missed";
      }
      continue;
    }
    ++touching;
    expect_touch_is_right(trial, deepest, search, worst);
  }
  if (testing::Test::HasFailure()) return;
  EXPECT_GT(touching, poses / 4);
  EXPECT_GT(apart, poses / 20);
  testing::Test::RecordProperty("worst_depth_um", static_cast<int>(1e6 * worst.depth));
  testing::Test::RecordProperty("worst_normal_um", static_cast<int>(1e6 * worst.normal));
}

template <class Real>
class SurfaceManifoldPropertyTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SurfaceManifoldPropertyTest, Reals);

#define TAKT_PAIR(Shape)                                                \
  TYPED_TEST(SurfaceManifoldPropertyTest, Shape##Mesh) {                \
    compare<TypeParam>(ShapeKind::k##Shape, SurfaceKind::kTwoSided);    \
  }                                                                     \
  TYPED_TEST(SurfaceManifoldPropertyTest, Shape##OneSidedMesh) {        \
    compare<TypeParam>(ShapeKind::k##Shape, SurfaceKind::kOneSided);    \
  }                                                                     \
  TYPED_TEST(SurfaceManifoldPropertyTest, Shape##HeightField) {         \
    compare<TypeParam>(ShapeKind::k##Shape, SurfaceKind::kHeightField); \
  }
TAKT_PAIR(Sphere)
TAKT_PAIR(Capsule)
TAKT_PAIR(Box)
TAKT_PAIR(Cylinder)
TAKT_PAIR(Cone)
TAKT_PAIR(Hull)
#undef TAKT_PAIR

TYPED_TEST(SurfaceManifoldPropertyTest, RoundedHullMesh) {
  compare<TypeParam>(ShapeKind::kHull, SurfaceKind::kTwoSided, true);
}
TYPED_TEST(SurfaceManifoldPropertyTest, RoundedHullOneSidedMesh) {
  compare<TypeParam>(ShapeKind::kHull, SurfaceKind::kOneSided, true);
}
TYPED_TEST(SurfaceManifoldPropertyTest, RoundedHullHeightField) {
  compare<TypeParam>(ShapeKind::kHull, SurfaceKind::kHeightField, true);
}

}  // namespace
}  // namespace takt
