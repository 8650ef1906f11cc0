// read_shape and read_shapes read shapes from a scene's tables and check them: for bodies, for the grid
// generator and for spawn commands of an input script. build_scene checks the masses.
#pragma once

#include <vector>

#include "sim/scene/scene_fields.h"
#include "takt/physics/body.h"

namespace takt::sim {

/// One shape at `at`, which a body of `type` may have. Faults go to `fields`.
[[nodiscard]] ShapeDef read_shape(const schema::Shape& table, const FieldPath& at, BodyType type,
                                  SceneFields& fields);

/// Field `name` of the table at `at`: a rule from `first` on.
[[nodiscard]] MixRule read_mix(const FieldPath& at, std::string_view name, schema::Mix mix, MixRule first,
                               SceneFields& fields);

/// The list of shapes (field "shapes") of the table at `at`: 1 to kMaxShapesPerBody.
[[nodiscard]] std::vector<ShapeDef> read_shapes(
    const flatbuffers::Vector<flatbuffers::Offset<schema::Shape>>* list, const FieldPath& at, BodyType type,
    SceneFields& fields);

}  // namespace takt::sim
