// Fuzz target: bytes from strangers to the web gateway: requests, upgrades and web socket frames, in pieces
// of any size, through a real connection over a socket pair, the bridge and the protocol's endpoint behind
// it. Nothing may crash, hang or grow without bound.
//
// With bit 7 of the first byte the port speaks TLS, and the rest is what a stranger sends before a handshake
// is done, as it is. Otherwise bits 0-1 have what the rest is (0 bytes as they are; 1 bytes after a good
// upgrade; 2, 3 payloads for masked binary messages after one), bits 2-4 how it is cut into pieces (2^n
// bytes, 7 = whole), bit 5 whether the other end reads the answers, bit 6 whether it closes without a word.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/session/server_endpoint.h"
#include "server/web/http_connection.h"
#include "server/web/http_site.h"
#include "server/web/web_bridge.h"
#include "tests/certificates/test_certificate.h"
#include "tests/unit/protocol/session_tap.h"

namespace {

using namespace takt;  // NOLINT(google-build-using-namespace): a program

constexpr std::string_view kUpgrade =
    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: "
    "Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

server::HttpOptions small_limits() {
  server::HttpOptions options;
  options.header_bytes_max = 2048;
  options.message_bytes_max = 2048;
  return options;
}

/// A gateway with one connection, and the stranger's end of it.
class Gateway {
 public:
  Gateway(bool reads, const server::TlsContext* tls)
      : site_(small_limits(), [] { return server::LiveStatus{}; }),
        endpoint_({}, {1, 2}, protocol::test::test_seeds()),
        reads_(reads) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) != 0) std::abort();
    stranger_ = ends[0];
    server::HttpConnection::Socket socket(io_, boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[1]);
    connection_ = server::HttpConnection::create(
        std::move(socket), {protocol::Address::from_ipv4(127, 0, 0, 1, 1), {}}, site_, bridge_,
        server::HttpPages::kAll, tls, [this] { is_closed_ = true; });
    connection_->start();
    turn();
  }
  ~Gateway() {  // NOLINT(bugprone-exception-escape): what escapes is a finding
    if (!is_closed_) connection_->abort();
    connection_.reset();
    io_.poll();
    ::close(stranger_);
  }

  void send(std::string_view bytes) {
    while (!bytes.empty() && !is_closed_) {
      ssize_t const count = ::send(stranger_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
      std::size_t const ran = turn();
      if (count <= 0 && ran == 0) return;  // it reads no more: it is waiting for us to read, or closing
    }
  }
  void end_of_stream() {
    ::shutdown(stranger_, SHUT_WR);
    turn();
    turn();
  }

 private:
  std::size_t turn() {
    now_us_ += 1000;
    std::size_t ran = io_.poll();
    bridge_.turn(now_us_, endpoint_);
    bridge_.flush(now_us_, endpoint_);
    ran += io_.poll();
    protocol::ServerEvent event;
    while (endpoint_.poll_event(event)) {
      if (std::holds_alternative<protocol::PlayerJoined>(event)) (void)endpoint_.send_game_event(1, 1, {});
    }
    std::array<char, 4096> bytes{};
    while (reads_ && ::recv(stranger_, bytes.data(), bytes.size(), 0) > 0) ++ran;
    return ran;
  }

  boost::asio::io_context io_{1};
  server::WebBridge bridge_;
  server::HttpSite site_;
  protocol::ServerEndpoint endpoint_;
  std::shared_ptr<server::HttpConnection> connection_;
  std::uint64_t now_us_ = 1'000'000;
  int stranger_ = -1;
  bool reads_;
  bool is_closed_ = false;
};

const server::TlsContext& tls_context() {
  static auto const kContext = [] {
    auto const certificate = test::make_certificate("localhost");
    return server::TlsContext::from_pem(certificate.certificate, certificate.key, {}).value();
  }();
  return *kContext;
}

/// A masked binary message, its mask zeros; the first byte of `payload` says how long it is, so that one
/// script holds several.
std::string message_of(std::string_view payload) {
  std::string frame(1, '\x82');
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    frame += {static_cast<char>(0x80 | 126), static_cast<char>(payload.size() >> 8),
              static_cast<char>(payload.size() & 0xff)};
  }
  return frame.append(4, '\0').append(payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 20'000) return 0;
  std::uint8_t const head = data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string script;
  if ((head & 3u) == 0 || (head & 128u) != 0) {
    script = rest;
  } else if ((head & 3u) == 1) {
    script.append(kUpgrade).append(rest);
  } else {
    script.append(kUpgrade);
    while (!rest.empty()) {
      std::size_t const count =
          std::min<std::size_t>(rest.size() - 1, std::size_t{static_cast<std::uint8_t>(rest[0])} * 8);
      script += message_of(rest.substr(1, count));
      rest.remove_prefix(1 + count);
    }
  }
  bool const is_tls = (head & 128u) != 0;
  Gateway gateway((head & 32u) != 0, is_tls ? &tls_context() : nullptr);
  std::size_t const cut = (head >> 2u) & 7u;
  std::size_t const piece = cut == 7 ? script.size() : std::size_t{1} << (2 * cut);
  for (std::size_t at = 0; at < script.size(); at += piece)
    gateway.send(std::string_view(script).substr(at, piece));
  if ((head & 64u) == 0) gateway.end_of_stream();
  return 0;
}
