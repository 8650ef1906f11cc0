// The messages about a room: what the reader refuses, and that the greatest ones fit where they travel.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "protocol/message_reader.h"
#include "protocol/message_writer.h"
#include "schemas/protocol_generated.h"

namespace takt::protocol {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;

// The error with which a message made by hand is refused.
template <class Table>
Error error_of(const std::function<flatbuffers::Offset<Table>(Builder&)>& make) {
  Builder b;
  auto const table = make(b);
  wire::FinishPacketBuffer(b, wire::CreatePacket(b, wire::MessageTraits<Table>::enum_value, table.Union()));
  MessageReader reader;
  auto const read = reader.read({reinterpret_cast<const std::byte*>(b.GetBufferPointer()), b.GetSize()}, MessageClass::kReliable);
  EXPECT_FALSE(read.ok());
  return read.ok() ? Error::kQueueFull : read.error();
}

TEST(RoomMessage, ControlIsRefusedOutOfRange) {
  auto const control = [](std::uint8_t action, float speed, const std::string& scene) {
    return error_of<wire::Control>(
        [&](Builder& b) { return wire::CreateControl(b, 1, static_cast<wire::ControlAction>(action), speed, 1, b.CreateString(scene)); });
  };
  EXPECT_EQ(control(6, 1, "a"), Error::kOutOfRange);
  EXPECT_EQ(control(0, std::numeric_limits<float>::quiet_NaN(), "a"), Error::kNotFinite);
  EXPECT_EQ(control(0, std::numeric_limits<float>::infinity(), "a"), Error::kNotFinite);
  EXPECT_EQ(control(4, 1, std::string(65, 'x')), Error::kOutOfRange);
  EXPECT_EQ(control(4, 1, "a\nb"), Error::kOutOfRange);
}

TEST(RoomMessage, ControlResultIsRefusedOutOfRange) {
  EXPECT_EQ(error_of<wire::ControlResult>(
                [](Builder& b) { return wire::CreateControlResult(b, 1, static_cast<wire::ControlStatus>(6), b.CreateString("x")); }),
            Error::kOutOfRange);
  EXPECT_EQ(error_of<wire::ControlResult>(
                [](Builder& b) { return wire::CreateControlResult(b, 1, wire::ControlStatus::done, b.CreateString(std::string(201, 'x'))); }),
            Error::kOutOfRange);
}

TEST(RoomMessage, RoomStateIsRefusedOutOfRangeFieldByField) {
  struct Fields {
    std::uint32_t epoch = 1;
    float speed = 1;
    std::uint64_t first_tick = 0;
    std::uint64_t end_tick = 0;
    std::uint32_t rate = 60;
    std::string scene, title;
    std::vector<std::string> scenes;
    std::vector<wire::TimelineMark> marks;
  };
  auto const room = [](const std::function<void(Fields&)>& change) {
    Fields f;
    change(f);
    return error_of<wire::RoomState>([&](Builder& b) {
      auto const scene = b.CreateString(f.scene);
      auto const title = b.CreateString(f.title);
      auto const scenes = b.CreateVectorOfStrings(f.scenes);
      auto const marks = b.CreateVectorOfStructs(f.marks);
      return wire::CreateRoomState(b, f.epoch, 1, false, f.speed, false, false, f.first_tick, f.end_tick, f.rate, 0, scene, title, scenes, nullptr,
                                   nullptr, marks);
    });
  };
  EXPECT_EQ(room([](Fields& f) { f.epoch = 0; }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.speed = 0; }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.speed = 100.5f; }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.speed = std::numeric_limits<float>::quiet_NaN(); }), Error::kNotFinite);
  EXPECT_EQ(room([](Fields& f) { f.first_tick = 2; }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.rate = 0; }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.rate = 10'001; }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.scene = std::string(65, 'x'); }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.title = "\x1b[2J"; }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.title = std::string(201, 'x'); }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.scenes = {""}; }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.scenes.assign(257, "x"); }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.marks.assign(2049, wire::TimelineMark(1, 1, wire::MarkKind::join)); }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.marks = {wire::TimelineMark(1, 1, static_cast<wire::MarkKind>(5))}; }), Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) {
              f.marks = {wire::TimelineMark(2, 1, wire::MarkKind::join), wire::TimelineMark(1, 1, wire::MarkKind::join)};
            }),
            Error::kOutOfRange);
}

