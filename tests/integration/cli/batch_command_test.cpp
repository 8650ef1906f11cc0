// takt batch: the table of a plan does not depend on shards, threads, kills and the order of runs, and
// nothing damaged or foreign becomes part of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <regex>
#include <set>
#include <span>

#include "takt/core/hash.h"
#include "tests/integration/cli/program.h"

namespace takt::cli_test {
namespace {

namespace fs = std::filesystem;

// 20 runs: 2 gravities x 2 frictions x 4 seeds, and 4 of another scene in fixed numbers.
constexpr const char* kPlan = R"({
  "title": "a test",
  "measure": ["energy", "contacts", "awake", "ball.position", "ball.velocity", "ball.rotation"],
  "defaults": { "scene": "scenes/drop.json", "ticks": 60 },
  "runs": [
    { "name": "drop", "seed_count": 4, "sweep": [
      { "path": "world.gravity", "values": ["[0, -9.81, 0]", "[0, -1.62, 0]"] },
      { "path": "bodies[1].shapes[0].friction", "values": ["0.1", "0.9"] } ] },
    { "name": "slide", "numbers": "fixed", "seeds": [7, 5, 3, 18446744073709551615],
      "inputs": "push.json", "set": ["bodies[1].position=[0, 0.5, 0]"] }
  ]
}
)";
constexpr const char* kScene = R"({ "bodies": [
  { "name": "ground", "type": "static", "shapes": [{"box": {"size": [100,2,100]}}], "position": [0,-1,0] },
  { "name": "ball", "position": [0,1,0], "velocity": [1,0,0], "shapes": [{"sphere": {"radius": 0.5}}] } ],
  "generators": [{ "pile": { "count": 6, "seed": 3, "low": [3, 1, -4], "high": [11, 9, 4] } }] }
)";

class BatchCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(here.path() / "scenes");
    here.write("plan.json", kPlan);
    here.write("scenes/drop.json", kScene);
    here.write("push.json",
               R"({"inputs": [{"tick": 3, "impulse": {"body": "ball", "impulse": [500, 0, 0]}}]})");
  }
  Outcome done(const std::string& arguments) {
    Outcome const run = here.takt("batch " + arguments);
    EXPECT_EQ(run.exit_code, 0) << arguments << '\n' << run.out << run.err;
    return run;
  }
  std::string refused(const std::string& arguments, int exit_code = 2) {
    Outcome const run = here.takt("batch " + arguments);
    EXPECT_EQ(run.exit_code, exit_code) << arguments << '\n' << run.out << run.err;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    return run.err.starts_with("takt: ") ? run.err.substr(6) : run.err;
  }
  // The table of a folder and its line with the digest.
  struct Merged {
    std::string table, line;
    friend bool operator==(const Merged&, const Merged&) = default;
  };
  Merged merged(const std::string& folder) {
    std::string const line = done("merge plan.json --results " + folder + " --csv " + folder + ".csv").out;
    return {here.read(folder + ".csv"), line};
  }
  Merged whole() {
    done("run plan.json --results whole");
    return merged("whole");
  }
  std::vector<std::string> result_files(const std::string& folder) {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(here.path() / folder))
      if (entry.path().extension() == ".rows") out.push_back(folder + '/' + entry.path().filename().string());
    std::ranges::sort(out);
    return out;
  }
  // Changes the rows of a result file, and its hash with them.
  void forge(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = here.read(name);
    text.resize(text.rfind("end 0x"));
    std::size_t const at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, from.size(), to);
    char line[32];
    std::snprintf(line, sizeof line, "end 0x%016llx\n",
                  static_cast<unsigned long long>(hash_bytes(std::as_bytes(std::span(text)))));
    here.write(name, text + line);
  }
  Workplace here;
};

TEST_F(BatchCommand, AnyNumberOfShardsAndThreadsGivesOneTable) {
  Merged const one = whole();
  EXPECT_EQ(lines_of(one.table).size(), 21u);
  EXPECT_TRUE(std::regex_match(one.line, std::regex("runs 20 digest 0x[0-9a-f]{16}\n"))) << one.line;
  for (int const shards : {2, 7, 20, 33}) {
    std::string const folder = "shards" + std::to_string(shards);
    std::string const base = "run plan.json --results " + folder + " --shard ";
    for (int shard = shards; shard >= 1; --shard)
      done(base + std::to_string(shard) + '/' + std::to_string(shards));
    EXPECT_EQ(merged(folder), one) << shards;
  }
  for (const char* const threads : {"2", "7"}) {
    std::string const folder = std::string("threads") + threads;
    done("run plan.json --results " + folder + " --threads " + threads);
    EXPECT_EQ(merged(folder), one) << threads;
  }
}

