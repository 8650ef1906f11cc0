// FilePlace is the file to which a path of the command line leads, after every link. find_place() follows
// links that dangle too, so a file that does not exist yet has a place: its folder and its name. same_file()
// compares two places by device and inode, and so finds hard links, symbolic links and other spellings.
// Nothing is opened. OutputFile writes to a place, and FileClaims compares the places of one command.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace takt::cli {

struct FilePlace {
  enum class Kind {
    kFree,         ///< no file has this name
    kFile,         ///< a regular file
    kFolder,       ///< a directory
    kStream,       ///< an open descriptor (/dev/stdout, /dev/fd/3), a device, a FIFO or a socket
    kUnreachable,  ///< the system refuses the path; `error` is the reason
  };
  Kind kind = Kind::kFree;
  std::filesystem::path path;        ///< without links at its end
  bool is_stdout = false;            ///< the standard output of this process, by any name
  bool is_character_device = false;  ///< such as /dev/null, which several options may name
  int error = 0;                     ///< errno of kUnreachable
  mode_t mode = 0;                   ///< of kFile: permissions
  uid_t owner = 0;                   ///< of kFile
  gid_t group = 0;                   ///< of kFile
  off_t size_bytes = 0;              ///< of kFile
  // Identity: of the file itself, or of the folder of a file that does not exist; 0 without a folder.
  dev_t device = 0;
  ino_t inode = 0;
  std::string new_name;  ///< in that folder, of a file that does not exist
};

/// The place to which an option for input leads.
[[nodiscard]] FilePlace find_place(const std::string& path);
/// The place to which an option for output leads: "-" is the standard output.
[[nodiscard]] FilePlace find_output_place(const std::string& path);

/// True when writing to one changes the other. A character device is shared without harm, so it is no file.
[[nodiscard]] bool same_file(const FilePlace& a, const FilePlace& b);
/// True when the place lies in the folder or below it.
[[nodiscard]] bool lies_in(const FilePlace& place, const FilePlace& folder);

}  // namespace takt::cli
