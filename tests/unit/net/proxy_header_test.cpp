#include "net/proxy_header.h"

#include <gtest/gtest.h>

#include <vector>

namespace takt::net {
namespace {

using State = ProxyHeader::State;

std::vector<std::byte> header(std::uint8_t command, std::uint8_t family,
                              const std::vector<std::uint8_t>& rest) {
  std::vector<std::uint8_t> bytes{0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};
  bytes.push_back(static_cast<std::uint8_t>(0x20 | command));
  bytes.push_back(family);
  bytes.push_back(static_cast<std::uint8_t>(rest.size() >> 8));
  bytes.push_back(static_cast<std::uint8_t>(rest.size()));
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  std::vector<std::byte> out;
  for (std::uint8_t const byte : bytes) out.push_back(static_cast<std::byte>(byte));
  return out;
}

std::vector<std::uint8_t> const kIpv4{203, 0, 113, 9, 127, 0, 0, 1, 0x04, 0xd2, 0x1e, 0x61};

TEST(ProxyHeader, NamesAnIpv4Client) {
  auto const bytes = header(1, 0x11, kIpv4);
  auto const read = read_proxy_header(bytes);
  EXPECT_EQ(read.state, State::kRead);
  EXPECT_EQ(read.bytes, 28u);
  EXPECT_EQ(read.client, protocol::Address::from_ipv4(203, 0, 113, 9, 1234));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_EQ(read_proxy_header(std::span(bytes).first(cut)).state, State::kIncomplete) << cut;
}

TEST(ProxyHeader, NamesAnIpv6ClientAndSkipsExtensions) {
  std::vector<std::uint8_t> rest(36 + 20, 0);
  rest[0] = 0x20;
  rest[1] = 0x01;
  rest[15] = 7;
  rest[32] = 0x04;
  rest[33] = 0xd2;
  auto const read = read_proxy_header(header(1, 0x21, rest));
  EXPECT_EQ(read.state, State::kRead);
  EXPECT_EQ(read.bytes, 16u + 56u);
  ASSERT_TRUE(read.client.has_value());
  EXPECT_EQ(protocol::to_text(*read.client), "[2001:0:0:0:0:0:0:7]:1234");
}

TEST(ProxyHeader, AHealthCheckOfTheProxyNamesNobody) {
  auto const read = read_proxy_header(header(0, 0, {}));
  EXPECT_EQ(read.state, State::kRead);
  EXPECT_FALSE(read.client.has_value());
}

TEST(ProxyHeader, OtherBytesAreTheConnectionsOwn) {
  std::vector<std::byte> const frame{std::byte{90}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{2}};
  EXPECT_EQ(read_proxy_header(frame).state, State::kAbsent);
}

TEST(ProxyHeader, RefusesWhatOnlyBeginsLikeOne) {
  EXPECT_EQ(read_proxy_header(header(2, 0x11, kIpv4)).state, State::kBad) << "unknown command";
  EXPECT_EQ(read_proxy_header(header(1, 0x31, kIpv4)).state, State::kBad) << "unknown family";
  EXPECT_EQ(read_proxy_header(header(1, 0x11, {1, 2})).state, State::kBad) << "too short for its family";
  EXPECT_EQ(read_proxy_header(header(1, 0x11, std::vector<std::uint8_t>(5000))).state, State::kBad);
  auto version_1 = header(1, 0x11, kIpv4);
  version_1[12] = std::byte{0x11};
  EXPECT_EQ(read_proxy_header(version_1).state, State::kBad);
}

}  // namespace
}  // namespace takt::net
