// The generators of a scene file: pyramid, stack, grid, pile, dominoes, pit. Each checks its table and appends bodies. Random draws come from the
// generator's own seed, one draw a statement; curves use roots and polynomials only. It does not create anything in a world.
#pragma once

#include <vector>

#include "sim/scene_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// Runs one generator of the file. Faults go to `fields`; `bodies` may then hold part of it.
void run_generator(const schema::Generator& generator, const FieldPath& at, SceneFields& fields, std::vector<SceneBody>& bodies);

[[nodiscard]] ShapeDef read_shape(const schema::Shape& table, const FieldPath& at, BodyType type, SceneFields& fields);

/// Reads the shapes of a body or grid at `at` (field "shapes").
std::vector<ShapeDef> read_shapes(const flatbuffers::Vector<flatbuffers::Offset<schema::Shape>>* list, const FieldPath& at, BodyType type, SceneFields& fields);

}  // namespace takt::sim
