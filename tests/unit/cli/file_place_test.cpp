#include "cli/file_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>

#include "tests/unit/cli/folder.h"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;
using test::Folder;
using Kind = FilePlace::Kind;

TEST(FilePlace, TheKindIsThatOfTheFileBehindTheLinks) {
  Folder const here;
  here.write("file", "text");
  fs::create_symlink("file", here / "link");
  fs::create_symlink("missing", here / "dangling");
  fs::create_symlink("ring", here / "ring");
  fs::create_directory(here / "folder");
  ASSERT_EQ(::mkfifo((here / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(find_place(here / "file").kind, Kind::kFile);
  EXPECT_EQ(find_place(here / "file").size_bytes, 4);
  EXPECT_EQ(find_place(here / "link").kind, Kind::kFile);
  EXPECT_EQ(find_place(here / "link").path, here / "file");
  EXPECT_EQ(find_place(here / "dangling").kind, Kind::kFree);
  EXPECT_EQ(find_place(here / "dangling").path, here / "missing");
  EXPECT_EQ(find_place(here / "folder").kind, Kind::kFolder);
  EXPECT_EQ(find_place(here / "fifo").kind, Kind::kStream);
  EXPECT_EQ(find_place("/dev/null").kind, Kind::kStream);
  EXPECT_EQ(find_place(here / "ring").kind, Kind::kUnreachable);
  EXPECT_EQ(find_place(here / "ring").error, ELOOP);
  EXPECT_EQ(find_place(here / "file/below").error, ENOTDIR);
  EXPECT_EQ(find_place(here / std::string(300, 'a')).error, ENAMETOOLONG);
}

// Each spelling of a row leads to one file, and no spelling leads to the file of another row.
TEST(FilePlace, SpellingsOfOneFileAreTheSameAndOthersAreNot) {
  Folder const here;
  fs::create_directories(here / "folder/inner");
  here.write("file", "text");
  here.write("other", "text");
  fs::create_hard_link(here / "file", here / "hard");
  fs::create_symlink("file", here / "soft");
  fs::create_symlink("soft", here / "soft_twice");
  fs::create_symlink(here / "file", here / "absolute");
  fs::create_symlink("folder", here / "alias");
  fs::create_symlink("folder/new", here / "dangling");
  fs::create_symlink("../new", here / "folder/inner/up");
  std::vector<std::vector<std::string>> const rows{
      {"file", "./file", "folder/../file", "hard", "soft", "soft_twice", "absolute",
       "alias/inner/../../file"},
      {"other"},
      {"new", "./new", "folder/../new"},
      {"folder/new", "alias/new", "alias/./new", "dangling", "folder/inner/up", "alias/inner/../new"},
      {"no/such/folder/new", "no/such/folder/./new"},
  };
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      for (const std::string& left : rows[a]) {
        for (const std::string& right : rows[b]) {
          EXPECT_EQ(same_file(find_place(here / left), find_place(here / right)), a == b)
              << left << ' ' << right;
        }
      }
    }
  }
}

TEST(FilePlace, DevicesAreSharedAndTheStandardOutputIsNot) {
  EXPECT_FALSE(same_file(find_place("/dev/null"), find_place("/dev/null")));
  for (const char* const name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    FilePlace const place = find_output_place(name);
    EXPECT_TRUE(place.is_stdout) << name;
    EXPECT_EQ(place.kind, Kind::kStream) << name;
    EXPECT_TRUE(same_file(place, find_output_place("-"))) << name;
  }
  EXPECT_FALSE(find_place("-").is_stdout);  // an input of that name
}

TEST(FilePlace, LiesInAFolderAfterLinks) {
  Folder const here;
  fs::create_directories(here / "a/b");
  fs::create_directories(here / "ab");
  here.write("a/b/file", "text");
  here.write("ab/file", "text");
  fs::create_symlink("a", here / "alias");
  FilePlace const folder = find_place(here / "alias");
  EXPECT_TRUE(lies_in(find_place(here / "a/b/file"), folder));
  EXPECT_TRUE(lies_in(find_place(here / "alias/b/../b/file"), folder));
  EXPECT_FALSE(lies_in(find_place(here / "ab/file"), folder));
  EXPECT_FALSE(lies_in(find_place(here / "a/b/file"), find_place(here / "ab/file")));
}

}  // namespace
}  // namespace takt::cli
