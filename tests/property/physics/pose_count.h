// How many random poses a property test of pairs takes: a few in every run, or as many as TAKT_POSES says
// (10,000 before a change of the narrow phase lands).
#pragma once

#include <cstdlib>

namespace takt::test {

inline int pose_count(int by_default) {
  const char* const text = std::getenv("TAKT_POSES");
  return text != nullptr ? std::atoi(text) : by_default;
}

}  // namespace takt::test
