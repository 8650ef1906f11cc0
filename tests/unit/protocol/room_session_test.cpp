// Rooms at both endpoints over a perfect wire: epochs, the admin right, control and its limits, looking
// inside.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "protocol/session/client_endpoint.h"
#include "protocol/session/server_endpoint.h"
#include "tests/unit/protocol/golden_geometries.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::protocol {
namespace {

constexpr SecretKey kRoomSecret{11, 22};

BodyState body_at(std::uint32_t index, std::int64_t x) {
  BodyState body;
  body.id = (std::uint64_t{1} << 32) | index;
  body.position.x = x;
  return body;
}

class RoomSession : public testing::Test {
 protected:
  struct Side {
    explicit Side(const Address& from) : client(test::seeded()), address(from) {}
    ClientEndpoint client;
    Address address;
    std::vector<ClientEvent> events;
    template <class Event>
    std::vector<Event> all() const {
      std::vector<Event> out;
      for (auto const& event : events)
        if (auto const* one = std::get_if<Event>(&event)) out.push_back(*one);
      return out;
    }
  };

  explicit RoomSession(AdminGrant grant = AdminGrant::kLoopback)
      : server(options_of(grant), kRoomSecret, test::test_seeds()) {
    play(1, 60);
  }
  static ServerOptions options_of(AdminGrant grant) {
    ServerOptions options;
    options.admin = grant;
    options.queries_per_s = 10;
    options.query_burst = 100;
    return options;
  }
  void play(std::uint32_t epoch, double ticks_per_s) {
    server.handle_room({epoch, 0x77, 60, 4, ticks_per_s});
  }
  Side& connect(const Address& from) {
    Side& side = *sides.emplace_back(std::make_unique<Side>(from));
    side.client.connect(now_us);
    for (int i = 0; i < 8; ++i) exchange();
    return side;
  }
  void exchange(std::uint64_t us = 1000) {
    now_us += us;
    std::vector<std::byte> out;
    for (auto const& side : sides)
      while (side->client.poll_datagram(now_us, out)) server.handle_datagram(now_us, side->address, out);
    OutgoingDatagram from_server;
    while (server.poll_datagram(now_us, from_server)) {
      for (auto const& side : sides)
        if (side->address == from_server.to) side->client.handle_datagram(now_us, from_server.bytes);
    }
    ClientEvent event;
    for (auto const& side : sides)
      while (side->client.poll_event(event)) side->events.push_back(std::move(event));
    ServerEvent server_event;
    while (server.poll_event(server_event)) events.push_back(std::move(server_event));
  }
  template <class Event>
  std::vector<Event> at_server() const {
    std::vector<Event> out;
    for (auto const& event : events)
      if (auto const* one = std::get_if<Event>(&event)) out.push_back(*one);
    return out;
  }
  RoomState state_of(std::uint32_t epoch) const {
    RoomState state;
    state.epoch = epoch;
    state.marks = {{5, 1, MarkKind::kInput}};
    return state;
  }
  void publish(std::uint64_t tick, std::int64_t x) {
    server.handle_tick(now_us, tick);
    std::vector<BodyState> const world{body_at(0, x), body_at(1, -x)};
    server.publish_snapshot(now_us, tick, world);
    exchange();
  }

