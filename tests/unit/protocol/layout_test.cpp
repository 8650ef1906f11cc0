// Handshake header, ack block, sections and frames: the bytes spelled out, and every way they can be wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "protocol/link/frame.h"
#include "protocol/wire/address.h"
#include "protocol/wire/datagram.h"

namespace takt::protocol {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> out;
  for (unsigned const v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

std::vector<std::byte> handshake_header() {
  std::vector<std::byte> out;
  write_handshake_header(out);
  return out;
}

TEST(HandshakeHeader, HasTheseBytes) {
  auto expected = bytes_of({'T', 'K', 'T', '1', 0x01});
  expected.resize(32);
  EXPECT_EQ(handshake_header(), expected);
  EXPECT_FALSE(is_sealed(expected));
  EXPECT_FALSE(is_sealed({}));
  EXPECT_TRUE(is_sealed(bytes_of({0x90})));
}

TEST(HandshakeHeader, RefusesWhatIsNotOne) {
  auto const good = handshake_header();
  for (std::size_t n = 0; n < kHandshakeHeaderBytes; ++n)
    EXPECT_EQ(read_handshake(std::span(good).first(n)).error(), Error::kTooShort);
  auto long_one = good;
  long_one.resize(kDatagramBytesMax);
  ASSERT_TRUE(read_handshake(long_one).ok());
  EXPECT_EQ(read_handshake(long_one)->size(), kDatagramBytesMax - kHandshakeHeaderBytes);
  long_one.resize(kDatagramBytesMax + 1);
  EXPECT_EQ(read_handshake(long_one).error(), Error::kTooLong);
  for (std::size_t i = 0; i < 4; ++i) {
    auto bent = good;
    bent[i] ^= std::byte{1};
    EXPECT_EQ(read_handshake(bent).error(), Error::kBadMagic);
  }
  for (unsigned const type : {0u, 2u, 3u, 255u}) {  // 2: a session of version 2
    auto bent = good;
    bent[4] = static_cast<std::byte>(type);
    EXPECT_EQ(read_handshake(bent).error(), Error::kBadType);
  }
}

TEST(AckBlock, HasTheseBytes) {
  std::vector<std::byte> out;
  write_ack_block({0x0102, 3}, out);  // nothing is missing
  EXPECT_EQ(out, bytes_of({0x02, 0x01, 0x18, 0x00}));
  out.clear();
  write_ack_block({0x0102, 0x1fff, AckBlock::kMaskAll & ~0x0201ull}, out);  // numbers 2 and 10 before it
  EXPECT_EQ(out, bytes_of({0x02, 0x01, 0xfa, 0xff, 0xfe, 0xfd}));
  out.clear();
  write_ack_block({0, 0xffff, 0}, out);
  EXPECT_EQ(out.size(), 4u + kAckBits / 8);
  EXPECT_EQ(out[2], std::byte{0xff}) << "the delay saturates";
}

TEST(AckBlock, RoundTripsAndRefusesEveryTruncation) {
  for (std::uint64_t const mask :
       {std::uint64_t{0}, std::uint64_t{1}, AckBlock::kMaskAll, AckBlock::kMaskAll >> 1,
        std::uint64_t{0x00ff00ff00ff00}, AckBlock::kMaskAll & ~(std::uint64_t{1} << (kAckBits - 1))}) {
    AckBlock const block{0xfedc, 77, mask};
    std::vector<std::byte> out;
    write_ack_block(block, out);
    for (std::size_t n = 0; n < out.size(); ++n) {
      std::span<const std::byte> some = std::span(out).first(n);
      EXPECT_FALSE(read_ack_block(some).ok()) << n;
    }
    out.push_back(std::byte{9});
    std::span<const std::byte> all = out;
    auto const read = read_ack_block(all);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, block);
    EXPECT_EQ(all.size(), 1u);
  }
}

TEST(Section, HasTheseBytes) {
  std::vector<std::byte> out;
  auto const payload = bytes_of({0xaa, 0xbb, 0xcc});
  write_section({SectionKind::kMessage, false, 0, payload}, out);
  write_section({SectionKind::kFragment, true, 0x01020304, payload}, out);
  EXPECT_EQ(out, bytes_of({0x01, 0x00, 0x03, 0x00, 0xaa, 0xbb, 0xcc, 0x02, 0x01, 0x03, 0x00, 0x04, 0x03, 0x02,
                           0x01, 0xaa, 0xbb, 0xcc}));
  SectionReader reader(out);
  Section section;
  ASSERT_TRUE(reader.next(section));
  EXPECT_EQ(section.kind, SectionKind::kMessage);
  EXPECT_EQ(section.payload.size(), 3u);
  ASSERT_TRUE(reader.next(section));
  EXPECT_EQ(section.kind, SectionKind::kFragment);
  EXPECT_TRUE(section.last_of_message);
  EXPECT_EQ(section.fragment, 0x01020304u);
  EXPECT_FALSE(reader.next(section));
  EXPECT_TRUE(reader.ok());
}

TEST(Section, RefusesEveryTruncationAndUnknownKind) {
  std::vector<std::byte> out;
  auto const payload = bytes_of({1, 2, 3, 4, 5});
  write_section({SectionKind::kFragment, false, 7, payload}, out);
  for (std::size_t n = 1; n < out.size(); ++n) {
    SectionReader reader{std::span<const std::byte>(out).first(n)};
    Section section;
    EXPECT_FALSE(reader.next(section)) << n;
    EXPECT_FALSE(reader.ok()) << n;
    EXPECT_FALSE(reader.next(section));
  }
  for (unsigned const kind : {0u, 3u, 255u}) {
    auto bent = out;
    bent[0] = static_cast<std::byte>(kind);
    SectionReader reader(bent);
    Section section;
    EXPECT_FALSE(reader.next(section));
    EXPECT_FALSE(reader.ok());
  }
  auto const nothing = bytes_of({1, 0, 0, 0});
  SectionReader empty_payload(nothing);
  Section section;
  EXPECT_FALSE(empty_payload.next(section));
  EXPECT_FALSE(empty_payload.ok());
}

TEST(Frame, HasTheseBytes) {
  std::vector<std::byte> out;
  write_frame(MessageClass::kDatagram, bytes_of({0xaa, 0xbb}), out);
  write_frame(MessageClass::kReliable, bytes_of({0xcc}), out);
  EXPECT_EQ(out, bytes_of({0x03, 0, 0, 0, 0x01, 0xaa, 0xbb, 0x02, 0, 0, 0, 0x02, 0xcc}));
}

TEST(Frame, ReadsAnySplit) {
  std::vector<std::byte> stream;
  for (unsigned i = 1; i <= 20; ++i)
    write_frame(i % 2 == 0 ? MessageClass::kReliable : MessageClass::kDatagram,
                std::vector<std::byte>(i * 7, static_cast<std::byte>(i)), stream);
  for (std::size_t step = 1; step < 40; ++step) {
    FrameReader reader(kFrameBytesMax);
    unsigned seen = 0;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      auto bytes = std::span<const std::byte>(stream).subspan(at, std::min(step, stream.size() - at));
      FrameReader::Frame frame;
      while (reader.next(bytes, frame) == FrameReader::Outcome::kFrame) {
        ++seen;
        ASSERT_EQ(frame.message.size(), seen * 7);
        ASSERT_EQ(frame.message_class, seen % 2 == 0 ? MessageClass::kReliable : MessageClass::kDatagram);
        for (std::byte const b : frame.message) ASSERT_EQ(b, static_cast<std::byte>(seen));
      }
      ASSERT_TRUE(bytes.empty());
    }
    EXPECT_EQ(seen, 20u) << "step " << step;
  }
}

