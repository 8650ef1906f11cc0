// read_mesh() and read_height_field() convert a surface in a FlatBuffers table of a scene to a ShapeDef and
// check it. A mesh is listed as vertices and triangles, or comes from the text of an OBJ file. read_shape()
// calls both functions. A fault in one vertex or triangle names its index, a fault in an OBJ file its line.
// is_aligned() checks the alignment of a list, which FlatBuffers' Verifier does not; scene_shapes.cpp,
// scene_generators.cpp and scene_ropes.cpp call it.
#pragma once

#include "sim/scene/scene_fields.h"

namespace takt::sim {

/// True if elements of eight bytes are aligned, which FlatBuffers' Verifier does not check.
template <class T>
[[nodiscard]] bool is_aligned(const flatbuffers::Vector<T>& list) noexcept {
  return reinterpret_cast<std::uintptr_t>(list.Data()) % alignof(double) == 0;
}
/// Text of the fault.
inline constexpr const char* kMisaligned = "a damaged binary scene: write it again from its JSON";

/// Both set kind and definition of `shape`, whose arrays `fields` owns (SceneFields::keep). `at` is the path
/// of the table. Faults go to `fields`; the shape is then incomplete.
void read_mesh(const schema::Mesh& table, const FieldPath& at, SceneFields& fields, ShapeDef& shape);
void read_height_field(const schema::HeightField& table, const FieldPath& at, SceneFields& fields,
                       ShapeDef& shape);

}  // namespace takt::sim
