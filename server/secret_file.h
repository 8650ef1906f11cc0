// read_secret_file() reads a file of keys: of tokens, or of a TLS certificate. It refuses a file that other
// users of the machine may read or change, and its errors contain no byte of the file. wipe() erases a text
// before its memory is freed. read_regular_file() reads a file without secrets by the same rules of kind and
// size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "takt/core/result.h"
#include "takt/server/error.h"

namespace takt::server {

/// The kinds of files that keys are read from.
enum class KeySource : std::uint8_t {
  kAny,          ///< pipes and terminals, too; the call waits for them
  kRegularFile,  ///< anything else is refused at once: a server that waits could not be stopped
};

/// Rights of a file's group to its keys. Others have none.
enum class GroupRights : std::uint8_t {
  kNone,
  kReadIfRootOwns,  ///< packages give a service its key by a group, as Debian's ssl-cert
};

/// Reads the whole file, at most `bytes_max` bytes, without a copy in other memory. `path` may be "-", which
/// is stdin, with KeySource::kAny. `name` stands for the content in messages: "these keys".
[[nodiscard]] Result<std::string, FileError> read_secret_file(const std::string& path, std::size_t bytes_max,
                                                              GroupRights group, const std::string& name,
                                                              KeySource source = KeySource::kRegularFile);
/// Reads a regular file of at most `bytes_max` bytes that everybody may see.
[[nodiscard]] Result<std::string, FileError> read_regular_file(const std::string& path,
                                                               std::size_t bytes_max);

/// Overwrites the text, in a way that a compiler keeps.
void wipe(std::string& text) noexcept;

}  // namespace takt::server
