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

/// The shape of a table at path `at`; a kind that a body of `type` cannot have is a fault. Faults go to
/// `fields`, which owns the points, mesh or heights of the result (SceneFields::keep).
[[nodiscard]] ShapeDef read_shape(const schema::Shape& table, const FieldPath& at, BodyType type,
                                  SceneFields& fields);

/// The rule of field `name` of the table at `at`. A rule below `first` or unknown is a fault: kWorld is for
/// shapes alone.
[[nodiscard]] MixRule read_mix(const FieldPath& at, std::string_view name, schema::Mix mix, MixRule first,
                               SceneFields& fields);

/// The shapes of the field "shapes" of the table at `at`. A list that is absent (null), empty or longer than
/// kMaxShapesPerBody is a fault.
[[nodiscard]] std::vector<ShapeDef> read_shapes(
    const flatbuffers::Vector<flatbuffers::Offset<schema::Shape>>* list, const FieldPath& at, BodyType type,
    SceneFields& fields);

/// The names of that list, in its order, with "" for a shape without one; empty when no shape has a name.
[[nodiscard]] std::vector<std::string> read_shape_names(
    const flatbuffers::Vector<flatbuffers::Offset<schema::Shape>>* list, const FieldPath& at,
    SceneFields& fields);

}  // namespace takt::sim
