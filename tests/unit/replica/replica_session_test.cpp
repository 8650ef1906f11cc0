// A ReplicaSession and a server made of frames, whose numbers may be any.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "client_sdk/cpp/replica/replica_session.h"
#include "protocol/link/frame.h"
#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"

namespace takt::client {
namespace {

constexpr std::uint64_t kHugeTick = std::numeric_limits<std::uint64_t>::max();

class FramedReplicaSession : public testing::Test {
 protected:
  FramedReplicaSession() : session(options()) {
    request();
    protocol::Accept accept;
    accept.nonce = 77;
    accept.player_id = 1;
    accept.tick_rate_hz = 60;
    accept.substeps = 4;
    accept.mode = protocol::ReplicationMode::kLockstep;
    accept.epoch = 1;
    send(accept);
    send(room(1));
  }
  void request() {
    session.endpoint().connect(now_us);
    (void)written();
  }
  static protocol::RoomState room(std::uint32_t epoch) {
    protocol::RoomState out;
    out.epoch = epoch;
    out.tick_rate_hz = 60;
    return out;
  }
  std::vector<std::byte> written() {
    std::vector<std::byte> out;
    (void)session.endpoint().poll_stream(now_us, 1 << 20, out);
    return out;
  }
  // The ticks of the inputs that the session has written.
  std::vector<std::uint64_t> input_ticks() {
    std::vector<std::byte> const stream = written();
    std::span<const std::byte> bytes = stream;
    protocol::FrameReader frames(1 << 20);
    protocol::FrameReader::Frame frame;
    protocol::MessageReader reader;
    std::vector<std::uint64_t> ticks;
    while (frames.next(bytes, frame) == protocol::FrameReader::Outcome::kFrame) {
      auto const message = reader.read(frame.message, frame.message_class);
      if (!message) continue;
      if (auto const* inputs = std::get_if<protocol::Inputs>(&*message))
        for (const protocol::Input& input : inputs->inputs) ticks.push_back(input.tick);
    }
    return ticks;
  }
  static ReplicaSessionOptions options() {
    ReplicaSessionOptions out;
    out.endpoint.mode = protocol::ReplicationMode::kLockstep;
    out.endpoint.transport = protocol::TransportKind::kWebSocket;
    out.endpoint.nonce = 77;
    return out;
  }
  template <class Sent>
  void send(const Sent& message) {
    protocol::MessageWriter writer;
    std::vector<std::byte> frame;
    protocol::write_frame(protocol::MessageClass::kReliable, writer.write(message), frame);
    session.endpoint().handle_stream_bytes(now_us, frame);
    session.update(now_us);
  }

  std::uint64_t now_us = 1'000'000;
  ReplicaSession session;
};

// UndefinedBehaviorSanitizer aborts where such a tick becomes an integer.
TEST_F(FramedReplicaSession, HostileTicksPassThroughEachMode) {
  send(protocol::Pong{now_us, kHugeTick, 0xffffffff});
  send(protocol::ModeSwitch{protocol::ReplicationMode::kSnapshot, {}, 0, false, 1});
  ASSERT_EQ(session.mode(), protocol::ReplicationMode::kSnapshot);
  now_us += 100'000;
  session.update(now_us);
  ASSERT_TRUE(session.is_playing());
  for (std::uint64_t const tick : {kHugeTick, kHugeTick / 2, std::uint64_t{0}})
    for (std::int32_t const margin :
         {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()})
      send(protocol::InputAck{0, tick, margin, {}});
  EXPECT_TRUE(session.send(now_us, sim::ReleaseCommand{}));
  send(protocol::ModeSwitch{protocol::ReplicationMode::kPredicted, {}, 0, false, 2});
  EXPECT_EQ(session.mode(), protocol::ReplicationMode::kPredicted);
  while (auto const event = session.next_event()) EXPECT_FALSE(std::holds_alternative<ReplicaEnded>(*event));
}

TEST_F(FramedReplicaSession, InputsInAnotherWorldHaveItsTicks) {
  send(protocol::ModeSwitch{protocol::ReplicationMode::kSnapshot, {}, 0, false, 1});
  send(protocol::Pong{now_us, 50'000, 0});
  now_us += 20'000;
  session.update(now_us);
  ASSERT_TRUE(session.is_playing());
  ASSERT_TRUE(session.send(now_us, sim::ReleaseCommand{}));
  std::vector<std::uint64_t> const first = input_ticks();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_GE(first[0], 50'000u);
  send(room(2));
  for (int i = 0; i < 100 && !session.is_playing(); ++i) {
    now_us += 20'000;
    (void)written();
    send(protocol::Pong{now_us, 10, 0});
  }
  ASSERT_TRUE(session.is_playing());
  ASSERT_TRUE(session.send(now_us, sim::ReleaseCommand{}));
  std::vector<std::uint64_t> const next = input_ticks();
  ASSERT_FALSE(next.empty());
  EXPECT_LT(next.back(), 200u) << "the server would refuse an input of the old world's ticks as early";
}

// The server of the next session may be another, and a token may have one mode.
TEST_F(FramedReplicaSession, AModeOfAChangeThatIsRefusedIsTheFirstOneAgain) {
  auto const reconnect = [&] {
    session.reconnect(session.make_endpoint(options().endpoint));
    request();
  };
  send(protocol::ModeSwitch{protocol::ReplicationMode::kPredicted, {}, 0, false, 1});
  session.leave(now_us);
  session.update(now_us);
  EXPECT_TRUE(session.has_ended());
  reconnect();
  EXPECT_EQ(session.mode(), protocol::ReplicationMode::kPredicted);
  send(protocol::Refuse{77, protocol::RefuseReason::kModeUnsupported, "lockstep alone"});
  EXPECT_TRUE(session.has_ended());
  reconnect();
  EXPECT_EQ(session.mode(), protocol::ReplicationMode::kLockstep);
  EXPECT_FALSE(session.has_ended());
}

}  // namespace
}  // namespace takt::client
