// Who is on the path of a session, or near it, and has no key: what is forged, changed, replayed, late,
// reflected, of another session, of an old key or after the goodbye is dropped and counted, in both
// directions, and harms no session. Also the bytes that the seal costs, the end of a stream, and the pin.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "protocol/link/frame.h"
#include "takt/core/random.h"
#include "tests/sanitizers.h"
#include "tests/unit/protocol/endpoint_pair.h"

namespace takt::protocol::test {
namespace {

// Counters of datagrams that were dropped unread.
std::uint64_t drops_of(const Counters& counters) {
  using enum Counter;
  std::uint64_t sum = 0;
  for (Counter const one :
       {kDatagramShort, kDatagramOversize, kDatagramBadMagic, kDatagramBadType, kDatagramBadLayout,
        kDatagramUnknownSession, kDatagramForged, kDatagramLate, kDuplicate})
    sum += counters[one];
  return sum;
}

ClientOptions options_with(crypto::CipherBits ciphers, std::uint64_t nonce = 1) {
  ClientOptions options;
  options.ciphers = ciphers;
  options.nonce = nonce;
  return options;
}

// The parameter: the ciphers that the client offers. The server has those of this CPU.
class SealedSession : public EndpointPair, public ::testing::WithParamInterface<crypto::CipherBits> {
 protected:
  SealedSession() : EndpointPair(ServerOptions{}, options_with(GetParam())) {}
  struct Kind {
    std::string name;
    Bytes sections;
    std::optional<AckBlock> acks;
    std::uint64_t messages = 1;
  };
  Bytes fragment_of(const Message& message) const {
    MessageWriter writer;
    Bytes out;
    write_section({SectionKind::kFragment, true, 40, writer.write(message)},
                  out);  // waits for those before it
    return out;
  }
  std::vector<Kind> kinds_of_client() const {
    return {{"ack", {}, AckBlock{1}, 0},
            {"keep-alive", section_of(KeepAlive{}), std::nullopt},
            {"ping", section_of(Ping{now_us}), AckBlock{1}},
            {"inputs", section_of(Inputs{{{1, 1, ReleaseCommand{}}}, {}}), std::nullopt},
            {"fragment", fragment_of(Inspect{kInspectContacts}), AckBlock{1}, 0},
            {"goodbye", section_of(Disconnect{}), std::nullopt}};
  }
  std::vector<Kind> kinds_of_server() const {
    return {{"ack", {}, AckBlock{1}, 0},
            {"keep-alive", section_of(KeepAlive{}), std::nullopt},
            {"stats", section_of(ServerStats{}), AckBlock{1}},
            {"input ack", section_of(InputAck{}), std::nullopt},
            {"fragment", fragment_of(GameEvent{}), AckBlock{1}, 0},
            {"goodbye", section_of(Disconnect{DisconnectReason::kKicked, {}}), std::nullopt}};
  }
  // Puts the connection id of this session into a datagram of another one.
  Bytes readdressed(Bytes datagram) const {
    store_little_endian(&datagram[1], tap.connection_id());
    return datagram;
  }
};

// Another pair of server and client, with keys of its own.
class OtherPair final : public EndpointPair {
 public:
  explicit OtherPair(crypto::CipherBits ciphers) : EndpointPair(ServerOptions{}, options_with(ciphers, 2)) {}
  void TestBody() override {}
  using EndpointPair::section_of;
  using EndpointPair::tap;
};

// Where this CPU has no further cipher, the second offer gives the first one's session again.
INSTANTIATE_TEST_SUITE_P(Offers, SealedSession,
                         ::testing::Values(crypto::CipherBits{0}, crypto::CipherBits{0xFF}));

// `handle`: gives a datagram to one end. `counters`: of that end. `other`: datagrams that must not open
// there.
template <class Handle, class Seal>
void expect_all_dropped(const Counters& counters, Handle&& handle, Seal&& seal,
                        const std::vector<Bytes>& others, const std::string& name, std::uint64_t messages,
                        bool delivers) {
  std::uint64_t const read_before = counters[Counter::kMessagesReceived];
  std::uint64_t dropped = drops_of(counters);
  auto const expect_drop = [&](std::span<const std::byte> datagram, const std::string& what) {
    handle(datagram);
    EXPECT_EQ(drops_of(counters), ++dropped) << name << ", " << what;
  };
  Bytes const genuine = seal();
  for (std::size_t bit = 0; bit < 8 * genuine.size(); ++bit) {
    Bytes bent = genuine;
    bent[bit / 8] ^= std::byte{1} << (bit % 8);
    expect_drop(bent, "bit " + std::to_string(bit));
  }
  for (std::size_t size = 0; size < genuine.size(); ++size)
    expect_drop(std::span(genuine).first(size), "cut to " + std::to_string(size));
  Bytes longer = genuine;
  longer.push_back(std::byte{0});
  expect_drop(longer, "a byte more");
  Bytes forged = genuine;
  std::fill(forged.begin() + 7, forged.end(), std::byte{0x5a});
  expect_drop(forged, "forged");
  for (const Bytes& other : others) expect_drop(other, "of another key");
  EXPECT_EQ(counters[Counter::kMessagesReceived], read_before) << name;
  if (!delivers) return;
  handle(genuine);
  EXPECT_EQ(drops_of(counters), dropped) << name << ", the genuine one";
  EXPECT_EQ(counters[Counter::kMessagesReceived], read_before + messages) << name;
  for (int i = 0; i < 3; ++i) expect_drop(genuine, "replayed");
  EXPECT_EQ(counters[Counter::kMessagesReceived], read_before + messages) << name;
}

TEST_P(SealedSession, DropsForgedChangedAndReplayedDatagrams) {
  OtherPair other(GetParam());
  for (const Kind& kind : kinds_of_client()) {
    std::vector<Bytes> const others{readdressed(other.tap.from_client(kind.sections, kind.acks)),
                                    tap.from_server(kind.sections, kind.acks)};
    expect_all_dropped(
        server.counters(), [&](auto bytes) { server.handle_datagram(now_us, kHome, bytes); },
        [&] { return tap.from_client(kind.sections, kind.acks); }, others, "to server, " + kind.name,
        kind.messages, kind.name != "goodbye");
  }
  for (const Kind& kind : kinds_of_server()) {
    std::vector<Bytes> const others{readdressed(other.tap.from_server(kind.sections, kind.acks)),
                                    tap.from_client(kind.sections, kind.acks)};
    expect_all_dropped(
        client.counters(), [&](auto bytes) { client.handle_datagram(now_us, bytes); },
        [&] { return tap.from_server(kind.sections, kind.acks); }, others, "to client, " + kind.name,
        kind.messages, kind.name != "goodbye");
  }
  // Unharmed: both still talk.
  std::uint64_t const at_server_before = at_server(Counter::kMessagesReceived);
  for (int i = 0; i < 1000; ++i) exchange();
  EXPECT_GT(at_server(Counter::kMessagesReceived), at_server_before);
  EXPECT_EQ(server.player_count(), 1u);
  EXPECT_EQ(client.state(), ClientState::kConnected);
}

TEST_P(SealedSession, DropsEveryHandshakeMessageAfterTheHandshake) {
  std::uint64_t const read_before = at_client(Counter::kMessagesReceived);
  for (const Message& message :
       {Message{Challenge{1, {}, {}, {}}}, Message{Refuse{1, RefuseReason::kServerFull, "forged"}},
        Message{Accept{}}, Message{SealedAccept{1, Bytes(40)}}})
    client.handle_datagram(now_us, handshake_of(message));
  EXPECT_EQ(at_client(Counter::kDatagramWrongState), 4u);
  EXPECT_EQ(at_client(Counter::kMessagesReceived), read_before);
  EXPECT_EQ(client.state(), ClientState::kConnected);
}

// Somebody on the path who sends from the address of the client and reads the challenge.
TEST_P(SealedSession, ASpoofedConnectEndsNoSessionThatLives) {
  ConnectRequest request;
  request.nonce = 666;
  for (int i = 0; i < 3000; ++i) {
    exchange();
    if (i % 10 == 0)
      server.handle_datagram(now_us, kHome,
                             handshake_of(response_of(server, kSecret, now_us, kHome, request)));
  }
  EXPECT_EQ(server.players(), std::vector<PlayerId>{1});
  EXPECT_EQ(client.state(), ClientState::kConnected);
}

TEST_P(SealedSession, AConnectAnewReplacesASilentSession) {
  ConnectRequest request;
  request.nonce = 2;
  auto const respond = [&] {
    server.handle_datagram(now_us, kHome, handshake_of(response_of(server, kSecret, now_us, kHome, request)));
  };
  std::uint64_t const silent_us = now_us + 2 * kKeepAliveInterval;
  respond();
  EXPECT_EQ(server.players(), std::vector<PlayerId>{1});
  now_us = silent_us;
  respond();
  EXPECT_EQ(server.players(), std::vector<PlayerId>{2});
  ServerEvent event;
  ASSERT_TRUE(server.poll_event(event));
  EXPECT_EQ(std::get<PlayerLeft>(event).reason, DisconnectReason::kReplaced);
}

TEST_P(SealedSession, DropsWhatComesAfterTheGoodbye) {
  client.disconnect(now_us);
  for (int i = 0; i < 500; ++i) exchange();
  ASSERT_EQ(server.player_count(), 0u);
  ServerEvent event;
  while (server.poll_event(event)) {
  }
  std::uint64_t const dropped = drops_of(server.counters());
  for (const Kind& kind : kinds_of_client()) send_as_client(kind.sections, kind.acks);
  EXPECT_EQ(drops_of(server.counters()), dropped + kinds_of_client().size());
  EXPECT_FALSE(server.poll_event(event));
}

// A flood of them would use up the budget of the session whose address and id everybody sees.
TEST_P(SealedSession, ForgeriesAreNotChargedToTheSession) {
  Bytes forged = tap.from_client(section_of(Ping{1}));
  forged.back() ^= std::byte{1};
  for (int i = 0; i < 20'000; ++i) server.handle_datagram(now_us, kHome, forged);
  EXPECT_EQ(at_server(Counter::kDatagramForged), 20'000u);
  EXPECT_EQ(at_server(Counter::kSessionBudget), 0u);
  EXPECT_EQ(server.player_count(), 1u);
}

// TAKT_MUTATIONS=10000000 for the long run.
TEST_P(SealedSession, NoMutationOfADatagramIsAccepted) {
  char const* const wanted = std::getenv("TAKT_MUTATIONS");
  std::uint64_t const count = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 300'000;
  Random random(7);
  std::vector<Bytes> genuine;
  for (const Kind& kind : kinds_of_client()) genuine.push_back(tap.from_client(kind.sections, kind.acks));
  for (const Kind& kind : kinds_of_client()) genuine.push_back(handshake_of(kind.sections));
  std::uint64_t const read_before = at_server(Counter::kMessagesReceived);
  std::uint64_t const received_before = server.stats_of(1)->datagrams_received;
  Bytes mutated;
  mutated.reserve(2 * kDatagramBytesMax);
  [[maybe_unused]] std::size_t heap_before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Bytes const& from = genuine[random.next_below(static_cast<std::uint32_t>(genuine.size()))];
    mutated = from;
    std::uint32_t const changes = 1 + random.next_below(6);
    for (std::uint32_t k = 0; k < changes; ++k) {
      switch (random.next_below(4)) {
        case 0: mutated.resize(random.next_below(1200)); break;
        case 1: mutated.push_back(static_cast<std::byte>(random.next_u32())); break;
        default:
          if (!mutated.empty())
            mutated[random.next_below(static_cast<std::uint32_t>(mutated.size()))] ^=
                static_cast<std::byte>(1 + random.next_below(255));
      }
    }
    if (std::ranges::find(genuine, mutated) != genuine.end()) continue;
    server.handle_datagram(now_us, kHome, mutated);
#if TAKT_TEST_HAS_SYSTEM_HEAP
    if (i == count / 10) heap_before = mallinfo2().uordblks;
#endif
  }
#if TAKT_TEST_HAS_SYSTEM_HEAP
  EXPECT_LE(mallinfo2().uordblks, heap_before + 4096) << "memory is flat";
#endif
  EXPECT_EQ(at_server(Counter::kMessagesReceived), read_before);
  EXPECT_EQ(server.stats_of(1)->datagrams_received, received_before);
  EXPECT_EQ(server.player_count(), 1u);
  OutgoingDatagram out;
  now_us += 1000;
  std::size_t answers = 0;
  while (server.poll_datagram(now_us, out)) ++answers;
  EXPECT_LE(answers, 1u) << "no answer to any of them";
}

// ---------------------------------------------------------------- ciphers

// A client and a server with the offers of the parameter; the tap reads the cipher in the Accept.
class CipherOfASession
    : public EndpointPair,
      public ::testing::WithParamInterface<std::pair<crypto::CipherBits, crypto::CipherBits>> {
 protected:
  CipherOfASession() : EndpointPair(server_options(), options_with(GetParam().second)) {}
  static ServerOptions server_options() {
    ServerOptions options;
    options.ciphers = GetParam().first;
    return options;
  }
};

// Both ends are this process, so none offers what its CPU has not.
std::vector<std::pair<crypto::CipherBits, crypto::CipherBits>> pairs_of_offers() {
  crypto::CipherBits const all = crypto::ciphers_of_cpu();
  return {{0, 0}, {0, all}, {all, 0}, {all, all}};
}

INSTANTIATE_TEST_SUITE_P(Offers, CipherOfASession, ::testing::ValuesIn(pairs_of_offers()));

TEST_P(CipherOfASession, IsTheFastestThatBothHave) {
  ASSERT_TRUE(tap.is_ready());
  EXPECT_EQ(tap.cipher(), crypto::choose_cipher(GetParam().first, GetParam().second));
  std::uint64_t const read_before = at_server(Counter::kMessagesReceived);
  send_as_client(section_of(Ping{now_us}));
  EXPECT_EQ(at_server(Counter::kMessagesReceived), read_before + 1);
  for (int i = 0; i < 2000; ++i) exchange();
  EXPECT_EQ(drops_of(server.counters()), 0u);
  EXPECT_EQ(drops_of(client.counters()), 0u);
}

// Who takes the offer out of the request, in both datagrams alike, makes no session: the keys depend on it.
TEST(CipherOffer, CannotBeChangedOnThePath) {
  for (bool const is_changed : {false, true}) {
    ServerEndpoint server(ServerOptions{}, kSecret, test_seeds());
    ClientEndpoint client(seeded(options_with(crypto::kAes256GcmBit)));
    MessageReader reader;
    // A datagram of the client without its offer.
    auto const changed = [&](const Bytes& datagram) {
      auto message = reader.read(*read_handshake(datagram), MessageClass::kDatagram);
      auto* const response = std::get_if<ChallengeResponse>(&*message);
      ConnectRequest& request = response != nullptr ? response->request : std::get<ConnectRequest>(*message);
      EXPECT_EQ(request.ciphers, crypto::kAes256GcmBit);
      request.ciphers = 0;
      return handshake_of(*message);
    };
    std::uint64_t now_us = 1'000'000;
    client.connect(now_us);
    for (int i = 0; i < 2000; ++i, now_us += 1000) {
      Bytes out;
      while (client.poll_datagram(now_us, out))
        server.handle_datagram(now_us, kHome, is_changed && read_handshake(out) ? changed(out) : out);
      OutgoingDatagram answer;
      while (server.poll_datagram(now_us, answer)) client.handle_datagram(now_us, answer.bytes);
    }
    EXPECT_EQ(server.player_count(), is_changed ? 0u : 1u);
    EXPECT_EQ(client.state() == ClientState::kConnected, !is_changed);
    EXPECT_EQ(server.counters()[Counter::kHandshakeProofBad] > 0, is_changed);
  }
}

// ---------------------------------------------------------------- links

// A client's link and a server's, with a wire that a test holds.
struct LinkPair {
  explicit LinkPair(const DatagramLinkOptions& options = {})
      : keys(test_keys()),
        client(options, LinkKeys::of_client(keys), 0, at_client),
        server(options, LinkKeys::of_server(keys), 0, at_server) {}
  std::vector<Bytes> poll(DatagramLink& link) {
    std::vector<Bytes> out;
    Bytes datagram;
    while (link.poll_datagram(now_us, datagram)) out.push_back(datagram);
    return out;
  }
  Counters at_client;
  Counters at_server;
  crypto::SessionKeys keys;
  DatagramLink client;
  DatagramLink server;
  std::uint64_t now_us = 1'000'000;
};

TEST(SealedLink, DropsADatagramOfAnOldKey) {
  DatagramLinkOptions options;
  options.key_phase.datagrams = 20;
  LinkPair pair(options);
  MessageWriter writer;
  std::vector<Bytes> held;  // lost on their way, and kept by somebody
  for (int step = 0; step < 1000; ++step) {
    pair.now_us += 5000;
    pair.client.send_unreliable(writer.write(Ping{1}), 0);
    pair.server.send_unreliable(writer.write(Pong{1, 1, 1}), 0);
    for (Bytes& datagram : pair.poll(pair.client)) {
      if (step % 10 == 3) {
        held.push_back(std::move(datagram));
      } else {
        EXPECT_TRUE(pair.server.handle_datagram(pair.now_us, datagram));
      }
    }
    for (const Bytes& datagram : pair.poll(pair.server))
      EXPECT_TRUE(pair.client.handle_datagram(pair.now_us, datagram));
  }
  EXPECT_EQ(pair.at_server[Counter::kDatagramForged], 0u);
  ASSERT_GE(held.size(), 90u);
  held.resize(80);  // sent before the key of now and the one before
  for (const Bytes& datagram : held) EXPECT_FALSE(pair.server.handle_datagram(pair.now_us, datagram));
  // The bit of the phase is that of the present key for half of them.
  EXPECT_EQ(pair.at_server[Counter::kDatagramLate] + pair.at_server[Counter::kDatagramForged], 80u);
  EXPECT_GT(pair.at_server[Counter::kDatagramLate], 20u);
}

// 27 bytes around the sections without loss, and never more than 34 while the peer acknowledges.
TEST(SealedLink, CostsAtMost34Bytes) {
  for (bool const is_lossy : {false, true}) {
    LinkPair pair;
    MessageWriter writer;
    Random random(3);
    std::size_t longest = 0;
    std::size_t shortest = 1200;
    for (int step = 0; step < 5000; ++step) {
      pair.now_us += 4000;
      Bytes const message(100 + random.next_below(900), std::byte{1});
      pair.client.send_unreliable(message, 0);
      pair.server.send_unreliable(writer.write(Pong{1, 1, 1}), 0);
      for (const Bytes& datagram : pair.poll(pair.client)) {
        if (step > 100) {
          longest = std::max(longest, datagram.size() - message.size() - kMessageSectionBytes);
          shortest = std::min(shortest, datagram.size() - message.size() - kMessageSectionBytes);
        }
        if (!is_lossy || random.next_below(10) < 7) (void)pair.server.handle_datagram(pair.now_us, datagram);
      }
      for (const Bytes& datagram : pair.poll(pair.server))
        if (!is_lossy || random.next_below(10) < 7) (void)pair.client.handle_datagram(pair.now_us, datagram);
    }
    if (is_lossy) {
      EXPECT_EQ(longest, 34u);
    } else {
      EXPECT_EQ(longest, 27u);
    }
    if (!is_lossy) {
      EXPECT_EQ(shortest, 27u);
    }
  }
}

// ---------------------------------------------------------------- streams

class SealedStream : public testing::Test {
 protected:
  SealedStream() : server(ServerOptions{}, kSecret, test_seeds()) { connect({}); }
  void connect(ClientOptions options) {
    options.transport = TransportKind::kStream;
    options.nonce = ++attempts;
    client = std::make_unique<ClientEndpoint>(seeded(options));
    client->connect(now_us);
    Address const from = Address::from_ipv4(10, 0, static_cast<std::uint8_t>(attempts >> 8),
                                            static_cast<std::uint8_t>(attempts), 1);
    stream = server.handle_stream_open(now_us, from);
    for (int i = 0; i < 4; ++i) exchange();
  }
  Bytes poll_client() {
    Bytes bytes;
    (void)client->poll_stream(now_us, 1 << 20, bytes);
    return bytes;
  }
  Bytes poll_server() {
    Bytes bytes;
    (void)server.poll_stream(now_us, stream, 1 << 20, bytes);
    return bytes;
  }
  void exchange() {
    now_us += 1000;
    server.handle_stream_bytes(now_us, stream, poll_client());
    client->handle_stream_bytes(now_us, poll_server());
  }
  // A frame of the client that waits for the socket.
  Bytes next_of_client() {
    now_us += kSecond;  // a ping is due
    return poll_client();
  }
  std::uint64_t at_server(Counter counter) const { return server.counters()[counter]; }
  std::uint64_t now_us = 1'000'000;
  std::uint64_t attempts = 0;
  ServerEndpoint server;
  std::unique_ptr<ClientEndpoint> client;
  StreamId stream;
};

TEST_F(SealedStream, CarriesASession) {
  ASSERT_EQ(client->state(), ClientState::kConnected);
  ASSERT_TRUE(client->send_input(now_us, 1, ReleaseCommand{}).ok());
  Bytes const sent = poll_client();
  server.handle_stream_bytes(now_us, stream, sent);
  ServerEvent event;
  bool has_arrived = false;
  while (server.poll_event(event)) has_arrived = has_arrived || std::holds_alternative<InputsArrived>(event);
  EXPECT_TRUE(has_arrived);
  EXPECT_EQ(client->counters()[Counter::kFrameForged], 0u);
}

TEST_F(SealedStream, EndsAtAnyChangedByte) {
  std::size_t const bytes = next_of_client().size();
  ASSERT_GT(bytes, 20u);
  for (std::size_t i = 0; i < bytes; ++i) {
    connect({});
    ASSERT_EQ(client->state(), ClientState::kConnected);
    std::uint64_t const read_before = at_server(Counter::kMessagesReceived);
    Bytes bent = next_of_client();
    bent[i] ^= std::byte{1};
    bent.resize(bent.size() + 300);  // what a longer length waits for
    server.handle_stream_bytes(now_us, stream, bent);
    EXPECT_EQ(server.poll_closing_stream(), stream) << "byte " << i;
    EXPECT_EQ(at_server(Counter::kMessagesReceived), read_before);
    server.handle_stream_closed(now_us, stream);
    EXPECT_EQ(server.player_count(), 1u) << "the first session is unharmed";
    now_us += kSecond;
  }
  EXPECT_GE(at_server(Counter::kFrameForged), bytes - kFramePrefixBytes);
}

TEST_F(SealedStream, EndsAtAReplayedALostAndAReflectedFrame) {
  Bytes const first = next_of_client();
  Bytes const second = next_of_client();
  server.handle_stream_bytes(now_us, stream, first);
  EXPECT_EQ(at_server(Counter::kFrameForged), 0u);
  server.handle_stream_bytes(now_us, stream, first);
  EXPECT_EQ(at_server(Counter::kFrameForged), 1u) << "replayed";
  connect({});
  (void)next_of_client();
  server.handle_stream_bytes(now_us, stream, next_of_client());
  EXPECT_EQ(at_server(Counter::kFrameForged), 2u) << "the one before was left out";
  connect({});
  server.handle_stream_bytes(now_us, stream, next_of_client());
  Bytes const answer = poll_server();
  ASSERT_FALSE(answer.empty());
  server.handle_stream_bytes(now_us, stream, answer);
  EXPECT_EQ(at_server(Counter::kFrameForged), 3u) << "reflected";
  connect({});
  Bytes bent = poll_server();
  while (bent.empty()) {
    now_us += kSecond;
    OutgoingDatagram none;
    (void)server.poll_datagram(now_us, none);
    bent = poll_server();
  }
  bent.back() ^= std::byte{1};
  client->handle_stream_bytes(now_us, bent);
  EXPECT_EQ(client->counters()[Counter::kFrameForged], 1u) << "to the client";
  EXPECT_NE(client->state(), ClientState::kConnected);
}

TEST_F(SealedStream, ShowsThatItWasCut) {
  client->handle_stream_closed(now_us);
  server.handle_stream_closed(now_us, stream);
  EXPECT_EQ(client->counters()[Counter::kStreamTruncated], 1u);
  EXPECT_EQ(at_server(Counter::kStreamTruncated), 1u);
  connect({});
  client->disconnect(now_us);
  for (int i = 0; i < 3; ++i) exchange();
  server.handle_stream_closed(now_us, stream);
  client->handle_stream_closed(now_us);
  EXPECT_EQ(client->counters()[Counter::kStreamTruncated], 0u) << "a goodbye went before";
  EXPECT_EQ(at_server(Counter::kStreamTruncated), 1u);
}

// A man in the middle who takes the place of the server at the connect.
TEST_F(SealedStream, DoesNotBeginWithAnotherServerThanThePinned) {
  ClientOptions options;
  options.server_key = server.public_keys().lasting;
  connect(options);
  EXPECT_EQ(client->state(), ClientState::kConnected);
  options.server_key->bytes[0] ^= std::byte{1};
  connect(options);
  ASSERT_EQ(client->state(), ClientState::kDisconnected);
  EXPECT_EQ(client->counters()[Counter::kHandshakeKeyBad], 1u);
  ClientEvent event;
  ASSERT_TRUE(client->poll_event(event));
  EXPECT_NE(std::get<Disconnected>(event).text.find("another key"), std::string::npos);
}

// An Accept in clear is what a man in the middle would send.
TEST_F(SealedStream, TakesNoAcceptInClear) {
  ClientOptions options;
  options.transport = TransportKind::kStream;
  ClientEndpoint fresh(seeded(options));
  fresh.connect(now_us);
  MessageWriter writer;
  Bytes frame;
  write_frame(MessageClass::kReliable, writer.write(Accept{1, 0, 1, 60, 4, 0, 0, {}, {}, {}}), frame);
  fresh.handle_stream_bytes(now_us, frame);
  EXPECT_EQ(fresh.state(), ClientState::kDisconnected);
}

}  // namespace
}  // namespace takt::protocol::test
