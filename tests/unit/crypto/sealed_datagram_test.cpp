// Sealed datagrams: what is sent opens once, and every other datagram is dropped and counted without harm.
// Both directions run the same tests, with each cipher that this CPU has.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "crypto/packet_number.h"
#include "takt/core/bytes.h"
#include "takt/core/random.h"
#include "tests/unit/crypto/sealed_pair.h"

namespace takt::crypto {
namespace {

using test::Bytes;
using test::open;
using test::Opened;
using test::payload_of;
using test::seal;
using test::SealedPair;

enum class Direction { kUp, kDown };

// AES-256-GCM cannot run on a CPU without it.
std::vector<DatagramCipher> ciphers() {
  std::vector<DatagramCipher> all{DatagramCipher::kChaCha20Poly1305};
  if ((ciphers_of_cpu() & kAes256GcmBit) != 0) all.push_back(DatagramCipher::kAes256Gcm);
  return all;
}

class SealedDatagram : public ::testing::TestWithParam<std::tuple<DatagramCipher, Direction>> {
 protected:
  static DatagramCipher cipher() { return std::get<DatagramCipher>(GetParam()); }
  static bool is_up() { return std::get<Direction>(GetParam()) == Direction::kUp; }
  static DatagramSealer& sealer_of(SealedPair& pair) {
    return is_up() ? pair.client_sealer : pair.server_sealer;
  }
  static DatagramOpener& opener_of(SealedPair& pair) {
    return is_up() ? pair.server_opener : pair.client_opener;
  }
  DatagramSealer& sealer() { return sealer_of(pair); }
  DatagramOpener& opener() { return opener_of(pair); }
  Bytes next(std::uint64_t now_us = 0, std::uint64_t acked = 0) {
    return seal(sealer(), payload_of(sealer().next_number()), now_us, acked);
  }

  // The datagram is dropped with this reason and counted once, and the session goes on.
  void expect_dropped(std::span<const std::byte> datagram, DropReason reason, std::uint64_t now_us = 0) {
    std::uint64_t const before = opener().drop_count(reason);
    std::uint64_t const newest = opener().newest();
    Opened const result = open(opener(), datagram, now_us);
    ASSERT_FALSE(result.ok);
    EXPECT_EQ(result.reason, reason);
    EXPECT_EQ(opener().drop_count(reason), before + 1);
    EXPECT_EQ(opener().newest(), newest);
  }
  void expect_alive(std::uint64_t now_us = 0) {
    std::uint64_t const number = sealer().next_number();
    Opened const result = open(opener(), next(now_us), now_us);
    ASSERT_TRUE(result.ok);
    EXPECT_EQ(result.number, number);
    EXPECT_EQ(result.payload, payload_of(number));
  }