TEST(RoomMessage, EpochZeroCannotBeEntered) {
  EXPECT_EQ(error_of<wire::RoomEntered>([](Builder& b) { return wire::CreateRoomEntered(b, 0, 0); }), Error::kOutOfRange);
}

TEST(RoomMessage, PartsMustAddUp) {
  auto const contacts = [](std::uint16_t part, std::uint16_t count, std::size_t points, float impulse) {
    return error_of<wire::Contacts>([&](Builder& b) {
      std::vector<wire::ContactPoint> const all(points, wire::ContactPoint(1, 2, {}, {}, impulse, 0));
      return wire::CreateContacts(b, 1, 1, part, count, b.CreateVectorOfStructs(all));
    });
  };
  EXPECT_EQ(contacts(0, 0, 0, 0), Error::kOutOfRange);
  EXPECT_EQ(contacts(3, 3, 0, 0), Error::kOutOfRange);
  EXPECT_EQ(contacts(0, 38, 0, 0), Error::kOutOfRange);
  EXPECT_EQ(contacts(0, 1, 15, 0), Error::kOutOfRange);
  EXPECT_EQ(contacts(0, 1, 1, std::numeric_limits<float>::infinity()), Error::kNotFinite);
  auto const joints = [](std::uint16_t part, std::uint16_t count, std::size_t number, float w) {
    return error_of<wire::JointFrames>([&](Builder& b) {
      std::vector<wire::JointFrame> const all(number, wire::JointFrame(1, 2, {}, {}, wire::Quatf(0, 0, 0, w), 0));
      return wire::CreateJointFrames(b, 1, 1, part, count, b.CreateVectorOfStructs(all));
    });
  };
  EXPECT_EQ(joints(1, 1, 0, 1), Error::kOutOfRange);
  EXPECT_EQ(joints(0, 65, 0, 1), Error::kOutOfRange);
  EXPECT_EQ(joints(0, 1, 9, 1), Error::kOutOfRange);
  EXPECT_EQ(joints(0, 1, 1, std::numeric_limits<float>::quiet_NaN()), Error::kNotFinite);
}

TEST(RoomMessage, StatesOfJointsAreThereForAllOrNone) {
  auto const joints = [](std::size_t states, float force) {
    return error_of<wire::JointFrames>([&](Builder& b) {
      std::vector<wire::JointFrame> const frames(2, wire::JointFrame(1, 2, {}, {}, wire::Quatf(0, 0, 0, 1), 3));
      std::vector<wire::JointState> const more(states, wire::JointState(1, wire::Quatf(0, 0, 0, 1), force, 0, 0));
      auto const first = b.CreateVectorOfStructs(frames);
      return wire::CreateJointFrames(b, 1, 2, 0, 1, first, b.CreateVectorOfStructs(more));
    });
  };
  EXPECT_EQ(joints(1, 0), Error::kOutOfRange);
  EXPECT_EQ(joints(3, 0), Error::kOutOfRange);
  EXPECT_EQ(joints(2, std::numeric_limits<float>::quiet_NaN()), Error::kNotFinite);
}

