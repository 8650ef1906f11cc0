// The tree follows the rules for sentences and references, and each rule finds a planted fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tidy/prose_rules.h"
#include "tests/tidy/tree.h"

namespace takt::tidy {
namespace {

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
