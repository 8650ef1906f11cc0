// The numbers mode in a benchmark's name.
#pragma once

#include <string>

#include "takt/physics/world.h"

namespace takt::bench {

/// "manifold/box-box" to "manifold/box-box/float".
template <class Real>
std::string named(const std::string& kernel) {
  return kernel + (kNumbersMode<Real> == NumbersMode::kFloat ? "/float" : "/fixed");
}

}  // namespace takt::bench
