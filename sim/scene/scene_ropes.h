// read_rope() reads a rope of a scene file from its FlatBuffers table into a SceneRope, with ranges checked.
// build_scene() calls it. write_canonical() writes a SceneRope into the bytes that scene_hash() hashes.
// with_definition() makes the RopeDef with which load_scene() and Simulation::create create the rope in a
// world.
#pragma once

#include <optional>
#include <span>

#include "sim/scene/scene_fields.h"
#include "sim/state/byte_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// The rope of a table at path `at`. `bodies` are all of the scene's, in order of creation; pins refer to
/// them by name. Faults go to `fields`, and the result then means nothing.
[[nodiscard]] SceneRope read_rope(const schema::Rope& table, const FieldPath& at,
                                  std::span<const SceneBody> bodies, SceneFields& fields);

/// Writes all fields but the name. The order is part of scene_hash().
void write_canonical(const SceneRope& rope, FieldWriter& out);

/// Calls create(def) with the rope's whole definition and returns its result. The points and pins of `def`
/// are valid during the call. `bodies` are the ids of the scene's bodies, in order of creation.
template <class Create>
auto with_definition(const SceneRope& rope, std::span<const BodyId> bodies, Create create) {
  RopeDef def = rope.def;
  std::vector<RopePin> pins = rope.pins;
  for (std::size_t i = 0; i < pins.size(); ++i) {
    if (rope.pin_bodies[i].has_value()) pins[i].body = bodies[*rope.pin_bodies[i]];
  }
  def.points = rope.points;
  def.pins = pins;
  return create(def);
}

}  // namespace takt::sim
