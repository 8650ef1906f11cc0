#include "sim/commands/input_script_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "sim/commands/input_script.h"
#include "takt/sim/replay.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

std::vector<std::byte> encoding_of(const std::vector<Input>& inputs) {
  std::vector<std::byte> bytes;
  for (const Input& input : inputs) encode(input, bytes);
  return bytes;
}

// One tick per input, in order.
std::vector<RecordedTick> ticks_of(const std::vector<Input>& inputs) {
  std::vector<RecordedTick> ticks;
  for (const Input& input : inputs) ticks.push_back({.tick = input.tick, .hash_after = 0, .inputs = {input}});
  return ticks;
}

ChangeJointCommand whole_change() {
  ChangeJointCommand change;
  change.joint = {1, 4};
  change.enabled = false;
  change.collide_connected = true;
  change.direct = true;
  change.locked = static_cast<std::uint8_t>(lock_of(JointAxis::kLinearX) | lock_of(JointAxis::kAngularZ));
  change.frame_a = JointFrame{{1.0 / 3, -2, 0.1}, {0.6, 0, 0, 0.8}};
  change.frame_b = JointFrame{};
  change.linear = Softness::spring(100.1, 2);
  change.angular = Softness::beta_gamma(0.25, 1e-9);
  change.max_force_n = 1e15;
  change.max_torque_n_m = 0.1;
  change.break_force_n = 3.5;
  change.break_torque_n_m = 1e-7;
  change.ratio = -1.0 / 7;
  change.length_m = 12.25;
  change.axis = JointAxis::kSwing;
  change.limit = ChangeJointCommand::Limit{-0.1, 0.7, Softness::frequency(5, 0.7)};
  change.hold = ChangeJointCommand::Hold{true, 0.3, Softness::erp_cfm(0.2, 0.01), 55};
  change.motor = ChangeJointCommand::Motor{-2.5, 1e-3};
  change.friction = 0.125;
  return change;
}

ChangeJointCommand removals() {
  ChangeJointCommand change;
  change.joint = {0, 1};
  change.limit = ChangeJointCommand::Limit{};
  change.hold = ChangeJointCommand::Hold{false, 0, {}, 0};
  return change;
}

ChangeBodyCommand whole_body_change() {
  ChangeBodyCommand change;
  change.body = {2, 1};
  change.type = BodyType::kKinematic;
  change.enabled = false;
  change.locked_axes = kLockToPlaneXY;
  change.gravity_scale = -1.0 / 3;
  change.damping = ChangeBodyCommand::Damping{0.1, 1e-9};
  change.user_tag = UINT64_MAX;
  return change;
}

ChangeShapeCommand whole_shape_change() {
  ChangeShapeCommand change;
  change.shape = {3, 9};
  change.filter = ShapeFilter{0, 0x80000000u, -7};
  change.friction = 1.0 / 7;
  change.restitution = 0.3;
  change.surface_velocity_m_s = Vec3<double>{-0.0, 0.1, -999};
  return change;
}

MoverTuning odd_tuning() {
  MoverTuning tuning;
  for (double* const value : {&tuning.max_slope_rad, &tuning.step_height_m, &tuning.stick_distance_m,
                              &tuning.max_speed_m_s, &tuning.acceleration_m_s2, &tuning.air_acceleration_m_s2,
                              &tuning.jump_speed_m_s, &tuning.max_fall_speed_m_s, &tuning.gravity_scale,
                              &tuning.push_force_n, &tuning.mass_kg, &tuning.recovery_speed_m_s})
    *value /= 3;
  tuning.skin_m = 0.0123;
  return tuning;
}

CreateMoverCommand new_mover() {
  CreateMoverCommand command;
  command.def.position = Position::from_raw(-5, (std::int64_t{1} << 52) + 1, 7);
  command.def.heading_rad = -1.0 / 3;
  command.def.radius_m = 0.1;
  command.def.half_length_m = 2.0 / 3;
  command.def.friction = 0.7;
  command.def.restitution = 1.0 / 7;
  command.def.filter = {2, 3, -4};
  command.def.user_tag = (std::uint64_t{1} << 63u) + 1;
  command.def.tuning = odd_tuning();
  return command;
}

CreateJointCommand new_wheel() {
  JointDef def =
      wheel_joint({2, 1}, {1, 1}, {{1.0 / 3, 0, 0}, {0.6, 0, 0, 0.8}}, {}, Softness::spring(1e4, 7), true);
  def.motor(JointAxis::kAngularZ, 3, 50)
      .limit(JointAxis::kAngularX, -0.5, kUnbounded, Softness::erp_cfm(0.1, 0));
  def.friction(JointAxis::kAngularX, 0.25);
  def.max_force_n = 1e5;
  def.break_torque_n_m = 3.5;
  def.collide_connected = true;
  def.direct = false;
  def.user_tag = 9;
  return CreateJointCommand::of(def);
}

