// takt token: keys and tokens in files of mode 0600, checks with a server's eyes, and no secret in an output
// that is not the token or the key.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/integration/cli/program.h"

namespace takt::cli_test {
namespace {

class TokenCommand : public ::testing::Test {
 protected:
  void SetUp() override { run("keygen keys"); }

  Outcome run(const std::string& arguments, int exit_code = 0) const {
    Outcome outcome = here.takt("token " + arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << arguments << '\n' << outcome.err;
    return outcome;
  }
  unsigned mode_of(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(::stat((here.path() / name).c_str(), &status), 0) << name;
    return status.st_mode & 0777u;
  }
  // The key of the last line of a key file.
  std::string last_key(const std::string& name) const {
    std::string const line = lines_of(here.read(name)).back();
    return line.substr(line.find(' ') + 1);
  }
  Workplace here;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(TokenCommand, MintsATokenThatOpensWithEveryClaim) {
  run("mint --keys keys --out token --user 18446744073709551615 --room 3 --name Zoë --role spectator --admin "
      "--mode rollback --mode lockstep --bodies 5 --commands 6 --grace 7 --expires-in 60 "
      "--server eu1.example.com:7777 --server '[2001:db8::1]:7777' --user-data abc");
  std::string const text = run("inspect token --keys keys").out;
  for (const char* const line : {"key      1\n", "servers  eu1.example.com:7777 [2001:db8::1]:7777\n",
                                 "user     18446744073709551615\n", "room     3\n", "name     Zoë\n",
                                 "role     spectator, admin\n", "modes    rollback lockstep\n",
                                 "bodies   5\n", "commands 6\n", "grace    7 s\n", "data     616263\n"})
    EXPECT_TRUE(has(text, line)) << line << text;
  std::string const json = run("inspect token --keys keys --json").out;
  EXPECT_EQ(lines_of(json).size(), 1u);
  for (const char* const part :
       {"\"key_id\":1,", "\"expired\":false", "\"refusal\":null", "\"user\":\"18446744073709551615\"",
        "\"name\":\"Zoë\"", "\"modes\":[\"rollback\",\"lockstep\"]", "\"user_data_hex\":\"616263\"}}"})
    EXPECT_TRUE(has(json, part)) << part << json;
}

TEST_F(TokenCommand, AllowsAllModesUnlessToldWhich) {
  run("mint --keys keys --out token --user 1");
  EXPECT_TRUE(has(run("inspect token --keys keys").out, "modes    snapshot rollback lockstep predicted\n"));
  run("mint --keys keys --out one.token --user 1 --mode predicted");
  EXPECT_TRUE(has(run("inspect one.token --keys keys").out, "modes    predicted\n"));
  EXPECT_TRUE(has(run("inspect one.token --keys keys --json").out, "\"modes\":[\"predicted\"]"));
}

TEST_F(TokenCommand, ShowsTheHeaderWithoutKeys) {
  run("mint --keys keys --out token --user 1");
  std::string const text = run("inspect - <token").out;
  EXPECT_TRUE(has(text, "servers  any\n") && has(text, "claims   sealed; --keys opens them\n")) << text;
  EXPECT_TRUE(has(run("inspect token --json").out, "\"refusal\":null,\"claims\":null}"));
}

TEST_F(TokenCommand, NamesEachRefusal) {
  run("mint --keys keys --out token --user 1 --server a:1 --server b:2");
  EXPECT_TRUE(has(run("inspect token --keys keys --server b:2").out, "user     1\n"));
  EXPECT_TRUE(has(run("inspect token --keys keys --server c:3", 1).err, "token: wrong server"));
  run("keygen others");
  EXPECT_TRUE(has(run("inspect token --keys others", 1).err, "token: forged"));
  run("keygen keys");  // id 2
  run("mint --keys keys --out second --user 1");
  EXPECT_TRUE(has(run("inspect second --keys others", 1).err, "second: wrong key"));
  std::string bytes = here.read("token");
  bytes[bytes.size() - 30] = bytes[bytes.size() - 30] == 'A' ? 'B' : 'A';
  here.write("changed", bytes);
  EXPECT_TRUE(has(run("inspect changed --keys keys", 1).err, "changed: forged"));
  here.write("short", bytes.substr(0, 100));
  EXPECT_TRUE(has(run("inspect short", 2).err, "short: no connect token of this version: malformed"));
  run("mint --keys keys --out brief --user 1 --expires-in 1");
  (void)here.shell("sleep 1.1");
  EXPECT_TRUE(has(run("inspect brief --keys keys", 1).err, "brief: expired"));
  EXPECT_TRUE(has(run("inspect brief").out, ", expired\n"));
}

// A server never sees the client's keys, so only the inspection can find that they were changed.
TEST_F(TokenCommand, FindsChangedKeysOfTheClient) {
  run("mint --keys keys --out token --user 1");
  for (std::size_t const at : {20u, 70u}) {  // in the first key, in the second
    std::string text = here.read("token");
    text[at] = text[at] == 'A' ? 'B' : 'A';
    here.write("changed", text);
    Outcome const found = run("inspect changed --keys keys --json", 1);
    EXPECT_TRUE(has(found.err, "changed: the client's keys are not those of the sealed token")) << found.err;
    EXPECT_TRUE(has(found.out, "\"refusal\":\"the client's keys are not those of the sealed token\","));
    EXPECT_TRUE(has(found.out, "\"claims\":null}")) << found.out;
  }
}

TEST_F(TokenCommand, RotatesFourKeys) {
  run("mint --keys keys --out first --user 1");
  for (int i = 0; i < 3; ++i) run("keygen keys");
  std::string const before = here.read("keys");
  EXPECT_TRUE(has(run("keygen keys", 2).err, "--drop-oldest"));
  EXPECT_EQ(here.read("keys"), before);
  EXPECT_TRUE(has(run("inspect first --keys keys").out, "user     1\n"));
  run("keygen keys --drop-oldest");
  EXPECT_TRUE(has(run("inspect first --keys keys", 1).err, "wrong key"));
  run("mint --keys keys --user 1 --out new");
  EXPECT_TRUE(has(run("inspect new").out, "key      5\n"));
  run("mint --keys keys --user 1 --key 3 --out third");
  EXPECT_TRUE(has(run("inspect third").out, "key      3\n"));
}

// Each process reads, adds and renames: without a lock one overwrites the key of another.
TEST_F(TokenCommand, KeepsTheKeysOfThreeProcessesAtOnce) {
  for (const std::string name : {"a", "b", "c", "d"}) {
    std::string commands;
    for (int i = 0; i < 3; ++i) commands += "\"$TAKT\" token keygen " + name + " & ";
    Outcome const all = here.shell(commands + "wait");
    EXPECT_EQ(lines_of(here.read(name)).size(), 1u + 3u) << all.err;
    for (const char* const id : {"1", "2", "3"})
      EXPECT_TRUE(has(all.err, std::string("key ") + id + " is new")) << all.err;
  }
}

TEST_F(TokenCommand, KeygenWaitsALimitedTimeForAnother) {
  std::string const before = here.read("keys");
  int const folder = ::open(here.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(folder, LOCK_EX), 0);
  EXPECT_TRUE(has(run("keygen keys", 2).err, "keys: another process has its folder locked"));
  ::close(folder);
  EXPECT_EQ(here.read("keys"), before);
  run("keygen keys");
}

TEST_F(TokenCommand, KeepsItsFilesToTheirOwner) {
  (void)here.shell(
      "umask 000; \"$TAKT\" token keygen open; \"$TAKT\" token mint --keys open --user 1 --out t");
  EXPECT_EQ(mode_of("open"), 0600u);
  EXPECT_EQ(mode_of("t"), 0600u);
  (void)here.shell("chmod 644 t; \"$TAKT\" token mint --keys open --user 1 --out t");
  EXPECT_EQ(mode_of("t"), 0600u);
}

TEST_F(TokenCommand, RefusesKeysThatOthersMayReadOrChange) {
  run("mint --keys keys --out token --user 1");
  std::string const before = here.read("keys");
  for (const std::string mode : {"640", "620", "604", "602"}) {
    (void)here.shell("chmod " + mode + " keys");
    for (const char* const arguments :
         {"keygen keys", "mint --keys keys --user 1", "inspect token --keys keys"}) {
      Outcome const refused = run(arguments, 2);
      EXPECT_TRUE(has(refused.err, "keys: others may read or change these keys: chmod 600 keys\n"))
          << refused.err;
      EXPECT_EQ(refused.out, "");
    }
    EXPECT_TRUE(has(run("mint --keys - --user 1 <keys", 2).err, "-: others may read or change these keys"));
  }
  EXPECT_EQ(here.read("keys"), before);
  EXPECT_EQ(here.shell("cat keys | \"$TAKT\" token mint --keys - --user 1").exit_code, 0);
  (void)here.shell("chmod 400 keys");
  run("mint --keys keys --user 1");
}

TEST_F(TokenCommand, PrintsNoSecretButItsProduct) {
  std::string const key = last_key("keys");
  ASSERT_EQ(key.size(), 43u);
  Outcome const mint = run("mint --keys keys --user 1 --out token");
  std::string const token = here.read("token");
  // 64 bytes of session keys begin behind "takt1_".
  std::string const session_keys = token.substr(6, 80);
  std::string printed = mint.out + mint.err;
  for (const char* const arguments : {"inspect token --keys keys", "inspect token --keys keys --json",
                                      "inspect token", "inspect token --keys keys --json"}) {
    Outcome const inspect = run(arguments);
    printed += inspect.out + inspect.err;
  }
  Outcome const again = run("keygen keys");
  printed += again.out + again.err;
  here.write("broken", "# keys\n1 " + key.substr(1) + "\n");
  (void)here.shell("chmod 600 broken");
  Outcome const broken = run("mint --keys broken --user 1", 2);
  printed += broken.out + broken.err;
  EXPECT_TRUE(has(broken.err, "broken:2: ")) << broken.err;
  EXPECT_FALSE(has(printed, key.substr(1))) << printed;
  EXPECT_FALSE(has(printed, last_key("keys"))) << printed;
  EXPECT_FALSE(has(printed, session_keys)) << printed;
}

TEST_F(TokenCommand, TwoTokensAreNeverEqual) {
  std::string const first = run("mint --keys keys --user 1").out;
  EXPECT_NE(first, run("mint --keys keys --user 1").out);
  EXPECT_NE(last_key("keys"), (run("keygen others"), last_key("others")));
}

TEST_F(TokenCommand, KeepsTheOldKeysWhenTheDiskIsFull) {
  std::string const before = here.read("keys");
  Outcome const full = here.shell("(trap '' XFSZ; ulimit -f 0; \"$TAKT\" token keygen keys) 2>&1 | cat");
  EXPECT_TRUE(has(full.out, "the earlier file is kept")) << full.out;
  EXPECT_EQ(here.read("keys"), before);
}

}  // namespace
}  // namespace takt::cli_test
