#include "server/web/static_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace takt::server {
namespace {

class StaticFilesTest : public testing::Test {
 protected:
  StaticFilesTest()
      : root(std::filesystem::path(testing::TempDir()) / ("takt_static_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(root / "site/vendor");
    std::filesystem::create_directories(root / "site/.git");
    write("site/index.html", "<html>");
    write("site/vendor/three.module.js", "export {}");
    write("site/.hidden.js", "secret");
    write("site/.git/config", "secret");
    write("secret.txt", "secret");
  }
  ~StaticFilesTest() override { std::filesystem::remove_all(root); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root / name, std::ios::binary) << text;
  }

  std::filesystem::path root;
};

TEST_F(StaticFilesTest, ServesFilesWithTheirType) {
  StaticFiles const files(root / "site");
  HttpReply const page = files.find("/", "");
  EXPECT_EQ(page.status, 200u);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.content(), "<html>");
  EXPECT_EQ(files.find("/", "").file, page.file);  // one copy for all who are being sent it
  EXPECT_EQ(page.cache_control, "no-cache");
  HttpReply const script = files.find("/vendor/three.module.js?v=1", "");
  EXPECT_EQ(script.status, 200u);
  EXPECT_EQ(script.content_type, "text/javascript; charset=utf-8");
}

TEST_F(StaticFilesTest, AnUnchangedFileIsNotSentAgainAndAChangedOneIs) {
  StaticFiles const files(root / "site");
  std::string const etag = files.find("/index.html", "").etag;
  ASSERT_EQ(etag.size(), 18u);
  for (std::string const& asked : {etag, "W/" + etag, "\"other\", " + etag, std::string("*")}) {
    HttpReply const reply = files.find("/index.html", asked);
    EXPECT_EQ(reply.status, 304u) << asked;
    EXPECT_TRUE(reply.content().empty());
    EXPECT_EQ(reply.etag, etag);
  }
  write("site/index.html", "<htmL>");  // as long as before
  EXPECT_EQ(files.find("/index.html", etag).status, 200u);
}

TEST_F(StaticFilesTest, NothingLeadsOutOfTheDirectory) {
  StaticFiles const files(root / "site");
  for (std::string_view const target : {
           "/../secret.txt",
           "/vendor/../../secret.txt",
           "/%2e%2e/secret.txt",
           "/..%2fsecret.txt",
           "/..\\secret.txt",
           "/%2e%2e%5csecret.txt",
           "//etc/passwd",
           "/./index.html",
           "/.hidden.js",
           "/.git/config",
           "/vendor//three.module.js",
           "/index.html%00.js",
           "secret.txt",
           "http://host/index.html",
           "/\xc0\xae\xc0\xae/secret.txt",
           "/vendor/./three.module.js",
           "/~root",
           "/index.html ",
           "",
       }) {
    EXPECT_EQ(files.find(target, "").status, 404u) << target;
  }
  EXPECT_EQ(files.find("/" + std::string(600, 'a'), "").status, 404u);
  EXPECT_EQ(files.find("/vendor", "").status, 404u);         // a folder is not a file
  EXPECT_EQ(files.find("/index.html\0x", "").status, 200u);  // the literal ends at its zero
  EXPECT_EQ(files.find(std::string_view("/index.html\0x", 13), "").status, 404u);
}

TEST_F(StaticFilesTest, WithoutAViewerThePageSaysHowToGetOne) {
  for (std::filesystem::path const& directory : {std::filesystem::path(), root / "nowhere"}) {
    StaticFiles const files(directory);
    EXPECT_EQ(files.find("/", "").status, 200u);
    EXPECT_NE(files.find("/", "").body.find("./dev run"), std::string::npos);
    EXPECT_EQ(files.find("/viewer.js", "").status, 404u);
  }
}

TEST(StaticFiles, PathsAreReadAsTheyStand) {
  EXPECT_EQ(StaticFiles::relative_path("/"), "index.html");
  EXPECT_EQ(StaticFiles::relative_path("/a/"), "a/index.html");
  EXPECT_EQ(StaticFiles::relative_path("/a/b-c_1.js?x=../..#y"), "a/b-c_1.js");
  EXPECT_EQ(StaticFiles::relative_path("/a b"), std::nullopt);
}

}  // namespace
}  // namespace takt::server