  std::uint64_t now_us = 1'000'000;
  ServerEndpoint server;
  std::vector<std::unique_ptr<Side>> sides;
  std::vector<ServerEvent> events;
};

Address const kLocal = Address::from_ipv4(127, 0, 0, 1, 4000);
Address const kRemote = Address::from_ipv4(192, 0, 2, 1, 4000);

TEST_F(RoomSession, NobodyGetsASnapshotBeforeTheRoomState) {
  Side& side = connect(kLocal);
  publish(10, 7);
  EXPECT_TRUE(side.all<SnapshotArrived>().empty());
  EXPECT_FALSE(server.has_entered(1));
  ASSERT_TRUE(server.send_room_state(1, state_of(1)).ok());
  publish(11, 8);
  exchange();
  ASSERT_EQ(side.all<RoomChanged>().size(), 1u);
  EXPECT_FALSE(side.all<RoomChanged>()[0].is_new_world);
  EXPECT_EQ(side.all<RoomChanged>()[0].room.marks.size(), 1u);
  ASSERT_EQ(side.all<SnapshotArrived>().size(), 1u);
  EXPECT_EQ(side.all<SnapshotArrived>()[0].part.epoch, 1u);
}

TEST_F(RoomSession, GeometryIsSentAnewInANewEpochAndOneThatDoesNotAddUpEndsTheSession) {
  Side& side = connect(kLocal);
  ASSERT_TRUE(server.send_room_state(1, state_of(1)).ok());
  auto const blob = [](std::uint64_t digest, GeometryKind kind) {
    Geometry const field = test::field_of(3, 3);
    return GeometryBlob{digest, kind, std::make_shared<const std::vector<std::byte>>(encode(field))};
  };
  ASSERT_TRUE(server.send_geometry(1, blob(7, GeometryKind::kHeightField)).ok());
  for (int i = 0; i < 10; ++i) exchange();
  ASSERT_EQ(side.all<GeometryArrived>().size(), 1u);
  EXPECT_EQ(side.all<GeometryArrived>()[0].geometry, test::field_of(3, 3));
  play(2, 60);
  ASSERT_TRUE(server.send_room_state(1, state_of(2)).ok());
  for (int i = 0; i < 10; ++i) exchange();
  ASSERT_TRUE(server.has_entered(1));
  ASSERT_TRUE(server.send_geometry(1, blob(7, GeometryKind::kHeightField)).ok());
  for (int i = 0; i < 10; ++i) exchange();
  EXPECT_EQ(side.all<GeometryArrived>().size(), 2u);
  EXPECT_TRUE(side.all<Disconnected>().empty());
  // Bytes of another kind than they say, and then more of the same: one goodbye.
  ASSERT_TRUE(server.send_geometry(1, blob(8, GeometryKind::kHull)).ok());
  ASSERT_TRUE(server.send_geometry(1, blob(9, GeometryKind::kMesh)).ok());
  for (int i = 0; i < 300; ++i) exchange();
  EXPECT_EQ(side.client.counters()[Counter::kGeometryBad], 1u);
  ASSERT_EQ(side.all<Disconnected>().size(), 1u);
  EXPECT_EQ(side.all<Disconnected>()[0].reason, DisconnectReason::kProtocolError);
  ASSERT_EQ(at_server<PlayerLeft>().size(), 1u);
  EXPECT_EQ(server.send_geometry(1, blob(7, GeometryKind::kHeightField)).error(), Error::kUnknownPlayer);
}

TEST_F(RoomSession, QuestionsArriveWithTheirEpochWithinTheRateAndAreAnsweredReliably) {
  Side& side = connect(kLocal);
  Side& other = connect(kRemote);
  for (PlayerId player : {1u, 2u}) ASSERT_TRUE(server.send_room_state(player, state_of(1)).ok());
  for (int i = 0; i < 4; ++i) exchange();
  Query ray;
  ray.translation = {0, -10, 0};
  auto const request = side.client.send_queries(now_us, {ray, ray});
  ASSERT_TRUE(request.ok());
  for (int i = 0; i < 4; ++i) exchange();
  ASSERT_EQ(at_server<QueryArrived>().size(), 1u);
  EXPECT_EQ(at_server<QueryArrived>()[0].player, 1u);
  EXPECT_EQ(at_server<QueryArrived>()[0].epoch, 1u);
  EXPECT_EQ(at_server<QueryArrived>()[0].request, (QueryRequest{*request, {ray, ray}}));
  QueryResult const result{*request,
                           QueryStatus::kAnswered,
                           12,
                           {{QueryStatus::kAnswered, true, 1, 1}, {}},
                           {{7, {1, 2, 3}, {0, 1, 0}, 0.5, 0, 0, ~0u}}};
  ASSERT_TRUE(server.send_query_result(1, result).ok());
  for (int i = 0; i < 4; ++i) exchange();
  ASSERT_EQ(side.all<QueryResult>().size(), 1u);
  EXPECT_EQ(side.all<QueryResult>()[0], result);

  // An invalid query does not leave the client.
  EXPECT_EQ(side.client.send_queries(now_us, {}).error(), Error::kOutOfRange);
  EXPECT_EQ(side.client.send_queries(now_us, std::vector<Query>(kQueriesPerRequest + 1, ray)).error(),
            Error::kOutOfRange);
  Query nan = ray;
  nan.translation.x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(side.client.send_queries(now_us, {ray, nan}).error(), Error::kNotFinite);

  // Full requests where 98 questions are left: three pass, the others are refused by name; the other player
  // is served.
  for (int i = 0; i < 24; ++i) {
    ASSERT_TRUE(side.client.send_queries(now_us, std::vector<Query>(kQueriesPerRequest, ray)).ok());
    exchange(1);
  }
  ASSERT_TRUE(other.client.send_queries(now_us, {ray}).ok());
  for (int i = 0; i < 600; ++i) exchange();
  std::size_t refused = 0;
  for (const QueryResult& one : side.all<QueryResult>()) refused += one.status == QueryStatus::kRefusedRate;
  EXPECT_EQ(refused, 21u);
  EXPECT_EQ(server.counters()[Counter::kQueryRate], refused);
  EXPECT_EQ(at_server<QueryArrived>().size(), 1u + 24u - refused + 1u);
  EXPECT_EQ(std::ranges::count_if(at_server<QueryArrived>(),
                                  [](const QueryArrived& one) { return one.player == 2; }),
            1);
  EXPECT_TRUE(side.all<Disconnected>().empty());
}

TEST_F(RoomSession, ANewEpochWaitsUntilTheClientHasEnteredIt) {
  Side& side = connect(kLocal);
  ASSERT_TRUE(server.send_room_state(1, state_of(1)).ok());
  publish(100, 7);
  for (int i = 0; i < 50; ++i) exchange();
  ASSERT_NE(side.client.world().find(body_at(0, 0).id), nullptr);

  ASSERT_TRUE(side.client.send_input(now_us, 101, DespawnCommand{body_at(0, 0).id}).ok());
  play(2, 60);
  ASSERT_TRUE(server.send_room_state(1, state_of(2)).ok());
  // The client has not heard of it yet: nothing of the new world goes out.
  server.publish_snapshot(now_us, 0, std::vector<BodyState>{body_at(0, 99)});
  EXPECT_FALSE(server.has_entered(1));
  exchange();
  exchange();
  exchange();
  ASSERT_EQ(at_server<EpochEntered>().size(), 1u);
  EXPECT_EQ(at_server<EpochEntered>()[0].epoch, 2u);
  // Inputs sent earlier belong to the old world, however late they arrive; inputs sent now belong to the new
  // one.
  ASSERT_TRUE(side.client.send_input(now_us, 1, DespawnCommand{body_at(1, 0).id}).ok());
  for (int i = 0; i < 300; ++i) exchange();
  for (auto const& arrived : at_server<InputsArrived>())
    for (auto const& input : arrived.inputs)
      EXPECT_EQ(arrived.epoch, input.sequence) << "sequence " << input.sequence;
  EXPECT_EQ(at_server<InputsArrived>().back().epoch, 2u);
  EXPECT_TRUE(server.has_entered(1));
  EXPECT_EQ(side.client.world().body_count(), 0u);
  ASSERT_EQ(side.all<RoomChanged>().size(), 2u);
  EXPECT_TRUE(side.all<RoomChanged>()[1].is_new_world);
  EXPECT_TRUE(side.all<RoomChanged>()[1].room.marks.empty());  // only with the first

  publish(1, 42);
  exchange();
  ASSERT_NE(side.client.world().find(body_at(0, 0).id), nullptr);
  EXPECT_EQ(side.client.world().find(body_at(0, 0).id)->position.x, 42);
  EXPECT_EQ(side.client.counters()[Counter::kSnapshotOtherEpoch], 0u);
}

TEST_F(RoomSession, PartsOfAnotherEpochAreDroppedAndCounted) {
  Side& side = connect(kLocal);
  ASSERT_TRUE(server.send_room_state(1, state_of(1)).ok());
  publish(100, 7);
  for (int i = 0; i < 5; ++i) exchange();
  // A part that is under way while the client enters the next epoch.
  server.publish_snapshot(now_us, 101, std::vector<BodyState>{body_at(0, 8), body_at(1, 9)});
  OutgoingDatagram late;
  ASSERT_TRUE(server.poll_datagram(now_us, late));
  play(2, 60);
  ASSERT_TRUE(server.send_room_state(1, state_of(2)).ok());
  exchange();
  side.client.handle_datagram(now_us, late.bytes);
  EXPECT_EQ(side.client.counters()[Counter::kSnapshotOtherEpoch], 1u);
  EXPECT_EQ(side.client.world().body_count(), 0u);
  exchange();
  publish(1, 42);
  exchange();
  EXPECT_EQ(side.client.world().body_count(), 2u);
}

TEST_F(RoomSession, AnAnswerToAnOvertakenEpochDoesNotCount) {
  connect(kLocal);
  ASSERT_TRUE(server.send_room_state(1, state_of(1)).ok());
  for (int i = 0; i < 5; ++i) exchange();
  play(2, 60);
  ASSERT_TRUE(server.send_room_state(1, state_of(2)).ok());
  play(3, 60);
  ASSERT_TRUE(server.send_room_state(1, state_of(3)).ok());
  for (int i = 0; i < 5; ++i) exchange();
  ASSERT_EQ(at_server<EpochEntered>().size(), 1u);
  EXPECT_EQ(at_server<EpochEntered>()[0].epoch, 3u);
}

TEST_F(RoomSession, OnlyThisMachineMayControl) {
  Side& local = connect(kLocal);
  Side& remote = connect(kRemote);
  ASSERT_TRUE(server.send_room_state(1, state_of(1)).ok());
  ASSERT_TRUE(server.send_room_state(2, state_of(1)).ok());
  exchange();
  EXPECT_TRUE(at_server<PlayerJoined>()[0].admin);
  EXPECT_FALSE(at_server<PlayerJoined>()[1].admin);
  EXPECT_TRUE(local.all<RoomChanged>().at(0).room.admin);
  EXPECT_FALSE(remote.all<RoomChanged>().at(0).room.admin);

  Control control;
  control.action = ControlAction::kSetSpeed;
  control.speed = 0.5f;
  EXPECT_EQ(local.client.send_control(now_us, control).value(), 1u);
  EXPECT_EQ(remote.client.send_control(now_us, control).value(), 1u);
  for (int i = 0; i < 3; ++i) exchange();
  ASSERT_EQ(at_server<ControlArrived>().size(), 1u);
  EXPECT_EQ(at_server<ControlArrived>()[0].player, 1u);
  EXPECT_EQ(at_server<ControlArrived>()[0].control.speed, 0.5f);
  EXPECT_TRUE(local.all<ControlResult>().empty());  // the room's to answer
  ASSERT_EQ(remote.all<ControlResult>().size(), 1u);
  EXPECT_EQ(remote.all<ControlResult>()[0].status, ControlStatus::kRefusedPermission);
  EXPECT_EQ(server.counters()[Counter::kControlPermission], 1u);
}

class RoomSessionWithoutAdmin : public RoomSession {
 protected:
  RoomSessionWithoutAdmin() : RoomSession(AdminGrant::kNone) {}
};

TEST_F(RoomSessionWithoutAdmin, NotEvenThisMachineMayControl) {
  connect(kLocal);
  exchange();
  EXPECT_FALSE(at_server<PlayerJoined>().at(0).admin);
}

TEST_F(RoomSession, AnUntrustedStreamNeverHasTheAdminRight) {
  EXPECT_FALSE(server.handle_stream_open(now_us, kLocal, {TransportKind::kWebSocket, false}).is_null());
  EXPECT_FALSE(server.handle_stream_open(now_us, kLocal, {TransportKind::kWebSocket, true}).is_null());
  std::vector<std::unique_ptr<ClientEndpoint>> clients;
  for (std::uint32_t index = 0; index < 2; ++index) {
    ClientOptions options;
    options.transport = TransportKind::kWebSocket;
    auto& client = *clients.emplace_back(std::make_unique<ClientEndpoint>(options));
    client.connect(now_us);
    std::vector<std::byte> bytes;
    (void)client.poll_stream(now_us, 65536, bytes);
    server.handle_stream_bytes(now_us, StreamId{index, 1}, bytes);
  }
  exchange();
  auto const joined = at_server<PlayerJoined>();
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_FALSE(joined[0].admin);
  EXPECT_TRUE(joined[1].admin);
  EXPECT_EQ(joined[0].transport, TransportKind::kWebSocket);
  EXPECT_EQ(server.player_counts(), (std::array<std::uint32_t, kTransportKinds>{0, 0, 2}));
  // Each transport hears of its own streams alone.
  EXPECT_TRUE(server.poll_writable_stream(TransportKind::kStream).is_null());
  EXPECT_FALSE(server.poll_writable_stream(TransportKind::kWebSocket).is_null());
  EXPECT_EQ(server.counters()[Counter::kStreamBytesReceived], 0u);
  EXPECT_GT(server.counters()[Counter::kWebSocketBytesReceived], 0u);
}

// A browser beside 20 bots on one machine had a longer delay than bodies at 60 Hz need (issue 16).
TEST_F(RoomSession, OnlyATrustedStreamOfThisMachineGetsManyMovingBodiesInEverySnapshot) {
  constexpr std::uint32_t kBodies = 130;
  struct Stream {
    Address from;
    bool is_trusted;
    bool is_whole;  // every snapshot holds all bodies
  };
  std::vector<Stream> const streams{{kLocal, true, true}, {kLocal, false, false}, {kRemote, true, false}};
  std::vector<std::unique_ptr<ClientEndpoint>> clients;
  for (Stream const& stream : streams) {
    ASSERT_FALSE(
        server.handle_stream_open(now_us, stream.from, {TransportKind::kWebSocket, stream.is_trusted})
            .is_null());
    ClientOptions options;
    options.transport = TransportKind::kWebSocket;
    clients.push_back(std::make_unique<ClientEndpoint>(options));
    clients.back()->connect(now_us);
  }
  std::vector<std::uint32_t> deferred(streams.size());
  auto const move = [&] {
    exchange();
    for (std::uint32_t i = 0; i < clients.size(); ++i) {
      std::vector<std::byte> bytes;
      (void)clients[i]->poll_stream(now_us, 1u << 20, bytes);
      server.handle_stream_bytes(now_us, StreamId{i, 1}, bytes);
      bytes.clear();
      (void)server.poll_stream(now_us, StreamId{i, 1}, 1u << 20, bytes);
      clients[i]->handle_stream_bytes(now_us, bytes);
      ClientEvent event;
      while (clients[i]->poll_event(event))
        if (auto const* snapshot = std::get_if<SnapshotArrived>(&event))
          deferred[i] = snapshot->part.deferred;
    }
  };
  for (int i = 0; i < 4; ++i) move();
  for (PlayerId player = 1; player <= streams.size(); ++player)
    ASSERT_TRUE(server.send_room_state(player, state_of(1)).ok());
  for (int i = 0; i < 4; ++i) move();
  for (std::uint64_t tick = 10; tick < 20; ++tick) {
    server.handle_tick(now_us, tick);
    std::vector<BodyState> world;
    for (std::uint32_t index = 0; index < kBodies; ++index)
      world.push_back(body_at(index, static_cast<std::int64_t>(tick * 1000 + index)));
    server.publish_snapshot(now_us, tick, world);
    move();
  }
  for (std::size_t i = 0; i < streams.size(); ++i)
    EXPECT_EQ(deferred[i], streams[i].is_whole ? 0u : kBodies - 4 * kSnapshotBodiesPerPart) << "stream " << i;
}

TEST_F(RoomSession, ASceneNameThatWouldEndTheSessionIsNotSent) {
  Side& side = connect(kLocal);
  Control control;
  control.action = ControlAction::kLoadScene;
  control.scene = "pyramid\n";
  EXPECT_EQ(side.client.send_control(now_us, control).error(), Error::kOutOfRange);
  control.scene = "pyramid";
  EXPECT_TRUE(side.client.send_control(now_us, control).ok());
  for (int i = 0; i < 3; ++i) exchange();
  ASSERT_EQ(at_server<ControlArrived>().size(), 1u);
  EXPECT_EQ(side.client.state(), ClientState::kConnected);
}

TEST_F(RoomSession, ControlBeyondTheRateIsAnsweredAndNotPassedOn) {
  Side& side = connect(kLocal);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(side.client.send_control(now_us, {}).ok());
  for (int i = 0; i < 200; ++i) exchange(100);
  std::size_t const passed = at_server<ControlArrived>().size();
  EXPECT_GE(passed, 60u);
  EXPECT_LE(passed, 61u);  // the burst, and what 20 ms refill
  EXPECT_EQ(side.all<ControlResult>().size(), 100 - passed);
  EXPECT_EQ(server.counters()[Counter::kControlRate], 100 - passed);
}

TEST_F(RoomSession, ContactsGoToThoseWhoAskedUntilTheyAskNoMore) {
  Side& curious = connect(kLocal);
  Side& other = connect(kRemote);
  ASSERT_TRUE(server.send_room_state(1, state_of(1)).ok());
  ASSERT_TRUE(server.send_room_state(2, state_of(1)).ok());
  ASSERT_TRUE(curious.client.send_inspect(now_us, kInspectContacts).ok());
  exchange();
  exchange();
  ASSERT_EQ(at_server<InspectArrived>().size(), 1u);
  EXPECT_EQ(at_server<InspectArrived>()[0].what, kInspectContacts);
  std::vector<ContactPoint> const points(30, ContactPoint{1, 2, {}, {0, 1, 0}, 3, -0.01f});
  server.publish_contacts(50, 700, points);
  server.publish_joints(50, 1, std::vector<JointFrame>(1));
  exchange();
  auto const contacts = curious.all<Contacts>();
  ASSERT_EQ(contacts.size(), 3u);  // 14 + 14 + 2
  std::size_t received = 0;
  for (auto const& part : contacts) {
    EXPECT_EQ(part.part_count, 3u);
    EXPECT_EQ(part.total, 700u);
    received += part.points.size();
  }
  EXPECT_EQ(received, points.size());
  EXPECT_TRUE(curious.all<JointFrames>().empty());
  EXPECT_TRUE(other.all<Contacts>().empty());

  ASSERT_TRUE(curious.client.send_inspect(now_us, 0).ok());
  exchange();
  server.publish_contacts(51, 0, {});
  exchange();
  EXPECT_EQ(curious.all<Contacts>().size(), 3u);
}

TEST_F(RoomSession, ContactsAndJointsOfAnotherEpochAreDropped) {
  Side& side = connect(kLocal);
  ASSERT_TRUE(server.send_room_state(1, state_of(1)).ok());
  ASSERT_TRUE(side.client.send_inspect(now_us, kInspectContacts | kInspectJoints).ok());
  for (int i = 0; i < 5; ++i) exchange();
  server.publish_contacts(100, 0, {});
  server.publish_joints(100, 0, {});
  std::vector<OutgoingDatagram> late(1);
  while (server.poll_datagram(now_us, late.back())) late.emplace_back();
  play(2, 60);
  ASSERT_TRUE(server.send_room_state(1, state_of(2)).ok());
  for (int i = 0; i < 5; ++i) exchange();
  for (const OutgoingDatagram& one : late) side.client.handle_datagram(now_us, one.bytes);
  exchange();
  EXPECT_TRUE(side.all<Contacts>().empty());
  EXPECT_TRUE(side.all<JointFrames>().empty());
  server.publish_contacts(1, 0, {});
  server.publish_joints(1, 0, {});
  exchange();
  EXPECT_EQ(side.all<Contacts>().size(), 1u);
  EXPECT_EQ(side.all<JointFrames>().size(), 1u);
}

TEST_F(RoomSession, RopesGoWithSnapshotsToThoseWhoAskAndAgainWhenTheyAskAgain) {
  Side& curious = connect(kLocal);
  Side& other = connect(kRemote);
  ASSERT_TRUE(server.send_room_state(1, state_of(1)).ok());
  ASSERT_TRUE(server.send_room_state(2, state_of(1)).ok());
  ASSERT_TRUE(curious.client.send_inspect(now_us, kInspectRopes).ok());
  exchange();
  exchange();
  std::vector<RopeState> ropes;
  for (std::uint32_t const count : {2000u, 1u, 2u, 60u}) {
    RopeState& rope = ropes.emplace_back(RopeState{(RopeId{1} << 32) + ropes.size(), 0, 0.5f, {}, {}});
    for (std::uint32_t i = 0; i < count; ++i)
      rope.nodes.push_back({std::int64_t{i} << 28, std::int64_t{i % 7} << 25, 0});
    rope.tensions.assign(count - 1, 2.5f);
  }
  auto const publish = [&](std::uint64_t tick) {
    server.handle_tick(now_us, tick);
    server.publish_snapshot(now_us, tick, {}, ropes);
    exchange();
    exchange(30'000);  // acknowledged
  };
  auto const told = [](const Side& side) {
    std::map<RopeId, std::pair<std::uint64_t, RopeState>> out;
    for (auto const& arrived : side.all<SnapshotArrived>()) {
      for (const RopeState& rope : arrived.ropes.ropes) out[rope.id] = {arrived.part.tick, rope};
      for (RopeId const id : arrived.ropes.gone) out.erase(id);
    }
    return out;
  };
  for (std::uint64_t tick = 50; tick < 60; ++tick) publish(tick);
  EXPECT_TRUE(told(other).empty());
  ASSERT_EQ(told(curious).size(), 4u);
  for (const RopeState& rope : ropes)
    EXPECT_EQ(told(curious)[rope.id].second, rope) << "these nodes are on the lattice";
  EXPECT_TRUE(server.is_settled(1));

  std::size_t const before = curious.all<SnapshotArrived>().size();
  ropes.erase(ropes.begin() + 1);
  ropes.back().nodes[7].y += std::int64_t{1} << 24;
  publish(60);
  std::size_t slices = 0;
  for (auto const& arrived : curious.all<SnapshotArrived>())
    if (arrived.part.tick == 60) slices += arrived.ropes.ropes.size();
  EXPECT_EQ(slices, 1u) << "only what changed";
  EXPECT_GT(curious.all<SnapshotArrived>().size(), before);
  EXPECT_EQ(told(curious).size(), 3u);

  ASSERT_TRUE(curious.client.send_inspect(now_us, 0).ok());
  exchange();
  publish(61);
  ASSERT_TRUE(curious.client.send_inspect(now_us, kInspectRopes).ok());
  exchange();
  for (std::uint64_t tick = 62; tick < 70; ++tick) publish(tick);
  for (auto const& [id, one] : told(curious))
    EXPECT_GE(one.first, 62u) << "whoever asks anew is told all of it";
  EXPECT_EQ(told(curious).size(), 3u);
}

TEST_F(RoomSession, BrokenJointsAreToldReliably) {
  Side& side = connect(kLocal);
  ASSERT_TRUE(server.send_room_state(1, state_of(1)).ok());
  std::vector<std::uint64_t> joints(5000);
  for (std::size_t i = 0; i < joints.size(); ++i) joints[i] = (std::uint64_t{1} << 32) + i;
  ASSERT_TRUE(server.send_joints_broken(1, 77, joints).ok());
  for (int i = 0; i < 40; ++i) exchange(20'000);  // 40 kB at the rate of the reliable channel
  auto const told = side.all<JointsBroken>();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].tick, 77u);
  EXPECT_EQ(told[0].joints.size(), kRemovedPerMessage);
  EXPECT_EQ(told[1].joints.back(), joints.back());
}

TEST_F(RoomSession, TheClockStandsStillWhilePausedAndFollowsTheSpeed) {
  Side& side = connect(kLocal);
  server.handle_tick(now_us, 100);
  RoomState paused = state_of(1);
  paused.tick = 100;
  paused.paused = true;
  play(1, 0);
  ASSERT_TRUE(server.send_room_state(1, paused).ok());
  for (int i = 0; i < 1000; ++i) exchange();
  EXPECT_DOUBLE_EQ(side.client.clock().server_tick(now_us), 100.0);
  RoomState slow = paused;
  slow.paused = false;
  slow.speed = 0.5f;
  play(1, 30);
  server.handle_tick(now_us, 100);
  ASSERT_TRUE(server.send_room_state(1, slow).ok());
  std::uint64_t const began_us = now_us;
  for (int i = 0; i < 2000; ++i) {
    exchange();
    if (i % 100 == 0) server.handle_tick(now_us, 100 + (now_us - began_us) * 30 / 1'000'000);
  }
  // Two seconds at half of 60 Hz. The server tells its tick every 100 ms here, so an answer may be three
  // ticks late.
  EXPECT_NEAR(side.client.clock().server_tick(now_us), 160.0, 3.0);
}

}  // namespace
}  // namespace takt::protocol
