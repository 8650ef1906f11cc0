// MoverDef, MoverTuning and MoverInput define and drive a mover: a character that walks, climbs steps, jumps
// and rides on moving bodies (docs/MOVER.md). A mover is an upright capsule on a kinematic body of its own,
// which World::create_mover creates. World::set_mover_input takes a MoverInput. World::mover returns a
// MoverView, the mover's state after the last step.
#pragma once

#include <cstdint>

#include "takt/physics/body.h"

namespace takt {

/// Parameters of a mover's motion (docs/MOVER.md). Speeds are relative to the ground it stands on; up is +y,
/// whatever the gravity.
struct MoverTuning {
  double max_slope_rad =
      0.8726646259971648;       ///< steepest ground it stands on and walks up, [0, 1.4]; default 50 degrees.
                                ///< Steeper ground acts as a wall and the mover slides down it
  double step_height_m = 0.35;  ///< maximum step height it climbs without stopping, [0, 10]
  double stick_distance_m = 0.35;  ///< maximum drop of the ground in one tick that keeps it grounded, [0, 10]
  double skin_m = 0.01;  ///< distance kept from all shapes, [0.006, 0.018]: above the 5 mm at which contacts
                         ///< carry load, below the 20 mm at which they are created
  double max_speed_m_s = 6.0;       ///< of walking, [0, 100]
  double acceleration_m_s2 = 50.0;  ///< on the ground, speeding up and braking, [0, 10000]
  double air_acceleration_m_s2 =
      8.0;  ///< in the air, towards the wanted velocity; with none wanted it keeps its velocity. [0, 10000]
  double jump_speed_m_s = 5.0;       ///< upwards, [0, 100]
  double max_fall_speed_m_s = 60.0;  ///< gravity accelerates it no further, [0, 1000]
  double gravity_scale = 1.0;        ///< multiplies the world's gravity, in the air, [0, 100]
  double push_force_n = 500.0;       ///< total on all dynamic bodies it walks against, [0, 1e6]
  double mass_kg = 80.0;  ///< its weight on a dynamic body under it; used for nothing else. [0, 1e5]
  double recovery_speed_m_s = 3.0;  ///< speed out of overlap, [0, 100]
};

/// A character: an upright capsule on a kinematic body of its own.
struct MoverDef {
  Position position{};         ///< of the capsule's centre; each axis within +-kWorldLimitM
  double heading_rad = 0.0;    ///< about +y; 0 faces +z. Within +-1000
  double radius_m = 0.4;       ///< [kMinExtentM, 100]
  double half_length_m = 0.5;  ///< half length of the axis without the round ends, [kMinExtentM, 100]
  double friction = 0.6;       ///< of its capsule against bodies that hit it, dimensionless, [0, 100]
  double restitution = 0.0;    ///< of its capsule against bodies that hit it, dimensionless, [0, 1]
  ShapeFilter filter{};        ///< shapes it collides with
  std::uint64_t user_tag = 0;  ///< of its body
  MoverTuning tuning{};
};

/// Input of a mover. It stays in force until the next input, except the jump, which lasts one step.
struct MoverInput {
  Vec3<double> velocity_m_s{};  ///< wanted velocity relative to the ground; y is ignored; clamped to
                                ///< max_speed_m_s. Each within +-1000
  bool in_heading_frame =
      false;                ///< true: velocity_m_s in the mover's frame, z forwards; false: in the world's
  bool jump = false;        ///< jumps in the next step if grounded
  double turn_rad_s = 0.0;  ///< of the heading about +y, within +-100
  friend bool operator==(const MoverInput&, const MoverInput&) = default;
};

/// State of a mover after the last step.
struct MoverView {
  BodyId body;
  bool grounded = false;
  ShapeId ground;                       ///< shape it stands on, when grounded
  Vec3<double> ground_normal{0, 1, 0};  ///< unit, when grounded
  Vec3<double> velocity_m_s;            ///< world: its own plus its ground's
  double heading_rad = 0.0;             ///< about +y, (-pi, pi]
};

}  // namespace takt