TEST(RoomMessage, SlicesOfRopesAddUp) {
  struct Slice {
    std::uint64_t rope = std::uint64_t{1} << 32;
    std::uint32_t node_count = 10, first = 2, count = 3;
    float radius = 1;
  };
  auto const ropes = [](const Slice& s, std::size_t nodes = 3, float tension = 1, std::uint16_t part_count = 1) {
    return error_of<wire::Ropes>([&](Builder& b) {
      std::vector<wire::RopeSlice> const slices(1, wire::RopeSlice(s.rope, {}, s.node_count, s.first, s.count, 0, s.radius));
      std::vector<wire::RopeNode> const all(nodes, wire::RopeNode({}, tension));
      auto const first = b.CreateVectorOfStructs(slices);
      return wire::CreateRopes(b, 1, 1, 0, part_count, first, b.CreateVectorOfStructs(all), true, 1);
    });
  };
  EXPECT_EQ(ropes({}, 4), Error::kOutOfRange) << "more nodes than the slices say";
  EXPECT_EQ(ropes({}, 2), Error::kOutOfRange);
  EXPECT_EQ(ropes({7}), Error::kOutOfRange) << "a rope without a generation";
  EXPECT_EQ(ropes({.node_count = 4}), Error::kOutOfRange) << "past the rope's end";
  EXPECT_EQ(ropes({.node_count = 2}), Error::kOutOfRange);
  EXPECT_EQ(ropes({.node_count = 4097}), Error::kOutOfRange);
  EXPECT_EQ(ropes({.count = 0}, 0), Error::kOutOfRange);
  EXPECT_EQ(ropes({.node_count = 4096, .count = 53}, 53), Error::kOutOfRange);
  EXPECT_EQ(ropes({.radius = std::numeric_limits<float>::infinity()}), Error::kNotFinite);
  EXPECT_EQ(ropes({}, 3, std::numeric_limits<float>::quiet_NaN()), Error::kNotFinite);
  EXPECT_EQ(ropes({}, 3, 1, 0), Error::kOutOfRange);
  EXPECT_EQ(ropes({}, 3, 1, 1025), Error::kOutOfRange);
}

TEST(RoomMessage, TheGreatestOnesFitTheirChannel) {
  MessageWriter writer;
  MessageReader reader;
  Contacts contacts;
  contacts.part_count = 37;
  contacts.points.resize(kContactPointsPerMessage);
  EXPECT_LE(writer.write(contacts).size(), kUnreliableBytesMax);
  EXPECT_TRUE(reader.read(writer.write(contacts), MessageClass::kDatagram).ok());
  JointFrames joints;
  joints.part_count = 64;
  joints.joints.resize(kJointFramesPerMessage);
  EXPECT_LE(writer.write(joints).size(), kUnreliableBytesMax);
  EXPECT_TRUE(reader.read(writer.write(joints), MessageClass::kDatagram).ok());
  Ropes ropes;
  ropes.part_count = 1024;
  for (std::uint32_t i = 0; i < kRopeSlicesPerMessage; ++i) ropes.slices.push_back({std::uint64_t{1} << 32, {}, 4096, 0, 13, 0, 1});
  ropes.nodes.resize(kRopeNodesPerMessage);
  EXPECT_LE(writer.write(ropes).size(), kUnreliableBytesMax);
  EXPECT_TRUE(reader.read(writer.write(ropes), MessageClass::kDatagram).ok());
  JointsBroken const broken{1, std::vector<std::uint64_t>(kRemovedPerMessage, 1)};
  EXPECT_LE(writer.write(broken).size(), kReliableBytesMax);
  EXPECT_TRUE(reader.read(writer.write(broken), MessageClass::kReliable).ok());
  RoomState room;
  room.scene = std::string(kSceneNameBytesMax, 's');
  room.title = std::string(kTitleBytesMax, 't');
  room.scenes.assign(kScenesMax, std::string(kSceneNameBytesMax, 'n'));
  room.camera = CameraPlace{};
  room.marks.resize(kTimelineMarksMax);
  EXPECT_LE(writer.write(room).size(), kReliableBytesMax);
  auto const read = reader.read(writer.write(room), MessageClass::kReliable);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::get<RoomState>(*read), room);
}

}  // namespace
}  // namespace takt::protocol
