// Both ends of each range of a scene belong to it, as they are written and as the nearest binary32 numbers.
// The test reads the ranges from the errors, and the names of the numbers from schemas/scene.fbs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/scene/scene_fields.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

// Scenes with each number of the schema, which are accepted.
const std::vector<std::string> kScenes{
    R"({"world": {"gravity": [0, -9.81, 0], "restitution_threshold": 2, "contact_push_max": 2, "hit_threshold": 2},
 "camera": {"eye": [10, 6, 14], "target": [0, 1, 0]},
 "players": {"max_impulse": 2, "max_force": 2, "max_torque": 2, "max_grab_force": 2, "max_spawn_size": 2,
  "max_spawn_density": 2, "max_speed": 2, "max_spin": 2, "max_query_length": 2}})",
    R"({"bodies": [
 {"position": [1, 2, 3], "velocity": [1, 2, 3], "angular_velocity": [1, 2, 3], "linear_damping": 2, "angular_damping": 2,
  "gravity_scale": 2, "shapes": [{"sphere": {"radius": 2}, "position": [1, 2, 3], "density": 2, "friction": 2, "restitution": 0.5,
  "rolling_resistance": 2, "surface_velocity": [1, 2, 3], "softness": {"beta_gamma": {"beta": 0.5, "gamma": 2}}}]},
 {"shapes": [{"capsule": {"radius": 2, "length": 2}, "softness": {"erp_cfm": {"erp": 0.5, "cfm": 2}}}]},
 {"shapes": [{"cylinder": {"radius": 2, "height": 2}, "softness": {"spring": {"stiffness": 2, "damping": 2}}}]},
 {"shapes": [{"cone": {"radius": 2, "height": 2}, "softness": {"frequency": {"hertz": 2, "damping_ratio": 2}}}]},
 {"shapes": [{"box": {"size": [1, 2, 3]}}], "mass": {"mass": 2, "center": [1, 2, 3], "inertia": [1, 1, 1]}},
 {"type": "kinematic", "shapes": [{"box": {}}], "motion": {"to": [1, 2, 3], "period": 2, "phase": 1}},
 {"shapes": [{"hull": {"points": [[-1, 0, -1], [1, 0, -1], [0, 0, 1], [0, 1, 0]], "rounding": 2}}]},
 {"type": "static", "shapes": [{"mesh": {"obj_text": "v 0 0 0\nv 0 0 1\nv 1 0 0\nf 1 2 3\n", "obj_scale": 2,
  "materials": [{"friction": 2, "restitution": 0.5}]}}]},
 {"type": "static", "shapes": [{"height_field": {"rows": 2, "columns": 2, "spacing_x": 2, "spacing_z": 2, "heights": [0, 0, 0, 0]}}]},
 {"position": [0, 9, 0], "mover": {"radius": 2, "length": 2, "max_slope_degrees": 2, "step_height": 2, "stick_distance": 2,
  "skin": 0.01, "max_speed": 2, "acceleration": 2, "air_acceleration": 2, "jump_speed": 2, "max_fall_speed": 2, "gravity_scale": 2,
  "push_force": 2, "mass": 2, "recovery_speed": 2, "friction": 2, "restitution": 0.5, "heading_degrees": 2}}]})",
    R"({"generators": [
 {"pyramid": {"base": 2, "size": [1, 2, 3], "origin": [1, 2, 3], "gap": 2, "density": 2, "friction": 2, "restitution": 0.5}},
 {"stack": {"count": 2, "size": [1, 2, 3], "gap": 2}},
 {"grid": {"count": [2, 1, 1], "origin": [1, 2, 3], "spacing": [1, 2, 3], "shapes": [{"sphere": {}}]}},
 {"pile": {"count": 2, "low": [1, 2, 3], "high": [10, 20, 30], "size_min": 0.5, "size_max": 2}},
 {"dominoes": {"path": [[1, 2, 3], [5, 2, 6]], "spacing": 2}},
 {"pit": {"inner": [1, 2, 3], "thickness": 2}},
 {"chain": {"name": "c", "count": 2, "start": [1, 2, 3], "end": [7, 2, 3], "sag": 2, "thickness": 2, "width": 2, "density": 2,
  "friction": 2, "restitution": 0.5}},
 {"net": {"columns": 2, "rows": 2, "origin": [1, 2, 3], "along": [1, 2, 3], "across": [3, 2, 1], "knot_radius": 2, "knot_mass": 2,
  "rope_radius": 2, "linear_density": 2, "drag": 2}},
 {"ragdolls": {"position": [1, 2, 3], "step": [1, 2, 3], "euler_degrees": [1, 2, 3], "height": 2, "mass": 20, "joint_friction": 2,
  "friction": 2}},
 {"vehicle": {"position": [1, 2, 3], "velocity": [1, 2, 3], "chassis_size": [4, 0.6, 1.7], "chassis_mass": 1200,
  "ground_clearance": 0.45, "wheelbase": 2.6, "track": 1.9, "wheel_radius": 0.35, "wheel_width": 0.22, "wheel_mass": 20,
  "wheel_friction": 2, "suspension_hertz": 2, "suspension_damping_ratio": 2, "suspension_travel": 0.2, "max_steer_degrees": 20,
  "steer_degrees": 2, "speed": 2, "drive_torque": 2, "brake_torque": 2}}]})",
    R"({"bodies": [{"name": "a", "shapes": [{"box": {}}]}, {"name": "b", "position": [0, 5, 0], "shapes": [{"box": {}}]}],
 "ropes": [{"nodes": 3, "start": [1, 2, 3], "end": [3, 2, 1], "segment_length": 2, "radius": 2, "mass": 2, "linear_density": 2,
  "stiffness": 0.5, "compliance": 0.5, "damping": 2, "drag": 2, "gravity_scale": 2, "friction": 2,
  "pins": [{"node": 0, "target": [1, 2, 3]}, {"node": 2, "body": "a", "anchor": [1, 2, 3]}]}],
 "joints": [
  {"kind": "revolute", "name": "r", "a": "a", "b": "b", "frame_a": {"position": [1, 2, 3]}, "frame_b": {}, "max_force": 2,
   "max_torque": 2, "break_force": 2, "break_torque": 2,
   "axes": [{"axis": "angular_x", "limit": {"lower": -2, "upper": 2}, "hold": {"target": 1, "max": 2},
   "motor": {"speed": 2, "max": 2}, "friction": 2}]},
  {"kind": "distance", "a": "a", "b": "b", "anchor": [1, 2, 3], "anchor_b": [3, 2, 1], "length": 2},
  {"kind": "distance", "a": "a", "b": "b", "frame_a": {}, "frame_b": {}, "min_length": 1, "max_length": 2},
  {"kind": "pulley", "a": "a", "b": "b", "frame_a": {}, "frame_b": {}, "ground_a": [1, 20, 3], "ground_b": [3, 20, 1], "length": 20,
   "ratio": 2},
  {"kind": "revolute", "name": "s", "a": "a", "b": "b", "frame_a": {}, "frame_b": {}},
  {"kind": "gear", "joint_1": "r", "joint_2": "s", "ratio": 2}]})"};

