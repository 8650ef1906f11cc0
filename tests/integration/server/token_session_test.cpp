// Connect tokens with the shipped program: takt serve asks for them, bots show them, keys are rotated by
// SIGHUP, and each join of a user has its line.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "takt/client/client.h"
#include "takt/server/host.h"
#include "takt/server/log.h"
#include "takt/server/scene_file.h"
#include "tests/integration/server/program.h"
#include "tests/integration/server/serve.h"
#include "tests/integration/server/web_socket.h"

namespace takt::server::test {
namespace {

constexpr double kSpawnPatienceS = 10;

// A folder's worth of a back end: keys, and tokens of them.
class BackEnd : public testing::Test {
 protected:
  ~BackEnd() override {
    for (const std::string& path : files_) ::unlink(path.c_str());
  }
  std::string file(const std::string& name) {
    std::string path = temporary_file(name);
    files_.push_back(path);
    return path;
  }
  void takt(std::vector<std::string> words) {
    Program program(kTakt, std::move(words));
    EXPECT_EQ(program.wait(kSpawnPatienceS), 0) << program.output();
  }
  std::string keygen() {
    std::string path = file("keys");
    takt({"token", "keygen", path});
    return path;
  }
  std::string mint(const std::string& keys, const std::string& name, std::vector<std::string> more = {}) {
    std::string path = file(name);
    std::vector<std::string> words{"token", "mint",   "--keys", keys,    "--user",
                                   "42",    "--name", "Ada",    "--out", path};
    words.insert(words.end(), more.begin(), more.end());
    takt(std::move(words));
    return path;
  }
  static std::string text_of(const std::string& path) {
    std::ifstream stream(path);
    std::string text;
    stream >> text;
    return text;
  }

