#include "takt/sim/scene.h"

#include <gtest/gtest.h>

#include <clocale>

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

std::string scene_error_of(std::string_view json) {
  Result<Scene, SceneError> const scene = load_scene(json, "s.json");
  return scene ? "no error" : message(scene.error());
}

std::string body_json(std::string_view fields) { return "{\"bodies\": [\n{" + std::string(fields) + "}]}"; }

TEST(Scene, ReadsEveryFieldOfABody) {
  Scene const scene = parse_scene(
      R"({"title": "T", "world": {"gravity": [1, 2, 3], "tick_rate_hz": 120, "substeps": 8, "restitution_mix": "multiply", "hit_threshold": 2.5, "seed": 5, "max_bodies": 9},
    "players": {"max_players": 3, "push": "own", "spawn": false, "max_speed": 7.5}, "camera": {"eye": [1, 2, 3]},
    "bodies": [{"name": "b", "type": "kinematic", "position": {"x": 1.5, "y": -2, "z": 3}, "rotation": [0, 0, 0, 1], "velocity": [1, 0, 0],
      "angular_velocity": [0, 2, 0], "linear_damping": 0.25, "angular_damping": 0.5, "gravity_scale": -1, "enabled": false,
      "locked": {"linear_z": true, "angular_x": true, "angular_y": true}, "user_tag": 18446744073709551615,
      "shapes": [{"capsule": {"radius": 0.25, "length": 3}, "position": [0, 1, 0], "friction": 0.1, "restitution": 0.2, "density": 300,
        "friction_mix": "minimum", "rolling_resistance": 0.5, "softness": {"spring": {"stiffness": 20000, "damping": 50}}, "sensor": true, "surface_velocity": [1, 2, -3], "filter": {"category": 4294967295, "mask": 6, "group": -9}}],
      "motion": {"to": [1.5, 4, 3], "period": 2, "phase": 0.5}}]})");
  EXPECT_EQ(scene.title, "T");
  EXPECT_EQ(scene.world.gravity_m_s2, (Vec3<double>{1, 2, 3}));
  EXPECT_EQ(scene.world.tick_rate_hz, 120u);
  EXPECT_EQ(scene.world.substeps, 8u);
  EXPECT_EQ(scene.world.seed, 5u);
  EXPECT_EQ(scene.policy.max_players, 3u);
  EXPECT_EQ(scene.policy.push, Touch::kOwn);
  EXPECT_FALSE(scene.policy.spawn);
  EXPECT_EQ(scene.policy.max_speed_m_s, 7.5);
  EXPECT_EQ(scene.camera.eye_m, (Vec3<double>{1, 2, 3}));
  ASSERT_EQ(scene.bodies.size(), 1u);
  SceneBody const& body = scene.bodies[0];
  EXPECT_EQ(body.def.type, BodyType::kKinematic);
  EXPECT_EQ(body.def.position, Position::from_metres(1.5, -2, 3));
  EXPECT_EQ(body.def.user_tag, ~std::uint64_t{0});
  EXPECT_EQ(body.def.gravity_scale, -1);
  EXPECT_EQ(body.def.locked_axes, kLockToPlaneXY);
  EXPECT_FALSE(body.def.enabled);
  ASSERT_EQ(body.shapes.size(), 1u);
  EXPECT_EQ(body.shapes[0].kind, ShapeKind::kCapsule);
  EXPECT_EQ(body.shapes[0].half_length_m, 1.5);
  EXPECT_EQ(body.shapes[0].friction, 0.1);
  EXPECT_EQ(body.shapes[0].filter, (ShapeFilter{4294967295u, 6, -9}));
  EXPECT_EQ(body.shapes[0].friction_rule, MixRule::kMinimum);
  EXPECT_EQ(body.shapes[0].restitution_rule, MixRule::kWorld);
  EXPECT_TRUE(body.shapes[0].is_sensor);
  EXPECT_EQ(scene.world.hit_threshold_m_s, 2.5);
  EXPECT_EQ(body.shapes[0].rolling_resistance, 0.5);
  EXPECT_EQ(body.shapes[0].contact_softness, Softness::spring(20000, 50));
  EXPECT_EQ(body.shapes[0].surface_velocity_m_s, (Vec3<double>{1, 2, -3}));
  EXPECT_EQ(scene.world.friction_rule, MixRule::kGeometricMean);
  EXPECT_EQ(scene.world.restitution_rule, MixRule::kMultiply);
  ASSERT_TRUE(body.motion);
  EXPECT_EQ(body.motion->phase_s, 0.5);
}

