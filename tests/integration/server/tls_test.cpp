// TLS of the web gateway: sessions and pages through it, handshakes that are wrong or slow, certificates that
// change while sessions live, and web sockets of other machines without TLS.
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
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
  /// Waits for this number of open connections, without that of the request itself.
  [[nodiscard]] double connections(double wanted) const {
    double value = -1;
    for (int i = 0; i < 500 && value != wanted; ++i) {
      value = metric(server->metrics_port(), "takt_http_connections") - 1;
      if (value != wanted) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return value;
  }
  WebBridge bridge;
  std::unique_ptr<HttpServer> server;
};

std::string tls_body_of(const std::string& answer) {
  std::size_t const end = answer.find("\r\n\r\n");
  return end == std::string::npos ? std::string() : answer.substr(end + 4);
}

TEST(Tls, CarriesPagesAndSessions) {
  CertificateFiles const files(make_certificate("one"));
  Serve server(files.arguments());
  int const port = server.http_port;
  EXPECT_EQ(tls_body_of(https_get(port, "/healthz")), "ok\n");
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
  EXPECT_TRUE(tls_body_of(https_get(gateway.server->port(), "/large.js")) == text);
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

// The command line client of Debian's python3-websockets: what it sends is text, which the gateway refuses.
TEST(Tls, DebiansWebSocketClientConnects) {
  CertificateFiles const files(make_certificate("one"));
  Serve server(files.arguments());
  std::string const address = "wss://localhost:" + std::to_string(server.http_port) + "/ws";
  std::string const client = "/usr/bin/python3 -m websockets " + address + " 2>&1";
  Program trusts("/bin/sh",
                 {"-c", "echo hello | SSL_CERT_FILE=" + files.files.certificate_path + " " + client});
  EXPECT_EQ(trusts.wait(kPatienceS), 0) << trusts.output();  // as after any error of a connection
  EXPECT_NE(trusts.output().find("Connected to " + address), std::string::npos) << trusts.output();
  EXPECT_NE(trusts.output().find("Connection closed: 1003"), std::string::npos) << trusts.output();
  Program distrusts("/bin/sh", {"-c", "echo hello | " + client});
  EXPECT_EQ(distrusts.wait(kPatienceS), 0) << distrusts.output();
  EXPECT_EQ(distrusts.output().find("Connected to "), std::string::npos) << distrusts.output();
  EXPECT_NE(distrusts.output().find("certificate verify failed"), std::string::npos) << distrusts.output();
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
  EXPECT_EQ(tls_body_of(answer), "this port speaks TLS: write https:// here.\n");
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
  options.connections_per_address_max = 4;
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
  EXPECT_EQ(gateway.refused("tls_displaced", 37), 37);
  good.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(tls_body_of(good.read_answer()), "ok\n");
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

TEST(Tls, AHundredHandshakesOfOneAddressFinish) {
  CertificateFiles const files(make_certificate("one"));
  Gateway const gateway(Gateway::options(files));
  std::vector<std::unique_ptr<WebSocket>> clients;  // of a class behind one address, or of a load test
  for (int i = 0; i < 100; ++i) clients.push_back(std::make_unique<WebSocket>(gateway.server->port()));
  EXPECT_EQ(gateway.connections(100), 100);
  for (auto const& client : clients) client->start_tls(TlsClient{});
  for (std::size_t i = 0; i < clients.size(); ++i) EXPECT_TRUE(clients[i]->is_open()) << i;
  EXPECT_EQ(gateway.refused("tls_displaced", 0), 0);
}

TEST(Tls, SilentConnectsDisplaceTheirOwnAddressFirst) {
  CertificateFiles const files(make_certificate("one"));
  HttpOptions options = Gateway::options(files);
  options.connections_max = 8;
  options.handshake_timeout_ms = 60'000;
  Gateway const gateway(options);
  WebSocket honest(gateway.server->port(), 0, 2);  // the oldest of all
  std::vector<std::unique_ptr<WebSocket>> silent;
  for (int i = 0; i < 40; ++i) {
    auto const host = static_cast<std::uint8_t>(3 + i % 2);
    silent.push_back(std::make_unique<WebSocket>(gateway.server->port(), 0, host));
  }
  EXPECT_EQ(gateway.refused("tls_displaced", 33), 33);
  honest.start_tls(TlsClient{});
  EXPECT_TRUE(honest.is_open());
}

TEST(Tls, NothingResumesASession) {
  CertificateFiles const files(make_certificate("one"));
  Gateway const gateway(Gateway::options(files));
  for (int const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    WebSocket client(gateway.server->port(), TlsClient{version});
    ASSERT_TRUE(client.is_open());
    client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(tls_body_of(client.read_answer()), "ok\n");  // a ticket of TLS 1.3 comes before the answer
    EXPECT_FALSE(client.is_resumable()) << version;
  }
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

// Without descriptors no file can be opened; the files do not change when there are some again.
TEST(CertificateStore, TriesAgainAfterAnErrorThatPasses) {
  CertificateFiles const files(make_certificate("one"));
  auto store = CertificateStore::open(files.files);
  ASSERT_TRUE(store);
  auto const first = (*store)->present();
  files.write(make_certificate("two"));
  (*store)->poll();
  testing::internal::CaptureStdout();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit const none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  for (int i = 0; i < 3; ++i) (*store)->poll();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ((*store)->present(), first);
  (*store)->poll();
  EXPECT_NE((*store)->present(), first);
  std::string const log = testing::internal::GetCapturedStdout();
  std::string const line = "the certificate of before stays in use\n";
  EXPECT_NE(log.find(line), std::string::npos) << log;
  EXPECT_EQ(log.find(line), log.rfind(line)) << log;  // once for three attempts
  EXPECT_NE(log.find("cert.pem: the certificate was read again\n"), std::string::npos) << log;
}

TEST(CertificateStore, WarnsWhenDatesTurnWrong) {
  CertificateFiles const files(make_certificate("one", -60, 2));
  testing::internal::CaptureStdout();
  auto store = CertificateStore::open(files.files);
  ASSERT_TRUE(store);
  (*store)->poll();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  testing::internal::CaptureStdout();
  while ((*store)->present()->wrong_dates().empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (int i = 0; i < 3; ++i) (*store)->poll();
  std::string const log = testing::internal::GetCapturedStdout();
  std::string const line = "cert.pem: the certificate has expired: renew it\n";
  EXPECT_NE(log.find(line), std::string::npos) << log;
  EXPECT_EQ(log.find(line), log.rfind(line)) << log;
}

TEST(CertificateStore, WarnsOfWrongDatesAtEachReload) {
  CertificateFiles const files(make_certificate("one"));
  auto store = CertificateStore::open(files.files);
  ASSERT_TRUE(store);
  files.write(make_certificate("two", -120, -60));
  testing::internal::CaptureStdout();
  EXPECT_TRUE((*store)->reload());
  EXPECT_NE(testing::internal::GetCapturedStdout().find("has expired: renew it\n"), std::string::npos);
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

/// The answer's first line to a request of a client with these addresses, over a socket pair.
std::string status_of(const HttpOptions& options, const HttpConnection::Ends& ends,
                      const std::string& request) {
  boost::asio::io_context io;
  HttpSite site(options, [] { return LiveStatus{}; });
  WebBridge bridge;
  std::array<int, 2> pair{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
  HttpConnection::Socket socket(io, boost::asio::generic::stream_protocol(AF_UNIX, 0), pair[1]);
  auto const connection =
      HttpConnection::create(std::move(socket), ends, site, bridge, HttpPages::kAll, nullptr, nullptr);
  connection->start();
  EXPECT_EQ(::send(pair[0], request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::string answer;
  std::array<char, 4096> bytes{};
  for (int i = 0; i < 100 && answer.find("\r\n") == std::string::npos; ++i) {
    io.poll();
    ssize_t const count = ::recv(pair[0], bytes.data(), bytes.size(), 0);
    if (count > 0) answer.append(bytes.data(), static_cast<std::size_t>(count));
  }
  connection->abort();
  io.poll();
  ::close(pair[0]);
  return answer.substr(0, answer.find("\r\n"));
}

constexpr const char* kForbidden = "HTTP/1.1 403 Forbidden";
constexpr const char* kUpgraded = "HTTP/1.1 101 Switching Protocols";
constexpr auto kHere = protocol::Address::from_ipv4(127, 0, 0, 1, 5);
constexpr auto kThere = protocol::Address::from_ipv4(192, 0, 2, 1, 5);
constexpr auto kOwn = protocol::Address::from_ipv4(192, 0, 2, 2, 8080);  // of the server

std::string upgrade_with(const std::string& headers) {
  return "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: "
         "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         headers + "\r\n";
}

TEST(PlainWeb, OtherMachinesNeedTlsOrTheWordOfTheOperator) {
  std::string const upgrade = upgrade_with("");
  std::string const page = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  std::string const health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
  HttpOptions options;
  EXPECT_EQ(status_of(options, {kHere, kHere}, upgrade), kUpgraded);
  EXPECT_EQ(status_of(options, {kThere, kOwn}, upgrade), kForbidden);
  EXPECT_EQ(status_of(options, {kThere, kOwn}, page), kForbidden);
  EXPECT_EQ(status_of(options, {kThere, kOwn}, health), "HTTP/1.1 200 OK");
  // A header is no proof of a proxy.
  EXPECT_EQ(status_of(options, {kThere, kOwn}, upgrade_with("X-Forwarded-For: 127.0.0.1\r\n")), kForbidden);
  EXPECT_EQ(status_of(options, {kThere, kOwn}, upgrade_with("X-Forwarded-Proto: https\r\n")), kForbidden);
  options.trusted_proxies = {"192.0.2.0/24"};
  EXPECT_EQ(status_of(options, {kThere, kOwn}, upgrade), kUpgraded);
  options.trusted_proxies = {};
  options.allow_plain = true;
  EXPECT_EQ(status_of(options, {kThere, kOwn}, upgrade), kUpgraded);
}

TEST(PlainWeb, ThisMachineIsKnownByEachOfItsAddresses) {
  protocol::Address const here_v6{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 5};
  protocol::Address const own_v6{{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, 8080};
  protocol::Address neighbour_v6 = own_v6;
  neighbour_v6.ip[15] = 3;
  protocol::Address mapped;  // as an IPv6 socket sees 127.0.0.9
  mapped.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 9};
  protocol::Address own_client = kOwn;
  own_client.port = 5;
  struct Row {
    protocol::Address remote;
    protocol::Address local;
    const char* status;
  };
  for (Row const& row :
       {Row{own_client, kOwn, kUpgraded}, Row{kThere, kOwn, kForbidden}, Row{here_v6, here_v6, kUpgraded},
        Row{own_v6, own_v6, kUpgraded}, Row{neighbour_v6, own_v6, kForbidden}, Row{mapped, kHere, kUpgraded}})
    EXPECT_EQ(status_of({}, {row.remote, row.local}, upgrade_with("")), row.status)
        << protocol::to_text(row.remote) << " to " << protocol::to_text(row.local);
}

TEST(PlainWeb, AProxyThatIsNotTrustedIsAnotherMachine) {
  for (auto const* headers : {"X-Forwarded-For: 127.0.0.1\r\n", "Forwarded: for=192.0.2.1\r\n"})
    for (protocol::Address const& from : {kHere, kOwn}) {
      EXPECT_EQ(status_of({}, {from, from}, upgrade_with(headers)), kForbidden) << headers;
      HttpOptions options;
      options.trusted_proxies = {"127.0.0.0/8", "192.0.2.2"};
      EXPECT_EQ(status_of(options, {from, from}, upgrade_with(headers)), kUpgraded) << headers;
    }
}

TEST(PlainWeb, ATrustedProxyMustNotSayThatTheBrowserHasNoTls) {
  HttpOptions options;
  options.trusted_proxies = {"192.0.2.1"};
  struct Row {
    const char* headers;
    const char* status;
  };
  for (Row const& row :
       {Row{"X-Forwarded-Proto: https\r\n", kUpgraded}, Row{"X-Forwarded-Proto: wss\r\n", kUpgraded},
        Row{"X-Forwarded-Proto: https, http\r\n", kUpgraded}, Row{"X-Forwarded-Proto: http\r\n", kForbidden},
        Row{"X-Forwarded-Proto: HTTP\r\n", kForbidden}, Row{"X-Forwarded-Proto: ws\r\n", kForbidden},
        Row{"X-Forwarded-Proto: http,https\r\n", kForbidden}})
    EXPECT_EQ(status_of(options, {kThere, kOwn}, upgrade_with(row.headers)), row.status) << row.headers;
}

TEST(PlainWeb, ALineAtTheStartSaysThatOthersAreRefused) {
  auto const lines = [](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"serve", "--scene", kScenes + "stack.json", "--port", "0", "--bind"};
    arguments.insert(arguments.end(), {"127.0.0.1", "--http", "auto", "--log", "off", "--for", "0.1"});
    arguments.insert(arguments.end(), options.begin(), options.end());
    Program server(kTakt, arguments);
    EXPECT_EQ(server.wait(kPatienceS), 0) << server.output();
    return server.count("other machines get no viewer and no web socket there: add --tls-cert");
  };
  EXPECT_EQ(lines({"--http-bind", "0.0.0.0"}), 1u);
  EXPECT_EQ(lines({"--http-bind", "127.0.0.1"}), 0u);
  EXPECT_EQ(lines({"--http-bind", "0.0.0.0", "--allow-plain-web"}), 0u);
  EXPECT_EQ(lines({"--http-bind", "0.0.0.0", "--trust-proxy", "192.0.2.1"}), 0u);
}

}  // namespace
}  // namespace takt::server::test
