// Ropes in a line each, for tests.
#pragma once

#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "tests/physics/simple_world.h"

namespace takt::test {

template <class Real>
RopeView view(const World<Real>& world, RopeId rope) {
  RopeView seen;
  world.read_rope(rope, seen);
  return seen;
}

/// Along the nodes, m.
inline double rope_length(const RopeView& rope) {
  double sum = 0.0;
  for (std::size_t i = 1; i < rope.nodes.size(); ++i)
    sum += length_of(displacement(rope.nodes[i - 1], rope.nodes[i]));
  return sum;
}

/// Makes an image's checksum fit its payload (physics/state/world_image.h).
inline void seal(std::vector<std::byte>& image) {
  store_little_endian(image.data() + 24, hash_bytes(std::span<const std::byte>(image).subspan(32)));
}

/// A ball of 0.3 m and a mass.
template <class Real>
BodyId add_load(World<Real>& world, double mass_kg, const Position& position) {
  ShapeDef const shape = sphere(0.3);
  BodyDef def = body(BodyType::kDynamic, {&shape, 1}, position);
  double const moment = 0.4 * mass_kg * 0.09;
  def.mass = MassOverride{mass_kg, {}, {moment, moment, moment}};
  return add(world, def);
}

}  // namespace takt::test