TEST_F(BatchCommand, ShardsOfSeveralDivisionsAtOnceGiveOneTable) {
  Merged const one = whole();
  Outcome const all = here.shell(
      "for shard in 1/2 2/2 1/3 2/3 3/3 2/3; do \"$TAKT\" batch run plan.json --results many --shard $shard "
      "--sync-ms 0 >/dev/null & done; wait");
  EXPECT_EQ(all.err, "");
  EXPECT_EQ(merged("many"), one);
}

// The rows of finished runs stay, whenever the process is killed.
TEST_F(BatchCommand, KilledAtAnyMomentAndResumedGivesOneTable) {
  std::string plan = kPlan;
  plan.replace(plan.find("\"ticks\": 60"), 11, "\"ticks\": 400");
  here.write("plan.json", plan);
  auto const began = std::chrono::steady_clock::now();
  Merged const one = whole();
  double const whole_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  ASSERT_NE(one.table, "");
  int kills = 0;
  std::size_t done_before = 0;
  // Delays from a twelfth of the time of all runs to ten twelfths, again and again.
  for (int attempt = 0; attempt < 200; ++attempt) {
    std::string const delay = std::to_string(whole_s * (1 + attempt % 10) / 12);
    Outcome const run = here.shell("timeout -s KILL " + delay +
                                   " \"$TAKT\" batch run plan.json --results killed --sync-ms 0 --threads " +
                                   (attempt % 2 == 0 ? "1" : "2"));
    Outcome const status = here.takt("batch status plan.json --results killed --json");
    if (status.exit_code == 2) continue;  // no folder yet
    std::smatch found;
    ASSERT_TRUE(std::regex_search(status.out, found, std::regex("\"done\":(\\d+)")))
        << status.out << status.err;
    std::size_t const now = std::stoul(found[1].str());
    EXPECT_GE(now, done_before);
    EXPECT_EQ(status.err, "");  // no file is damaged
    done_before = now;
    if (run.exit_code == 0) break;
    ++kills;
  }
  EXPECT_GE(kills, 2);
  EXPECT_EQ(merged("killed"), one);
}

// Runs have the files whose hash the folder has, also when the files change meanwhile.
TEST_F(BatchCommand, AFileThatChangesWhileAShardRunsChangesNoRow) {
  std::string plan = kPlan;
  plan.replace(plan.find("\"ticks\": 60"), 11, "\"ticks\": 1500");
  std::string scene = kScene;
  scene.replace(
      scene.find("{ \"name\": \"ball\""), 0,
      R"({ "name": "hill", "type": "static", "position": [9,0,9], "shapes": [{"mesh": {"obj": "hill.obj"}}] },
)");
  here.write("scenes/hill.obj", "v 0 0 0\nv 0 0 1\nv 1 0 0\nf 1 2 3\n");
  // "bodies[1]" of the plan is the hill now.
  for (std::size_t at = 0; (at = plan.find("bodies[1]", at)) != std::string::npos;) plan[at + 7] = '2';
  here.write("plan.json", plan);
  here.write("scenes/drop.json", scene);
  std::vector<std::pair<std::string, std::string>> const changed{
      {"scenes/drop.json", std::regex_replace(scene, std::regex("0,1,0"), "0,3,0")},
      {"scenes/hill.obj", "v 0 0 0\nv 0 0 2\nv 2 0 0\nf 1 2 3\n"},
      {"push.json", std::regex_replace(here.read("push.json"), std::regex("500"), "900")}};
  std::string swap, back;
  for (const auto& [name, text] : changed) {
    ASSERT_NE(here.read(name), text);
    here.write(name + ".new", text);
    here.write(name + ".old", here.read(name));
    swap += "cp " + name + ".new " + name + "; ";
    back += "cp " + name + ".old " + name + "; ";
  }
  Outcome const run = here.shell(
      "\"$TAKT\" batch run plan.json --results changed --sync-ms 0 & "
      "until grep -qs '^0,' changed/*.rows; do sleep 0.01; done; grep -hc ^19, changed/*.rows; " +
      swap + "wait; " + back);
  EXPECT_TRUE(run.out.starts_with("0\nshard 1/1: 20 of 20 runs done")) << run.out << run.err;
  merged("changed");
  done("verify plan.json changed.csv --repeat 20");
}