  SealedPair pair{cipher()};
};

INSTANTIATE_TEST_SUITE_P(Ciphers, SealedDatagram,
                         ::testing::Combine(::testing::ValuesIn(ciphers()),
                                            ::testing::Values(Direction::kUp, Direction::kDown)));

TEST_P(SealedDatagram, OpensToItsPayloadFlagsAndNumber) {
  for (std::size_t size : {0u, 1u, 63u, 64u, 65u, 1177u}) {
    SealFlags const flags{size % 2 == 1, size % 3 == 0};
    std::uint64_t const number = sealer().next_number();
    Opened const result = open(opener(), seal(sealer(), payload_of(7, size), 0, 0, flags));
    ASSERT_TRUE(result.ok);
    EXPECT_EQ(result.number, number);
    EXPECT_EQ(result.flags, flags);
    EXPECT_EQ(result.payload, payload_of(7, size));
  }
}

// 23 bytes around a payload. The ack block inside has at most 11 (newest 2, delay 1, mask 8): 34 in all.
TEST_P(SealedDatagram, AddsAtMost34BytesWithALongAckBlock) {
  constexpr std::size_t kAckBlockBytesMax = 11;
  EXPECT_EQ(seal(sealer(), payload_of(1, 100)).size() - 100, 23u);
  EXPECT_EQ(kSealOverheadBytes, 23u);
  EXPECT_LE(kSealOverheadBytes + kAckBlockBytesMax, 34u);
  while (sealer().next_number() < 8192) (void)next();
  EXPECT_EQ(seal(sealer(), payload_of(1, 100), 0, 1).size() - 100, 23u) << "8,191 not acknowledged";
  EXPECT_EQ(seal(sealer(), payload_of(1, 100), 0, 1).size() - 100, 25u) << "8,192 not acknowledged";
}

TEST_P(SealedDatagram, IsDroppedWithAnyFlippedBit) {
  expect_alive();
  Bytes const good = next();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes changed = good;
    changed[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_FALSE(open(opener(), changed).ok) << bit;
  }
  std::uint64_t drops = 0;
  for (std::size_t i = 0; i < kDropReasonCount; ++i) drops += opener().drop_count(static_cast<DropReason>(i));
  EXPECT_EQ(drops, good.size() * 8);
  EXPECT_TRUE(open(opener(), good).ok);
  expect_alive();
}

TEST_P(SealedDatagram, IsDroppedAtAnyCut) {
  Bytes const good = next();
  for (std::size_t size = 0; size < good.size(); ++size)
    ASSERT_FALSE(open(opener(), std::span(good).first(size)).ok) << size;
  EXPECT_TRUE(open(opener(), good).ok);
}

TEST_P(SealedDatagram, OpensOnce) {
  std::vector<Bytes> sent;
  for (int i = 0; i < 100; ++i) sent.push_back(next());
  for (const Bytes& datagram : sent) ASSERT_TRUE(open(opener(), datagram).ok);
  for (const Bytes& datagram : sent) expect_dropped(datagram, DropReason::kReplayed);
  expect_alive();
}

TEST_P(SealedDatagram, OpensInAnyOrder) {
  std::vector<Bytes> sent;
  for (int i = 0; i < 4000; ++i) sent.push_back(next());
  Random random(3);
  for (std::size_t i = sent.size() - 1; i > 0; --i)
    std::swap(sent[i], sent[random.next_below(static_cast<std::uint32_t>(i + 1))]);
  for (const Bytes& datagram : sent) ASSERT_TRUE(open(opener(), datagram).ok);
}

TEST_P(SealedDatagram, IsLateBehindTheReplayWindow) {
  Bytes const oldest = next();
  Bytes const second = next();
  while (sealer().next_number() <= ReplayWindow::kMemory) (void)next();
  ASSERT_TRUE(open(opener(), next()).ok);  // number kMemory + 1
  expect_dropped(oldest, DropReason::kLate);
  EXPECT_TRUE(open(opener(), second).ok);
  expect_alive();
}

TEST_P(SealedDatagram, IsDroppedWhenReflected) {
  Bytes const sent = next();
  DatagramOpener& own = is_up() ? pair.client_opener : pair.server_opener;
  EXPECT_EQ(open(own, sent).reason, DropReason::kForged);
  EXPECT_EQ(own.drop_count(DropReason::kForged), 1u);
  EXPECT_TRUE(open(opener(), sent).ok);
}

TEST_P(SealedDatagram, IsDroppedByAnotherSession) {
  SealedPair other(cipher(), 9, 0xC0FFEE02);
  Bytes foreign = seal(sealer_of(other), payload_of(1));
  expect_dropped(foreign, DropReason::kWrongConnection);
  store_little_endian(foreign.data() + 1, std::uint32_t{0xC0FFEE01});
  expect_dropped(foreign, DropReason::kForged);
  expect_alive();
}

TEST_P(SealedDatagram, ForgeriesAreDroppedAndCounted) {
  expect_alive();
  Random random(4);
  constexpr int kForgeries = 200'000;
  Bytes const good = next();
  for (int i = 0; i < kForgeries; ++i) {
    Bytes forged(random.next_below(1200));
    for (std::byte& b : forged) b = static_cast<std::byte>(random.next_u32());
    if (i % 2 == 0) std::copy_n(good.begin(), std::min<std::size_t>(7, forged.size()), forged.begin());
    ASSERT_FALSE(open(opener(), forged).ok) << i;
  }
  std::uint64_t drops = 0;
  for (std::size_t i = 0; i < kDropReasonCount; ++i) drops += opener().drop_count(static_cast<DropReason>(i));
  EXPECT_EQ(drops, std::uint64_t{kForgeries});
  EXPECT_TRUE(open(opener(), good).ok);
}

class KeyPhases : public ::testing::TestWithParam<DatagramCipher> {
 protected:
  static constexpr std::uint64_t kRttUs = 50'000;
  static constexpr KeyPhaseLimits kLimits{10, 1'000'000};
  SealedPair pair{GetParam(), 1, 5, kLimits};
  DatagramSealer& sealer = pair.client_sealer;
  DatagramOpener& opener = pair.server_opener;

