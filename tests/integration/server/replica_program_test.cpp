// Clients that simulate beside the shipped server, over UDP of this machine: one comes back by inputs alone,
// and the state of another is spoilt, which both ends name in files of --desync-dir.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "takt/replica/replica_client.h"
#include "tests/integration/server/lost_network.h"
#include "tests/integration/server/program.h"
#include "tests/integration/server/serve.h"
#include "tests/simulation/replica/state_flip.h"

namespace takt::server::test {
namespace {

struct Replica {
  explicit Replica(const Serve& server, bool keeps_states = false)
      : opened(client::ReplicaClient::connect("udp://" + server.address(), options(keeps_states))) {}
  static client::ReplicaClientOptions options(bool keeps_states) {
    client::ReplicaClientOptions out;
    out.mode = client::ReplicaMode::kLockstep;
    out.keeps_desync_states = keeps_states;
    return out;
  }
  client::ReplicaClient& client() { return *opened; }
  /// Polls until `done`; false after 30 s.
  bool until(const std::function<bool()>& done) {
    for (int i = 0; i < 3000; ++i) {
      if (done()) return true;
      client().wait(10);
      while (auto event = client().next_event()) {
        if (auto* const entered = std::get_if<client::WorldEntered>(&*event))
          ++(entered->is_resumed ? resumed : images);
        if (auto* const found = std::get_if<client::DesyncFound>(&*event))
          desyncs.push_back(std::move(*found));
      }
    }
    return false;
  }
  bool until_playing() {
    return until([&] { return client().is_playing() && client().stats().hashes_equal > 3; });
  }

  Result<client::ReplicaClient, client::Failure> opened;
  int images = 0;
  int resumed = 0;
  std::vector<client::DesyncFound> desyncs;
};

// The room keeps confirming ticks for its only client.
TEST(ReplicaProgram, AClientComesBackByInputsAlone) {
  Serve server({"--replicas"});
  Replica replica(server);
  ASSERT_TRUE(replica.opened) << message(replica.opened.error());
  ASSERT_TRUE(replica.until_playing()) << server.program.output();
  EXPECT_EQ(replica.images, 1);
  replica.client().leave();
  replica.client().poll();  // tells the end, while farewells are still to be sent
  std::uint64_t const equal = replica.client().stats().hashes_equal;
  ASSERT_TRUE(replica.client().reconnect());
  ASSERT_TRUE(replica.until(
      [&] { return replica.client().is_playing() && replica.client().stats().hashes_equal > equal + 3; }));
  EXPECT_EQ(replica.images, 1);
  EXPECT_EQ(replica.resumed, 1);
  EXPECT_EQ(replica.client().stats().hashes_different, 0u);
  EXPECT_EQ(server.interrupt(), 0);
}

// A try that cannot open a socket, or has a bad token, changes nothing: the next one has the world still.
TEST(ReplicaProgram, ATryThatFailsLeavesTheNextItsWorld) {
  Serve server({"--replicas"});
  Replica replica(server);
  ASSERT_TRUE(replica.opened) << message(replica.opened.error());
  ASSERT_TRUE(replica.until_playing()) << server.program.output();
  auto const try_again = [&](std::string_view token = {}) {
    auto const tried = replica.client().reconnect(token);
    return tried.ok() ? std::optional<client::ClientError>() : tried.error().error;
  };
  EXPECT_EQ(try_again(), client::ClientError::kSessionOpen);
  replica.client().leave();
  ASSERT_TRUE(replica.until([&] { return !replica.client().is_open(); }));
  {
    LostNetwork const lost;
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(try_again(), client::ClientError::kNetwork) << i;
      EXPECT_FALSE(replica.client().is_open()) << i;
      replica.client().wait(10);
    }
  }
  EXPECT_EQ(try_again("takt1_of_nobody"), client::ClientError::kBadToken);
  EXPECT_TRUE(replica.client().has_world());
  EXPECT_EQ(try_again(), std::nullopt) << "without the token that was refused";
  ASSERT_TRUE(replica.until([&] { return replica.client().is_playing(); }));
  EXPECT_EQ(replica.images, 1);
  EXPECT_EQ(replica.resumed, 1);
  EXPECT_EQ(server.interrupt(), 0);
}

TEST(ReplicaProgram, ASpoiltStateIsNamedInFilesOfBothEnds) {
  std::string const folder = temporary_file("desyncs");
  Serve server({"--replicas", "--desync-dir", folder});
  Replica replica(server, true);
  ASSERT_TRUE(replica.opened) << message(replica.opened.error());
  ASSERT_TRUE(replica.until_playing()) << server.program.output();
  auto& simulation = const_cast<sim::Simulation&>(replica.client().simulation());
  std::string const field = client::test::flip_bit(simulation, "body.record[1].", "center.x");
  ASSERT_TRUE(replica.until([&] { return !replica.desyncs.empty(); }));
  client::DesyncFound const& found = replica.desyncs[0];
  EXPECT_NE(found.text.find(field), std::string::npos) << found.text;
  ASSERT_FALSE(found.recording.empty());
  std::string const name = folder + "/desync-" + std::to_string(found.tick) + "-player" +
                           std::to_string(replica.client().player()) + "-";
  ASSERT_TRUE(replica.until([&] { return std::filesystem::exists(name + "server.txt"); })) << name;
  std::FILE* const file = std::fopen((name + "client.takt").c_str(), "wb");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::fwrite(found.recording.data(), 1, found.recording.size(), file), found.recording.size());
  ASSERT_EQ(std::fclose(file), 0);
  // The server's state follows from the one before it, and the client's does not.
  Program verified(kTakt, {"replay", "verify", name + "server.takt"});
  EXPECT_EQ(verified.wait(kPatienceS), 0) << verified.output();
  Program bisected(kTakt, {"replay", "bisect", name + "client.takt"});
  EXPECT_EQ(bisected.wait(kPatienceS), 1) << bisected.output();
  EXPECT_NE(bisected.output().find("tick " + std::to_string(found.tick)), std::string::npos)
      << bisected.output();
  Program compared(kTakt, {"replay", "diff", name + "server.takt", name + "client.takt"});
  EXPECT_EQ(compared.wait(kPatienceS), 1) << compared.output();
  EXPECT_NE(compared.output().find(field), std::string::npos) << compared.output();
  // An image repairs the client.
  std::uint64_t const equal = replica.client().stats().hashes_equal;
  EXPECT_TRUE(replica.until([&] { return replica.client().stats().hashes_equal > equal + 3; }));
  EXPECT_EQ(replica.images, 2);
  EXPECT_EQ(server.interrupt(), 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace takt::server::test
