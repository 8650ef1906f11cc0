#include "server/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "server/file_bytes.h"
#include "takt/crypto/secret.h"

namespace takt::server {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

// A file that is opened for a server must not wait for a writer.
int open_file(const std::string& path, KeySource source) {
  int const wait = source == KeySource::kRegularFile ? O_NONBLOCK : 0;
  return ::open(path == "-" ? "/dev/stdin" : path.c_str(), O_RDONLY | O_CLOEXEC | wait);
}

bool is_private(const struct stat& status, GroupRights group) {
  bool const group_may_read = group == GroupRights::kReadIfRootOwns && status.st_uid == 0;
  mode_t const refused = S_IRWXO | (group_may_read ? S_IWGRP | S_IXGRP : S_IRWXG);
  return (status.st_mode & refused) == 0;
}

// stdio would leave the bytes in its buffer, and a text that grows in freed memory.
Result<std::string, FileError> read_text(const Descriptor& file, std::size_t bytes_max,
                                         const std::string& path) {
  std::string text(bytes_max + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    ssize_t const count = ::read(file.number(), text.data() + size, text.size() - size);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError{file_error(path, "cannot be read")};
    size += static_cast<std::size_t>(count);
  }
  if (size > bytes_max)
    return FileError{path + ": too large: at most " + std::to_string(bytes_max) + " bytes are allowed"};
  text.resize(size);
  return text;
}

}  // namespace

// The checks are about the open file: the path may lead to another one by now.
Result<std::string, FileError> read_secret_file(const std::string& path, std::size_t bytes_max,
                                                GroupRights group, const std::string& name,
                                                KeySource source) {
  Descriptor const file(open_file(path, source));
  if (file.number() < 0) return FileError{file_error(path, "cannot be opened")};
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return FileError{file_error(path, "cannot be read")};
  bool const is_regular = S_ISREG(status.st_mode);
  if (!is_regular && source == KeySource::kRegularFile)
    return FileError{path + ": is not a regular file: write " + name + " to one, which can be read again"};
  if (is_regular && !is_private(status, group))
    return FileError{path + ": others may read or change " + name + ": chmod 600 " +
                     (path == "-" ? "the file behind the standard input" : path)};
  return read_text(file, bytes_max, path);
}

Result<std::string, FileError> read_regular_file(const std::string& path, std::size_t bytes_max) {
  Descriptor const file(open_file(path, KeySource::kRegularFile));
  if (file.number() < 0) return FileError{file_error(path, "cannot be opened")};
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return FileError{file_error(path, "cannot be read")};
  if (!S_ISREG(status.st_mode))
    return FileError{path + ": is not a regular file: write it to one, which can be read again"};
  return read_text(file, bytes_max, path);
}

void wipe(std::string& text) noexcept { crypto::wipe(std::as_writable_bytes(std::span(text))); }

}  // namespace takt::server
