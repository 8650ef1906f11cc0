#include <gtest/gtest.h>

#include <cstdint>

#include "tests/integration/cli/program.h"

namespace takt::cli_test {
namespace {

class ReplayCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    Outcome const run = here.takt("run " + scene_path("playground") + " --ticks 90 --record a.takt");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    bytes = here.read("a.takt");
  }
  /// Records the run of a.takt again, but pushes a body at tick 30.
  void record_with_push(const std::string& path) {
    here.write("i.json", R"({"inputs": [{"tick": 30, "impulse": {"body": "jack", "impulse": [10, 0, 0]}}]})");
    Outcome const run =
        here.takt("run " + scene_path("playground") + " --ticks 90 --inputs i.json --record " + path);
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  Workplace here;
  std::string bytes;
};

TEST_F(ReplayCommand, InfoSaysWhatItHolds) {
  Outcome const info = here.takt("replay info a.takt");
  EXPECT_EQ(info.exit_code, 0) << info.err;
  auto const lines = lines_of(info.out);
  ASSERT_EQ(lines.size(), 5u) << info.out;
  EXPECT_TRUE(lines[0].starts_with(
      "scene      Playground: dominoes, ramps, a turnstile, a pyramid, a box of shapes (hash 0x"));
  EXPECT_EQ(lines[1], "world      float numbers, 60 ticks a second, 4 substeps");
  EXPECT_EQ(lines[2], "ticks      0 to 90 (1.5 s), 0 inputs, 1 images");
  EXPECT_TRUE(lines[3].starts_with("written by takt run "));
  EXPECT_EQ(lines[4], "file       " + std::to_string(bytes.size()) + " bytes, closed");
}

TEST_F(ReplayCommand, VerifySucceedsBitForBit) {
  Outcome const verify = here.takt("replay verify a.takt --lanes 1");
  EXPECT_EQ(verify.exit_code, 0) << verify.err;
  EXPECT_TRUE(verify.out.starts_with("verified 90 ticks and 1 images: tick 90 hash 0x")) << verify.out;
  for (const char* const threads : {"2", "auto"}) {
    EXPECT_EQ(here.takt(std::string("replay verify a.takt --threads ") + threads).out, verify.out) << threads;
  }
  EXPECT_NE(here.takt("replay verify a.takt --json").out.find("\"verified\":true,\"ticks\":90"),
            std::string::npos);
}

TEST_F(ReplayCommand, ACutFileVerifiesUpToTheCutAndSaysWhereItIs) {
  here.write("cut.takt", bytes.substr(0, bytes.size() - 300));
  Outcome const info = here.takt("replay info cut.takt");
  EXPECT_NE(info.out.find("not closed: sound up to byte "), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("last good tick 60"), std::string::npos) << info.out;
  Outcome const verify = here.takt("replay verify cut.takt");
  EXPECT_EQ(verify.exit_code, 0) << verify.err;
  EXPECT_NE(verify.out.find("verified 60 ticks"), std::string::npos) << verify.out;
  EXPECT_NE(verify.out.find("the recording is cut: sound up to byte "), std::string::npos) << verify.out;
}

TEST_F(ReplayCommand, DamageFailsTheCheck) {
  std::string damaged = bytes;
  damaged[damaged.size() - 900] = static_cast<char>(damaged[damaged.size() - 900] ^ 1);
  here.write("bad.takt", damaged);
  Outcome const verify = here.takt("replay verify bad.takt");
  EXPECT_EQ(verify.exit_code, 1) << verify.out;
  EXPECT_NE(verify.err.find("takt: bad.takt: unreadable past tick "), std::string::npos) << verify.err;
}

TEST_F(ReplayCommand, SeekPrintsTheHashOfTheRunAtThatTick) {
  Outcome const run = here.takt("run " + scene_path("playground") + " --ticks 45");
  Outcome const seek = here.takt("replay seek a.takt --tick 45 --csv s.csv");
  EXPECT_EQ(seek.exit_code, 0) << seek.err;
  EXPECT_EQ(seek.out.substr(0, 32), run.out.substr(0, 32));
  EXPECT_GT(lines_of(here.read("s.csv")).size(), 50u);
  Outcome const past = here.takt("replay seek a.takt --tick 91");
  EXPECT_EQ(past.exit_code, 2);
  EXPECT_EQ(past.err, "takt: --tick 91 is not in a.takt: allowed is 0 to 90\n");
}

TEST_F(ReplayCommand, DiffAndBisectFindWhereTwoRunsPart) {
  record_with_push("b.takt");
  Outcome const diff = here.takt("replay diff a.takt b.takt");
  EXPECT_EQ(diff.exit_code, 1);
  EXPECT_TRUE(diff.out.starts_with("first different state: tick 31\nthe inputs of tick 30 differ\n"))
      << diff.out;
  EXPECT_EQ(here.takt("replay diff a.takt a.takt").out, "the same states from tick 0 to 90\n");
  EXPECT_EQ(here.takt("replay bisect b.takt").out,
            "every tick from 0 to 90 follows from the image before it\n");
}

TEST_F(ReplayCommand, DiffOfTwoModesNamesThem) {
  std::string const base = "run " + scene_path("stack") + " --ticks 2 --numbers ";
  ASSERT_EQ(here.takt(base + "fixed --record x.takt").exit_code, 0);
  ASSERT_EQ(here.takt(base + "float --record f.takt").exit_code, 0);
  Outcome const diff = here.takt("replay diff f.takt x.takt");
  EXPECT_EQ(diff.exit_code, 2);
  EXPECT_EQ(diff.err,
            "takt: f.takt has float numbers, x.takt has fixed numbers: their states differ from the start; "
            "record both with one --numbers\n");
}

TEST_F(ReplayCommand, DiffAndBisectPrintJson) {
  record_with_push("b.takt");
  Outcome const diff = here.takt("replay diff a.takt b.takt --json");
  EXPECT_EQ(diff.exit_code, 1);
  EXPECT_TRUE(diff.out.starts_with(
      R"({"left":"a.takt","right":"b.takt","equal":false,"first_tick":0,"end_tick":90,"first_difference":31,)"
      R"("inputs_differ":true,"fields":[{"path":")"))
      << diff.out;
  EXPECT_TRUE(diff.out.ends_with("}]}\n")) << diff.out;
  EXPECT_EQ(here.takt("replay diff a.takt a.takt --json").out,
            R"({"left":"a.takt","right":"a.takt","equal":true,"first_tick":0,"end_tick":90,)"
            "\"first_difference\":null,\"inputs_differ\":false,\"fields\":[]}\n");
  EXPECT_EQ(
      here.takt("replay bisect a.takt --json").out,
      R"({"image_tick":0,"end_tick":90,"final_tick":90,"follows":true,"image_sound":true,"mismatch":null,)"
      "\"output_mismatch\":null,\"error\":null}\n");
  bytes[bytes.size() - 900] = static_cast<char>(bytes[bytes.size() - 900] ^ 1);
  here.write("bad.takt", bytes);
  Outcome const bisect = here.takt("replay bisect bad.takt --json");
  EXPECT_EQ(bisect.exit_code, 1);
  EXPECT_NE(bisect.out.find("\"follows\":false"), std::string::npos) << bisect.out;
  EXPECT_NE(bisect.out.find("\"error\":\"a chunk of the recording is damaged\"}"), std::string::npos)
      << bisect.out;
  Outcome const verify = here.takt("replay verify bad.takt --json");
  EXPECT_NE(verify.out.find("\"verified\":false"), std::string::npos) << verify.out;
  EXPECT_NE(verify.out.find("\"mismatch\":null,\"error\":\"a chunk of the recording is damaged\"}"),
            std::string::npos)
      << verify.out;
}

// A run of the printed script writes the recording again, byte for byte.
TEST_F(ReplayCommand, InputsPrintsAScriptThatRunAccepts) {
  here.write("i.json", R"({"inputs": [
    {"tick": 0, "join": {"player": 1, "name": "ann"}},
    {"tick": 3, "player": 1, "sequence": 9, "impulse": {"body": "jack", "impulse": [10.1, 0, 0.3]}},
    {"tick": 30, "player": 1, "spawn": {"shape": {"box": {"size": [0.3, 0.7, 0.5]}, "friction": 0.3},
                                        "position": [0.1, 4.7, 2.3], "euler_degrees": [10, 20, 30]}},
    {"tick": 30, "player": 1, "custom": {"hex": "00ff"}},
    {"tick": 60, "leave": {"player": 1}}]})");
  std::string const run = "run " + scene_path("playground") + " --ticks 90 ";
  ASSERT_EQ(here.takt(run + "--inputs i.json --record b.takt").exit_code, 0);
  Outcome const inputs = here.takt("replay inputs b.takt");
  EXPECT_EQ(inputs.exit_code, 0) << inputs.err;
  EXPECT_EQ(inputs.err, "");
  here.write("j.json", inputs.out);
  Outcome const again = here.takt(run + "--inputs j.json --record c.takt");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(here.read("c.takt"), here.read("b.takt"));
  EXPECT_NE(here.read("c.takt"), bytes) << "the inputs act";
}

