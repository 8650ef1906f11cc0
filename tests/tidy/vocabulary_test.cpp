// The identifiers of the tree follow the glossary, and each rule for words finds a planted fault.
#include "tests/tidy/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tidy/tree.h"

namespace takt::tidy {
namespace {

const SourceFile& glossary() { return *std::ranges::find(tree(), "docs/GLOSSARY.md", &SourceFile::path); }

TEST(TidyVocabulary, NoIdentifierHoldsARetiredWord) {
  std::vector<Finding> faults;
  Vocabulary const vocabulary = read_vocabulary(glossary(), faults);
  expect_clean(faults);
  EXPECT_GE(vocabulary.retired.size(), 60u);
  for (const SourceFile& file : tree()) expect_clean(check_words(file, vocabulary));
}
TEST(TidyVocabulary, EveryKeptNameIsNeeded) {
  std::vector<Finding> faults;
  Vocabulary vocabulary = read_vocabulary(glossary(), faults);
  std::vector<KeptName> const kept = std::exchange(vocabulary.kept, {});
  std::vector<bool> needed(kept.size());
  for (const SourceFile& file : tree()) {
    for (const Finding& finding : check_words(file, vocabulary)) {
      std::string const identifier = finding.message.substr(0, finding.message.find(':'));
      for (std::size_t i = 0; i < kept.size(); ++i) {
        bool const is_there = std::ranges::any_of(
            kept[i].prefixes, [&](const std::string& prefix) { return finding.path.starts_with(prefix); });
        if (is_there && std::regex_match(identifier, kept[i].names)) needed[i] = true;
      }
    }
  }
  EXPECT_GE(kept.size(), 1u);
  for (std::size_t i = 0; i < kept.size(); ++i)
    EXPECT_TRUE(needed[i]) << "docs/GLOSSARY.md:" << kept[i].line << ": no identifier needs "
                           << kept[i].pattern;
}

TEST(TidyWords, SplitsIdentifiers) {
  EXPECT_EQ(words_of("kMaxLeverArm"), (std::vector<std::string>{"max", "lever", "arm"}));
  EXPECT_EQ(words_of("way_of_"), (std::vector<std::string>{"way", "of"}));
  EXPECT_EQ(words_of("GJKCast2D"), (std::vector<std::string>{"gjk", "cast2", "d"}));
}
// The lines found by a glossary with these rows of retired words and of kept names.
std::vector<int> words_found(const std::string& retired, const std::string& kept, std::string path,
                             std::string text) {
  std::vector<Finding> faults;
  Vocabulary const vocabulary = read_vocabulary(
      make_source_file("docs/GLOSSARY.md", "| retired | scope | term |\n|---|---|---|\n" + retired +
                                               "\n\n| kept | reason |\n|---|---|\n" + kept + "\n"),
      faults);
  expect_clean(faults);
  return lines_in(check_words(make_source_file(std::move(path), std::move(text)), vocabulary));
}
TEST(TidyWords, FindsARetiredWordWhereItsRowCounts) {
  auto const lines = [](std::string path, std::string text) {
    return words_found("| `way of` | `.*` `physics/` | displacement |", "", std::move(path), std::move(text));
  };
  EXPECT_EQ(lines("physics/a.cpp", "int a;\nint my_way_of_b;\n"), (Lines{2}));
  EXPECT_EQ(lines("physics/a.cpp", "// way_of\nint off_way; char const* a = \"way_of\"; wire::way_of b;\n"),
            Lines{});
  EXPECT_EQ(lines("physics/way_of.cpp", "\n"), (Lines{0}));
  EXPECT_EQ(lines("server/a.cpp", "int way_of;\n"), Lines{});
}
TEST(TidyWords, FindsInflectionsOfARetiredWord) {
  struct Case {
    std::string word;
    std::string identifier;
  };
  for (const Case& planted : {Case{"beat", "beats"}, Case{"beat", "IsBeaten"}, Case{"wish", "kWishes"},
                              Case{"tame", "taming_"}, Case{"stir", "was_stirred"}, Case{"lay", "laid"},
                              Case{"shelf", "scene_shelves"}, Case{"way of", "ways_of_b"}}) {
    EXPECT_EQ(words_found("| `" + planted.word + "` | `.*` `physics/` | update |", "", "physics/a.cpp",
                          "\nint " + planted.identifier + ";\n"),
              (Lines{2}))
        << planted.identifier;
  }
}
TEST(TidyWords, ComparesThePlainFormWithTheScope) {
  auto const lines = [](std::string text) {
    return words_found("| `push` | `(?!push_back)push.*` `physics/` | apply |", "", "physics/a.cpp",
                       std::move(text));
  };
  EXPECT_EQ(lines("int pushes_all;\nint a_push;\nint pushes_back;\nint push_back;\n"), (Lines{1}));
}
TEST(TidyWords, AllowsTheTermsOwnFormAndKeptNames) {
  auto const lines = [](std::string text) {
    return words_found("| `stage` | `.*` `physics/` | staging buffer |",
                       "| `.*on_stage` `physics/b/` | a place |", "physics/b/a.cpp", std::move(text));
  };
  EXPECT_EQ(lines("int staging;\nint staged;\nint is_on_stage;\nint on_stage_b;\n"), (Lines{2, 4}));
}
TEST(TidyWords, ReadsSchemasAndScripts) {
  auto const lines = [](std::string path, std::string text) {
    return words_found("| `beat` | `.*` `client_sdk/`, `schemas/` | update |", "", std::move(path),
                       std::move(text));
  };
  EXPECT_EQ(
      lines("schemas/a.fbs", "// beat\ntable A {\n  beat_ms:uint;  // beat2\n}\nenum Beats : ubyte {}\n"),
      (Lines{3, 5}));
  EXPECT_EQ(lines("client_sdk/js/src/a.ts",
                  "/* beat */\nconst a = 'beat', b = \"beat\", c = `beat`;\nlet beats;\n"),
            (Lines{3}));
  EXPECT_EQ(lines("client_sdk/js/src/a.mjs",
                  "f(`beat ${ {a: beatsA} } beat`, /[/`\"]beat/g, a / beatsB / c);\nbeatsC;\n"),
            (Lines{1, 1, 2}));
  EXPECT_EQ(lines("client_sdk/js/src/beats.ts", ""), (Lines{0}));
}
TEST(TidyWords, FindsARowThatBreaksTheGrammar) {
  std::vector<Finding> faults;
  (void)read_vocabulary(
      make_source_file("docs/GLOSSARY.md",
                       "| retired | scope | term |\n|---|---|---|\n| way | everywhere | motion "
                       "|\n\n| kept | reason |\n|---|---|\n| way | a path |\n"),
      faults);
  EXPECT_EQ(lines_in(faults), (Lines{3, 7}));
}

}  // namespace
}  // namespace takt::tidy
