#include "server/desync_reporter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "server/file_bytes.h"

namespace takt::server {
namespace {

namespace fs = std::filesystem;

class Reporter : public ::testing::Test {
 protected:
  Reporter() : folder_(fs::path(::testing::TempDir()) / ("takt_desync_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
  }
  ~Reporter() override { fs::remove_all(folder_); }

  std::unique_ptr<DesyncReporter> open(const fs::path& folder, const DesyncReporter::Bounds& bounds = {}) {
    auto opened = DesyncReporter::open(
        folder.string(), "client", [this](std::string line) { log_.push_back(std::move(line)); }, bounds);
    return opened ? *std::move(opened) : nullptr;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (auto const& entry : fs::directory_iterator(folder_)) out.push_back(entry.path().filename().string());
    std::ranges::sort(out);
    return out;
  }
  std::string text_of(const std::string& name) const {
    auto text = read_file((folder_ / name).string(), 1 << 20);
    return text ? *text : "";
  }

  fs::path folder_;
  std::vector<std::string> log_;  // read after the reporter's end
};

TEST_F(Reporter, WritesTwoFilesAndMakesTheFolder) {
  open(folder_ / "deep")->put({3, 64, "body.record[1].x: 1 != 2", {std::byte{7}, std::byte{8}}});
  folder_ /= "deep";
  EXPECT_EQ(names(),
            (std::vector<std::string>{"desync-64-player3-client.takt", "desync-64-player3-client.txt"}));
  EXPECT_EQ(text_of("desync-64-player3-client.takt"), "\x07\x08");
  std::string const text = text_of("desync-64-player3-client.txt");
  EXPECT_NE(text.find("body.record[1].x: 1 != 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("replay diff desync-64-player3-server.takt desync-64-player3-client.takt"),
            std::string::npos)
      << text;
  ASSERT_EQ(log_.size(), 1u);
  folder_ = folder_.parent_path();
}

TEST_F(Reporter, KeepsEarlierReports) {
  for (char const* const text : {"first", "second", "third"})
    open(folder_)->put({3, 64, text, {std::byte{1}}});
  EXPECT_EQ(names().size(), 6u);
  EXPECT_NE(text_of("desync-64-player3-client.txt").find("first"), std::string::npos);
  std::string const second = text_of("desync-64-player3-client-2.txt");
  EXPECT_NE(second.find("second"), std::string::npos);
  EXPECT_NE(second.find("replay bisect desync-64-player3-client-2.takt"), std::string::npos) << second;
  EXPECT_NE(second.find("replay diff desync-64-player3-server.takt desync-64-player3-client-2.takt"),
            std::string::npos)
      << second;
  EXPECT_NE(text_of("desync-64-player3-client-3.txt").find("third"), std::string::npos);
}

TEST_F(Reporter, SaysWhyARecordingIsMissing) {
  {
    auto const reporter = open(folder_);
    reporter->put({1, 8, "gone", {}});
    reporter->put({1, 16, "large", std::vector<std::byte>(DesyncReporter::kRecordingBytesMax + 1)});
  }
  EXPECT_EQ(names(),
            (std::vector<std::string>{"desync-16-player1-client.txt", "desync-8-player1-client.txt"}));
  EXPECT_NE(text_of("desync-8-player1-client.txt").find("not kept any more"), std::string::npos);
  EXPECT_NE(text_of("desync-16-player1-client.txt").find("67108865 bytes"), std::string::npos);
}

TEST_F(Reporter, AFullFolderGetsNoFurtherFiles) {
  fs::create_directories(folder_);
  for (std::size_t i = 0; i + 1 < DesyncReporter::kFilesMax; ++i)
    std::ofstream(folder_ / ("desync-" + std::to_string(i) + ".txt")) << "x";
  {
    auto const reporter = open(folder_);
    reporter->put({1, 1000, "", {}});
    reporter->put({1, 1008, "", {}});
  }
  EXPECT_EQ(names().size(), DesyncReporter::kFilesMax - 1) << "a report has two files";
  ASSERT_EQ(log_.size(), 1u) << "once, not for each";
  EXPECT_NE(log_[0].find("remove some"), std::string::npos);
}

TEST_F(Reporter, WritesAgainWhenTheFolderHasRoom) {
  fs::create_directories(folder_);
  for (std::size_t i = 0; i + 2 < DesyncReporter::kFilesMax; ++i)
    std::ofstream(folder_ / ("desync-" + std::to_string(i) + ".txt")) << "x";
  open(folder_)->put({1, 1000, "", {std::byte{1}}});
  EXPECT_EQ(names().size(), DesyncReporter::kFilesMax);
}

TEST_F(Reporter, RecordingsBeyondTheProcessesBytesAreLeftOut) {
  {
    auto const reporter = open(folder_, {100, 16, 1000});
    reporter->put({1, 8, "first", std::vector<std::byte>(60)});
    reporter->put({1, 16, "second", std::vector<std::byte>(41)});
    reporter->put({1, 24, "third", std::vector<std::byte>(40)});
    reporter->put({1, 32, "fourth", std::vector<std::byte>(1)});
  }
  EXPECT_EQ(names(),
            (std::vector<std::string>{"desync-16-player1-client.txt", "desync-24-player1-client.takt",
                                      "desync-24-player1-client.txt", "desync-32-player1-client.txt",
                                      "desync-8-player1-client.takt", "desync-8-player1-client.txt"}));
  EXPECT_NE(text_of("desync-16-player1-client.txt").find("60 bytes of 100"), std::string::npos);
  EXPECT_EQ(
      std::ranges::count_if(log_, [](auto const& line) { return line.find("starts anew") != line.npos; }), 1);
}

// The log function of the first report holds the thread while the others come.
TEST_F(Reporter, WhatWaitsIsBoundedAndDropsAreTold) {
  std::promise<void> begun;
  std::promise<void> released;
  std::atomic<bool> is_first{true};
  std::vector<std::string> lines;
  {
    auto opened = DesyncReporter::open(folder_.string(), "client",
                                       [&](std::string line) {
                                         lines.push_back(std::move(line));
                                         if (!is_first.exchange(false)) return;
                                         begun.set_value();
                                         released.get_future().wait();
                                       },
                                       {1000, 2, 100});
    ASSERT_TRUE(opened);
    auto const reporter = *std::move(opened);
    reporter->put({1, 8, "", std::vector<std::byte>(60)});
    begun.get_future().wait();
    reporter->put({1, 16, "its text stays", std::vector<std::byte>(41)});
    reporter->put({1, 24, "", std::vector<std::byte>(40)});
    reporter->put({1, 32, "", std::vector<std::byte>(1)});
    reporter->put({1, 40, "", std::vector<std::byte>(1)});
    released.set_value();
  }
  EXPECT_EQ(names(),
            (std::vector<std::string>{"desync-16-player1-client.txt", "desync-24-player1-client.takt",
                                      "desync-24-player1-client.txt", "desync-8-player1-client.takt",
                                      "desync-8-player1-client.txt"}));
  std::string const text = text_of("desync-16-player1-client.txt");
  EXPECT_NE(text.find("its text stays"), std::string::npos);
  EXPECT_NE(text.find("waited for the disk"), std::string::npos) << text;
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1].find("2 reports of desyncs were dropped"), 0u) << lines[1];
}

TEST_F(Reporter, AFolderThatTakesNoFileIsRefusedAtOnce) {
  auto const opened = DesyncReporter::open("/proc/self", "server", [](std::string) {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(message(opened.error()).find("/proc/self: "), 0u) << message(opened.error());
}

TEST_F(Reporter, OpeningLeavesNoFile) {
  ASSERT_NE(open(folder_), nullptr);
  EXPECT_TRUE(names().empty());
}

TEST_F(Reporter, AFileIsNoFolder) {
  std::ofstream(folder_) << "x";
  auto const opened = DesyncReporter::open(folder_.string(), "server", [](std::string) {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(message(opened.error()).find(folder_.string() + ": "), 0u) << message(opened.error());
}

}  // namespace
}  // namespace takt::server
