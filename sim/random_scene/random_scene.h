// RandomScene is a scene that draw_scene.h made from a seed, as JSON text. It also has the bounds and kinds
// of forces that a check of energy, speed and escapes needs. RandomFamily is the way its bodies are arranged.
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
  std::string name;  ///< random_scene_name(): stands for a file name in messages, and begins the title
  std::string json;  ///< text for load_scene()
  RandomFamily family = RandomFamily::kPit;
  /// The scene has no motor, spring, rope, soft surface, mover or kinematic body: mechanical energy may only
  /// fall.
  bool is_passive = true;
  bool is_inelastic = true;        ///< every restitution is 0
  bool has_soft_contacts = false;  ///< contact springs, into which bodies sink
  double start_speed_m_s = 0;      ///< bound of the speed of a dynamic body's points at tick 0
  double drive_speed_m_s = 0;      ///< greatest speed that motors, movers and kinematic bodies demand
  double speed_gain = 1;           ///< largest ratio of speeds that a gear or pulley forces, >= 1
  double start_overlap_m = 0;      ///< largest overlap of two bodies at tick 0 that the scene intends
  bool has_world_joint = false;    ///< it has a pulley or a rope, through which the world may take momentum
  bool is_walled = false;          ///< the region is closed by static bodies on all sides
  double floor_half_m = 0;  ///< |x| and |z| beyond which there is no floor; 0 = the region has one all over
  Vec3<double> low_m{};     ///< corner of the region that centres of mass must not leave
  Vec3<double> high_m{};    ///< the opposite corner
};

/// "wild 7" for the seed 7.
[[nodiscard]] std::string random_scene_name(std::uint64_t seed);

}  // namespace takt::sim
