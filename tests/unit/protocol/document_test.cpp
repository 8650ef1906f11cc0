// docs/PROTOCOL.md against the code: every table of layout, constants, reasons and counters.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "crypto/sealed_datagram.h"
#include "protocol/link/counters.h"
#include "protocol/link/frame.h"
#include "protocol/messages/body_state.h"
#include "protocol/messages/message.h"
#include "protocol/wire/datagram.h"
#include "protocol/wire/limits.h"
#include "takt/core/bytes.h"
#include "tests/unit/protocol/golden_geometries.h"

namespace takt::protocol {
namespace {

using Row = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  auto const first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The rows of the first table after the line that begins with `heading`, without its head.
std::vector<Row> table_after(const std::string& heading) {
  std::ifstream in(std::string(TAKT_SOURCE_DIR) + "/docs/PROTOCOL.md");
  std::string line;
  while (std::getline(in, line) && line.rfind(heading, 0) != 0) {
  }
  EXPECT_TRUE(in.good()) << "no heading: " << heading;
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] != '|') {
      if (!rows.empty()) break;
      continue;
    }
    Row row;
    std::istringstream cells(line.substr(1));
    for (std::string cell; std::getline(cells, cell, '|');) row.push_back(trimmed(cell));
    rows.push_back(row);
  }
  EXPECT_GE(rows.size(), 3u) << heading;
  if (rows.size() >= 2) rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