TEST(Frame, RefusesOversizeBeforeItsBodyArrivesAndStaysFailed) {
  FrameReader reader(100);
  auto const prefix = bytes_of({101, 0, 0, 0});
  std::span<const std::byte> bytes = prefix;
  FrameReader::Frame frame;
  EXPECT_EQ(reader.next(bytes, frame), FrameReader::Outcome::kOversize);
  auto const good = bytes_of({2, 0, 0, 0, 1, 9});
  bytes = good;
  EXPECT_EQ(reader.next(bytes, frame), FrameReader::Outcome::kOversize);
}

TEST(Frame, RefusesEmptyFramesAndUnknownKinds) {
  for (unsigned const length : {0u, 1u}) {
    FrameReader reader(100);
    auto const prefix = bytes_of({length, 0, 0, 0, 1});
    std::span<const std::byte> bytes = prefix;
    FrameReader::Frame frame;
    EXPECT_EQ(reader.next(bytes, frame), FrameReader::Outcome::kBadLayout);
  }
  FrameReader reader(100);
  auto const odd = bytes_of({2, 0, 0, 0, 3, 0});
  std::span<const std::byte> bytes = odd;
  FrameReader::Frame frame;
  EXPECT_EQ(reader.next(bytes, frame), FrameReader::Outcome::kBadKind);
}

