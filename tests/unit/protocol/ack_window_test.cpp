#include "protocol/link/ack_window.h"

#include <gtest/gtest.h>

namespace takt::protocol {
namespace {

constexpr std::uint64_t kAll = (std::uint64_t{1} << kAckBits) - 1;

TEST(AckWindow, ReportsGaps) {
  AckWindow window;
  EXPECT_FALSE(window.has_any());
  window.record(1);
  EXPECT_EQ(window.mask(), kAll) << "there is no number before";
  window.record(4);
  EXPECT_EQ(window.newest(), 4u);
  EXPECT_EQ(window.mask(), kAll & ~std::uint64_t{0b011});  // bits 0 and 1: 3 and 2
  EXPECT_EQ(window.missing(), 2u);
  window.record(3);
  EXPECT_EQ(window.mask(), kAll & ~std::uint64_t{0b010});
  EXPECT_EQ(window.missing(), 1u);
  window.record(2);
  EXPECT_EQ(window.mask(), kAll);
  EXPECT_EQ(window.missing(), 0u);
}

TEST(AckWindow, ForgetsTheNumbersThatAJumpPassesOver) {
  for (std::uint64_t const step :
       {std::uint64_t{kAckBits}, std::uint64_t{kAckBits} + 1, std::uint64_t{9999}}) {
    AckWindow window;
    for (std::uint64_t n = 1; n <= 200; ++n) window.record(n);
    window.record(200 + step);
    EXPECT_EQ(window.mask(), step == kAckBits ? std::uint64_t{1} << (kAckBits - 1) : 0u);
    EXPECT_EQ(window.missing(), step - 1);
    window.record(199 + step - kAckBits);  // just outside of the mask
    EXPECT_EQ(window.mask(), step == kAckBits ? std::uint64_t{1} << (kAckBits - 1) : 0u);
  }
}

}  // namespace
}  // namespace takt::protocol
