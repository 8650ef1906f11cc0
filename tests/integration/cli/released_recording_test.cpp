// Recordings of released versions, replayed by the real takt: each gives the result that FORMATS.md states.
// A recording of an unknown version, or with an image of one, is refused in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>

#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "takt/sim/recording.h"
#include "tests/integration/cli/program.h"

namespace takt::cli_test {
namespace {

constexpr std::uintmax_t kLargestFixtureBytes = 100'000;
constexpr std::size_t kCommandsOfVersion020 = 15;

const std::filesystem::path kFixtures =
    std::filesystem::path(TAKT_SOURCE_DIR) / "tests/integration/fixtures/recordings";

struct Released {
  std::string file, written_by, ticks, inputs, images, last_hash, outcome;
};

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The rows under "Recordings kept as fixtures" of docs/FORMATS.md.
std::vector<Released> released_recordings() {
  static const std::regex kRow(
      R"(\| ([^|]+) \| ([^|]+) \| ([0-9]+) \| ([0-9]+) \| ([0-9]+) \| (0x[0-9a-f]{16}) \| ([^|]+) \|)");
  std::vector<Released> all;
  bool inside = false;
  for (const std::string& line :
       lines_of(read_whole(std::filesystem::path(TAKT_SOURCE_DIR) / "docs/FORMATS.md"))) {
    if (line.starts_with("## ")) inside = line == "## Recordings kept as fixtures";
    std::smatch cells;
    if (inside && std::regex_match(line, cells, kRow))
      all.push_back({cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7]});
  }
  return all;
}

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

TEST(ReleasedRecordings, EveryFileHasARowAndIsSmall) {
  std::set<std::string> documented;
  for (const Released& recording : released_recordings()) documented.insert(recording.file);
  std::set<std::string> present;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFixtures)) {
    if (entry.path().extension() != ".takt") continue;
    present.insert(entry.path().lexically_relative(kFixtures).generic_string());
    EXPECT_LE(entry.file_size(), kLargestFixtureBytes) << entry.path();
  }
  EXPECT_EQ(present, documented);
  EXPECT_GE(present.size(), 2u);
}

TEST(ReleasedRecordings, EachGivesTheDocumentedResult) {
  Workplace const here;
  for (const Released& recording : released_recordings()) {
    SCOPED_TRACE(recording.file);
    std::string const file = quoted(kFixtures / recording.file);
    if (recording.outcome != "replays") {
      Outcome const refused = here.takt("replay verify " + file);
      EXPECT_NE(refused.exit_code, 0);
      EXPECT_NE(refused.err.find(recording.outcome), std::string::npos) << refused.err;
      continue;
    }
    for (const char* const options : {"", " --lanes 1", " --threads 2"}) {
      Outcome const verify = here.takt("replay verify " + file + options);
      EXPECT_EQ(verify.exit_code, 0) << verify.err;
      EXPECT_EQ(verify.out, "verified " + recording.ticks + " ticks and " + recording.images +
                                " images: tick " + recording.ticks + " hash " + recording.last_hash +
                                ", bit for bit\n")
          << options;
    }
    auto const info = lines_of(here.takt("replay info " + file).out);
    ASSERT_EQ(info.size(), 5u);
    EXPECT_NE(info[2].find(", " + recording.inputs + " inputs, " + recording.images + " images"),
              std::string::npos)
        << info[2];
    EXPECT_EQ(info[3], "written by " + recording.written_by);
    EXPECT_TRUE(info[4].ends_with(" bytes, closed")) << info[4];
  }
}

TEST(ReleasedRecordings, SceneAndInputsMakeEachThatReplaysAgain) {
  Workplace const here;
  for (const Released& recording : released_recordings()) {
    if (recording.outcome != "replays") continue;
    SCOPED_TRACE(recording.file);
    std::filesystem::path const file = kFixtures / recording.file;
    std::filesystem::path const folder = file.parent_path();
    Outcome const run = here.takt("run " + quoted(folder / "small.json") + " --inputs " +
                                  quoted(folder / "small_inputs.json") + " --ticks " + recording.ticks +
                                  " --numbers " + file.stem().string() + " --record again.takt --force");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    Outcome const diff = here.takt("replay diff again.takt " + quoted(file));
    EXPECT_EQ(diff.out, "the same states from tick 0 to " + recording.ticks + "\n") << diff.err;
  }
}