struct Number {
  std::size_t begin, size;  // in the text
};

std::vector<Number> numbers_of(const std::string& text) {
  static const std::regex kNumber("[\\[:,] *(-?[0-9][0-9.]*)(?=[ ,\\]}])");
  std::vector<Number> out;
  for (std::sregex_iterator at(text.begin(), text.end(), kNumber), end; at != end; ++at)
    out.push_back({static_cast<std::size_t>(at->position(1)), static_cast<std::size_t>(at->length(1))});
  return out;
}

std::string fault_with(std::string text, const Number& number, const std::string& value) {
  text.replace(number.begin, number.size, value);
  Result<Scene, SceneError> const scene = load_scene(text, "s.json");
  return scene ? std::string() : message(scene.error());
}

// A fault "s.json:3: bodies[0].mass.mass: 1e300 is out of range: allowed is 1e-04 to 1e+08".
struct Range {
  std::string path;  // with the file's name, without the line
  double low, high;
};

std::optional<Range> range_of(const std::string& fault) {
  static const std::regex kRange("s\\.json:[0-9]+: (.*): \\S+ is out of range: allowed is (\\S+) to (\\S+)");
  std::smatch found;
  if (!std::regex_match(fault, found, kRange)) return std::nullopt;
  return Range{found[1], std::stod(found[2]), std::stod(found[3])};
}

