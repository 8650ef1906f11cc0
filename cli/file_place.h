// FilePlace is the file to which a path of the command line leads, after all symbolic links. find_place()
// follows dangling links too, so a file that does not exist yet has a place: its folder and its name.
// same_file() compares device, inode and the name of a new file, and so detects hard links, symbolic links
// and other spellings. No file is opened. OutputFile writes to a place, and FileClaims compares the places of
// one command.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace takt::cli {

struct FilePlace {
  enum class Kind {
    kFree,         ///< no file has this name
    kFile,         ///< a regular file; as a descriptor or as the standard output it is a kStream
    kFolder,       ///< a directory
    kStream,       ///< an open descriptor (/dev/stdout, /dev/fd/3), a device, a FIFO or a socket
    kUnreachable,  ///< the system refuses the path; `error` is the reason
  };
  Kind kind = Kind::kFree;
  /// The path after up to 40 symbolic links. Its end is a link only for a descriptor, or when more than 40
  /// follow one another, as in a ring. Its folders may be links.
  std::filesystem::path path;
  /// True for the standard output of this process: a regular file or FIFO by any name, else only as "-" or
  /// descriptor 1.
  bool is_stdout = false;
  bool is_character_device = false;  ///< such as /dev/null, which several options may name
  int error = 0;                     ///< errno of kFree and kUnreachable
  mode_t mode = 0;                   ///< permissions of an existing file, as are the next three members
  uid_t owner = 0;
  gid_t group = 0;
  off_t size_bytes = 0;
  // Identity: of the file itself, or of the folder of a file that does not exist; 0 without a folder.
  dev_t device = 0;
  ino_t inode = 0;
  std::string new_name;  ///< of kFree and kUnreachable: the name in that folder, or the whole path
};

/// Returns the place of an input. "-" is a file of that name here: the caller replaces it by /dev/stdin.
[[nodiscard]] FilePlace find_place(const std::string& path);
/// Returns the place of an output. "-" is the standard output.
[[nodiscard]] FilePlace find_output_place(const std::string& path);

/// Returns true when a write to one changes the other. Character devices return false, because several
/// options may name /dev/null; the standard output under two names returns true.
[[nodiscard]] bool same_file(const FilePlace& a, const FilePlace& b);
/// Returns true when `folder` is a directory and the place is in it, in a folder below it, or the folder
/// itself.
[[nodiscard]] bool lies_in(const FilePlace& place, const FilePlace& folder);

}  // namespace takt::cli
