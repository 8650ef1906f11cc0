// The public headers and good forms that misuse.cpp stands beside. check_misuse_refused.cmake precompiles
// this header once for all forms.
#pragma once

#include <cstdint>
#include <ostream>
#include <unordered_set>
#include <vector>

#include "takt/core/bytes.h"
#include "takt/crypto/secret.h"
#include "takt/physics/world.h"
#include "takt/sim/game.h"

using takt::BodyId, takt::Position, takt::World;

inline void good_forms(World<float>& world, BodyId body, takt::RopeId rope) {
  auto const at = Position::from_metres(0, 1, 0);
  auto const raw = Position::from_raw(0, 1, 0);
  double const height_m = at.y_m() + takt::displacement_m(raw, at).y;
  world.apply_force(body, {0, height_m, 0});
  world.apply_force(body, {0, 1, 0}, {0, 0, 1});
  world.apply_impulse(body, {0, 1, 0});
  world.set_pose(body, at, {});
  world.cut_rope(rope, 0);
  world.destroy_body(body);
  world.create_body(takt::BodyDef::make(takt::BodyType::kStatic, {}), takt::ShapeDef::half_space()).value();
  std::vector<std::byte> bytes;
  takt::ByteWriter(bytes).put(body);
  std::unordered_set<BodyId> const bodies{takt::ByteReader(bytes).get<BodyId>()};
  if (bodies.contains(body)) world.step();
}

inline void good_state(takt::sim::StateVisitor& state, int& score, BodyId& body) {
  state.field("my_score", score);
  state.field("body", body);
}
