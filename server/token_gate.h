// TokenGate opens the connect tokens of a server with the keys of its key file, and has the ledger of tokens
// that living sessions hold. ServerSessions calls it on the network thread through protocol::TokenOpener.
// replace_keys() comes from another thread: tokens open with the new keys from then on, and sessions go on.
// TokenGate reads the time of day for expiries; load_token_keys() reads the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "protocol/session/token_opener.h"
#include "takt/core/result.h"
#include "takt/crypto/token_keys.h"
#include "takt/crypto/token_ledger.h"
#include "takt/server/token_options.h"

namespace takt::server {

class TokenGate final : public protocol::TokenOpener {
 public:
  /// `options.keys_path` is not read. `sessions_max`: greatest number of sessions at once, at least 1.
  /// `unix_now_s` returns Unix time in seconds.
  TokenGate(const TokenOptions& options, crypto::TokenKeys keys, std::size_t sessions_max,
            std::function<std::uint64_t()> unix_now_s);

  /// Any thread.
  void replace_keys(crypto::TokenKeys keys);

  [[nodiscard]] Result<protocol::TokenGrant, protocol::RefuseReason> open(
      std::span<const std::byte> sealed, crypto::SessionKeyBytes& keys) override;
  [[nodiscard]] bool claim(const crypto::TokenTag& tag, std::uint64_t holder) override;
  void release(const crypto::TokenTag& tag, std::uint64_t holder) override;

 private:
  std::vector<std::string> public_addresses_;
  std::uint64_t room_id_;
  std::function<std::uint64_t()> unix_now_s_;
  crypto::TokenLedger ledger_;
  std::mutex keys_mutex_;
  crypto::TokenKeys keys_;
};

}  // namespace takt::server