TEST_F(BatchCommand, MeshesOfSettingsAreFilesOfThePlan) {
  here.write("scenes/mesh.json", R"({ "bodies": [{ "name": "hill", "type": "static", "shapes": [
    { "mesh": { "obj": "a.obj" } }] }] })");
  for (const char* const name : {"a", "b", "c", "d"})
    here.write(std::string("scenes/") + name + ".obj", "v 0 0 0\nv 0 0 1\nv 1 0 0\nf 1 2 3\n");
  here.write("mesh.json", R"({ "defaults": { "scene": "scenes/mesh.json", "ticks": 1 }, "runs": [
    { "set": ["bodies[0].shapes=[{\"mesh\": {\"obj\": \"b.obj\"}}]"] },
    { "set": ["bodies[0].position=[0, 1, 0]"], "sweep": [
      { "path": "bodies[0].shapes[0].mesh.obj", "values": ["c.obj", "d.obj"] }] }] })");
  done("run mesh.json --results meshes");
  for (const char* const name : {"scenes/b.obj", "scenes/c.obj", "scenes/d.obj"}) {
    std::string const earlier = here.read(name);
    EXPECT_EQ(refused(std::string("merge mesh.json --results meshes --csv ") + name),
              std::string("--csv ") + name + " and a mesh of the plan " + name +
                  " name one file; give --csv another name\n");
    EXPECT_EQ(here.read(name), earlier);
    here.write(name, earlier + "v 2 2 2\n");
    EXPECT_TRUE(refused("status mesh.json --results meshes").starts_with("meshes: has results of another"));
    here.write(name, earlier);
  }
  done("merge mesh.json --results meshes --csv meshes.csv");
  // A mesh that is missing is an error of its runs.
  fs::remove(here.path() / "scenes/d.obj");
  std::string const missing = refused("run mesh.json --results none");
  EXPECT_TRUE(missing.starts_with("mesh.json: run 2 (mesh): ")) << missing;
  EXPECT_NE(missing.find("d.obj: cannot be opened: No such file or directory"), std::string::npos) << missing;
  EXPECT_FALSE(fs::exists(here.path() / "none"));
}

TEST_F(BatchCommand, EachValueOfASeedPathIsCheckedBeforeTheFirstTick) {
  here.write("seeds.json", R"({ "defaults": { "scene": "scenes/drop.json", "ticks": 1 }, "runs": [
    { "seeds": [1, 64, 65, 2, 70], "seed_path": "world.substeps" }] })");
  for (const char* const threads : {"1", "4"}) {
    std::string const text = refused(std::string("run seeds.json --results seeds --threads ") + threads);
    EXPECT_TRUE(text.starts_with("seeds.json: run 2 (drop): ")) << text;
    EXPECT_NE(text.find("65 is out of range"), std::string::npos) << text;
    EXPECT_FALSE(fs::exists(here.path() / "seeds"));
  }
}

TEST_F(BatchCommand, ATableMayComeFromAPipe) {
  Merged const one = whole();
  EXPECT_EQ(here.shell("cat whole.csv | \"$TAKT\" batch verify plan.json /dev/stdin").exit_code, 0);
  std::string const digest = one.line.substr(one.line.find("0x"), 18);
  EXPECT_EQ(here.shell("cat whole.csv | \"$TAKT\" batch verify plan.json /dev/stdin --digest " + digest).err,
            "");
}

TEST_F(BatchCommand, ARunOfNohupOutlivesItsTerminal) {
  std::string plan = kPlan;
  plan.replace(plan.find("\"ticks\": 60"), 11, "\"ticks\": 1500");
  here.write("plan.json", plan);
  Outcome const run = here.shell(
      "trap '' HUP; \"$TAKT\" batch run plan.json --results nohup & until test -e nohup/plan.id; do sleep "
      "0.01; done; kill -HUP $! && wait $!");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
}