TEST(ProtocolDocument, TheLimitsAreTheCodes) {
  std::map<std::string, std::uint64_t> const code{
      {"kProtocolVersion", kProtocolVersion},
      {"kDatagramBytesMax", kDatagramBytesMax},
      {"kHandshakeHeaderBytes", kHandshakeHeaderBytes},
      {"kSealedDatagramBytes", kSealedDatagramBytes},
      {"kMessageSectionBytes", kMessageSectionBytes},
      {"kFragmentSectionBytes", kFragmentSectionBytes},
      {"kSectionsPerDatagramMax", kSectionsPerDatagramMax},
      {"kUnreliableBytesMax", kUnreliableBytesMax},
      {"kFragmentBytesMax", kFragmentBytesMax},
      {"kConnectRequestBytes", kConnectRequestBytes},
      {"kReliableBytesMax", kReliableBytesMax},
      {"kJoinSliceBytes", kJoinSliceBytes},
      {"kFrameBytesMax", kFrameBytesMax},
      {"kFramePrefixBytes", kFramePrefixBytes},
      {"kVerifierDepthMax", kVerifierDepthMax},
      {"kVerifierTablesDatagram", kVerifierTablesDatagram},
      {"kVerifierTablesReliable", kVerifierTablesReliable},
      {"kPlayerNameBytesMax", kPlayerNameBytesMax},
      {"kProofBytes", kProofBytes},
      {"kNamedProofBytes", kNamedProofBytes},
      {"kConnectTokenBytesMax", kConnectTokenBytesMax},
      {"kSealedAcceptBytesMax", kSealedAcceptBytesMax},
      {"kReasonTextBytesMax", kReasonTextBytesMax},
      {"kCustomBytesMax", kCustomBytesMax},
      {"kBodyInfosPerMessage", kBodyInfosPerMessage},
      {"kShapesPerBodyMax", kShapesPerBodyMax},
      {"kRemovedPerMessage", kRemovedPerMessage},
      {"kCommandOutcomesPerMessage", kCommandOutcomesPerMessage},
      {"kGeometrySliceBytes", kGeometrySliceBytes},
      {"kGeometryBytesMax", kGeometryBytesMax},
      {"kGeometryTotalBytesMax", kGeometryTotalBytesMax},
      {"kGeometriesMax", kGeometriesMax},
      {"kHullCornersMax", kHullCornersMax},
      {"kClientMessageBytesMax", kClientMessageBytesMax},
      {"kQueriesPerRequest", kQueriesPerRequest},
      {"kQueryIgnoredMax", kQueryIgnoredMax},
      {"kQueryHitsMax", kQueryHitsMax},
      {"kQueryLengthMax", static_cast<std::uint64_t>(kQueryLengthMax)},
      {"kQueryRequestsWaiting", kQueryRequestsWaiting},
      {"kQueriesPerTick", kQueriesPerTick},
      {"kQueryHitsPerTick", kQueryHitsPerTick},
      {"kQueryHitsPerRequest", kQueryHitsPerRequest},
      {"kSceneNameBytesMax", kSceneNameBytesMax},
      {"kTitleBytesMax", kTitleBytesMax},
      {"kScenesMax", kScenesMax},
      {"kTimelineMarksMax", kTimelineMarksMax},
      {"kControlStepsMax", kControlStepsMax},
      {"kControlSpeedMax", static_cast<std::uint64_t>(kControlSpeedMax)},
      {"kContactPointsPerMessage", kContactPointsPerMessage},
      {"kContactPointsMax", kContactPointsMax},
      {"kJointFramesPerMessage", kJointFramesPerMessage},
      {"kJointFramesMax", kJointFramesMax},
      {"kInspectInterval", kInspectInterval},
      {"kModeSwitchInterval", kModeSwitchInterval},
      {"kRopeNodesMax", kRopeNodesMax},
      {"kRopeIndexMax", kRopeIndexMax},
      {"kRopeNodesPerWorld", kRopeNodesPerWorld},
      {"kRopeSliceBytesMax", kRopeSliceBytesMax},
      {"kInputsPerMessage", kInputsPerMessage},
      {"kInputWindow", kInputWindow},
      {"kBodyIndexMax", kBodyIndexMax},
      {"kBodyStateBytes", kBodyStateBytes},
      {"kSnapshotBodiesPerPart", kSnapshotBodiesPerPart},
      {"kSnapshotPartsMax", kSnapshotPartsMax},
      {"kSnapshotAgeMax", kSnapshotAgeMax},
      {"kConfirmedSliceBytes", kConfirmedSliceBytes},
      {"kConfirmedBytesMax", kConfirmedBytesMax},
      {"kConfirmedBatchesMax", kConfirmedBatchesMax},
      {"kDesyncPathBytesMax", kDesyncPathBytesMax},
      {"kDesyncAnswerBytesMax", kDesyncAnswerBytesMax},
      {"kAckBits", kAckBits},
      {"kSentWindow", kSentWindow},
      {"kFragmentWindowToClient", kFragmentWindowToClient},
      {"kFragmentWindowToServer", kFragmentWindowToServer},
      {"kAckDelayMax", kAckDelayMax},
      {"kInputAckInterval", kInputAckInterval},
      {"kAckEvery", kAckEvery},
      {"kHandshakeRetry", kHandshakeRetry},
      {"kCookieLifetime", kCookieLifetime},
      {"kDisconnectCopies", kDisconnectCopies},
      {"kDisconnectSpacing", kDisconnectSpacing},
      {"kKeepAliveInterval", kKeepAliveInterval},
  };
  std::map<std::string, std::uint64_t> document;
  for (auto const& row : table_after("## 7. Limits")) document[row.at(0)] = std::stoull(row.at(1));
  EXPECT_EQ(document, code);
}

TEST(ProtocolDocument, EveryCounterHasARowInOrder) {
  auto const rows = table_after("## 9. Counters");
  ASSERT_EQ(rows.size(), kCounterCount);
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    EXPECT_EQ(rows[i].at(0), name_of(static_cast<Counter>(i)));
    EXPECT_FALSE(rows[i].at(1).empty());
  }
}

template <class Enum>
void expect_enum_table(const std::string& heading, Enum last) {
  auto const rows = table_after(heading);
  ASSERT_EQ(rows.size(), std::size_t{static_cast<std::uint8_t>(last)} + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at(0), name_of(static_cast<Enum>(i)));
    EXPECT_EQ(rows[i].at(1), std::to_string(i));
  }
}

