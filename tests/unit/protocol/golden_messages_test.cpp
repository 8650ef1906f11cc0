// schemas/golden against this code: the writer makes those bytes, the reader reads them as messages.json
// says, and every changed byte has the outcome that mutations.json tells. The JavaScript SDK is held to the
// same files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "protocol/messages/message_reader.h"
#include "tests/unit/protocol/golden_messages.h"
#include "tests/unit/protocol/message_json.h"

namespace takt::protocol::test {
namespace {

std::filesystem::path const kFolder = std::filesystem::path(TAKT_SOURCE_DIR) / "schemas" / "golden";

std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path << " is missing; write_golden_messages makes it";
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(GoldenMessages, TheFilesAreWhatThisCodeMakes) {
  std::set<std::string> names;
  for (auto const& [name, content] : golden_files()) {
    names.insert(name);
    EXPECT_TRUE(content_of(kFolder / name) == content)
        << name
        << " differs: the wire format or the reader changed; if that was meant, run write_golden_messages "
           "and say why in the commit";
  }
  for (auto const& entry : std::filesystem::directory_iterator(kFolder))
    EXPECT_TRUE(names.count(entry.path().filename().string()) == 1)
        << entry.path() << " belongs to no golden message";
}

TEST(GoldenMessages, EveryKindIsThere) {
  std::set<std::size_t> kinds;
  for (const GoldenMessage& golden : golden_messages()) kinds.insert(golden.message.index());
  EXPECT_EQ(kinds.size(), std::variant_size_v<Message>);
}

TEST(GoldenMessages, WhatWasWrittenIsRead) {
  for (const GoldenMessage& golden : golden_messages()) {
    if (golden.name == "inputs_hard") continue;  // some of its inputs are refused on purpose
    MessageReader reader;
    auto const read = reader.read(to_bytes(golden.message), MessageClass::kReliable);
    ASSERT_TRUE(read.ok()) << golden.name;
    EXPECT_EQ(to_json(*read), to_json(golden.message));
  }
}

}  // namespace
}  // namespace takt::protocol::test
