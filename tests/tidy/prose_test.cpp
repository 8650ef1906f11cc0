// The tree follows the rules for words, sentences and references, and each rule finds a planted fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tidy/prose_rules.h"

namespace takt::tidy {
namespace {

const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> kTree = load_tree(TAKT_SOURCE_DIR);
  return kTree;
}

const SourceFile& glossary() { return *std::ranges::find(tree(), "docs/GLOSSARY.md", &SourceFile::path); }

void expect_clean(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) ADD_FAILURE() << finding;
}

std::vector<int> lines_in(const std::vector<Finding>& findings) {
  std::vector<int> lines;
  for (const Finding& finding : findings) lines.push_back(finding.line);
  return lines;
}
using Lines = std::vector<int>;

TEST(TidyProse, NoIdentifierHoldsARetiredWord) {
  std::vector<Finding> faults;
  Vocabulary const vocabulary = read_vocabulary(glossary(), faults);
  expect_clean(faults);
  EXPECT_GE(vocabulary.retired.size(), 60u);
  for (const SourceFile& file : tree()) expect_clean(check_words(file, vocabulary));
}
TEST(TidyProse, EveryKeptNameIsNeeded) {
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
TEST(TidyProse, LinesFitInto110Columns) {
  for (const SourceFile& file : tree()) expect_clean(check_line_length(file));
}
TEST(TidyProse, SentencesBeginWithTheirSubject) {
  for (const SourceFile& file : tree()) expect_clean(check_openers(file));
}
TEST(TidyProse, ReferencesLeadSomewhere) {
  ReferenceIndex const index = make_reference_index(tree());
  EXPECT_TRUE(index.paths.contains("core/hash.cpp"));
  EXPECT_TRUE(index.sections.contains("DESIGN"));
  for (const SourceFile& file : tree()) expect_clean(check_references(file, index));
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

TEST(TidyLineLength, FindsALongLineButNotATableOrALink) {
  std::string const words = "// " + std::string(60, 'a') + ' ' + std::string(60, 'b') + '\n';
  auto const lines = [](std::string path, std::string text) {
    return lines_in(check_line_length(make_source_file(std::move(path), std::move(text))));
  };
  EXPECT_EQ(lines("core/a.cpp", "int a;\n" + words), (Lines{2}));
  EXPECT_EQ(lines("docs/A.md", words), (Lines{1}));
  EXPECT_EQ(lines("docs/A.md", "| " + words), Lines{});
  EXPECT_EQ(lines("core/a.cpp", "// " + std::string(120, 'a') + '\n'), Lines{});
  EXPECT_EQ(lines("core/a.cpp", std::string(110, 'a') + '\n'), Lines{});
  for (std::string_view const path :
       {"schemas/a.fbs", "client_sdk/js/src/a.ts", "client_sdk/js/test/a.mjs", "client_sdk/js/a.js"})
    EXPECT_EQ(lines(std::string(path), "\n" + words), (Lines{2})) << path;
}

TEST(TidyOpeners, FindsASentenceWithoutItsSubject) {
  auto const lines = [](std::string path, std::string text) {
    return lines_in(check_openers(make_source_file(std::move(path), std::move(text))));
  };
  EXPECT_EQ(lines("core/a.h", "// A list.\n\n// What it is.\nint a;  ///< Of all.\n"), (Lines{3, 4}));
  EXPECT_EQ(lines("core/a.h", "// A list of bodies.\n// It is sorted. The same\n// holds here.\n"),
            (Lines{1}));
  EXPECT_EQ(lines("core/a.h", "auto a = \"What it is\";\nint b;  // Whatever\n"), Lines{});
  EXPECT_EQ(lines("docs/A.md", "# Whether it works\n\n- Let it be.\n\n```\nLet\n```\n"), (Lines{1, 3}));
}

TEST(TidyParagraphs, AreTheCellsOfATable) {
  std::vector<std::string> texts;
  std::vector<int> lines;
  std::string const table = "Text.\n| a | b |\n|---|:--|\n| `x|y` c | | d \\| e |\nMore.\n```\n| f |\n```\n";
  for (const Paragraph& paragraph : paragraphs_of(make_source_file("docs/A.md", table))) {
    texts.push_back(paragraph.text);
    lines.push_back(paragraph.line);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"Text.", "a", "b", "`x|y` c", "d \\| e", "More."}));
  EXPECT_EQ(lines, (Lines{1, 2, 2, 4, 4, 5}));
}
TEST(TidyOpeners, FindsASentenceOfASchemaOrAScript) {
  auto const lines = [](std::string path, std::string text) {
    return lines_in(check_openers(make_source_file(std::move(path), std::move(text))));
  };
  EXPECT_EQ(lines("schemas/a.fbs", "/// A list.\ntable A {}\n/// What it is.\ntable B {}\n"), (Lines{3}));
  EXPECT_EQ(lines("client_sdk/js/src/a.ts", "// Of all.\nf();\n/** Which one. */\n"), (Lines{1, 3}));
  EXPECT_EQ(lines("client_sdk/js/src/a.ts", "/**\n * A list. The same\n * list.\n */\n"), (Lines{2}));
  EXPECT_EQ(lines("client_sdk/js/src/a.ts", "f(`What is `);\nconst a = b\n  * What + c;\n"), Lines{});
}
TEST(TidyOpeners, FindsASentenceInATable) {
  EXPECT_EQ(lines_in(check_openers(make_source_file(
                "docs/A.md", "| word | use |\n|---|---|\n| a | Let it be |\n| b | It is. Of all. |\n"))),
            (Lines{3, 4}));
}