TEST(Scene, MessagesNameFileLineFieldAndWhatIsAllowed) {
  EXPECT_EQ(scene_error_of("{\"bodies\": [{\"shapes\": [{\"sphere\": {}}]},\n{\n\"shapes\": [{\"box\": "
                           "{},\n\"density\": -5}]}]}"),
            "s.json:4: bodies[1].shapes[0].density: -5 is out of range: allowed is 0 to 1e+09");
  EXPECT_EQ(scene_error_of("{\n\"gravitty\": 1}"),
            "s.json:2: unknown field \"gravitty\": allowed here are version, title, world, players, camera, "
            "bodies, generators, ropes, joints");
  EXPECT_EQ(scene_error_of("{\"world\":\n{\"gravity\": [1, 2]}}"),
            "s.json:2: world.gravity: expected 3 numbers (x, y, z), not 2");
  EXPECT_EQ(scene_error_of("{\"world\": {\"gravity\": [1, 2, 3, 4]}}"),
            "s.json:1: world.gravity: too many numbers: expected 3 (x, y, z)");
  EXPECT_EQ(scene_error_of("{\"world\": {\"gravity\": [1e999, 0, 0]}}"),
            "s.json:1: world.gravity.x: inf is out of range: allowed is -1000 to 1000");
  EXPECT_EQ(scene_error_of("{\"world\": {\"tick_rate_hz\": 1.5}}"),
            "s.json:1: world.tick_rate_hz: 1.5 is not whole: expected a whole number");
  EXPECT_EQ(scene_error_of("{\"world\": {\"substeps\": 65}}"),
            "s.json:1: world.substeps: 65 is out of range: allowed is 1 to 64");
  EXPECT_EQ(scene_error_of("{\"world\": {\"seed\": -1}}"),
            "s.json:1: world.seed: -1 is negative: expected a whole number from 0");
  EXPECT_EQ(scene_error_of("{\"players\": {\"push\": \"all\"}}"),
            "s.json:1: players.push: unknown word \"all\": expected one of nothing, own, anything");
  EXPECT_EQ(scene_error_of("{\"world\": {\"friction_mix\": \"world\"}}"),
            "s.json:1: world.friction_mix: not a rule here: expected one of average, geometric_mean, "
            "minimum, multiply, maximum");
  EXPECT_EQ(scene_error_of("{\"players\": {\"spawn\": 1}}"),
            "s.json:1: players.spawn: wrong kind of value: expected true or false");
  EXPECT_EQ(scene_error_of("{\"title\": \"a\",\n\"title\": \"b\"}"),
            "s.json:2: field \"title\" is set twice: once is allowed");
  EXPECT_EQ(scene_error_of("{\"version\": 2}"), "s.json:1: version: 2 is unknown: this takt reads version 1");
  EXPECT_EQ(scene_error_of("[]"), "s.json:1: wrong kind of value: expected an object {...}");
}