TEST_F(BatchCommand, ASignalEndsAShardWhoseRowsStay) {
  std::string plan = kPlan;
  plan.replace(plan.find("\"ticks\": 60"), 11, "\"ticks\": 4000");
  here.write("plan.json", plan);
  Outcome const run = here.shell("timeout -s TERM 0.4 \"$TAKT\" batch run plan.json --results stopped");
  EXPECT_NE(run.err.find("takt: interrupted after "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("; the same command goes on\n"), std::string::npos) << run.err;
  std::string const status = here.takt("batch status plan.json --results stopped").out;
  std::smatch done_now;
  ASSERT_TRUE(
      std::regex_search(run.out, done_now, std::regex("shard 1/1: (\\d+) of 20 runs done, (\\d+) computed")))
      << run.out;
  EXPECT_TRUE(status.starts_with("runs 20 done " + done_now[1].str() + " missing ")) << status;
}

TEST_F(BatchCommand, ADamagedFileIsNoResult) {
  Merged const one = whole();
  ASSERT_EQ(result_files("whole").size(), 1u);
  std::string const file = result_files("whole")[0];
  std::string const bytes = here.read(file);
  for (std::size_t const cut : {bytes.size() - 1, bytes.size() / 2, std::size_t{0}}) {
    here.write(file, bytes.substr(0, cut));
    EXPECT_EQ(here.takt("batch status plan.json --results whole").exit_code, 1) << cut;
  }
  for (std::size_t const at : {std::size_t{3}, bytes.size() / 2, bytes.size() - 3}) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    here.write(file, flipped);
    Outcome const status = here.takt("batch status plan.json --results whole");
    EXPECT_EQ(status.out, "runs 20 done 0 missing 0-19\n");
    EXPECT_EQ(status.err, "takt: " + file + ": is damaged: its runs are run again\n");
  }
  Outcome const merge = here.takt("batch merge plan.json --results whole --csv x.csv");
  EXPECT_EQ(merge.exit_code, 1);
  EXPECT_EQ(merge.err, "takt: " + file + ": is damaged: its runs are run again\n" +
                           "takt: whole: 20 of 20 runs have no result, the first is run 0; 'batch run' makes "
                           "them\n");
  EXPECT_FALSE(fs::exists(here.path() / "x.csv"));
  done("run plan.json --results whole");
  EXPECT_EQ(merged("whole"), one);
}

TEST_F(BatchCommand, TwoResultsOfARunThatDifferAreNamed) {
  whole();
  ASSERT_EQ(result_files("whole").size(), 1u);
  fs::rename(here.path() / result_files("whole")[0], here.path() / "whole/shard-1-of-1-1.rows");
  fs::copy_file(here.path() / "whole/shard-1-of-1-1.rows", here.path() / "whole/shard-1-of-1-2.rows");
  forge("whole/shard-1-of-1-2.rows", ",float,60,", ",float,61,");
  EXPECT_EQ(refused("merge plan.json --results whole --csv x.csv", 1),
            "run 0 has two results: tick is 60 in shard-1-of-1-1.rows and 61 in shard-1-of-1-2.rows\n");
  EXPECT_EQ(here.takt("batch status plan.json --results whole").exit_code, 1);
}

TEST_F(BatchCommand, ResultsOfOtherFilesAreNotMixed) {
  whole();
  std::string const other =
      "whole: has results of another plan, scene, input script, game or version of the "
      "program; name another folder\n";
  for (const char* const name : {"plan.json", "scenes/drop.json", "push.json"}) {
    std::string const earlier = here.read(name);
    here.write(name, earlier + " ");
    for (const std::string command : {"run plan.json --results whole", "status plan.json --results whole",
                                      "merge plan.json --results whole --csv x.csv"})
      EXPECT_EQ(refused(command), other) << name;
    here.write(name, earlier);
  }
  EXPECT_EQ(refused("run plan.json --results scenes"),
            "scenes: has files, but no results of a plan (drop.json); name a new folder\n");
  EXPECT_EQ(refused("status plan.json --results none"), "none: has no results; 'batch run' makes them\n");
}

