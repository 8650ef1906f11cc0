// SimState is the state of a Simulation besides its world and its Game: policy, players, ownership of bodies,
// lasting forces and shuttles. A shuttle is a kinematic body that goes to and fro. Equal inputs are decided
// equally because all of SimState is saved and hashed. visit_state() calls a visitor for every field; saving,
// restoring, hashing and diffing are such visitors. When a body is destroyed in a tick, TickScope
// (tick_scope.h) calls forget_body(), so that SimState has no dead bodies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/state/policy_fields.h"
#include "takt/physics/body.h"
#include "takt/sim/command.h"
#include "takt/sim/policy.h"

namespace takt::sim {

struct Player {
  PlayerId id = 0;  ///< 1 or more: the server is no Player
  bool admin = false;
  std::string name;
  std::uint32_t last_sequence = 0;  ///< of its inputs so far, refused ones included
  std::uint64_t allowance = 0;      ///< commands that it may still send, times the tick rate in Hz
  GrabId grab;                      ///< null = none
};

/// A body that a player owns.
struct OwnedBody {
  BodyId body;
  PlayerId owner = 0;  ///< not kServerPlayer
};

/// A ForceCommand that still acts.
struct LastingForce {
  PlayerId player = 0;
  BodyId body;
  Vec3<float> force_n;           ///< world axes, at the centre of mass
  Vec3<float> torque_n_m;        ///< world axes
  std::uint32_t ticks_left = 0;  ///< [1, kMaxForceTicks]
};

/// A SceneMotion in ticks.
struct Shuttle {
  BodyId body;
  Position from;
  Position to;
  std::uint64_t period_ticks = 1;  ///< to and back, at least 1
  std::uint64_t phase_ticks = 0;   ///< part of the period before tick 0, at most period_ticks
};

class SimState {
 public:
  std::uint64_t scene_hash = 0;
  CommandPolicy policy;
  std::uint32_t server_sequence = 0;  ///< of the server's last input
  std::vector<Player> players;        ///< ascending ids
  std::vector<OwnedBody> owned;       ///< ascending bodies
  std::vector<LastingForce> forces;   ///< in order of arrival
  std::vector<Shuttle> shuttles;      ///< in order of the scene

  /// Null for an id that is not joined. The pointer is valid until a player joins or leaves.
  [[nodiscard]] Player* find_player(PlayerId id) noexcept;
  [[nodiscard]] const Player* find_player(PlayerId id) const noexcept;
  /// kServerPlayer for a body that no player owns.
  [[nodiscard]] PlayerId owner_of(BodyId body) const noexcept;
  [[nodiscard]] std::uint32_t owned_count(PlayerId player) const noexcept;
  [[nodiscard]] std::uint32_t force_count(PlayerId player) const noexcept;
  void set_owner(BodyId body, PlayerId owner);  ///< kServerPlayer = no player owns it
  /// Removes ownership, forces and shuttle of a body that is gone.
  void forget_body(BodyId body);
};

/// Calls visitor.field(name, value) for every number, vector or id, and visitor.text(name, value) for every
/// string. For every list it calls visitor.list(name, vector, element_fields). All calls come in the order of
/// the format. visitor.later(policy, fields) and visitor.newer(policy, fields) come last, for fields that the
/// format has only if they differ from their defaults. `State` is SimState, const or not.
template <class State, class Visitor>
void visit_state(State& s, Visitor& v) {
  v.field("scene_hash", s.scene_hash);
  visit_fields(s.policy, [&](std::string_view name, auto& value) { v.field(name, value); });
  v.field("server_sequence", s.server_sequence);
  v.list("player", s.players, [](auto& p, Visitor& in) {
    in.field("id", p.id);
    in.field("admin", p.admin);
    in.text("name", p.name);
    in.field("last_sequence", p.last_sequence);
    in.field("allowance", p.allowance);
    in.field("grab", p.grab);
  });
  v.list("owned", s.owned, [](auto& o, Visitor& in) {
    in.field("body", o.body);
    in.field("owner", o.owner);
  });
  v.list("force", s.forces, [](auto& f, Visitor& in) {
    in.field("player", f.player);
    in.field("body", f.body);
    in.field("force_n", f.force_n);
    in.field("torque_n_m", f.torque_n_m);
    in.field("ticks_left", f.ticks_left);
  });
  v.list("shuttle", s.shuttles, [](auto& m, Visitor& in) {
    in.field("body", m.body);
    in.field("from", m.from);
    in.field("to", m.to);
    in.field("period_ticks", m.period_ticks);
    in.field("phase_ticks", m.phase_ticks);
  });
  v.later(s.policy, [](auto& policy, Visitor& in) {
    visit_later_fields(policy, [&](std::string_view name, auto& value) { in.field(name, value); });
  });
  v.newer(s.policy, [](auto& policy, Visitor& in) {
    visit_newer_fields(policy, [&](std::string_view name, auto& value) { in.field(name, value); });
  });
}

}  // namespace takt::sim
