// run_replica_bots() runs the clients of `takt bot --mode rollback|lockstep`: they simulate the room
// themselves, play as other bots do, and report what prediction and network did to them. They run no game: a
// room with one refuses nothing, but the bots cannot read its image and end with a reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "takt/replica/replica_client.h"

namespace takt::cli {

struct ReplicaBotOptions {
  std::string url;  ///< as ReplicaClient::connect() takes it
  client::ReplicaMode mode = client::ReplicaMode::kRollback;
  std::uint32_t count = 1;
  std::vector<std::string> tokens;  ///< texts of connect tokens, one for each bot; empty = none
  double seconds = 0;               ///< 0 = until a signal
  std::uint64_t seed = 1;
  std::uint32_t input_delay_ticks = 0;  ///< [0, 8]
  bool spectate = false;
  std::string desync_dir;  ///< for reports of desyncs; empty = none
  bool json = false;
};

/// Exit code of the program. A bot that could not join, lost the server or found a desync makes it 1.
[[nodiscard]] int run_replica_bots(const ReplicaBotOptions& options);

}  // namespace takt::cli
