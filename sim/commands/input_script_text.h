// write_input_script() is the inverse of load_input_script() (input_script.h): it writes inputs of a
// recording as a script for `takt run --inputs`. Each input of the script is read back and compared by its
// encoding. An input that the script cannot express exactly is left out and listed: a rotation that has not
// length 1, a position beyond 2,097 km, a number that the script's ranges exclude. The script has no policy
// and no state: a run of it gives the hashes of the recording if scene, policy and game are equal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "takt/sim/command.h"
#include "takt/sim/recording.h"
#include "takt/sim/scene.h"

namespace takt::sim {

struct InputScriptText {
  std::string json;
  std::vector<Input> omitted;  ///< that the script cannot express, in order
};

/// `scene` decides which names of the script are taken by its bodies.
[[nodiscard]] InputScriptText write_input_script(std::span<const RecordedTick> ticks, const Scene& scene);

}  // namespace takt::sim
