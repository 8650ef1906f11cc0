#include "server/desync_desk.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "protocol/wire/limits.h"
#include "sim/comparison/answer_text.h"
#include "tests/unit/server/small_simulation.h"

namespace takt::server {
namespace {

sim::StateAnswer answer_of(const sim::Simulation& simulation, const sim::StatePath& path) {
  return sim::HashTree([&](FieldSink& sink) { simulation.list_fields(sink); }).answer(path);
}

constexpr sim::PlayerId kPlayer = 3;
constexpr std::uint64_t kTick = 64;

class Desk : public ::testing::Test {
 protected:
  Desk() {
    std::vector<BodyId> bodies;
    server_.world().list_bodies(bodies);
    auto& world = const_cast<sim::AnyWorld&>(client_.world());
    EXPECT_TRUE(world.set_velocity(bodies.back(), {0x1p-20, 0, 0}, {}).ok());
  }

  std::optional<ShadowWorld::StateProbe> probe(const std::string& path, std::string answer,
                                               std::uint64_t tick = kTick) {
    return desk_.handle_probe(kPlayer, {tick, path, std::move(answer)}, now_tick_++);
  }

  sim::Simulation server_ = make_simulation();
  sim::Simulation client_ = make_simulation();
  DesyncDesk desk_;
  std::uint64_t now_tick_ = 100;
};

TEST_F(Desk, BothEndsFindTheFieldInFourRoundTrips) {
  sim::StateComparison client(DesyncDesk::kFieldsMax);
  int round_trips = 0;
  for (; client.poll_path(); ++round_trips) {
    sim::StatePath const path = *client.poll_path();
    auto const own = answer_of(client_, path);
    auto asked = probe(sim::path_text(path), sim::answer_text(own));
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->path, path);
    desk_.handle_result({*asked, answer_of(server_, path)});
    auto const replies = desk_.take_replies();
    ASSERT_EQ(replies.size(), 1u);
    auto const answer = sim::parse_answer(path, replies[0].answer.answer);
    ASSERT_TRUE(answer.ok());
    ASSERT_TRUE(client.handle_answers(*answer, own).ok());
  }
  EXPECT_EQ(round_trips, 4);
  auto const findings = desk_.take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].player, kPlayer);
  EXPECT_EQ(findings[0].tick, kTick);
  EXPECT_EQ(findings[0].text, message(client.divergence()));
  EXPECT_NE(findings[0].text.find("body.record[1].linear_velocity.x: 0"), std::string::npos)
      << findings[0].text;
}

// The client's session goes on in another mode in the midst of a comparison.
TEST_F(Desk, AnAbandonedComparisonLeavesNothingBehind) {
  auto const asked = probe("world", sim::answer_text(answer_of(client_, {})));
  ASSERT_TRUE(asked);
  desk_.abandon(kPlayer);
  desk_.handle_result({*asked, answer_of(server_, {})});
  EXPECT_TRUE(desk_.take_replies().empty()) << "nobody waits for it";
  EXPECT_TRUE(desk_.take_findings().empty());
  // The next comparison begins, and the answer to the one before is none of its own.
  auto const next = probe("world", sim::answer_text(answer_of(client_, {})), kTick + 8);
  ASSERT_TRUE(next) << "the client does not begin anew in the midst of one";
  desk_.handle_result({*asked, answer_of(server_, {})});
  EXPECT_TRUE(desk_.take_replies().empty());
  desk_.handle_result({*next, answer_of(server_, {})});
  EXPECT_EQ(desk_.take_replies().size(), 1u);
  EXPECT_TRUE(desk_.take_findings().empty());
  EXPECT_EQ(desk_.count_since(kPlayer, 0), 2u) << "both were desyncs";
}

TEST_F(Desk, ProbesOutOfTurnEndTheComparison) {
  EXPECT_FALSE(probe("world/bodies", "0x0"));
  EXPECT_TRUE(desk_.take_findings().empty()) << "no comparison has begun";
  for (char const* const path : {"world/sim", "no/such path", "world"}) {
    auto const asked = probe("world", sim::answer_text(answer_of(client_, {})));
    ASSERT_TRUE(asked);
    EXPECT_FALSE(probe("world", "")) << "one probe at a time";
    desk_.handle_result({*asked, answer_of(server_, {})});
    EXPECT_TRUE(desk_.take_findings().empty());
    EXPECT_FALSE(probe(path, "")) << path;
    auto const findings = desk_.take_findings();
    ASSERT_EQ(findings.size(), 1u) << path;
    EXPECT_FALSE(findings[0].is_state_kept) << path;
  }
}

TEST_F(Desk, AnAnswerThatMakesNoSenseEndsTheComparison) {
  auto const asked = probe("world", "\x1b[31m");
  ASSERT_TRUE(asked);
  desk_.handle_result({*asked, answer_of(server_, asked->path)});
  auto const findings = desk_.take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(protocol::is_printable(findings[0].text));
  EXPECT_EQ(findings[0].text.find("the client's answer: "), 0u) << findings[0].text;
  EXPECT_TRUE(findings[0].is_state_kept);
}

TEST_F(Desk, AStateThatIsForgottenIsSaid) {
  auto const asked = probe("world", sim::answer_text(answer_of(client_, {})));
  ASSERT_TRUE(asked);
  desk_.handle_result({*asked, std::nullopt});
  auto const replies = desk_.take_replies();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].answer.status, protocol::DesyncStatus::kForgotten);
  auto const findings = desk_.take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_FALSE(findings[0].is_state_kept);
}

TEST_F(Desk, DesyncsAreCountedByTheirBeginAndForgottenWithTheirPlayer) {
  for (int i = 0; i < 3; ++i)
    if (auto const asked = probe("world", "")) desk_.handle_result({*asked, std::nullopt});
  EXPECT_EQ(desk_.count_since(kPlayer, 100), 3u);
  EXPECT_EQ(desk_.count_since(kPlayer, 102), 1u);
  desk_.forget(kPlayer);
  EXPECT_EQ(desk_.count_since(kPlayer, 0), 0u);
}

}  // namespace
}  // namespace takt::server
