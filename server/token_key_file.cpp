#include "server/token_key_file.h"

#include <cstddef>
#include <utility>

namespace takt::server {
namespace {

constexpr std::size_t kMaxKeyFileBytes = 64 * 1024;

}  // namespace

Result<crypto::TokenKeys, FileError> load_token_keys(const std::string& path, KeySource source) {
  Result<std::string, FileError> text =
      read_secret_file(path, kMaxKeyFileBytes, GroupRights::kNone, "these keys", source);
  if (!text) return text.error();
  auto keys = crypto::read_token_keys(*text);
  wipe(*text);
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
