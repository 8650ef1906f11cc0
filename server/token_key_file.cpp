#include "server/token_key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

#include "server/file_bytes.h"

namespace takt::server {
namespace {

constexpr std::size_t kMaxKeyFileBytes = 64 * 1024;

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

Result<Unit, FileError> check_kind(const Descriptor& file, const std::string& path, KeySource source) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return FileError{file_error(path, "cannot be read")};
  bool const is_regular = S_ISREG(status.st_mode);
  if (!is_regular && source == KeySource::kRegularFile)
    return FileError{path + ": is not a regular file: write the keys to one, which can be read again"};
  if (!is_regular || (status.st_mode & (S_IRWXG | S_IRWXO)) == 0) return Unit{};
  return FileError{path + ": others may read or change these keys: chmod 600 " +
                   (path == "-" ? "the file behind the standard input" : path)};
}

// stdio would leave the keys in its buffer, and a text that grows in freed memory.
Result<std::string, FileError> read_text(const Descriptor& file, const std::string& path) {
  std::string text(kMaxKeyFileBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    ssize_t const count = ::read(file.number(), text.data() + size, text.size() - size);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError{file_error(path, "cannot be read")};
    size += static_cast<std::size_t>(count);
  }
  if (size > kMaxKeyFileBytes)
    return FileError{path + ": too large: at most " + std::to_string(kMaxKeyFileBytes) +
                     " bytes are allowed"};
  text.resize(size);
  return text;
}

}  // namespace

// The checks are about the open file: the path may lead to another one by now.
Result<crypto::TokenKeys, FileError> load_token_keys(const std::string& path, KeySource source) {
  int const wait = source == KeySource::kRegularFile ? O_NONBLOCK : 0;
  Descriptor const file(::open(path == "-" ? "/dev/stdin" : path.c_str(), O_RDONLY | O_CLOEXEC | wait));
  if (file.number() < 0) return FileError{file_error(path, "cannot be opened")};
  if (auto const checked = check_kind(file, path, source); !checked) return checked.error();
  Result<std::string, FileError> text = read_text(file, path);
  if (!text) return text.error();
  auto keys = crypto::read_token_keys(*text);
  crypto::wipe(std::as_writable_bytes(std::span(*text)));
  if (!keys) {
    using crypto::Error;
    Error const error = keys.error().error;
    std::string what(message(error));
    if (error == Error::kMalformed) what = "not a line of 'token keygen': an id, a space, 43 characters";
    if (error == Error::kOutOfRange) what = "the id of a key is 1 to 4294967295";
    if (error == Error::kTableFull) what = "the fifth key; at most four are allowed";
    return FileError{path + ':' + std::to_string(keys.error().line) + ": " + what};
  }
  return *std::move(keys);
}

}  // namespace takt::server