TEST(Scene, BodiesThatTheEngineWouldRefuseAreRefusedWithTheirField) {
  EXPECT_EQ(scene_error_of(body_json("\"shapes\": []")),
            "s.json:2: bodies[0]: \"shapes\" is missing or empty: expected 1 to 4096 shapes");
  EXPECT_EQ(scene_error_of(body_json("\"shapes\": [{}]")),
            "s.json:2: bodies[0].shapes[0]: a shape is exactly one of sphere, capsule, box, half_space, "
            "cylinder, cone, hull, mesh, height_field, not 0");
  EXPECT_EQ(
      scene_error_of(body_json("\"shapes\": [{\"half_space\": {}}]")),
      "s.json:2: bodies[0].shapes[0].half_space: a half-space has no mass: allowed on static bodies only");
  EXPECT_EQ(scene_error_of(body_json("\"shapes\": [{\"sphere\": {}, \"density\": 0}]")),
            "s.json:2: bodies[0].shapes: their densities give a mass of 0 kg: allowed is 1e-04 to 1e+08");
  EXPECT_EQ(scene_error_of(body_json(
                "\"mass\": {\"mass\": -1, \"inertia\": [1, 1, 1]}, \"shapes\": [{\"sphere\": {}}]")),
            "s.json:2: bodies[0].mass.mass: -1 is out of range: allowed is 1e-04 to 1e+08");
  EXPECT_EQ(
      scene_error_of(
          body_json("\"mass\": {\"mass\": 1, \"inertia\": [1, 1, 3]}, \"shapes\": [{\"sphere\": {}}]")),
      "s.json:2: bodies[0].mass.inertia: no solid has these moments: each must be at most the sum of the "
      "others");
  EXPECT_EQ(
      scene_error_of(body_json("\"rotation\": [0, 0, 0, 2], \"shapes\": [{\"sphere\": {}}]")),
      "s.json:2: bodies[0].rotation: its length is not 1 within 1 %: normalise it, or write euler_degrees");
  EXPECT_EQ(scene_error_of(body_json("\"velocity\": [3000, 3000, 0], \"shapes\": [{\"sphere\": {}}]")),
            "s.json:2: bodies[0].velocity: its length is out of range: allowed is 0 to 4000");
  EXPECT_EQ(
      scene_error_of(
          body_json("\"type\": \"static\", \"velocity\": [1, 0, 0], \"shapes\": [{\"sphere\": {}}]")),
      "s.json:2: bodies[0].velocity: static bodies do not move: leave it out or make the body kinematic");
  EXPECT_EQ(scene_error_of(body_json("\"motion\": {\"to\": [1, 0, 0]}, \"shapes\": [{\"sphere\": {}}]")),
            "s.json:2: bodies[0].motion: only kinematic bodies have a motion: set \"type\": \"kinematic\"");
  EXPECT_EQ(scene_error_of(body_json("\"position\": [2e9, 0, 0], \"shapes\": [{\"sphere\": {}}]")),
            "s.json:2: bodies[0].position.x: 2e+09 is out of range: allowed is -1e+09 to 1e+09");
}

TEST(Scene, ReadsMeshesAndHeightFields) {
  auto const scene = std::make_unique<Scene>(parse_scene(R"({"bodies": [{"type": "static", "shapes": [
    {"mesh": {"vertices": [[0, 0, 0], [0, 0, 1], [1, 0, 0]], "triangles": [[0, 1, 2]], "one_sided": true,
              "materials": [{"friction": 0.25, "restitution": 0.5}], "triangle_materials": [0]}},
    {"height_field": {"rows": 2, "columns": 3, "spacing_x": 2, "heights": [0, 1, 2, 3, 4, 5], "holes": [0, 1]}}]}]})"));
  Scene const copy = *scene;
  std::uint64_t const hash = scene_hash(*scene);
  *scene = Scene{};  // what the copy's shapes look at must not have gone with it
  EXPECT_EQ(scene_hash(copy), hash);
  ShapeDef const& mesh = copy.bodies[0].shapes[0];
  ASSERT_EQ(mesh.kind, ShapeKind::kMesh);
  EXPECT_TRUE(mesh.mesh->one_sided);
  ASSERT_EQ(mesh.mesh->triangles.size(), 1u);
  EXPECT_EQ(mesh.mesh->triangles[0][2], 2u);
  EXPECT_EQ(mesh.mesh->vertices_m[1], (Vec3<double>{0, 0, 1}));
  EXPECT_EQ(mesh.mesh->materials[0], (SurfaceMaterial{0.25, 0.5}));
  ShapeDef const& field = copy.bodies[0].shapes[1];
  ASSERT_EQ(field.kind, ShapeKind::kHeightField);
  EXPECT_EQ(field.height_field->columns, 3u);
  EXPECT_EQ(field.height_field->spacing_x_m, 2.0);
  EXPECT_EQ(field.height_field->heights_m[5], 5.0);
  EXPECT_EQ(field.height_field->holes[1], 1);
}

