// Fuzz target: datagrams against a server with one connected client, and against that client. The input is a
// script of datagrams:
//
//   control (1), length (2, little-endian), bytes (length, or what is left)
//
// control bit 0: to the client instead of the server; bit 1: from a stranger's address; bit 2: the bytes are
// the datagram; else the first byte tells what is made of the others: bit 0: 0 = behind the header of a
// handshake, 1 = sealed with the key of the session, so that the fuzzer gets behind the seal; bit 1: an ack
// block begins them. Control bits 3..7: time passes, 16 ms each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/session/client_endpoint.h"
#include "protocol/session/server_endpoint.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"
#include "tests/unit/protocol/session_tap.h"

namespace {

using namespace takt::protocol;

const Address kHome = Address::from_ipv4(192, 0, 2, 1, 4000);
const Address kStranger = Address::from_ipv4(192, 0, 2, 2, 4000);

class Pair {
 public:
  Pair()
      : server_(ServerOptions{}, {1, 2}, test::test_seeds()),
        client_(ClientOptions{}),
        tap_(ClientOptions{}.key_seed) {
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
    std::vector<std::byte> datagram(bytes.begin(), bytes.end());
    if ((control & 4u) == 0 && !bytes.empty()) datagram = dressed(is_to_client, bytes);
    if (is_to_client) {
      client_.handle_datagram(now_us_, datagram);
    } else {
      server_.handle_datagram(now_us_, (control & 2u) != 0 ? kStranger : kHome, datagram);
    }
    exchange();
  }

 private:
  std::vector<std::byte> dressed(bool is_to_client, std::span<const std::byte> bytes) {
    auto const what = std::to_integer<unsigned>(bytes[0]);
    auto body = bytes.subspan(1);
    if ((what & 1u) == 0) return test::handshake_of(body);
    bool const has_acks = (what & 2u) != 0;
    body = body.first(std::min(body.size(), kDatagramBytesMax));
    return is_to_client ? tap_.server_datagram(has_acks, body) : tap_.client_datagram(has_acks, body);
  }
  void exchange() {
    now_us_ += 1000;
    std::vector<std::byte> out;
    while (client_.poll_datagram(now_us_, out)) {
      tap_.see(out);
      server_.handle_datagram(now_us_, kHome, out);
    }
    OutgoingDatagram from_server;
    while (server_.poll_datagram(now_us_, from_server)) {
      TAKT_ASSERT(from_server.bytes.size() <= kDatagramBytesMax);
      tap_.see(from_server.bytes);
      if (from_server.to == kHome) client_.handle_datagram(now_us_, from_server.bytes);
    }
    ServerEvent event;
    while (server_.poll_event(event)) {
    }
    ClientEvent client_event;
    while (client_.poll_event(client_event)) {
    }
    TAKT_ASSERT(server_.next_wakeup_us(now_us_) >= now_us_ && client_.next_wakeup_us(now_us_) >= now_us_);
  }

  std::uint64_t now_us_ = 1'000'000;
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
