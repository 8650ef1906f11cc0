// Meshes and height fields from definitions to the pool of a world: neighbours and facets, the tree against
// looking at everything, refusals by name with nothing half-created, geometry stored once, images that lie.
#include "physics/geometry/triangle_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/base/radix_order.h"
#include "physics/geometry/mesh_geometry.h"
#include "physics/state/world_image.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "takt/core/random.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"

namespace takt {
namespace {

using test::at;

const SurfaceGeometry& made(const MeshDef& mesh, std::shared_ptr<const SurfaceGeometry>& keep) {
  keep = make_surface(mesh).value();
  return *keep;
}

TEST(TriangleMesh, AFlatGridIsOneFacetAndABoxSix) {
  std::shared_ptr<const SurfaceGeometry> keep;
  test::MeshSource const grid = test::grid_mesh(50, 10, 0.2, 0, 0, [](double, double) { return 0.0; });
  const TriangleMesh& flat = made(grid.def(), keep).surface;
  EXPECT_EQ(flat.triangle_count(), 1000u);
  EXPECT_EQ(flat.facet_count(), 1u);
  EXPECT_EQ(flat.facet(0).normal, (Vec3<double>{0, 1, 0}));
  EXPECT_EQ(flat.border_edge_count(), 120u);
  std::shared_ptr<const SurfaceGeometry> keep_box;
  const TriangleMesh& box = made(test::box_mesh(1, 2, 3).def(), keep_box).surface;
  EXPECT_EQ(box.facet_count(), 6u);
  EXPECT_EQ(box.border_edge_count(), 0u);
  for (std::uint32_t t = 0; t < box.triangle_count(); ++t) {
    EXPECT_GT(dot(box.normal(t), box.corner(t, 0)), 0) << "fronts look outward";
    for (std::uint32_t e = 0; e < 3; ++e) {
      std::uint32_t const other = box.triangle(t).neighbours[e];
      ASSERT_NE(other, TriangleMesh::kNone);
      EXPECT_EQ(std::ranges::count(box.triangle(other).neighbours, t), 1);
      EXPECT_GT(dot(box.beyond_edge(t, e), box.corner(t, e) - box.corner(t, (e + 2) % 3)), 0);
    }
  }
}

// Triangles of other materials are other facets; a fold of a degree is two.
TEST(TriangleMesh, FacetsEndAtFoldsAndMaterials) {
  std::shared_ptr<const SurfaceGeometry> keep;
  test::MeshSource const fold =
      test::grid_mesh(10, 4, 0.5, -2.5, 0, [](double x, double) { return -std::abs(x) * 0.0175; });
  EXPECT_EQ(made(fold.def(), keep).surface.facet_count(), 2u);
  test::MeshSource const grid = test::grid_mesh(10, 4, 0.5, 0, 0, [](double, double) { return 0.0; });
  std::vector<std::uint8_t> materials(grid.triangles.size(), 0);
  materials[7] = 1;
  std::vector<SurfaceMaterial> const kinds(2);
  MeshDef mesh = grid.def();
  mesh.triangle_materials = materials;
  mesh.materials = kinds;
  EXPECT_EQ(made(mesh, keep).surface.facet_count(), 2u);
}

TEST(TriangleMesh, TheTreeFindsWhatLookingAtEverythingFinds) {
  std::shared_ptr<const SurfaceGeometry> keep;
  Random random(3, 1);
  test::MeshSource const bumps =
      test::grid_mesh(40, 30, 0.3, -6, -4, [](double x, double z) { return std::sin(x) * std::cos(2 * z); });
  const TriangleMesh& surface = made(bumps.def(), keep).surface;
  std::size_t max = 0;
  for (int i = 0; i < 500; ++i) {
    Vec3<double> lower;
    lower.x = random.next_between(-8, 8);
    lower.y = random.next_between(-2, 2);
    lower.z = random.next_between(-6, 6);
    Vec3<double> size;
    size.x = random.next_between(0, 4);
    size.y = random.next_between(0, 2);
    size.z = random.next_between(0, 4);
    SurfaceBox const box{lower, lower + size};
    std::vector<std::uint32_t> found;
    surface.visit_triangles(box, [&found](std::uint32_t t) { found.push_back(t); });
    std::sort(found.begin(), found.end());
    std::vector<std::uint32_t> all;
    for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
      if (overlap(surface.triangle_box(t), box)) all.push_back(t);
    }
    ASSERT_EQ(found, all);
    max = std::max(max, all.size());
  }
  EXPECT_GT(max, 50u);
}

/// Everything that a surface holds, in one number.
std::uint64_t fingerprint(const TriangleMesh& surface) {
  std::vector<std::byte> bytes;
  auto const add = [&bytes](auto value) {
    std::size_t const at = bytes.size();
    bytes.resize(at + sizeof value);
    store_little_endian(bytes.data() + at, value);
  };
  auto const add_vector = [&add](Vec3<double> v) {
    for (double const component : {v.x, v.y, v.z}) add(component);
  };
  for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
    for (std::uint32_t const neighbour : surface.triangle(t).neighbours) add(neighbour);
    add(surface.triangle(t).facet);
  }
  for (std::uint32_t f = 0; f < surface.facet_count(); ++f) {
    add_vector(surface.facet(f).normal);
    add(surface.facet(f).offset);
    add(surface.facet(f).first_triangle);
  }
  for (std::uint32_t v = 0; v < surface.vertices().size(); ++v) {
    for (std::uint32_t const other : surface.ring(v)) add(other);
    add_vector(surface.corner_normal(v));
  }
  add(surface.border_edge_count());
  surface.visit_triangles(surface.box(), add);
  return hash_bytes(bytes);
}

