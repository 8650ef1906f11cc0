// The rules of DESIGN.md 3 and STYLE.md that a program can check: who may include whom, who owns which
// library, which words are banned below net, how long a file may be and how it may be called. Each rule is a
// function from files to findings and has a test that breaks it.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source_file.h"

namespace takt::tidy {

struct Finding {
  std::string path;
  int line = 0;  ///< counts from 1; 0 = the file as a whole
  std::string message;

  friend bool operator==(const Finding&, const Finding&) = default;
};
std::ostream& operator<<(std::ostream& out, const Finding& finding);

/// The module that a path of the tree, or a path in an #include, belongs to: "physics" for
/// physics/step/islands.cpp and takt/physics/world.h. Empty for what belongs to none, such as a standard
/// header.
[[nodiscard]] std::string_view module_of(std::string_view path);

/// Includes that go against the arrows of DESIGN.md 3, reach into another module's private headers, or are
/// not written from the root.
[[nodiscard]] std::vector<Finding> check_layering(const SourceFile& file);
/// Third-party headers outside the modules that own the library.
[[nodiscard]] std::vector<Finding> check_library_owners(const SourceFile& file);
/// Clocks, threads, files, unordered containers, libm and approximations below net.
[[nodiscard]] std::vector<Finding> check_determinism(const SourceFile& file);
/// Length, name, opening comment and include guard of a file.
[[nodiscard]] std::vector<Finding> check_shape(const SourceFile& file);
/// Marks of unfinished work, tests that do not test, and paths of somebody's machine.
[[nodiscard]] std::vector<Finding> check_left_behind(const SourceFile& file);
/// Public headers: only of the modules that offer them, and few of each.
[[nodiscard]] std::vector<Finding> check_public_headers(std::span<const SourceFile> files);

}  // namespace takt::tidy
