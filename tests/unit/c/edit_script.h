// Each edit of takt.h once, in a fixed order, for tests of recordings and of equal hashes.
#pragma once

#include "tests/unit/c/c_scene.h"

namespace takt::test {

/// The edits of what scenes define, with 5 steps.
inline void define_all(takt_world* world, std::uint64_t spawned) {
  double const place[3] = {1.5, 3, 0.25};
  double const turned[4] = {0, 0.6, 0, 0.8};
  std::uint64_t const ball = body_of(world, "ball");
  std::uint64_t shape = 0;
  std::size_t count = 0;
  EXPECT_EQ(takt_world_list_shapes(world, ball, &shape, 1, &count), TAKT_OK) << takt_last_error();
  EXPECT_EQ(count, 1u);
  auto shaped = sized<takt_shape_change>();
  shaped.fields =
      TAKT_SHAPE_FILTER | TAKT_SHAPE_FRICTION | TAKT_SHAPE_RESTITUTION | TAKT_SHAPE_SURFACE_VELOCITY;
  shaped.category = 3;
  shaped.mask = UINT32_MAX;
  shaped.friction = 0.3;
  shaped.restitution = 0.5;
  shaped.surface_velocity[0] = 0.5;
  EXPECT_EQ(takt_world_change_shape(world, shape, &shaped), TAKT_OK) << takt_last_error();
  auto body = sized<takt_body_change>();
  body.fields = TAKT_BODY_TYPE | TAKT_BODY_GRAVITY_SCALE | TAKT_BODY_DAMPING | TAKT_BODY_TAG;
  body.type = TAKT_BODY_KINEMATIC;
  body.gravity_scale = 0.5;
  body.linear_damping = 0.1;
  body.tag = 5;
  EXPECT_EQ(takt_world_change_body(world, spawned, &body), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_set_target(world, spawned, place, turned), TAKT_OK) << takt_last_error();
  auto tuning = sized<takt_mover_tuning>();
  tuning.fields = TAKT_MOVER_MAX_SPEED | TAKT_MOVER_RECOVERY_SPEED;
  tuning.max_speed = 3;
  tuning.recovery_speed = 2;
  EXPECT_EQ(takt_world_tune_mover(world, body_of(world, "ann"), &tuning), TAKT_OK) << takt_last_error();
  auto bob_def = sized<takt_mover_def>();
  EXPECT_EQ(takt_mover_defaults(&bob_def), TAKT_OK);
  bob_def.position[0] = -3;
  bob_def.position[1] = 0.92;
  bob_def.position[2] = 3;
  bob_def.heading = 0.25;
  bob_def.tag = 11;
  std::uint64_t bob = 0;
  EXPECT_EQ(takt_world_create_mover(world, &bob_def, &tuning, &bob), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_move(world, bob, place, 0.5, 1, 0), TAKT_OK) << takt_last_error();
  auto def = sized<takt_joint_def>();
  EXPECT_EQ(takt_joint_defaults(TAKT_JOINT_DISTANCE, &def), TAKT_OK);
  def.body_a = body_of(world, "box");
  def.body_b = ball;
  def.length = 1.5;
  def.linear_frequency = 4;
  std::uint64_t rod = 0;
  EXPECT_EQ(takt_world_create_joint(world, &def, &rod), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_joint_friction(world, rod, 6, 1), TAKT_OK) << takt_last_error();
  auto line = sized<takt_rope_def>();
  EXPECT_EQ(takt_rope_defaults(&line), TAKT_OK);
  line.node_count = 3;
  double const points[9] = {6, 3, 0, 6, 2.5, 0, 6, 2, 0};
  std::uint64_t rope = 0;
  EXPECT_EQ(takt_world_create_rope(world, &line, points, &rope), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_pin_rope(world, rope, 0, 0, nullptr), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_pin_rope(world, rope, 2, ball, place), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_rope_length(world, rope, 0.75), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_grab(world, def.body_a, nullptr, place, 5000), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_step(world, 3), TAKT_OK);
  double const higher[3] = {1.5, 4, 0.25};
  EXPECT_EQ(takt_world_move_grab(world, higher), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_unpin_rope(world, rope, 2), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_step(world, 2), TAKT_OK);
  EXPECT_EQ(takt_world_release(world), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_destroy_rope(world, rope), TAKT_OK) << takt_last_error();
}

/// Steps the world of kScene by 65 ticks and gives it each kind of edit on the way.
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
  change.fields |= TAKT_JOINT_DIRECT | TAKT_JOINT_LIMIT;
  change.direct = 0;
  change.axis = 0;
  change.lower = -0.9;
  change.upper = 1.1;
  change.limit_frequency = 5;
  change.limit_damping_ratio = 1;
  EXPECT_EQ(takt_world_change_joint(world, slide, &change), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_step(world, 5), TAKT_OK);
  EXPECT_EQ(takt_world_joint_drive(world, slide, 0, 1, -0.5, 2, 1, 800), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_step(world, 10), TAKT_OK);
  EXPECT_EQ(takt_world_joint_enable(world, slide, 0), TAKT_OK);
  define_all(world, spawned);
  // Refused edits count in the sequence, so a recording must have them too.
  EXPECT_EQ(takt_world_despawn(world, 0xdead), TAKT_ERROR_REFUSED + 11);
  EXPECT_EQ(takt_world_despawn(world, spawned), TAKT_OK);
  EXPECT_EQ(takt_world_step(world, 10), TAKT_OK);
  EXPECT_EQ(takt_world_destroy_joint(world, slide), TAKT_OK);
  EXPECT_EQ(takt_world_step(world, 10), TAKT_OK);
}

}  // namespace takt::test