 private:
  std::vector<std::string> files_;
};

TEST_F(BackEnd, LetsItsUsersIntoAServerAndNobodyElse) {
  std::string const keys = keygen();
  Serve server({"--token-keys", keys, "--room", "7"});
  for (const char* const transport : {"--udp", "--tcp"}) {
    std::string const token = mint(keys, "token", {"--room", "7", "--admin"});
    Program player(kTakt, server.bot({transport, "--for", "1", "--token", token}));
    EXPECT_EQ(player.wait(kPatienceS), 0) << player.output();
    EXPECT_TRUE(server.program.wait_for("user 42 in room 7, admin as \"Ada\"", kPatienceS))
        << server.program.output();
    Program guest(kTakt, server.bot({transport, "--for", "1"}));
    EXPECT_EQ(guest.wait(kPatienceS), 1);
    EXPECT_NE(guest.output().find("token_required"), std::string::npos) << guest.output();
    Program stray(kTakt,
                  server.bot({transport, "--for", "1", "--token", mint(keys, "stray", {"--room", "8"})}));
    EXPECT_EQ(stray.wait(kPatienceS), 1);
    EXPECT_NE(stray.output().find("token_wrong_room"), std::string::npos) << stray.output();
  }
  EXPECT_EQ(server.interrupt(), 0);
}

TEST_F(BackEnd, RotatesKeysBySighupWithoutADrop) {
  std::string const keys = keygen();
  std::string const unused = mint(keys, "unused");
  Serve server({"--token-keys", keys});
  Program player(kTakt, server.bot({"--for", "600", "--token", mint(keys, "first")}));
  ASSERT_TRUE(server.program.wait_for("user 42 in room 0", kPatienceS)) << server.program.output();

  takt({"token", "keygen", keys});
  std::string const second = mint(keys, "second");
  Program early(kTakt, server.bot({"--for", "1", "--token", second}));
  EXPECT_EQ(early.wait(kPatienceS), 1);
  EXPECT_NE(early.output().find("token_wrong_key"), std::string::npos) << early.output();
  server.program.signal(SIGHUP);
  ASSERT_TRUE(server.program.wait_for("the keys were read again", kPatienceS)) << server.program.output();
  Program late(kTakt, server.bot({"--for", "1", "--token", second}));
  EXPECT_EQ(late.wait(kPatienceS), 0) << late.output();

  // Without the first key its tokens join no more; the session of one goes on.
  std::string line;
  std::string last_line;
  for (std::ifstream stream(keys); std::getline(stream, line);) last_line = line;
  std::ofstream(keys) << last_line << '\n';
  server.program.signal(SIGHUP);
  for (double until_s = kPatienceS; server.program.count("the keys were read again") < 2 && until_s > 0;
       until_s -= 0.05)
    (void)server.program.wait_for("no such line", 0.05);
  ASSERT_EQ(server.program.count("the keys were read again"), 2u) << server.program.output();
  Program removed(kTakt, server.bot({"--for", "1", "--token", unused}));
  EXPECT_EQ(removed.wait(kPatienceS), 1);
  EXPECT_NE(removed.output().find("token_wrong_key"), std::string::npos) << removed.output();
  EXPECT_TRUE(player.is_running()) << player.output();

  // A file that cannot be used keeps the keys of before.
  ASSERT_EQ(::chmod(keys.c_str(), 0644), 0);
  server.program.signal(SIGHUP);
  ASSERT_TRUE(server.program.wait_for("the keys of before stay in use", kPatienceS));
  EXPECT_NE(server.program.output().find("chmod 600"), std::string::npos);
  std::ofstream(keys) << "# nothing\n";
  ASSERT_EQ(::chmod(keys.c_str(), 0600), 0);
  server.program.signal(SIGHUP);
  ASSERT_TRUE(server.program.wait_for("has no key", kPatienceS)) << server.program.output();
  Program again(kTakt, server.bot({"--for", "1", "--token", second}));
  EXPECT_EQ(again.wait(kPatienceS), 0) << again.output();

  EXPECT_TRUE(player.is_running()) << player.output();
  EXPECT_EQ(server.program.count("left: kicked") + server.program.count("left: timed_out"), 0u);
  player.signal(SIGINT);
  EXPECT_EQ(player.wait(kPatienceS), 0) << player.output();
  EXPECT_EQ(server.interrupt(), 0);
}

TEST_F(BackEnd, RefusesAreCountedByName) {
  std::string const keys = keygen();
  Serve server({"--token-keys", keys, "--public-address", "here.example:1", "--http", "auto", "--http-bind",
                "127.0.0.1"});
  std::string const token = mint(keys, "token", {"--server", "here.example:1"});
  Program player(kTakt, server.bot({"--for", "600", "--token", token}));
  ASSERT_TRUE(server.program.wait_for("user 42", kPatienceS)) << server.program.output();
  Program reuse(kTakt, server.bot({"--for", "1", "--token", token}));
  EXPECT_EQ(reuse.wait(kPatienceS), 1);
  Program elsewhere(kTakt,
                    server.bot({"--for", "1", "--token", mint(keys, "else", {"--server", "there:1"})}));
  EXPECT_EQ(elsewhere.wait(kPatienceS), 1);
  Program watcher(kTakt, server.bot({"--for", "1", "--token", mint(keys, "watch", {"--role", "spectator"})}));
  EXPECT_EQ(watcher.wait(kPatienceS), 1);
  std::string const metrics = http_get(server.http_port, "/metrics");
  for (const char* const reason : {"token_reused", "token_wrong_server", "token_wrong_role"})
    EXPECT_NE(metrics.find("takt_handshake_refused_total{reason=\"" + std::string(reason) + "\"} 1"),
              std::string::npos)
        << reason;
  player.signal(SIGINT);
  EXPECT_EQ(player.wait(kPatienceS), 0);
  EXPECT_EQ(server.interrupt(), 0);
}

TEST_F(BackEnd, OptionsNameTheirRemedy) {
  std::string const keys = keygen();
  auto const fails = [&](std::vector<std::string> more, const std::string& text) {
    Program program(kTakt, Serve::arguments(std::move(more)));
    EXPECT_EQ(program.wait(kPatienceS), 2) << program.output();
    EXPECT_NE(program.output().find(text), std::string::npos) << program.output();
  };
  fails({"--allow-guests"}, "add --token-keys");
  fails({"--token-keys", keys, "--public-address", "here"}, "--public-address here: write HOST:PORT");
  fails({"--token-keys", keys + "_missing"}, "--token-keys " + keys + "_missing: ");
  fails({"--token-keys", "-"}, "name a file");
  ASSERT_EQ(::chmod(keys.c_str(), 0604), 0);
  fails({"--token-keys", keys}, "chmod 600");
  std::string const fifo = file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  fails({"--token-keys", fifo}, "--token-keys " + fifo + ": is not a regular file");
}

TEST_F(BackEnd, LogsTheMoveOfAUserWithBothAddresses) {
  std::string const keys = keygen();
  Serve server({"--token-keys", keys});
  Program relay(kTakt, {"relay", "--listen", "127.0.0.1:0", "--to", server.address(), "--rebind", "1"});
  ASSERT_TRUE(relay.wait_for("relaying UDP and TCP from 127.0.0.1:", kPatienceS)) << relay.output();
  std::string const address =
      "127.0.0.1:" + std::to_string(static_cast<int>(relay.number_after("127.0.0.1:")));
  Program player(kTakt, {"bot", "--connect", address, "--for", "600", "--token", mint(keys, "token")});
  ASSERT_TRUE(server.program.wait_for(", user 42 in room 0\n", kPatienceS)) << server.program.output();
  std::string const& log = server.program.output();
  std::string const line = log.substr(log.find(" moved from "), 200);
  EXPECT_TRUE(std::regex_search(
      line, std::regex(R"(^ moved from (127\.0\.0\.1:\d+) to 127\.0\.0\.1:\d+, user 42 in room 0\n)")))
      << log;
  auto const from = static_cast<int>(server.program.number_after(" moved from 127.0.0.1:"));
  EXPECT_EQ(from, static_cast<int>(server.program.number_after(" joined from 127.0.0.1:"))) << log;
  player.signal(SIGINT);
  EXPECT_EQ(player.wait(kPatienceS), 0);
  EXPECT_EQ(server.interrupt(), 0);
}

TEST_F(BackEnd, QuotesTheNameOfAGuest) {
  Serve server({"--token-keys", keygen(), "--allow-guests"});
  client::Options options;
  options.player_name = "x\", user 42 in room 7, admin";
  auto guest = client::Client::connect("udp://" + server.address(), options);
  ASSERT_TRUE(guest) << message(guest.error());
  for (int i = 0; i < 2000 && !guest->is_joined() && guest->is_open(); ++i) guest->wait(5);
  EXPECT_TRUE(guest->is_joined());
  EXPECT_TRUE(server.program.wait_for(R"( as "x\", user 42 in room 7)", kPatienceS))
      << server.program.output();
  EXPECT_EQ(server.interrupt(), 0);
}

// A stopping server waits for a client that does not answer, and ends as without the SIGHUP.
TEST_F(BackEnd, ASighupDoesNotEndAServerThatStops) {
  std::string const keys = keygen();
  Serve server({"--token-keys", keys});
  Program player(kTakt, server.bot({"--for", "600", "--token", mint(keys, "token")}));
  ASSERT_TRUE(server.program.wait_for("user 42", kPatienceS)) << server.program.output();
  player.signal(SIGSTOP);
  server.program.signal(SIGTERM);
  for (int i = 0; i < 50; ++i) {
    ::usleep(10'000);
    server.program.signal(SIGHUP);
  }
  EXPECT_EQ(server.program.wait(kPatienceS), 0) << server.program.output();
}

TEST_F(BackEnd, ServesAHostInsideAProgram) {
  start_log(LogLevel::kError);
  auto const scene = load_scene_file(kScenes + "stack.json");
  ASSERT_TRUE(scene);
  std::string const keys = keygen();
  HostOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  options.tokens.emplace();
  options.tokens->keys_path = keys + "_missing";
  auto const none = Host::open(options, *scene);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().error, Error::kTokenKeysRefused);
  options.tokens->keys_path = keys;
  auto host = Host::open(options, *scene);
  ASSERT_TRUE(host) << message(host.error());
  std::string const url = "udp://127.0.0.1:" + std::to_string((*host)->port());

  client::Options with_token;
  with_token.token = "takt1_nonsense";
  auto const bad = client::Client::connect(url, with_token);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().error, client::ClientError::kBadToken);
  EXPECT_EQ(message(bad.error()).find("nonsense"), std::string::npos) << "a token is secret";
  with_token.token = text_of(mint(keys, "token"));
  auto client = client::Client::connect(url, with_token);
  ASSERT_TRUE(client) << message(client.error());
  for (int i = 0; i < 2000 && !client->is_joined() && client->is_open(); ++i) client->wait(5);
  EXPECT_TRUE(client->is_joined());
  EXPECT_TRUE((*host)->reload_token_keys());
  ASSERT_EQ(::chmod(keys.c_str(), 0644), 0);
  auto const reloaded = (*host)->reload_token_keys();
  ASSERT_FALSE(reloaded);
  EXPECT_NE(message(reloaded.error()).find("chmod 600"), std::string::npos);
}

}  // namespace
}  // namespace takt::server::test
