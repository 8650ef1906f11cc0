// Refusals name the option or the element to change, and nothing wrong is accepted silently.
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>

#include "tests/certificates/test_certificate.h"
#include "tests/integration/cli/file_options.h"
#include "tests/integration/cli/listener.h"

namespace takt::cli_test {
namespace {

class RefusalTexts : public ::testing::Test {
 protected:
  void SetUp() override { make_files(here); }
  // The one line without "takt: ".
  std::string refused(const std::string& arguments) {
    Outcome const run = here.takt(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments << '\n' << run.err;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    return run.err.substr(0, 6) == "takt: " ? run.err.substr(6, run.err.size() - 7) : run.err;
  }
  Workplace here;
};

TEST_F(RefusalTexts, APortInUseNamesItsOwnOption) {
  Listener const other;
  std::string const port = std::to_string(other.port());
  for (const char* const command : {"serve --scene p.json", "replay play o.takt"}) {
    std::string const base =
        std::string(command) + " --bind 127.0.0.1 --http-bind 127.0.0.1 --for 0.1 --log off";
    EXPECT_EQ(refused(base + " --http 0 --port " + port),
              "--port " + port + ": another program uses the port; choose another, or 0 for a free one");
    EXPECT_EQ(refused(base + " --port 0 --http " + port),
              "--http " + port +
                  ": another program uses the port; choose another, or auto for a free one, or 0 for none");
    EXPECT_EQ(refused(base + " --port 0 --http 0 --metrics-listen 127.0.0.1:" + port),
              "--metrics-listen 127.0.0.1:" + port +
                  ": another program uses the port; choose another, or port 0 for a free one");
  }
  EXPECT_EQ(refused("relay --listen 127.0.0.1:" + port + " --for 0.1"),
            "--listen 127.0.0.1:" + port +
                ": another program uses the port; choose another, or port 0 for a free one");
}

TEST_F(RefusalTexts, APingNamesAddressAndRemedy) {
  std::string const forms = "; write HOST, HOST:PORT or takt://HOST:PORT, with #KEY to name the server's key";
  EXPECT_EQ(refused("ping a:0"), "'a:0': a port is a number from 1 to 65535" + forms);
  EXPECT_EQ(refused("ping ws://a"), "'ws://a': it names no transport" + forms);
  EXPECT_EQ(refused("ping tcp://a:1"), "'tcp://a:1': a ping goes over UDP; write takt://HOST:PORT");
  std::string const unknown = refused("ping '[fe80::1%no.such]'");
  EXPECT_TRUE(unknown.starts_with("host 'fe80::1%no.such': ")) << unknown;
  EXPECT_TRUE(unknown.ends_with("; check the name and the network")) << unknown;
}

TEST_F(RefusalTexts, ABadAddressNamesItsOwnOption) {
  std::string const base = "serve --scene p.json --port 0 --for 0.1 --log off ";
  EXPECT_EQ(refused(base + "--http 0 --bind nowhere"),
            "bind address 'nowhere': must be an IP address such as 0.0.0.0, 127.0.0.1 or ::; name an address "
            "of this machine with --bind");
  EXPECT_EQ(refused(base + "--http auto --http-bind nowhere"),
            "HTTP address 'nowhere': must be an IP address such as 0.0.0.0, 127.0.0.1 or ::; name an address "
            "of this machine with --http-bind");
  EXPECT_EQ(refused(base + "--http 0 --metrics-listen nowhere:0"),
            "metrics address 'nowhere': must be an IP address such as 0.0.0.0, 127.0.0.1 or ::; name an "
            "address of this machine with --metrics-listen");
  for (const char* const text : {"nowhere", "9100", ":9100", "127.0.0.1:70000", "::1:9100"})
    EXPECT_EQ(refused(base + "--http 0 --metrics-listen " + text),
              std::string("--metrics-listen ") + text +
                  ": write ADDRESS:PORT with a port of 0 to 65535, such as 127.0.0.1:9100 or [::1]:9100");
}

TEST_F(RefusalTexts, FilesOfTlsThatCannotBeUsedAreNamed) {
  takt::test::TestCertificate const other = takt::test::make_certificate("other");
  here.write("other.key", other.key);
  here.write("loose.key", other.key);
  here.write("text", "no certificate\n");
  here.write("cut.pem", here.read("c.pem") + other.certificate.substr(0, 200));
  for (const char* const name : {"other.key", "text", "c.pem"})
    std::filesystem::permissions(here.path() / name, std::filesystem::perms(0600));
  std::filesystem::permissions(here.path() / "loose.key", std::filesystem::perms(0644));
  ASSERT_EQ(
      here.shell("openssl pkey -in c.key -aes256 -passout pass:x -out locked.key && chmod 600 locked.key")
          .exit_code,
      0);
  struct Case {
    const char* options;
    const char* line;
  };
  std::string const base = " --port 0 --bind 127.0.0.1 --http auto --for 0.1 --log off ";
  for (const char* const command : {"serve --scene p.json", "replay play o.takt"}) {
    for (const Case& one : std::initializer_list<Case>{
             {"--tls-cert c.pem", "--tls-cert and --tls-key belong together: add --tls-key"},
             {"--tls-key c.key", "--tls-cert and --tls-key belong together: add --tls-cert"},
             {"--tls-cert - --tls-key c.key",
              "--tls-cert -: the file is read again when it changes, so name a file"},
             {"--tls-cert c.pem --tls-key -",
              "--tls-key -: the file is read again when it changes, so name a file"},
             {"--tls-cert c.pem --tls-key c.key --http 0",
              "--tls-cert is about the web gateway, which --http 0 turns off: leave one of them out"},
             {"--tls-cert c.pem --tls-key c.key --allow-plain-web",
              "--allow-plain-web has no effect with --tls-cert, whose port speaks TLS alone: leave one of "
              "them "
              "out"},
             {"--tls-cert none --tls-key c.key", "none: cannot be opened: No such file or directory"},
             {"--tls-cert c.pem --tls-key none", "none: cannot be opened: No such file or directory"},
             {"--tls-cert scenes --tls-key c.key",
              "scenes: is not a regular file: write it to one, which can be read again"},
             {"--tls-cert c.pem --tls-key loose.key",
              "loose.key: others may read or change this key: chmod 600 loose.key"},
             {"--tls-cert c.pem --tls-key other.key",
              "other.key: is not the key of the certificate in c.pem (key values mismatch)"},
             {"--tls-cert c.key --tls-key c.key",
              "c.key: has a private key and no certificate: --tls-cert names the certificate"},
             {"--tls-cert c.pem --tls-key c.pem",
              "c.pem: has a certificate and no private key: --tls-key names the key"},
             {"--tls-cert text --tls-key c.key", "text: is no certificate in PEM form (no start line)"},
             {"--tls-cert c.pem --tls-key locked.key",
              "locked.key: the key has a passphrase, which nobody could type: 'openssl pkey' removes it"},
             {"--tls-cert cut.pem --tls-key c.key",
              "cut.pem: the chain of the certificate is cut or damaged (bad end line)"},
         })
      EXPECT_EQ(refused(command + base + one.options), one.line) << one.options;
  }
}

TEST_F(RefusalTexts, OriginsThatNoBrowserSendsAreRefused) {
  for (const char* const command : {"serve --scene p.json", "replay play o.takt"}) {
    std::string const base = std::string(command) + " --http auto --for 0.1 --log off --origin ";
    for (const char* const origin : {"foo", "game.example", "https://", "https://game.example/",
                                     "https://a b", "://x", "https://x:port"}) {
      EXPECT_EQ(refused(base + '\'' + origin + '\''),
                std::string("--origin ") + origin +
                    ": expected scheme, host and perhaps a port, such as https://game.example, and nothing "
                    "behind");
    }
    for (const char* const origin : {"https://game.example:443", "http://game.example:80"})
      EXPECT_EQ(refused(base + origin),
                std::string("--origin ") + origin + ": browsers leave out the usual port; leave it out too");
  }
  EXPECT_EQ(here.takt("serve --scene p.json --port 0 --bind 127.0.0.1 --http auto --http-bind 127.0.0.1 "
                      "--for 0.1 --log off --origin https://game.example --origin http://a:8080")
                .exit_code,
            0);
}

TEST_F(RefusalTexts, AViewerThatIsNotThereIsRefused) {
  std::string const remedy =
      "; name the built viewer, or leave the option out for the one beside the program";
  for (const char* const command :
       {"serve --scene p.json --for 0.1", "replay play o.takt --for 0.1", "shot p.json --out a.png"}) {
    EXPECT_EQ(refused(std::string(command) + " --viewer none"),
              "--viewer none: there is no such folder" + remedy);
    EXPECT_EQ(refused(std::string(command) + " --viewer scenes"),
              "--viewer scenes: the folder has no index.html" + remedy);
  }
}

// ./dev is at hand in a build tree alone.
TEST_F(RefusalTexts, AServerWithoutAViewerPrintsHowToNameOrBuildOne) {
  std::string const serve =
      "cp \"$TAKT\" bin/takt && bin/takt serve --scene p.json --port 0 --bind 127.0.0.1 --http auto "
      "--http-bind 127.0.0.1 --for 0.1 --log off";
  std::string const text =
      "/ once there is a viewer: --viewer FOLDER names that of an installation (PREFIX/share/takt/viewer)";
  Outcome const installed = here.shell(serve);
  EXPECT_EQ(installed.exit_code, 0) << installed.err;
  EXPECT_NE(installed.out.find(text + "\n"), std::string::npos) << installed.out;
  Outcome const built = here.shell("touch CMakeCache.txt && " + serve);
  EXPECT_NE(built.out.find(text + ", './dev setup web' and './dev build' make one\n"), std::string::npos)
      << built.out;
}

TEST_F(RefusalTexts, AMissingSecondRecordingIsNamed) {
  EXPECT_EQ(refused("replay diff o.takt"), "second-recording is required; see 'takt replay diff --help'");
}

TEST_F(RefusalTexts, AMisspeltOptionIsNamedWithTheNearestOne) {
  EXPECT_EQ(refused("serve --sceen p.json"),
            "there is no option '--sceen'; the nearest is '--scene'; see 'takt serve --help'");
  EXPECT_EQ(refused("replay seek o.takt --tik 5"),
            "there is no option '--tik'; the nearest is '--tick'; see 'takt replay seek --help'");
  EXPECT_EQ(refused("serve --scene p.json --prot 7777"),
            "there is no option '--prot'; the nearest is '--port'; see 'takt serve --help'");
  EXPECT_EQ(refused("serve --scene p.json --prot=7777"),
            "there is no option '--prot'; the nearest is '--port'; see 'takt serve --help'");
  EXPECT_EQ(refused("serve --scene p.json --nothing-like-it"),
            "there is no option '--nothing-like-it'; see 'takt serve --help'");
  EXPECT_EQ(refused("serve p.json"), "'p.json' was not expected; see 'takt serve --help'");
  EXPECT_EQ(refused("replay info o.takt more"), "'more' was not expected; see 'takt replay info --help'");
}

// Programs such as npm take the options of another program behind "--".
TEST_F(RefusalTexts, AnOptionBehindTwoHyphensIsNamedAsSuch) {
  std::string const reason = "words behind '--' are no options; remove the '--'";
  EXPECT_EQ(refused("serve -- --port 7777"), reason + "; see 'takt serve --help'");
  EXPECT_EQ(refused("run -- p.json --ticks 3"), reason + "; see 'takt run --help'");
}

TEST_F(RefusalTexts, APictureHasTheEndingOfItsFormat) {
  EXPECT_EQ(refused("shot p.json --out a.jpg"),
            "--out a.jpg: the file is written as PNG; name it with the ending .png");
  EXPECT_EQ(refused("shot p.json --gif a.png"),
            "--gif a.png: the file is written as animated GIF; name it with the ending .gif");
  EXPECT_EQ(refused("shot p.json --webm a.mp4"),
            "--webm a.mp4: the file is written as WebM; name it with the ending .webm");
}

TEST_F(RefusalTexts, AFileWithoutLinesHasNoLineNumber) {
  here.write("x.takt", "hello");
  for (const char* const command : {"info", "verify", "seek --tick 1", "bisect", "play", "diff x.takt"}) {
    EXPECT_EQ(refused(std::string("replay ") + command + " x.takt"),
              "x.takt: not a Takt recording; name a file that takt --record wrote");
    EXPECT_EQ(refused(std::string("replay ") + command + " none.takt").find(":0:"), std::string::npos);
  }
  std::string damaged = "1234TKSC";
  damaged += std::string(20, '\0');
  here.write("b.bin", damaged);
  EXPECT_EQ(refused("run b.bin --ticks 1"), "b.bin: a damaged binary scene: write it again from its JSON");
}

// The text with the setting exists nowhere, so its lines name no place.
TEST_F(RefusalTexts, ASettingThatTheSceneDoesNotTakeIsNamed) {
  EXPECT_EQ(refused("run p.json --ticks 1 --set world.substeps=2 --set world.hz=5").substr(0, 44),
            "--set world.hz=5: world: unknown field \"hz\":");
  EXPECT_EQ(refused("run p.json --ticks 1 --set world.substeps=99"),
            "--set world.substeps=99: world.substeps: 99 is out of range: allowed is 1 to 64");
  here.write("bad.json", "{\"world\": {\"hz\": 5}}");
  EXPECT_EQ(refused("run bad.json --ticks 1 --set world.substeps=2").substr(0, 11), "bad.json:1:");
}

TEST_F(RefusalTexts, ARecordingOrAStateInsteadOfASceneIsNamed) {
  EXPECT_EQ(refused("run o.takt --ticks 1"),
            "o.takt: is a recording, not a scene: 'takt replay' plays, verifies and compares recordings");
  ASSERT_EQ(here.takt("run p.json --ticks 1 --save p.state").exit_code, 0);
  EXPECT_EQ(refused("run p.state --ticks 1"),
            "p.state: is a saved state, not a scene: give the scene here, and the state with --from");
}

TEST_F(RefusalTexts, AReferenceToANameOfTwoBodiesIsRefused) {
  std::string const bodies =
      "{\"bodies\": [{\"name\": \"a\", \"shapes\": [{\"sphere\": {}}]},\n"
      " {\"name\": \"a\", \"position\": [5, 0, 0], \"shapes\": [{\"sphere\": {}}]},\n"
      " {\"name\": \"b\", \"position\": [9, 0, 0], \"shapes\": [{\"sphere\": {}}]}],\n";
  here.write("rope.json",
             bodies + R"("ropes": [{"start": [0, 5, 0], "end": [3, 5, 0], "pins": [{"body": "a"}]}]})");
  EXPECT_EQ(refused("run rope.json --ticks 1"),
            "rope.json:4: ropes[0].pins[0].body: 2 have the name \"a\": expected the name of one body alone");
  here.write("joint.json", bodies + R"("joints": [{"kind": "weld", "a": "a", "b": "b"}]})");
  EXPECT_EQ(refused("run joint.json --ticks 1"),
            "joint.json:4: joints[0].a: 2 have the name \"a\": expected the name of one body of this scene "
            "alone");
  here.write(
      "chain.json",
      bodies +
          R"("generators": [{"chain": {"from": "a", "count": 3, "start": [0, 5, 0], "end": [3, 5, 0]}}]})");
  EXPECT_NE(
      refused("run chain.json --ticks 1").find("2 have the name \"a\": expected the name of one body alone"),
      std::string::npos);
  here.write("two.json", bodies + "\"title\": \"unused names may repeat\"}");
  EXPECT_EQ(here.takt("run two.json --ticks 1").exit_code, 0) << here.read("err.txt");
  here.write("j.json", R"({"inputs": [{"tick": 0, "impulse": {"body": "a", "impulse": [1, 0, 0]}}]})");
  EXPECT_NE(refused("run two.json --ticks 1 --inputs j.json")
                .find("2 have the name \"a\": expected the name of one body alone, or an index"),
            std::string::npos);
}

}  // namespace
}  // namespace takt::cli_test
