#include "protocol/wire/network_prefix.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace takt::protocol {
namespace {

Address ip(std::string_view text) {
  auto const address = parse_ip(text);
  EXPECT_TRUE(address.has_value()) << text;
  return address.value_or(Address{});
}

TEST(NetworkPrefix, ReadsAddresses) {
  EXPECT_EQ(ip("192.0.2.7"), Address::from_ipv4(192, 0, 2, 7, 0));
  EXPECT_EQ(ip("192.0.2.7:80"), Address::from_ipv4(192, 0, 2, 7, 0)) << "the port is dropped";
  EXPECT_EQ(ip("::ffff:192.0.2.7"), Address::from_ipv4(192, 0, 2, 7, 0));
  EXPECT_EQ(to_text(ip("[2001:db8::1]:443")), "[2001:db8:0:0:0:0:0:1]:0");
  EXPECT_EQ(to_text(ip("::1")), "[0:0:0:0:0:0:0:1]:0");
  EXPECT_EQ(to_text(ip("::")), "[0:0:0:0:0:0:0:0]:0");
  EXPECT_EQ(to_text(ip("1:2:3:4:5:6:7:8")), "[1:2:3:4:5:6:7:8]:0");
  for (std::string_view const bad :
       {"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "a.b.c.d", "1:2:3", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9",
        "[::1", "unknown", "1.2.3.4 ", ":1:2:3:4:5:6:7:8"})
    EXPECT_FALSE(parse_ip(bad).has_value()) << bad;
}

TEST(NetworkPrefix, ContainsWhatItsBitsSay) {
  auto const ten = parse_prefix("10.0.0.0/8");
  ASSERT_TRUE(ten.has_value());
  EXPECT_EQ(ten->bits, 104);
  EXPECT_TRUE(ten->contains(ip("10.255.1.2")));
  EXPECT_FALSE(ten->contains(ip("11.0.0.0")));
  EXPECT_FALSE(ten->contains(ip("::1")));
  auto const odd = parse_prefix("192.0.2.128/25");
  ASSERT_TRUE(odd.has_value());
  EXPECT_TRUE(odd->contains(ip("192.0.2.200")));
  EXPECT_FALSE(odd->contains(ip("192.0.2.127")));
  EXPECT_TRUE(parse_prefix("2001:db8::/32")->contains(ip("2001:db8:ffff::1")));
  EXPECT_TRUE(parse_prefix("::/0")->contains(ip("10.1.2.3")));
  EXPECT_TRUE(parse_prefix("127.0.0.1")->contains(ip("127.0.0.1")));
  EXPECT_FALSE(parse_prefix("127.0.0.1")->contains(ip("127.0.0.2")));
  for (std::string_view const bad : {"10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "/8", "::1/64", "10.0.0.0/-1"})
    EXPECT_FALSE(parse_prefix(bad).has_value()) << bad;
}

TEST(ForwardedClient, IsTheLastEntryThatIsNoProxy) {
  std::vector<NetworkPrefix> const proxies{*parse_prefix("10.0.0.0/8")};
  auto const client = [&](std::string_view list) { return forwarded_client(proxies, list); };
  EXPECT_EQ(client("198.51.100.7"), ip("198.51.100.7"));
  EXPECT_EQ(client("192.0.2.66, 198.51.100.7, 10.0.0.3"), ip("198.51.100.7"))
      << "the first is the client's word";
  EXPECT_EQ(client("2001:db8::5,10.9.9.9"), ip("2001:db8::5"));
  EXPECT_FALSE(client("10.0.0.1, 10.0.0.2").has_value());
  EXPECT_FALSE(client("").has_value());
  EXPECT_FALSE(client("198.51.100.7, garbage").has_value()) << "nothing before garbage is believed";
}

}  // namespace
}  // namespace takt::protocol
