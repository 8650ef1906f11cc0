// read_shape() and read_shapes() convert shapes in FlatBuffers tables of a scene to ShapeDefs and check their
// ranges. build_scene() calls them for bodies, the generator "grid" for its bodies, and load_input_script()
// for spawn commands. read_mix() reads a rule that combines friction or restitution. Masses are not checked
// here: build_scene() checks those of listed bodies, the engine all others.
#pragma once

#include <string>
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

/// The names of that list, in its order; empty when no shape has one.
[[nodiscard]] std::vector<std::string> read_shape_names(
    const flatbuffers::Vector<flatbuffers::Offset<schema::Shape>>* list, const FieldPath& at,
    SceneFields& fields);

}  // namespace takt::sim