double rounded(double value) { return static_cast<double>(static_cast<float>(value)); }
double beyond(double value, double to) {
  return static_cast<double>(std::nextafter(static_cast<float>(value), static_cast<float>(to)));
}

// True when the range of the number does not have the value, whatever else is wrong with it.
bool is_outside(const std::string& text, const Number& number, const Range& range, double value) {
  std::optional<Range> const found = range_of(fault_with(text, number, to_text(value)));
  return found && found->path == range.path;
}

// As is_outside(), or with other words: a force that breaks a joint is "above 0".
bool is_refused(const std::string& text, const Number& number, const Range& range, double value) {
  std::string const start = ": " + range.path + ": ";
  std::string const fault = fault_with(text, number, to_text(value));
  return fault.find(start) != std::string::npos && fault.find(" is out of range: ") != std::string::npos;
}

TEST(SceneRanges, BothEndsOfEachRangeAreInsideAndTheNextNumbersAreNot) {
  std::set<std::string> seen;
  for (const std::string& text : kScenes) {
    ASSERT_NO_THROW((void)parse_scene(text));
    for (const Number& number : numbers_of(text)) {
      std::optional<Range> const above = range_of(fault_with(text, number, "1e300"));
      if (!above) continue;  // an integer, or one whose fault is another
      std::string const& path = above->path;
      std::size_t const dot = path.find_last_of('.');
      std::string const last = path.substr(dot + 1);
      bool const is_component = last == "x" || last == "y" || last == "z";
      if (!is_component) seen.insert(last);
      if (last == "y" || last == "z") continue;  // x has their range
      for (double const end : {above->low, above->high}) {
        EXPECT_FALSE(is_outside(text, number, *above, end)) << path << " " << end;
        EXPECT_FALSE(is_outside(text, number, *above, rounded(end))) << path << " " << end;
      }
      double const below = beyond(std::min(above->low, rounded(above->low)), -1e38);
      double const over = beyond(std::max(above->high, rounded(above->high)), 1e38);
      EXPECT_TRUE(is_refused(text, number, *above, below)) << path << " " << below;
      EXPECT_TRUE(is_refused(text, number, *above, over)) << path << " " << over;
    }
  }
  // Each number of the schema has been there.
  std::ifstream file(TAKT_SOURCE_DIR "/schemas/scene.fbs");
  static const std::regex kField("(\\w+):double( = [^;]*)?;");
  std::set<std::string> missing;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("struct")) continue;  // of vectors
    for (std::sregex_iterator at(line.begin(), line.end(), kField), end; at != end; ++at) {
      if (!seen.contains((*at)[1])) missing.insert((*at)[1]);
    }
  }
  EXPECT_EQ(missing, std::set<std::string>{});
}

std::string fault_of(const std::string& text) {
  Result<Scene, SceneError> const scene = load_scene(text, "s.json");
  return scene ? std::string() : message(scene.error());
}

std::string chain(const std::string& fields) { return R"({"generators": [{"chain": {)" + fields + "}}]}"; }

