// docs/FORMATS.md against the code: the version of each format. Also the project version in each file that
// states it. Versions are read from written bytes where a format has bytes.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "sim/batch/batch_plan.h"
#include "sim/commands/input_script.h"
#include "sim/recording/journal_chunks.h"
#include "takt/core/bytes.h"
#include "takt/sim/recording.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

using Row = std::vector<std::string>;

std::string text_of(const std::string& path) {
  std::ifstream in(std::string(TAKT_SOURCE_DIR) + "/" + path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string first_match(const std::string& path, const std::string& pattern) {
  std::string const text = text_of(path);
  std::smatch match;
  EXPECT_TRUE(std::regex_search(text, match, std::regex(pattern))) << path << " has no " << pattern;
  return match.size() > 1 ? match[1].str() : std::string();
}

// The first table under a heading: its head line and its rows.
std::vector<Row> table_under(const std::string& path, const std::string& heading) {
  std::istringstream in(text_of(path));
  std::string line;
  while (std::getline(in, line) && line != heading) {
  }
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    if (!line.starts_with("|")) {
      if (!rows.empty()) break;
      continue;
    }
    Row row;
    std::istringstream cells(line.substr(1));
    for (std::string cell; std::getline(cells, cell, '|');) {
      row.push_back(std::regex_replace(cell, std::regex("^[ `]+|[ `]+$"), ""));
    }
    rows.push_back(row);
  }
  EXPECT_GE(rows.size(), 3u) << heading << " of " << path;
  if (rows.size() >= 2) rows.erase(rows.begin() + 1);
  return rows;
}

// The greatest version up to 9 with which `load` accepts a file; it must accept no other.
template <class Load>
std::uint64_t accepted_version(Load&& load) {
  std::uint64_t accepted = 0;
  for (std::uint64_t version = 0; version < 10; ++version) {
    if (!load("{\"version\": " + std::to_string(version) + "}")) continue;
    EXPECT_EQ(accepted, 0u) << "two versions are accepted";
    accepted = version;
  }
  return accepted;
}

TEST(FormatsDocument, TheVersionsAreTheCodes) {
  Scene const scene = stack_scene(1);
  std::vector<std::byte> const image = make_simulation(scene).save();
  std::vector<std::byte> const world = make_simulation(scene).world().save();
  MemorySink sink;
  RecordingWriter writer(sink);
  ASSERT_TRUE(writer.begin(make_simulation(scene), &scene));

  std::map<std::string, std::uint64_t> code;
  code["world image"] = load_little_endian<std::uint16_t>(world.data() + 8);
  code["simulation image"] = load_little_endian<std::uint32_t>(image.data() + 4);
  code["recording"] = load_little_endian<std::uint32_t>(sink.bytes().data() + 8);
  code["journal"] = load_little_endian<std::uint32_t>(encode_file_head(kJournalVersion).data() + 8);
  code["scene"] = accepted_version([](const std::string& json) { return bool(load_scene(json, "s.json")); });
  code["input script"] = accepted_version(
      [&](const std::string& json) { return bool(load_input_script(json, "i.json", scene)); });
  code["plan of a batch"] = accepted_version([](std::string json) {
    json.insert(json.size() - 1, R"(, "runs": [{"scene": "s.json", "ticks": 1}])");
    return bool(load_batch_plan(json, "b.json"));
  });
  // ProtocolDocument.TheLimitsAreTheCodes compares this row of PROTOCOL.md with kProtocolVersion.
  for (const Row& row : table_under("docs/PROTOCOL.md", "## 7. Limits")) {
    if (row.at(0) == "kProtocolVersion") code["protocol"] = std::stoull(row.at(1));
  }
  EXPECT_EQ(code["simulation image"], kSimulationImageVersion);
  EXPECT_EQ(code["recording"], kRecordingVersion);

  std::map<std::string, std::uint64_t> document;
  std::vector<Row> rows = table_under("docs/FORMATS.md", "## Versions by release");
  for (std::size_t i = 1; i < rows.size(); ++i) document[rows[i].front()] = std::stoull(rows[i].back());
  EXPECT_EQ(document, code);
}

TEST(FormatsDocument, TheProjectVersionIsOneEverywhere) {
  std::string const version =
      first_match("CMakeLists.txt", R"(project\(takt VERSION ([0-9]+\.[0-9]+\.[0-9]+))");
  EXPECT_EQ(table_under("docs/FORMATS.md", "## Versions by release").front().back(), version)
      << "FORMATS.md has no column for it";
  EXPECT_EQ(first_match("vcpkg.json", "\"version-semver\": \"([^\"]+)\""), version);
  EXPECT_EQ(first_match("CHANGELOG.md", "\n## \\[([^\\]]+)\\]"), version);
  EXPECT_TRUE(version.starts_with(
      first_match("tests/package/outside/CMakeLists.txt", R"(find_package\(takt ([0-9]+\.[0-9]+))") + "."));
}

}  // namespace
}  // namespace takt::sim
