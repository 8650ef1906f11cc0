// Fuzz target: datagrams against a server with one connected client, and against that client. The input is a
// script of datagrams:
//
//   control (1), length (2, little-endian), bytes (length, or what is left)
//
// control bit 0: to the client instead of the server; bit 1: from another address; bit 2: the bytes are the
// datagram; else the first byte tells what is made of the others: bit 0: 0 = behind the header of a
// handshake, 1 = sealed with the key of the session, so that the fuzzer gets behind the seal; bit 1: an ack
// block begins them; bit 2: of a handshake: it is not padded; sealed: it is a path probe; bit 3: it is the
// answer to the last path probe that the server sent there. Bit 4 of a handshake to the server: the bytes are
// the text in the proof of a response with a good cookie, where a name belongs, from an address of its own.
// Control bits 3..7: time passes, 16 ms each. The other address gets at most 3 times what it sent, before a
// session is there. Every text is opened again, and the server gives the player the name in it, or refuses
// the response by name: no limit keeps a text from the code of names.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "protocol/session/client_endpoint.h"
#include "protocol/session/handshake_context.h"
#include "protocol/session/sealed_name.h"
#include "protocol/session/server_endpoint.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"
#include "tests/unit/protocol/session_tap.h"

namespace {

using namespace takt::protocol;

constexpr SecretKey kServerSecret{1, 2};
const Address kHome = Address::from_ipv4(192, 0, 2, 1, 4000);
const Address kStranger = Address::from_ipv4(192, 0, 2, 2, 4000);

using NameText = std::array<std::byte, kNamedProofBytes - kProofBytes>;

// A network of its own for each name: those of one network share limits.
Address address_of_name(std::uint64_t number) {
  return Address::from_ipv4(10, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number), 1,
                            4000);
}

// The bytes of a character, or nothing for a number that is none.
std::string utf8_of(std::uint32_t code) {
  auto const tail = [&](unsigned shift) { return static_cast<char>(0x80u | ((code >> shift) & 0x3fu)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0u | (code >> 6)), tail(0)};
  if (code >= 0xd800 && code < 0xe000) return {};
  if (code < 0x10000) return {static_cast<char>(0xe0u | (code >> 12)), tail(6), tail(0)};
  if (code < 0x110000) return {static_cast<char>(0xf0u | (code >> 18)), tail(12), tail(6), tail(0)};
  return {};
}

// The name in a text by the rules of docs/PROTOCOL.md, without the code that is tested: each character is
// decoded, and must have these bytes when it is encoded again.
std::optional<std::string> name_in(const NameText& text) {
  auto const length = std::to_integer<std::size_t>(text[0]);
  if (length > kPlayerNameBytesMax) return std::nullopt;
  auto const bytes = std::span(text).subspan(1);
  for (std::byte const zero : bytes.subspan(length))
    if (zero != std::byte{0}) return std::nullopt;
  std::string const name(reinterpret_cast<const char*>(bytes.data()), length);
  for (std::size_t at = 0; at < length;) {
    auto const lead = static_cast<unsigned char>(name[at]);
    std::size_t const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (at + size > length) return std::nullopt;
    std::uint32_t code = size == 1 ? lead : lead & (0xffu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i)
      code = code << 6 | (static_cast<unsigned char>(name[at + i]) & 0x3fu);
    bool const is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    if (is_control || utf8_of(code) != name.substr(at, size)) return std::nullopt;
    at += size;
  }
  return name;
}

class Pair {
 public:
  Pair()
      : server_(ServerOptions{}, kServerSecret, test::test_seeds()),
        client_(test::seeded()),
        tap_(*test::client_seed()) {
    client_.connect(now_us_);
    for (int i = 0; i < 6; ++i) exchange();
    TAKT_ASSERT(client_.state() == ClientState::kConnected && tap_.is_ready());
    BodyState body;
    body.id = std::uint64_t{1} << 32;
    server_.publish_snapshot(now_us_, 1, std::span(&body, 1));
    (void)client_.send_input(now_us_, 1, DespawnCommand{body.id});
    exchange();
  }

  void handle(std::uint8_t control, std::span<const std::byte> bytes) {
    now_us_ += 16'000ull * (control >> 3);
    bool const is_to_client = (control & 1u) != 0;
    if ((control & 5u) == 0 && !bytes.empty() && (std::to_integer<unsigned>(bytes[0]) & 17u) == 16)
      return offer_name(bytes.subspan(1));
    std::vector<std::byte> datagram(bytes.begin(), bytes.end());
    bool const is_away = (control & 2u) != 0;
    if ((control & 4u) == 0 && !bytes.empty()) datagram = dressed(is_to_client, bytes);
    if (is_to_client) {
      client_.handle_datagram(now_us_, datagram);
    } else {
      note_moves();
      if (is_away) from_stranger_ += datagram.size();
      server_.handle_datagram(now_us_, is_away ? kStranger : kHome, datagram);
    }
    exchange();
  }

