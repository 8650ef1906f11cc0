// The parts of net that need no socket: addresses, errors, entropy, the clock.
#include <gtest/gtest.h>

#include <asio/error.hpp>
#include <asio/ip/address.hpp>
#include <set>

#include "net/asio_address.h"
#include "net/clock.h"
#include "net/entropy.h"
#include "net/error.h"

namespace takt::net {
namespace {

TEST(AsioAddress, Ipv4IsTheSameFromAPlainAndFromADualStackSocket) {
  auto const plain = to_protocol(asio::ip::make_address("192.0.2.7"), 7777);
  auto const mapped = to_protocol(asio::ip::make_address("::ffff:192.0.2.7"), 7777);
  EXPECT_EQ(plain, mapped);
  EXPECT_TRUE(plain.is_ipv4());
  EXPECT_EQ(protocol::to_text(plain), "192.0.2.7:7777");
}

TEST(AsioAddress, RoundTrips) {
  for (char const* const text : {"192.0.2.7", "2001:db8::1f", "::1", "127.0.0.1"}) {
    auto const ip = asio::ip::make_address(text);
    auto const address = to_protocol(ip, 9);
    auto const dual = to_udp(address, false);
    EXPECT_EQ(to_protocol(dual.address(), dual.port()), address) << text;
    EXPECT_TRUE(dual.address().is_v6());
    auto const plain = to_udp(address, true);
    EXPECT_EQ(plain.address(), ip) << text;
    EXPECT_EQ(plain.port(), 9);
  }
}

TEST(NetError, SystemCodesBecomeOurs) {
  EXPECT_EQ(to_failure(asio::error::address_in_use, "port 1").error, Error::kPortInUse);
  EXPECT_EQ(to_failure(asio::error::access_denied, "port 1").error, Error::kPermissionDenied);
  EXPECT_EQ(to_failure(asio::error::host_not_found, "host x").error, Error::kBadAddress);
  EXPECT_EQ(to_failure(asio::error::connection_refused, "connect").error, Error::kConnectFailed);
  auto const other = to_failure(asio::error::no_memory, "socket");
  EXPECT_EQ(other.error, Error::kSystem);
  EXPECT_EQ(other.detail.rfind("socket: ", 0), 0u) << other.detail;
}

TEST(NetError, MessagesAreDistinct) {
  std::set<std::string_view> texts;
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(Error::kSystem); ++i)
    texts.insert(message(static_cast<Error>(i)));
  EXPECT_EQ(texts.size(), std::size_t{static_cast<std::uint8_t>(Error::kSystem)} + 1);
}

TEST(Entropy, DrawsDiffer) {
  std::set<std::uint64_t> draws;
  for (int i = 0; i < 32; ++i) {
    auto const key = draw_secret_key();
    draws.insert(key[0]);
    draws.insert(key[1]);
    draws.insert(draw_nonce());
  }
  EXPECT_EQ(draws.size(), 96u);
  EXPECT_EQ(draws.count(0), 0u);
}

TEST(Clock, DoesNotRunBackwards) {
  std::uint64_t before = now_us();
  for (int i = 0; i < 1000; ++i) {
    std::uint64_t const now = now_us();
    ASSERT_GE(now, before);
    before = now;
  }
}

}  // namespace
}  // namespace takt::net
