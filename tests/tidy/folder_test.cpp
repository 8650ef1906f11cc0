// Applies the order of folders and the size of knots to the whole tree, and proves both rules by planted
// faults.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/tidy/folder_rules.h"
#include "tests/tidy/tree.h"

namespace takt::tidy {
namespace {

Lines lines_found(std::string path, std::string text) {
  return lines_in(check_folders(make_source_file(std::move(path), std::move(text))));
}

// A ring of `count` units: each header includes the next, the last source includes the first header.
std::vector<SourceFile> ring(int count) {
  std::vector<SourceFile> files;
  for (int i = 0; i < count; ++i) {
    std::string const own = "physics/step/unit_" + std::to_string(i);
    std::string const next = "#include \"physics/step/unit_" + std::to_string((i + 1) % count) + ".h\"\n";
    bool const is_last = i + 1 == count;
    files.push_back(make_source_file(own + ".h", is_last ? "" : next));
    files.push_back(make_source_file(own + ".cpp", "#include \"" + own + ".h\"\n" + (is_last ? next : "")));
  }
  return files;
}

TEST(TidyTree, NoIncludeGoesToAHigherFolder) {
  for (const SourceFile& file : tree()) {
    for (const Finding& finding : check_folders(file)) ADD_FAILURE() << finding;
  }
}
TEST(TidyTree, NoKnotIsLargerThanThreeUnits) {
  for (const Finding& finding : check_knots(tree())) ADD_FAILURE() << finding;
}
TEST(TidyTree, EveryFolderOfTheTableHasFiles) {
  for (const FolderOrder& order : folder_orders()) {
    for (std::string_view const folder : order.folders) {
      std::string const prefix =
          std::string(order.module) + '/' + std::string(folder) + (folder.empty() ? "" : "/");
      bool found = false;
      for (const SourceFile& file : tree()) {
        bool const below = file.path.starts_with(prefix) && file.is_code();
        found = found || (below && file.path.find('/', prefix.size()) == std::string::npos);
      }
      EXPECT_TRUE(found) << prefix;
    }
  }
}

TEST(TidyFolders, FindsAnIncludeOfAHigherFolder) {
  EXPECT_EQ(lines_found("physics/contacts/contact_detection.h",
                        "#include \"physics/broad_phase/proxies.h\"\n#include \"physics/step/islands.h\"\n"),
            (Lines{2}));
  EXPECT_EQ(
      lines_found("physics/simd/float_lanes.h", "#include \"physics/contact_solver/contact_kernels.h\"\n"),
      (Lines{1}));
  EXPECT_EQ(lines_found("protocol/wire/datagram.h", "#include \"protocol/session/refusal.h\"\n"), (Lines{1}));
  EXPECT_EQ(lines_found("sim/scene/scene.cpp", "#include \"sim/shuttles.h\"\n"), (Lines{1}));
  EXPECT_EQ(lines_found("server/room.cpp", "#include \"server/web/gateway.h\"\n"), (Lines{1}));
}
TEST(TidyFolders, FindsAFolderOutsideTheTable) {
  EXPECT_EQ(lines_found("physics/world.cpp", ""), (Lines{0}));
  EXPECT_EQ(lines_found("physics/step/detail/islands.cpp", ""), (Lines{0}));
  EXPECT_EQ(lines_found("physics/step/step.cpp", "#include \"physics/misc/islands.h\"\n"), (Lines{1}));
}
TEST(TidyFolders, AllowsTheOwnFolderLowerFoldersAndOtherModules) {
  EXPECT_EQ(lines_found("physics/step/step.cpp",
                        "#include \"physics/step/step.h\"\n#include \"physics/math/mass.h\"\n"
                        "#include \"takt/physics/world.h\"\n#include <vector>\n"),
            Lines{});
  EXPECT_EQ(lines_found("sim/simulation.cpp", "#include \"sim/recording/state_encoding.h\"\n"), Lines{});
  EXPECT_EQ(lines_found("core/hash.cpp", "#include \"core/hash_kernels.h\"\n"), Lines{});
}

TEST(TidyKnots, FindsARingOfFourUnits) {
  EXPECT_EQ(check_knots(ring(4)).size(), 1u);
  ASSERT_EQ(find_knots(ring(4)).size(), 1u);
  EXPECT_EQ(find_knots(ring(4)).front().size(), 4u);
}
TEST(TidyKnots, CountsAPublicHeaderAndItsSourceApartFromPrivateOnes) {
  std::vector<SourceFile> const files{
      make_source_file("include/takt/physics/world.h", "#include \"takt/physics/body.h\"\n"),
      make_source_file("include/takt/physics/body.h", "#include \"takt/physics/world.h\"\n")};
  ASSERT_EQ(find_knots(files).size(), 1u);
  EXPECT_EQ(find_knots(files).front(), (std::vector<std::string>{"takt/physics/body", "takt/physics/world"}));
}
TEST(TidyKnots, AllowsRingsOfThreeAndChains) {
  EXPECT_TRUE(check_knots(ring(3)).empty());
  EXPECT_EQ(find_knots(ring(3)).size(), 1u);
  std::vector<SourceFile> chain = ring(5);
  chain.pop_back();  // the source that closes the ring
  EXPECT_TRUE(find_knots(chain).empty());
}

}  // namespace
}  // namespace takt::tidy
