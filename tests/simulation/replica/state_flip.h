// flip_bit() changes one bit of one field of a simulation's canonical state, whatever the field: it flips
// bits of the saved image until a restored simulation differs in that field alone.
#pragma once

#include <string>
#include <string_view>

#include "takt/sim/simulation.h"

namespace takt::client::test {

/// Flips the lowest bit of the first field whose path begins with `record` ("body.record[1].") and contains
/// `field`, and returns the path. The simulation has no Game. Throws std::runtime_error without such a field.
std::string flip_bit(sim::Simulation& simulation, std::string_view record, std::string_view field);

}  // namespace takt::client::test