TEST_F(BatchCommand, ATableIsVerifiedByItsDigestAndByRunsAgain) {
  Merged const one = whole();
  ASSERT_NE(one.table, "");
  std::string const digest = one.line.substr(one.line.find("0x"), 18);
  EXPECT_EQ(done("verify plan.json whole.csv --repeat 5 --digest " + digest).out,
            "verified: runs 20 digest " + digest + " repeated 5\n");
  EXPECT_NE(refused("verify plan.json whole.csv --digest 0x1", 1).find("the digest is " + digest),
            std::string::npos);
  // A changed number has another digest, and a run again finds it.
  std::string table = one.table;
  std::size_t const row = table.find("\n19,");
  std::size_t const hash = table.find("0x", table.find("0x", row) + 1);
  table[hash + 5] = table[hash + 5] == 'a' ? 'b' : 'a';
  here.write("forged.csv", table);
  done("verify plan.json forged.csv --repeat 1");  // run 0 alone
  EXPECT_NE(refused("verify plan.json forged.csv --repeat 20", 1).find("run 19 has two results: hash is 0x"),
            std::string::npos);
  EXPECT_NE(refused("verify plan.json forged.csv --digest " + digest, 1).find("the digest is "),
            std::string::npos);
  here.write("short.csv", one.table.substr(0, row + 1));
  EXPECT_EQ(refused("verify plan.json short.csv", 1), "short.csv: has 19 runs, and the plan 20\n");
  std::string lost = one.table;
  lost.erase(lost.find("\n4,"), lost.find("\n5,") - lost.find("\n4,"));
  here.write("lost.csv", lost);
  EXPECT_EQ(refused("verify plan.json lost.csv", 1), "lost.csv:6: expected run 4\n");
}

// Row, seed, swept value and measures are those of a run by hand.
TEST_F(BatchCommand, ARowHasTheBitsOfTakeRun) {
  std::vector<std::string> const rows = lines_of(whole().table);
  ASSERT_EQ(rows.size(), 21u);
  EXPECT_EQ(rows[0],
            "run,name,seed,swept,numbers,tick,scene_hash,hash,bodies,refused,kinetic_j,potential_j,contacts,"
            "awake,ball.x,ball.y,ball.z,ball.vx,ball.vy,ball.vz,ball.qx,ball.qy,ball.qz,ball.qw");
  struct Case {
    std::size_t run;
    const char* head;
    const char* options;
  };
  for (const Case& one : std::initializer_list<Case>{
           {0, "0,drop,0,\"world.gravity=[0, -9.81, 0] bodies[1].shapes[0].friction=0.1\",float,60,0x",
            "--set 'world.gravity=[0, -9.81, 0]' --set 'bodies[1].shapes[0].friction=0.1' --seed 0"},
           {14, "14,drop,2,\"world.gravity=[0, -1.62, 0] bodies[1].shapes[0].friction=0.9\",float,60,0x",
            "--set 'world.gravity=[0, -1.62, 0]' --set 'bodies[1].shapes[0].friction=0.9' --seed 2"},
           {19, "19,slide,18446744073709551615,,fixed,60,0x",
            "--set 'bodies[1].position=[0, 0.5, 0]' --numbers fixed --inputs push.json --seed "
            "18446744073709551615"}}) {
    std::string const& row = rows[one.run + 1];
    EXPECT_TRUE(row.starts_with(one.head)) << row;
    Outcome const run =
        here.takt("run scenes/drop.json --ticks 60 --csv t.csv --csv-every 60 " + std::string(one.options));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(row.find(run.out.substr(run.out.find("0x"), 18)), std::string::npos) << run.out << row;
    std::string const table = here.read("t.csv");
    std::size_t const begin = table.find("60,1,1,ball,") + 12;
    std::string const position =
        table.substr(begin, table.find(',', table.find(',', table.find(',', begin) + 1) + 1) - begin);
    EXPECT_NE(row.find(',' + position + ','), std::string::npos) << position << row;
  }
}

