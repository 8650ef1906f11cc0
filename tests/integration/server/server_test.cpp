// Does the shipped program work: a real server on an ephemeral port of loopback, real bots, real signals,
// real recordings.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "net/client_transport.h"
#include "net/clock.h"
#include "net/entropy.h"
#include "net/server_url.h"
#include "server/app/server.h"
#include "takt/client/client.h"
#include "takt/core/random.h"
#include "tests/integration/server/program.h"
#include "tests/integration/server/serve.h"
#include "tests/integration/server/web_socket.h"
#include "tests/sanitizers.h"

namespace takt::server::test {
namespace {

/// A UDP port of 127.0.0.1 that somebody has, who never answers.
class SilentSocket {
 public:
  SilentSocket() : descriptor_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const generic = reinterpret_cast<sockaddr*>(&at);
    timeval const timeout{20, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    EXPECT_EQ(::bind(descriptor_, generic, size), 0);
    EXPECT_EQ(::getsockname(descriptor_, generic, &size), 0);
    port_ = ntohs(at.sin_port);
  }
  ~SilentSocket() { ::close(descriptor_); }
  SilentSocket(const SilentSocket&) = delete;
  SilentSocket& operator=(const SilentSocket&) = delete;
  [[nodiscard]] int port() const noexcept { return port_; }
  /// Waits for a datagram; false: none came within 20 s.
  [[nodiscard]] bool receive() const {
    std::array<char, 2000> buffer{};
    return ::recv(descriptor_, buffer.data(), buffer.size(), 0) >= 0;
  }