  Bytes next(std::uint64_t now_us, std::uint64_t acked) {
    return seal(sealer, payload_of(sealer.next_number()), now_us, acked);
  }
  Opened deliver(const Bytes& datagram, std::uint64_t now_us) {
    return open(opener, datagram, now_us, kRttUs);
  }
};

INSTANTIATE_TEST_SUITE_P(Ciphers, KeyPhases, ::testing::ValuesIn(ciphers()));

TEST_P(KeyPhases, ChangeAfterTheirDatagramsAndAfterTheirTime) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(deliver(next(0, opener.newest()), 0).ok);
  EXPECT_EQ(sealer.phase_count(), 0u);
  ASSERT_TRUE(deliver(next(0, opener.newest()), 0).ok);
  EXPECT_EQ(sealer.phase_count(), 1u);
  EXPECT_EQ(opener.phase_count(), 1u);
  ASSERT_TRUE(deliver(next(999'999, opener.newest()), 999'999).ok);
  EXPECT_EQ(opener.phase_count(), 1u);
  ASSERT_TRUE(deliver(next(1'000'000, opener.newest()), 1'000'000).ok);
  EXPECT_EQ(opener.phase_count(), 2u);
}

TEST_P(KeyPhases, WaitForAnAcknowledgementOfThePresentPhase) {
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(deliver(next(0, 0), 0).ok);
  EXPECT_EQ(sealer.phase_count(), 0u);
  ASSERT_TRUE(deliver(next(0, 1), 0).ok);
  EXPECT_EQ(sealer.phase_count(), 1u);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(deliver(next(0, 30), 0).ok);  // 30 is of the first phase
  EXPECT_EQ(sealer.phase_count(), 1u);
}

TEST_P(KeyPhases, TheOldKeyOpensForThreeRoundTripsAndIsThenWiped) {
  std::vector<Bytes> overtaken;
  for (int i = 0; i < 10; ++i) overtaken.push_back(next(0, 0));
  ASSERT_TRUE(deliver(overtaken[0], 0).ok);
  ASSERT_TRUE(deliver(next(0, 1), 0).ok);
  ASSERT_EQ(opener.phase_count(), 1u);
  EXPECT_TRUE(opener.has_previous_key());
  EXPECT_TRUE(deliver(overtaken[1], 3 * kRttUs - 1).ok);
  EXPECT_TRUE(opener.has_previous_key());
  Opened const late = deliver(overtaken[2], 3 * kRttUs);
  EXPECT_FALSE(late.ok);
  EXPECT_EQ(late.reason, DropReason::kLate);
  EXPECT_FALSE(opener.has_previous_key());
  EXPECT_TRUE(deliver(next(3 * kRttUs, 11), 3 * kRttUs).ok);
}

TEST_P(KeyPhases, AnIdleSessionWipesTheOldKeyToo) {
  for (int i = 0; i < 11; ++i) ASSERT_TRUE(deliver(next(0, opener.newest()), 0).ok);
  opener.handle_time(3 * kRttUs - 1);
  EXPECT_TRUE(opener.has_previous_key());
  opener.handle_time(3 * kRttUs);
  EXPECT_FALSE(opener.has_previous_key());
}

TEST_P(KeyPhases, SurviveALostAndReorderedChange) {
  std::vector<Bytes> sent;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(deliver(next(0, opener.newest()), 0).ok);
  for (int i = 0; i < 5; ++i) sent.push_back(next(0, 10));  // 11 to 15, of the new phase
  EXPECT_TRUE(deliver(sent[3], 0).ok);
  EXPECT_TRUE(deliver(sent[1], 0).ok);
  EXPECT_TRUE(deliver(sent[4], 0).ok);
  EXPECT_TRUE(deliver(sent[0], 0).ok);  // the first of the phase comes last; one was lost
  EXPECT_EQ(opener.phase_count(), 1u);
}

// A changed phase bit must not move the receiver: the next key is tried and refuses.
TEST_P(KeyPhases, AForgedChangeChangesNothing) {
  Bytes datagram = next(0, 0);
  Bytes const good = datagram;
  datagram[0] ^= std::byte{0x40};
  Opened const result = deliver(datagram, 0);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.reason, DropReason::kForged);
  EXPECT_EQ(opener.phase_count(), 0u);
  EXPECT_TRUE(deliver(good, 0).ok);
}

TEST_P(KeyPhases, ADatagramOfAnOldPhaseDoesNotReplay) {
  Bytes const old = next(0, 0);
  ASSERT_TRUE(deliver(old, 0).ok);
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(deliver(next(0, opener.newest()), 0).ok);
  ASSERT_GT(opener.phase_count(), 4u);
  EXPECT_EQ(deliver(old, 0).reason, DropReason::kReplayed);
}

TEST_P(KeyPhases, EachPhaseHasAKeyOfItsOwn) {
  std::array<std::byte, 32> chain{};
  std::array<std::byte, 32> first{};
  std::array<std::byte, 32> second{};
  std::ranges::copy(test::sample_key(1).reveal(), chain.begin());
  auto const before = chain;
  advance_key_chain(chain, first);
  auto const between = chain;
  advance_key_chain(chain, second);
  EXPECT_NE(first, second);
  EXPECT_NE(between, before);
  EXPECT_NE(first, between);
}

// The bytes are OpenSSL's, computed with Node.
TEST(DatagramCipherBytes, AreThoseOfAnotherLibrary) {
  struct Case {
    DatagramCipher cipher;
    std::string_view sealed;
  };
  constexpr Case kCases[] = {{DatagramCipher::kChaCha20Poly1305,
                              "d3cf58d7f97ffec2983a4c6837762e317246e7cf4930fe328bf723247bc9b68b210f93a4ec57c2"
                              "1deb0cd3939b2c2b55767e7df09ab95be9"},
                             {DatagramCipher::kAes256Gcm,
                              "1ea3a939a1b2ce98eb20052b73f63a0fa62ff69198bc63233855b39e9cf162e083ff0bd11d7a4e"
                              "3773911657d8fdfe3b964ec8ebff96e163"}};
  std::array<std::byte, 32> key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  std::array<std::byte, 40> text;
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::byte>(3 * i);
  std::array<std::byte, 7> const head{std::byte{0x90}, std::byte{1}, std::byte{2}, std::byte{3},
                                      std::byte{4},    std::byte{5}, std::byte{6}};
  for (const Case& c : kCases) {
    if (std::ranges::count(ciphers(), c.cipher) == 0) continue;
    Bytes sealed(text.size() + kSealTagBytes);
    encrypt_datagram(c.cipher, key, 0x3412, head, text, sealed.data());
    std::string hex;
    for (std::byte const b : sealed) {
      hex += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
      hex += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15];
    }
    EXPECT_EQ(hex, c.sealed);
    Bytes opened(text.size());
    ASSERT_TRUE(decrypt_datagram(c.cipher, key, 0x3412, head, sealed, opened.data()));
    EXPECT_TRUE(std::ranges::equal(opened, text));
  }
}

