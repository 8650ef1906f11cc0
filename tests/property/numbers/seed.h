// The seed of a property test: fixed, so that a run repeats, or TAKT_SEED from the environment for a new
// search. Print it with every failure.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace takt::test {

inline std::uint64_t property_seed() {
  const char* const text = std::getenv("TAKT_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 20261121u;
}

}  // namespace takt::test
