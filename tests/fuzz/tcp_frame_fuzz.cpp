// Fuzz target: bytes of a stream against the server and against a client. The first byte says who gets them
// and how they are split: bits 0-1: 0 = a server's fresh stream, 1 = a server's accepted stream, 2 = a client
// that waits for its answer, 3 = a connected client; bits 2-7: the size of a split, 0 = all at once. The rest
// is the stream. Fresh streams are of TCP, accepted ones of a web socket: their frames are not sealed, so the
// fuzzer's bytes reach what reads the messages.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/session/client_endpoint.h"
#include "protocol/session/server_endpoint.h"
#include "takt/core/assert.h"
#include "tests/unit/protocol/session_tap.h"

namespace {

using namespace takt::protocol;

ClientOptions over(TransportKind transport) {
  ClientOptions options;
  options.transport = transport;
  options.key_seed = std::make_shared<const takt::crypto::SecretKey>(std::array<std::byte, 32>{});
  return options;
}

class Pair {
 public:
  explicit Pair(TransportKind transport)
      : server_(ServerOptions{}, {1, 2}, test::test_seeds()), client_(over(transport)) {
    client_.connect(now_us_);
    stream_ = server_.handle_stream_open(now_us_, Address::from_ipv4(192, 0, 2, 1, 4000), {transport, true});
  }
  void connect() {
    for (int i = 0; i < 3; ++i) exchange();
    TAKT_ASSERT(client_.state() == ClientState::kConnected);
  }
  void to_server(std::span<const std::byte> bytes) {
    now_us_ += 1000;
    server_.handle_stream_bytes(now_us_, stream_, bytes);
    drain();
  }
  void to_client(std::span<const std::byte> bytes) {
    now_us_ += 1000;
    client_.handle_stream_bytes(now_us_, bytes);
    drain();
  }
  void close() {
    server_.handle_stream_closed(now_us_, stream_);
    client_.handle_stream_closed(now_us_);
    drain();
  }

 private:
  void exchange() {
    now_us_ += 1000;
    std::vector<std::byte> bytes;
    if (client_.poll_stream(now_us_, 1 << 16, bytes) > 0)
      server_.handle_stream_bytes(now_us_, stream_, bytes);
    bytes.clear();
    if (server_.poll_stream(now_us_, stream_, 1 << 16, bytes) > 0)
      client_.handle_stream_bytes(now_us_, bytes);
  }
  void drain() {
    std::vector<std::byte> bytes;
    (void)server_.poll_stream(now_us_, stream_, 1 << 16, bytes);
    (void)client_.poll_stream(now_us_, 1 << 16, bytes);
    OutgoingDatagram datagram;
    while (server_.poll_datagram(now_us_, datagram)) {
    }
    for (TransportKind const kind : {TransportKind::kStream, TransportKind::kWebSocket}) {
      while (!server_.poll_writable_stream(kind).is_null()) {
      }
      while (!server_.poll_closing_stream(kind).is_null()) {
      }
    }
    ServerEvent event;
    while (server_.poll_event(event)) {
    }
    ClientEvent client_event;
    while (client_.poll_event(client_event)) {
    }
  }

  std::uint64_t now_us_ = 1'000'000;
  ServerEndpoint server_;
  ClientEndpoint client_;
  StreamId stream_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  unsigned const who = data[0] & 3u;
  std::size_t const split = data[0] >> 2u;
  auto rest = std::as_bytes(std::span(data + 1, size - 1));
  bool const is_accepted = who == 1 || who == 3;
  Pair pair(is_accepted ? TransportKind::kWebSocket : TransportKind::kStream);
  if (is_accepted) pair.connect();
  while (!rest.empty()) {
    auto const some = rest.first(split == 0 ? rest.size() : std::min(split, rest.size()));
    if (who < 2) {
      pair.to_server(some);
    } else {
      pair.to_client(some);
    }
    rest = rest.subspan(some.size());
  }
  pair.close();
  return 0;
}
