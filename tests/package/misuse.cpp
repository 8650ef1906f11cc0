// Forms of the public headers that must not compile, one for each value of FORM from 1 on, beside the good
// forms of FORM 0. check_misuse_refused.cmake compiles each alone and expects the words behind "refused:".
#include <cstdint>
#include <ostream>
#include <unordered_set>
#include <vector>

#include "takt/core/bytes.h"
#include "takt/crypto/secret.h"
#include "takt/physics/world.h"
#include "takt/sim/game.h"

#ifndef FORM
#define FORM 0
#endif

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

#if FORM == 1  // refused: Position
inline Position bad_form() { return Position{0, 1, 0}; }
#elif FORM == 2   // refused: Position
inline Position bad_form() { return {0, 1, 0}; }
#elif FORM == 3   // refused: Position
inline Position bad_form() { return Position{0.0, 1.0, 0.0}; }
#elif FORM == 4   // refused: Position
inline auto bad_form() { return takt::BodyDef{.position = {0, 1, 0}}; }
#elif FORM == 5   // refused: no member named
inline bool bad_form(const World<float>& world, BodyId body) { return world.pose(body).position.y > 1; }
#elif FORM == 6   // refused: unused-result
inline void bad_form(World<float>& world) {
  world.create_body(takt::BodyDef::make(takt::BodyType::kStatic, {}), takt::ShapeDef::half_space());
}
#elif FORM == 7   // refused: unused-result
inline void bad_form(const World<float>& world) { world.save(); }
#elif FORM == 8   // refused: unused-result
inline void bad_form() { World<float>::create({}); }
#elif FORM == 9   // refused: put
inline void bad_form(takt::ByteWriter& out, Position at) { out.put(at); }
#elif FORM == 10  // refused: no match for
inline void bad_form(std::ostream& out, const takt::crypto::SecretKey& key) { out << key; }
#elif FORM == 11  // refused: use of deleted function
inline takt::crypto::SecretKey bad_form(const takt::crypto::SecretKey& key) { return key; }
#elif FORM == 12  // refused: a_state_name_has_1_to_24_lower_case_letters_digits_or_underscores
inline void bad_form(takt::sim::StateVisitor& state, int& score) { state.field("My score", score); }
#elif FORM == 13  // refused: field
inline void bad_form(takt::sim::StateVisitor& state, int*& score) { state.field("score", score); }
#endif
