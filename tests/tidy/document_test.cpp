// The documents agree with the tree: links lead somewhere, and the README's client is the example that is
// compiled.
#include "tests/tidy/document.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source_file.h"

namespace takt::tidy {
namespace {

const std::filesystem::path kRoot = TAKT_SOURCE_DIR;

const SourceFile* find_file(const std::vector<SourceFile>& files, std::string_view path) {
  auto const found = std::ranges::find(files, path, &SourceFile::path);
  return found == files.end() ? nullptr : &*found;
}

TEST(TidyDocuments, LinksLeadSomewhere) {
  std::size_t documents = 0;
  for (const SourceFile& file : load_tree(kRoot)) {
    if (!file.path.ends_with(".md")) continue;
    ++documents;
    for (const std::string& link : relative_links(file.text)) {
      EXPECT_TRUE(std::filesystem::exists((kRoot / file.path).parent_path() / link))
          << file.path << " links to " << link;
    }
  }
  EXPECT_GE(documents, 5u);
}

TEST(TidyDocuments, TheReadmesClientIsTheExample) {
  std::vector<SourceFile> const files = load_tree(kRoot);
  SourceFile const* const readme = find_file(files, "README.md");
  SourceFile const* const example = find_file(files, "examples/client/main.cpp");
  ASSERT_NE(readme, nullptr);
  ASSERT_NE(example, nullptr);
  EXPECT_EQ(fenced_block(readme->text, "cpp"), example->text);
}

TEST(TidyDocument, TakesLinksThatArePaths) {
  EXPECT_EQ(relative_links("[a](docs/A.md) [b](https://b.example) [c](#here) ![d](d.png#there) [e]( "),
            (std::vector<std::string>{"docs/A.md", "d.png"}));
}
TEST(TidyDocument, TakesTheFirstBlockOfALanguage) {
  EXPECT_EQ(fenced_block("x\n```sh\nls\n```\n```cpp\nint a;\n\nint b;\n```\n```cpp\nint c;\n```\n", "cpp"),
            "int a;\n\nint b;\n");
  EXPECT_EQ(fenced_block("```cpp\nint a;", "cpp"), "");
  EXPECT_EQ(fenced_block("\n```cpp\n```\n", "cpp"), "");
}

}  // namespace
}  // namespace takt::tidy
