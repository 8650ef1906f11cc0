// Each edit of takt.h once, in a fixed order, for tests of recordings and of equal hashes.
#pragma once

#include "tests/unit/c/c_scene.h"

namespace takt::test {

/// Steps the world of kScene by 60 ticks and gives it each kind of edit on the way.
inline void run_every_edit(takt_world* world) {
  double const push[3] = {0, 4000, 300};
  double const at[3] = {0.2, 0, 0.1};
  double const torque[3] = {1, 2, 3};
  double const place[3] = {2.5, 4, -1};
  double const turned[4] = {0, 0.6, 0, 0.8};
  double const spin[3] = {0, 5, 0};
  std::uint64_t const box = body_of(world, "box");
  std::uint64_t const ball = body_of(world, "ball");
  std::uint64_t const slide = joint_of(world, "slide");
  EXPECT_EQ(takt_world_step(world, 5), TAKT_OK);
  EXPECT_EQ(takt_world_impulse(world, box, push, at), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_impulse(world, ball, push, nullptr), TAKT_OK);
  EXPECT_EQ(takt_world_force(world, box, push, torque, 7), TAKT_OK);
  EXPECT_EQ(takt_world_step(world, 3), TAKT_OK);
  EXPECT_EQ(takt_world_teleport(world, ball, place, turned, nullptr, spin), TAKT_OK);
  auto spawn = sized<takt_spawn>();
  EXPECT_EQ(takt_spawn_defaults(&spawn), TAKT_OK);
  spawn.position[1] = 6;
  spawn.tag = 17;
  std::uint64_t spawned = 0;
  EXPECT_EQ(takt_world_spawn(world, &spawn, &spawned), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_step(world, 2), TAKT_OK);
  double const walk[3] = {1, 0, 0.5};
  EXPECT_EQ(takt_world_move(world, body_of(world, "ann"), walk, 0.5, 1, 1), TAKT_OK);
  EXPECT_EQ(takt_world_cut_rope(world, rope_of(world), 2), TAKT_OK);
  EXPECT_EQ(takt_world_joint_motor(world, slide, 0, 2, 500), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_joint_limit(world, slide, 0, -1, 1), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_joint_friction(world, slide, 0, 3), TAKT_OK);
  EXPECT_EQ(takt_world_step(world, 15), TAKT_OK);
  auto change = sized<takt_joint_change>();
  change.fields = TAKT_JOINT_FRAME_A | TAKT_JOINT_LINEAR | TAKT_JOINT_BREAK_FORCE;
  change.position_a[1] = 0.3;
  change.rotation_a[3] = 1;
  change.linear_frequency = 8;
  change.linear_damping_ratio = 0.7;
  change.break_force = 1e9;
  EXPECT_EQ(takt_world_change_joint(world, slide, &change), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_step(world, 5), TAKT_OK);
  EXPECT_EQ(takt_world_joint_drive(world, slide, 0, 1, -0.5, 2, 1, 800), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_step(world, 10), TAKT_OK);
  EXPECT_EQ(takt_world_joint_enable(world, slide, 0), TAKT_OK);
  // Refused edits count in the sequence, so a recording must have them too.
  EXPECT_EQ(takt_world_despawn(world, 0xdead), TAKT_ERROR_REFUSED + 11);
  EXPECT_EQ(takt_world_despawn(world, spawned), TAKT_OK);
  EXPECT_EQ(takt_world_step(world, 10), TAKT_OK);
  EXPECT_EQ(takt_world_destroy_joint(world, slide), TAKT_OK);
  EXPECT_EQ(takt_world_step(world, 10), TAKT_OK);
}

}  // namespace takt::test