TEST(DatagramCipherChoice, IsAesOnlyWhereBothEndsHaveIt) {
  constexpr CipherBits kUnknown = 0xFE;
  EXPECT_EQ(choose_cipher(0, 0), DatagramCipher::kChaCha20Poly1305);
  EXPECT_EQ(choose_cipher(kAes256GcmBit, 0), DatagramCipher::kChaCha20Poly1305);
  EXPECT_EQ(choose_cipher(0, kAes256GcmBit), DatagramCipher::kChaCha20Poly1305);
  EXPECT_EQ(choose_cipher(kUnknown, 0xFF), DatagramCipher::kChaCha20Poly1305);
  EXPECT_EQ(choose_cipher(kAes256GcmBit, 0xFF), DatagramCipher::kAes256Gcm);
  EXPECT_TRUE(is_offered(0, 0));
  EXPECT_FALSE(is_offered(kUnknown, 1));
  EXPECT_TRUE(is_offered(kAes256GcmBit, 1));
  EXPECT_FALSE(is_offered(0xFF, 2));
}

TEST(PacketNumber, IsRestoredFromItsLowBytes) {
  for (std::uint64_t newest :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{65'535}, std::uint64_t{65'536},
        std::uint64_t{1} << 32, (std::uint64_t{1} << 40) + 12'345}) {
    for (std::uint64_t step :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{8191}, std::uint64_t{32'000}}) {
      std::uint64_t const ahead = newest + step;
      EXPECT_EQ(restore_packet_number(newest, static_cast<std::uint16_t>(ahead), 2), ahead);
      EXPECT_EQ(restore_packet_number(newest, static_cast<std::uint32_t>(ahead), 4), ahead);
      if (newest < step) continue;
      std::uint64_t const behind = newest - step;
      EXPECT_EQ(restore_packet_number(newest, static_cast<std::uint16_t>(behind), 2), behind);
      EXPECT_EQ(restore_packet_number(newest, static_cast<std::uint32_t>(behind), 4), behind);
    }
  }
  // The example of RFC 9000, appendix A.3.
  EXPECT_EQ(restore_packet_number(0xa82f30ea, 0x9b32, 2), 0xa82f9b32u);
}

}  // namespace
}  // namespace takt::crypto
