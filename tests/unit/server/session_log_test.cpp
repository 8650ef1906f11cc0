#include "server/session_log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>

namespace takt::server {
namespace {

using protocol::Address;
using protocol::PlayerId;
using protocol::PlayerJoined;
using protocol::PlayerLeft;
using protocol::PlayerMoved;

// The log of the process writes to a text while a test runs.
class SessionLogTest : public ::testing::Test {
 protected:
  SessionLogTest() : before_(spdlog::default_logger()) {
    auto logger =
        std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_));
    logger->set_pattern("%v");
    spdlog::set_default_logger(std::move(logger));
  }
  ~SessionLogTest() override { spdlog::set_default_logger(before_); }

  // The lines since the last call, each with its end.
  std::string lines() {
    std::string text = text_.str();
    text_.str("");
    return text;
  }
  static std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  }
  static PlayerMoved moved(PlayerId player, std::uint64_t user_id, std::uint32_t moves = 1) {
    return {player, Address::from_ipv4(192, 0, 2, 1, 4000), Address::from_ipv4(198, 51, 100, 2, 5000), moves,
            user_id};
  }
  static PlayerLeft left(PlayerId player) { return {player, protocol::DisconnectReason::kClientLeft, ""}; }
  static PlayerJoined joined(PlayerId player, std::uint64_t user_id) {
    PlayerJoined event;
    event.player = player;
    event.user_id = user_id;
    event.address = Address::from_ipv4(192, 0, 2, 1, 4000);
    return event;
  }

  std::uint64_t now_us = 1'000'000;
  SessionLog log{7, now_us};

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> before_;
};

TEST_F(SessionLogTest, WritesALineForEachKind) {
  PlayerJoined user = joined(1, 42);
  user.name = "A\"da";
  user.admin = true;
  log.write(now_us, user);
  EXPECT_EQ(lines(),
            "player 1 joined from 192.0.2.1:4000 over udp, user 42 in room 7, admin as \"A\\\"da\"\n");
  log.write(now_us, joined(2, 0));
  EXPECT_EQ(lines(), "player 2 joined from 192.0.2.1:4000 over udp\n");
  log.write(now_us, moved(1, 42));
  EXPECT_EQ(lines(), "player 1 moved from 192.0.2.1:4000 to 198.51.100.2:5000, user 42 in room 7\n");
  log.write(now_us, protocol::ModeSwitched{2, protocol::ReplicationMode::kSnapshot, "too \"slow\""});
  EXPECT_EQ(lines(), "player 2 goes on in mode snapshot: \"too \\\"slow\\\"\"\n");
  log.write(now_us, moved(protocol::kSpectatorIdFirst, 0, 900));
  EXPECT_EQ(lines(), "spectator 2147483648 moved 900 times from 192.0.2.1:4000 to 198.51.100.2:5000\n");
  log.write(now_us, PlayerLeft{1, protocol::DisconnectReason::kKicked, "by the admin"});
  EXPECT_EQ(lines(), "player 1 left: kicked (by the admin)\n");
  log.write(now_us, protocol::InputsArrived{});
  EXPECT_EQ(lines(), "");
}

// Whoever moves, with or without a token, hides nobody who joins or leaves.
TEST_F(SessionLogTest, MovesHideNoJoinsAndNoLeaves) {
  for (std::uint64_t const user : {0u, 42u}) {
    for (int i = 0; i < 10'000; ++i) log.write(now_us, moved(1, user));
    EXPECT_EQ(count(lines(), " moved "), 200u) << "the burst";
    for (PlayerId player = 2; player < 52; ++player) {
      log.write(now_us, joined(player, 0));
      log.write(now_us, joined(player, 1000 + player));
      log.write(now_us, left(player));
    }
    std::string const text = lines();
    EXPECT_EQ(count(text, " joined from "), 100u);
    EXPECT_EQ(count(text, " left: "), 50u);
    EXPECT_EQ(count(text, "left out"), 0u);
  }
}

TEST_F(SessionLogTest, GuestsHideNoMovesAndNoJoinsOfUsers) {
  for (int i = 0; i < 10'000; ++i) {
    log.write(now_us, moved(1, 0));
    log.write(now_us, joined(1, 0));
    log.write(now_us, left(1));
  }
  (void)lines();
  log.write(now_us, moved(2, 42));
  log.write(now_us, joined(3, 43));
  std::string const text = lines();
  EXPECT_EQ(count(text, "player 2 moved from "), 1u) << text;
  EXPECT_EQ(count(text, "player 3 joined from "), 1u) << text;
}

// A session reports one move a second. 19 of them, for ten minutes, hide no other user's move.
TEST_F(SessionLogTest, UsersWhoMoveAllTheTimeHideNoOtherUsersMove) {
  std::size_t seen = 0;
  for (int second = 0; second < 600; ++second) {
    for (PlayerId player = 1; player <= 19; ++player) log.write(now_us, moved(player, player, 1000));
    log.write(now_us, moved(99, 99));
    seen += count(lines(), "player 99 moved from ");
    now_us += 1'000'000;
  }
  EXPECT_EQ(seen, 600u);
}

TEST_F(SessionLogTest, CountsTheLinesThatAreLeftOut) {
  for (int i = 0; i < 205; ++i) log.write(now_us, moved(1, 42));
  (void)lines();
  now_us += 1'000'000;
  log.write(now_us, moved(1, 42));
  EXPECT_TRUE(lines().starts_with("5 lines about moves of users were left out\nplayer 1 moved from "));
}

}  // namespace
}  // namespace takt::server
