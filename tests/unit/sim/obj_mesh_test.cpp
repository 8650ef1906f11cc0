#include "sim/scene/obj_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sim/scene/face_triangles.h"
#include "takt/core/random.h"

namespace takt::sim {
namespace {

ObjMesh parsed(std::string_view text, double scale = 1.0) {
  auto mesh = parse_obj(text, scale);
  if (mesh) return *std::move(mesh);
  ADD_FAILURE() << mesh.error().line << ": " << mesh.error().text;
  return {};
}

std::string mesh_error_of(std::string_view text, double scale = 1.0) {
  auto const mesh = parse_obj(text, scale);
  return mesh ? "no error" : std::to_string(mesh.error().line) + ": " + mesh.error().text;
}

using Triangles = std::vector<std::array<std::uint32_t, 3>>;
constexpr std::string_view kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(ObjMesh, ReadsWhatModellersWrite) {
  ObjMesh const mesh = parsed(
      "# a roof\r\nmtllib roof.mtl\r\no roof\r\nv 0 0 0 1\r\nv +1.0 0 -0 0.5 0.5 0.5\r\n\tv 1e0 1 0  # "
      "corner\r\nvt 0 0\r\nvn 0 0 1\r\ng left "
      "right\r\ns off\r\n"
      "f 1/1/1 2/1/1 3/1/1\r\nv 0 1 .5\r\nusemtl wood\r\nf -4//1 -2//1 -1//1\r\nf 1/1 \\\r\n  3/1 "
      "4/1\r\nusemtl tin\r\nf 1 2 3\r\nusemtl wood\r\nf 1 "
      "2 3");
  ASSERT_EQ(mesh.vertices_m.size(), 4u);
  EXPECT_EQ(mesh.vertices_m[1], (Vec3<double>{1, 0, 0}));
  EXPECT_EQ(mesh.vertices_m[3], (Vec3<double>{0, 1, 0.5}));
  EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 2, 3}, {0, 1, 2}, {0, 1, 2}}));
  EXPECT_EQ(mesh.names, (std::vector<std::string>{"wood", "tin"}));
  EXPECT_EQ(mesh.first_use_lines, (std::vector<std::uint32_t>{13, 17}));
  EXPECT_EQ(mesh.material_names, (std::vector<std::uint32_t>{ObjMesh::kNoName, 0, 0, 1, 0}));
}

TEST(ObjMesh, ScalesToMetres) {
  EXPECT_EQ(parsed("v 250 -1 0\nv 0 1 0\nv 0 0 1\nf 1 2 3", 0.01).vertices_m[0],
            (Vec3<double>{2.5, -0.01, 0}));
}

TEST(ObjMesh, CutsAConvexFaceIntoAFan) {
  EXPECT_EQ(parsed(std::string(kSquare) + "f 2 3 4 1").triangles, (Triangles{{1, 2, 3}, {1, 3, 0}}));
}

