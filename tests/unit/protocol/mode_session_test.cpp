// Sessions whose mode changes, and sessions that go on with a world, at both ends: what is of the mode or the
// world before reaches nobody, and nothing of it piles up.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "protocol/confirmed/confirmed_batch.h"
#include "protocol/link/frame.h"
#include "tests/unit/protocol/endpoint_pair.h"

namespace takt::protocol::test {
namespace {

using Image = std::vector<std::byte>;

ServerOptions offering_all() {
  ServerOptions options;
  options.modes = OfferedModes::all();
  return options;
}

// The server never sends more than 256 KiB a second.
ServerOptions slow() {
  ServerOptions options = offering_all();
  options.send_rate_start = options.send_rate_min = options.send_rate_max = 256 * 1024;
  return options;
}

ClientOptions simulating(ReplicationMode mode) {
  ClientOptions options;
  options.mode = mode;
  options.may_switch_mode = true;
  return options;
}

class ModeSession : public EndpointPair {
 protected:
  explicit ModeSession(ReplicationMode mode = ReplicationMode::kLockstep,
                       const ServerOptions& options = offering_all())
      : EndpointPair(options, simulating(mode)) {}

  /// A reliable message of the server, which has sent none before.
  void send_reliable_as_server(const Message& message) {
    MessageWriter writer;
    std::vector<std::byte> section;
    write_section({SectionKind::kFragment, true, 0, writer.write(message)}, section);
    send_as_server(section);
  }
  template <class Event>
  std::vector<Event> take() {
    std::vector<Event> out;
    ClientEvent event;
    while (client.poll_event(event))
      if (auto* const one = std::get_if<Event>(&event)) out.push_back(std::move(*one));
    return out;
  }
  template <class Event>
  std::vector<Event> take_at_server() {
    std::vector<Event> out;
    ServerEvent event;
    while (server.poll_event(event))
      if (auto* const one = std::get_if<Event>(&event)) out.push_back(std::move(*one));
    return out;
  }
  /// Time that passes until the client has a ModeSwitch, us; 0 = it has none within 30 s.
  std::uint64_t wait_for_mode() {
    std::uint64_t const from_us = now_us;
    while (now_us < from_us + 30'000'000) {
      exchange();
      if (!take<ModeSwitch>().empty()) return now_us - from_us;
    }
    return 0;
  }
};

class PredictedSession : public ModeSession {
 protected:
  PredictedSession() : ModeSession(ReplicationMode::kPredicted) {}
};

class SlowSession : public ModeSession {
 protected:
  SlowSession() : ModeSession(ReplicationMode::kLockstep, slow()) {}
};

class SlowShowing : public ModeSession {
 protected:
  SlowShowing() : ModeSession(ReplicationMode::kSnapshot, slow()) {}
};

std::shared_ptr<const Image> image_of(std::size_t bytes, int value) {
  return std::make_shared<const Image>(bytes, static_cast<std::byte>(value));
}

constexpr std::size_t kLargeImage = 8 * 1024 * 1024;

// The client is heard, so its session lives, and takes nothing.
TEST_F(ModeSession, ImagesDoNotPileUpForAClientThatAcknowledgesNothing) {
  std::vector<std::weak_ptr<const Image>> images;
  auto const alive = [&] {
    return std::ranges::count_if(images, [](const auto& image) { return !image.expired(); });
  };
  for (int i = 0; i < 60; ++i) {
    now_us += 5'000'000;
    send_as_client(section_of(Ping{now_us}));
    bool const simulates = i % 3 != 2;  // a repair, too
    server.switch_mode(now_us, 1, simulates ? ReplicationMode::kLockstep : ReplicationMode::kSnapshot, {});
    if (simulates) {
      auto const image = image_of(kLargeImage, i);
      images.push_back(image);
      ASSERT_TRUE(server.send_join_image(1, static_cast<std::uint64_t>(i), image).ok());
    }
    OutgoingDatagram lost;
    while (server.poll_datagram(now_us, lost)) {
    }
    ASSERT_LE(alive(), 1) << i;
  }
  EXPECT_EQ(images.size(), 40u);
  EXPECT_EQ(server.player_count(), 1u);
  EXPECT_LT(server.stats_of(1)->reliable_queue_bytes, kLargeImage);
}

// 8 MiB take 32 s on this path, and the client would forget them at once.
TEST_F(SlowSession, AChangeOfModeDoesNotWaitBehindTheWorldOfBefore) {
  auto const image = image_of(kLargeImage, 1);
  ASSERT_TRUE(server.send_join_image(1, 5, image).ok());
  for (int i = 0; i < 200; ++i) exchange();
  EXPECT_TRUE(take<JoinImageArrived>().empty());
  server.switch_mode(now_us, 1, ReplicationMode::kSnapshot, "for a while");
  std::uint64_t const waited_us = wait_for_mode();
  std::printf("the change of mode came after %.0f ms\n", static_cast<double>(waited_us) / 1000);
  EXPECT_GT(waited_us, 0u);
  EXPECT_LT(waited_us, 2'000'000u);
  EXPECT_EQ(image.use_count(), 1);
  // The image that was cut off does not spoil the next one.
  server.switch_mode(now_us, 1, ReplicationMode::kRollback, {});
  ASSERT_TRUE(server.send_join_image(1, 9, image_of(100'000, 2)).ok());
  std::vector<JoinImageArrived> arrived;
  for (int i = 0; i < 1000 && arrived.empty(); ++i) {
    exchange();
    arrived = take<JoinImageArrived>();
  }
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].tick, 9u);
  EXPECT_EQ(arrived[0].bytes, *image_of(100'000, 2));
  EXPECT_EQ(client.state(), ClientState::kConnected);
}

// 1 MiB of messages takes 4 s on this path. They go on after the change, in their order.
TEST_F(SlowShowing, AChangeOfModeOvertakesMessagesOfTheGame) {
  constexpr std::uint64_t kMessages = 1024;
  std::vector<BodyId> const gone{BodyId{1} << 32};
  for (std::uint64_t tick = 1; tick <= kMessages; ++tick) {
    ASSERT_TRUE(server.send_game_event(1, tick, *image_of(1000, 3)).ok());
    // Messages before it would go before the change too, but it is of the world that is gone.
    if (tick != kMessages / 2) continue;
    ASSERT_TRUE(server.send_bodies_removed(1, tick, gone).ok());
  }
  server.switch_mode(now_us, 1, ReplicationMode::kRollback, {});
  std::uint64_t const from_us = now_us;
  std::uint64_t switched_us = 0;
  std::vector<std::uint64_t> ticks;
  while (now_us < from_us + 30'000'000 && ticks.size() < kMessages) {
    exchange();
    ClientEvent event;
    while (client.poll_event(event)) {
      if (std::holds_alternative<ModeSwitch>(event)) switched_us = now_us;
      if (auto const* const message = std::get_if<GameEvent>(&event)) ticks.push_back(message->tick);
    }
  }
  std::printf("the change of mode came after %.0f ms\n", static_cast<double>(switched_us - from_us) / 1000);
  EXPECT_GT(switched_us, from_us);
  EXPECT_LT(switched_us, from_us + 2'000'000);
  EXPECT_EQ(ticks.size(), kMessages);
  EXPECT_TRUE(std::ranges::is_sorted(ticks));
  EXPECT_EQ(client.state(), ClientState::kConnected);
}

// A repair replaces the image of an earlier one, whichever part of it has gone.
TEST_F(ModeSession, ANewerImageReplacesOneThatIsOnItsWay) {
  ASSERT_TRUE(server.send_join_image(1, 5, image_of(kLargeImage, 1)).ok());
  for (int i = 0; i < 200; ++i) exchange();
  ASSERT_TRUE(server.send_join_image(1, 7, image_of(50'000, 2)).ok());
  std::vector<JoinImageArrived> arrived;
  for (int i = 0; i < 3000 && arrived.empty(); ++i) {
    exchange();
    arrived = take<JoinImageArrived>();
  }
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].tick, 7u);
  EXPECT_EQ(arrived[0].bytes.size(), 50'000u);
}

TEST_F(PredictedSession, PartsOfTheModeBeforeAreDropped) {
  server.switch_mode(now_us, 1, ReplicationMode::kSnapshot, {});
  ASSERT_GT(wait_for_mode(), 0u);
  SnapshotPart part;
  part.serial = 9;
  part.tick = 50;
  part.bodies.resize(1);
  part.bodies[0].id = std::uint64_t{1} << 32;
  send_as_server(section_of(part));
  EXPECT_TRUE(take<SnapshotArrived>().empty());
  EXPECT_EQ(at_client(Counter::kSnapshotOtherEpoch), 1u);
  part.mode_epoch = 1;
  part.serial = 2;
  send_as_server(section_of(part));
  EXPECT_EQ(take<SnapshotArrived>().size(), 1u) << "no serial of the mode before makes it stale";
}

TEST_F(ModeSession, ConfirmedTicksOfTheModeBeforeAreDropped) {
  server.switch_mode(now_us, 1, ReplicationMode::kRollback, {});
  ASSERT_GT(wait_for_mode(), 0u);
  ConfirmedLog log(100);
  for (std::uint64_t tick = 5; tick < 15; ++tick) log.append({tick, {}});
  ConfirmedSlice slice;
  (void)write_batch(log, 0, 5, 15, 1000, slice.bytes);
  send_as_server(section_of(slice));
  EXPECT_EQ(at_client(Counter::kConfirmedOtherEpoch), 1u);
  ASSERT_TRUE(server.send_join_image(1, 5, image_of(100, 1)).ok());
  for (int i = 0; i < 10; ++i) exchange();
  EXPECT_TRUE(take<TicksConfirmed>().empty());
  slice.mode_epoch = 1;
  send_as_server(section_of(slice));
  auto const confirmed = take<TicksConfirmed>();
  ASSERT_EQ(confirmed.size(), 1u);
  EXPECT_EQ(confirmed[0].batch.end_tick, 15u);
}

// The probe is of the world that the client had before it knew of the change.
TEST_F(ModeSession, AProbeOfTheModeBeforeIsDropped) {
  server.switch_mode(now_us, 1, ReplicationMode::kRollback, {});
  (void)take_at_server<ModeSwitched>();
  ASSERT_TRUE(client.send_desync_probe(now_us, {64, "world", {}}).ok());
  std::vector<std::byte> out;
  while (client.poll_datagram(now_us, out)) server.handle_datagram(now_us, kHome, out);
  EXPECT_TRUE(take_at_server<DesyncProbed>().empty());
  EXPECT_EQ(at_server(Counter::kMessageUnexpected), 1u);
  ASSERT_GT(wait_for_mode(), 0u);
  ASSERT_TRUE(client.send_desync_probe(now_us, {64, "world", {}}).ok());
  for (int i = 0; i < 10; ++i) exchange();
  EXPECT_EQ(take_at_server<DesyncProbed>().size(), 1u);
}

TEST_F(ModeSession, EveryRequestIsAnsweredWithItsNumber) {
  auto const ask = [&](ReplicationMode mode) { return *client.send_mode_switch(now_us, mode, {}); };
  std::uint32_t const too_soon = ask(ReplicationMode::kRollback);
  std::uint32_t const granted = ask(ReplicationMode::kSnapshot);
  server.switch_mode(now_us, 1, ReplicationMode::kSnapshot, "by the host");
  for (int i = 0; i < 20; ++i) exchange();
  auto const answers = take<ModeSwitch>();
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].request, 0u);
  EXPECT_EQ(answers[0].mode, ReplicationMode::kSnapshot);
  EXPECT_FALSE(answers[0].refused);
  EXPECT_EQ(answers[1].request, too_soon);
  EXPECT_TRUE(answers[1].refused);
  EXPECT_EQ(answers[1].mode, ReplicationMode::kSnapshot) << "the present one";
  EXPECT_EQ(answers[2].request, granted);
  EXPECT_FALSE(answers[2].refused);
  EXPECT_NE(too_soon, granted);
  // One above the rate is answered as well.
  std::uint32_t last = 0;
  for (int i = 0; i < 80; ++i) last = ask(ReplicationMode::kSnapshot);
  for (int i = 0; i < 50; ++i) exchange();
  auto const many = take<ModeSwitch>();
  ASSERT_EQ(many.size(), 80u);
  EXPECT_EQ(many.back().request, last);
  EXPECT_TRUE(many.back().refused);
}

// The client could not tell the answer from a change that the server makes by itself.
TEST_F(ModeSession, ARequestWithoutANumberEndsTheSession) {
  MessageWriter writer;
  std::vector<std::byte> section;
  write_section({SectionKind::kFragment, true, 0,
                 writer.write(ModeSwitch{ReplicationMode::kSnapshot, {}, 0, false, 0})},
                section);
  send_as_client(section);
  auto const left = take_at_server<PlayerLeft>();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].reason, DisconnectReason::kProtocolError);
  EXPECT_EQ(left[0].text, "a ModeSwitch has a request of 0; number requests from 1");
  EXPECT_EQ(at_server(Counter::kMessageBadField), 1u);
  EXPECT_EQ(at_server(Counter::kModesSwitched), 0u);
}

// The join costs an image, too.
TEST_F(ModeSession, AnImageCostsTenSecondsFromTheJoinOn) {
  auto const ask = [&] {
    (void)*client.send_mode_switch(now_us, ReplicationMode::kRollback, {});
    for (int i = 0; i < 20; ++i) exchange();
    return take<ModeSwitch>().at(0).refused;
  };
  EXPECT_TRUE(ask());
  while (now_us < 1'000'000 + kModeSwitchInterval + 100'000) exchange();
  EXPECT_FALSE(ask());
  ASSERT_TRUE(client.send_mode_switch(now_us, ReplicationMode::kLockstep, {}).ok());
  for (int i = 0; i < 20; ++i) exchange();
  EXPECT_TRUE(take<ModeSwitch>().at(0).refused);
}

TEST_F(ModeSession, AChangeOutOfTurnEndsTheSession) {
  send_reliable_as_server(ModeSwitch{ReplicationMode::kSnapshot, {}, 0, false, 2});
  auto const over = take<Disconnected>();
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].reason, DisconnectReason::kProtocolError);
}

TEST_F(ModeSession, ARefusalChangesNoMode) {
  send_reliable_as_server(ModeSwitch{ReplicationMode::kSnapshot, {}, 1, true, 1});
  EXPECT_EQ(take<Disconnected>().size(), 1u);
}

class ShowingSession : public EndpointPair {};

// Its SDK has no world to step.
TEST_F(ShowingSession, AClientThatOnlyShowsGoesIntoNoOtherMode) {
  MessageWriter writer;
  std::vector<std::byte> section;
  write_section({SectionKind::kFragment, true, 0,
                 writer.write(ModeSwitch{ReplicationMode::kLockstep, {}, 0, false, 1})},
                section);
  send_as_server(section);
  ClientEvent event;
  ASSERT_TRUE(client.poll_event(event));
  ASSERT_TRUE(std::holds_alternative<Disconnected>(event));
  EXPECT_EQ(std::get<Disconnected>(event).reason, DisconnectReason::kProtocolError);
}

/// A client that comes back, and a server made of frames.
class ReturningClient : public testing::Test {
 protected:
  ReturningClient() : client(options()) {
    client.connect(now_us);
    std::vector<std::byte> out;
    (void)client.poll_stream(now_us, 1 << 20, out);
  }
  static ClientOptions options() {
    ClientOptions out = simulating(ReplicationMode::kLockstep);
    out.transport = TransportKind::kWebSocket;
    out.nonce = 77;
    out.resume = ResumePoint{100, 96, 5, 3};
    return out;
  }
  template <class Sent>
  void send(const Sent& message) {
    MessageWriter writer;
    std::vector<std::byte> frame;
    write_frame(MessageClass::kReliable, writer.write(message), frame);
    client.handle_stream_bytes(now_us, frame);
  }
  Accept accept(std::uint32_t epoch) const {
    Accept out;
    out.nonce = 77;
    out.player_id = 1;
    out.tick_rate_hz = 60;
    out.substeps = 4;
    out.mode = ReplicationMode::kLockstep;
    out.resumed = true;
    out.epoch = epoch;
    return out;
  }
  static RoomState room(std::uint32_t epoch) {
    RoomState state;
    state.epoch = epoch;
    state.tick_rate_hz = 60;
    return state;
  }
  template <class Event>
  Event next() {
    ClientEvent event;
    EXPECT_TRUE(client.poll_event(event));
    return std::get<Event>(event);
  }

