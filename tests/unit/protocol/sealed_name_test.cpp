// The name of a player without a token is sealed in the proof of its response: nobody on the path of UDP or
// TCP reads it or its length, nobody changes it, and it has one form. Web sockets carry it in the request.
#include "protocol/session/sealed_name.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "crypto/handshake_seal.h"
#include "takt/core/random.h"
#include "tests/unit/protocol/strangers.h"

namespace takt::protocol::test {
namespace {

constexpr TransportKind kSealedTransports[] = {TransportKind::kDatagram, TransportKind::kStream};

// A client and a server over one transport, with a tap on all that they send.
class Talk {
 public:
  explicit Talk(ClientOptions options, const ServerOptions& server_options = {})
      : server(server_options, kSecret, test_seeds()),
        client(seeded(options)),
        transport_(options.transport) {
    client.connect(now_us);
    if (transport_ != TransportKind::kDatagram)
      stream_ = server.handle_stream_open(now_us, kHome, {transport_, true});
  }
  void run(int ms) {
    for (int i = 0; i < ms; ++i) exchange();
  }
  // True when a piece of 4 bytes of the text was sent by either end.
  [[nodiscard]] bool shows(std::string_view text) const {
    auto const holds = [&](const Bytes& sent, std::string_view piece) {
      auto const bytes = std::as_bytes(std::span(piece));
      return std::search(sent.begin(), sent.end(), bytes.begin(), bytes.end()) != sent.end();
    };
    for (std::size_t at = 0; at + 4 <= text.size(); ++at)
      for (const auto* direction : {&to_server, &to_client})
        for (const Bytes& sent : *direction)
          if (holds(sent, text.substr(at, 4))) return true;
    return false;
  }

  std::uint64_t now_us = 1'000'000;
  ServerEndpoint server;
  ClientEndpoint client;
  std::vector<Bytes> to_server;
  std::vector<Bytes> to_client;
  std::optional<PlayerJoined> joined;
  Disconnected ending;
  bool is_answered = true;  // false: what the server sends is lost

 private:
  void exchange() {
    now_us += 1000;
    Bytes bytes;
    if (transport_ == TransportKind::kDatagram) {
      while (client.poll_datagram(now_us, bytes)) {
        to_server.push_back(bytes);
        server.handle_datagram(now_us, kHome, bytes);
      }
      OutgoingDatagram out;
      while (server.poll_datagram(now_us, out)) {
        to_client.push_back(out.bytes);
        if (is_answered) client.handle_datagram(now_us, out.bytes);
      }
    } else {
      if (client.poll_stream(now_us, 65536, bytes) > 0) {
        to_server.push_back(bytes);
        server.handle_stream_bytes(now_us, stream_, bytes);
      }
      bytes.clear();
      if (server.poll_stream(now_us, stream_, 65536, bytes) > 0) {
        to_client.push_back(bytes);
        if (is_answered) client.handle_stream_bytes(now_us, bytes);
      }
    }
    ServerEvent event;
    while (server.poll_event(event))
      if (auto const* one = std::get_if<PlayerJoined>(&event)) joined = *one;
    ClientEvent client_event;
    while (client.poll_event(client_event))
      if (auto const* over = std::get_if<Disconnected>(&client_event)) ending = *over;
  }