CreateRopeCommand new_rope() {
  CreateRopeCommand command;
  command.points = {Position::from_metres(0, 1, 2), Position::from_raw(1, 2, 3),
                    Position::from_metres(1, 1, 1)};
  command.pins = {
      {0, {2, 1}, {0.1, 0, -0.0}, {}}, {2, {}, {}, Position::from_raw(-5, 6, 7)}, {1, {}, {}, {}}};
  command.def.mode = RopeMode::kCompliant;
  command.def.segment_length_m = 0.7;
  command.def.filter = {2, 3, 4};
  command.def.collides = false;
  command.def.user_tag = 12;
  return command;
}

CreateRopeCommand rope_of_density() {
  CreateRopeCommand command;
  command.def.mass_kg = 0;
  command.def.linear_density_kg_m = 0.2;
  return command;
}

ChangeRopeCommand whole_rope_change() {
  ChangeRopeCommand change;
  change.rope = {0, 1};
  change.segment_length_m = 0.3;
  change.pin = PinnedNode{2, {3, 2}, {0.5, 0, 0}, {}};
  change.released_node = 7;
  return change;
}

SpawnCommand spawn(ShapeKind kind, Vec3<float> dimensions_m) {
  SpawnCommand command;
  command.kind = kind;
  command.dimensions_m = dimensions_m;
  command.position = Position::from_raw(123456789, -987654321, 1);
  command.rotation = {0.6f, 0.0f, -0.8f, 0.0f};
  command.linear_velocity_m_s = {1e-30f, -0.0f, 3.1415927f};
  command.angular_velocity_rad_s = {0.1f, 0.2f, 0.3f};
  command.density_kg_m3 = 333.3f;
  command.friction = 0.1f;
  command.restitution = 0.7f;
  command.user_kind = 4'000'000'000u;
  return command;
}

std::vector<Input> every_command() {
  Position const place = Position::from_raw(-1, (std::int64_t{1} << 52) + 1, 7);
  std::vector<std::byte> all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes.push_back(static_cast<std::byte>(i));
  std::vector<Command> const commands{
      JoinCommand{1, true, "\xc3\xa4nn \"a\"\\"},
      ImpulseCommand{{0, 1}, {0.1f, -0.0f, 1e20f}, Vec3<float>{0, 0.5f, 0}},
      ImpulseCommand{{7, 9}, {}, std::nullopt},
      ForceCommand{{2, 1}, {1, 2, 3}, {}, 9},
      ForceCommand{{2, 1}, {}, {-0.0f, 0, 0.3f}, 1},
      spawn(ShapeKind::kSphere, {0.1f, 0, 0}),
      spawn(ShapeKind::kCapsule, {0.3f, 0.7f, 0}),
      spawn(ShapeKind::kBox, {0.1f, 0.2f, 0.3f}),
      spawn(ShapeKind::kCylinder, {0.4f, 0.9f, 0}),
      spawn(ShapeKind::kCone, {0.5f, 1.1f, 0}),
      SpawnCommand{},
      DespawnCommand{{3, 4}},
      GrabCommand{{2, 1}, {0.1f, 0, 0}, place, 40.4f},
      MoveGrabCommand{place},
      ReleaseCommand{},
      TeleportCommand{{2, 5}, place, {0, 0, 0.6f, 0.8f}, {0.1f, 0, 0}, {0, 0, 9.9f}},
      CustomCommand{{std::byte{'h'}, std::byte{'"'}, std::byte{'\\'}}},
      CustomCommand{all_bytes},
      CustomCommand{},
      MoveCommand{{2, 1}, {0.3f, 0, 1}, -0.7f, true, true},
      CutCommand{{1, 1}, 3},
      whole_change(),
      removals(),
      DestroyJointCommand{{1, 2}},
      whole_body_change(),
      ChangeBodyCommand{{1, 1}, {}, {}, {}, {}, {}, {}},
      whole_shape_change(),
      TargetCommand{{2, 5}, place, {0, 0, 0.6, 0.8}},
      TuneMoverCommand{{2, 1}, odd_tuning()},
      new_wheel(),
      CreateJointCommand::of(pulley_joint({1, 1}, {2, 1}, {}, {}, place, {}, 3.5, 0.5)),
      CreateJointCommand::of(
          gear_joint({1, 1}, {2, 1}, {0, 2}, JointAxis::kLinearY, {1, 3}, JointAxis::kAngularZ, -2)),
      new_rope(),
      rope_of_density(),
      CreateRopeCommand{},
      whole_rope_change(),
      ChangeRopeCommand{{1, 1}, {}, {}, {}},
      DestroyRopeCommand{{1, 2}},
      new_mover(),
      CreateMoverCommand{},
      LeaveCommand{1},
  };
  std::vector<Input> inputs;
  std::uint32_t sequence = 0;
  for (const Command& command : commands) {
    sequence += 1 + sequence % 3;  // refused floods leave gaps
    inputs.push_back({inputs.size() / 2, 1, sequence, command});
  }
  return inputs;
}

