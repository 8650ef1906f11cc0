// Fuzz target: datagrams against a server with one connected client, and against that client. The input is a
// script of datagrams:
//
//   control (1), length (2, little-endian), bytes (length, or what is left)
//
// control bit 0: to the client instead of the server; bit 1: from a stranger's address; bit 2: leave the
// bytes as they are, else the magic and the session id of the real session are put in, so that the fuzzer
// gets behind the first checks; bits 3..7: time passes, 16 ms each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/session/client_endpoint.h"
#include "protocol/session/server_endpoint.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace {

using namespace takt::protocol;

const Address kHome = Address::from_ipv4(192, 0, 2, 1, 4000);
const Address kStranger = Address::from_ipv4(192, 0, 2, 2, 4000);

class Pair {
 public:
  Pair() : server_(ServerOptions{}, {1, 2}), client_(ClientOptions{}) {
    client_.connect(now_us_);
    for (int i = 0; i < 6; ++i) exchange();
    TAKT_ASSERT(client_.state() == ClientState::kConnected);
    BodyState body;
    body.id = std::uint64_t{1} << 32;
    server_.publish_snapshot(now_us_, 1, std::span(&body, 1));
    (void)client_.send_input(now_us_, 1, DespawnCommand{body.id});
    exchange();
  }

  void handle(std::uint8_t control, std::span<const std::byte> bytes) {
    now_us_ += 16'000ull * (control >> 3);
    std::vector<std::byte> datagram(bytes.begin(), bytes.end());
    if ((control & 4u) == 0 && datagram.size() >= kDatagramHeaderBytes) {
      takt::store_little_endian(datagram.data(), kDatagramMagic);
      if (datagram[4] == std::byte{2}) takt::store_little_endian(datagram.data() + 8, session_);
    }
    if ((control & 1u) != 0) {
      client_.handle_datagram(now_us_, datagram);
    } else {
      server_.handle_datagram(now_us_, (control & 2u) != 0 ? kStranger : kHome, datagram);
    }
    exchange();
  }

 private:
  void exchange() {
    now_us_ += 1000;
    std::vector<std::byte> out;
    while (client_.poll_datagram(now_us_, out)) server_.handle_datagram(now_us_, kHome, out);
    OutgoingDatagram from_server;
    while (server_.poll_datagram(now_us_, from_server)) {
      TAKT_ASSERT(from_server.bytes.size() <= kDatagramBytesMax);
      if (from_server.to == kHome) client_.handle_datagram(now_us_, from_server.bytes);
    }
    ServerEvent event;
    while (server_.poll_event(event)) {
    }
    ClientEvent client_event;
    while (client_.poll_event(client_event))
      if (auto const* connected = std::get_if<Connected>(&client_event)) session_ = connected->accept.session;
    TAKT_ASSERT(server_.next_wakeup_us(now_us_) >= now_us_ && client_.next_wakeup_us(now_us_) >= now_us_);
  }

  std::uint64_t now_us_ = 1'000'000;
  std::uint64_t session_ = 0;
  ServerEndpoint server_;
  ClientEndpoint client_;
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