  std::uint64_t now_us = 1'000'000;
  ClientEndpoint client;
};

TEST_F(ReturningClient, GoesOnWithTheWorldOfItsEpoch) {
  send(accept(3));
  EXPECT_TRUE(next<Connected>().accept.resumed);
  send(room(3));
  EXPECT_FALSE(next<RoomChanged>().is_new_world);
  ConfirmedLog log(100);
  for (std::uint64_t tick = 100; tick < 110; ++tick) log.append({tick, {}});
  ConfirmedSlice slice;
  (void)write_batch(log, 3, 100, 110, 1000, slice.bytes);
  send(slice);
  EXPECT_EQ(next<TicksConfirmed>().batch.first_tick, 100u);
}

// The room loaded a scene between the Accept and the session's first RoomState.
TEST_F(ReturningClient, LearnsOfAnotherWorldFromTheFirstRoomState) {
  send(accept(3));
  EXPECT_TRUE(next<Connected>().accept.resumed);
  send(room(4));
  EXPECT_TRUE(next<RoomChanged>().is_new_world);
  ConfirmedLog log(100);
  for (std::uint64_t tick = 100; tick < 110; ++tick) log.append({tick, {}});
  ConfirmedSlice slice;
  (void)write_batch(log, 3, 100, 110, 1000, slice.bytes);
  send(slice);
  ClientEvent event;
  EXPECT_FALSE(client.poll_event(event)) << "ticks of the world before";
  EXPECT_EQ(client.counters()[Counter::kConfirmedOtherEpoch], 1u);
}

TEST_F(ReturningClient, BelievesNoServerThatResumesAnotherWorld) {
  send(accept(2));
  EXPECT_FALSE(next<Connected>().accept.resumed);
}

}  // namespace
}  // namespace takt::protocol::test
