// The web gateway of the real program on real sockets: what it serves, what it refuses by which name, and
// that nobody suffers from those it refuses.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "tests/integration/server/serve.h"
#include "tests/integration/server/web_socket.h"

namespace takt::server::test {
namespace {

std::string refused(const std::string& reason) {
  return "takt_http_refused_total{reason=\"" + reason + "\"}";
}

std::string body_of(const std::string& answer) {
  std::size_t const end = answer.find("\r\n\r\n");
  return end == std::string::npos ? std::string() : answer.substr(end + 4);
}

bool has_status(const std::string& answer, int status) {
  return answer.rfind("HTTP/1.1 " + std::to_string(status) + " ", 0) == 0;
}

/// A folder with a page, beside a file that is nobody's business.
class Site {
 public:
  Site() : root_(temporary_file("site")) {
    std::filesystem::create_directories(root_ + "/viewer");
    write("viewer/index.html", "<title>viewer</title>");
    write("viewer/main.js", std::string(300'000, 'x'));
    write("secret.txt", "secret");
  }
  ~Site() { std::filesystem::remove_all(root_); }
  [[nodiscard]] std::string viewer() const { return root_ + "/viewer"; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ + "/" + name, std::ios::binary) << text;
  }

 private:
  std::string root_;
};

TEST(Http, ServesTheViewerHealthAndMetrics) {
  Site const site;
  Serve server({"--http", "auto", "--http-bind", "127.0.0.1", "--viewer", site.viewer()});
  int const port = server.http_port;
  ASSERT_GT(port, 0);
  EXPECT_EQ(metric(port, "takt_bodies"), 11);  // from the first moment on
  for (int i = 0; i < 200 && metric(port, "takt_tick") < 60; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_GE(metric(port, "takt_tick"), 60);
  EXPECT_EQ(body_of(http_get(port, "/")), "<title>viewer</title>");
  EXPECT_EQ(body_of(http_get(port, "/main.js")).size(), 300'000u);
  EXPECT_EQ(body_of(http_get(port, "/healthz")), "ok\n");
  EXPECT_EQ(body_of(http_get(port, "/readyz")), "ready\n");
  EXPECT_TRUE(has_status(http_get(port, "/nothing.js"), 404));
  EXPECT_TRUE(has_status(http_get(port, "/ws"), 426));
  // Several requests on one connection, HEAD and a file that the browser has.
  WebSocket socket(port);
  socket.send("HEAD /main.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  std::string const head = socket.read_answer(true);
  EXPECT_TRUE(has_status(head, 200)) << head;
  EXPECT_NE(head.find("Content-Length: 300000\r\n"), std::string::npos) << head;
  std::size_t const at = head.find("ETag: ");
  ASSERT_NE(at, std::string::npos);
  std::string const etag = head.substr(at + 6, 18);
  socket.send("GET /main.js HTTP/1.1\r\nHost: 127.0.0.1\r\nIf-None-Match: " + etag + "\r\n\r\n");
  EXPECT_TRUE(has_status(socket.read_answer(true), 304));
  socket.send("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  EXPECT_EQ(body_of(socket.read_answer()), "ready\n");
  EXPECT_GE(metric(port, "takt_http_requests_total"), 9);
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST(Http, PromtoolFindsNoFaultWithTheMetrics) {
  Serve server({"--http", "auto"});
  Program udp(kTakt, server.bot({"--udp", "--for", "1.5"}));
  EXPECT_EQ(udp.wait(kPatienceS), 0) << udp.output();
  std::string const file = temporary_file("metrics.txt");
  std::ofstream(file, std::ios::binary) << body_of(http_get(server.http_port, "/metrics"));
  Program check("/bin/sh", {"-c", std::string(TAKT_PROMTOOL) + " check metrics < " + file});
  EXPECT_EQ(check.wait(kPatienceS), 0) << check.output();
  EXPECT_EQ(check.output(), "");
  EXPECT_GT(metric(server.http_port, "takt_bytes_total{direction=\"sent\",transport=\"udp\"}"), 1000);
  std::remove(file.c_str());
}

TEST(Http, NothingLeadsOutOfTheViewersFolder) {
  Site const site;
  Serve server({"--http", "auto", "--viewer", site.viewer()});
  for (auto const* target :
       {"/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/%252e%252e/secret.txt",
        "/..\\secret.txt", "/viewer/../../secret.txt", "//secret.txt", "/./../secret.txt",
        "/index.html/../../secret.txt", "/etc/passwd", "/../../../../../../etc/passwd"}) {
    std::string const answer = http_get(server.http_port, target);
    EXPECT_TRUE(has_status(answer, 404) || has_status(answer, 400)) << target << "\n" << answer;
    EXPECT_EQ(answer.find("secret\n"), std::string::npos);
    EXPECT_EQ(answer.find("root:"), std::string::npos);
  }
}

TEST(Http, RefusesByNameWhatIsNoGoodRequest) {
  Serve server({"--http", "auto"});
  int const port = server.http_port;
  struct Case {
    std::string request;
    int status;
    const char* reason;
  };
  std::string const host = "Host: 127.0.0.1\r\n";
  std::vector<Case> const cases{
      {"GET / HTTP/1.1\r\n\r\n", 400, "request_malformed"},
      {"GET / HTTP/1.1\r\n" + host + "Host: example.com\r\n\r\n", 400, "request_malformed"},
      {"GET / HTTP/1.0\r\n" + host + host + "\r\n", 400, "request_malformed"},
      {"NONSENSE\r\n\r\n", 400, "request_malformed"},
      {"GET / HTTP/9.9\r\n" + host + "\r\n", 400, "request_malformed"},
      {"GET / HTTP/1.1\r\nno colon here\r\n\r\n", 400, "request_malformed"},
      {"GET /\xff\xfe\x80 HTTP/1.1\r\n" + host + "\x01: x\r\n\r\n", 400, "request_malformed"},
      {"GET / HTTP/1.1\r\n" + host + "X: " + std::string(9'000, 'y') + "\r\n\r\n", 431, "header_too_large"},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 5000\r\n\r\n" + std::string(5000, 'z'), 413,
       "body_too_large"},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc", 405, "method_refused"},
      {"DELETE / HTTP/1.1\r\n" + host + "\r\n", 405, "method_refused"},
      {"GET /ws HTTP/1.1\r\n" + host +
           "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 12\r\nSec-WebSocket-Key: "
           "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
       426, "upgrade_malformed"},
      {"GET /ws HTTP/1.1\r\n" + host +
           "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n",
       400, "upgrade_malformed"},
      {"GET /ws HTTP/1.1\r\n" + host +
           "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
           "short\r\n\r\n",
       400, "upgrade_malformed"},
  };
  for (Case const& one : cases) {
    double const before = metric(port, refused(one.reason));
    WebSocket socket(port);
    socket.send(one.request);
    std::string const answer = socket.read_all();
    EXPECT_TRUE(has_status(answer, one.status)) << one.request.substr(0, 60) << "\n" << answer;
    EXPECT_EQ(metric(port, refused(one.reason)), before + 1) << one.request.substr(0, 60);
  }
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST(Http, PagesOfOtherHostsMayNotConnect) {
  Serve server({"--http", "auto", "--origin", "https://game.example"});
  int const port = server.http_port;
  for (auto const* origin : {"http://evil.example", "null", "https://game.example.evil.example",
                             "http://127.0.0.1.evil.example"}) {
    WebSocket socket(port);
    EXPECT_EQ(socket.upgrade(std::string("Origin: ") + origin + "\r\n"), "HTTP/1.1 403 Forbidden") << origin;
  }
  WebSocket two(port);
  EXPECT_EQ(two.upgrade("Origin: http://127.0.0.1\r\nOrigin: http://evil.example\r\n"),
            "HTTP/1.1 403 Forbidden");
  for (auto const* headers : {"", "Origin: http://127.0.0.1:9999\r\n", "Origin: https://game.example\r\n",
                              "Host: play.example\r\nOrigin: https://play.example\r\n"}) {
    WebSocket socket(port);
    EXPECT_EQ(socket.upgrade(headers), "HTTP/1.1 101 Switching Protocols") << headers;
  }
  EXPECT_EQ(metric(port, refused("origin_refused")), 5);
}

TEST(Http, WebSocketsThatBreakARuleAreClosedWithItsCode) {
  Serve server({"--http", "auto"});
  int const port = server.http_port;
  struct Case {
    std::string bytes;
    int close_code;
    const char* reason;
  };
  auto const masked = [](std::uint8_t opcode, const std::string& payload) {
    std::string bytes = frame_bytes(static_cast<std::uint8_t>(0x80 | opcode),
                                    static_cast<std::uint8_t>(0x80 | payload.size()), std::string(4, '\0'));
    return bytes + payload;  // a mask of zeros
  };
  std::vector<Case> const cases{
      {masked(1, "hello"), 1003, "text_message"},
      {masked(1, "\xff\xfe"), 1007, "frame_malformed"},
      {masked(1, "\xed\xa0\x80"), 1007, "frame_malformed"},
      {frame_bytes(0x82, 5, "hello"), 1002, "unmasked_frame"},
      {masked(3, "x"), 1002, "frame_malformed"},
      {masked(0, "x"), 1002, "frame_malformed"},                                // continues nothing
      {frame_bytes(0xf2, 0x81, std::string(5, 'x')), 1002, "frame_malformed"},  // reserved bits
      {frame_bytes(0x89, 0xfe, std::string("\x00\x80", 2) + std::string(132, 'x')), 1002,
       "frame_malformed"},                                                      // a ping of 128 bytes
      {frame_bytes(0x09, 0x81, std::string(5, 'x')), 1002, "frame_malformed"},  // a ping in pieces
      {frame_bytes(0x82, 0xff, std::string("\x00\x00\x00\x00\x00\x10\x00\x00", 8) + "mask"), 1009,
       "message_too_large"},
      {frame_bytes(0x82, 0xff, std::string(8, '\xff') + "mask"), 1009, "message_too_large"},
  };
  for (Case const& one : cases) {
    double const before = metric(port, refused(one.reason));
    int code = 0;
    {
      WebSocket socket(port);
      ASSERT_EQ(socket.upgrade(), "HTTP/1.1 101 Switching Protocols");
      socket.send(one.bytes);
      while (auto const frame = socket.read_frame(1)) {
        if (frame->opcode != 8) continue;
        code = frame->close_code();
        break;
      }
    }
    EXPECT_EQ(code, one.close_code) << one.reason;
    // It is counted once the connection is over at the server's end.
    double counted = 0;
    for (int i = 0; i < 200 && (counted = metric(port, refused(one.reason))) == before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(counted, before + 1) << one.reason;
  }
  // A message in many small pieces is one message, and too large all the same.
  WebSocket socket(port);
  ASSERT_EQ(socket.upgrade(), "HTTP/1.1 101 Switching Protocols");
  socket.send(frame_bytes(0x02, 0xe4, std::string(4, '\0')) + std::string(100, 'x'));
  for (int i = 0; i < 200; ++i)
    socket.send(frame_bytes(0x00, 0xe4, std::string(4, '\0')) + std::string(100, 'x'));
  EXPECT_TRUE(socket.is_closed());
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST(Http, HalfRequestsAndTricklingBytesAreCutOff) {
  Serve server({"--http", "auto"});
  int const port = server.http_port;
  WebSocket silent(port);
  WebSocket half(port);
  half.send("GET / HTTP/1.1\r\nHost: 127.0.");
  WebSocket trickling(port);
  auto const begin = std::chrono::steady_clock::now();
  std::string const request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + std::string(200, 'x');
  for (std::size_t i = 0; i < 26; ++i) {
    trickling.send(request.substr(i, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    if (i % 5 == 0) {
      EXPECT_EQ(body_of(http_get(port, "/healthz")), "ok\n");  // everybody else is served meanwhile
    }
  }
  EXPECT_TRUE(silent.is_closed(5));
  EXPECT_TRUE(half.is_closed(5));
  EXPECT_TRUE(trickling.is_closed(5));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(25));
  EXPECT_EQ(metric(port, refused("request_timeout")), 3);
}

TEST(Http, OneAddressMayNotTakeAllConnections) {
  Serve server({"--http", "auto"});
  int const port = server.http_port;
  {
    std::vector<std::unique_ptr<WebSocket>> sockets;
    for (int i = 0; i < 160; ++i) sockets.push_back(std::make_unique<WebSocket>(port));
    int open = 0;
    for (auto const& socket : sockets) {
      socket->send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
      if (has_status(socket->read_answer(), 200)) ++open;
    }
    EXPECT_EQ(open, 128);
  }
  // Their places are free again.
  double counted = -1;
  for (int i = 0; i < 100 && counted < 0; ++i) {
    counted = metric(port, refused("connections_per_address"));
    if (counted < 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_GE(counted, 32);
}

TEST(Http, MetricsMayHaveAPortOfTheirOwn) {
  Site const site;
  Serve server({"--http", "auto", "--viewer", site.viewer(), "--metrics-listen", "127.0.0.1:0"});
  int const viewer = server.http_port;
  int const metrics = server.metrics_port;
  ASSERT_GT(metrics, 0);
  ASSERT_NE(metrics, viewer);
  EXPECT_EQ(metric(metrics, "takt_bodies"), 11);
  EXPECT_EQ(metric(viewer, "takt_bodies"), -1);
  EXPECT_TRUE(has_status(http_get(viewer, "/metrics"), 404));
  EXPECT_EQ(body_of(http_get(viewer, "/")), "<title>viewer</title>");
  for (int const port : {viewer, metrics}) {
    EXPECT_EQ(body_of(http_get(port, "/healthz")), "ok\n");
    std::string ready;  // once a tick has run
    for (int i = 0; i < 100 && ready != "ready\n"; ++i) {
      if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      ready = body_of(http_get(port, "/readyz"));
    }
    EXPECT_EQ(ready, "ready\n");
  }
  // The port of metrics has neither pages nor sessions.
  EXPECT_TRUE(has_status(http_get(metrics, "/"), 404));
  EXPECT_TRUE(has_status(http_get(metrics, "/main.js"), 404));
  EXPECT_TRUE(has_status(http_get(metrics, "/ws"), 404));
  EXPECT_EQ(WebSocket(metrics).upgrade(), "HTTP/1.1 404 Not Found");
  EXPECT_EQ(WebSocket(viewer).upgrade(), "HTTP/1.1 101 Switching Protocols");
  EXPECT_GE(metric(metrics, "takt_http_requests_total"), 9);  // of both ports
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST(Http, AFloodOfTheViewersPortKeepsNobodyFromTheMetrics) {
  Serve server({"--http", "auto", "--metrics-listen", "127.0.0.1:0"});
  std::vector<std::unique_ptr<WebSocket>> flood;
  for (int i = 0; i < 160; ++i) flood.push_back(std::make_unique<WebSocket>(server.http_port));
  for (int i = 0; i < 200 && metric(server.metrics_port, refused("connections_per_address")) < 32; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(metric(server.metrics_port, refused("connections_per_address")), 32);
  EXPECT_GE(metric(server.metrics_port, "takt_http_connections"), 128);
}

TEST(Http, MetricsNeedNoViewer) {
  Program on(kTakt, {"serve", "--scene", kScenes + "stack.json", "--port", "0", "--http", "0",
                     "--metrics-listen", "[::1]:0", "--log", "off"});
  ASSERT_TRUE(on.wait_for("stop with Ctrl-C\n", kPatienceS)) << on.output();
  EXPECT_NE(on.output().find("\nmetrics at http://[::1]:"), std::string::npos) << on.output();
  EXPECT_EQ(on.output().find("watch it"), std::string::npos) << on.output();
  on.signal(SIGINT);
  EXPECT_EQ(on.wait(kPatienceS), 0) << on.output();
}

TEST(Http, APortInUseIsOneLineThatNamesTheFlag) {
  Serve first({"--http", "auto"});
  Program second(kTakt, {"serve", "--scene", kScenes + "stack.json", "--port", "0", "--http",
                         std::to_string(first.http_port)});
  EXPECT_EQ(second.wait(kPatienceS), 2);
  EXPECT_EQ(second.count("\n"), 1u) << second.output();
  EXPECT_EQ(second.output().find("takt: --http " + std::to_string(first.http_port) + ": another program"), 0u)
      << second.output();
}

TEST(Http, SaysWhereToWatchAndNothingWhenItIsOff) {
  Program on(kTakt, {"serve", "--scene", kScenes + "stack.json", "--port", "0", "--http", "auto", "--for",
                     "0.5", "--log", "off"});
  EXPECT_EQ(on.wait(kPatienceS), 0);
  EXPECT_NE(on.output().find("\nwatch it at http://127.0.0.1:"), std::string::npos) << on.output();
  Program off(kTakt, {"serve", "--scene", kScenes + "stack.json", "--port", "0", "--http", "0", "--for",
                      "0.5", "--log", "off"});
  EXPECT_EQ(off.wait(kPatienceS), 0);
  EXPECT_EQ(off.output().find("http://"), std::string::npos) << off.output();
  for (auto const* bad : {"70000", "-1", "http", "80 80"}) {
    Program wrong(kTakt, {"serve", "--scene", kScenes + "stack.json", "--http", bad});
    EXPECT_EQ(wrong.wait(kPatienceS), 2) << bad;
  }
}

}  // namespace
}  // namespace takt::server::test