TEST(ProtocolDocument, TheReasonsAreTheCodes) {
  expect_enum_table("### Why a server refuses", RefuseReason::kTokenWrongMode);
  expect_enum_table("### Why a session ends", DisconnectReason::kReplaced);
  expect_enum_table("### Input outcomes", CommandStatus::kRefusedEarly);
  expect_enum_table("### Refusals", CommandRefusal::kOverloaded);
  expect_enum_table("### Control actions", ControlAction::kSeek);
  expect_enum_table("### Control outcomes", ControlStatus::kFailed);
  expect_enum_table("### Query outcomes", QueryStatus::kRefusedLate);
}

// A layout table is right when each field's bytes, set alone, are where the table says and nowhere else.
template <class Write>
void expect_field(const Row& row, const std::vector<std::byte>& zero, Write&& write, std::size_t bytes) {
  std::vector<std::byte> const filled = write();
  ASSERT_EQ(filled.size(), zero.size());
  std::size_t const offset = std::stoull(row.at(0));
  ASSERT_EQ(std::stoull(row.at(1)), bytes) << row.at(2);
  for (std::size_t i = 0; i < filled.size(); ++i) {
    bool const inside = i >= offset && i < offset + bytes;
    EXPECT_EQ(filled[i] != zero[i], inside) << row.at(2) << " byte " << i;
  }
}

TEST(ProtocolDocument, TheHandshakeHeaderLiesWhereTheTableSays) {
  auto const rows = table_after("### Header of a handshake datagram");
  ASSERT_EQ(rows.size(), 4u);
  std::vector<std::byte> header;
  write_handshake_header(header);
  std::size_t end = 0;
  for (const Row& row : rows) {
    ASSERT_EQ(std::stoull(row.at(0)), end) << row.at(2);
    if (row.at(1) != "-") end += std::stoull(row.at(1));
  }
  EXPECT_EQ(end, kHandshakeHeaderBytes);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(header.data()), 4), "TKT1");
  EXPECT_EQ(header[std::stoull(rows[1].at(0))], std::byte{1});
}

TEST(ProtocolDocument, TheSealedHeaderLiesWhereTheTableSays) {
  auto const rows = table_after("### Sealed datagram");
  ASSERT_EQ(rows.size(), 5u);
  auto const bytes_of = [](auto change) {
    crypto::SealedHeader header;
    change(header);
    std::vector<std::byte> out(header.bytes());
    crypto::write_sealed_header(header, out.data());
    return out;
  };
  auto const base = bytes_of([](auto&) {});
  expect_field(
      rows[1], base, [&] { return bytes_of([](auto& h) { h.connection_id = ~0u; }); }, 4);
  EXPECT_EQ(rows[2].at(1), "2 or 4");
  Row const number{rows[2].at(0), "2", rows[2].at(2)};
  expect_field(
      number, base, [&] { return bytes_of([](auto& h) { h.number_low = ~0u; }); }, 2);
  EXPECT_EQ(std::stoull(rows[3].at(0)), base.size());
  EXPECT_EQ(std::stoull(rows[4].at(1)), crypto::kSealTagBytes);
  // The bits of the first byte, as its row lists them.
  EXPECT_EQ(base[0], std::byte{0b1001'0000});
  auto const bit = [&](auto change) { return std::to_integer<unsigned>(bytes_of(change)[0] ^ base[0]); };
  EXPECT_EQ(bit([](auto& h) { h.phase = true; }), 1u << 6);
  EXPECT_EQ(bit([](auto& h) { h.number_bytes = 4; }), 3u << 4);
  EXPECT_EQ(bit([](auto& h) { h.flags.path_probe = true; }), 1u << 3);
  EXPECT_EQ(bit([](auto& h) { h.flags.has_ack = true; }), 1u << 2);
}

TEST(ProtocolDocument, TheAckBlockLiesWhereTheTableSays) {
  auto const rows = table_after("### Ack block");
  ASSERT_EQ(rows.size(), 3u);
  auto const bytes_of = [](const AckBlock& block) {
    std::vector<std::byte> out;
    write_ack_block(block, out);
    return out;
  };
  auto const base = bytes_of({0, 0, 0});
  expect_field(
      rows[0], base,
      [&] {
        return bytes_of({0xffff, 0, 0});
      },
      2);
  EXPECT_EQ(std::stoull(rows[1].at(0)), 2u);
  EXPECT_EQ(load_little_endian<std::uint16_t>(base.data() + 2), kAckBits / 8) << "bits 0-2";
  EXPECT_EQ(load_little_endian<std::uint16_t>(bytes_of({0, 1, 0}).data() + 2), 1u << 3 | kAckBits / 8);
  EXPECT_EQ(rows[2].at(1), "0 to " + std::to_string(kAckBits / 8));
  EXPECT_EQ(base.size(), std::stoull(rows[2].at(0)) + kAckBits / 8);
}

// "12 + 12 V" with V = 3 is 48.
std::uint64_t value_of(const std::string& text, const std::map<char, std::uint64_t>& counts) {
  if (text == "ceil((R - 1) (C - 1) / 8)") return ((counts.at('R') - 1) * (counts.at('C') - 1) + 7) / 8;
  std::uint64_t sum = 0;
  std::uint64_t product = 1;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "+") {
      sum += product;
      product = 1;
    } else {
      product *= counts.contains(word[0]) ? counts.at(word[0]) : std::stoull(word);
    }
  }
  return sum + product;
}

