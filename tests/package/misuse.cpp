// Forms of the public headers that must not compile, one for each value of FORM from 1 on; FORM 0 has none.
// check_misuse_refused.cmake compiles each alone, behind misuse.h, and expects the words behind "refused:".
#ifndef FORM
#define FORM 0
#endif

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
