#include "protocol/link/ack_window.h"

#include <gtest/gtest.h>

#include "protocol/wire/sequence.h"

namespace takt::protocol {
namespace {

using Outcome = AckWindow::Outcome;

TEST(Sequence, ComparesAcrossTheWrap) {
  EXPECT_TRUE(sequence_after(0, 0xffff'ffffu));
  EXPECT_FALSE(sequence_after(0xffff'ffffu, 0));
  EXPECT_FALSE(sequence_after(5, 5));
  EXPECT_EQ(sequence_distance(3, 0xffff'fffeu), 5);
}

TEST(AckWindow, DropsDuplicatesAndReportsGaps) {
  AckWindow window;
  EXPECT_FALSE(window.has_any());
  EXPECT_EQ(window.handle_sequence(10), Outcome::kFresh);
  EXPECT_EQ(window.handle_sequence(10), Outcome::kDuplicate);
  EXPECT_EQ(window.handle_sequence(13), Outcome::kFresh);
  EXPECT_EQ(window.newest(), 13u);
  EXPECT_EQ(window.ack_bits(), 0b100u);  // bit 2: 13 - 1 - 2 = 10
  EXPECT_EQ(window.missing(), 2u);
  EXPECT_EQ(window.handle_sequence(12), Outcome::kFresh);
  EXPECT_EQ(window.ack_bits(), 0b101u);
  EXPECT_EQ(window.missing(), 1u);
}

TEST(AckWindow, TakesASequenceOlderThanTheFirst) {
  AckWindow window;
  EXPECT_EQ(window.handle_sequence(100), Outcome::kFresh);
  EXPECT_EQ(window.handle_sequence(98), Outcome::kFresh);
  EXPECT_EQ(window.handle_sequence(98), Outcome::kDuplicate);
  EXPECT_EQ(window.missing(), 1u);
}

TEST(AckWindow, RefusesWhatIsBeyondItsMemory) {
  AckWindow window;
  EXPECT_EQ(window.handle_sequence(0), Outcome::kFresh);
  EXPECT_EQ(window.handle_sequence(AckWindow::kMemory), Outcome::kFresh);
  EXPECT_EQ(window.handle_sequence(0), Outcome::kStale);
  EXPECT_EQ(window.handle_sequence(1), Outcome::kFresh);
  EXPECT_EQ(window.handle_sequence(AckWindow::kMemory + AckWindow::kAheadMax + 1), Outcome::kAhead);
  EXPECT_EQ(window.newest(), AckWindow::kMemory);
}

TEST(AckWindow, ForgetsTheBitsThatAJumpPassesOver) {
  AckWindow window;
  for (std::uint32_t s = 0; s < 200; ++s) ASSERT_EQ(window.handle_sequence(s), Outcome::kFresh);
  ASSERT_EQ(window.handle_sequence(200 + AckWindow::kMemory), Outcome::kFresh);
  EXPECT_EQ(window.ack_bits(), 0u);
  // This sequence shares the ring slot of 150, but was never received.
  EXPECT_EQ(window.handle_sequence(150 + AckWindow::kMemory), Outcome::kFresh);
}

}  // namespace
}  // namespace takt::protocol
