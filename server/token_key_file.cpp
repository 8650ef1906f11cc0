#include "server/token_key_file.h"

#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <utility>

#include "server/file_bytes.h"

namespace takt::server {
namespace {

constexpr std::uint64_t kMaxKeyFileBytes = 64 * 1024;

std::string readable(const std::string& path) { return path == "-" ? "/dev/stdin" : path; }

Result<Unit, FileError> check_readers(const std::string& path) {
  struct stat status {};
  bool const is_loose = ::stat(readable(path).c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
                        (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
  if (!is_loose) return Unit{};
  return FileError{path + ": others may read or change these keys: chmod 600 " +
                   (path == "-" ? "the file behind the standard input" : path)};
}

}  // namespace

Result<crypto::TokenKeys, FileError> load_token_keys(const std::string& path) {
  if (auto const checked = check_readers(path); !checked) return checked.error();
  Result<std::string, FileError> text = read_file(readable(path), kMaxKeyFileBytes, path);
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
