// The scene of the fuzz target service_frame and its corpus.
#pragma once

#include <string_view>

namespace takt::fuzz {

inline constexpr std::string_view kServiceScene = R"({"title": "Boxes", "bodies": [
  {"name": "ground", "type": "static", "shapes": [{"half_space": {}}]},
  {"name": "low", "position": [0, 0.5, 0], "shapes": [{"box": {}}]},
  {"name": "high", "position": [0.2, 1.6, 0], "shapes": [{"box": {}}]}],
 "joints": [{"name": "slide", "kind": "prismatic", "a": "ground", "b": "low", "anchor": [0, 0.5, 0],
             "axis": [1, 0, 0]}]})";

}  // namespace takt::fuzz
