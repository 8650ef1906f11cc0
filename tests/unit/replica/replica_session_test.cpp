// A ReplicaSession and a server made of frames, whose numbers may be any.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "client_sdk/cpp/replica/replica_session.h"
#include "protocol/link/frame.h"
#include "protocol/messages/message_writer.h"

namespace takt::client {
namespace {

constexpr std::uint64_t kHugeTick = std::numeric_limits<std::uint64_t>::max();

class FramedReplicaSession : public testing::Test {
 protected:
  FramedReplicaSession() : session(options()) {
    session.endpoint().connect(now_us);
    std::vector<std::byte> out;
    (void)session.endpoint().poll_stream(now_us, 1 << 20, out);
    protocol::Accept accept;
    accept.nonce = 77;
    accept.player_id = 1;
    accept.tick_rate_hz = 60;
    accept.substeps = 4;
    accept.mode = protocol::ReplicationMode::kLockstep;
    accept.epoch = 1;
    send(accept);
    protocol::RoomState room;
    room.epoch = 1;
    room.tick_rate_hz = 60;
    send(room);
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

}  // namespace
}  // namespace takt::client