TEST(ObjMesh, NamesWhatIsWrongAndWhere) {
  std::string const square(kSquare);
  EXPECT_EQ(mesh_error_of(""), "1: no face in it: a mesh needs at least one line \"f\"");
  EXPECT_EQ(mesh_error_of("v 0 0"), "1: a vertex needs three numbers");
  EXPECT_EQ(mesh_error_of("\n\nv 0 0 zero"), "3: 'zero' is not a number");
  EXPECT_EQ(mesh_error_of("v 0 0 nan"),
            "1: 'nan' times the scale is beyond 10000 m: choose a smaller \"obj_scale\"");
  EXPECT_EQ(mesh_error_of("v 0 0 20", 1000),
            "1: '20' times the scale is beyond 10000 m: choose a smaller \"obj_scale\"");
  EXPECT_EQ(mesh_error_of(square + "f 1 2"), "5: a face of 2 corners: at least 3 are needed");
  EXPECT_EQ(mesh_error_of(square + "f 1 2 5"), "5: corner '5': there are 4 vertices so far, counted from 1");
  EXPECT_EQ(mesh_error_of(square + "f 1 2 0"), "5: corner '0': there are 4 vertices so far, counted from 1");
  EXPECT_EQ(mesh_error_of(square + "f 1 2 -5"),
            "5: corner '-5': there are 4 vertices so far, counted from 1");
  EXPECT_EQ(
      mesh_error_of(square + "f 1 2 99999999999999999999"),
      "5: '99999999999999999999' is not a corner: expected the number of a vertex, as in 3, 3/1 or 3//2");
  EXPECT_EQ(mesh_error_of(square + "f 1 2 \\\n\\\n x"),
            "5: 'x' is not a corner: expected the number of a vertex, as in 3, 3/1 or 3//2");
  EXPECT_EQ(mesh_error_of(square + "cstype bezier"),
            "5: 'cstype' is not read: a mesh has vertices (v) and faces (f)");
  EXPECT_EQ(mesh_error_of(square + "v 1 0 0.5\nv 0 -1 0\nf 1 3 2 4"),
            "7: a face that crosses itself: cut it into triangles");
  EXPECT_EQ(mesh_error_of("\x01\xff{"), "1: '??{' is not read: a mesh has vertices (v) and faces (f)");
  std::string many = square + "f";
  for (std::size_t i = 0; i <= kMaxObjFaceCorners; ++i) many += " 1";
  EXPECT_EQ(mesh_error_of(many), "5: a face of more than 256 corners");
}

/// Twice the area of a triangle, as a vector along its normal.
Vec3<double> area2(const std::vector<Vec3<double>>& corners, const std::array<std::uint32_t, 3>& t) {
  return cross(corners[t[1]] - corners[t[0]], corners[t[2]] - corners[t[0]]);
}

// Stars with random spikes in random planes: the triangles cover the face once, none is turned over, and none
// has a corner of the face inside.
TEST(FaceTriangles, CoverConcaveFacesOnce) {
  Random random(20261122);
  for (int face = 0; face < 2000; ++face) {
    std::size_t const count = 4 + random.next_below(40);
    Vec3<double> const u{random.next_between(-1, 1), random.next_between(-1, 1), random.next_between(-1, 1)};
    Vec3<double> const w{random.next_between(-1, 1), random.next_between(-1, 1), random.next_between(-1, 1)};
    Vec3<double> const n = cross(u, w);
    std::vector<Vec3<double>> corners;
    for (std::size_t i = 0; i < count; ++i) {
      double const angle = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
      double const reach = random.next_between(0.1, 1.1);
      corners.push_back(u * (reach * std::cos(angle)) + w * (reach * std::sin(angle)) +
                        Vec3<double>{5, -3, 2});
    }
    Vec3<double> whole{};
    for (std::size_t i = 0; i < count; ++i)
      whole += cross(corners[i] - corners[0], corners[(i + 1) % count] - corners[0]);
    Triangles triangles;
    ASSERT_TRUE(append_triangles(corners, triangles)) << face;
    ASSERT_EQ(triangles.size(), count - 2);
    double sum = 0.0;
    for (const auto& triangle : triangles) {
      double const part = dot(area2(corners, triangle), n) / dot(n, n);
      ASSERT_GE(part, -1e-12) << face;
      sum += part;
    }
    EXPECT_NEAR(sum, dot(whole, n) / dot(n, n), 1e-9) << face;
  }
}

TEST(FaceTriangles, LeaveNoCornerInTheMiddleOfAnEdge) {
  std::vector<Vec3<double>> const corners{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}};
  Triangles triangles;
  ASSERT_TRUE(append_triangles(corners, triangles));
  for (const auto& triangle : triangles) EXPECT_GT(area2(corners, triangle).z, 0.0);
}

TEST(FaceTriangles, AFaceWithoutAnAreaIsNoFault) {
  std::vector<Vec3<double>> const corners{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 0, 0}};
  Triangles triangles;
  ASSERT_TRUE(append_triangles(corners, triangles));
  EXPECT_EQ(triangles.size(), 2u);
}

}  // namespace
}  // namespace takt::sim