TEST(Frame, SealsAndOpens) {
  crypto::SecretKey const key(std::array<std::byte, crypto::SecretKey::kBytes>{});
  crypto::StreamSealer sealer(key);
  crypto::StreamOpener opener(key);
  auto const message = bytes_of({0xaa, 0xbb});
  std::vector<std::byte> stream;
  write_frame(MessageClass::kReliable, message, stream, &sealer);
  EXPECT_EQ(stream.size(), kFramePrefixBytes + 1 + message.size() + crypto::kSealTagBytes);
  EXPECT_EQ(stream[0], static_cast<std::byte>(1 + message.size() + crypto::kSealTagBytes));
  write_frame(MessageClass::kDatagram, std::vector<std::byte>(100), stream, &sealer);
  FrameReader reader(101);
  std::span<const std::byte> bytes = stream;
  FrameReader::Frame frame;
  ASSERT_EQ(reader.next(bytes, frame, &opener), FrameReader::Outcome::kFrame);
  EXPECT_EQ(frame.message_class, MessageClass::kReliable);
  EXPECT_TRUE(std::ranges::equal(frame.message, message));
  ASSERT_EQ(reader.next(bytes, frame, &opener), FrameReader::Outcome::kFrame)
      << "the limit is of the plain frame";
  EXPECT_EQ(frame.message.size(), 100u);
  EXPECT_EQ(reader.next(bytes, frame, &opener), FrameReader::Outcome::kNeedMore);
}

TEST(Frame, RefusesEveryChangedByteOfASealedOne) {
  crypto::SecretKey const key(std::array<std::byte, crypto::SecretKey::kBytes>{});
  crypto::StreamSealer sealer(key);
  std::vector<std::byte> good;
  write_frame(MessageClass::kReliable, bytes_of({1, 2, 3}), good, &sealer);
  for (std::size_t i = 0; i < good.size(); ++i) {
    crypto::StreamOpener opener(key);
    FrameReader reader(kFrameBytesMax);
    auto bent = good;
    bent[i] ^= std::byte{1};
    bent.resize(bent.size() + 2);  // a longer length waits for its bytes
    std::span<const std::byte> bytes = bent;
    FrameReader::Frame frame;
    auto const outcome = reader.next(bytes, frame, &opener);
    EXPECT_TRUE(outcome == FrameReader::Outcome::kForged ||
                (i < 4 && outcome != FrameReader::Outcome::kFrame))
        << i;
    EXPECT_EQ(reader.next(bytes, frame, &opener), outcome) << "and stays failed";
  }
}

TEST(Address, Prints) {
  EXPECT_EQ(to_text(Address::from_ipv4(192, 0, 2, 255, 7777)), "192.0.2.255:7777");
  Address v6;
  v6.ip = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x1f};
  v6.port = 1;
  EXPECT_EQ(to_text(v6), "[2001:db8:0:0:0:0:0:1f]:1");
  EXPECT_FALSE(v6.is_ipv4());
  EXPECT_FALSE(Address{}.is_ipv4());
}

}  // namespace
}  // namespace takt::protocol