TEST(Scene, EveryPartOfASurfaceCountsInTheHash) {
  auto const hash = [](const std::string& mesh) {
    return scene_hash(parse_scene("{\"bodies\": [{\"type\": \"static\", \"shapes\": [{" + mesh + "}]}]}"));
  };
  std::string const head =
      "\"mesh\": {\"vertices\": [[0, 0, 0], [0, 0, 1], [1, 0, 0]], \"triangles\": [[0, 1, 2]]";
  EXPECT_NE(hash(head + "}"), hash(head + ", \"one_sided\": true}"));
  EXPECT_NE(hash(head + "}"), hash(head + ", \"materials\": [{}]}"));
  std::string const field = "\"height_field\": {\"rows\": 2, \"columns\": 2, \"heights\": [0, 0, 0, ";
  EXPECT_NE(hash(field + "0]}"), hash(field + "1]}"));
  EXPECT_NE(hash(field + "0]}"), hash(field + "0], \"spacing_z\": 2}"));
  EXPECT_NE(hash(field + "0]}"), hash(field + "0], \"holes\": [0], \"materials\": [{}]}"));
}

TEST(Scene, BadSurfacesAreNamedWithTheirPlace) {
  auto const shape = [](const std::string& fields, const std::string& type) {
    return scene_error_of("{\"bodies\": [\n{\"type\": \"" + type + "\", \"shapes\": [\n{" + fields + "}]}]}");
  };
  std::string const place = "s.json:3: bodies[0].shapes[0].";
  std::string const corners = "\"mesh\": {\"vertices\": [[0, 0, 0], [0, 0, 1], [1, 0, 0]]";
  EXPECT_EQ(shape(corners + ", \"triangles\": [[0, 1, 2]]}", "dynamic"),
            place + "mesh: a mesh has no mass: allowed on static and kinematic bodies only");
  EXPECT_EQ(shape(corners + "}", "static"),
            place + "mesh: a mesh needs \"vertices\" and \"triangles\", or \"obj\"");
  EXPECT_EQ(shape(corners + ", \"triangles\": [[0, 1, 2], [0, 1, 3]]}", "static"),
            place +
                "mesh.triangles: triangle 1: a triangle of a mesh names a vertex that does not exist: "
                "indices count from 0");
  // No triangle of the mesh is at fault alone: none is named.
  EXPECT_EQ(shape(corners + ", \"triangles\": [[0, 1, 1]]}", "static"),
            place + "mesh.triangles: a mesh has no triangle with an area: give it one");
  std::string const bad_materials =
      "bad materials of a surface: give an index below the number of materials for each triangle or cell, "
      "and "
      "at most 64 materials";
  std::string const painted = corners + ", \"triangles\": [[0, 1, 2]], \"materials\": [{}]";
  EXPECT_EQ(shape(painted + ", \"triangle_materials\": [0, 0]}", "static"),
            place + "mesh.triangle_materials: " + bad_materials);
  EXPECT_EQ(shape(painted + ", \"triangle_materials\": [1]}", "static"),
            place + "mesh.triangle_materials: triangle 0: " + bad_materials);
  std::string const field = "\"height_field\": {\"rows\": 2, \"columns\": 2, \"heights\": [0, 0, 0";
  EXPECT_EQ(shape(field + ", 0]}", "kinematic"),
            place + "height_field: a height field has no mass: allowed on static bodies only");
  EXPECT_EQ(shape(field + "]}", "static"),
            place + "height_field.heights: 3 samples: expected rows x columns = 4, at most 524288");
}