  TransportKind transport_;
  StreamId stream_;
};

ClientOptions named(TransportKind transport, std::string name) {
  ClientOptions options;
  options.transport = transport;
  options.player_name = std::move(name);
  return options;
}

// ---------------------------------------------------------------- on the path

TEST(PlayerName, IsSeenByNobodyOnThePathOfUdpOrTcp) {
  std::string const name = "Wilhelmine von K\xc3\xb6nigsmark";
  for (TransportKind const transport :
       {TransportKind::kDatagram, TransportKind::kStream, TransportKind::kWebSocket}) {
    SCOPED_TRACE(name_of(transport));
    Talk talk(named(transport, name));
    talk.run(2000);
    ASSERT_TRUE(talk.joined);
    EXPECT_EQ(talk.joined->name, name);
    EXPECT_EQ(talk.client.state(), ClientState::kConnected);
    talk.client.disconnect(talk.now_us);
    talk.run(300);
    EXPECT_EQ(talk.server.player_count(), 0u);
    // Over a web socket the tap finds it: TLS is around that.
    EXPECT_EQ(talk.shows(name), transport == TransportKind::kWebSocket);
  }
}

// A client that gets no Accept sends another proof in each attempt, and never the name.
TEST(PlayerName, IsSeenByNobodyWhenTheConnectBeginsAnew) {
  std::string const name = "Wilhelmine von K\xc3\xb6nigsmark";
  Talk talk(named(TransportKind::kDatagram, name));
  std::vector<Bytes> proofs;
  for (int ms = 0; ms < 4500; ++ms) {
    talk.run(1);
    talk.is_answered = talk.client.state() == ClientState::kRequesting;
  }
  MessageReader reader;
  for (const Bytes& sent : talk.to_server) {
    auto const message = reader.read(*read_handshake(sent), MessageClass::kDatagram);
    ASSERT_TRUE(message.ok());
    auto const* response = std::get_if<ChallengeResponse>(&*message);
    if (response != nullptr && std::ranges::find(proofs, response->proof) == proofs.end())
      proofs.push_back(response->proof);
  }
  EXPECT_EQ(proofs.size(), 2u) << "one of each attempt, which is repeated";
  EXPECT_FALSE(talk.shows(name));
}

// A pair of keys that was made once would seal the texts of all attempts.
TEST(PlayerName, IsSealedUnderANewKeyPairInEachAttempt) {
  ClientOptions patient = named(TransportKind::kDatagram, "Ada");
  patient.connect_timeout_us = 20 * kSecond;
  Talk talk(patient);
  for (int ms = 0; ms < 19'000; ++ms) {
    talk.run(1);
    talk.is_answered = talk.client.state() == ClientState::kRequesting;
  }
  MessageReader reader;
  std::vector<std::uint64_t> nonces;
  std::vector<PublicKeyBytes> keys;
  std::size_t responses = 0;
  for (const Bytes& sent : talk.to_server) {
    auto const message = reader.read(*read_handshake(sent), MessageClass::kDatagram);
    ASSERT_TRUE(message.ok());
    auto const* response = std::get_if<ChallengeResponse>(&*message);
    if (response == nullptr) continue;
    ++responses;
    bool const is_repeat = !nonces.empty() && nonces.back() == response->request.nonce;
    if (is_repeat) {
      EXPECT_EQ(keys.back(), response->key) << "the keys of an attempt are those of its first response";
      continue;
    }
    EXPECT_EQ(std::ranges::find(nonces, response->request.nonce), nonces.end());
    EXPECT_EQ(std::ranges::find(keys, response->key), keys.end()) << "attempt " << keys.size();
    nonces.push_back(response->request.nonce);
    keys.push_back(response->key);
  }
  EXPECT_GE(keys.size(), 5u) << "an attempt lasts 3 s, and a lost request 250 ms";
  EXPECT_GE(responses, 5u * 10);
}

TEST(PlayerName, TellsNotItsLength) {
  MessageWriter writer;
  MessageReader reader;
  for (TransportKind const transport : kSealedTransports) {
    SCOPED_TRACE(name_of(transport));
    std::vector<std::size_t> first;
    for (std::size_t length = 0; length <= kPlayerNameBytesMax; ++length) {
      Talk talk(named(transport, std::string(length, 'x')));
      talk.run(20);
      ASSERT_TRUE(talk.joined);
      ASSERT_EQ(talk.joined->name, std::string(length, 'x'));
      std::vector<std::size_t> sizes;
      for (const auto* direction : {&talk.to_server, &talk.to_client}) {
        for (const Bytes& sent : *direction) {
          sizes.push_back(sent.size());
          // Behind a message over UDP are zeros, so its own size shows.
          if (auto const body = read_handshake(sent))
            if (auto const message = reader.read(*body, MessageClass::kDatagram))
              sizes.push_back(writer.write(*message).size());
        }
      }
      if (first.empty()) first = sizes;
      EXPECT_EQ(sizes, first) << length;
    }
  }
}

// ---------------------------------------------------------------- the text

const Bytes kContext{std::byte{3}, std::byte{0}, std::byte{7}};

Bytes sealed_text(const Bytes& text) {
  Bytes proof;
  crypto::seal_proof(seed_of(9), kContext, text, proof);
  return proof;
}
Bytes text_with(std::size_t length, std::string_view name, std::size_t bytes = 1 + kPlayerNameBytesMax) {
  Bytes text(bytes);
  text[0] = static_cast<std::byte>(length);
  std::ranges::copy(std::as_bytes(std::span(name)), text.begin() + 1);
  return text;
}

TEST(SealedName, OpensWithItsKeyAndContextAlone) {
  for (std::string const& name : {std::string(), std::string("Ada"), std::string(32, 'x')}) {
    Bytes const proof = prove_with_name(seed_of(9), kContext, name);
    ASSERT_EQ(proof.size(), kNamedProofBytes);
    auto const opened = open_name(seed_of(9), kContext, proof);
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ(*opened, name);
    EXPECT_EQ(open_name(seed_of(8), kContext, proof).error(), crypto::Error::kForged);
    EXPECT_EQ(open_name(seed_of(9), {}, proof).error(), crypto::Error::kForged);
    for (std::size_t bit = 0; bit < 8 * proof.size(); ++bit) {
      Bytes bent = proof;
      bent[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
      EXPECT_EQ(open_name(seed_of(9), kContext, bent).error(), crypto::Error::kForged) << bit;
    }
    EXPECT_FALSE(is_proved(seed_of(9), kContext, proof)) << "a name is no proof of a client with a token";
  }
}

// A proof of another size is none, though its tag is right.
TEST(SealedName, HasOneSize) {
  for (std::size_t bytes = 0; bytes <= 70; ++bytes)
    EXPECT_EQ(open_name(seed_of(9), kContext, sealed_text(Bytes(bytes))).ok(),
              bytes == 1 + kPlayerNameBytesMax)
        << bytes;
  Bytes const proof = prove(seed_of(9), kContext);
  EXPECT_EQ(proof.size(), kProofBytes);
  EXPECT_TRUE(is_proved(seed_of(9), kContext, proof));
  EXPECT_FALSE(is_proved(seed_of(8), kContext, proof));
  EXPECT_FALSE(is_proved(seed_of(9), {}, proof));
  EXPECT_EQ(open_name(seed_of(9), kContext, proof).error(), crypto::Error::kForged);
  for (std::size_t bit = 0; bit < 8 * proof.size(); ++bit) {
    Bytes bent = proof;
    bent[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_FALSE(is_proved(seed_of(9), kContext, bent)) << bit;
  }
}

TEST(SealedName, HasOneForm) {
  auto const error_of = [](const Bytes& text) {
    auto const name = open_name(seed_of(9), kContext, sealed_text(text));
    return name ? std::nullopt : std::optional(name.error());
  };
  EXPECT_EQ(error_of(text_with(3, "Ada")), std::nullopt);
  for (const Bytes& text : {text_with(33, "Ada"), text_with(255, "Ada"), text_with(2, "Ada"),
                            text_with(4, "Ada"), text_with(1, "\n"), text_with(1, "\xff"),
                            text_with(1, "\xc3"), text_with(0, std::string(31, '\0') + "x")})
    EXPECT_EQ(error_of(text), crypto::Error::kOutOfRange);
  // Whatever a client seals: the name that opens makes the same proof again, and every text may go into it.
  Random random(5);
  std::size_t opened = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes text(1 + kPlayerNameBytesMax);
    std::size_t const length = random.next_below(36);
    text[0] = static_cast<std::byte>(length);
    std::uint32_t const range = i % 2 == 0 ? 256 : 128;
    for (std::size_t at = 1; at < text.size() && at <= length; ++at)
      text[at] = static_cast<std::byte>(random.next_below(range));
    if (random.next_below(4) == 0) text[random.next_below(33)] ^= static_cast<std::byte>(random.next_u32());
    Bytes const proof = sealed_text(text);
    auto const name = open_name(seed_of(9), kContext, proof);
    if (!name) {
      EXPECT_EQ(name.error(), crypto::Error::kOutOfRange);
      continue;
    }
    ++opened;
    EXPECT_TRUE(is_printable(*name));
    EXPECT_EQ(prove_with_name(seed_of(9), kContext, *name), proof);
  }
  EXPECT_GT(opened, 1000u);
}

// ---------------------------------------------------------------- the server

class NamedStranger : public Strangers {
 protected:
  NamedStranger() : Strangers(options_with_joins()) {}
  static ServerOptions options_with_joins() {
    ServerOptions options;
    options.address.joins_per_s = 1000;
    options.address.join_burst = 1000;
    return options;
  }
  // The response of a stranger to a request with this nonce, whose proof has this name.
  ChallengeResponse response(const Address& from, std::uint64_t nonce, const std::string& name,
                             TransportKind transport = TransportKind::kDatagram) {
    ConnectRequest request;
    request.nonce = nonce;
    request.player_name = name;
    return response_of(server, kSecret, now_us, from, request, nullptr, transport);
  }
  void send(const Address& from, const ChallengeResponse& one) {
    server.handle_datagram(now_us, from, handshake_of(Message{one}));
  }
  // All that a server says over a stream to these messages, and closes it if it has no more.
  std::vector<Message> say(const Address& from, TransportKind transport, const std::vector<Message>& messages,
                           bool& is_closed) {
    StreamId const id = server.handle_stream_open(now_us, from, {transport, true});
    EXPECT_FALSE(id.is_null());
    MessageWriter writer;
    Bytes frames;
    for (const Message& message : messages)
      write_frame(MessageClass::kReliable, writer.write(message), frames);
    server.handle_stream_bytes(now_us, id, frames);
    Bytes bytes;
    (void)server.poll_stream(now_us, id, 65536, bytes);
    is_closed = server.poll_closing_stream(transport) == id;
    if (is_closed) server.handle_stream_closed(now_us, id);
    std::vector<Message> out;
    for (std::span<const std::byte> rest = bytes; rest.size() > kFramePrefixBytes;) {
      std::size_t const length = load_little_endian<std::uint32_t>(rest.data());
      out.push_back(
          *MessageReader().read(rest.subspan(kFramePrefixBytes + 1, length - 1), MessageClass::kReliable));
      rest = rest.subspan(kFramePrefixBytes + length);
    }
    return out;
  }
  std::optional<Refuse> refusal(const Address& from, TransportKind transport,
                                const std::vector<Message>& messages) {
    now_us += 100'000;
    std::vector<Message> answers;
    if (transport == TransportKind::kDatagram) {
      for (const Message& message : messages) server.handle_datagram(now_us, from, handshake_of(message));
      OutgoingDatagram out;
      while (server.poll_datagram(now_us, out))
        answers.push_back(*MessageReader().read(*read_handshake(out.bytes), MessageClass::kDatagram));
    } else {
      bool is_closed = false;
      answers = say(from, transport, messages, is_closed);
      EXPECT_EQ(is_closed, !answers.empty() && std::holds_alternative<Refuse>(answers.back()));
    }
    for (const Message& answer : answers)
      if (auto const* refuse = std::get_if<Refuse>(&answer)) return *refuse;
    return std::nullopt;
  }
  std::vector<std::string> joined_names() {
    std::vector<std::string> names;
    ServerEvent event;
    while (server.poll_event(event))
      if (auto const* one = std::get_if<PlayerJoined>(&event)) names.push_back(one->name);
    return names;
  }
  [[nodiscard]] std::uint64_t count(Counter counter) const { return server.counters()[counter]; }
};

TEST_F(NamedStranger, WithAForgedProofIsNotAnsweredOverUdp) {
  ChallengeResponse const genuine = response(kHome, 1, "Ada");
  ChallengeResponse const other = response(kHome, 2, "Ada");
  ASSERT_NE(genuine.proof, other.proof);
  std::uint64_t forged = 0;
  auto const expect_bad = [&](const Bytes& proof, const std::string& what) {
    now_us += 20'000;  // an agreement of the network
    ChallengeResponse bent = genuine;
    bent.proof = proof;
    send(kHome, bent);
    EXPECT_EQ(count(Counter::kHandshakeProofBad), ++forged) << what;
  };
  for (std::size_t bit = 0; bit < 8 * kNamedProofBytes; ++bit) {
    Bytes proof = genuine.proof;
    proof[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    expect_bad(proof, "bit " + std::to_string(bit));
  }
  expect_bad(other.proof, "of another request");
  expect_bad(Bytes(kNamedProofBytes), "zeros");
  EXPECT_EQ(drain(), 0u) << "no answer to any of them";
  EXPECT_EQ(server.player_count(), 0u);
  // A proof of another length is no message.
  std::uint64_t const bad_fields = count(Counter::kMessageBadField);
  std::uint64_t lengths = 0;
  for (std::size_t size = 0; size < kNamedProofBytes; ++size) {
    ChallengeResponse cut = genuine;
    cut.proof.resize(size);
    send(kHome, cut);
    EXPECT_EQ(count(Counter::kMessageBadField), bad_fields + ++lengths) << size;
  }
  EXPECT_EQ(count(Counter::kHandshakeProofBad), forged) << "and costs no agreement";
  EXPECT_EQ(drain(), 0u);
  send(kHome, genuine);
  EXPECT_EQ(joined_names(), std::vector<std::string>{"Ada"});
  EXPECT_EQ(drain(), 1u);
}

TEST_F(NamedStranger, WithAReplayedProofGetsNoSecondSession) {
  ChallengeResponse const genuine = response(kHome, 1, "Ada");
  send(kHome, genuine);
  EXPECT_EQ(drain(), 1u);
  for (int i = 0; i < 3; ++i) send(kHome, genuine);
  EXPECT_EQ(drain(), 3u) << "the same Accept again";
  EXPECT_EQ(server.players(), std::vector<PlayerId>{1});
  EXPECT_EQ(joined_names(), std::vector<std::string>{"Ada"});
  server.disconnect(now_us, 1, DisconnectReason::kKicked);
  for (int i = 0; i < 300; ++i) {
    now_us += 1000;
    (void)drain();
  }
  ASSERT_TRUE(server.players().empty());
  std::uint64_t const reused = count(Counter::kHandshakeCookieReused);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    send(kHome, genuine);
    EXPECT_EQ(count(Counter::kHandshakeCookieReused), reused + i);
  }
  EXPECT_EQ(drain(), 0u);
  // From another address the cookie is another one's.
  std::uint64_t const bad = count(Counter::kHandshakeCookieBad);
  send(Address::from_ipv4(192, 0, 2, 9, 1), genuine);
  EXPECT_EQ(count(Counter::kHandshakeCookieBad), bad + 1);
  EXPECT_TRUE(joined_names().empty());
}

TEST_F(NamedStranger, WithAForgedProofLosesItsStream) {
  std::uint64_t forged = 0;
  for (std::size_t at = 0; at <= kNamedProofBytes; ++at) {
    now_us += 100'000;
    Address const from{kHome.ip, static_cast<std::uint16_t>(1000 + at)};
    ChallengeResponse bent = response(from, 1, "Ada", TransportKind::kStream);
    bool const is_genuine = at == kNamedProofBytes;
    if (!is_genuine) bent.proof[at] ^= static_cast<std::byte>(1u << (at % 8));
    bool is_closed = false;
    auto const answers = say(from, TransportKind::kStream, {bent.request, bent}, is_closed);
    EXPECT_EQ(is_closed, !is_genuine) << at;
    EXPECT_EQ(count(Counter::kHandshakeProofBad), is_genuine ? forged : ++forged) << at;
    EXPECT_EQ(answers.size(), is_genuine ? 2u : 1u) << "no Accept follows the Challenge at byte " << at;
  }
  EXPECT_EQ(joined_names(), std::vector<std::string>{"Ada"});
  // A response of another stream is one of another address.
  now_us += 100'000;
  ChallengeResponse const replayed = response(Address{kHome.ip, 2000}, 7, "Ada", TransportKind::kStream);
  bool is_closed = false;
  (void)say(Address{kHome.ip, 2001}, TransportKind::kStream, {replayed.request, replayed}, is_closed);
  EXPECT_TRUE(is_closed);
  EXPECT_EQ(count(Counter::kHandshakeCookieBad), 1u);
  EXPECT_TRUE(joined_names().empty());
}

// Whoever holds the keys may seal what he likes: he hears why he is refused.
TEST_F(NamedStranger, WhoSealsNoNameIsRefused) {
  std::uint16_t port = 1;
  for (TransportKind const transport : kSealedTransports) {
    for (const Bytes& text : {text_with(33, "Ada"), text_with(2, "Ada"), text_with(3, "A\nb")}) {
      Address const from{kHome.ip, ++port};
      ConnectRequest request;
      request.nonce = port;
      ChallengeResponse const one =
          response_with_text(server, kSecret, now_us, from, request, text, transport);
      std::vector<Message> messages{one};
      if (transport == TransportKind::kStream) messages.insert(messages.begin(), one.request);
      auto const refused = refusal(from, transport, messages);
      ASSERT_TRUE(refused);
      EXPECT_EQ(refused->reason, RefuseReason::kBadRequest);
      EXPECT_EQ(refused->nonce, one.request.nonce);
      EXPECT_EQ(refused->text, "the sealed name is no printable text of at most 32 bytes");
    }
  }
  EXPECT_EQ(server.refusals()[static_cast<std::size_t>(RefuseReason::kBadRequest)], 6u);
  EXPECT_EQ(count(Counter::kHandshakeProofBad), 0u);
  EXPECT_TRUE(joined_names().empty());
}

// A client that sends the name in clear is wrong, and is told so before anything is computed for it.
TEST_F(NamedStranger, WhoSendsItsNameInTheRequestIsRefusedOverUdpAndTcp) {
  ConnectRequest request;
  request.nonce = 5;
  request.player_name = "Ada";
  for (TransportKind const transport : kSealedTransports) {
    auto const refused = refusal(kHome, transport, {request});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->reason, RefuseReason::kBadRequest);
    EXPECT_NE(refused->text.find("into the proof"), std::string::npos) << refused->text;
  }
  EXPECT_FALSE(refusal(kHome, TransportKind::kWebSocket, {request}));
  EXPECT_EQ(joined_names(), std::vector<std::string>{"Ada"});
}

// Version 3 had the name in the request. Its clients must read why they are refused.
TEST_F(NamedStranger, OfVersion3IsRefusedByVersion) {
  ConnectRequest request;
  request.nonce = 5;
  request.player_name = "Ada";
  request.protocol_version = 3;
  for (TransportKind const transport :
       {TransportKind::kDatagram, TransportKind::kStream, TransportKind::kWebSocket}) {
    auto const refused = refusal(kHome, transport, {request});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->reason, RefuseReason::kVersionMismatch);
    EXPECT_EQ(refused->text, "this server speaks protocol version " + std::to_string(kProtocolVersion) +
                                 ", you asked for 3");
  }
}

}  // namespace
}  // namespace takt::protocol::test
