// Malformed, forged and misplaced bytes against both endpoints, each with the counter that must name it.
#include <gtest/gtest.h>

#include <set>

#include "protocol/link/frame.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/challenge.h"
#include "protocol/session/client_endpoint.h"
#include "protocol/session/server_endpoint.h"
#include "protocol/wire/datagram.h"
#include "tests/unit/protocol/endpoint_pair.h"
#include "tests/unit/protocol/sample_messages.h"

namespace takt::protocol::test {
namespace {

TEST_F(EndpointPair, Connects) {
  EXPECT_EQ(client.state(), ClientState::kConnected);
  EXPECT_EQ(server.players(), std::vector<PlayerId>{1});
  EXPECT_NE(accept.session, 0u);
  EXPECT_EQ(at_server(Counter::kHandshakeAccepted), 1u);
}

TEST_F(EndpointPair, CountsDatagramsThatAreNotOurs) {
  auto const good = handshake_of(Message{Ping{1}});
  server.handle_datagram(now_us, kHome, {});
  server.handle_datagram(now_us, kHome, std::span(good).first(31));
  EXPECT_EQ(at_server(Counter::kDatagramShort), 2u);
  server.handle_datagram(now_us, kHome, std::vector<std::byte>(kDatagramBytesMax + 1));
  EXPECT_EQ(at_server(Counter::kDatagramOversize), 1u);
  server.handle_datagram(now_us, kHome, std::vector<std::byte>(64));
  EXPECT_EQ(at_server(Counter::kDatagramBadMagic), 1u);
  auto bent = good;
  bent[4] = std::byte{9};
  server.handle_datagram(now_us, kHome, bent);
  EXPECT_EQ(at_server(Counter::kDatagramBadType), 1u);
  auto const before = at_server(Counter::kDatagramBadLayout);
  send_as_client(std::vector<std::byte>(5, std::byte{0xee}));
  EXPECT_EQ(at_server(Counter::kDatagramBadLayout), before + 1);
  EXPECT_EQ(server.player_count(), 1u);
}

TEST_F(EndpointPair, CountsDuplicatesLateAcksAndFragmentsOutOfWindow) {
  server.handle_datagram(now_us, kHome, last_from_client);
  EXPECT_EQ(at_server(Counter::kDuplicate), 1u);
  auto const late = tap.from_client();
  for (std::uint64_t i = 0; i < crypto::ReplayWindow::kMemory; ++i) tap.client_sealer().skip_number();
  send_as_client({});
  server.handle_datagram(now_us, kHome, late);
  EXPECT_EQ(at_server(Counter::kDatagramLate), 1u);
  send_as_client({}, AckBlock{500, 0});  // the server has sent some ten datagrams
  EXPECT_EQ(at_server(Counter::kAckOutOfWindow), 1u);
  std::vector<std::byte> body;
  std::vector<std::byte> const payload(3, std::byte{1});
  write_section({SectionKind::kFragment, true, kFragmentWindowToServer, payload}, body);
  send_as_client(body);
  EXPECT_EQ(at_server(Counter::kFragmentOutOfWindow), 1u);
  EXPECT_EQ(server.player_count(), 1u);
}

TEST_F(EndpointPair, AMalformedUnreliableMessageIsDroppedAndTheSessionLives) {
  std::vector<std::byte> body;
  std::vector<std::byte> const garbage(40, std::byte{0x5a});
  write_section({SectionKind::kMessage, false, 0, garbage}, body);
  send_as_client(body);
  EXPECT_EQ(at_server(Counter::kVerifierFailed), 1u);
  send_as_client(section_of(Inputs{{{1, 0, ReleaseCommand{}}}, {}}));
  EXPECT_EQ(at_server(Counter::kMessageBadField), 1u);
  send_as_client(section_of(Accept{1, 1, 1, 60, 4, 0, 0, {}, {}}));
  EXPECT_EQ(at_server(Counter::kMessageUnexpected), 1u);
  EXPECT_EQ(server.player_count(), 1u);
}

TEST_F(EndpointPair, AMalformedReliableMessageEndsTheSession) {
  std::vector<std::byte> body;
  std::vector<std::byte> const garbage(40, std::byte{0x5a});
  write_section({SectionKind::kFragment, true, 0, garbage}, body);
  send_as_client(body);
  ServerEvent event;
  ASSERT_TRUE(server.poll_event(event));
  EXPECT_EQ(std::get<PlayerLeft>(event).reason, DisconnectReason::kProtocolError);
  for (int i = 0; i < 5; ++i) exchange();
  EXPECT_EQ(client.state(), ClientState::kDisconnected);
}

TEST_F(EndpointPair, AnEndlessReliableMessageEndsTheSession) {
  std::vector<std::byte> const payload(kFragmentBytesMax, std::byte{1});
  for (std::uint32_t i = 0; i < 80 && server.player_count() == 1; ++i) {
    std::vector<std::byte> body;
    write_section({SectionKind::kFragment, false, i, payload}, body);
    send_as_client(body);
  }
  EXPECT_EQ(at_server(Counter::kReliableOversize), 1u);
  EXPECT_EQ(server.player_count(), 0u);
}

TEST_F(EndpointPair, InvalidInputsAreToldToTheClient) {
  send_as_client(section_of(Inputs{{{1, 1, DespawnCommand{0}}}, {}}));
  EXPECT_EQ(at_server(Counter::kInputInvalid), 1u);
  OutgoingDatagram out;
  now_us += 1000;
  while (server.poll_datagram(now_us, out)) {
  }
  EXPECT_EQ(server.player_count(), 1u);
}

TEST_F(EndpointPair, TheClientCountsWhatItRefuses) {
  client.handle_datagram(now_us, {});
  EXPECT_EQ(at_client(Counter::kDatagramShort), 1u);
  client.handle_datagram(now_us, std::vector<std::byte>(2000));
  EXPECT_EQ(at_client(Counter::kDatagramOversize), 1u);
  auto wrong = tap.from_server();
  wrong[1] ^= std::byte{1};
  client.handle_datagram(now_us, wrong);
  EXPECT_EQ(at_client(Counter::kDatagramUnknownSession), 1u);
  client.handle_datagram(now_us, handshake_of(Refuse{1, RefuseReason::kServerFull, "late"}));
  EXPECT_EQ(at_client(Counter::kDatagramWrongState), 1u);
  SnapshotPart part;
  part.serial = 1;
  part.bodies.resize(1);
  part.bodies[0].id = ~0ull;
  send_as_server(section_of(part));
  EXPECT_EQ(at_client(Counter::kSnapshotIndexRange), 1u);
  send_as_server(section_of(Pong{now_us + 1, 5, 0}));
  EXPECT_EQ(at_client(Counter::kMessageBadField), 1u);
  send_as_server(section_of(InputAck{9, 1, 0, {}}));
  EXPECT_EQ(at_client(Counter::kMessageBadField), 2u);
  send_as_server(section_of(Ping{1}));
  EXPECT_EQ(at_client(Counter::kMessageUnexpected), 1u);
  EXPECT_EQ(client.state(), ClientState::kConnected);
}

TEST_F(EndpointPair, ABadJoinImageEndsTheSession) {
  MessageWriter writer;
  std::vector<std::byte> body;
  write_section({SectionKind::kFragment, true, 0, writer.write(JoinSlice{1, 100, 5, 50, {std::byte{1}}})},
                body);
  send_as_server(body);
  EXPECT_EQ(at_client(Counter::kJoinImageBad), 1u);
  ClientEvent event;
  ASSERT_TRUE(client.poll_event(event));
  EXPECT_EQ(std::get<Disconnected>(event).reason, DisconnectReason::kProtocolError);
  for (int i = 0; i < 2; ++i) exchange();
  ServerEvent server_event;
  ASSERT_TRUE(server.poll_event(server_event));
  EXPECT_EQ(std::get<PlayerLeft>(server_event).reason, DisconnectReason::kClientLeft);
}

TEST_F(EndpointPair, SendInputSaysWhyItCannot) {
  EXPECT_EQ(client.send_input(now_us, 0, DespawnCommand{0}).error(), Error::kOutOfRange);
  for (std::size_t i = 0; i < kInputWindow; ++i)
    ASSERT_TRUE(client.send_input(now_us, 0, ReleaseCommand{}).ok());
  EXPECT_EQ(client.send_input(now_us, 0, ReleaseCommand{}).error(), Error::kQueueFull);
  ClientEndpoint idle{ClientOptions{}};
  EXPECT_EQ(idle.send_input(now_us, 0, ReleaseCommand{}).error(), Error::kNotConnected);
}

TEST_F(EndpointPair, CallsAboutUnknownPlayersSaySo) {
  EXPECT_EQ(server.send_game_event(7, 0, {}).error(), Error::kUnknownPlayer);
  EXPECT_EQ(server.stats_of(7).error(), Error::kUnknownPlayer);
  EXPECT_EQ(server.send_join_image(7, 0, nullptr).error(), Error::kUnknownPlayer);
  EXPECT_FALSE(server.is_settled(7));
  server.disconnect(now_us, 7, DisconnectReason::kKicked);
  EXPECT_EQ(server.player_count(), 1u);
}

TEST_F(EndpointPair, WakeUpsNeverLieInThePastAndAnIdleSessionSleeps) {
  exchange();
  for (int i = 0; i < 2000; ++i) {
    std::uint64_t const wakeup_us = std::min(server.next_wakeup_us(now_us), client.next_wakeup_us(now_us));
    ASSERT_GE(wakeup_us, now_us);
    now_us = std::max(wakeup_us, now_us + 1);
    now_us -= 1000;  // exchange() adds it
    exchange();
    if (now_us > 61 * kSecond) break;
  }
  EXPECT_GT(now_us, 60 * kSecond);  // 2,000 wake-ups last for a minute: nobody spins
  EXPECT_EQ(client.state(), ClientState::kConnected);
}

// ---------------------------------------------------------------- strangers

class Stranger : public testing::Test {
 protected:
  std::size_t answers() {
    OutgoingDatagram out;
    std::size_t count = 0;
    now_us += 1000;
    while (server.poll_datagram(now_us, out)) {
      ++count;
      last = out.bytes;
    }
    return count;
  }
  std::uint64_t now_us = 1'000'000;
  ServerEndpoint server{ServerOptions{}, kSecret, test_seeds()};
  std::vector<std::byte> last;
};

TEST_F(Stranger, AHandshakeDatagramWithoutAHandshakeMessageIsRefused) {
  for (auto const& message : test::sample_messages()) {
    if (std::holds_alternative<ConnectRequest>(message) || std::holds_alternative<ChallengeResponse>(message))
      continue;
    Bytes datagram = handshake_of(message);
    datagram.resize(kConnectRequestBytes);
    server.handle_datagram(now_us, kHome, datagram);
  }
  EXPECT_EQ(server.counters()[Counter::kMessageUnexpected], std::variant_size_v<Message> - 2);
  EXPECT_EQ(answers(), 0u);
}

TEST_F(Stranger, AShortRequestIsNotAnswered) {
  for (Message const& message :
       {Message{ConnectRequest{}}, Message{response_of(server, kSecret, now_us, kHome, {})}}) {
    Bytes datagram = handshake_of(message);
    datagram.pop_back();
    server.handle_datagram(now_us, kHome, datagram);
  }
  EXPECT_EQ(server.counters()[Counter::kHandshakeShortRequest], 2u);
  EXPECT_EQ(answers(), 0u);
  EXPECT_EQ(server.player_count(), 0u);
}

TEST_F(Stranger, ForgedAndExpiredCookiesAreNotAnswered) {
  ConnectRequest const request;
  Cookie cookie = make_cookie(kSecret, now_us, TransportKind::kDatagram, kHome, request);
  cookie[9] ^= std::byte{1};
  server.handle_datagram(now_us, kHome,
                         handshake_of(ChallengeResponse{cookie, request, {}, no_proof(request)}));
  EXPECT_EQ(server.counters()[Counter::kHandshakeCookieBad], 1u);
  cookie = make_cookie(kSecret, now_us, TransportKind::kDatagram, kHome, request);
  now_us += kCookieLifetime + 1;
  server.handle_datagram(now_us, kHome,
                         handshake_of(ChallengeResponse{cookie, request, {}, no_proof(request)}));
  EXPECT_EQ(server.counters()[Counter::kHandshakeCookieExpired], 1u);
  EXPECT_EQ(answers(), 0u);
  EXPECT_EQ(server.player_count(), 0u);
}

TEST_F(Stranger, ARepeatedResponseGetsTheSameAccept) {
  ConnectRequest const request;
  auto const response = handshake_of(response_of(server, kSecret, now_us, kHome, request));
  server.handle_datagram(now_us, kHome, response);
  EXPECT_EQ(answers(), 1u);
  auto const first = last;
  server.handle_datagram(now_us, kHome, response);
  EXPECT_EQ(answers(), 1u);
  EXPECT_EQ(last, first);
  EXPECT_EQ(server.player_count(), 1u);
}

TEST_F(Stranger, AReplayedResponseDoesNotEndTheSessionAfterIt) {
  auto const response_with = [this](std::uint64_t nonce) {
    ConnectRequest request;
    request.nonce = nonce;
    return handshake_of(response_of(server, kSecret, now_us, kHome, request));
  };
  auto const first = response_with(1);
  server.handle_datagram(now_us, kHome, first);
  EXPECT_EQ(answers(), 1u);
  now_us += 2 * kKeepAliveInterval;
  server.handle_datagram(now_us, kHome, response_with(2));  // the same host has connected anew
  EXPECT_EQ(answers(), 1u);
  ServerEvent event;
  while (server.poll_event(event)) {
  }
  server.handle_datagram(now_us, kHome, first);
  EXPECT_EQ(server.counters()[Counter::kHandshakeCookieReused], 1u);
  EXPECT_EQ(server.player_count(), 1u);
  EXPECT_FALSE(server.poll_event(event)) << "nobody left";
}

TEST_F(Stranger, StreamsAreLimitedAndHeldToTheHandshake) {
  std::vector<StreamId> streams;
  for (std::uint32_t i = 0; i < ServerOptions{}.pending_streams_max; ++i) {
    streams.push_back(
        server.handle_stream_open(now_us, Address::from_ipv4(10, 0, 0, static_cast<std::uint8_t>(i), 1)));
    EXPECT_FALSE(streams.back().is_null());
  }
  streams.push_back(server.handle_stream_open(now_us, kHome));
  EXPECT_FALSE(streams.back().is_null());
  EXPECT_EQ(server.counters()[Counter::kStreamsDisplaced], 1u);
  EXPECT_EQ(server.poll_closing_stream(), streams[0]) << "the oldest goes first";
  streams.erase(streams.begin());
  std::vector<std::byte> frame;
  MessageWriter writer;
  write_frame(MessageClass::kDatagram, writer.write(Ping{1}), frame);
  server.handle_stream_bytes(now_us, streams[0], frame);
  EXPECT_EQ(server.counters()[Counter::kMessageUnexpected], 1u);
  EXPECT_EQ(server.poll_closing_stream(), streams[0]);
  frame.clear();
  write_frame(MessageClass::kDatagram, std::vector<std::byte>(50, std::byte{7}), frame);
  server.handle_stream_bytes(now_us, streams[1], frame);
  EXPECT_EQ(server.counters()[Counter::kVerifierFailed], 1u);
  EXPECT_EQ(server.poll_closing_stream(), streams[1]);
  server.handle_stream_bytes(
      now_us, streams[2],
      std::vector<std::byte>{std::byte{0xff}, std::byte{0xff}, std::byte{0}, std::byte{0}});
  EXPECT_EQ(server.counters()[Counter::kFrameOversize], 1u);
  EXPECT_EQ(server.poll_closing_stream(), streams[2]);
  server.handle_stream_bytes(now_us, streams[3],
                             std::vector<std::byte>{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}});
  EXPECT_EQ(server.counters()[Counter::kFrameBadLayout], 1u);
  server.handle_stream_bytes(now_us, streams[4],
                             std::vector<std::byte>{std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0},
                                                    std::byte{9}, std::byte{0}});
  EXPECT_EQ(server.counters()[Counter::kFrameBadKind], 1u);
  server.handle_stream_closed(now_us, streams[0]);
  server.handle_stream_closed(now_us, streams[0]);  // twice: nobody any more
  server.handle_stream_bytes(now_us, streams[0], frame);
  now_us += ServerOptions{}.stream_handshake_us;
  EXPECT_EQ(answers(), 0u);
  EXPECT_EQ(server.counters()[Counter::kTimeouts], streams.size() - 5);
}

