#include "tests/unit/protocol/sample_messages.h"

#include "protocol/messages/rope_codec.h"
#include "tests/unit/protocol/golden_geometries.h"

namespace takt::protocol::test {

namespace {

constexpr std::uint64_t kSampleJoint = (std::uint64_t{4} << 32) | 9;

ChangeJointCommand sample_change() {
  ChangeJointCommand change;
  change.joint = kSampleJoint;
  change.enabled = true;
  change.collide_connected = false;
  change.direct = true;
  change.locked = 7;
  change.frame_a = JointPlace{{0.1, -0.2, 0.3}, {0, 1, 0, 0}};
  change.frame_b = JointPlace{{-1, 2, -3}, {}};
  change.linear = Softness{3, 1e4, 50};
  change.angular = Softness{4, 5, 0.7};
  change.max_force = kUnbounded;
  change.max_torque = 30;
  change.break_force = 4000;
  change.break_torque = kUnbounded;
  change.ratio = -2.5;
  change.length = 12;
  change.axis = 4;
  change.limit = JointLimit{-kUnbounded, 1.5, {2, 0.25, 1e-6}};
  change.hold = JointHold{true, 0.75, {1, 0.5, 0}, 25};
  change.motor = JointMotor{-3, 50};
  change.friction = 0.125;
  return change;
}

}  // namespace

Inputs joint_inputs() {
  ChangeJointCommand motor;
  motor.joint = kSampleJoint;
  motor.axis = 0;
  motor.motor = JointMotor{2, 1e3};
  ChangeJointCommand nothing;
  nothing.joint = kSampleJoint;
  ChangeJointCommand off = nothing;
  off.enabled = false;
  off.hold = JointHold{false, 0, {}, 0};
  return {{{50, 1, sample_change()},
           {50, 2, motor},
           {51, 3, nothing},
           {51, 4, off},
           {52, 5, DestroyJointCommand{kSampleJoint}}},
          {}};
}

std::vector<Command> sample_commands() {
  constexpr BodyId kBody = (std::uint64_t{3} << 32) | 17;
  Quatf const half_turn{0, 1, 0, 0};
  SpawnCommand spawn;
  spawn.shape = {ShapeKind::kCapsule, {0.5f, 1.5f, 0}, {1, 2, 3}, half_turn};
  spawn.position = {-5, std::int64_t{7} << 32, 9};
  spawn.rotation = half_turn;
  spawn.linear_velocity = {1, -2, 3};
  spawn.angular_velocity = {-4, 5, -6};
  spawn.density = 250;
  spawn.friction = 0.25f;
  spawn.restitution = 0.5f;
  spawn.user_kind = 12;
  return {
      ImpulseCommand{kBody, {1, 2, 3}, Vec3f{4, 5, 6}},
      ForceCommand{kBody, {1, 2, 3}, {4, 5, 6}, 30},
      spawn,
      DespawnCommand{kBody},
      GrabCommand{kBody, {0.1f, 0.2f, 0.3f}, {1, 2, 3}, 500},
      MoveGrabCommand{{-1, -2, -3}},
      ReleaseCommand{},
      TeleportCommand{kBody, {1, 2, 3}, half_turn, {4, 5, 6}, {7, 8, 9}},
      CustomCommand{{std::byte{1}, std::byte{2}, std::byte{3}}},
      MoveCommand{kBody, {1, 2, 3}, 0.5f, true, true},
      CutCommand{kBody, 7},
      sample_change(),
      DestroyJointCommand{kSampleJoint},
  };
}

namespace {

QueryRequest sample_queries() {
  Query ray;
  ray.position = {1, std::int64_t{2} << 32, -3};
  ray.translation = {0.1, -20, 1e6};
  ray.mode = QueryMode::kAll;
  Query cast;
  cast.kind = QueryKind::kShapeCast;
  cast.shape = {ShapeKind::kCapsule, {0.5f, 1.5f, 0}, {1, 2, 3}, {0, 1, 0, 0}};
  cast.rotation = {0, 0, 1, 0};
  cast.translation = {1, 2, 3};
  cast.category = 4;
  cast.mask = 0xfffffffe;
  cast.group = -5;
  cast.find_sensors = true;
  cast.ignore = {(std::uint64_t{3} << 32) | 17, ~std::uint64_t{0}};
  Query overlap;
  overlap.kind = QueryKind::kOverlap;
  overlap.mode = QueryMode::kAny;
  overlap.shape = {ShapeKind::kBox, {1, 2, 3}, {}, {}};
  Query closest;
  closest.kind = QueryKind::kClosestPoint;
  closest.max_distance = 0.1;
  return {12, {ray, cast, overlap, closest}, 488};
}

}  // namespace

std::vector<Message> sample_messages() {
  ConnectRequest request;
  request.scene_hash = 0x1234;
  request.numbers_mode = NumbersMode::kFixedMode;
  request.mode = ReplicationMode::kLockstep;
  request.player_name = "J\xc3\xbcrgen";
  request.nonce = 99;
  request.role = Role::kSpectator;
  request.token = {std::byte{0xfe}, std::byte{1}, std::byte{0x80}};
  request.ciphers = 0x81;
  request.resume = ResumePoint{5000, 4992, 0x0123456789abcdef, 3};
  ConnectRequest web_request = request;
  web_request.token_verifier.emplace().fill(std::byte{0x77});
  Cookie cookie;
  for (std::size_t i = 0; i < cookie.size(); ++i) cookie[i] = static_cast<std::byte>(i + 1);
  PublicKeyBytes key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(32 - i);
  Accept accept;
  accept.nonce = 99;
  accept.session = 0xfeed;
  accept.player_id = 4;
  accept.tick_rate_hz = 60;
  accept.substeps = 4;
  accept.current_tick = 1000;
  accept.scene_hash = 0x1234;
  accept.numbers_mode = NumbersMode::kFloatMode;
  accept.role = Role::kSpectator;
  accept.cipher = 1;
  accept.resumed = true;
  accept.epoch = 3;
  accept.input_offset = 500;
  Inputs inputs;
  for (auto const& command : sample_commands())
    if (!std::holds_alternative<ChangeJointCommand>(
            command))  // with it the message would not fit a datagram: joint_inputs has it
      inputs.inputs.push_back({50, static_cast<std::uint32_t>(inputs.inputs.size() + 1), command});
  SnapshotPart part;
  part.serial = 8;
  part.tick = 77;
  part.part = 1;
  part.part_count = 3;
  part.baseline = 6;
  part.deferred = 5;
  BodyState body;
  body.id = (std::uint64_t{2} << 32) | 5;
  body.position = {1, -2, 3};
  body.rotation = {0.5f, 0.5f, 0.5f, 0.5f};
  body.linear_velocity = {1, 2, 3};
  body.angular_velocity = {4, 5, 6};
  body.flags = kBodyAsleep;
  part.bodies = {body, body};
  part.bodies[1].id += 1;
  part.removed = {(std::uint64_t{1} << 32) | 9};
  part.epoch = 3;
  part.mode_epoch = 2;
  RopeState const rope{kSampleJoint,
                       kRopeAsleep,
                       0.05f,
                       {{1, std::int64_t{2} << 32, -3}, {0, std::int64_t{2} << 32, 1 << 30}, {5, 6, 7}},
                       {40.5f, -0.5f}};
  part.ropes = encode_rope(rope).front();
  part.removed_ropes = {kSampleJoint + 1};
  part.deferred_ropes = 2;
  part.movers = {{body.id, {1.5f, 0, -2}, 0.25f, kMoverHeadingFrame}, {body.id + 1, {}, 0, 0}};
  BodyInfo info{body.id,
                3,
                2,
                {{ShapeKind::kBox, {1, 2, 3}, {4, 5, 6}, {}},
                 {ShapeKind::kHalfSpace, {0, 1, 0}, {}, {}},
                 {ShapeKind::kSphere, {2, 0, 0}, {}, {}}}};
  RoomState room;
  room.epoch = 3;
  room.tick = 500;
  room.paused = true;
  room.speed = 0.5f;
  room.admin = true;
  room.is_recording = true;
  room.first_tick = 10;
  room.end_tick = 9000;
  room.tick_rate_hz = 120;
  room.scene_hash = 0x1234;
  room.scene = "pyramid";
  room.title = "A pyramid of b\xc3\xb6xes";
  room.scenes = {"dominoes", "pyramid"};
  room.camera = CameraPlace{{1, 2, 3}, {-4, 5, -6}};
  room.marks = {{10, 1, MarkKind::kImage},
                {10, 2, MarkKind::kJoin},
                {400, 3, MarkKind::kInput},
                {410, 1, MarkKind::kBreak}};
  ContactPoint const contact{body.id, body.id + 1, {7, -8, 9}, {0, 1, 0}, 12.5f, -0.001f};
  return {
      web_request,
      Challenge{99, cookie, key, {}},
      ChallengeResponse{cookie, request, key, {cookie.begin(), cookie.end()}},
      accept,
      Refuse{99, RefuseReason::kServerFull, "all 64 places are taken"},
      Disconnect{DisconnectReason::kKicked, "mind your manners"},
      KeepAlive{},
      Ping{123456789},
      Pong{123456789, 500, 0x80000000u},
      inputs,
      InputAck{12,
               500,
               -3,
               {{4, CommandStatus::kMoved, 501, CommandRefusal::kNone, {}},
                {5, CommandStatus::kRefusedRate, 500, CommandRefusal::kNone, {}}}},
      part,
      JoinSlice{500, 10, 0xabcdef, 4, {std::byte{1}, std::byte{2}}},
      BodiesAdded{500, {info, {info.id + 1, 0, 0, {}}}},
      BodiesRemoved{500, {info.id, info.id + 1}},
      GameEvent{500, {std::byte{9}}},
      ServerStats{500, 0x123456789abcdef0ull, 300, 200, 64, 1500, 4200, 77, 9},
      Control{31, ControlAction::kSetSpeed, 0.25f, 12, "pyramid"},
      ControlResult{31, ControlStatus::kFailed, "pyramid.json:3: no such shape"},
      room,
      RoomEntered{3, 41},
      Inspect{kInspectContacts | kInspectJoints},
      Contacts{500, 40, 1, 3, {contact, {contact.body_b, contact.body_a, {}, {1, 0, 0}, 2, 0.01f}}, 3},
      JointFrames{500,
                  2,
                  0,
                  1,
                  {{body.id, 0, {1, 2, 3}, {4, 5, 6}, {0, 1, 0, 0}, kJointGrab, 0, {}, 0, 0, 0},
                   {body.id,
                    body.id + 1,
                    {1, 2, 3},
                    {4, 5, 6},
                    {0, 1, 0, 0},
                    7,
                    kSampleJoint,
                    {0, 0, 1, 0},
                    12.5f,
                    0.25f,
                    kJointTorn}},
                  3},
      GeometrySlice{0xd16e57, GeometryKind::kHeightField, 500, 96, encode(test::field_of(3, 4))},
      sample_queries(),
      QueryResult{12,
                  QueryStatus::kAnswered,
                  500,
                  {{QueryStatus::kAnswered, true, 1, 7},
                   {QueryStatus::kRefusedInvalid, false, 0, 0},
                   {QueryStatus::kAnswered, true, 1, 1}},
                  {{body.id, {1, -2, 3}, {0, 1, 0}, 0.25, 0, 2, ~0u},
                   {body.id + 1, {4, 5, 6}, {0.6, 0, -0.8}, 0, -0.125, 0, 17}},
                  2},
      JointsBroken{500, {kSampleJoint, kSampleJoint + 1}},
      ConfirmedSlice{{std::byte{1}, std::byte{2}, std::byte{3}}, 4, 1000, 2},
      DesyncProbe{4096, "world/bodies", "0x0123456789abcdef", 2},
      DesyncAnswer{4096, "world/bodies", "0x0123456789abcdee", DesyncStatus::kAnswered},
      SealedAccept{99, {cookie.begin(), cookie.end()}},
      ModeSwitch{ReplicationMode::kLockstep, "this machine steps fewer ticks", 7, true, 2},
  };
}

}  // namespace takt::protocol::test
