// load_token_keys() reads the key file that a back end and its servers share (docs/TOKENS.md). Its errors
// name the file, the line and the remedy, and never a key. `takt token` writes key files.
#pragma once

#include <string>

#include "server/secret_file.h"
#include "takt/core/result.h"
#include "takt/crypto/token_keys.h"
#include "takt/server/error.h"

namespace takt::server {

/// Reads the keys of a file, or of stdin for "-". Refuses a file that its group or others may read or change,
/// as ssh does; pipes have no permissions.
[[nodiscard]] Result<crypto::TokenKeys, FileError> load_token_keys(const std::string& path,
                                                                   KeySource source = KeySource::kAny);

}  // namespace takt::server
