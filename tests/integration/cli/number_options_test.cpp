// Every numeric option of every command names its range when a number lies outside of it.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "tests/integration/cli/program.h"

namespace takt::cli_test {
namespace {

struct NumberOption {
  const char* command;
  const char* needed;  // words without which the command is bad usage
  const char* option;
  const char* range;
  std::vector<const char*> refused;
};

const std::vector<NumberOption>& number_options() {
  static const std::vector<NumberOption> kOptions{
      {"run", "p.json", "--ticks", "0 to 1099511627776", {"-1", "1099511627777", "1e3"}},
      {"run", "p.json --ticks 1", "--hz", "1 to 1000", {"0", "1001", "-60", "60.5"}},
      {"run", "p.json --ticks 1", "--seed", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"run", "p.json --ticks 1", "--substeps", "1 to 64", {"0", "65", "-1"}},
      {"run", "p.json --ticks 1", "--csv-every", "1 to 1099511627776", {"0", "-1", "1099511627777"}},
      {"run", "p.json --ticks 1", "--hash-every", "0 to 1099511627776", {"-1", "1099511627777"}},
      {"run", "--ticks 1", "--wild", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"lockstep-test", "p.json", "--hz", "1 to 1000", {"0", "1001"}},
      {"lockstep-test", "p.json", "--seed", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"lockstep-test", "p.json", "--substeps", "1 to 64", {"0", "65"}},
      {"lockstep-test", "", "--wild", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"lockstep-peer", "p.json", "--hz", "1 to 1000", {"0", "1001"}},
      {"lockstep-peer", "p.json", "--seed", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"lockstep-peer", "p.json", "--substeps", "1 to 64", {"0", "65"}},
      {"lockstep-peer", "", "--wild", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"lockstep-test", "p.json", "--ticks", "0 to 1099511627776", {"-1", "1099511627777"}},
      {"lockstep-test", "p.json", "--timeout", "0.1 to 1000000000", {"0", "1e10", "nan"}},
      {"lockstep-peer", "p.json", "--sync-test", "0 to 1024", {"-1", "1025"}},
      {"run", "p.json --ticks 1", "--sync-test", "0 to 1024", {"-1", "1025"}},
      {"serve", "", "--wild", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"serve", "--scene p.json", "--port", "0 to 65535", {"-1", "65536", "99999", "http"}},
      {"serve", "--scene p.json", "--hz", "1 to 1000", {"0", "1001"}},
      {"serve", "--scene p.json", "--seed", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"serve", "--scene p.json", "--substeps", "1 to 64", {"0", "65"}},
      {"serve", "--scene p.json", "--players", "1 to 4096", {"0", "4097", "-1"}},
      {"serve", "--scene p.json", "--spectators", "0 to 4096", {"4097", "-1"}},
      {"serve", "--scene p.json", "--egress-max", "0 to 100000000000", {"-1", "100000000001"}},
      {"serve", "--scene p.json", "--sessions-per-address", "1 to 4096", {"0", "4097", "-1"}},
      {"serve", "--scene p.json", "--joins-per-address", "1 to 4096", {"0", "4097", "-1"}},
      {"serve", "--scene p.json", "--pending-per-address", "1 to 256", {"0", "257", "-1"}},
      {"serve", "--scene p.json", "--overload-percent", "0 to 1000", {"-1", "1001"}},
      {"serve", "--scene p.json", "--overload-despawns", "1 to 1000", {"0", "1001"}},
      {"serve", "--scene p.json", "--snapshot-every", "1 to 3600", {"0", "3601", "-1"}},
      {"serve", "--scene p.json", "--for", "0 to 1000000000", {"-1", "1e10", "nan", "1s"}},
      {"serve", "--scene p.json", "--room", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"serve", "--scene p.json", "--sync-ms", "0 to 60000", {"-1", "60001", "0.5"}},
      {"serve", "--scene p.json", "--record-max", "0 to 1000000000", {"-1", "1e10", "nan"}},
      {"bot", "--connect 127.0.0.1:1", "--count", "1 to 4096", {"0", "4097", "-1"}},
      {"bot", "--connect 127.0.0.1:1", "--for", "0 to 1000000000", {"-0.1", "1e10", "nan"}},
      {"bot", "--connect 127.0.0.1:1", "--input-delay", "0 to 8", {"-1", "9", "0.5"}},
      {"bot", "--connect 127.0.0.1:1", "--seed", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"service", "--listen unix:s", "--threads", "1 to 64", {"0", "65", "-1"}},
      {"service", "--listen unix:s", "--worlds-max", "1 to 1000000", {"0", "1000001"}},
      {"service", "--listen unix:s", "--memory-max", "1 to 16777216", {"0", "16777217"}},
      {"service", "--listen unix:s", "--clients-max", "1 to 10000", {"0", "10001"}},
      {"service", "--listen unix:s", "--idle-lease", "0 to 86400", {"-1", "86401"}},
      {"service", "--listen unix:s", "--for", "0 to 1000000000", {"-1", "1e10", "nan"}},
      {"ping", "127.0.0.1:1", "--count", "1 to 10000", {"0", "10001", "-1"}},
      {"ping", "127.0.0.1:1", "--timeout-ms", "1 to 60000", {"0", "60001", "0.5"}},
      {"relay", "", "--loss", "0 to 100", {"-1", "101", "nan"}},
      {"relay", "", "--delay-ms", "0 to 60000", {"-1", "60001"}},
      {"relay", "", "--jitter-ms", "0 to 60000", {"-1", "60001"}},
      {"relay", "", "--duplicate", "0 to 100", {"-1", "101"}},
      {"relay", "", "--reorder", "0 to 100", {"-1", "101"}},
      {"relay", "", "--rebind", "0 to 1000000000", {"-1", "1e10"}},
      {"relay", "", "--seed", "0 to 18446744073709551615", {"-1", "0x"}},
      {"relay", "", "--for", "0 to 1000000000", {"-1", "1e10"}},
      {"shot", "p.json --out a.png", "--ticks", "0 to 1099511627776", {"-1", "1099511627777"}},
      {"shot", "p.json --out a.png", "--seconds", "0.01 to 600", {"0", "601", "-1"}},
      {"shot", "p.json --out a.png", "--fps", "1 to 60", {"0", "61", "-1"}},
      {"shot", "p.json --out a.png", "--hz", "1 to 1000", {"0", "1001"}},
      {"shot", "p.json --out a.png", "--seed", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
      {"shot", "p.json --out a.png", "--substeps", "1 to 64", {"0", "65"}},
      {"replay seek", "o.takt", "--tick", "0 to 1099511627776", {"-1", "1099511627777", "ten"}},
      {"replay play", "o.takt", "--port", "0 to 65535", {"-1", "65536", "99999"}},
      {"replay play", "o.takt", "--speed", "0.01 to 100", {"0", "101", "-1"}},
      {"replay play", "o.takt", "--for", "0 to 1000000000", {"-1", "1e10"}},
      {"token mint", "--keys k --user 1", "--key", "1 to 4294967295", {"0", "4294967296"}},
      {"token mint", "--keys k", "--user", "1 to 18446744073709551615", {"0", "-1"}},
      {"token mint", "--keys k --user 1", "--room", "0 to 18446744073709551615", {"-1"}},
      {"token mint", "--keys k --user 1", "--bodies", "0 to 4294967295", {"-1", "4294967296"}},
      {"token mint", "--keys k --user 1", "--commands", "0 to 4294967295", {"-1", "4294967296"}},
      {"token mint", "--keys k --user 1", "--grace", "0 to 86400", {"-1", "86401"}},
      {"token mint", "--keys k --user 1", "--expires-in", "1 to 31536000", {"0", "31536001"}},
  };
  return kOptions;
}

TEST(NumberOptions, ANumberOutOfRangeIsRefusedWithTheRange) {
  Workplace const here;
  for (const NumberOption& one : number_options()) {
    for (const char* const value : one.refused) {
      std::string const line = std::string(one.command) + ' ' + one.needed + ' ' + one.option + ' ' + value;
      Outcome const run = here.takt(line);
      EXPECT_EQ(run.exit_code, 2) << line;
      EXPECT_EQ(run.err, std::string("takt: ") + one.option + ": allowed is " + one.range + ", not " + value +
                             "; see 'takt " + one.command + " --help'\n");
    }
  }
}

TEST(NumberOptions, PortsThatTakeWordsNameThemToo) {
  Workplace const here;
  for (const char* const command : {"serve --scene p.json", "replay play o.takt"}) {
    for (const char* const value : {"-1", "65536", "99999", "automatic"}) {
      Outcome const run = here.takt(std::string(command) + " --http " + value);
      EXPECT_EQ(run.exit_code, 2);
      EXPECT_TRUE(
          run.err.starts_with(std::string("takt: --http: allowed is auto or 0 to 65535, not ") + value))
          << run.err;
    }
  }
  EXPECT_EQ(here.takt("bot --connect 127.0.0.1:99999").err,
            "takt: --connect 127.0.0.1:99999: write HOST:PORT with a port of 1 to 65535, for example "
            "127.0.0.1:7777, or the address that the server printed\n");
  EXPECT_EQ(here.takt("relay --listen 127.0.0.1:99999").err,
            "takt: --listen 127.0.0.1:99999: write ADDRESS:PORT with a port of 0 to 65535\n");
  EXPECT_EQ(here.takt("relay --to 127.0.0.1:0").err,
            "takt: --to 127.0.0.1:0: write ADDRESS:PORT with a port of 1 to 65535\n");
}

TEST(NumberOptions, TheTableHasEveryNumberOfTheHelpTexts) {
  static const std::regex kOption(R"(^  (?:-\w,)?(--[\w-]+) (?:U?INT|FLOAT)\b.*)");
  Workplace const here;
  std::set<std::string> listed, offered;
  for (const NumberOption& one : number_options()) {
    listed.insert(std::string(one.command) + ' ' + one.option);
    Outcome const help = here.takt(std::string(one.command) + " --help");
    ASSERT_EQ(help.exit_code, 0);
    for (const std::string& line : lines_of(help.out)) {
      std::smatch found;
      if (std::regex_match(line, found, kOption))
        offered.insert(std::string(one.command) + ' ' + found[1].str());
    }
  }
  for (const char* const command : {"replay info", "replay verify", "replay bisect", "replay diff"})
    EXPECT_FALSE(std::regex_search(here.takt(std::string(command) + " --help").out,
                                   std::regex("  --[\\w-]+ (U?INT|FLOAT)\\b")));
  EXPECT_EQ(offered, listed);
}

}  // namespace
}  // namespace takt::cli_test