// A height field of 512 x 512 took 0.77 s to build, by comparison sorts of all triangles at each level of the
// tree. The numbers are those of that version: the order of a tree's triangles decides the order of contacts.
TEST(TriangleMesh, AFasterBuildKeepsEveryBit) {
  Random random(17, 1);
  std::vector<double> heights(60 * 70);
  for (double& height : heights) height = random.next_between(0, 4) < 3 ? 0.0 : random.next_between(-1, 1);
  std::vector<std::uint8_t> holes(59 * 69, 0);
  for (std::size_t i = 0; i < holes.size(); i += 31) holes[i] = 1;
  HeightFieldDef const field{60, 70, 0.5, 0.75, heights, holes};
  EXPECT_EQ(fingerprint(make_surface(field).value()->surface), 216471677356808627u);
  test::MeshSource bumps = test::grid_mesh(40, 30, 0.3, -6, -4, [&random](double x, double z) {
    return x < 0 ? 0.125 * z : random.next_between(0, 0.5);
  });
  std::swap(bumps.triangles[5][0], bumps.triangles[5][1]);  // faces down
  bumps.triangles.push_back(bumps.triangles[9]);            // three triangles at its edges
  EXPECT_EQ(fingerprint(make_surface(bumps.def()).value()->surface), 9297188767584356256u);
  bumps.one_sided = true;
  EXPECT_EQ(fingerprint(make_surface(bumps.def()).value()->surface), 10285206801760909655u);
  EXPECT_EQ(fingerprint(make_surface(test::box_mesh(1, 2, 3).def()).value()->surface), 2778451580555234653u);
}

