// TLS of the web gateway: sessions and pages through it, handshakes that are wrong or slow, certificates that
// change while sessions live, and web sockets of other machines without TLS.
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "server/web/certificate_store.h"
#include "server/web/http_connection.h"
#include "server/web/http_server.h"
#include "tests/certificates/test_certificate.h"
#include "tests/integration/server/serve.h"
#include "tests/integration/server/web_player.h"
#include "tests/integration/server/web_socket.h"

namespace takt::server::test {
namespace {

using takt::test::make_certificate;
using takt::test::TestCertificate;

/// A certificate and its key on disk, which are gone at the end of a test.
class CertificateFiles {
 public:
  explicit CertificateFiles(const TestCertificate& one) { write(one); }
  ~CertificateFiles() {
    std::remove(files.certificate_path.c_str());
    std::remove(files.key_path.c_str());
  }
  CertificateFiles(const CertificateFiles&) = delete;
  CertificateFiles& operator=(const CertificateFiles&) = delete;
  void write(const TestCertificate& one) const {
    std::ofstream(files.certificate_path, std::ios::binary) << one.certificate;
    std::ofstream(files.key_path, std::ios::binary) << one.key;
    std::filesystem::permissions(files.key_path,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  [[nodiscard]] std::vector<std::string> arguments() const {
    return {"--http", "auto", "--tls-cert", files.certificate_path, "--tls-key", files.key_path};
  }

  TlsFiles files{temporary_file("cert.pem"), temporary_file("key.pem")};
};

/// A gateway of this process without a room, for limits that a test cannot wait for.
struct Gateway {
  explicit Gateway(const HttpOptions& options) {
    auto opened = HttpServer::open(options, MetricsOptions{}, bridge, [] { return LiveStatus{}; });
    if (!opened) throw std::runtime_error(message(opened.error()));
    server = *std::move(opened);
  }
  static HttpOptions options(const CertificateFiles& certificate) {
    HttpOptions out;
    out.bind_address = "127.0.0.1";
    out.port = 0;
    out.tls = certificate.files;
    return out;
  }
  /// Waits for a counter of refusals to have this value.
  [[nodiscard]] double refused(const std::string& reason, double wanted) const {
    double value = -1;
    for (int i = 0; i < 500 && value != wanted; ++i) {
      value = metric(server->metrics_port(), "takt_http_refused_total{reason=\"" + reason + "\"}");
      if (value != wanted) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return value;
  }
  WebBridge bridge;
  std::unique_ptr<HttpServer> server;
};

std::string body_of(const std::string& answer) {
  std::size_t const end = answer.find("\r\n\r\n");
  return end == std::string::npos ? std::string() : answer.substr(end + 4);
}

TEST(Tls, CarriesPagesAndSessions) {
  CertificateFiles const files(make_certificate("one"));
  Serve server(files.arguments());
  int const port = server.http_port;
  EXPECT_EQ(body_of(https_get(port, "/healthz")), "ok\n");
  WebPlayer player(port, TlsClient{});
  EXPECT_EQ(player.status, "HTTP/1.1 101 Switching Protocols");
  EXPECT_EQ(player.socket.peer_name(), "one");
  EXPECT_TRUE(player.play_until([&] { return player.snapshots > 30 && player.bodies_added == 11; }));
  player.endpoint.disconnect(net::now_us());
  EXPECT_TRUE(player.play_until([&] { return player.ending.has_value(); }));
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST(Tls, LargePagesArriveWhole) {
  CertificateFiles const files(make_certificate("one"));
  HttpOptions options = Gateway::options(files);
  std::string const folder = temporary_file("tls_site");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/index.html") << "page";
  std::string text(700'001, 'x');
  for (std::size_t i = 0; i < text.size(); i += 997) text[i] = static_cast<char>('a' + i % 26);
  std::ofstream(folder + "/large.js", std::ios::binary) << text;
  options.viewer_directory = folder;
  Gateway const gateway(options);
  EXPECT_TRUE(body_of(https_get(gateway.server->port(), "/large.js")) == text);
  std::filesystem::remove_all(folder);
}

TEST(Tls, OpensslTrustsTheCertificateAndSeesTheEnd) {
  CertificateFiles const files(make_certificate("one"));
  Serve server(files.arguments());
  std::string const request = "GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n";
  for (auto const* version : {"-tls1_2", "-tls1_3"}) {
    Program client(
        "/bin/sh",
        {"-c", "printf '" + request + "' | openssl s_client -quiet -verify_return_error " + version +
                   " -verify_hostname localhost -CAfile " + files.files.certificate_path +
                   " -connect 127.0.0.1:" + std::to_string(server.http_port)});
    EXPECT_EQ(client.wait(kPatienceS), 0) << client.output();
    EXPECT_NE(client.output().find("\r\n\r\nok\n"), std::string::npos) << client.output();
    EXPECT_EQ(client.output().find("unexpected eof"), std::string::npos) << client.output();
  }
}

TEST(Tls, RefusesWhatIsOlderThanTls12) {
  CertificateFiles const files(make_certificate("one"));
  Gateway const gateway(Gateway::options(files));
  EXPECT_FALSE(WebSocket(gateway.server->port(), TlsClient{TLS1_1_VERSION}).is_open());
  EXPECT_EQ(gateway.refused("tls_failed", 1), 1);
  EXPECT_TRUE(WebSocket(gateway.server->port(), TlsClient{TLS1_2_VERSION}).is_open());
  EXPECT_TRUE(WebSocket(gateway.server->port(), TlsClient{TLS1_3_VERSION}).is_open());
}

TEST(Tls, APlainRequestGetsAnAnswerAndGarbageNone) {
  CertificateFiles const files(make_certificate("one"));
  Gateway const gateway(Gateway::options(files));
  std::string const answer = http_get(gateway.server->port(), "/");
  EXPECT_EQ(answer.find("HTTP/1.1 400 Bad Request\r\n"), 0u) << answer;
  EXPECT_EQ(body_of(answer), "this port speaks TLS: write https:// here.\n");
  EXPECT_EQ(gateway.refused("tls_plain", 1), 1);
  WebSocket garbage(gateway.server->port());
  garbage.send(std::string(300, '\xa5'));
  EXPECT_TRUE(garbage.is_closed());
  EXPECT_EQ(gateway.refused("tls_failed", 1), 1);
}

TEST(Tls, AHandshakeHasALimitOfTime) {
  CertificateFiles const files(make_certificate("one"));
  HttpOptions options = Gateway::options(files);
  options.handshake_timeout_ms = 200;
  Gateway const gateway(options);
  WebSocket silent(gateway.server->port());
  WebSocket trickling(gateway.server->port());
  for (int i = 0; i < 10; ++i) {  // the beginning of a record of 16 kB
    trickling.send(std::string_view("\x16\x03\x01\x40\x00\x01\x00\x3f\xfc\x03", 10)
                       .substr(static_cast<std::size_t>(i), 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  EXPECT_TRUE(silent.is_closed(5));
  EXPECT_TRUE(trickling.is_closed(5));
  EXPECT_EQ(gateway.refused("tls_timeout", 2), 2);
}

TEST(Tls, SlowHandshakesHoldNoPlaces) {
  CertificateFiles const files(make_certificate("one"));
  HttpOptions options = Gateway::options(files);
  options.handshakes_per_address_max = 4;
  options.connections_per_address_max = 8;
  options.handshake_timeout_ms = 60'000;
  Gateway const gateway(options);
  std::vector<std::unique_ptr<WebSocket>> slow;
  for (int i = 0; i < 20; ++i) slow.push_back(std::make_unique<WebSocket>(gateway.server->port()));
  EXPECT_EQ(gateway.refused("tls_displaced", 16), 16);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_TRUE(slow[i]->is_closed(5)) << i;  // the oldest ones
  for (std::size_t i = 16; i < 20; ++i) EXPECT_FALSE(slow[i]->is_closed(0.01)) << i;
  // A connection with a finished handshake keeps its place.
  WebSocket good(gateway.server->port(), TlsClient{});
  ASSERT_TRUE(good.is_open());
  for (int i = 0; i < 20; ++i) slow.push_back(std::make_unique<WebSocket>(gateway.server->port()));
  EXPECT_EQ(gateway.refused("tls_displaced", 36), 36);
  good.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(body_of(good.read_answer()), "ok\n");
  EXPECT_EQ(gateway.refused("connections_per_address", 0), 0);
}

TEST(Tls, ANewcomerTakesThePlaceOfAHandshakeWhenAllAreTaken) {
  CertificateFiles const files(make_certificate("one"));
  HttpOptions options = Gateway::options(files);
  options.connections_max = 3;
  options.handshake_timeout_ms = 60'000;
  Gateway const gateway(options);
  std::vector<std::unique_ptr<WebSocket>> slow;
  for (int i = 0; i < 3; ++i) slow.push_back(std::make_unique<WebSocket>(gateway.server->port()));
  std::vector<std::unique_ptr<WebSocket>> good;
  for (int i = 0; i < 3; ++i) {
    good.push_back(std::make_unique<WebSocket>(gateway.server->port(), TlsClient{}));
    EXPECT_TRUE(good.back()->is_open()) << i;
  }
  EXPECT_EQ(gateway.refused("tls_displaced", 3), 3);
  EXPECT_FALSE(WebSocket(gateway.server->port(), TlsClient{}).is_open());
  EXPECT_EQ(gateway.refused("connections_max", 1), 1);
}

TEST(Tls, ANewCertificateEndsNoSession) {
  CertificateFiles const files(make_certificate("one"));
  Serve server(files.arguments());
  WebPlayer player(server.http_port, TlsClient{});
  ASSERT_TRUE(player.play_until([&] { return player.snapshots > 3; }));
  files.write(make_certificate("two"));
  server.program.signal(SIGHUP);
  EXPECT_TRUE(server.program.wait_for("cert.pem: the certificate was read again\n", kPatienceS));
  EXPECT_EQ(WebSocket(server.http_port, TlsClient{}).peer_name(), "two");
  // A broken file leaves the one of before, and the reason is told.
  files.write({"nothing", "nothing"});
  server.program.signal(SIGHUP);
  EXPECT_TRUE(server.program.wait_for("the certificate of before stays in use\n", kPatienceS));
  EXPECT_EQ(WebSocket(server.http_port, TlsClient{}).peer_name(), "two");
  std::uint64_t const before = player.snapshots;
  EXPECT_TRUE(player.play_until([&] { return player.snapshots > before + 30; }));
  EXPECT_FALSE(player.ending.has_value());
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST(CertificateStore, ReadsChangedFilesOnceTheyRest) {
  CertificateFiles const files(make_certificate("one"));
  auto store = CertificateStore::open(files.files);
  ASSERT_TRUE(store);
  auto const first = (*store)->present();
  (*store)->poll();
  EXPECT_EQ((*store)->present(), first);
  files.write(make_certificate("two"));
  (*store)->poll();
  EXPECT_EQ((*store)->present(), first);  // it may still be written
  (*store)->poll();
  auto const second = (*store)->present();
  EXPECT_NE(second, first);
  files.write({make_certificate("three").certificate, make_certificate("four").key});
  for (int i = 0; i < 3; ++i) (*store)->poll();
  EXPECT_EQ((*store)->present(), second);
  std::remove(files.files.key_path.c_str());
  for (int i = 0; i < 3; ++i) (*store)->poll();
  EXPECT_EQ((*store)->present(), second);
  EXPECT_FALSE((*store)->reload());
}

TEST(TlsContext, TellsOfDatesThatNoClientAccepts) {
  auto const wrong = [](long from_s, long until_s) {
    TestCertificate const one = make_certificate("one", from_s, until_s);
    return (*TlsContext::from_pem(one.certificate, one.key, {}))->wrong_dates();
  };
  EXPECT_EQ(wrong(-60, 60), "");
  EXPECT_EQ(wrong(-120, -60), "has expired: renew it");
  EXPECT_EQ(wrong(60, 120), "is not valid yet: check this machine's clock");
}

/// The answer's first line to a request of a client with this address, over a socket pair.
std::string status_of(const HttpOptions& options, const protocol::Address& from, const std::string& request) {
  boost::asio::io_context io;
  HttpSite site(options, [] { return LiveStatus{}; });
  WebBridge bridge;
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  HttpConnection::Socket socket(io, boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[1]);
  auto const connection =
      HttpConnection::create(std::move(socket), from, site, bridge, HttpPages::kAll, nullptr, nullptr);
  connection->start();
  EXPECT_EQ(::send(ends[0], request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::string answer;
  std::array<char, 4096> bytes{};
  for (int i = 0; i < 100 && answer.find("\r\n") == std::string::npos; ++i) {
    io.poll();
    ssize_t const count = ::recv(ends[0], bytes.data(), bytes.size(), 0);
    if (count > 0) answer.append(bytes.data(), static_cast<std::size_t>(count));
  }
  connection->abort();
  io.poll();
  ::close(ends[0]);
  return answer.substr(0, answer.find("\r\n"));
}

TEST(PlainWeb, OtherMachinesNeedTlsOrTheWordOfTheOperator) {
  std::string const upgrade =
      "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: "
      "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  std::string const page = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  std::string const health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
  auto const here = protocol::Address::from_ipv4(127, 0, 0, 1, 5);
  auto const there = protocol::Address::from_ipv4(192, 0, 2, 1, 5);
  HttpOptions options;
  EXPECT_EQ(status_of(options, here, upgrade), "HTTP/1.1 101 Switching Protocols");
  EXPECT_EQ(status_of(options, there, upgrade), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(status_of(options, there, page), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(status_of(options, there, health), "HTTP/1.1 200 OK");
  // A header is no proof of a proxy.
  std::string const forwarded = upgrade.substr(0, upgrade.size() - 2) + "X-Forwarded-For: 127.0.0.1\r\n\r\n";
  EXPECT_EQ(status_of(options, there, forwarded), "HTTP/1.1 403 Forbidden");
  options.trusted_proxies = {"192.0.2.0/24"};
  EXPECT_EQ(status_of(options, there, upgrade), "HTTP/1.1 101 Switching Protocols");
  options.trusted_proxies = {};
  options.allow_plain = true;
  EXPECT_EQ(status_of(options, there, upgrade), "HTTP/1.1 101 Switching Protocols");
}

}  // namespace
}  // namespace takt::server::test
