// load_identity() reads the seed of a server's lasting key from a file, or makes the file: a server that
// keeps its identity keeps the address takt://HOST:PORT#KEY that its players have. The file has one line, 43
// characters of base64url, and is as secret as the key: others must have no rights to it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "takt/core/result.h"
#include "takt/crypto/secret.h"
#include "takt/server/error.h"

namespace takt::server {

/// Reads the seed, or writes `fresh_seed` to a new file with the rights 0600. Errors: the file cannot be read
/// or made, has another content, or others may read or change it.
[[nodiscard]] Result<crypto::SecretKey, FileError> load_identity(const std::string& path,
                                                                 const crypto::SecretKey& fresh_seed);

}  // namespace takt::server
