#include "server/file_bytes.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace takt::server {

std::string file_error(const std::string& path, const std::string& what) {
  int const reason = errno;
  return path + ": " + what + (reason != 0 ? std::string(": ") + std::strerror(reason) : std::string());
}

Result<std::string, FileError> read_file(const std::string& path, std::uint64_t max,
                                         const std::string& display_name) {
  errno = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return FileError{file_error(display_name, "cannot be opened")};
  struct stat status {};
  if (::fstat(::fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode))
    return FileError{display_name + ": is a directory: expected a file"};
  std::string bytes;
  char block[65536];
  while (std::size_t const count = std::fread(block, 1, sizeof block, file.get())) {
    bytes.append(block, count);
    if (bytes.size() > max)
      return FileError{display_name + ": too large: at most " + std::to_string(max) + " bytes are allowed"};
  }
  if (std::ferror(file.get())) return FileError{file_error(display_name, "cannot be read")};
  return bytes;
}

}  // namespace takt::server
