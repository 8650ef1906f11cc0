#include "cli/recording_file.h"

#include <gtest/gtest.h>

#include <span>

#include "tests/unit/cli/folder.h"

namespace takt::cli {
namespace {

using test::Folder;
using Names = std::vector<std::string>;

bool put(FileSink& sink, const std::string& text) { return sink.write(std::as_bytes(std::span(text))); }

TEST(FileSink, AnEarlierRecordingStaysUntilCommit) {
  Folder const here;
  here.write("a.takt", "earlier");
  for (bool const commits : {false, true}) {
    auto sink = FileSink::create(here / "a.takt", OutputKind::kForcedRecording);
    ASSERT_TRUE(sink);
    ASSERT_TRUE(put(**sink, "head"));
    EXPECT_EQ(here.read("a.takt"), "earlier");
    if (!commits) continue;
    ASSERT_TRUE((*sink)->commit());
    ASSERT_TRUE(put(**sink, " and ticks"));
    EXPECT_EQ(here.read("a.takt"), "head and ticks");  // before close(): each write reaches the system
    EXPECT_TRUE((*sink)->close());
  }
  EXPECT_EQ(here.names(), Names{"a.takt"});
}

TEST(FileSink, WithoutForceARecordingThatCameMeanwhileIsKept) {
  Folder const here;
  auto sink = FileSink::create(here / "a.takt", OutputKind::kRecording);
  ASSERT_TRUE(sink);
  here.write("a.takt", "of another");
  ASSERT_TRUE(put(**sink, "head"));
  EXPECT_FALSE((*sink)->commit());
  EXPECT_FALSE((*sink)->is_committed());
  EXPECT_FALSE(put(**sink, "ticks"));
  EXPECT_EQ(here.read("a.takt"), "of another");
}

}  // namespace
}  // namespace takt::cli
