// Geometries for tests, and those of schemas/golden/geometries.json, which C++ and JavaScript must decode
// alike: a line each with the kind, the bytes, what they say, and for every byte and each of three changes of
// it what a decoder makes of the result, one letter as in mutations.json (s too_short, l too_long).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "protocol/messages/geometry.h"

namespace takt::protocol::test {

/// By name: one of every kind and some with extreme values, all of them valid.
[[nodiscard]] std::vector<std::pair<std::string, Geometry>> golden_geometries();
/// The content of geometries.json.
[[nodiscard]] std::string golden_geometries_json();

/// A height field of rows x columns samples: as many bytes as a test wants.
[[nodiscard]] Geometry field_of(std::uint32_t rows, std::uint32_t columns);

}  // namespace takt::protocol::test
