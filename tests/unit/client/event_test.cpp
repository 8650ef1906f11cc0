#include "takt/client/event.h"

#include <gtest/gtest.h>

namespace takt::client {
namespace {

TEST(CommandOutcomeMessage, OfAMovedCommandNamesItsTickAndNoRefusal) {
  EXPECT_EQ(message(CommandOutcome{7, CommandStatus::kMoved, 42, sim::Refusal::kNone, ""}),
            "moved to tick 42");
}

TEST(CommandOutcomeMessage, OfARefusalHasTheExactReasonAndTheWordsOfTheGame) {
  EXPECT_EQ(message(CommandOutcome{7, CommandStatus::kRefusedInvalid, 42, sim::Refusal::kGameRefused,
                                   "once in a round"}),
            "refused: the game refused: once in a round");
  EXPECT_EQ(
      message(CommandOutcome{7, CommandStatus::kRefusedUnknownBody, 42, sim::Refusal::kUnknownBody, ""}),
      "refused: there is no such body");
  EXPECT_EQ(message(CommandOutcome{7, CommandStatus::kRefusedRate, 42, sim::Refusal::kNone, ""}),
            "the command was refused: send fewer a second")
      << "the server does not tell the reason";
}

TEST(CommandStatusMessage, OfEachStatusIsKnown) {
  for (int status = 1; status <= 8; ++status)
    EXPECT_NE(message(static_cast<CommandStatus>(status)), "unknown status") << status;
  EXPECT_EQ(message(static_cast<CommandStatus>(99)), "unknown status");
}

}  // namespace
}  // namespace takt::client
