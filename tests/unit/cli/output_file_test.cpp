#include "cli/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <span>

#include "tests/unit/cli/folder.h"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;
using test::Folder;
using Names = std::vector<std::string>;

Result<OutputFile, server::FileError> create(const std::string& path,
                                             Latecomer latecomer = Latecomer::kReplace) {
  return OutputFile::create(path, latecomer);
}
bool put(OutputFile& file, const std::string& text) { return file.write(std::as_bytes(std::span(text))); }

TEST(OutputFile, GetsItsNameWhenWhole) {
  Folder const here;
  here.write("a", "earlier");
  Result<OutputFile, server::FileError> file = create(here / "a");
  ASSERT_TRUE(file);
  ASSERT_TRUE(put(*file, "later"));
  ASSERT_TRUE(file->flush());
  EXPECT_EQ(here.read("a"), "earlier");
  EXPECT_FALSE(file->is_committed());
  EXPECT_TRUE(file->close());
  EXPECT_EQ(here.read("a"), "later");
  EXPECT_EQ(here.names(), Names{"a"});
}

TEST(OutputFile, WithoutCommitTheEarlierFileStaysAndNoTemporary) {
  Folder const here;
  here.write("a", "earlier");
  {
    Result<OutputFile, server::FileError> file = create(here / "a");
    ASSERT_TRUE(file);
    ASSERT_TRUE(put(*file, "later"));
    EXPECT_EQ(here.names().size(), 2u);
  }
  EXPECT_EQ(here.read("a"), "earlier");
  EXPECT_EQ(here.names(), Names{"a"});
}

TEST(OutputFile, GrowsInPlaceAfterCommit) {
  Folder const here;
  Result<OutputFile, server::FileError> file = create(here / "a", Latecomer::kKeep);
  ASSERT_TRUE(file);
  ASSERT_TRUE(put(*file, "head"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(here.read("a"), "head");
  ASSERT_TRUE(put(*file, " and tail"));
  ASSERT_TRUE(file->flush());
  EXPECT_EQ(here.read("a"), "head and tail");
  EXPECT_TRUE(file->commit());
  EXPECT_TRUE(file->close());
  EXPECT_EQ(here.names(), Names{"a"});
}

TEST(OutputFile, ALatecomerIsKeptOrReplaced) {
  Folder const here;
  Result<OutputFile, server::FileError> polite = create(here / "a", Latecomer::kKeep);
  Result<OutputFile, server::FileError> other = create(here / "a", Latecomer::kReplace);
  ASSERT_TRUE(polite && other);
  here.write("a", "latecomer");
  EXPECT_FALSE(polite->commit());
  EXPECT_EQ(polite->failure(), (here / "a") + ": cannot get its name: File exists");
  EXPECT_FALSE(put(*polite, "more"));
  EXPECT_EQ(here.read("a"), "latecomer");
  ASSERT_TRUE(put(*other, "later"));
  EXPECT_TRUE(other->close());
  EXPECT_EQ(here.read("a"), "later");
  EXPECT_FALSE(polite->close());
}

// Two processes may see a free name at once; the second must not replace the file of the first.
TEST(OutputFile, ANewFileReplacesNone) {
  Folder const here;
  here.write("a", "earlier");
  for (const char* const text : {"earlier", ""}) {
    here.write("a", text);
    Result<OutputFile, server::FileError> file = create(here / "a", Latecomer::kNew);
    ASSERT_TRUE(file && put(*file, "later"));
    EXPECT_FALSE(file->close());
    EXPECT_TRUE(file->failure().starts_with((here / "a") + ": cannot get its name: File exists"));
    EXPECT_EQ(here.read("a"), text);
  }
  Result<OutputFile, server::FileError> file = create(here / "b", Latecomer::kNew);
  ASSERT_TRUE(file && put(*file, "later") && file->close());
  EXPECT_EQ(here.names(), (Names{"a", "b"}));
}

// Processes of containers have one number, and killed ones leave their files.
TEST(OutputFile, TemporariesOfKilledProcessesOfTheSameNumberAreNoLimit) {
  Folder const here;
  std::string const stem = ".takt-" + std::to_string(::getpid()) + "-";
  for (int i = 0; i < 1000; ++i) here.write(stem + std::to_string(i) + ".tmp", "");
  Result<OutputFile, server::FileError> file = create(here / "a");
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_TRUE(put(*file, "text") && file->close());
  EXPECT_EQ(here.names().size(), 1001u);
}

TEST(OutputFile, ANameThatCannotBeTakenLeavesTheNewFile) {
  Folder const here;
  Result<OutputFile, server::FileError> file = create(here / "a");
  ASSERT_TRUE(file);
  ASSERT_TRUE(put(*file, "later"));
  fs::create_directory(here / "a");
  EXPECT_FALSE(file->close());
  std::size_t const at = file->failure().find("; the new one is ");
  ASSERT_NE(at, std::string::npos) << file->failure();
  std::ifstream left(file->failure().substr(at + 17));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(left), {}), "later");
}

