// read_file reads a whole file into memory, or returns the message that a person needs. Scenes, the files
// that scenes name, and input scripts are read by it; recordings are read in pieces (cli/recording_file.h).
#pragma once

#include <cstdint>
#include <string>

#include "takt/core/result.h"

namespace takt::server {

struct FileError {
  std::string text;  ///< "<file>:0: <what is wrong>", ready to be printed
};

/// The bytes of a file of at most `most`. `display_name` stands for the path in messages.
[[nodiscard]] Result<std::string, FileError> read_file(const std::string& path, std::uint64_t max,
                                                       const std::string& display_name);
[[nodiscard]] inline Result<std::string, FileError> read_file(const std::string& path, std::uint64_t max) {
  return read_file(path, max, path);
}

/// "<file>:0: <what>: <the system's reason>" for the present errno.
[[nodiscard]] std::string file_error(const std::string& path, const std::string& what);

}  // namespace takt::server
