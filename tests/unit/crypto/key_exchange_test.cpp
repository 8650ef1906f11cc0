// The agreement of session keys: both ends agree, and differ as soon as one input differs.
#include "crypto/key_exchange.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/crypto/sample_tokens.h"

namespace takt::crypto {
namespace {

using test::sample_key;

const std::vector<std::byte> kExchangeContext{std::byte{3}, std::byte{0}};

struct Ends {
  KeyPair client{sample_key(1)};
  KeyPair lasting{sample_key(2)};
  KeyPair short_lived{sample_key(3)};
  [[nodiscard]] ServerPublicKeys server() const { return {lasting.public_key(), short_lived.public_key()}; }
  [[nodiscard]] SessionKeys as_client(const SessionKeyBytes* token = nullptr) const {
    return agree_as_client(client, server(), kExchangeContext, token).value();
  }
  [[nodiscard]] SessionKeys as_server(const SessionKeyBytes* token = nullptr) const {
    return agree_as_server(lasting, short_lived, client.public_key(), kExchangeContext, token).value();
  }
};

bool equal(const SessionKeys& a, const SessionKeys& b) {
  return a.client_to_server == b.client_to_server && a.server_to_client == b.server_to_client;
}

std::string hex(const SecretKey& key) {
  std::string text;
  for (std::byte const b : key.reveal()) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
    text += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15u];
  }
  return text;
}

TEST(KeyExchange, BothEndsAgree) {
  Ends const ends;
  EXPECT_TRUE(equal(ends.as_client(), ends.as_server()));
  EXPECT_NE(ends.as_client().client_to_server, ends.as_client().server_to_client);
}

TEST(KeyExchange, ATokenIsMixedIn) {
  Ends const ends;
  SessionKeyBytes token{};
  SessionKeyBytes other{};
  other.back() = std::byte{1};
  EXPECT_TRUE(equal(ends.as_client(&token), ends.as_server(&token)));
  EXPECT_FALSE(equal(ends.as_client(&token), ends.as_server()));
  EXPECT_FALSE(equal(ends.as_client(&token), ends.as_server(&other)));
}

// Each public key, each secret key and the context change the keys.
TEST(KeyExchange, EveryInputCounts) {
  Ends const ends;
  SessionKeys const keys = ends.as_client();
  Ends other_client;
  other_client.client = KeyPair(sample_key(4));
  Ends other_lasting;
  other_lasting.lasting = KeyPair(sample_key(4));
  Ends other_short_lived;
  other_short_lived.short_lived = KeyPair(sample_key(4));
  for (const Ends* other : {&other_client, &other_lasting, &other_short_lived}) {
    EXPECT_FALSE(equal(other->as_client(), keys));
    EXPECT_FALSE(equal(other->as_server(), keys));
  }
  std::vector<std::byte> const context{std::byte{3}, std::byte{1}};
  EXPECT_FALSE(equal(agree_as_client(ends.client, ends.server(), context, nullptr).value(), keys));
}

// A man in the middle who has the short-lived key, but not the pinned lasting one, computes other keys.
TEST(KeyExchange, AManInTheMiddleFailsAtThePin) {
  Ends const ends;
  KeyPair const impostor(sample_key(5));
  SessionKeys const his =
      agree_as_server(impostor, ends.short_lived, ends.client.public_key(), kExchangeContext, nullptr)
          .value();
  EXPECT_FALSE(equal(his, ends.as_client()));
}

TEST(KeyExchange, RefusesKeysOfLowOrder) {
  Ends const ends;
  PublicKey const zero;
  PublicKey one;
  one.bytes[0] = std::byte{1};
  for (const PublicKey& low : {zero, one}) {
    EXPECT_EQ(agree_as_server(ends.lasting, ends.short_lived, low, kExchangeContext, nullptr).error(),
              Error::kMalformed);
    EXPECT_EQ(
        agree_as_client(ends.client, {low, ends.short_lived.public_key()}, kExchangeContext, nullptr).error(),
        Error::kMalformed);
    EXPECT_EQ(
        agree_as_client(ends.client, {ends.lasting.public_key(), low}, kExchangeContext, nullptr).error(),
        Error::kMalformed);
  }
}

TEST(KeyExchange, PinsSurviveTheirText) {
  PublicKey const key = Ends().lasting.public_key();
  std::string const text = public_key_text(key);
  EXPECT_EQ(text.size(), 43u);
  EXPECT_EQ(read_public_key(text), key);
  for (const std::string& bad : {std::string(), text.substr(1), text + "A", text.substr(0, 42) + "="})
    EXPECT_FALSE(read_public_key(bad)) << bad;
}

// Both ends of a wire may be different builds: the bytes are frozen. Python's hashlib and PyNaCl computed
// them.
TEST(KeyExchange, HasItsGoldenKeys) {
  Ends const ends;
  EXPECT_EQ(hex(ends.as_client().client_to_server),
            "26a57270bcaa278ad06546fb752f821d65d195597affc5465d5926cf3f98403a");
  EXPECT_EQ(hex(ends.as_client().server_to_client),
            "e87b6cb4182c96d66a138fcb2c786cb7f3fb227e8563c29555dfcb51e2391aee");
}

}  // namespace
}  // namespace takt::crypto
