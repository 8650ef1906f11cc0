#include "server/identity_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "crypto/base64url.h"
#include "server/file_bytes.h"
#include "server/secret_file.h"

namespace takt::server {
namespace {

constexpr std::size_t kBytesMax = 256;

// False with errno: a file with this name exists (EEXIST), or it cannot be made.
bool make_file(const std::string& path, const crypto::SecretKey& seed) {
  int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  std::string line;
  line.reserve(kBytesMax);  // a text that grows would leave the seed in freed memory
  crypto::append_base64url(seed.reveal(), line);
  line += '\n';
  bool const is_written =
      ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && ::fsync(file) == 0;
  int const reason = errno;
  wipe(line);
  ::close(file);
  if (!is_written) ::unlink(path.c_str());
  errno = reason;
  return is_written;
}

}  // namespace

Result<crypto::SecretKey, FileError> load_identity(const std::string& path,
                                                   const crypto::SecretKey& fresh_seed) {
  if (make_file(path, fresh_seed)) return fresh_seed.clone();
  if (errno != EEXIST) return FileError{file_error(path, "cannot be made")};
  auto text = read_secret_file(path, kBytesMax, GroupRights::kNone, "this key");
  if (!text) return text.error();
  std::string_view line = *text;
  line = line.substr(0, line.find_last_not_of(" \t\r\n") + 1);
  std::array<std::byte, crypto::SecretKey::kBytes> bytes{};
  bool const is_seed = crypto::decode_base64url(line, bytes) == bytes.size();
  wipe(*text);
  if (!is_seed)
    return FileError{path +
                     ": is no identity of a server: name another file, which is made if it is missing"};
  crypto::SecretKey seed(bytes);
  crypto::wipe(bytes);
  return seed;
}

}  // namespace takt::server
