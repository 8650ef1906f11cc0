// LockstepPeer is one end of `takt lockstep-test`: it steps a simulation when a line says so, prints the hash
// of each tick, and answers paths of the state's hash tree. It has no I/O: lines come in and go out as texts
// (docs/COMMANDS.md). `takt lockstep-peer` connects it with stdin and stdout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt/sim/rollback_buffer.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

inline constexpr std::uint32_t kLockstepVersion = 1;
/// Longest line of either end, without its line end.
inline constexpr std::size_t kMaxLockstepLineBytes = std::size_t{64} << 20u;

/// A request that is longer is none.
inline constexpr std::size_t kMaxLockstepRequestBytes = 1024;

/// A line for the other end.
struct PeerReply {
  std::string line;
  bool is_last = false;  ///< true after "end" and after an error
};

class LockstepPeer {
 public:
  /// `script` is in the order of its ticks; inputs before the simulation's tick are skipped. `rollback_ticks`
  /// in [1, 1024] makes each step a SyncTest; 0 = none. `simulation` and the pool of `options` must outlive
  /// the peer.
  LockstepPeer(Simulation& simulation, std::vector<Input> script, const StepOptions& options,
               std::uint32_t rollback_ticks);

  /// First line of the peer, before it receives one.
  [[nodiscard]] std::string greeting() const;
  /// Untrusted line, without its line end: "step", "probe PATH" or "end". Others are refused by name.
  [[nodiscard]] PeerReply handle_line(std::string_view line);

 private:
  [[nodiscard]] PeerReply step();
  [[nodiscard]] PeerReply probe(std::string_view path) const;

  Simulation* simulation_;
  std::vector<Input> script_;
  std::size_t next_input_ = 0;
  TickOptions options_;
  std::optional<SyncTest> sync_test_;
};

}  // namespace takt::sim