TEST(Scene, ReadsCylindersConesAndHulls) {
  auto const scene = std::make_unique<Scene>(parse_scene(R"({"bodies": [
    {"shapes": [{"cylinder": {"radius": 0.25, "height": 3}}, {"cone": {"radius": 2, "height": 0.5}}]},
    {"shapes": [{"hull": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]], "rounding": 0.125}}]}]})"));
  auto const& round = scene->bodies[0].shapes;
  EXPECT_EQ(round[0].kind, ShapeKind::kCylinder);
  EXPECT_EQ(round[0].radius_m, 0.25);
  EXPECT_EQ(round[0].half_length_m, 1.5);
  EXPECT_EQ(round[1].kind, ShapeKind::kCone);
  EXPECT_EQ(round[1].half_length_m, 0.25);
  Scene const copy = *scene;
  std::uint64_t const hash = scene_hash(*scene);
  *scene = Scene{};  // the copy's points must not have gone with it
  EXPECT_EQ(scene_hash(copy), hash);
  ShapeDef const& hull = copy.bodies[1].shapes[0];
  EXPECT_EQ(hull.kind, ShapeKind::kHull);
  EXPECT_EQ(hull.rounding_m, 0.125);
  ASSERT_EQ(hull.hull_points_m.size(), 5u);
  EXPECT_EQ(hull.hull_points_m[4], (Vec3<double>{0.1, 0.1, 0.1}));
}

TEST(Scene, BadHullsAreRefusedWithTheirFieldAndLine) {
  auto const hull = [](std::string_view fields) {
    return scene_error_of(body_json("\"shapes\": [\n{\"hull\": {" + std::string(fields) + "}}]"));
  };
  EXPECT_EQ(hull(""), "s.json:3: bodies[0].shapes[0].hull: \"points\" has 0 points: allowed are 4 to 1024");
  EXPECT_EQ(hull("\"points\": [[0, 0, 0]]"),
            "s.json:3: bodies[0].shapes[0].hull.points: \"points\" has 1 points: allowed are 4 to 1024");
  EXPECT_EQ(hull("\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]"),
            "s.json:3: bodies[0].shapes[0].hull.points: a hull is flat: its points lie on one plane; add one "
            "off it");
  EXPECT_EQ(
      hull("\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0],\n[0, 0, 20000]]"),
      "s.json:4: bodies[0].shapes[0].hull.points[3].z: 20000 is out of range: allowed is -10000 to 10000");
  EXPECT_EQ(hull("\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],\n\"rounding\": -1"),
            "s.json:4: bodies[0].shapes[0].hull.rounding: -1 is out of range: allowed is 0.001 to 10000");
}

TEST(Scene, WhatOnlyTheEngineCanTellIsToldWithTheBody) {
  EXPECT_EQ(
      scene_error_of(body_json(
          "\"mass\": {\"mass\": 1, \"inertia\": [1e-12, 1e-12, 1e-12]}, \"shapes\": [{\"sphere\": {}}]")),
      "s.json:2: bodies[0]: the engine refuses it: mass must be 1e-4 to 1e8 kg with a possible, positive "
      "definite inertia: change "
      "the density, "
      "the size or the mass");
}

TEST(Scene, GeneratorsSayWhatIsWrong) {
  EXPECT_EQ(scene_error_of("{\"generators\": [{}]}"),
            "s.json:1: generators[0]: a generator is exactly one of pyramid, stack, grid, pile, dominoes, "
            "pit, chain, net, ragdolls, vehicle, not 0");
  EXPECT_EQ(scene_error_of("{\"generators\": [{\"pyramid\": {\"base\": 401}}]}"),
            "s.json:1: generators[0].pyramid.base: 401 is out of range: allowed is 1 to 400");
  EXPECT_EQ(scene_error_of("{\"generators\": [{\"dominoes\": {\"path\": [[0, 0, 0],\n[1, 1, 1]]}}]}"),
            "s.json:2: generators[0].dominoes.path[1]: the curve must stay level: y must be 0");
  EXPECT_EQ(
      scene_error_of(
          "{\"generators\": [{\"pile\": {\"count\": 9, \"low\": [0, 0, 0], \"high\": [3, 3, 3]}}]}"),
      "s.json:1: generators[0].pile: the region between low and high is too small: it holds 1 bodies of "
      "size_max 1 m, not 9");
  EXPECT_EQ(scene_error_of("{\"world\": {\"max_bodies\": 3}, \"generators\": [{\"stack\": {\"count\": 4}}]}"),
            "s.json:1: generators[0]: more bodies than allowed: at most 3");
  EXPECT_EQ(
      scene_error_of("{\"generators\": [{\"grid\": {\"count\": [60000, 60000, 60000], \"spacing\": [1, 1, "
                     "1], \"shapes\": [{\"sphere\": {}}]}}]}"),
      "s.json:1: generators[0]: more bodies than allowed: at most 200000");
}

