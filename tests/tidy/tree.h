// tree() is the source tree that the tests of tests/tidy read, loaded once a program. expect_clean() and
// lines_in() turn the findings of a rule into test failures and into line numbers.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tests/tidy/house_rules.h"

namespace takt::tidy {

inline const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> kTree = load_tree(TAKT_SOURCE_DIR);
  return kTree;
}

inline void expect_clean(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) ADD_FAILURE() << finding;
}

using Lines = std::vector<int>;

inline Lines lines_in(const std::vector<Finding>& findings) {
  Lines lines;
  for (const Finding& finding : findings) lines.push_back(finding.line);
  return lines;
}

}  // namespace takt::tidy
