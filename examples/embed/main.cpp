// The engine alone, in one process: a world, a ground, a falling ball, two seconds of ticks, and the hash
// that is the same on every machine.
#include <array>
#include <cinttypes>
#include <cstdio>

#include "takt/physics/world.h"

int main() {
  auto world = takt::World<float>::create({});  // gravity, 60 Hz, 4 substeps
  if (!world) return 1;

  std::array const plane{takt::ShapeDef{.kind = takt::ShapeKind::kHalfSpace}};
  std::array const ball{takt::ShapeDef{.kind = takt::ShapeKind::kSphere, .radius_m = 0.5}};
  auto const ground = world->create_body({.type = takt::BodyType::kStatic, .shapes = plane});
  auto const falling =
      world->create_body({.position = takt::Position::from_metres(0, 10, 0), .shapes = ball});
  if (!ground || !falling) return 1;

  for (int tick = 0; tick < 120; ++tick) world->step();

  double const height_m = static_cast<double>(world->pose(*falling).position.y) / 4294967296.0;  // Q31.32
  std::printf("tick %" PRIu64 " height %.3f m hash 0x%016" PRIx64 "\n", world->tick(), height_m,
              world->hash());
}