TEST(OutputFile, AnEarlierEmptyFileIsReplaced) {
  Folder const here;
  here.write("a", "");
  Result<OutputFile, server::FileError> file = create(here / "a", Latecomer::kKeep);
  ASSERT_TRUE(file);
  ASSERT_TRUE(put(*file, "later"));
  EXPECT_TRUE(file->close()) << file->failure();
  EXPECT_EQ(here.read("a"), "later");
}

TEST(OutputFile, ALinkStaysALink) {
  Folder const here;
  fs::create_directory(here / "folder");
  here.write("folder/target", "earlier");
  fs::create_symlink("folder/target", here / "link");
  fs::create_symlink("folder/new", here / "dangling");
  for (const char* const name : {"link", "dangling"}) {
    Result<OutputFile, server::FileError> file = create(here / name);
    ASSERT_TRUE(file);
    ASSERT_TRUE(put(*file, "later"));
    ASSERT_TRUE(file->close());
    EXPECT_TRUE(fs::is_symlink(here / name));
    EXPECT_EQ(here.read(name), "later");
  }
  EXPECT_EQ(here.read("folder/new"), "later");
}

TEST(OutputFile, ModesFollowTheEarlierFileOrTheUmask) {
  Folder const here;
  here.write("private", "earlier");
  fs::permissions(here / "private", fs::perms::owner_read | fs::perms::owner_write);
  mode_t const mask = ::umask(027);
  for (const char* const name : {"private", "new"}) {
    Result<OutputFile, server::FileError> file = create(here / name);
    ASSERT_TRUE(file && file->close());
  }
  ::umask(mask);
  EXPECT_EQ(fs::status(here / "private").permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(here / "new").permissions(), fs::perms(0640));
}

TEST(OutputFile, WrongPathsAreSaidInOneLine) {
  Folder const here;
  here.write("file", "text");
  fs::create_symlink("ring", here / "ring");
  struct Case {
    std::string path, reason;
  };
  for (const Case& one :
       std::vector<Case>{{here / "no/such/a", "cannot be created: No such file or directory"},
                         {here / "", "is a directory: expected a file"},
                         {here / "file/a", "cannot be created: Not a directory"},
                         {here / "ring", "cannot be created: Too many levels of symbolic links"},
                         {here / std::string(300, 'a'), "cannot be created: File name too long"}}) {
    Result<OutputFile, server::FileError> const file = create(one.path);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().text, one.path + ": " + one.reason);
  }
  EXPECT_EQ(here.names(), (Names{"file", "ring"}));
}

TEST(OutputFile, AFullDeviceFailsOnceAndNamesTheReason) {
  Result<OutputFile, server::FileError> file = create("/dev/full");
  ASSERT_TRUE(file);
  ASSERT_TRUE(put(*file, "text"));
  EXPECT_FALSE(file->flush());
  EXPECT_EQ(file->failure(), "/dev/full: cannot be written: No space left on device");
  EXPECT_FALSE(put(*file, "more"));
  EXPECT_FALSE(file->close());
}

// A file that may not grow stands for a full disk.
TEST(OutputFile, AFileThatMayNotGrowKeepsTheEarlierOne) {
  Folder const here;
  here.write("a", "earlier");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit const small{10'000, before.rlim_max};
  {
    Result<OutputFile, server::FileError> file = create(here / "a");
    ASSERT_TRUE(file);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_FALSE(put(*file, std::string(100'000, 'x')) && file->flush());
    EXPECT_FALSE(file->close());
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(file->failure(),
              (here / "a") + ": cannot be written: File too large; the earlier file is kept");
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(here.read("a"), "earlier");
  EXPECT_EQ(here.names(), Names{"a"});
}

TEST(OutputFile, AFifoIsWrittenDirectly) {
  Folder const here;
  ASSERT_EQ(::mkfifo((here / "fifo").c_str(), 0600), 0);
  int const reader = ::open((here / "fifo").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  Result<OutputFile, server::FileError> file = create(here / "fifo");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->is_committed());
  EXPECT_EQ(file->path_for_writer(), here / "fifo");
  ASSERT_TRUE(put(*file, "text"));
  EXPECT_TRUE(file->close());
  char bytes[8];
  EXPECT_EQ(::read(reader, bytes, sizeof bytes), 4);
  ::close(reader);
  EXPECT_EQ(here.names(), Names{"fifo"});
}

TEST(OutputFile, AnotherProgramMayWriteTheBytes) {
  Folder const here;
  here.write("a", "earlier");
  Result<OutputFile, server::FileError> file = create(here / "a");
  ASSERT_TRUE(file);
  std::ofstream(file->path_for_writer(), std::ios::binary) << "of another";
  EXPECT_EQ(here.read("a"), "earlier");
  EXPECT_TRUE(file->close());
  EXPECT_EQ(here.read("a"), "of another");
}

}  // namespace
}  // namespace takt::cli
