// Datagram header, sections and frames: the bytes spelled out, and every way they can be wrong.
#include <gtest/gtest.h>

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

std::vector<std::byte> header_bytes(const DatagramHeader& header) {
  std::vector<std::byte> out(kDatagramHeaderBytes);
  write_header(header, std::span<std::byte, kDatagramHeaderBytes>(out.data(), kDatagramHeaderBytes));
  return out;
}

DatagramHeader sample_header() {
  DatagramHeader header;
  header.type = DatagramType::kSession;
  header.flags = kDatagramFlagAckEliciting | kDatagramFlagAckValid;
  header.ack_delay_100us = 0x0102;
  header.session = 0x1112131415161718ull;
  header.sequence = 0x21222324u;
  header.ack = 0x31323334u;
  header.ack_bits = 0x4142434445464748ull;
  return header;
}

TEST(DatagramHeader, HasTheseBytes) {
  EXPECT_EQ(header_bytes(sample_header()),
            bytes_of({'T',  'K',  'T',  '1',  0x02, 0x03, 0x02, 0x01, 0x18, 0x17, 0x16,
                      0x15, 0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21, 0x34, 0x33,
                      0x32, 0x31, 0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41}));
}

TEST(DatagramHeader, RoundTrips) {
  auto const read = read_header(header_bytes(sample_header()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, sample_header());
}

TEST(DatagramHeader, RefusesWhatIsNotOne) {
  auto const good = header_bytes(sample_header());
  for (std::size_t n = 0; n < kDatagramHeaderBytes; ++n)
    EXPECT_EQ(read_header(std::span(good).first(n)).error(), Error::kTooShort);
  auto long_one = good;
  long_one.resize(kDatagramBytesMax);
  EXPECT_TRUE(read_header(long_one).ok());
  long_one.resize(kDatagramBytesMax + 1);
  EXPECT_EQ(read_header(long_one).error(), Error::kTooLong);
  for (std::size_t i = 0; i < 4; ++i) {
    auto bent = good;
    bent[i] ^= std::byte{1};
    EXPECT_EQ(read_header(bent).error(), Error::kBadMagic);
  }
  for (unsigned const type : {0u, 3u, 255u}) {
    auto bent = good;
    bent[4] = static_cast<std::byte>(type);
    EXPECT_EQ(read_header(bent).error(), Error::kBadType);
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
