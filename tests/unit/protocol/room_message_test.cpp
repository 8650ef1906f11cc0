// The messages about a room: what the reader refuses, and that the greatest ones fit where they travel.
#include <gtest/gtest.h>
#include <algorithm>

#include <functional>
#include <limits>

#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
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
  auto const read = reader.read({reinterpret_cast<const std::byte*>(b.GetBufferPointer()), b.GetSize()},
                                MessageClass::kReliable);
  EXPECT_FALSE(read.ok());
  return read.ok() ? Error::kQueueFull : read.error();
}

TEST(RoomMessage, ControlIsRefusedOutOfRange) {
  auto const control = [](std::uint8_t action, float speed, const std::string& scene) {
    return error_of<wire::Control>([&](Builder& b) {
      return wire::CreateControl(b, 1, static_cast<wire::ControlAction>(action), speed, 1,
                                 b.CreateString(scene));
    });
  };
  EXPECT_EQ(control(6, 1, "a"), Error::kOutOfRange);
  EXPECT_EQ(control(0, std::numeric_limits<float>::quiet_NaN(), "a"), Error::kNotFinite);
  EXPECT_EQ(control(0, std::numeric_limits<float>::infinity(), "a"), Error::kNotFinite);
  EXPECT_EQ(control(4, 1, std::string(65, 'x')), Error::kOutOfRange);
  EXPECT_EQ(control(4, 1, "a\nb"), Error::kOutOfRange);
}

TEST(RoomMessage, ControlResultIsRefusedOutOfRange) {
  EXPECT_EQ(error_of<wire::ControlResult>([](Builder& b) {
              return wire::CreateControlResult(b, 1, static_cast<wire::ControlStatus>(6),
                                               b.CreateString("x"));
            }),
            Error::kOutOfRange);
  EXPECT_EQ(error_of<wire::ControlResult>([](Builder& b) {
              return wire::CreateControlResult(b, 1, wire::ControlStatus::done,
                                               b.CreateString(std::string(201, 'x')));
            }),
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
      return wire::CreateRoomState(b, f.epoch, 1, false, f.speed, false, false, f.first_tick, f.end_tick,
                                   f.rate, 0, scene, title, scenes, nullptr, nullptr, marks);
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
  EXPECT_EQ(room([](Fields& f) { f.marks.assign(2049, wire::TimelineMark(1, 1, wire::MarkKind::join)); }),
            Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) { f.marks = {wire::TimelineMark(1, 1, static_cast<wire::MarkKind>(5))}; }),
            Error::kOutOfRange);
  EXPECT_EQ(room([](Fields& f) {
              f.marks = {wire::TimelineMark(2, 1, wire::MarkKind::join),
                         wire::TimelineMark(1, 1, wire::MarkKind::join)};
            }),
            Error::kOutOfRange);
}

TEST(RoomMessage, EpochZeroCannotBeEntered) {
  EXPECT_EQ(error_of<wire::RoomEntered>([](Builder& b) { return wire::CreateRoomEntered(b, 0, 0); }),
            Error::kOutOfRange);
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
      std::vector<wire::JointFrame> const all(number,
                                              wire::JointFrame(1, 2, {}, {}, wire::Quatf(0, 0, 0, w), 0));
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
      std::vector<wire::JointFrame> const frames(2,
                                                 wire::JointFrame(1, 2, {}, {}, wire::Quatf(0, 0, 0, 1), 3));
      std::vector<wire::JointState> const more(states,
                                               wire::JointState(1, wire::Quatf(0, 0, 0, 1), force, 0, 0));
      auto const first = b.CreateVectorOfStructs(frames);
      return wire::CreateJointFrames(b, 1, 2, 0, 1, first, b.CreateVectorOfStructs(more));
    });
  };
  EXPECT_EQ(joints(1, 0), Error::kOutOfRange);
  EXPECT_EQ(joints(3, 0), Error::kOutOfRange);
  EXPECT_EQ(joints(2, std::numeric_limits<float>::quiet_NaN()), Error::kNotFinite);
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
  // A part of a snapshot with some of everything, as full as the encoder makes it, whatever falls between.
  for (std::size_t bodies = 0; bodies <= kSnapshotBodiesPerPart; ++bodies) {
    // The encoder keeps 16 bytes for ropes beside their own.
    std::size_t const records = (kSnapshotBodiesPerPart - bodies) * kBodyStateBytes;
    std::size_t const left = records - std::min<std::size_t>(records, 16);
    for (std::size_t const rope_bytes :
         {std::size_t{0}, std::size_t{1}, left / 2 + 1, left - left % 8, left}) {
      if (rope_bytes > left) continue;
      SnapshotPart part;
      part.tick = part.serial = part.baseline = part.deferred = part.epoch = part.deferred_ropes = 1u << 30;
      part.part_count = 1024;
      part.part = 1023;
      part.bodies.resize(bodies);
      part.ropes.resize(rope_bytes);
      part.removed.resize((left - rope_bytes) / 16);
      part.removed_ropes.resize((left - rope_bytes) / 8 - part.removed.size());
      EXPECT_LE(writer.write(part).size(), kUnreliableBytesMax)
          << bodies << " bodies, " << rope_bytes << " bytes of ropes";
    }
  }
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
