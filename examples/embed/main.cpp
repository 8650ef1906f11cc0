// The engine alone, in one process: a world, a ground, a falling ball, two seconds of ticks, and the hash
// that is the same on every machine.
#include <cinttypes>
#include <cstdio>

#include "takt/physics/world.h"

int main() {
  using takt::BodyDef, takt::BodyType, takt::Position, takt::ShapeDef;
  auto world = takt::World<float>::create({});  // gravity, 60 Hz, 4 substeps
  if (!world) return 1;

  auto const ground = world->create_body(BodyDef::make(BodyType::kStatic, {}), ShapeDef::half_space());
  auto const ball = world->create_body(BodyDef::make(BodyType::kDynamic, Position::from_metres(0, 10, 0)),
                                       ShapeDef::sphere(0.5));
  if (!ground || !ball) return 1;

  for (int tick = 0; tick < 120; ++tick) world->step();

  std::printf("tick %" PRIu64 " height %.3f m hash 0x%016" PRIx64 "\n", world->tick(),
              world->pose(*ball).position.y_m(), world->hash());
}