 private:
  int descriptor_;
  int port_ = 0;
};

/// A plain socket that has connected to the server, to send it what no client sends.
class RawSocket {
 public:
  RawSocket(int type, int port) : descriptor_(::socket(AF_INET, type, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval const timeout{20, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    is_open_ = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~RawSocket() { ::close(descriptor_); }
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  void send(const std::vector<unsigned char>& bytes) const {
    (void)::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  /// True when the other end closes within 20 s.
  [[nodiscard]] bool is_closed_by_server() const {
    std::array<char, 256> buffer{};
    for (;;) {
      ssize_t const count = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
      if (count == 0) return true;
      if (count < 0) return errno == ECONNRESET;
    }
  }

 private:
  int descriptor_;
  bool is_open_ = false;
};

std::vector<unsigned char> random_bytes(Random& random, std::size_t count) {
  std::vector<unsigned char> bytes(count);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(random.next_u32());
  return bytes;
}

TEST(Serve, BotsPlayOverUdpAndTcpAndTheRecordingVerifies) {
  std::string const recording = temporary_file("session.takt");
  Serve server({"--record", recording});
  Program udp(kTakt, server.bot({"--udp", "--for", "4"}));
  Program tcp(kTakt, server.bot({"--tcp", "--for", "4", "--count", "3", "--seed", "2"}));
  EXPECT_EQ(udp.wait(kPatienceS), 0) << udp.output();
  EXPECT_EQ(tcp.wait(kPatienceS), 0) << tcp.output();
  for (Program* const bot : {&udp, &tcp}) {
    std::size_t const last = bot->output().rfind("{\"event\":\"stop\"");
    ASSERT_NE(last, std::string::npos) << bot->output();
    EXPECT_GT(bot->number_after("\"last_acknowledged\":", last), 0) << bot->output();
    EXPECT_NE(bot->output().find("\"lost\":0,", last), std::string::npos) << bot->output();
  }
  EXPECT_EQ(tcp.count("\"joined\":3"), tcp.count("\"event\":")) << tcp.output();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
  EXPECT_EQ(server.program.number_after("\"joined\":"), 4) << server.program.output();
  EXPECT_GT(server.program.number_after("\"inputs_applied\":"), 20) << server.program.output();
  EXPECT_GE(server.program.count("\"event\":\"status\""), 3u);
  Program verify(kTakt, {"replay", "verify", recording});
  EXPECT_EQ(verify.wait(kPatienceS), 0) << verify.output();
  EXPECT_NE(verify.output().find("bit for bit"), std::string::npos) << verify.output();
  // A run of its inputs from its first state comes to the same state.
  std::string const state = temporary_file("first.state");
  std::string const script = temporary_file("inputs.json");
  Program seek(kTakt, {"replay", "seek", recording, "--tick", "0", "--save", state});
  EXPECT_EQ(seek.wait(kPatienceS), 0) << seek.output();
  Program inputs(kTakt, {"replay", "inputs", recording});
  EXPECT_EQ(inputs.wait(kPatienceS), 0) << inputs.output();
  std::ofstream(script) << inputs.output();
  auto const ticks = static_cast<std::uint64_t>(verify.number_after("verified "));
  Program run(kTakt, {"run", kScenes + "stack.json", "--ticks", std::to_string(ticks), "--from", state,
                      "--inputs", script});
  EXPECT_EQ(run.wait(kPatienceS), 0) << run.output();
  std::size_t const hash = verify.output().find("tick " + std::to_string(ticks) + " hash 0x");
  ASSERT_NE(hash, std::string::npos) << verify.output();
  std::string const end = verify.output().substr(hash, verify.output().find(',', hash) - hash);
  EXPECT_NE(run.output().find(end + " bodies "), std::string::npos) << end << '\n' << run.output();
  for (const std::string& file : {recording, state, script}) std::remove(file.c_str());
}

// Clients that simulate, beside one that shows snapshots.
TEST(Serve, BotsThatSimulateHaveTheServersBits) {
  for (char const* const mode : {"rollback", "lockstep"}) {
    Serve server(std::vector<std::string>{"--replicas"});
    Program watcher(kTakt, server.bot({"--udp", "--for", "4"}));
    Program udp(kTakt, server.bot({"--udp", "--for", "4", "--count", "2", "--mode", mode, "--seed", "3"}));
    Program tcp(kTakt, server.bot({"--tcp", "--for", "4", "--mode", mode, "--input-delay", "2"}));
    EXPECT_EQ(watcher.wait(kPatienceS), 0) << watcher.output();
    for (Program* const bot : {&udp, &tcp}) {
      EXPECT_EQ(bot->wait(kPatienceS), 0) << bot->output();
      std::size_t const last = bot->output().rfind("{\"event\":\"stop\"");
      ASSERT_NE(last, std::string::npos) << bot->output();
      EXPECT_GT(bot->number_after("\"hashes_equal\":", last), 8) << bot->output();
      EXPECT_EQ(bot->number_after("\"hashes_different\":", last), 0) << bot->output();
      EXPECT_GT(bot->number_after("\"commands\":", last), 5) << bot->output();
    }
    EXPECT_EQ(server.interrupt(), 0) << server.program.output();
  }
}

// Clients that predict what is near their bodies, beside one that simulates all. They compare no hashes:
// their figures count the bodies that snapshots brought.
TEST(Serve, BotsThatPredictAreCorrectedBySnapshots) {
  Serve server(std::vector<std::string>{"--replicas"});
  Program whole(kTakt, server.bot({"--udp", "--for", "5", "--mode", "rollback", "--seed", "4"}));
  Program udp(kTakt,
              server.bot({"--udp", "--for", "5", "--count", "2", "--mode", "predicted", "--seed", "3"}));
  Program tcp(kTakt, server.bot({"--tcp", "--for", "5", "--mode", "predicted", "--input-delay", "2"}));
  for (Program* const bot : {&udp, &tcp}) {
    EXPECT_EQ(bot->wait(kPatienceS), 0) << bot->output();
    EXPECT_EQ(bot->count("\"mode\":\"predicted\""), bot->count("\"event\":")) << bot->output();
    std::size_t const last = bot->output().rfind("{\"event\":\"stop\"");
    ASSERT_NE(last, std::string::npos) << bot->output();
    EXPECT_EQ(bot->number_after("\"playing\":", last), bot == &udp ? 2 : 1) << bot->output();
    // The input delay over TCP covers the path.
    if (bot == &udp) {
      EXPECT_GT(bot->number_after("\"lead_ticks\":", last), 0) << bot->output();
    }
    EXPECT_GT(bot->number_after("\"commands\":", last), 5) << bot->output();
    EXPECT_GT(bot->number_after("\"area_bodies\":", last), 0) << bot->output();
    double const compared = bot->number_after("\"bodies_compared\":", last);
    EXPECT_GT(compared, 100) << bot->output();
    EXPECT_LT(bot->number_after("\"bodies_corrected\":", last), compared) << bot->output();
    EXPECT_EQ(bot->number_after("\"hashes_different\":", last), 0) << bot->output();
    EXPECT_EQ(bot->number_after("\"desyncs\":", last), 0) << bot->output();
  }
  EXPECT_EQ(whole.wait(kPatienceS), 0) << whole.output();
  std::size_t const last = whole.output().rfind("{\"event\":\"stop\"");
  ASSERT_NE(last, std::string::npos) << whole.output();
  EXPECT_GT(whole.number_after("\"hashes_equal\":", last), 8) << whole.output();
  EXPECT_EQ(whole.number_after("\"hashes_different\":", last), 0) << whole.output();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST(Serve, ABotThatPredictsSaysSoInPlainWordsAndNeedsAServerThatOffersIt) {
  for (bool const is_offered : {true, false}) {
    Serve server(is_offered ? std::vector<std::string>{"--replicas"} : std::vector<std::string>{});
    Program bot(kTakt, {"bot", "--connect", server.address(), "--mode", "predicted", "--for", "3"});
    EXPECT_EQ(bot.wait(kPatienceS), is_offered ? 0 : 1) << bot.output();
    EXPECT_EQ(bot.count(" distance to the server's bodies "), is_offered ? 1u : 0u) << bot.output();
    EXPECT_EQ(bot.count(" hashes "), 0u) << bot.output();
    EXPECT_EQ(bot.count("this server offers mode snapshot, you asked for predicted"), is_offered ? 0u : 1u)
        << bot.output();
    EXPECT_EQ(server.interrupt(), 0) << server.program.output();
  }
}

TEST(Serve, RefusedCommandsAreCountedByReasonAtTheEnd) {
  for (bool const has_json : {false, true}) {
    std::vector<std::string> serve{
        "serve", "--scene", kScenes + "stack.json", "--port", "0", "--bind", "127.0.0.1", "--http", "0",
        "--log", "off"};
    if (has_json) serve.emplace_back("--json");
    Program server(CRASH_GAME, serve);
    std::string const key = has_json ? "\"port\":" : "UDP port ";
    ASSERT_TRUE(server.wait_for(key, kPatienceS)) << server.output();
    ASSERT_TRUE(server.wait_for("\n", kPatienceS));
    auto const port = std::to_string(static_cast<int>(server.number_after(key)));
    std::vector<std::string> play{"bot", "--connect", "127.0.0.1:" + port, "--for", "2"};
    if (has_json) play.emplace_back("--json");
    Program bot(CRASH_GAME, play);
    EXPECT_EQ(bot.wait(kPatienceS), 0) << bot.output();
    server.signal(SIGINT);
    EXPECT_EQ(server.wait(kPatienceS), 0) << server.output();
    std::string const reason = has_json ? "\"refusals\":{\"game_refused\":" : " refused (game_refused ";
    for (Program* const program : {&bot, &server}) {
      std::size_t const last = program->output().rfind(has_json ? "\"event\":\"stop\"" : "refused (");
      ASSERT_NE(last, std::string::npos) << program->output();
      EXPECT_GT(program->number_after(reason, last - 1), 0) << program->output();
    }
  }
}

TEST(Serve, SaysHowToConnectAndHowItIsInPlainWords) {
  Program server(kTakt, {"serve", "--scene", kScenes + "pyramid.json", "--port", "0", "--bind", "127.0.0.1",
                         "--http", "0", "--for", "2.5", "--log", "off"});
  EXPECT_EQ(server.wait(kPatienceS), 0) << server.output();
  std::string const& out = server.output();
  EXPECT_NE(out.find("pyramid.json (Pyramid: a wall of boxes, twenty at its foot): 211 bodies, float "
                     "numbers, 60 Hz, 4 substeps\n"),
            std::string::npos)
      << out;
  auto const port = static_cast<int>(server.number_after("UDP port "));
  EXPECT_GT(port, 0);
  EXPECT_EQ(static_cast<int>(server.number_after("TCP port ")), port);
  std::string const address = "127.0.0.1:" + std::to_string(port);
  std::size_t const at = out.find("address: takt://" + address + '#');
  ASSERT_NE(at, std::string::npos) << out;
  std::size_t const key_at = out.find('#', at);
  std::string const key = out.substr(key_at, out.find('\n', key_at) - key_at);
  EXPECT_EQ(key.size(), 1u + 43) << out;
  EXPECT_NE(out.find("takt bot --connect " + address + key + " --udp --for 10\n"), std::string::npos) << out;
  EXPECT_NE(out.find("tick 60  clients 0  bodies 211 (210 awake)  ms/tick "), std::string::npos) << out;
  EXPECT_NE(out.find("refused packets: none\n"), std::string::npos) << out;
  // The last line is the one that every command ends with.
  std::string const last = out.substr(out.rfind('\n', out.size() - 2) + 1);
  EXPECT_EQ(last.find("tick "), 0u) << last;
  EXPECT_NE(last.find(" bodies 211 ms/tick "), std::string::npos) << last;
}

// A server that starts again with its identity has the address that its players know, and no other server
// has.
TEST(Serve, KeepsItsKeyAndClientsThatNameItMeetNoOther) {
  std::string const identity = temporary_file("identity");
  ::unlink(identity.c_str());
  auto const key_of = [](const std::string& output) {
    std::size_t const at = output.find("\"key\":\"") + 7;
    return output.substr(at, output.find('"', at) - at);
  };
  std::string first;
  {
    Serve server({"--identity", identity});
    first = key_of(server.program.output());
    EXPECT_EQ(first.size(), 43u);
    for (const char* const transport : {"udp://", "tcp://"}) {
      auto player = client::Client::connect(transport + server.address() + '#' + first);
      ASSERT_TRUE(player.ok());
      for (int i = 0; i < 1000 && !player->is_joined(); ++i) player->wait(10);
      EXPECT_TRUE(player->is_joined()) << transport;
    }
  }
  Serve again({"--identity", identity});
  EXPECT_EQ(key_of(again.program.output()), first);
  Serve other;
  EXPECT_NE(key_of(other.program.output()), first);
  Program bot(kTakt, {"bot", "--connect", "takt://" + other.address() + '#' + first, "--tcp", "--for", "1"});
  EXPECT_EQ(bot.wait(kPatienceS), 1);
  EXPECT_NE(bot.output().find("another key"), std::string::npos) << bot.output();
  ::unlink(identity.c_str());
}

TEST(Serve, TellsGeometryAndAnswersQuestionsOverUdpAndTcp) {
  std::string const scene = temporary_file("geometry.json");
  {
    std::FILE* const file = std::fopen(scene.c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fputs(R"({"world": {"gravity": [0, 0, 0]}, "bodies": [
      {"type": "static", "shapes": [{"height_field": {"rows": 3, "columns": 3, "heights": [0, 0, 0, 0, 1, 0, 0, 0, 0], "holes": [0, 0, 0, 1]}}]},
      {"position": [9, 3, 0], "shapes": [{"hull": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "rounding": 0.25}}]}]})",
               file);
    std::fclose(file);
  }
  Serve server({"--scene", scene});
  for (std::string const transport : {"udp://", "tcp://"}) {
    auto client = client::Client::connect(transport + server.address());
    ASSERT_TRUE(client.ok());
    auto const until = [&](auto done) {
      for (int i = 0; i < 2000 && !done(); ++i) client->wait(10);
      return done();
    };
    ASSERT_TRUE(until([&] { return client->bodies().size() == 2; })) << transport;
    client::Body const ground = client->bodies()[0];
    ASSERT_EQ(ground.geometries.size(), 1u);
    const client::Geometry* const field = client->geometry(ground.geometries[0]);
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->kind, client::GeometryKind::kHeightField);
    EXPECT_EQ(field->heights_m,
              (std::vector<float>{-0.5f, -0.5f, -0.5f, -0.5f, 0.5f, -0.5f, -0.5f, -0.5f, -0.5f}));
    EXPECT_EQ(field->holes, (std::vector<std::uint8_t>{0, 0, 0, 1}));
    client::Body const stone = client->bodies()[1];
    EXPECT_EQ(stone.shapes[0].kind, ShapeKind::kHull);
    EXPECT_EQ(stone.shapes[0].rounding_m, 0.25);
    EXPECT_EQ(client->geometry(stone.geometries[0])->face_sizes.size(), 4u);
    EXPECT_EQ(client->geometry(1), nullptr);

    auto const at = [](double x, double y, double z) {
      auto const raw = [](double v) { return static_cast<std::int64_t>(v * 0x1p32); };
      return Position::from_raw(raw(x), raw(y), raw(z));
    };
    std::vector<Query> const questions{Query::ray(at(1, 5, 1), {0, -10, 0}),
                                       Query::ray(at(1.75, 5, 1.5), {0, -10, 0}),
                                       Query::closest_point(at(9, 5, 0), 10)};
    auto const request = client->query(questions);
    ASSERT_TRUE(request.ok());
    std::optional<client::QueryDone> decided;
    ASSERT_TRUE(until([&] {
      while (auto event = client->next_event())
        if (auto const* one = std::get_if<client::QueryDone>(&*event)) decided = *one;
      return decided.has_value();
    })) << transport;
    EXPECT_EQ(decided->request, *request);
    EXPECT_EQ(decided->status, "answered");
    ASSERT_EQ(decided->answers.size(), 3u);
    ASSERT_EQ(decided->answers[0].hits.size(), 1u);
    EXPECT_EQ(decided->answers[0].hits[0].body, ground.id);
    EXPECT_NEAR(decided->answers[0].hits[0].fraction, 0.4, 1e-9);
    EXPECT_NE(decided->answers[0].hits[0].triangle, kNoTriangle);
    EXPECT_FALSE(decided->answers[1].found) << "through the hole";
    ASSERT_EQ(decided->answers[2].hits.size(), 1u);
    EXPECT_EQ(decided->answers[2].hits[0].body, stone.id);
    EXPECT_NEAR(decided->answers[2].hits[0].distance_m, 0.75, 1e-4);
    client->leave();
    client->poll();
  }
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
  std::remove(scene.c_str());
}

TEST(Serve, TellsItsClientsWhenItStops) {
  for (std::string const transport : {"--udp", "--tcp"}) {
    Serve server;
    Program bot(kTakt, server.bot({transport}));
    ASSERT_TRUE(bot.wait_for("\"joined\":1", kPatienceS)) << bot.output();
    server.program.signal(SIGTERM);
    EXPECT_EQ(server.program.wait(kPatienceS), 0) << server.program.output();
    EXPECT_EQ(bot.wait(kPatienceS), 1) << bot.output();
    EXPECT_NE(bot.output().find("server_stopped (the server is stopping)"), std::string::npos)
        << bot.output();
  }
}

TEST(Serve, APortInUseIsOneLineWithTheRemedy) {
  Serve first;
  Program second(kTakt, {"serve", "--scene", kScenes + "stack.json", "--bind", "127.0.0.1", "--http", "0",
                         "--port", std::to_string(first.port)});
  EXPECT_EQ(second.wait(kPatienceS), 2);
  EXPECT_EQ(second.count("\n"), 1u) << second.output();
  EXPECT_EQ(second.output().find("takt: "), 0u) << second.output();
  EXPECT_NE(second.output().find(std::to_string(first.port)), std::string::npos) << second.output();
  EXPECT_NE(second.output().find("--port"), std::string::npos) << second.output();
}

TEST(Serve, AFullDiskIsSaidOnceAndTheGameGoesOn) {
  Serve server({"--record", "/dev/full"});
  Program bot(kTakt, server.bot({"--for", "2"}));
  EXPECT_EQ(bot.wait(kPatienceS), 0) << bot.output();
  EXPECT_EQ(server.interrupt(), 1) << server.program.output();
  EXPECT_EQ(server.program.count("the recording stopped"), 1u) << server.program.output();
  EXPECT_NE(server.program.output().find("No space left"), std::string::npos) << server.program.output();
  EXPECT_GT(server.program.number_after("\"inputs_applied\":"), 3);
}

TEST(Serve, WorksWithoutStdin) {
  Program::Start start;
  start.close_stdin = true;
  Serve server({}, start);
  Program bot(kTakt, server.bot({"--for", "1.2"}), start);
  EXPECT_EQ(bot.wait(kPatienceS), 0) << bot.output();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST(Serve, GarbageIsCountedByNameAndHarmsNobody) {
  Serve server;
  Program bot(kTakt, server.bot({"--udp", "--for", "4"}));
  ASSERT_TRUE(bot.wait_for("\"joined\":1", kPatienceS)) << bot.output();
  Random random(20261121);
  {
    RawSocket const datagrams(SOCK_DGRAM, server.port);
    for (int i = 0; i < 3000; ++i) {
      std::vector<unsigned char> bytes = random_bytes(random, random.next_below(1400));
      std::array<unsigned char, 4> const magic{'T', 'K', 'T', '1'};
      if (i % 2 == 0 && bytes.size() >= 4) std::copy(magic.begin(), magic.end(), bytes.begin());
      datagrams.send(bytes);
      if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    for (int i = 0; i < 20; ++i) {
      RawSocket const stream(SOCK_STREAM, server.port);
      ASSERT_TRUE(stream.is_open());
      stream.send(random_bytes(random, 5000));
    }
  }
  EXPECT_EQ(bot.wait(kPatienceS), 0) << bot.output();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
  EXPECT_GT(server.program.number_after("\"datagram_bad_magic\":"), 500) << server.program.output();
  EXPECT_GT(server.program.number_after("\"datagram_oversize\":"), 100) << server.program.output();
  EXPECT_GE(server.program.number_after("\"frame_oversize\":"), 10) << server.program.output();
}

TEST(Serve, AStreamThatSaysNothingIsClosed) {
  Serve server;
  RawSocket const silent(SOCK_STREAM, server.port);
  ASSERT_TRUE(silent.is_open());
  EXPECT_TRUE(silent.is_closed_by_server());  // after ServerOptions::stream_handshake_us
  Program bot(kTakt, server.bot({"--tcp", "--for", "1.2"}));
  EXPECT_EQ(bot.wait(kPatienceS), 0) << bot.output();
  EXPECT_EQ(server.interrupt(), 0);
}

// The log was written by the threads of the network and of the ticks: both stood when nobody read stderr.
TEST(Serve, ALogThatNobodyReadsStopsNeitherDoorsNorTicks) {
  std::string const fifo = temporary_file("log");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  int const unread = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(unread, 0);
  ASSERT_EQ(::fcntl(unread, F_SETPIPE_SZ, 4096), 4096);
  Program server(
      "/bin/sh",
      {"-c", "exec '" + kTakt + "' serve --scene '" + kScenes +
                 "stack.json' --port 0 --bind 127.0.0.1 --http 0 --json --log debug 2>'" + fifo + "'"});
  ASSERT_TRUE(server.wait_for("\"http_port\":", kPatienceS)) << server.output();
  std::string const address =
      "127.0.0.1:" + std::to_string(static_cast<int>(server.number_after("\"port\":")));
  for (int i = 0; i < 100; ++i) {
    auto client = client::Client::connect("tcp://" + address);
    ASSERT_TRUE(client.ok());
    for (int turn = 0; turn < 2000 && !client->is_joined(); ++turn) client->wait(5);
    ASSERT_TRUE(client->is_joined()) << i;
    (void)client->send(sim::DespawnCommand{});  // a line for each refused command
    client->leave();
    while (client->is_open()) client->wait(5);
  }
  auto const tick_now = [&] {
    (void)server.wait_for("no such text", 1.2);
    return server.number_after("\"tick\":", server.output().rfind("\"event\":\"status\""));
  };
  double const before = tick_now();
  EXPECT_GT(tick_now(), before);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(kPatienceS), 0) << "nor the end of the program";
  ::close(unread);
  ::unlink(fifo.c_str());
}

TEST(Serve, AKilledClientIsNoticedAndItsPlaceIsFreeAgain) {
  Serve server({"--players", "2"});
  {
    Program udp(kTakt, server.bot({"--udp"}));
    Program tcp(kTakt, server.bot({"--tcp"}));
    ASSERT_TRUE(udp.wait_for("\"joined\":1", kPatienceS)) << udp.output();
    ASSERT_TRUE(tcp.wait_for("\"joined\":1", kPatienceS)) << tcp.output();
    Program third(kTakt, server.bot({"--udp", "--for", "5"}));
    EXPECT_EQ(third.wait(kPatienceS), 1);
    EXPECT_NE(third.output().find("server_full"), std::string::npos) << third.output();
  }  // kill -9
  ASSERT_TRUE(server.program.wait_for("left: connection_lost", kPatienceS)) << server.program.output();
  ASSERT_TRUE(server.program.wait_for("left: timed_out", kPatienceS)) << server.program.output();
  Program next(kTakt, server.bot({"--udp", "--for", "1.2", "--count", "2"}));
  EXPECT_EQ(next.wait(kPatienceS), 0) << next.output();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST(Serve, RefusesAnotherProtocolVersionWithTheReason) {
  Serve server;
  for (protocol::TransportKind const kind :
       {protocol::TransportKind::kDatagram, protocol::TransportKind::kStream}) {
    protocol::ClientOptions options;
    options.transport = kind;
    options.nonce = net::draw_nonce();
    options.protocol_version = protocol::kProtocolVersion + 1;
    options.key_seed = std::make_shared<const crypto::SecretKey>(net::draw_seed());
    protocol::ClientEndpoint endpoint(options);
    auto const transport =
        net::ClientTransport::open("127.0.0.1", static_cast<std::uint16_t>(server.port), kind, endpoint);
    ASSERT_TRUE(transport.ok());
    std::uint64_t const until_us = net::now_us() + 10'000'000;
    while (endpoint.state() != protocol::ClientState::kDisconnected && net::now_us() < until_us)
      (*transport)->wait_for(10'000);
    protocol::ClientEvent event;
    ASSERT_TRUE(endpoint.poll_event(event));
    ASSERT_TRUE(std::holds_alternative<protocol::Disconnected>(event));
    EXPECT_EQ(std::get<protocol::Disconnected>(event).refused, protocol::RefuseReason::kVersionMismatch);
  }
  EXPECT_EQ(server.interrupt(), 0);
  EXPECT_GE(server.program.number_after("\"handshake_refused\":"), 2) << server.program.output();
}

TEST(Client, CommandsThatMakeNoSenseAreRefusedByNameAtBothEnds) {
  Serve server;
  auto client = client::Client::connect("tcp://" + server.address());
  ASSERT_TRUE(client.ok());
  EXPECT_FALSE(client->send(sim::ReleaseCommand{}).ok());  // not joined yet
  std::uint64_t const until_us = net::now_us() + 20'000'000;
  while (client->bodies().empty() && net::now_us() < until_us) client->wait(10);
  ASSERT_FALSE(client->bodies().empty());
  BodyId const box = client->bodies().back().id;
  float const nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(client->send(sim::ImpulseCommand{box, {nan, 0, 0}, std::nullopt}).error(),
            client::ClientError::kNotFinite);
  EXPECT_EQ(client->send(sim::ImpulseCommand{box, {1e30f, 0, 0}, std::nullopt}).error(),
            client::ClientError::kOutOfRange);
  EXPECT_EQ(client->send(sim::JoinCommand{7, true, "me"}).error(), client::ClientError::kNotSendable);
  ASSERT_TRUE(client->send(sim::ImpulseCommand{{4000, 9}, {0, 1, 0}, std::nullopt}).ok());
  ASSERT_TRUE(client->send(sim::ImpulseCommand{box, {9e8f, 0, 0}, std::nullopt}).ok());
  ASSERT_TRUE(client->send(sim::DespawnCommand{box}).ok());
  ASSERT_TRUE(client->send_at(UINT64_MAX, sim::ReleaseCommand{}).ok());
  ASSERT_TRUE(client->send(sim::CustomCommand{std::vector<std::byte>(5)}).ok());
  std::map<std::uint32_t, client::CommandStatus> fates;  // moved first and refused then is refused
  std::map<std::uint32_t, sim::Refusal> reasons;
  while (fates.size() < 5 && net::now_us() < until_us) {
    client->wait(10);
    while (auto event = client->next_event()) {
      auto const* const decided = std::get_if<client::CommandOutcome>(&*event);
      if (decided == nullptr || decided->status == client::CommandStatus::kMoved) continue;
      fates[decided->sequence] = decided->status;
      reasons[decided->sequence] = decided->refusal;
    }
  }
  using enum client::CommandStatus;
  EXPECT_EQ(fates, (std::map<std::uint32_t, client::CommandStatus>{{1, kRefusedUnknownBody},
                                                                   {2, kRefusedLimit},
                                                                   {3, kRefusedPermission},
                                                                   {4, kRefusedEarly},
                                                                   {5, kRefusedInvalid}}));
  EXPECT_EQ(reasons, (std::map<std::uint32_t, sim::Refusal>{{1, sim::Refusal::kUnknownBody},
                                                            {2, sim::Refusal::kOverLimit},
                                                            {3, sim::Refusal::kForbidden},
                                                            {4, sim::Refusal::kTooEarly},
                                                            {5, sim::Refusal::kNoGame}}));
  client->leave("bye");
  while (client->is_open() && net::now_us() < until_us + 5'000'000) client->wait(10);
  bool left = false;
  while (auto event = client->next_event()) left = left || std::holds_alternative<client::Left>(*event);
  EXPECT_TRUE(left);
  ASSERT_TRUE(server.program.wait_for("left: client_left (bye)", kPatienceS)) << server.program.output();
  EXPECT_EQ(server.interrupt(), 0);
}

TEST(Bot, SaysWhyItCouldNotJoin) {
  for (std::string const transport : {"--udp", "--tcp"}) {
    Program bot(kTakt, {"bot", "--connect", "127.0.0.1:1", transport, "--for", "8"});
    EXPECT_EQ(bot.wait(kPatienceS), 1);
    EXPECT_EQ(bot.output().find("takt: could not join "), 0u) << bot.output();
  }
}

TEST(Usage, WhatIsNotOfferedIsRefusedWithWhatIs) {
  struct Case {
    std::vector<std::string> arguments;
    std::string says;
  };
  std::string const scene = kScenes + "stack.json";
  std::vector<Case> const cases{
      {{"bot", "--connect", "127.0.0.1:1", "--mode", "rollback", "--inspect", "joints"}, "--mode snapshot"},
      {{"bot", "--connect", "127.0.0.1:1", "--mode", "predicted", "--inspect", "joints"}, "--mode snapshot"},
      {{"bot", "--connect", "127.0.0.1:1", "--mode", "predicted", "--desync-dir", "desyncs"},
       "add --mode rollback or lockstep"},
      {{"bot", "--connect", "127.0.0.1"}, "HOST:PORT"},
      {{"bot", "--connect", "127.0.0.1:0"}, "HOST:PORT"},
      {{"bot", "--connect", "127.0.0.1:1", "--udp", "--tcp"}, "--tcp"},
      {{"serve"}, "--scene"},
      {{"serve", "--scene", scene, "--threads", "65"}, "allowed is auto or 1 to 64"},
      {{"serve", "--scene", scene, "--port", "70000"}, "--port"},
      {{"serve", "--scene", "no/such.json"}, "no/such.json: "},
      {{"serve", "--scene", scene, "--bind", "192.0.2.77", "--for", "1"}, "192.0.2.77"},
      {{"serve", "--scene", scene, "--record", "/no/such/folder/a.takt"}, "/no/such/folder/a.takt"},
      {{"relay", "--listen", "7778"}, "ADDRESS:PORT"},
  };
  for (Case const& one : cases) {
    Program program(kTakt, one.arguments);
    EXPECT_EQ(program.wait(kPatienceS), 2) << program.output();
    EXPECT_EQ(program.output().find("takt: "), 0u) << program.output();
    EXPECT_NE(program.output().find(one.says), std::string::npos) << program.output();
  }
}

// The acceptance test on real sockets, shorter: the one on a virtual clock (tests/simulation/server) runs the
// whole 30 s.
TEST(Relay, BotsOverUdpAndBotsOverTcpThroughABadNetwork) {
  std::string const count = takt::test::kIsSanitized ? "6" : "20";
  std::string const recording = temporary_file("relay.takt");
  Serve server({"--record", recording});
  Program relay(kTakt, {"relay", "--listen", "127.0.0.1:0", "--to", server.address(), "--loss", "10",
                        "--delay-ms", "100", "--jitter-ms", "20", "--duplicate", "5", "--reorder", "5"});
  ASSERT_TRUE(relay.wait_for("relaying UDP and TCP from 127.0.0.1:", kPatienceS)) << relay.output();
  std::string const address =
      "127.0.0.1:" + std::to_string(static_cast<int>(relay.number_after("127.0.0.1:")));
  Program udp(kTakt, {"bot", "--connect", address, "--udp", "--count", count, "--for", "8", "--json"});
  Program tcp(kTakt, {"bot", "--connect", address, "--tcp", "--count", count, "--for", "8", "--json"});
  EXPECT_EQ(udp.wait(60), 0) << udp.output();
  EXPECT_EQ(tcp.wait(60), 0) << tcp.output();
  std::string const all = "\"bots\":" + count + ",\"joined\":" + count + ",\"lost\":0";
  EXPECT_NE(udp.output().find(all, udp.output().rfind("stop")), std::string::npos) << udp.output();
  EXPECT_NE(tcp.output().find(all, tcp.output().rfind("stop")), std::string::npos) << tcp.output();
  relay.signal(SIGINT);
  EXPECT_EQ(relay.wait(kPatienceS), 0);
  EXPECT_GT(relay.number_after(" in, "), 100) << relay.output();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
  Program verify(kTakt, {"replay", "verify", recording});
  EXPECT_EQ(verify.wait(kPatienceS), 0) << verify.output();
  std::remove(recording.c_str());
}

TEST(Ping, MeasuresThePathWithoutASession) {
  Serve server({"--http", "auto"});
  Program relay(kTakt, {"relay", "--listen", "127.0.0.1:0", "--to", server.address(), "--delay-ms", "50"});
  ASSERT_TRUE(relay.wait_for("relaying UDP and TCP from 127.0.0.1:", kPatienceS)) << relay.output();
  std::string const far = "127.0.0.1:" + std::to_string(static_cast<int>(relay.number_after("127.0.0.1:")));
  Program json(kTakt, {"ping", far, "--count", "3", "--timeout-ms", "20000", "--json"});
  EXPECT_EQ(json.wait(kPatienceS), 0) << json.output();
  EXPECT_EQ(json.count("\"event\":\"reply\""), 3u) << json.output();
  EXPECT_NE(json.output().find("\"sent\":3,\"received\":3,\"lost\":0,\"lost_percent\":0.00"),
            std::string::npos)
      << json.output();
  double const min_ms = json.number_after("\"rtt_min_ms\":");
  double const median_ms = json.number_after("\"rtt_median_ms\":");
  EXPECT_GE(min_ms, 100) << json.output();
  EXPECT_LE(min_ms, median_ms) << json.output();
  EXPECT_LE(median_ms, json.number_after("\"rtt_max_ms\":")) << json.output();
  EXPECT_EQ(json.number_after("\"protocol\":"), protocol::kProtocolVersion) << json.output();
  // The address as the server prints it. Whoever has another key gets an answer all the same.
  std::string const pinned = "takt://" + server.address() + "#" + std::string(43, 'A');
  Program text(kTakt, {"ping", pinned, "--count", "2", "--timeout-ms", "20000"});
  EXPECT_EQ(text.wait(kPatienceS), 0) << text.output();
  EXPECT_NE(text.output().find("2 sent, 2 received, 0 lost (0.00 %); round trip: smallest "),
            std::string::npos)
      << text.output();
  EXPECT_NE(text.output().find("protocol version " + std::to_string(protocol::kProtocolVersion) + "\n"),
            std::string::npos)
      << text.output();
  EXPECT_EQ(metric(server.http_port, "takt_latency_probes_total"), 5);
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
  EXPECT_EQ(server.program.number_after("\"joined\":"), 0) << server.program.output();
}

TEST(Ping, CountsWhatIsLost) {
  Serve server;
  Program relay(kTakt, {"relay", "--listen", "127.0.0.1:0", "--to", server.address(), "--loss", "30"});
  ASSERT_TRUE(relay.wait_for("relaying UDP and TCP from 127.0.0.1:", kPatienceS)) << relay.output();
  std::string const far = "127.0.0.1:" + std::to_string(static_cast<int>(relay.number_after("127.0.0.1:")));
  Program ping(kTakt, {"ping", far, "--count", "12", "--timeout-ms", "2000", "--json"});
  EXPECT_EQ(ping.wait(kPatienceS), 0) << ping.output();  // the relay's seed is fixed
  auto const received = static_cast<std::size_t>(ping.number_after("\"received\":"));
  EXPECT_GT(received, 0u);
  EXPECT_LT(received, 12u);
  EXPECT_EQ(ping.count("\"event\":\"reply\""), received) << ping.output();
  EXPECT_EQ(ping.count("\"event\":\"lost\""), 12 - received) << ping.output();
  EXPECT_NEAR(ping.number_after("\"lost_percent\":"), 100.0 * static_cast<double>(12 - received) / 12, 0.006);
}

TEST(Ping, WithoutAnyReplyFailsAndTellsTheRemedy) {
  SilentSocket const silent;
  std::string const address = "127.0.0.1:" + std::to_string(silent.port());
  Program ping(kTakt, {"ping", address, "--count", "2", "--timeout-ms", "100"});
  EXPECT_EQ(ping.wait(kPatienceS), 1) << ping.output();
  EXPECT_EQ(ping.output(),
            "pinging " + address +
                "\nprobe 1: no reply within 100 ms\nprobe 2: no reply within 100 ms\n"
                "2 sent, 0 received, 2 lost (100.00 %)\ntakt: " +
                address +
                ": no reply within 100 ms to any probe; check that a server of this version or a later one "
                "runs there, and that firewalls let UDP pass\n");
  Program refused(kTakt, {"ping", "127.0.0.1:1", "--count", "1", "--timeout-ms", "500"});
  EXPECT_EQ(refused.wait(kPatienceS), 1) << refused.output();
  EXPECT_TRUE(
      refused.output().ends_with(": no reply within 500 ms to any probe: nobody listens on that port; "
                                 "start a server there, or name its port\n"))
      << refused.output();
}

// Probes that an interruption leaves without a verdict are not lost.
TEST(Ping, AnInterruptionFalsifiesNoFigure) {
  Serve server;
  Program relay(kTakt, {"relay", "--listen", "127.0.0.1:0", "--to", server.address(), "--delay-ms", "600"});
  ASSERT_TRUE(relay.wait_for("relaying UDP and TCP from 127.0.0.1:", kPatienceS)) << relay.output();
  std::string const far = "127.0.0.1:" + std::to_string(static_cast<int>(relay.number_after("127.0.0.1:")));
  // A reply takes 1.2 s, so four more probes are under way when the first one comes.
  Program ping(kTakt, {"ping", far, "--count", "10000", "--timeout-ms", "60000", "--json"});
  ASSERT_TRUE(ping.wait_for("\"event\":\"reply\"", kPatienceS)) << ping.output();
  ping.signal(SIGINT);
  EXPECT_EQ(ping.wait(kPatienceS), 0) << ping.output();
  double const sent = ping.number_after("\"sent\":");
  double const received = ping.number_after("\"received\":");
  EXPECT_EQ(static_cast<double>(ping.count("\"event\":\"reply\"")), received) << ping.output();
  EXPECT_EQ(ping.number_after("\"lost\":"), 0) << ping.output();
  EXPECT_EQ(ping.number_after("\"lost_percent\":"), 0) << ping.output();
  EXPECT_GE(ping.number_after("\"waiting\":"), 1) << ping.output();
  EXPECT_EQ(ping.number_after("\"waiting\":"), sent - received) << ping.output();
}

// The signal comes when all probes are sent, and no time-out has passed.
TEST(Ping, AnInterruptionAfterTheLastProbeIsNoTimeOut) {
  SilentSocket const silent;
  std::string const address = "127.0.0.1:" + std::to_string(silent.port());
  Program ping(kTakt, {"ping", address, "--count", "1", "--timeout-ms", "60000"});
  ASSERT_TRUE(silent.receive());
  ping.signal(SIGTERM);
  EXPECT_EQ(ping.wait(kPatienceS), 1) << ping.output();
  EXPECT_TRUE(ping.output().starts_with(
      "pinging " + address + "\n1 sent, 0 received, 0 lost (0.00 %), 1 without a reply yet\ntakt: " +
      address + ": no reply until the interruption; check "))
      << ping.output();
}

TEST(Ping, WithoutAPortMeansTheDefaultOfServe) {
  EXPECT_EQ(net::kDefaultPort, ServerOptions{}.port);
  Program help(kTakt, {"serve", "--help"});
  EXPECT_EQ(help.wait(kPatienceS), 0);
  EXPECT_EQ(help.number_after("=", help.output().find("--port ")), net::kDefaultPort) << help.output();
}

// Clients change their ports for a minute, as issue 20 wants it.
TEST(Relay, ClientsWhosePortChangesEveryTwoSecondsStay) {
  Serve server({"--http", "auto"});
  Program relay(kTakt, {"relay", "--listen", "127.0.0.1:0", "--to", server.address(), "--loss", "10",
                        "--delay-ms", "50", "--rebind", "2"});
  ASSERT_TRUE(relay.wait_for("relaying UDP and TCP from 127.0.0.1:", kPatienceS)) << relay.output();
  std::string const address =
      "127.0.0.1:" + std::to_string(static_cast<int>(relay.number_after("127.0.0.1:")));
  Program bots(kTakt, {"bot", "--connect", address, "--udp", "--count", "4", "--for", "60", "--json"});
  EXPECT_EQ(bots.wait(120), 0) << bots.output();
  EXPECT_NE(bots.output().find("\"bots\":4,\"joined\":4,\"lost\":0", bots.output().rfind("stop")),
            std::string::npos)
      << bots.output();
  double const moved = metric(server.http_port, "takt_sessions_moved_total");
  relay.signal(SIGINT);
  EXPECT_EQ(relay.wait(kPatienceS), 0);
  // 29 for each client, and fewer where the machine stalls. The last of each may come with its goodbye or
  // after.
  double const rebinds = relay.number_after(" out, ");
  EXPECT_GE(rebinds, 4 * 10) << relay.output();
  EXPECT_GE(moved, rebinds - 8) << relay.output();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
  EXPECT_EQ(server.program.number_after("\"joined\":"), 4)
      << "no second session: " << server.program.output();
}

}  // namespace
}  // namespace takt::server::test