 private:
  // A stranger with the keys of his session seals a text where the name belongs.
  void offer_name(std::span<const std::byte> body) {
    ConnectRequest request;
    request.nonce = ++nonces_;
    NameText text{};  // the reader takes no other size
    std::ranges::copy(body.first(std::min(body.size(), text.size())), text.begin());
    Address const from = address_of_name(nonces_);
    auto const expected = name_in(text);
    auto const [response, keys] =
        test::answer_with_text(server_, kServerSecret, now_us_, from, request, text);
    auto const context = handshake_context(TransportKind::kDatagram, request, response.cookie,
                                           server_.public_keys(), {response.key});
    auto const& key = keys.client_to_server;
    auto const name = open_name(key, context, response.proof);
    TAKT_ASSERT(name.ok() == expected.has_value());
    TAKT_ASSERT(name.ok() ? *name == *expected : name.error() == takt::crypto::Error::kOutOfRange);
    // A name has one form.
    TAKT_ASSERT(!name || prove_with_name(key, context, *name) == response.proof);

    std::uint64_t const refused = refused_names();
    joined_.reset();
    server_.handle_datagram(now_us_, from, test::handshake_of(Message{response}));
    exchange();
    TAKT_ASSERT(joined_.has_value() == expected.has_value());
    TAKT_ASSERT(refused_names() == refused + (expected ? 0 : 1));
    if (!joined_) return;
    TAKT_ASSERT(joined_->name == *expected && joined_->address == from);
    server_.disconnect(now_us_, joined_->player, DisconnectReason::kKicked);
  }
  [[nodiscard]] std::uint64_t refused_names() const {
    return server_.refusals()[static_cast<std::size_t>(RefuseReason::kBadRequest)];
  }
  std::vector<std::byte> dressed(bool is_to_client, std::span<const std::byte> bytes) {
    auto const what = std::to_integer<unsigned>(bytes[0]);
    auto body = bytes.subspan(1);
    if ((what & 1u) == 0) {
      auto datagram = test::handshake_of(body);
      if ((what & 4u) == 0) datagram.resize(std::max(datagram.size(), kConnectRequestBytes));
      return datagram;
    }
    bool const has_acks = (what & 2u) != 0;
    body = body.first(std::min(body.size(), kDatagramBytesMax));
    if ((what & 4u) != 0 && !is_to_client)
      return tap_.probe_from_client((what & 8u) != 0 ? std::span<const std::byte>(last_probe_) : body);
    return is_to_client ? tap_.server_datagram(has_acks, body) : tap_.client_datagram(has_acks, body);
  }
  void exchange() {
    now_us_ += 1000;
    std::vector<std::byte> out;
    while (client_.poll_datagram(now_us_, out)) {
      tap_.see(out);
      server_.handle_datagram(now_us_, kHome, out);
    }
    note_moves();
    OutgoingDatagram from_server;
    while (server_.poll_datagram(now_us_, from_server)) {
      TAKT_ASSERT(from_server.bytes.size() <= kDatagramBytesMax);
      tap_.see(from_server.bytes);
      if (from_server.to == kHome) client_.handle_datagram(now_us_, from_server.bytes);
      if (from_server.to == kStranger) handle_at_stranger(from_server.bytes);
      // Handshake answers are at most 0.31 of a handshake datagram.
      TAKT_ASSERT(is_sealed(from_server.bytes) ||
                  from_server.bytes.size() * 100 <= kConnectRequestBytes * 31);
    }
    ServerEvent event;
    while (server_.poll_event(event)) {
      auto const* joined = std::get_if<PlayerJoined>(&event);
      if (joined == nullptr) continue;
      joined_ = *joined;
      has_stranger_joined_ = has_stranger_joined_ || joined->address == kStranger;
    }
    ClientEvent client_event;
    while (client_.poll_event(client_event)) {
    }
    TAKT_ASSERT(server_.next_wakeup_us(now_us_) >= now_us_ && client_.next_wakeup_us(now_us_) >= now_us_);
  }

  // The client is at home, so each second move brings its session back: the count begins anew.
  void note_moves() {
    std::uint64_t const moves = server_.counters()[Counter::kSessionsMoved];
    if (moves != moves_ && moves % 2 == 0) from_stranger_ = to_stranger_ = 0;
    moves_ = moves;
  }

  void handle_at_stranger(std::span<const std::byte> datagram) {
    to_stranger_ += datagram.size();
    bool const has_session = has_stranger_joined_ || moves_ % 2 == 1;
    TAKT_ASSERT(has_session || to_stranger_ <= 3 * from_stranger_);
    if (auto opened = tap_.open_from_server(datagram); opened && opened->is_probe)
      last_probe_ = std::move(opened->sections);
  }

  std::uint64_t now_us_ = 1'000'000;
  std::uint64_t from_stranger_ = 0;
  std::uint64_t to_stranger_ = 0;
  std::uint64_t moves_ = 0;
  std::uint64_t nonces_ = 100;
  std::optional<PlayerJoined> joined_;  // the newest
  bool has_stranger_joined_ = false;
  std::vector<std::byte> last_probe_;
  ServerEndpoint server_;
  ClientEndpoint client_;
  test::SessionTap tap_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  takt::ByteReader reader(std::as_bytes(std::span(data, size)));
  Pair pair;
  for (int i = 0; i < 64 && reader.remaining() >= 3; ++i) {
    auto const control = reader.get<std::uint8_t>();
    std::size_t const length = reader.get<std::uint16_t>();
    pair.handle(control, reader.get_bytes(std::min(length, reader.remaining())));
  }
  return 0;
}