TEST(TidyReferences, FindsWhatDoesNotExist) {
  std::vector<SourceFile> const files{
      make_source_file("core/hash.h", ""),
      make_source_file("docs/DESIGN.md", "# D\n\n## 3. Modules\n| 3.1 | row |\n"),
      make_source_file("docs/adr/0007-x.md", ""),
      make_source_file("tests/a_test.cpp", "TEST(Hash, IsStable) {}\n")};
  ReferenceIndex const index = make_reference_index(files);
  auto const lines = [&](std::string text) {
    return lines_in(check_references(make_source_file("core/a.h", std::move(text)), index));
  };
  EXPECT_EQ(
      lines("// See hash.h, core/hash.h, DESIGN.md 3, DESIGN 3.1, adr/0007, ADR 7 and Hash.IsStable.\n"),
      Lines{});
  EXPECT_EQ(lines("// See hush.h.\n"), (Lines{1}));
  EXPECT_EQ(lines("\n// See net/hash.h.\n"), (Lines{2}));
  EXPECT_EQ(lines("// See DESIGN.md 4.\n"), (Lines{1}));
  EXPECT_EQ(lines("// See adr/0008.\n"), (Lines{1}));
  EXPECT_EQ(lines("// See Hash.IsGone.\n"), (Lines{1}));
}
TEST(TidyReferences, FindsASectionBehindALink) {
  std::vector<SourceFile> const files{
      make_source_file("docs/DESIGN.md", "# D\n\n## 3. Modules\n| 3.1 | row |\n| 8 | offset |\n## 4. Tick\n"),
      make_source_file("docs/adr/0007-x.md", "")};
  ReferenceIndex const index = make_reference_index(files);
  auto const lines = [&](std::string text) {
    return lines_in(check_references(make_source_file("docs/A.md", std::move(text)), index));
  };
  EXPECT_EQ(lines("See [DESIGN.md](DESIGN.md), 3 and 4, [the tick](docs/DESIGN.md#tick), section 4.\n"),
            Lines{});
  EXPECT_EQ(lines("A list ([DESIGN.md](DESIGN.md), 3.1), DESIGN.md, 1,200 bytes and UDP, 9.\n"), Lines{});
  EXPECT_EQ(lines("See [DESIGN.md](DESIGN.md), 8.\n"), (Lines{1}));
  EXPECT_EQ(lines("See [the tick](docs/DESIGN.md) 5.\n"), (Lines{1}));
  EXPECT_EQ(lines("See [DESIGN.md](DESIGN.md), 3 and 5.\n"), (Lines{1}));
  EXPECT_EQ(lines("| [DESIGN.md](DESIGN.md#tick), section 9 |\n"), (Lines{1}));
  EXPECT_EQ(lines("See DESIGN 3, 4 and 6.\n"), (Lines{1}));
  EXPECT_EQ(lines("See ADR 7 and 8.\n"), (Lines{1}));
}
TEST(TidyReferences, FindsTheBeginningOfATest) {
  ReferenceIndex const index = make_reference_index(std::vector<SourceFile>{
      make_source_file("tests/a_test.cpp", "TEST(Hash, IsStableOnEveryMachine) {}\n")});
  auto const lines = [&](std::string text) {
    return lines_in(check_references(make_source_file("core/a.h", std::move(text)), index));
  };
  EXPECT_EQ(lines("// See `Hash.IsStable...`, `Hash.Is*`, `Hash.*` and Hash.IsStableOnEveryMachine.\n"),
            Lines{});
  EXPECT_EQ(lines("// See `Hash.IsFast...`.\n"), (Lines{1}));
  EXPECT_EQ(lines("// See `Hash.IsF*`.\n"), (Lines{1}));
  EXPECT_EQ(lines("// See Hash.IsStable.\n"), (Lines{1}));
}
TEST(TidyReferences, FindsAnUnknownTestSuite) {
  ReferenceIndex const index = make_reference_index(std::vector<SourceFile>{
      make_source_file("tests/a_test.cpp", "TEST(HashTest, IsStable) {}\nTEST(Golden, IsEqual) {}\n")});
  auto const lines = [&](std::string path, std::string text) {
    return lines_in(check_references(make_source_file(std::move(path), std::move(text)), index));
  };
  EXPECT_EQ(lines("core/a.h",
                  "// See HashTest, HashTest.*, Golden.IsEqual, GoogleTest and Boost.Asio. **Golden.**\n"),
            Lines{});
  EXPECT_EQ(lines("core/a.h", "// See Gulden.IsEqual.\n"), (Lines{1}));
  EXPECT_EQ(lines("core/a.h", "// See `HushTest.*`.\n"), (Lines{1}));
  EXPECT_EQ(lines("core/a.h", "int a;  // HushTest has the numbers.\n"), (Lines{1}));
  EXPECT_EQ(lines("docs/A.md", "Text.\n\n| `HashTest` |\n| `HushTest` |\n"), (Lines{4}));
}
TEST(TidyReferences, FindsWhatATableNames) {
  ReferenceIndex const index =
      make_reference_index(std::vector<SourceFile>{make_source_file("core/hash.h", "")});
  EXPECT_EQ(
      lines_in(check_references(
          make_source_file("docs/A.md", "| file |\n|---|\n| `core/hash.h` |\n| `core/hush.h` |\n"), index)),
      (Lines{4}));
}
TEST(TidyReferences, ReadsFilesOfADocumentFromItsHomeFolder) {
  ReferenceIndex const index =
      make_reference_index(std::vector<SourceFile>{make_source_file("physics/joints/joint_row.h", "")});
  auto const lines = [&](std::string path) {
    return lines_in(
        check_references(make_source_file(std::move(path), "See `joints/joint_row.h`.\n"), index));
  };
  EXPECT_EQ(lines("docs/CONSTRAINTS.md"), Lines{});
  EXPECT_EQ(lines("docs/A.md"), (Lines{1}));
}

}  // namespace
}  // namespace takt::tidy