TEST_F(ReplayCommand, InputsOfOneTick) {
  record_with_push("b.takt");
  Outcome const inputs = here.takt("replay inputs b.takt --tick 30");
  EXPECT_EQ(inputs.exit_code, 0) << inputs.err;
  auto const lines = lines_of(inputs.out);
  ASSERT_EQ(lines.size(), 5u) << inputs.out;
  EXPECT_TRUE(lines[2].starts_with(R"(    {"tick": 30, "player": 0, "sequence": 1, "impulse": {"body": ")"));
  EXPECT_TRUE(lines[2].ends_with(R"(, "impulse": [10, 0, 0]}})")) << lines[2];
  EXPECT_EQ(here.takt("replay inputs b.takt --tick 31").out, "{\n  \"inputs\": [\n  ]\n}\n");
  Outcome const past = here.takt("replay inputs b.takt --tick 90");
  EXPECT_EQ(past.exit_code, 2);
  EXPECT_EQ(past.err, "takt: --tick 90 has no inputs in b.takt: its ticks are 0 up to 90\n");
}

// Damages the chunk of that kind that begins at `tick`.
void damage_chunk(std::string& recording, char kind, std::uint16_t tick) {
  for (std::size_t at = recording.find("TKCK"); at != std::string::npos;
       at = recording.find("TKCK", at + 1)) {
    auto const low = static_cast<unsigned char>(recording[at + 16]);
    auto const high = static_cast<unsigned char>(recording[at + 17]);
    if (recording[at + 4] != kind || low + 256 * high != tick) continue;
    recording[at + 100] = static_cast<char>(recording[at + 100] ^ 1);
    return;
  }
  ADD_FAILURE() << "no chunk of kind " << int(kind) << " at tick " << tick;
}

class DamagedRecording : public ReplayCommand {
 protected:
  void SetUp() override {
    Outcome const run = here.takt("run " + scene_path("stack") + " --ticks 700 --record a.takt");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    bytes = here.read("a.takt");
  }
  void write_damaged(char kind, std::uint16_t tick) {
    std::string damaged = bytes;
    damage_chunk(damaged, kind, tick);
    here.write("bad.takt", damaged);
  }
};

constexpr char kImage = 2;
constexpr char kTicks = 3;

TEST_F(DamagedRecording, SeekGoesBackPastADamagedImageAndNamesIt) {
  write_damaged(kImage, 600);
  Outcome const seek = here.takt("replay seek bad.takt --tick 650");
  EXPECT_EQ(seek.exit_code, 0);
  EXPECT_EQ(seek.out, here.takt("replay seek a.takt --tick 650").out);
  EXPECT_EQ(seek.err,
            "takt: bad.takt: the image of tick 600 is unreadable: a chunk of the recording is damaged; the "
            "ticks since an earlier image were simulated instead\n");
}

TEST_F(DamagedRecording, SeekAndDiffNameTheFileAndTheTickThatIsUnreadable) {
  write_damaged(kTicks, 600);
  std::string const what =
      "takt: bad.takt: unreadable past tick 600: a chunk of the recording is damaged; use a copy of the "
      "file, or a tick that 'replay bisect' can reach\n";
  Outcome const seek = here.takt("replay seek bad.takt --tick 650");
  EXPECT_EQ(seek.exit_code, 2);
  EXPECT_EQ(seek.err, what);
  for (const char* const files : {"a.takt bad.takt", "bad.takt a.takt"}) {
    Outcome const diff = here.takt(std::string("replay diff ") + files);
    EXPECT_EQ(diff.exit_code, 2);
    EXPECT_EQ(diff.err, what);
  }
}

TEST_F(DamagedRecording, InputsNamesTheTickAtWhichTheScriptEnds) {
  write_damaged(kTicks, 600);
  Outcome const inputs = here.takt("replay inputs bad.takt");
  EXPECT_EQ(inputs.exit_code, 1);
  EXPECT_EQ(inputs.err,
            "takt: bad.takt: unreadable past tick 600: a chunk of the recording is damaged; the script ends "
            "there\n");
}

TEST_F(DamagedRecording, VerifyNamesTheImageIfThatAloneIsDamaged) {
  write_damaged(kImage, 600);
  Outcome const image = here.takt("replay verify bad.takt");
  EXPECT_EQ(image.exit_code, 1);
  EXPECT_EQ(image.err,
            "takt: bad.takt: the image of tick 600 is unreadable: a chunk of the recording is damaged; the "
            "ticks before it verify, and 'replay bisect' checks those after the next image\n");
  write_damaged(kTicks, 600);
  EXPECT_EQ(here.takt("replay verify bad.takt").err,
            "takt: bad.takt: unreadable past tick 600: a chunk of the recording is damaged\n");
}

TEST_F(ReplayCommand, ForeignFilesAreRefusedInOneLine) {
  here.write("x.takt", "hello");
  Outcome const info = here.takt("replay info x.takt");
  EXPECT_EQ(info.exit_code, 2);
  EXPECT_EQ(info.err, "takt: x.takt: not a Takt recording; name a file that takt --record wrote\n");
  here.write("head.takt", bytes.substr(0, 200));
  EXPECT_EQ(here.takt("replay verify head.takt").err,
            "takt: head.takt: the recording was cut before its first image; nothing can be replayed\n");
  EXPECT_EQ(here.takt("replay info none.takt").err,
            "takt: none.takt: cannot be opened: No such file or directory\n");
}

}  // namespace
}  // namespace takt::cli_test
