// add_path() declares an option or a positional that names a file, a folder or a program. Parsing refuses an
// empty text, which shells make of an unset variable, and a text that begins with "--". Completion scripts
// and manual pages (cli/usage.h) distinguish files and folders by the type names that add_path() sets.
// FileClaims (cli/file_claims.h) decides which of the files a command may write.
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace takt::cli {

/// The thing that a path names. Help texts show kFileTypeName or kFolderTypeName.
enum class PathKind {
  kFile,    ///< also a program, or - for a standard stream
  kFolder,  ///< a folder of files that the command reads
};
inline constexpr const char* kFileTypeName = "FILE";
inline constexpr const char* kFolderTypeName = "FOLDER";

/// Parsing stores the text in `path`, which must outlive the parsing. Returns the option for further
/// settings.
CLI::Option* add_path(CLI::App& app, const std::string& name, std::string& path, PathKind kind,
                      const std::string& description);

}  // namespace takt::cli
