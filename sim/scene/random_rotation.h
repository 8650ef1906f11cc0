// random_rotation() draws a uniformly distributed rotation from a stream of Random. The scene generators
// "pile" (scene_generators.cpp) and "ragdolls" (scene_assemblies.cpp) call it.
#pragma once

#include "sim/state/metres.h"
#include "takt/core/random.h"

namespace takt::sim {

/// Uniform over all rotations: a point of the four-dimensional unit ball by rejection, scaled to length 1.
[[nodiscard]] inline Quat<double> random_rotation(Random& random) {
  for (;;) {
    double const x = random.next_between(-1, 1);
    double const y = random.next_between(-1, 1);
    double const z = random.next_between(-1, 1);
    double const w = random.next_between(-1, 1);
    double const square = x * x + y * y + z * z + w * w;
    if (square > 1 || square < 0.01) continue;
    double const length = root(square);
    return {x / length, y / length, z / length, w / length};
  }
}

}  // namespace takt::sim
