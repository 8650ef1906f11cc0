// Holes that one ordinary client or stranger could use to stop a server. A suite is named after its hole;
// each test fails on a server that has the hole.
#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/session/challenge.h"
#include "tests/unit/protocol/endpoint_pair.h"

namespace takt::protocol::test {
namespace {

// ------------------------------------------------ one session can hold the network thread

class OneSessionHoldsTheNetworkThread : public EndpointPair {
 protected:
  // The reason why the session ended, or none.
  DisconnectReason ending() {
    ServerEvent event;
    while (server.poll_event(event))
      if (auto const* left = std::get_if<PlayerLeft>(&event)) return left->reason;
    return DisconnectReason::kNone;
  }
  std::vector<std::byte> pings(std::size_t count) const {
    std::vector<std::byte> body;
    for (std::size_t i = 0; i < count; ++i) {
      auto const one = section_of(Ping{now_us});
      body.insert(body.end(), one.begin(), one.end());
    }
    return body;
  }
};

TEST_F(OneSessionHoldsTheNetworkThread, ADatagramOfMoreThan16SectionsIsDroppedUnread) {
  auto const before = at_server(Counter::kMessagesReceived);
  send_as_client(pings(kSectionsPerDatagramMax));
  EXPECT_EQ(at_server(Counter::kMessagesReceived), before + kSectionsPerDatagramMax);
  send_as_client(pings(kSectionsPerDatagramMax + 1));
  EXPECT_EQ(at_server(Counter::kMessagesReceived), before + kSectionsPerDatagramMax);
  EXPECT_EQ(at_server(Counter::kDatagramBadLayout), 1u);
  EXPECT_EQ(server.player_count(), 1u);
}

TEST_F(OneSessionHoldsTheNetworkThread, AnHonestSenderPutsAtMost16SectionsIntoADatagram) {
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(server.send_game_event(1, 0, {}).ok());
  OutgoingDatagram out;
  std::size_t sections = 0;
  while (server.poll_datagram(now_us, out)) {
    auto const opened = tap.open_from_server(out.bytes);
    ASSERT_TRUE(opened);
    SectionReader reader(opened->sections);
    Section section;
    std::size_t count = 0;
    while (reader.next(section)) ++count;
    EXPECT_LE(count, kSectionsPerDatagramMax);
    sections += count;
  }
  EXPECT_GE(sections, 40u);
}

TEST_F(OneSessionHoldsTheNetworkThread, AFloodOfTinySectionsEndsAsProtocolError) {
  std::vector<std::byte> body;
  std::vector<std::byte> const tiny(1, std::byte{1});
  while (body.size() + 5 <= kDatagramBytesMax - kSealedDatagramBytes)
    write_section({SectionKind::kMessage, false, 0, tiny}, body);
  std::uint32_t sent = 0;
  for (; sent < 10'000 && server.player_count() == 1; ++sent) send_as_client(body);
  EXPECT_EQ(sent, SessionLimits{}.malformed_burst + 1);
  EXPECT_EQ(ending(), DisconnectReason::kProtocolError);
}

TEST_F(OneSessionHoldsTheNetworkThread, MalformedMessagesEndAsProtocolError) {
  std::vector<std::byte> const garbage(40, std::byte{0x5a});
  std::vector<std::byte> body;
  write_section({SectionKind::kMessage, false, 0, garbage}, body);
  std::uint32_t sent = 0;
  for (; sent < 10'000 && server.player_count() == 1; ++sent) send_as_client(body);
  EXPECT_EQ(sent, SessionLimits{}.malformed_burst + 1);
  EXPECT_EQ(ending(), DisconnectReason::kProtocolError);
}

TEST_F(OneSessionHoldsTheNetworkThread, OneMalformedMessageASecondIsForgiven) {
  std::vector<std::byte> const garbage(40, std::byte{0x5a});
  std::vector<std::byte> body;
  write_section({SectionKind::kMessage, false, 0, garbage}, body);
  for (std::uint32_t i = 0; i < 100; ++i) {
    now_us += kSecond;
    send_as_client(body);
  }
  EXPECT_EQ(server.player_count(), 1u);
}

TEST_F(OneSessionHoldsTheNetworkThread, AFloodOfPingsIsDroppedAndEndsAsProtocolError) {
  auto const before = at_server(Counter::kMessagesReceived);
  std::uint32_t sent = 0;
  for (; sent < 10'000 && server.player_count() == 1; ++sent) send_as_client(pings(10));
  SessionLimits const limits;
  EXPECT_LE(at_server(Counter::kMessagesReceived) - before, limits.message_burst + limits.excess_burst + 10);
  EXPECT_EQ(at_server(Counter::kSessionBudget), limits.excess_burst + 1);
  EXPECT_EQ(ending(), DisconnectReason::kProtocolError);
}

TEST_F(OneSessionHoldsTheNetworkThread, AFloodOfEmptyDatagramsEndsAsProtocolError) {
  SessionLimits const limits;
  std::uint32_t sent = 0;
  for (; sent < 100'000 && server.player_count() == 1; ++sent) send_as_client({});
  EXPECT_LE(sent, limits.datagram_burst + limits.excess_burst + 1);
  EXPECT_EQ(ending(), DisconnectReason::kProtocolError);
}

TEST_F(OneSessionHoldsTheNetworkThread, TheRateOfAnHonestClientCostsNothing) {
  // Twice what a client at 60 Hz sends beside the acknowledgements of a join, for a minute.
  for (int ms = 0; ms < 60'000; ++ms) {
    now_us += 1000;
    send_as_client(pings(1));
  }
  EXPECT_EQ(at_server(Counter::kSessionBudget), 0u);
  EXPECT_EQ(server.player_count(), 1u);
}

TEST_F(OneSessionHoldsTheNetworkThread, MessagesThatNeedOrderAreRefusedOutsideTheReliableChannel) {
  for (Message const& message : {Message{Inspect{kInspectAll}}, Message{Control{}},
                                 Message{RoomEntered{1, 1}}, Message{QueryRequest{1, {Query{}}}}}) {
    auto const before = at_server(Counter::kMessageUnexpected);
    send_as_client(section_of(message));
    EXPECT_EQ(at_server(Counter::kMessageUnexpected), before + 1);
  }
}

class OneCuriousClientCostsTheTick : public OneSessionHoldsTheNetworkThread {};

TEST_F(OneCuriousClientCostsTheTick, AFloodOfInspectIsReportedTenTimesASecond) {
  MessageWriter writer;
  std::uint32_t fragment = 0;
  std::size_t reported = 0;
  for (int ms = 0; ms < 1000; ++ms) {
    now_us += 1000;
    std::vector<std::byte> body;
    write_section({SectionKind::kFragment, true, fragment,
                   writer.write(Inspect{fragment % 2 == 0 ? kInspectContacts : kInspectJoints})},
                  body);
    send_as_client(body);
    ++fragment;
    OutgoingDatagram out;
    while (server.poll_datagram(now_us, out)) {
    }
    ServerEvent event;
    while (server.poll_event(event)) reported += std::holds_alternative<InspectArrived>(event) ? 1 : 0;
  }
  EXPECT_EQ(fragment, 1000u);
  EXPECT_GE(reported, 9u);
  EXPECT_LE(reported, 11u);
}

// ------------------------------------------------ work for all clients at each wake

class WorkForAllClients : public EndpointPair {
 protected:
  static ServerOptions options() {
    ServerOptions options;
    options.players_max = 256;
    return options;
  }
  WorkForAllClients() : EndpointPair(options()) {}
  std::size_t drain() {
    OutgoingDatagram out;
    std::size_t count = 0;
    while (server.poll_datagram(now_us, out)) ++count;
    return count;
  }
};

TEST_F(WorkForAllClients, ABusySessionWakesNoOtherOne) {
  for (std::uint16_t i = 0; i < 255; ++i) {
    Address const from = Address::from_ipv4(10, 0, static_cast<std::uint8_t>(i), 1, 1);
    ConnectRequest request;
    request.nonce = i;
    server.handle_datagram(now_us, from, handshake_of(response_of(server, kSecret, now_us, from, request)));
  }
  ASSERT_EQ(server.player_count(), 256u);
  (void)drain();
  auto const before = at_server(Counter::kSessionsPolled);
  for (std::uint32_t i = 0; i < 100; ++i) {
    now_us += 1000;  // 100 ms: nobody's keep-alive is due
    send_as_client(section_of(Ping{now_us}));
    EXPECT_EQ(drain(), 1u) << "the answer";
    EXPECT_GE(server.next_wakeup_us(now_us), now_us);
  }
  EXPECT_LE(at_server(Counter::kSessionsPolled) - before, 300u) << "and not 256 at each of 100 wakes";
}

// ------------------------------------------------ acknowledgements are believed

class AcknowledgementsAreBelieved : public EndpointPair {
 protected:
  // Numbers of the datagrams that the server sends now.
  std::vector<std::uint64_t> sent() {
    now_us += 1000;
    server.publish_stats({});
    std::vector<std::uint64_t> numbers;
    OutgoingDatagram out;
    while (server.poll_datagram(now_us, out))
      if (auto const opened = tap.open_from_server(out.bytes)) numbers.push_back(opened->number);
    return numbers;
  }
};

TEST_F(AcknowledgementsAreBelieved, AClientThatAcknowledgesWhatItNeverReceivedIsOut) {
  std::uint32_t datagrams = 0;
  for (; datagrams < 5000 && server.player_count() == 1; ++datagrams) {
    for (std::uint64_t const newest : sent())  // and all of the 56 before it, whether they came or not
      send_as_client({}, AckBlock{static_cast<std::uint16_t>(newest)});
  }
  EXPECT_EQ(server.player_count(), 0u);
  EXPECT_EQ(at_server(Counter::kAckTraps), 1u);
  EXPECT_LE(datagrams, 1100u);
  ServerEvent event;
  ASSERT_TRUE(server.poll_event(event));
  EXPECT_EQ(std::get<PlayerLeft>(event).reason, DisconnectReason::kProtocolError);
}

TEST_F(AcknowledgementsAreBelieved, AnHonestClientMeetsNoTrap) {
  for (int i = 0; i < 20'000; ++i) {
    server.publish_stats({});
    exchange();
  }
  EXPECT_EQ(server.player_count(), 1u);
  EXPECT_EQ(at_server(Counter::kAckTraps), 0u);
  EXPECT_EQ(at_server(Counter::kDatagramsLost), 0u) << "a trap is no loss of the path";
}

}  // namespace
}  // namespace takt::protocol::test