TEST_F(BatchCommand, FilesOfRunsAreOutputsOfTheirs) {
  here.write("files.json", R"({"defaults": {"scene": "scenes/drop.json", "ticks": 30, "record": true,
    "csv_every": 10}, "runs": [{"seed_count": 3}]})");
  done("run files.json --results files");
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(here.path() / "files")) {
    if (entry.path().extension() != ".rows") names.insert(entry.path().filename().string());
  }
  ASSERT_EQ(result_files("files").size(), 1u);
  EXPECT_TRUE(
      std::regex_match(result_files("files")[0], std::regex("files/shard-1-of-1-[0-9a-f]{16}\\.rows")));
  EXPECT_EQ(names, (std::set<std::string>{"plan.id", "run-000000.csv", "run-000000.takt", "run-000001.csv",
                                          "run-000001.takt", "run-000002.csv", "run-000002.takt"}));
  EXPECT_EQ(here.takt("replay verify files/run-000002.takt").exit_code, 0);
  EXPECT_EQ(lines_of(here.read("files/run-000001.csv")).size(), 1 + 4 * 7u);
  // A run whose file is gone is run again.
  std::string const bytes = here.read("files/run-000001.takt");
  fs::remove(here.path() / "files/run-000001.takt");
  EXPECT_EQ(here.takt("batch status files.json --results files").out, "runs 3 done 2 missing 1\n");
  done("run files.json --results files");
  EXPECT_EQ(here.read("files/run-000001.takt"), bytes);
}

TEST_F(BatchCommand, AFullDiskFailsAndTheRowsBeforeStay) {
  here.write("files.json", R"({"defaults": {"scene": "scenes/drop.json", "ticks": 200, "csv_every": 200},
    "runs": [{"seed_count": 2}, {"csv_every": 1}]})");
  Outcome const full =
      here.shell("trap '' XFSZ; ulimit -f 8; \"$TAKT\" batch run files.json --results files | cat");
  EXPECT_NE(
      full.err.find("files.json: run 2 (drop): files/run-000002.csv: cannot be written: File too large"),
      std::string::npos)
      << full.err;
  EXPECT_EQ(full.out, "shard 1/1: 2 of 3 runs done, 2 computed\n");
  EXPECT_EQ(here.takt("batch status files.json --results files").out, "runs 3 done 2 missing 2\n");
  done("run files.json --results files");
}

