// The identity file of a server: made once, kept, and refused when others may read it.
#include "server/identity_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace takt::server {
namespace {

crypto::SecretKey seed_of(unsigned value) {
  std::array<std::byte, crypto::SecretKey::kBytes> bytes{};
  bytes.fill(static_cast<std::byte>(value));
  return crypto::SecretKey(bytes);
}

class IdentityFile : public testing::Test {
 protected:
  IdentityFile()
      : path(testing::TempDir() + "identity_" +
             testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove(path);
  }
  ~IdentityFile() override { std::filesystem::remove(path); }
  std::string path;
};

TEST_F(IdentityFile, IsMadeOnceAndKept) {
  auto const first = load_identity(path, seed_of(1));
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, seed_of(1));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  auto const second = load_identity(path, seed_of(2));
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, seed_of(1)) << "the first one is kept";
}

TEST_F(IdentityFile, IsRefusedWhenOthersMayReadIt) {
  ASSERT_TRUE(load_identity(path, seed_of(1)));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  auto const loaded = load_identity(path, seed_of(2));
  ASSERT_FALSE(loaded);
  EXPECT_NE(message(loaded.error()).find("chmod 600"), std::string::npos);
}

TEST_F(IdentityFile, IsRefusedWithOtherContentWhichStays) {
  for (const char* text : {"", "hello\n", "AAAA\n", "\n"}) {
    std::ofstream(path) << text;
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    auto const loaded = load_identity(path, seed_of(2));
    ASSERT_FALSE(loaded) << text;
    EXPECT_NE(message(loaded.error()).find("no identity"), std::string::npos);
    std::ifstream in(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
  }
}

TEST_F(IdentityFile, NamesAFolderThatIsMissing) {
  auto const loaded = load_identity(path + "/none/file", seed_of(1));
  ASSERT_FALSE(loaded);
  EXPECT_NE(message(loaded.error()).find("cannot be made"), std::string::npos);
}

}  // namespace
}  // namespace takt::server
