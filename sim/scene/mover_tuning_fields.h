// read_mover_tuning_fields() reads the numbers of a MoverTuning that scenes and input scripts name alike,
// with their ranges. Their tables are different types with fields of equal names. max_slope is not among
// them: a scene has it in degrees and a script in radians.
#pragma once

#include "sim/scene/scene_fields.h"
#include "takt/physics/mover.h"

namespace takt::sim {

template <class Table>
void read_mover_tuning_fields(const Table& table, const FieldPath& at, SceneFields& fields, MoverTuning& t) {
  t.step_height_m = fields.number(at, "step_height", table.step_height(), 0, 10);
  t.stick_distance_m = fields.number(at, "stick_distance", table.stick_distance(), 0, 10);
  t.skin_m = fields.number(at, "skin", table.skin(), 0.006, 0.018);
  t.max_speed_m_s = fields.number(at, "max_speed", table.max_speed(), 0, 100);
  t.acceleration_m_s2 = fields.number(at, "acceleration", table.acceleration(), 0, 1e4);
  t.air_acceleration_m_s2 = fields.number(at, "air_acceleration", table.air_acceleration(), 0, 1e4);
  t.jump_speed_m_s = fields.number(at, "jump_speed", table.jump_speed(), 0, 100);
  t.max_fall_speed_m_s = fields.number(at, "max_fall_speed", table.max_fall_speed(), 0, 1000);
  t.gravity_scale = fields.number(at, "gravity_scale", table.gravity_scale(), 0, 100);
  t.push_force_n = fields.number(at, "push_force", table.push_force(), 0, 1e6);
  t.mass_kg = fields.number(at, "mass", table.mass(), 0, 1e5);
  t.recovery_speed_m_s = fields.number(at, "recovery_speed", table.recovery_speed(), 0, 100);
}

}  // namespace takt::sim