TEST(ReleasedRecordings, ThoseOf020HoldEveryKindOfCommand) {
  for (const char* const name : {"0.2.0/float.takt", "0.2.0/fixed.takt"}) {
    std::string const text = read_whole(kFixtures / name);
    sim::MemorySource const source(std::as_bytes(std::span(text)));
    Result<sim::RecordingReader, sim::SimError> const reader = sim::RecordingReader::open(source);
    ASSERT_TRUE(reader);
    std::set<std::size_t> kinds;
    for (std::uint64_t tick = reader->info().first_tick; tick < reader->info().end_tick; ++tick) {
      Result<sim::RecordedTick, sim::SimError> const recorded = reader->tick(tick);
      ASSERT_TRUE(recorded);
      for (const sim::Input& input : recorded->inputs) kinds.insert(input.command.index());
    }
    EXPECT_EQ(kinds.size(), kCommandsOfVersion020) << name;
  }
}

// Applies `change` to the first simulation image of a recording and makes both checksums right again.
template <class Change>
std::string with_changed_image(std::string text, Change&& change) {
  auto const bytes = std::as_writable_bytes(std::span(text));
  std::size_t at = sim::kRecordingHeadBytes;
  while (load_little_endian<std::uint32_t>(&bytes[at + 4]) !=
         static_cast<std::uint32_t>(sim::ChunkKind::kImage)) {
    at += sim::kChunkHeadBytes + load_little_endian<std::uint32_t>(&bytes[at + 8]);
  }
  auto const payload =
      bytes.subspan(at + sim::kChunkHeadBytes, load_little_endian<std::uint32_t>(&bytes[at + 8]));
  char const magic[] = {'T', 'K', 'S', 'I'};
  auto const wanted = std::as_bytes(std::span(magic));
  auto const begin = std::search(payload.begin(), payload.end(), wanted.begin(), wanted.end());
  auto const image_bytes =
      load_little_endian<std::uint32_t>(&*begin - 4);  // FlatBuffers: a vector's length stands before it
  auto const image = payload.subspan(static_cast<std::size_t>(begin - payload.begin()), image_bytes);
  change(image);
  auto const content = image.first(image.size() - 8);
  store_little_endian(image.data() + content.size(), hash_bytes(content));
  store_little_endian(&bytes[at + 24], hash_bytes(payload, hash_bytes(bytes.subspan(at, 24))));
  return text;
}

TEST(ReleasedRecordings, AnUnknownVersionIsRefusedInOneLine) {
  Workplace const here;
  std::string const sound = read_whole(kFixtures / "0.2.0-adr18/float.takt");
  auto const expect_refused = [&](const std::string& bytes, const std::string& command,
                                  const std::string& why) {
    here.write("other.takt", bytes);
    Outcome const outcome = here.takt("replay " + command + " other.takt");
    EXPECT_EQ(outcome.exit_code, 2) << command << outcome.out;
    EXPECT_EQ(outcome.err, "takt: other.takt: " + why + "\n") << command;
  };
  for (std::uint32_t const version : {0u, sim::kJournalVersion + 1, 0xffffffffu}) {
    std::string other = sound;
    store_little_endian(std::as_writable_bytes(std::span(other)).data() + 8, version);
    for (const char* const command : {"info", "verify", "bisect"}) {
      expect_refused(other, command, "the recording has another format version; use the takt that wrote it");
    }
  }
  expect_refused(with_changed_image(sound, [](std::span<std::byte> image) { image[4] ^= std::byte{2}; }),
                 "verify", "the image has another format version; use the takt that wrote it");
  auto const raise_world_version = [](std::span<std::byte> image) {
    char const magic[] = {'T', 'A', 'K', 'T', 'W', 'L', 'D', '\n'};
    auto const wanted = std::as_bytes(std::span(magic));
    auto const world = std::search(image.begin(), image.end(), wanted.begin(), wanted.end());
    ASSERT_NE(world, image.end());
    *(world + 8) ^= std::byte{8};
  };
  expect_refused(with_changed_image(sound, raise_world_version), "verify",
                 "the image has another format version; use the takt that wrote it");
  // The repaired checksums are not the reason: an image that is changed back is accepted.
  here.write("other.takt", with_changed_image(sound, [](std::span<std::byte>) {}));
  EXPECT_EQ(here.takt("replay verify other.takt").exit_code, 0);
}

}  // namespace
}  // namespace takt::cli_test