TEST_F(BatchCommand, AWrongPlanIsRefusedByLineAndField) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"{}", "bad.json:1: \"runs\" is missing or empty: expected a list of runs"},
           {"{\"runs\": [\n{\"scene\": \"scenes/drop.json\"}]}",
            "bad.json:2: runs[0]: \"ticks\" is missing: expected a number, here or in \"defaults\""},
           {"{\"runs\": [\n{\"ticks\": 3}]}",
            "bad.json:2: runs[0]: \"scene\" is missing: expected a scene file, here or in \"defaults\""},
           {"{\"runs\": [{\"scene\": \"s\",\n\"ticks\": 3,\n\"hz\": 0}]}",
            "bad.json:3: runs[0].hz: 0 is out of range: allowed is 1 to 1000"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3,\n\"seeds\": [1], \"seed_count\": 2}]}",
            "bad.json:2: runs[0].seed_count: there are \"seeds\" too: allowed is one of them"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3, \"numbers\": \"double\"}]}",
            "bad.json:1: runs[0].numbers: \"double\" is unknown: expected \"float\" or \"fixed\""},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3, \"set\": [\"world\"]}]}",
            "bad.json:1: runs[0].set[0]: expected \"PATH=VALUE\" in one line, such as "
            "world.gravity=[0,-1.62,0]"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3, \"name\": \"a,b\"}]}",
            "bad.json:1: runs[0].name: expected at most 256 bytes without commas, quotes and control "
            "characters"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3, \"sweep\": [{\"path\": \"a\"}]}]}",
            "bad.json:1: runs[0].sweep[0]: \"values\" is missing or empty: expected one value for each run"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3, \"seed_count\": 1000001}]}",
            "bad.json:1: runs[0]: the plan has more than 1000000 runs: split it"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3, \"hz\": 60, \"sweep\": [\n"
            "{\"path\": \"world.tick_rate_hz\", \"values\": [\"30\"]}]}]}",
            "bad.json:2: runs[0].sweep[0].path: world.tick_rate_hz is set by \"hz\" too, which would replace "
            "each of the values: leave one of the two out"},
           {"{\"defaults\": {\"substeps\": 2, \"sweep\": [{\"path\": \"world.substeps\", \"values\": "
            "[\"3\"]}]},"
            "\n\"runs\": [{\"scene\": \"s\", \"ticks\": 3}]}",
            "bad.json:1: defaults.sweep[0].path: world.substeps is set by \"substeps\" too, which would "
            "replace each of the values: leave one of the two out"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3, \"seed_count\": 2, \"sweep\": [\n"
            "{\"path\": \"world.seed\", \"values\": [\"30\"]}]}]}",
            "bad.json:2: runs[0].sweep[0].path: world.seed is set by the seeds of the entry too, which would "
            "replace each of the values: leave one of the two out"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3, \"sweep\": [\n{\"path\": \"a.b[1].c\", \"values\": "
            "[\"1\"]},\n{\"path\": \"a.b\", \"values\": [\"[0, 1]\"]}]}]}",
            "bad.json:2: runs[0].sweep[0].path: a.b[1].c is set by sweep[1] too, which would replace each of "
            "the values: leave one of the two out"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3, \"sweep\": [{\"path\": \"a\", \"values\": "
            "[\"1\"]},\n"
            "{\"path\": \"a\", \"values\": [\"2\"]}]}]}",
            "bad.json:1: runs[0].sweep[0].path: a is set by sweep[1] too, which would replace each of the "
            "values: leave one of the two out"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3, \"seeds\": [1], \"seed_path\": \"a.seed\", "
            "\"sweep\": [\n"
            "{\"path\": \"a.seed\", \"values\": [\"30\"]}]}]}",
            "bad.json:2: runs[0].sweep[0].path: a.seed is set by \"seed_path\" too, which would replace each "
            "of the values: leave one of the two out"},
           {"{\"runs\": [{\"scene\": \"s\", \"ticks\": 3,\n\"seed_path\": \"a.seed\"}]}",
            "bad.json:2: runs[0].seed_path: there are no seeds for it: add \"seeds\" or \"seed_count\""},
           {"{\"measure\": [\"speed\"], \"runs\": []}",
            "bad.json:1: measure[0]: \"speed\" is unknown: expected energy, contacts, awake, or "
            "NAME.position, "
            "NAME.rotation, NAME.velocity, NAME.angular_velocity of a body"},
           {"{\"defaults\": {\"name\": \"x\"}, \"runs\": [{}]}",
            "bad.json:1: defaults.name: a name is of one entry of \"runs\": set it there"},
           {"{\"run\": []}", nullptr},
           {"{\"version\": 2, \"runs\": [{\"scene\": \"s\", \"ticks\": 1}]}",
            "bad.json:1: version: 2 is unknown: this takt reads version 1"},
           {"{\"runs\": [{\"scene\": \"none.json\", \"ticks\": 1}]}",
            "bad.json: runs[0]: none.json: cannot be opened: No such file or directory"},
           {"{\"runs\": [{\"scene\": \"scenes/drop.json\", \"ticks\": 1, \"set\": [\"world.gravty=1\"]}]}",
            nullptr},
           {"{\"runs\": [{\"scene\": \"scenes/drop.json\", \"ticks\": 1, \"inputs\": \"push.json\"}]}",
            "bad.json: run 0 (drop): push.json: inputs lie past the last tick and would never act; raise "
            "\"ticks\""},
           {"{\"measure\": [\"cube.position\"], \"runs\": [{\"scene\": \"scenes/drop.json\", \"ticks\": 1}]}",
            "bad.json: run 0 (drop): \"measure\": the scene has no body of the name \"cube\""},
       }) {
    here.write("bad.json", one.text);
    std::string const text = refused("run bad.json --results bad");
    if (one.message == nullptr) {
      EXPECT_TRUE(text.starts_with("bad.json:")) << text;
    } else {
      EXPECT_EQ(text, std::string(one.message) + '\n');
    }
    EXPECT_FALSE(fs::exists(here.path() / "bad")) << one.text;
  }
  for (const char* const shard : {"0/2", "3/2", "1", "1/0", "a/2", "1/100001"})
    EXPECT_NE(
        refused(std::string("run plan.json --results r --shard ") + shard).find("--shard: expected K/N"),
        std::string::npos);
}

}  // namespace
}  // namespace takt::cli_test
