// A scene with a body of each use and a joint, and short forms of calls of takt.h for its tests. The
// functions check the status of calls that must succeed.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "takt/c/takt.h"

namespace takt::test {

inline constexpr std::string_view kScene = R"({
  "title": "Cart",
  "bodies": [
    { "name": "ground", "type": "static", "shapes": [{ "half_space": {} }] },
    { "name": "box", "position": [0, 0.5, 0], "shapes": [{ "box": { "size": [1, 1, 1] } }] },
    { "name": "ball", "position": [0.1, 1.6, 0], "shapes": [{ "sphere": { "radius": 0.5 } }] },
    { "name": "rail", "type": "static", "position": [0, 3, 4], "shapes": [{ "box": { "size": [8, 0.1, 0.1] } }] },
    { "name": "cart", "position": [0, 3, 4], "shapes": [{ "box": { "size": [0.5, 0.3, 0.3] } }] },
    { "name": "ann", "position": [4, 0.92, 0], "mover": {} },
    { "name": "twin", "position": [9, 0.5, 0], "shapes": [{ "sphere": {} }] },
    { "name": "twin", "position": [9, 0.5, 3], "shapes": [{ "sphere": {} }] }
  ],
  "ropes": [ { "nodes": 6, "start": [-4, 3, 0], "end": [-4, 1, 0], "mass": 0.5, "pins": [{ "node": 0 }] } ],
  "joints": [
    { "name": "slide", "kind": "prismatic", "a": "rail", "b": "cart", "anchor": [0, 3, 4], "axis": [1, 0, 0] }
  ]
})";

template <class Struct>
Struct sized() {
  Struct value{};
  value.size = sizeof value;
  return value;
}

inline takt_scene* load(std::string_view json = kScene) {
  takt_scene* scene = nullptr;
  EXPECT_EQ(takt_scene_parse(json.data(), json.size(), "test", 4, &scene), TAKT_OK) << takt_last_error();
  return scene;
}

inline takt_world* make_world(std::uint32_t numbers = TAKT_NUMBERS_FLOAT, std::uint32_t threads = 1,
                              std::string_view json = kScene) {
  takt_scene* const scene = load(json);
  auto options = sized<takt_world_options>();
  options.numbers = numbers;
  options.threads = threads;
  takt_world* world = nullptr;
  EXPECT_EQ(takt_world_create(scene, &options, &world), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_scene_destroy(scene), TAKT_OK);
  return world;
}

inline std::uint64_t hash_of(takt_world* world) {
  std::uint64_t hash = 0;
  EXPECT_EQ(takt_world_hash(world, &hash), TAKT_OK) << takt_last_error();
  return hash;
}

inline std::uint64_t body_of(takt_world* world, std::string_view name) {
  std::uint64_t body = 0;
  EXPECT_EQ(takt_world_find_body(world, name.data(), name.size(), &body), TAKT_OK) << takt_last_error();
  return body;
}

inline std::uint64_t joint_of(takt_world* world, std::string_view name) {
  std::uint64_t joint = 0;
  EXPECT_EQ(takt_world_find_joint(world, name.data(), name.size(), &joint), TAKT_OK) << takt_last_error();
  return joint;
}

inline std::uint64_t rope_of(takt_world* world) {
  std::uint64_t rope = 0;
  std::size_t count = 0;
  EXPECT_EQ(takt_world_list_ropes(world, &rope, 1, &count), TAKT_OK) << takt_last_error();
  return rope;
}

inline takt_view view_of(takt_world* world, std::uint32_t field) {
  auto view = sized<takt_view>();
  EXPECT_EQ(takt_world_array(world, field, &view, nullptr), TAKT_OK) << takt_last_error();
  return view;
}

}  // namespace takt::test
