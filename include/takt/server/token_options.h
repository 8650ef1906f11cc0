// TokenOptions makes a server ask its clients for connect tokens (docs/TOKENS.md). HostOptions::tokens
// (takt/server/host.h) takes a TokenOptions; `takt serve` has an option for each member.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace takt::server {

struct TokenOptions {
  /// File of `takt token keygen` with one to four keys. Only its owner may have rights to it (chmod 600).
  std::string keys_path;
  /// Names of this server, "HOST:PORT", as back ends write them into tokens. Empty: tokens that list servers
  /// are refused.
  std::vector<std::string> public_addresses;
  /// Id of the room, as back ends write it; a token of another room is refused. 0: only tokens of any room.
  std::uint64_t room_id = 0;
  /// True: clients without a token join, too, with the rights that they have on a server without tokens.
  bool allow_guests = false;
};

}  // namespace takt::server
