// read_mesh and read_height_field read a surface from a scene's tables into a ShapeDef and check it. The
// message of a fault names the triangle or vertex at fault.
#pragma once

#include "sim/scene/scene_fields.h"

namespace takt::sim {

/// FlatBuffers' Verifier does not check the alignment of what a vector holds.
template <class T>
[[nodiscard]] bool is_aligned(const flatbuffers::Vector<T>& list) noexcept {
  return reinterpret_cast<std::uintptr_t>(list.Data()) % alignof(double) == 0;
}
inline constexpr const char* kMisaligned = "a damaged binary scene: write it again from its JSON";

void read_mesh(const schema::Mesh& table, const FieldPath& at, SceneFields& fields, ShapeDef& shape);
void read_height_field(const schema::HeightField& table, const FieldPath& at, SceneFields& fields,
                       ShapeDef& shape);

}  // namespace takt::sim
