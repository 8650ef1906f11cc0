// RandomScene is a scene that draw_scene.h made from a seed: its JSON text, and the bounds and kinds of
// forces that a check of energy, speed and escapes needs. RandomFamily is the way its bodies are arranged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "takt/physics/vector.h"

namespace takt::sim {

enum class RandomFamily : std::uint8_t {
  kPit,    ///< bodies of all shapes that fall into a closed pit
  kSlab,   ///< slabs on light bodies
  kTower,  ///< crooked towers
  kBall,   ///< a heavy ball that falls onto light bodies in a pit
  kCrowd,  ///< bodies that fly against one another, without any static body
};
/// "pit", "slab", "tower", "ball" or "crowd".
[[nodiscard]] std::string_view name_of(RandomFamily family);

struct RandomScene {
  std::string name;  ///< random_scene_name(), the file name in messages and begin of the scene's title
  std::string json;
  RandomFamily family = RandomFamily::kPit;
  /// No motor, spring, rope, soft surface or kinematic body: mechanical energy may only fall.
  bool is_passive = true;
  bool is_inelastic = true;        ///< every restitution is 0
  bool has_soft_contacts = false;  ///< contact springs, into which bodies sink
  double start_speed_m_s = 0;      ///< fastest point of a dynamic body at tick 0
  double drive_speed_m_s = 0;      ///< fastest motion that motors and kinematic bodies demand
  double speed_gain = 1;           ///< largest ratio of speeds that a gear or pulley forces, >= 1
  double start_overlap_m = 0;      ///< largest overlap of two bodies at tick 0 that the scene intends
  bool has_world_joint = false;    ///< a pulley or rope that leads to the world or carries momentum
  bool is_walled = false;          ///< the region is closed by static bodies on all sides
  Vec3<double> low_m{};            ///< corner of the region that centres of mass must not leave
  Vec3<double> high_m{};           ///< the opposite corner
};

/// "wild 7"
[[nodiscard]] std::string random_scene_name(std::uint64_t seed);

}  // namespace takt::sim
