#include "sim/scene/json_walker.h"

#include <gtest/gtest.h>

namespace takt::sim {
namespace {

class Collector final : public JsonVisitor {
 public:
  bool enter(std::span<const JsonSegment> path, JsonKind, std::string_view token,
             std::uint32_t line) override {
    seen.push_back(to_string(path) + "=" + std::string(token) + "@" + std::to_string(line));
    return true;
  }
  bool leave(std::span<const JsonSegment>, JsonKind, std::uint32_t count, std::uint32_t) override {
    counts.push_back(count);
    return true;
  }
  std::vector<std::string> seen;
  std::vector<std::uint32_t> counts;
};

std::string fault_of(std::string_view text) {
  Collector collector;
  auto const fault = walk_json(text, collector);
  return fault ? std::to_string(fault->line) + ": " + fault->text : "sound";
}

TEST(JsonWalker, ReportsEveryValueWithPathAndLine) {
  Collector collector;
  ASSERT_FALSE(walk_json("{\"a\": [1,\n -2.5e3, {\"b\": \"x\"}],\n\"c\": true}", collector));
  EXPECT_EQ(collector.seen, (std::vector<std::string>{"={@1", "a=[@1", "a[0]=1@1", "a[1]=-2.5e3@2",
                                                      "a[2]={@2", "a[2].b=x@2", "c=true@3"}));
  EXPECT_EQ(collector.counts, (std::vector<std::uint32_t>{1, 3, 2}));
}

TEST(JsonWalker, TakesCommentsAndTrailingCommas) {
  EXPECT_EQ(fault_of("// one\n/* two\n */ {\"a\": [1, /* three */ 2,],} // four"), "sound");
}

TEST(JsonWalker, NamesWhatItRefuses) {
  EXPECT_EQ(fault_of(""), "1: unexpected end of the file: expected a value");
  EXPECT_EQ(
      fault_of("{\"a\": sin(1)}"),
      "1: unexpected 'sin': words stand in double quotes, and nan, infinity and functions are not allowed");
  EXPECT_EQ(
      fault_of("[\n\n0x10]"),
      "3: a number that begins with '0x10' is not written as one: expected a form such as -12.5 or 3e-4");
  EXPECT_EQ(fault_of("[1 2]"), "1: unexpected '2': expected ',' or ']' (opened on line 1)");
  EXPECT_EQ(fault_of("{\"a\" 1}"), "1: unexpected '1': expected ':' after \"a\"");
  EXPECT_EQ(fault_of("{a: 1}"), "1: unexpected 'a': expected a name in double quotes");
  EXPECT_EQ(fault_of("[\"abc\n\"]"),
            "1: the string that begins here does not end on its line: expected '\"'");
  EXPECT_EQ(fault_of("\n/* no end"), "2: the comment that begins here does not end: expected */");
  EXPECT_EQ(fault_of("[,]"), "1: unexpected ',': expected a value");
  EXPECT_EQ(fault_of("[1] [2]"),
            "1: there is more text after the end of the scene: expected the end of the file");
  EXPECT_EQ(fault_of("[1.]"),
            "1: a number that begins with '1' is not written as one: expected a form such as -12.5 or 3e-4");
  EXPECT_EQ(fault_of(std::string(40, '[')), "1: nested too deeply: at most 32 levels");
}

TEST(JsonWalker, FindsTheLineOfAPathOrOfItsNearestAncestor) {
  std::string_view const text = "{\n\"bodies\": [\n{\"shapes\": [\n{\"density\":\n-5}]},\n{}]}";
  EXPECT_EQ(line_of_path(text, "bodies[0].shapes[0].density"), 5u);
  EXPECT_EQ(line_of_path(text, "bodies[0].shapes[0].friction"), 4u);
  EXPECT_EQ(line_of_path(text, "bodies[1].shapes"), 6u);
  EXPECT_EQ(line_of_path(text, "bodies[11]"), 2u);  // not bodies[1]
  EXPECT_EQ(line_of_path(text, ""), 1u);
}

}  // namespace
}  // namespace takt::sim
