// read_file() reads a whole file of limited size into memory, or returns a FileError: one line for a person.
// The function reads scenes, the files that scenes name (meshes), and input scripts, which are the timed
// inputs of `takt run`. Recordings are read in pieces instead (cli/recording_file.h). file_error() makes such
// a line from errno; the files that `takt` writes use it too.
#pragma once

#include <cstdint>
#include <string>

#include "takt/core/result.h"
#include "takt/server/error.h"

namespace takt::server {

/// The bytes of a file. Errors: it cannot be opened or read, is a directory, or has more than `max` bytes.
/// `display_name` stands for the path in messages.
[[nodiscard]] Result<std::string, FileError> read_file(const std::string& path, std::uint64_t max,
                                                       const std::string& display_name);
[[nodiscard]] inline Result<std::string, FileError> read_file(const std::string& path, std::uint64_t max) {
  return read_file(path, max, path);
}

/// "<file>: <what>: <the system's reason>" for the present errno; without the reason when errno is 0.
[[nodiscard]] std::string file_error(const std::string& path, const std::string& what);

}  // namespace takt::server