TEST(RadixOrderTest, EqualsAStableSort) {
  Random random(5, 1);
  for (std::uint64_t const range : {1ull, 7ull, 5'000ull, 1ull << 33, ~0ull}) {
    std::vector<std::uint64_t> keys(3'000);
    for (std::uint64_t& key : keys)
      key = (static_cast<std::uint64_t>(random.next_between(0, 1) * 0x1p32) << 32 |
             static_cast<std::uint64_t>(random.next_between(0, 1) * 0x1p32)) %
            range;
    std::vector<std::uint32_t> expected(keys.size());
    for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = i;
    std::stable_sort(expected.begin(), expected.end(),
                     [&keys](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    EXPECT_EQ(ascending_order(keys), expected) << range;
  }
  EXPECT_TRUE(ascending_order({}).empty());
}

TEST(MeshReportTest, SaysWhatIsClosedAndWhatIsLeftOut) {
  MeshReport const box = mesh_report(test::box_mesh(1, 1, 1).def()).value();
  EXPECT_TRUE(box.closed);
  EXPECT_EQ(box.triangle_count, 12u);
  test::MeshSource open = test::box_mesh(1, 1, 1);
  open.triangles.pop_back();
  EXPECT_FALSE(mesh_report(open.def())->closed);
  EXPECT_EQ(mesh_report(open.def())->border_edge_count, 3u);
  test::MeshSource rotated = test::box_mesh(1, 1, 1);
  std::swap(rotated.triangles[4][0], rotated.triangles[4][1]);  // one front looks inward
  EXPECT_FALSE(mesh_report(rotated.def())->closed);
  test::MeshSource thin = test::box_mesh(1, 1, 1);
  thin.vertices.push_back({0, 0, 0});
  thin.vertices.push_back({1, 0, 0});
  thin.vertices.push_back({0.5, 5e-6, 0});
  thin.triangles.insert(thin.triangles.begin() + 2, {8, 9, 10});
  thin.triangles.push_back({0, 1, 1});
  MeshReport const report = mesh_report(thin.def()).value();
  EXPECT_EQ(report.degenerate_count, 2u);
  EXPECT_EQ(report.first_degenerate, 2u);
  EXPECT_EQ(report.triangle_count, 12u);
}

// Corners that stand at one place are one, whoever numbers them: the same box of 8 and of 36 corners is the
// same geometry.
TEST(SurfaceGeometryTest, EqualPlacesAreOneCorner) {
  test::MeshSource const box = test::box_mesh(1, 1, 1);
  test::MeshSource loose;
  for (const auto& triangle : box.triangles) {
    for (std::uint32_t const index : triangle) loose.vertices.push_back(box.vertices[index]);
    auto const n = static_cast<std::uint32_t>(loose.vertices.size());
    loose.triangles.push_back({n - 3, n - 2, n - 1});
  }
  EXPECT_EQ(make_surface(box.def()).value()->digest, make_surface(loose.def()).value()->digest);
  EXPECT_TRUE(mesh_report(loose.def())->closed);
  test::MeshSource const other = test::box_mesh(1, 1, 1.0001);
  EXPECT_NE(make_surface(box.def()).value()->digest, make_surface(other.def()).value()->digest);
}

// The diagonal of a cell runs from (r, c) to (r + 1, c + 1): over a saddle the middle of the cell lies on it.
TEST(SurfaceGeometryTest, TheDiagonalOfAHeightFieldIsStated) {
  std::vector<double> const heights = {1, 0, 0, 3};
  HeightFieldDef const field{2, 2, 1.0, 2.0, heights};
  auto const geometry = make_surface(field).value();
  ASSERT_EQ(geometry->surface.triangle_count(), 2u);
  for (std::uint32_t t = 0; t < 2; ++t) {
    std::vector<Vec3<double>> corners;
    for (std::uint32_t i = 0; i < 3; ++i) corners.push_back(geometry->surface.corner(t, i));
    EXPECT_EQ(std::ranges::count(corners, Vec3<double>{0, 1, 0}), 1);
    EXPECT_EQ(std::ranges::count(corners, Vec3<double>{1, 3, 2}), 1);
    EXPECT_GT(geometry->surface.normal(t).y, 0);
  }
  std::vector<double> const wide(12, 0.0);
  std::vector<std::uint8_t> const holes = {0, 1, 0, 0, 0, 0};
  HeightFieldDef with_hole{3, 4, 1.0, 1.0, wide, holes};
  EXPECT_EQ(make_surface(with_hole).value()->surface.triangle_count(), 10u);
}

template <class Real>
class SurfaceWorldTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SurfaceWorldTest, Reals);

TYPED_TEST(SurfaceWorldTest, BadDefinitionsAreRefusedByNameAndLeaveNothing) {
  auto world = test::make_world<TypeParam>();
  std::uint64_t const before = world.hash();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const refusal = [&](const ShapeDef& shape, BodyType type) {
    // A good hull before it must not stay behind in the pool.
    static const std::vector<Vec3<double>> kTetrahedron = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    std::array<ShapeDef, 2> const shapes = {test::hull(kTetrahedron), shape};
    auto const made = world.create_body(test::body(type, shapes, {}));
    EXPECT_EQ(world.hash(), before);
    return made.ok() ? PhysicsError{} : made.error();
  };
  auto const of_mesh = [&](const MeshDef& mesh, BodyType type = BodyType::kStatic) {
    return refusal(test::mesh_shape(mesh), type);
  };
  test::MeshSource const box = test::box_mesh(1, 1, 1);
  EXPECT_EQ(of_mesh(box.def(), BodyType::kDynamic), PhysicsError::kMeshOnDynamic);
  EXPECT_EQ(of_mesh({}), PhysicsError::kMeshEmpty);
  ShapeDef none;
  none.kind = ShapeKind::kMesh;
  EXPECT_EQ(refusal(none, BodyType::kStatic), PhysicsError::kMeshEmpty);
  test::MeshSource bad = box;
  bad.triangles[5][1] = 8;
  EXPECT_EQ(of_mesh(bad.def()), PhysicsError::kMeshBadIndex);
  EXPECT_EQ(mesh_report(bad.def()).error().triangle, 5u);
  bad = box;
  bad.vertices[3].y = nan;
  EXPECT_EQ(of_mesh(bad.def()), PhysicsError::kNotFinite);
  EXPECT_EQ(mesh_report(bad.def()).error().vertex, 3u);
  bad.vertices[3].y = 10'001;
  EXPECT_EQ(of_mesh(bad.def()), PhysicsError::kShapeTooLarge);
  bad = box;
  for (auto& triangle : bad.triangles) triangle = {1, 1, 2};
  EXPECT_EQ(of_mesh(bad.def()), PhysicsError::kMeshEmpty);
  MeshDef mesh = box.def();
  std::vector<std::uint8_t> materials(12, 0);
  mesh.triangle_materials = materials;
  EXPECT_EQ(of_mesh(mesh), PhysicsError::kMeshBadMaterial);
  std::vector<SurfaceMaterial> kinds = {{0.5, 0}};
  mesh.materials = kinds;
  materials[11] = 1;
  EXPECT_EQ(of_mesh(mesh), PhysicsError::kMeshBadMaterial);
  EXPECT_EQ(mesh_report(mesh).error().triangle, 11u);
  materials[11] = 0;
  kinds[0].friction = nan;
  EXPECT_EQ(of_mesh(mesh), PhysicsError::kNotFinite);
  kinds[0].friction = -1;
  EXPECT_EQ(of_mesh(mesh), PhysicsError::kOutOfRange);
  std::vector<std::array<std::uint32_t, 3>> const many(kMaxMeshTriangles + 1, {0, 1, 2});
  mesh = box.def();
  mesh.triangles = many;
  EXPECT_EQ(of_mesh(mesh), PhysicsError::kMeshTooLarge);

  auto const of_field = [&](const HeightFieldDef& field, BodyType type = BodyType::kStatic) {
    return refusal(test::height_field_shape(field), type);
  };
  std::vector<double> heights(6, 0.0);
  HeightFieldDef const good{2, 3, 1.0, 1.0, heights};
  EXPECT_EQ(of_field(good, BodyType::kKinematic), PhysicsError::kHeightFieldNotStatic);
  EXPECT_EQ(of_field({}), PhysicsError::kHeightFieldBadSize);
  EXPECT_EQ(of_field({3, 3, 1.0, 1.0, heights}), PhysicsError::kHeightFieldBadSize);
  EXPECT_EQ(of_field({2, 3, 0.001, 1.0, heights}), PhysicsError::kHeightFieldBadSize);
  EXPECT_EQ(of_field({2, 3, 1.0, nan, heights}), PhysicsError::kNotFinite);
  EXPECT_EQ(of_field({2, 3, 1.0, -1.0, heights}), PhysicsError::kHeightFieldBadSize);
  std::vector<std::uint8_t> const holes = {1, 1};
  EXPECT_EQ(of_field({2, 3, 1.0, 1.0, heights, holes}), PhysicsError::kMeshEmpty);
  heights[2] = nan;
  EXPECT_EQ(of_field(good), PhysicsError::kNotFinite);
  heights[2] = 20'000;
  EXPECT_EQ(of_field(good), PhysicsError::kShapeTooLarge);
}

TYPED_TEST(SurfaceWorldTest, EqualGeometryIsStoredOnceAndGoesWithItsLastShape) {
  auto world = test::make_world<TypeParam>();
  std::size_t const empty = world.size_bytes();
  test::MeshSource const ground =
      test::grid_mesh(20, 20, 0.5, -5, -5, [](double x, double z) { return 0.1 * std::sin(x + z); });
  MeshDef const mesh = ground.def();
  BodyId const first = test::add(world, BodyType::kStatic, test::mesh_shape(mesh), {});
  std::size_t const one = world.size_bytes();
  BodyId const second = test::add(world, BodyType::kKinematic, test::mesh_shape(mesh), at(20, 0, 0));
  std::size_t const two = world.size_bytes();
  EXPECT_LT(two - one, 600u) << "a body and a shape";
  EXPECT_GT(one - empty, 441u * 24u);
  auto const fresh = std::move(load_image<TypeParam>(world.save())).value();
  EXPECT_EQ(fresh.surfaces.entries.size(), 1u);
  EXPECT_EQ(fresh.surfaces.entries[0].use_count, 2u);
  ASSERT_TRUE(world.destroy_body(first).ok());
  ASSERT_TRUE(world.destroy_body(second).ok());
  EXPECT_LT(world.size_bytes(), empty + 1000);
}

// A sensor on a moving mesh beside a half-space or another mesh ended the program: neither shape is convex.
TYPED_TEST(SurfaceWorldTest, ASensorOnAMovingMeshOverlapsNoHalfSpaceAndNoMesh) {
  test::MeshSource const source = test::box_mesh(1, 1, 1);
  MeshDef const mesh = source.def();
  for (ShapeKind const kind : {ShapeKind::kHalfSpace, ShapeKind::kMesh}) {
    for (bool const is_moving_sensor : {true, false}) {
      auto world = test::make_world<TypeParam>();
      ShapeDef moving = test::mesh_shape(mesh);
      moving.is_sensor = is_moving_sensor;
      BodyId const body = test::add(world, BodyType::kKinematic, moving, {});
      ASSERT_TRUE(world.set_velocity(body, {0.1, 0, 0}, {}).ok());
      ShapeDef still = test::mesh_shape(mesh);
      if (kind == ShapeKind::kHalfSpace) still = {};
      still.kind = kind;
      still.is_sensor = !is_moving_sensor;
      (void)test::add(world, BodyType::kStatic, still, {});
      ShapeDef ball;
      ball.kind = ShapeKind::kSphere;
      ball.radius_m = 0.3;
      (void)test::add(world, BodyType::kDynamic, ball, at(1, 0.1, 0));
      (void)world.step();
      EXPECT_EQ(world.events().sensor_begin.size(), 1u) << "the ball alone";
    }
  }
}

TYPED_TEST(SurfaceWorldTest, RestoredAtEveryTickAndRolledBackItGoesOnTheSame) {
  auto world = test::make_world<TypeParam>();
  std::vector<double> heights;
  for (int i = 0; i < 21 * 21; ++i) heights.push_back(0.2 * std::sin(i * 0.7));
  HeightFieldDef const field{21, 21, 0.5, 0.5, heights};
  (void)test::add(world, BodyType::kStatic, test::height_field_shape(field), at(-5, -1, -5));
  (void)test::add(world, BodyType::kStatic, test::mesh_shape(test::box_mesh(1, 0.5, 1).def()), at(0, -0.4, 0),
                  test::about_y(0.3));
  (void)test::add(world, BodyType::kDynamic, test::box(0.3, 0.2, 0.3), at(0.4, 0.5, 0), test::about_z(0.2));
  (void)test::add(world, BodyType::kDynamic, test::sphere(0.3), at(-2, 0.5, 1));
  (void)test::add(world, BodyType::kDynamic, test::cylinder(0.3, 0.3), at(2, 0.5, 1), test::about_x(1));
  auto other = World<TypeParam>::restore(world.save());
  ASSERT_TRUE(other.ok());
  for (int tick = 0; tick < 120; ++tick) {
    (void)world.step();
    auto again = World<TypeParam>::restore(other->save());
    ASSERT_TRUE(again.ok()) << message(again.error());
    *other = std::move(*again);
    (void)other->step();
    ASSERT_EQ(world.hash(), other->hash()) << "tick " << tick;
  }
  ASSERT_TRUE(World<TypeParam>::diff(world, *other).empty());
  std::vector<ContactView> contacts;
  world.list_contacts(contacts);
  EXPECT_GT(contacts.size(), 5u);
}

// Every byte of the surfaces in an image, changed: the image must be refused, never believed or crashed on.
TYPED_TEST(SurfaceWorldTest, ImagesWhoseSurfacesLieAreRefused) {
  auto world = test::make_world<TypeParam>();
  test::MeshSource const box = test::box_mesh(1, 1, 1);
  (void)test::add(world, BodyType::kStatic, test::mesh_shape(box.def()), {});
  std::vector<double> const heights = {0, 0, 0, 0.5};
  HeightFieldDef const field{2, 2, 1, 1, heights};
  (void)test::add(world, BodyType::kStatic, test::height_field_shape(field), {});
  (void)test::add(world, BodyType::kDynamic, test::box(0.3, 0.2, 0.3), at(0, 1.2, 0));
  test::run(world, 5);
  std::vector<std::byte> const image = world.save();
  ASSERT_TRUE(World<TypeParam>::restore(image).ok());
  std::size_t believed = 0;
  std::size_t refused = 0;
  for (std::uint64_t const digest :
       {make_surface(box.def()).value()->digest, make_surface(field).value()->digest}) {
    std::array<std::byte, 8> bytes{};
    store_little_endian(bytes.data(), digest);
    auto const at_record = std::search(image.begin(), image.end(), bytes.begin(), bytes.end());
    auto const at_entry = std::search(at_record + 8, image.end(), bytes.begin(), bytes.end());
    ASSERT_TRUE(at_record != image.end() && at_entry != image.end());
    for (std::ptrdiff_t index = at_entry - image.begin(); index < at_entry - image.begin() + 80; ++index) {
      std::vector<std::byte> lie = image;
      lie[static_cast<std::size_t>(index)] ^= std::byte{1};
      store_little_endian(lie.data() + 24,
                          hash_bytes(std::span<const std::byte>(lie).subspan(kWorldImageHeaderBytes)));
      ++(World<TypeParam>::restore(lie).ok() ? believed : refused);
    }
  }
  EXPECT_EQ(believed, 0u);
  EXPECT_EQ(refused, 160u);
}

}  // namespace
}  // namespace takt
