#include "sim/scene/scene_setting.h"

#include <gtest/gtest.h>

namespace takt::sim {
namespace {

std::string set(std::string_view json, const std::string& path, const std::string& value) {
  auto const changed = with_setting(json, {path, value});
  return changed ? *changed : "refused: " + changed.error().text;
}

TEST(SceneSetting, ReplacesValuesOfEachKind) {
  EXPECT_EQ(set(R"({"a": 1, "b": 2})", "a", "3"), R"({"a": 3, "b": 2})");
  EXPECT_EQ(set(R"({"a": "x"})", "a", "y z"), R"({"a": "y z"})");
  EXPECT_EQ(set(R"({"a": true})", "a", "false"), R"({"a": false})");
  EXPECT_EQ(set(R"({"a": [1, 2, 3]})", "a[1]", "-5e-1"), R"({"a": [1, -5e-1, 3]})");
  EXPECT_EQ(set(R"({"a": [[1], {"b": "]"}], "c": 1})", "a", "[]"), R"({"a": [], "c": 1})");
  EXPECT_EQ(set("{\"a\": {\"b\": 1 // }\n/* } */, \"c\": \"\\\"}\"}, \"d\": 1}", "a", "null"),
            "{\"a\": null, \"d\": 1}");
}

TEST(SceneSetting, AddsFieldsAndTheObjectsAroundThem) {
  EXPECT_EQ(set("{}", "a", "1"), "{\"a\": 1, }");
  EXPECT_EQ(set(R"({"a": {"b": 1}})", "a.c", "2"), R"({"a": {"c": 2, "b": 1}})");
  EXPECT_EQ(set(R"({"z": 1})", "a.b.c", "2"), R"({"a": {"b": {"c": 2}}, "z": 1})");
  EXPECT_EQ(set(R"({"ab": {}})", "a.b", "2"), R"({"a": {"b": 2}, "ab": {}})");
  EXPECT_EQ(set(R"({"l": [{}, {}]})", "l[1].a", "2"), R"({"l": [{}, {"a": 2, }]})");
}

TEST(SceneSetting, RefusesElementsThatAreAbsentAndBadPaths) {
  EXPECT_EQ(set(R"({"l": [1]})", "l[1]", "2"), "refused: the scene writes no l[1]; set the whole list");
  EXPECT_EQ(set("{}", "l[0].a", "2"), "refused: the scene writes no l[0].a; set the whole list");
  for (const char* const path : {"", ".", ".a", "a.", "a..b", "[0]", "a b", "a\"b"})
    EXPECT_TRUE(set("{}", path, "1").starts_with("refused: expected a path")) << path;
  EXPECT_EQ(set("{}", "a", "[1"), "{\"a\": \"[1\", }");
  EXPECT_EQ(set("{}", "a", "\"x"), "refused: the value is neither JSON without comments nor a plain text");
  EXPECT_EQ(set("{}", "a", "1 // x"), "{\"a\": \"1 // x\", }");
}

TEST(SceneSetting, SlashesInStringsAreNoComment) {
  EXPECT_EQ(set(R"({"a": 1})", "a", R"(["x//y", "/*"])"), R"({"a": ["x//y", "/*"]})");
  EXPECT_EQ(set(R"({"a": 1})", "a", R"({"b": "\"//"})"), R"({"a": {"b": "\"//"}})");
  EXPECT_EQ(set(R"({"a": 1})", "a", R"("x//y")"), R"({"a": "x//y"})");
  EXPECT_EQ(set(R"({"a": 1})", "a", "x//y"), R"({"a": "x//y"})");
  EXPECT_EQ(set(R"({"a": "x//y", "b": 1})", "a", "http://z"), R"({"a": "http://z", "b": 1})");
  EXPECT_EQ(set(R"({"a": 1, "b": 2})", "a", R"("x" // y)"),
            "refused: the value is neither JSON without comments nor a plain text");
  EXPECT_EQ(set(R"({"a": 1, "b": 2})", "a", "1 /* y */"), R"({"a": "1 /* y */", "b": 2})");
}

TEST(SceneSetting, TextThatIsNoJsonComesBackForItsReader) { EXPECT_EQ(set("{,", "a", "1"), "{,"); }

}  // namespace
}  // namespace takt::sim
