// SipHash, cookies, session ids, admission and used cookies: who may come in.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "protocol/session/admission.h"
#include "protocol/session/challenge.h"
#include "protocol/session/handshake_context.h"
#include "takt/core/bytes.h"

namespace takt::protocol {
namespace {

constexpr SecretKey kSecret{0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull};

TEST(SipHash, MatchesThePapersVectors) {
  std::vector<std::byte> input;
  EXPECT_EQ(siphash(kSecret, input), 0x726fdb47dd0e0e31ull);
  for (unsigned i = 0; i < 15; ++i) input.push_back(static_cast<std::byte>(i));
  EXPECT_EQ(siphash(kSecret, input), 0xa129ca6149be45e5ull);  // appendix A of the paper
  EXPECT_EQ(siphash(kSecret, std::span(input).first(8)), 0x93f5f5799a932462ull);
}

TEST(SipHasher, HashesPartsAsTheWhole) {
  std::vector<std::byte> input(300);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::byte>(i * 37);
  for (std::size_t bytes = 0; bytes <= input.size(); bytes += 1 + bytes / 20) {
    auto const whole = std::span(input).first(bytes);
    for (std::size_t part = 1; part <= 17; ++part) {
      SipHasher hasher(kSecret);
      for (std::size_t at = 0; at < bytes; at += part)
        hasher.put_bytes(whole.subspan(at, std::min(part, bytes - at)));
      ASSERT_EQ(hasher.finish(), siphash(kSecret, whole)) << bytes << " bytes in parts of " << part;
    }
  }
  SipHasher numbers(kSecret);
  numbers.put(std::uint8_t{1});
  numbers.put(std::uint64_t{0x1122334455667788});
  numbers.put(std::uint16_t{0x99aa});
  std::vector<std::byte> bytes;
  ByteWriter writer(bytes);
  writer.put(std::uint8_t{1});
  writer.put(std::uint64_t{0x1122334455667788});
  writer.put(std::uint16_t{0x99aa});
  EXPECT_EQ(numbers.finish(), siphash(kSecret, bytes));
}

TEST(Cookie, IsGoodForItsAddressRequestAndTime) {
  Address const home = Address::from_ipv4(192, 0, 2, 1, 4000);
  ConnectRequest request;
  request.player_name = "ada";
  request.nonce = 77;
  Cookie const cookie = make_cookie(kSecret, 1'000'000, TransportKind::kDatagram, home, request);
  EXPECT_EQ(check_cookie(kSecret, 1'500'000, TransportKind::kDatagram, home, request, cookie),
            CookieVerdict::kGood);
  EXPECT_EQ(
      check_cookie(kSecret, 1'000'000 + kCookieLifetime, TransportKind::kDatagram, home, request, cookie),
      CookieVerdict::kGood);
  EXPECT_EQ(
      check_cookie(kSecret, 1'000'001 + kCookieLifetime, TransportKind::kDatagram, home, request, cookie),
      CookieVerdict::kExpired);
  EXPECT_EQ(check_cookie(kSecret, 999'999, TransportKind::kDatagram, home, request, cookie),
            CookieVerdict::kExpired);  // from another life of the clock
}

// Two requests with equal bytes would have equal cookies and keys, so that somebody on the path could send
// one for the other.
TEST(Cookie, IsOfOneRequestWhateverItsTokenAndItsResume) {
  auto const bytes_of = [](const ConnectRequest& request) {
    std::vector<std::byte> bytes;
    ByteWriter writer(bytes);
    append_request(request, writer);
    return bytes;
  };
  ConnectRequest resuming;
  resuming.mode = ReplicationMode::kLockstep;
  resuming.token.assign(40, std::byte{7});
  ConnectRequest plain = resuming;
  resuming.resume = ResumePoint{5000, 4992, 0x0123456789abcdef, 3};
  auto const long_bytes = bytes_of(resuming);
  EXPECT_NE(long_bytes, bytes_of(plain)) << "a resume that is taken away";
  // All bytes behind the token, as a part of the token.
  std::size_t const tail = long_bytes.size() - bytes_of(plain).size();
  for (std::size_t bytes = 1; bytes <= tail + 1; ++bytes) {
    ConnectRequest other = plain;
    other.token.insert(other.token.end(), long_bytes.end() - static_cast<std::ptrdiff_t>(bytes),
                       long_bytes.end());
    EXPECT_NE(bytes_of(other), long_bytes) << bytes;
  }
  ConnectRequest elsewhere = resuming;
  elsewhere.resume->epoch = 4;
  EXPECT_NE(bytes_of(elsewhere), long_bytes);
}

TEST(Cookie, IsForgedForAnyOther) {
  Address const home = Address::from_ipv4(192, 0, 2, 1, 4000);
  ConnectRequest request;
  request.player_name = "ada";
  Cookie const cookie = make_cookie(kSecret, 1'000'000, TransportKind::kDatagram, home, request);
  auto const verdict = [&](const Address& from, const ConnectRequest& asked, const Cookie& shown) {
    return check_cookie(kSecret, 1'000'000, TransportKind::kDatagram, from, asked, shown);
  };
  EXPECT_EQ(verdict(Address::from_ipv4(192, 0, 2, 2, 4000), request, cookie), CookieVerdict::kForged);
  EXPECT_EQ(verdict(Address::from_ipv4(192, 0, 2, 1, 4001), request, cookie), CookieVerdict::kForged);
  EXPECT_EQ(check_cookie(kSecret, 1'000'000, TransportKind::kStream, home, request, cookie),
            CookieVerdict::kForged);
  std::vector<ConnectRequest> others(6, request);
  others[0].protocol_version += 1;
  others[1].scene_hash = 1;
  others[2].numbers_mode = NumbersMode::kFixedMode;
  others[3].mode = ReplicationMode::kRollback;
  others[4].player_name = "adb";
  others[5].nonce = 1;
  for (auto const& other : others) EXPECT_EQ(verdict(home, other, cookie), CookieVerdict::kForged);
  for (std::size_t bit = 0; bit < 128; ++bit) {
    Cookie bent = cookie;
    bent[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_EQ(verdict(home, request, bent), CookieVerdict::kForged);
  }
  EXPECT_EQ(check_cookie({1, 2}, 1'000'000, TransportKind::kDatagram, home, request, cookie),
            CookieVerdict::kForged);
}

TEST(ConnectionId, DiffersAndIsNotZero) {
  std::set<std::uint32_t> ids;
  for (std::uint64_t count = 1; count <= 1000; ++count) ids.insert(make_connection_id(kSecret, count));
  EXPECT_GE(ids.size(), 999u);  // one pair in 2^32 is equal
  EXPECT_EQ(ids.count(0), 0u);
  EXPECT_NE(make_trap_seed(kSecret, 1), make_trap_seed(kSecret, 2));
}

TEST(Admission, TakesWhoAsksForAnythingOrForWhatIs) {
  ServerOptions options;
  options.scene_hash = 5;
  ConnectRequest request;
  EXPECT_FALSE(judge(options, TransportKind::kDatagram, request).has_value());
  request.scene_hash = 5;
  request.numbers_mode = NumbersMode::kFloatMode;
  EXPECT_FALSE(judge(options, TransportKind::kDatagram, request).has_value());
}

TEST(Admission, TheTextNamesWhatWouldBeAllowed) {
  ServerOptions options;
  ConnectRequest request;
  request.protocol_version = 99;
  auto const refused = judge(options, TransportKind::kStream, request);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->reason, RefuseReason::kVersionMismatch);
  EXPECT_NE(refused->text.find(std::to_string(kProtocolVersion)), std::string::npos);
  EXPECT_LE(refused->text.size(), kReasonTextBytesMax);
}

TEST(UsedCookies, RemembersForACookiesLifetime) {
  UsedCookies used(kSecret);
  Cookie cookie{};
  EXPECT_FALSE(used.contains(0, cookie));
  used.insert(0, cookie);
  EXPECT_TRUE(used.contains(kCookieLifetime, cookie));
  EXPECT_FALSE(used.contains(kCookieLifetime + 1, cookie));
}

TEST(UsedCookiesDeathTest, TakeNoCookieTwice) {
  UsedCookies used(kSecret);
  used.insert(0, Cookie{});
  EXPECT_DEATH(used.insert(1, Cookie{}), "contains");
}

// A forgotten cookie would begin a second session with the nonces of the first.
TEST(UsedCookies, ForgetNoneWhenARowIsFull) {
  UsedCookies used(kSecret);
  // The row of a cookie is a hash that it does not show: cookies with one tag fall into many rows.
  std::vector<Cookie> cookies;
  Cookie cookie{};
  for (std::uint64_t i = 0; used.has_place(0, cookie); ++i) {
    used.insert(0, cookie);
    cookies.push_back(cookie);
    store_little_endian(cookie.data(), i + 1);
  }
  EXPECT_GT(cookies.size(), 1000u);
  EXPECT_LT(cookies.size(), 16u * 1024u);
  for (const Cookie& one : cookies) EXPECT_TRUE(used.contains(kCookieLifetime, one));
  EXPECT_TRUE(used.has_place(kCookieLifetime + 1, cookie));
}

}  // namespace
}  // namespace takt::protocol
