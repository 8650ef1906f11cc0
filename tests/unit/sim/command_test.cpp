#include "takt/sim/command.h"

#include <gtest/gtest.h>

namespace takt::sim {
namespace {

std::vector<Command> one_of_each_kind() {
  BodyId const body{7, 3};
  SpawnCommand spawn;
  spawn.kind = ShapeKind::kCapsule;
  spawn.dimensions_m = {0.25f, 1.5f, 0};
  spawn.position = Position::from_raw(1, -2, std::int64_t{1} << 60);
  spawn.rotation = {0.5f, 0.5f, 0.5f, 0.5f};
  spawn.user_kind = 0xDEADBEEF;
  ChangeJointCommand change;
  change.joint = JointId{4, 2};
  change.enabled = false;
  change.collide_connected = true;
  change.direct = false;
  change.locked = 9;
  change.frame_a = JointFrame{{1, 2, 3}, {0, 1, 0, 0}};
  change.frame_b = JointFrame{{-1, -2, -3}, {}};
  change.linear = Softness::spring(1e4, 30);
  change.angular = Softness::frequency(5, 0.7);
  change.max_force_n = 1;
  change.max_torque_n_m = 2;
  change.break_force_n = 3;
  change.break_torque_n_m = kUnbounded;
  change.ratio = -4;
  change.length_m = 5;
  change.axis = JointAxis::kSwing;
  change.limit = ChangeJointCommand::Limit{-kUnbounded, 0.1, Softness::erp_cfm(0.2, 1e-6)};
  change.hold = ChangeJointCommand::Hold{true, 0.5, Softness::beta_gamma(0.1, 0.2), 6};
  change.motor = ChangeJointCommand::Motor{-7, 8};
  change.friction = 9;
  ChangeJointCommand only_off;
  only_off.joint = JointId{4, 2};
  only_off.enabled = false;
  ChangeBodyCommand retyped;
  retyped.body = body;
  retyped.type = BodyType::kStatic;
  retyped.damping = ChangeBodyCommand::Damping{1, 2};
  retyped.user_tag = 3;
  ChangeShapeCommand slippery;
  slippery.shape = ShapeId{8, 2};
  slippery.filter = ShapeFilter{1, 2, -3};
  slippery.friction = 0.1;
  slippery.surface_velocity_m_s = Vec3<double>{1, 2, 3};
  CreateRopeCommand rope;
  rope.points = {Position::from_raw(1, 2, 3), Position::from_raw(4, 5, 6)};
  rope.pins = {{0, body, {1, 2, 3}, {}}, {1, {}, {}, Position::from_raw(7, 8, 9)}};
  ChangeRopeCommand wound;
  wound.rope = RopeId{1, 1};
  wound.segment_length_m = 0.5;
  wound.pin = rope.pins[1];
  wound.released_node = 4;
  CreateMoverCommand mover;
  mover.def.position = Position::from_raw(1, -2, 3);
  mover.def.filter = {1, 2, -3};
  mover.def.user_tag = 1ull << 40u;
  mover.def.tuning.recovery_speed_m_s = 2;
  return {ImpulseCommand{body, {1, 2, 3}, std::nullopt},
          ImpulseCommand{body, {1, 2, 3}, Vec3<float>{4, 5, 6}},
          ForceCommand{body, {1, 2, 3}, {4, 5, 6}, 30},
          spawn,
          DespawnCommand{body},
          GrabCommand{body, {0.1f, 0.2f, 0.3f}, Position::from_raw(10, 20, 30), 500},
          MoveGrabCommand{Position::from_raw(-1, -2, -3)},
          ReleaseCommand{},
          TeleportCommand{body, Position::from_raw(1, 2, 3), {0, 0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
          MoveCommand{body, {1, 2, 3}, 0.5f, true, true},
          CutCommand{RopeId{3, 2}, 5},
          change,
          only_off,
          DestroyJointCommand{JointId{4, 2}},
          CustomCommand{{std::byte{1}, std::byte{0}, std::byte{255}}},
          JoinCommand{9, true, "Zoë"},
          LeaveCommand{9},
          retyped,
          slippery,
          TargetCommand{body, Position::from_raw(1, 2, 3), {0, 0.6, 0, 0.8}},
          TuneMoverCommand{body, {}},
          CreateJointCommand::of(distance_joint(body, BodyId{1, 1}, {}, {}, 2.0, Softness::frequency(1, 2))),
          rope,
          wound,
          DestroyRopeCommand{RopeId{2, 3}},
          mover};
}

TEST(Command, EachComesBackFromItsEncoding) {
  for (const Command& command : one_of_each_kind()) {
    Input const input{0x0123456789ABCDEF, 4, 77, command};
    std::vector<std::byte> bytes;
    encode(input, bytes);
    ByteReader reader(bytes);
    Result<Input, SimError> const back = decode_input(reader);
    ASSERT_TRUE(back) << name_of(command);
    EXPECT_EQ(*back, input) << name_of(command);
    EXPECT_EQ(reader.remaining(), 0u) << name_of(command);
  }
}

TEST(Command, ReadsHeadFieldsAtTheDocumentedOffsets) {
  std::vector<std::byte> bytes;
  encode(Input{0x1122334455667788, 0xA1A2A3A4, 0xB1B2B3B4, LeaveCommand{5}}, bytes);
  ASSERT_EQ(bytes.size(), 8u + 4 + 4 + 1 + 4);
  EXPECT_EQ(load_little_endian<std::uint64_t>(&bytes[0]), 0x1122334455667788u);
  EXPECT_EQ(load_little_endian<std::uint32_t>(&bytes[8]), 0xA1A2A3A4u);
  EXPECT_EQ(load_little_endian<std::uint32_t>(&bytes[12]), 0xB1B2B3B4u);
  EXPECT_EQ(bytes[16], std::byte{11});  // leave is the eleventh command
  EXPECT_EQ(load_little_endian<std::uint32_t>(&bytes[17]), 5u);
}

TEST(Command, EveryCutIsRefused) {
  for (const Command& command : one_of_each_kind()) {
    std::vector<std::byte> bytes;
    encode(Input{1, 2, 3, command}, bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ByteReader reader{std::span<const std::byte>(bytes).first(size)};
      EXPECT_FALSE(decode_input(reader)) << name_of(command) << " cut at " << size;
    }
  }
}

TEST(Command, UnknownKindsAndFlagsAreRefused) {
  std::vector<std::byte> bytes;
  encode(Input{1, 2, 3, ImpulseCommand{}}, bytes);
  for (int const kind : {0, 25, 255}) {
    bytes[16] = static_cast<std::byte>(kind);
    ByteReader reader(bytes);
    EXPECT_FALSE(decode_input(reader)) << kind;
  }
  bytes[16] = std::byte{1};
  bytes.back() = std::byte{2};  // "is there a point": 0 or 1
  ByteReader reader(bytes);
  EXPECT_FALSE(decode_input(reader));
}

TEST(Command, AnAbsurdLengthIsRefusedBeforeItIsAllocated) {
  std::vector<std::byte> bytes;
  encode(Input{1, 2, 3, CustomCommand{}}, bytes);
  store_little_endian<std::uint32_t>(bytes.data() + bytes.size() - 4, 0xFFFFFFFFu);
  ByteReader reader(bytes);
  EXPECT_FALSE(decode_input(reader));
}

TEST(Command, SortsByPlayerThenSequenceAndKeepsTies) {
  std::vector<Input> inputs{{0, 2, 1, LeaveCommand{1}},
                            {0, 1, 2, LeaveCommand{2}},
                            {0, 1, 1, LeaveCommand{3}},
                            {0, 1, 1, LeaveCommand{4}}};
  sort_inputs(inputs);
  std::vector<PlayerId> order;
  for (const Input& input : inputs) order.push_back(std::get<LeaveCommand>(input.command).player);
  EXPECT_EQ(order, (std::vector<PlayerId>{3, 4, 2, 1}));
}

TEST(Command, EveryErrorAndRefusalHasItsOwnMessage) {
  std::vector<std::string_view> seen;
  for (int i = 1; i <= 16; ++i) seen.push_back(message(static_cast<SimError>(i)));
  for (int i = 0; i <= 22; ++i) seen.push_back(message(static_cast<Refusal>(i)));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_FALSE(seen[i].empty()) << i;
    EXPECT_FALSE(seen[i].starts_with("unknown")) << i;
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(seen[i], seen[k]) << i << " and " << k;
  }
}

}  // namespace
}  // namespace takt::sim
