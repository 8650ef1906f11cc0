// add_path() declares an option or a positional that names a file, a folder or a program. It refuses an empty
// text, which shells make of an unset variable, and the name of another option. Completion scripts and manual
// pages (cli/usage.h) tell files from folders by the type names that add_path() sets. FileClaims
// (cli/file_claims.h) decides which of the files a command may write.
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace takt::cli {

/// The thing that a path names. The type name in help texts is kFile's or kFolder's.
enum class PathKind {
  kFile,    ///< also a program, or - for a standard stream
  kFolder,  ///< of files that the command reads
};
inline constexpr const char* kFileTypeName = "FILE";
inline constexpr const char* kFolderTypeName = "FOLDER";

CLI::Option* add_path(CLI::App& app, const std::string& name, std::string& path, PathKind kind,
                      const std::string& description);

}  // namespace takt::cli