TEST(ProtocolDocument, GeometriesLieWhereTheirTablesSay) {
  char const* const headings[] = {"### Geometry of a hull", "### Geometry of a mesh",
                                  "### Geometry of a height field"};
  for (auto const& [name, geometry] : test::golden_geometries()) {
    auto const rows = table_after(headings[static_cast<std::size_t>(geometry.kind)]);
    auto const bytes = encode(geometry);
    std::map<char, std::uint64_t> counts;
    std::uint64_t end = 0;
    for (const Row& row : rows) {
      if (row.at(2) == "holes" && geometry.holes.empty()) continue;
      ASSERT_EQ(value_of(row.at(0), counts), end) << name << ": " << row.at(2);
      if (row.at(2).size() == 1) counts[row.at(2)[0]] = load_little_endian<std::uint32_t>(bytes.data() + end);
      end += value_of(row.at(1), counts);
      if (row.at(2) == "vertices" || row.at(2) == "heights") {
        // The last of them, with its place from the table.
        float const last = geometry.kind == GeometryKind::kHeightField ? geometry.heights.back()
                                                                       : geometry.vertices.back().z;
        EXPECT_EQ(load_little_endian<float>(bytes.data() + end - 4), last) << name;
      }
    }
    EXPECT_EQ(end, bytes.size()) << name;
  }
}

TEST(ProtocolDocument, SectionsAndFramesAreAsLongAsTheirTables) {
  auto const end_of = [](const std::vector<Row>& rows) {
    return std::stoull(rows.back().at(0));
  };  // where the payload begins
  EXPECT_EQ(end_of(table_after("### Section with one unreliable message")), kMessageSectionBytes);
  EXPECT_EQ(end_of(table_after("### Section with one fragment of the reliable channel")),
            kFragmentSectionBytes);
  EXPECT_EQ(end_of(table_after("## 2. Frames")), kFramePrefixBytes + 1);
  std::vector<std::byte> const payload(1, std::byte{0xaa});
  std::vector<std::byte> out;
  write_section({SectionKind::kMessage, false, 0, payload}, out);
  EXPECT_EQ(out.size(), kMessageSectionBytes + 1);
  out.clear();
  write_section({SectionKind::kFragment, false, 0, payload}, out);
  EXPECT_EQ(out.size(), kFragmentSectionBytes + 1);
  out.clear();
  write_frame(MessageClass::kDatagram, payload, out);
  EXPECT_EQ(out.size(), kFramePrefixBytes + 2);
}

}  // namespace
}  // namespace takt::protocol