TEST(Counters, HaveDistinctNames) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kCounterCount; ++i) names.insert(name_of(static_cast<Counter>(i)));
  EXPECT_EQ(names.size(), kCounterCount);
  EXPECT_EQ(name_of(Counter::kDatagramsReceived), "datagrams_received");
  EXPECT_EQ(name_of(Counter::kDatagramShort), "datagram_short");
  EXPECT_EQ(name_of(Counter::kReliableOversize), "reliable_oversize");
  EXPECT_EQ(name_of(Counter::kInputRate), "input_rate");
  EXPECT_EQ(name_of(Counter::kJoinImageBad), "join_image_bad");
  EXPECT_EQ(name_of(Counter::kQueueOverflow), "queue_overflow");
}

TEST(Errors, HaveDistinctMessages) {
  std::set<std::string_view> texts;
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(Error::kUnknownPlayer); ++i)
    texts.insert(message(static_cast<Error>(i)));
  EXPECT_EQ(texts.size(), std::size_t{static_cast<std::uint8_t>(Error::kUnknownPlayer)} + 1);
}

TEST(Text, PrintableTextIsWhatAReaderAccepts) {
  EXPECT_EQ(printable_text("a\nb\x7f\xff"
                           "c"),
            "abc");
  EXPECT_EQ(printable_text("T\xc3\xbcr\nzu"), "T\xc3\xbcrzu");
  std::string const long_text = std::string(kReasonTextBytesMax - 1, 'x') + "\xc3\xbc";
  EXPECT_EQ(printable_text(long_text).size(), kReasonTextBytesMax - 1) << "half a character";
  EXPECT_EQ(printable_text(std::string(500, 'x')).size(), kReasonTextBytesMax);
}

}  // namespace
}  // namespace takt::protocol::test