// Numbers that are computed from several ones are at an end, too, when a computation rounds.
TEST(SceneRanges, ComputedNumbersAtAnEndAreInside) {
  for (int count = 1; count <= 60; ++count) {
    for (double const start : {0.0, 0.1, 0.7, 3.3, -1.1}) {
      std::string const way = R"(, "start": [)" + to_text(start) + R"(, 0, 0], "end": [)" +
                              to_text(start + 0.02 * count) + R"(, 0, 0], "count": )" + std::to_string(count);
      EXPECT_EQ(fault_of(chain(R"("thickness": 0.02, "width": 0.01)" + way)), "") << count << ' ' << start;
      std::string const longer = R"("start": [)" + to_text(start) + R"(, 0, 0], "end": [)" +
                                 to_text(start + 0.03 * count) + R"(, 0, 0], "thickness": 0.02, "count": )" +
                                 std::to_string(count);
      EXPECT_EQ(fault_of(chain(longer)), "") << count << ' ' << start;
      std::string const hanging =
          R"("start": [)" + to_text(start) + R"(, 0, 0], "end": [)" + to_text(start + 0.1 * count) +
          R"(, 0, 0], "thickness": 0.02, "count": 1, "sag": )" + to_text(0.05 * count);
      EXPECT_EQ(fault_of(chain(hanging)), "") << count << ' ' << start;
    }
    std::string const moved =
        R"({"bodies": [{"type": "kinematic", "position": [0.1, 0, 0], "shapes": [{"box": {}}],
      "motion": {"to": [)" +
        to_text(0.1 + 400 * count) + R"(, 0, 0], "period": )" + to_text(0.3 * count) + "}}]}";
    EXPECT_EQ(fault_of(moved), "") << count;
  }
  EXPECT_NE(fault_of(chain(R"("width": 0.0099, "start": [0, 0, 0], "end": [1, 0, 0], "count": 1)")), "");
  EXPECT_NE(fault_of(chain(R"("thickness": 0.0201, "start": [0, 0, 0], "end": [0.03, 0, 0], "count": 1)")),
            "");
  EXPECT_NE(fault_of(chain(R"("thickness": 0.02, "start": [0, 0, 0], "end": [0.0599, 0, 0], "count": 3)")),
            "");
  EXPECT_EQ(fault_of(chain(R"("width": )" + to_text(rounded(0.01)) +
                           R"(, "start": [0, 0, 0], "end": [1, 0, 0], "count": 1)")),
            "");
}

TEST(SceneRanges, ASagIsNeverNegativeAndATinyOneIsNone) {
  constexpr double kLengthM = 2;
  std::string const line = R"("thickness": 0.02, "start": [0, 5, 0], "end": [2, 5, 0], "count": 8, "sag": )";
  for (const char* const sag : {"-1e-46", "-1e-30", "-0.001"})
    EXPECT_NE(fault_of(chain(line + sag)), "") << sag;
  for (double const sag : {0.0, 1e-300, 1e-46, 1e-12, 1e-6, 3e-6, 1.9e-5, 2.1e-5, 1e-4, 1e-3}) {
    Result<Scene, SceneError> const scene = load_scene(chain(line + to_text(sag)), "s.json");
    ASSERT_TRUE(scene.ok()) << sag << message(scene.error());
    ASSERT_EQ(scene->bodies.size(), 8u);
    for (std::size_t i = 0; i < 8; ++i) {
      Vec3<double> const at = relative_m(scene->bodies[i].def.position, Position());
      // The straight line is at most 1e-5 of the length from the arc; an arc is below it by the sag at most.
      EXPECT_NEAR(at.x, 0.125 + 0.25 * static_cast<double>(i), 1e-5 * kLengthM) << sag;
      EXPECT_LE(at.y, 5.0 + 1e-5 * kLengthM) << sag;
      EXPECT_GE(at.y, 5.0 - sag - 1e-5 * kLengthM) << sag;
    }
  }
}

}  // namespace
}  // namespace takt::sim
