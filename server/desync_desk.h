// DesyncDesk compares the server's state with those of clients that simulate and have another hash at a
// confirmed tick. A client sends its answers to paths of the hash tree (sim/comparison/), and the shadow
// world computes the server's. Both ends run one StateComparison over equal answers, and so find equal
// fields, in at most four round trips. Answers of a client are untrusted text. WorldPublisher owns the desk,
// passes its probes to the ShadowWorld, and sends the client a fresh image afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/messages/message.h"
#include "server/room_update.h"
#include "server/shadow_world.h"
#include "sim/comparison/state_comparison.h"
#include "takt/sim/command.h"

namespace takt::server {

class DesyncDesk {
 public:
  /// So many desyncs of one player within kWindowS of world time: its machine computes otherwise for good.
  static constexpr std::size_t kDesyncsMax = 3;
  static constexpr std::uint32_t kWindowS = 600;
  /// Fields of a finding.
  static constexpr std::size_t kFieldsMax = 4;

  /// A probe for the shadow world, which has at most one of a player at a time; further ones are ignored.
  /// None for a probe out of turn, which is answered as forgotten: take_findings() then has the end of that
  /// comparison, if one had begun.
  /// `now_tick`: of the live world.
  [[nodiscard]] std::optional<ShadowWorld::StateProbe> handle_probe(sim::PlayerId player,
                                                                    const protocol::DesyncProbe& probe,
                                                                    std::uint64_t now_tick);
  void handle_result(ShadowWorld::ProbeResult&& result);
  void forget(sim::PlayerId player);
  /// The player's client has begun anew with another world: its comparison ends without a finding. The
  /// desyncs before count on.
  void abandon(sim::PlayerId player);
  /// Another world: comparisons end without a finding.
  void enter_world();

  [[nodiscard]] std::vector<DesyncReply> take_replies() { return std::exchange(replies_, {}); }
  [[nodiscard]] std::vector<DesyncFinding> take_findings() { return std::exchange(findings_, {}); }
  /// Desyncs of a player that began at `tick` or later.
  [[nodiscard]] std::size_t count_since(sim::PlayerId player, std::uint64_t tick) const;

 private:
  struct Comparison {
    std::uint64_t tick = 0;
    sim::StateComparison states{kFieldsMax};
    std::string client_answer;
    bool is_asked = false;  // the shadow world has a probe of it
  };
  void conclude(sim::PlayerId player, std::string text, bool is_state_kept);
  std::nullopt_t refuse(sim::PlayerId player, const protocol::DesyncProbe& probe);

  std::map<sim::PlayerId, Comparison> comparisons_;
  std::map<sim::PlayerId, std::deque<std::uint64_t>> began_;  // the last kDesyncsMax ticks
  std::vector<DesyncReply> replies_;
  std::vector<DesyncFinding> findings_;
};

}  // namespace takt::server