TEST(InputScriptText, EveryCommandReadsBackBitForBit) {
  Scene const scene = stack_scene(2);
  std::vector<Input> const inputs = every_command();
  std::vector<bool> seen(std::variant_size_v<Command>);
  for (const Input& input : inputs) seen.at(input.command.index()) = true;
  for (std::size_t kind = 0; kind < seen.size(); ++kind) EXPECT_TRUE(seen[kind]) << "no command " << kind;
  InputScriptText const script = write_input_script(ticks_of(inputs), scene);
  for (const Input& input : script.omitted) ADD_FAILURE() << input.sequence << ' ' << name_of(input.command);
  auto const read = load_input_script(script.json, "i.json", scene);
  ASSERT_TRUE(read) << message(read.error());
  EXPECT_EQ(encoding_of(*read), encoding_of(inputs)) << script.json;
}

TEST(InputScriptText, WritesAScriptWithoutInputs) {
  InputScriptText const script = write_input_script({}, stack_scene(2));
  auto const read = load_input_script(script.json, "i.json", stack_scene(2));
  ASSERT_TRUE(read) << message(read.error());
  EXPECT_TRUE(read->empty());
}

TEST(InputScriptText, ListsWhatAScriptCannotExpress) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Input> const inputs{
      {3, 1, 1, CustomCommand{{std::byte{1}}}},
      {4, 1, 2, TeleportCommand{{2, 1}, {}, {0, 0, 0, 2}, {}, {}}},                       // no rotation
      {5, 1, 3, MoveGrabCommand{Position::from_raw((std::int64_t{1} << 53) + 1, 0, 0)}},  // 2,097 km
      {6, 1, 4, ImpulseCommand{{0, 1}, {nan, 0, 0}, std::nullopt}},
      {7, 1, 5, ReleaseCommand{}},
  };
  std::vector<RecordedTick> ticks = ticks_of(inputs);
  ticks.push_back({.tick = 8, .hash_after = 0, .inputs = {{9, 1, 6, ReleaseCommand{}}}});  // of another tick
  InputScriptText const script = write_input_script(ticks, stack_scene(2));
  std::vector<std::uint32_t> omitted;
  for (const Input& input : script.omitted) omitted.push_back(input.sequence);
  EXPECT_EQ(omitted, (std::vector<std::uint32_t>{2, 3, 4, 6}));
  auto const read = load_input_script(script.json, "i.json", stack_scene(2));
  ASSERT_TRUE(read) << message(read.error());
  EXPECT_EQ(encoding_of(*read), encoding_of({inputs[0], inputs[4]}));
}

// A body of the scene takes the text that is the id of another one.
TEST(InputScriptText, ListsAnIdThatIsANameOfTheScene) {
  Scene const scene = parse_scene(
      R"({"bodies": [{"name": "1:1", "shapes": [{"sphere": {}}]}, {"shapes": [{"sphere": {}}]}]})");
  std::vector<Input> const inputs{{0, 0, 1, DespawnCommand{{1, 1}}}, {1, 0, 2, DespawnCommand{{0, 1}}}};
  InputScriptText const script = write_input_script(ticks_of(inputs), scene);
  ASSERT_EQ(script.omitted.size(), 1u);
  EXPECT_EQ(script.omitted[0].sequence, 1u);
}

// The recordings of the script of each edit of takt.h. The determinism tests verify them on each machine;
// this one reads JSON, which cross builds do not.
TEST(InputScriptText, HasEachInputOfTheRecordingsOfEveryEdit) {
  for (const char* const mode : {"float", "fixed"}) {
    std::ifstream in(
        TAKT_SOURCE_DIR "/tests/determinism/recordings/every_edit_" + std::string(mode) + ".takt",
        std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    MemorySource const source(std::as_bytes(std::span(text)));
    Result<RecordingReader, SimError> const reader = RecordingReader::open(source);
    ASSERT_TRUE(reader) << mode;
    std::vector<RecordedTick> ticks;
    for (std::uint64_t tick = reader->info().first_tick; tick < reader->info().end_tick; ++tick) {
      Result<RecordedTick, SimError> const recorded = reader->tick(tick);
      ASSERT_TRUE(recorded) << tick;
      ticks.push_back(*recorded);
    }
    Result<Scene, SceneError> const scene = load_scene(reader->scene_binary(), "every edit");
    ASSERT_TRUE(scene);
    for (const Input& input : write_input_script(ticks, *scene).omitted)
      ADD_FAILURE() << mode << ": an input script cannot express " << name_of(input.command);
  }
}

}  // namespace
}  // namespace takt::sim