TEST(Scene, ListsOfGeneratorsThatAreTooLongAreRefusedAndNotCut) {
  auto const repeated = [](std::string_view element, int count) {
    std::string list(element);
    for (int i = 1; i < count; ++i) list.append(", ").append(element);
    return list;
  };
  auto const dominoes = [&](int count) {
    return scene_error_of("{\"generators\": [{\"dominoes\": {\"path\": [" + repeated("[0, 0, 0]", count) +
                          "]}}]}");
  };
  EXPECT_EQ(dominoes(10'000), "no error");
  EXPECT_EQ(dominoes(10'001), "s.json:1: generators[0].dominoes.path: 10001 of them: allowed are 2 to 10000");
  auto const pile = [&](int count) {
    return scene_error_of(
        "{\"generators\": [{\"pile\": {\"count\": 1, \"low\": [0, 0, 0], \"high\": [3, 3, 3], "
        "\"kinds\": [" +
        repeated("\"box\"", count) + "]}}]}");
  };
  EXPECT_EQ(pile(64), "no error");
  EXPECT_EQ(pile(65), "s.json:1: generators[0].pile.kinds: 65 of them: allowed are at most 64");
}

TEST(Scene, PyramidHasItsRowsAndRestsOnItsOrigin) {
  Scene const scene = parse_scene(
      "{\"generators\": [{\"pyramid\": {\"base\": 4, \"size\": [1, 0.5, 1], \"origin\": [10, 2, 0]}}]}");
  ASSERT_EQ(scene.bodies.size(), 10u);
  EXPECT_EQ(scene.bodies[0].def.position, Position::from_metres(8.5, 2.25, 0));
  EXPECT_EQ(scene.bodies[3].def.position, Position::from_metres(11.5, 2.25, 0));
  EXPECT_EQ(scene.bodies[9].def.position, Position::from_metres(10, 3.75, 0));
}

TEST(Scene, DominoesStandEvenlyAndFaceAlongTheCurve) {
  Scene const scene = parse_scene(
      "{\"generators\": [{\"dominoes\": {\"path\": [[0, 1, 0], [0, 1, 10]], \"spacing\": 1, \"size\": [0.2, "
      "2, 0.5]}}]}");
  ASSERT_EQ(scene.bodies.size(), 11u);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    Position const& p = scene.bodies[i].def.position;
    EXPECT_EQ(p.x_raw, 0);
    EXPECT_EQ(p.y_raw, Fixed(2.0).raw());
    EXPECT_NEAR(p.z_m(), static_cast<double>(i), 1e-9);
    Vec3<double> const along =
        rotate(scene.bodies[i].def.rotation, Vec3<double>{1, 0, 0});  // thickness axis to +z
    EXPECT_NEAR(along.z, 1, 1e-12);
  }
}

TEST(Scene, PileKeepsBodiesApartAndInsideItsRegion) {
  Scene const scene = parse_scene(
      "{\"generators\": [{\"pile\": {\"count\": 60, \"low\": [-5, 0, -5], \"high\": [5, 20, 5], "
      "\"size_max\": 1, \"seed\": 3}}]}");
  ASSERT_EQ(scene.bodies.size(), 60u);
  auto const reach = [](const ShapeDef& s) {
    switch (s.kind) {
      case ShapeKind::kSphere: return s.radius_m;
      case ShapeKind::kCapsule: return s.radius_m + s.half_length_m;
      default: return 1.7321 * s.half_extents_m.x;
    }
  };
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      auto const metres = [](std::int64_t a, std::int64_t b) { return Fixed::from_raw(a - b).to_double(); };
      Position const& a = scene.bodies[i].def.position;
      Position const& b = scene.bodies[k].def.position;
      double const dx = metres(a.x_raw, b.x_raw), dy = metres(a.y_raw, b.y_raw),
                   dz = metres(a.z_raw, b.z_raw);
      double const together = reach(scene.bodies[i].shapes[0]) + reach(scene.bodies[k].shapes[0]);
      EXPECT_GE(dx * dx + dy * dy + dz * dz, together * together) << i << " and " << k;
    }
  }
}

TEST(Scene, EulerAnglesTurnAboutXThenYThenZ) {
  Scene const scene =
      parse_scene(body_json("\"euler_degrees\": [90, 0, 90], \"shapes\": [{\"sphere\": {}}]"));
  Vec3<double> const v =
      rotate(scene.bodies[0].def.rotation, Vec3<double>{0, 1, 0});  // x: y -> z; z: z stays
  EXPECT_NEAR(v.x, 0, 1e-9);
  EXPECT_NEAR(v.y, 0, 1e-9);
  EXPECT_NEAR(v.z, 1, 1e-9);
}

TEST(Scene, HashIsBlindToFormattingAndSeesWhatActs) {
  std::string const plain =
      R"({"title":"a","bodies":[{"name":"n","position":[1,2,3],"shapes":[{"sphere":{"radius":0.5}}]}]})";
  std::uint64_t const hash = scene_hash(parse_scene(plain));
  EXPECT_EQ(
      hash,
      scene_hash(parse_scene(
          "// a comment\n{ \"bodies\": [ { \"shapes\": [ { \"sphere\": {}, }, ], \"position\": {\"x\": 1.0, "
          "\"y\": 2e0, \"z\": 3}, } ] }")));
  for (const char* const changed :
       {R"({"bodies":[{"position":[1,2,3.5],"shapes":[{"sphere":{}}]}]})",
        R"({"bodies":[{"position":[1,2,3],"shapes":[{"sphere":{"radius":0.6}}]}]})",
        R"({"world":{"substeps":5},"bodies":[{"position":[1,2,3],"shapes":[{"sphere":{}}]}]})",
        R"({"players":{"max_spawned":1},"bodies":[{"position":[1,2,3],"shapes":[{"sphere":{}}]}]})",
        R"({"bodies":[{"position":[1,2,3],"shapes":[{"sphere":{},"friction":0.7}]}]})",
        R"({"bodies":[{"position":[1,2,3],"shapes":[{"sphere":{}}],"user_tag":1}]})"}) {
    EXPECT_NE(hash, scene_hash(parse_scene(changed))) << changed;
  }
}

TEST(Scene, BinaryFormGivesTheSameScene) {
  Scene const scene = stack_scene(5);
  Result<Scene, SceneError> const again = load_scene(std::span<const std::byte>(scene.binary), "s.tksc");
  ASSERT_TRUE(again);
  EXPECT_EQ(scene_hash(*again), scene_hash(scene));
  std::vector<std::byte> damaged = scene.binary;
  damaged.resize(damaged.size() / 2);
  Result<Scene, SceneError> const refused = load_scene(std::span<const std::byte>(damaged), "s.tksc");
  ASSERT_FALSE(refused);
  EXPECT_EQ(message(refused.error()), "s.tksc: a damaged binary scene: write it again from its JSON");
}

TEST(Scene, TooLargeATextIsRefusedUnread) {
  std::string const text(kMaxSceneTextBytes + 1, ' ');
  EXPECT_EQ(scene_error_of(text), "s.json: 16777217 bytes: a scene has at most 16777216");
}

// A comma as the decimal point of the host must not reach the numbers of a scene.
TEST(Scene, IsIndependentOfTheLocale) {
  std::uint64_t const hash =
      scene_hash(parse_scene(body_json("\"position\": [1.5, 0.1, 0], \"shapes\": [{\"sphere\": {}}]")));
  std::string const before = std::setlocale(LC_ALL, nullptr);
  bool found = false;
  for (const char* const name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C.UTF-8"})
    found = found || std::setlocale(LC_ALL, name) != nullptr;
  EXPECT_TRUE(found);
  std::uint64_t const foreign =
      scene_hash(parse_scene(body_json("\"position\": [1.5, 0.1, 0], \"shapes\": [{\"sphere\": {}}]")));
  std::setlocale(LC_ALL, before.c_str());
  EXPECT_EQ(foreign, hash);
}

}  // namespace
}  // namespace takt::sim
