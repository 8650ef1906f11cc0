// Where golden tables stand and how they are made; shared by the test that reads them and the program that
// prints them.
#pragma once

#include <string>

#include "tests/determinism/stage.h"

namespace takt::determinism {

/// "pyramid.float.txt", or "pyramid.float.players.txt" with inputs.
inline std::string golden_name(const Stage& stage, bool with_players) {
  return stage.scene + "." + std::string(mode_name(stage.mode)) + (with_players ? ".players" : "") + ".txt";
}

}  // namespace takt::determinism
