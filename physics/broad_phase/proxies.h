// Proxies keeps the broad phase of one world in line with its bodies. Each shape of an enabled body has a
// proxy, a tree leaf with fat bounds (an enlarged box), unless its filter meets nothing. Half-spaces have
// none and are listed instead. StepPipeline calls begin_step() once a tick; a query between ticks calls
// begin_query(). walk() visits the proxies near a box, for movers and ropes; walk_nearest() visits them for
// queries. Proxies are not part of the hashed state, and their history never shows in a result: drop() may
// come between any two steps or queries. One thread at a time may call a Proxies; several may read its
// broad_phase(). kinematic_reach() bounds the motion of a kinematic body in a tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/broad_phase/broad_phase.h"
#include "physics/state/world_state.h"

namespace takt {

/// WorldDef::max_contacts as a number of pairs: SIZE_MAX for 0, which means no limit.
[[nodiscard]] inline std::size_t max_pairs(const WorldDef& def) noexcept {
  return def.max_contacts == 0 ? SIZE_MAX : def.max_contacts;
}

class Proxies {
 public:
  /// Brings proxies and lists in line with pools and poses. Proxies of static, quarantined and sleeping
  /// bodies are checked only after mark_stale(). A null `pool` means the calling thread.
  template <class Real>
  void update(const WorldState<Real>& state, TaskPool* pool);
  /// Calls update() and updates the pair list, at the start of a step. In a world with a soft material,
  /// proxies of fast bodies first grow over the displacement of the tick.
  template <class Real>
  void begin_step(const WorldState<Real>& state, PairSearch& search, TaskPool* pool);
  /// Calls update() before a query between steps, unless no body has changed since the last call.
  template <class Real>
  void begin_query(const WorldState<Real>& state);
  /// Moves the proxies of a body's shapes to the pose of `record`. The body is enabled, not static and not in
  /// quarantine; `record` may be a copy with another pose.
  template <class Real>
  void update_body(const WorldState<Real>& state, std::uint32_t body, const BodyRecord<Real>& record);

  /// Removes the proxy of a shape that is about to leave its pool, if it has one.
  void remove(std::uint32_t shape) { broad_phase_.remove(shape); }
  /// Call it after a body has moved: the next begin_query() then calls update().
  void mark_moved() noexcept { current_ = false; }
  /// Call it after a change of pools or of static bodies: the next update() then checks every proxy.
  void mark_stale() noexcept { stale_ = true; }
  /// Drops all proxies; the next update() builds them from the state.
  void drop() {
    broad_phase_.clear();
    stale_ = true;
  }

  [[nodiscard]] const BroadPhase& broad_phase() const noexcept { return broad_phase_; }
  /// Indices of half-spaces of enabled bodies whose filter meets something, ascending. This list and the next
  /// two results are those of the last update().
  [[nodiscard]] std::span<const std::uint32_t> half_spaces() const noexcept { return half_spaces_; }
  /// Indices of the shapes of kinematic bodies, ascending; only those with a proxy.
  [[nodiscard]] std::span<const std::uint32_t> kinematic_shapes() const noexcept { return kinematic_shapes_; }
  /// True when a shape has a soft material and is no sensor.
  [[nodiscard]] bool any_soft() const noexcept { return any_soft_; }

  /// Calls visit(shape) for every half-space, then for proxies as BroadPhase::walk_nearest() does. visit()
  /// must not call this function, and one thread may call it at a time.
  template <class KeyOf, class IsWanted, class Visit>
  void walk_nearest(const KeyOf& key_of, const IsWanted& is_wanted, const Visit& visit) {
    for (std::uint32_t const half_space : half_spaces_) visit(half_space);
    broad_phase_.walk_nearest(heap_, key_of, is_wanted, visit);
  }
  /// Calls visit(shape) for proxies as BroadPhase::walk() does, then for every half-space. visit() must not
  /// call this function, and one thread may call it at a time.
  template <class Enter, class Visit>
  void walk(const Enter& enter, const Visit& visit) {
    broad_phase_.walk(stack_, enter, visit);
    for (std::uint32_t const half_space : half_spaces_) visit(half_space);
  }

 private:
  template <class Real>
  [[nodiscard]] bool needs_update(const WorldState<Real>& state, std::uint32_t shape);
  template <class Real>
  void widen_to_displacement(const WorldState<Real>& state);
  template <class Real>
  [[nodiscard]] bool are_consistent(const WorldState<Real>& state) const;

  BroadPhase broad_phase_;
  bool stale_ = true;     ///< proxies may not match the pools: check all of them
  bool current_ = false;  ///< proxies stand where shapes do now
  bool any_soft_ = false;
  std::vector<std::uint32_t> half_spaces_;
  std::vector<std::uint32_t> kinematic_shapes_;
  FilteredItems<std::uint32_t> changed_;  ///< scratch of update()
  std::vector<std::int32_t> stack_;       ///< scratch of walk()
  NearHeap heap_;                         ///< scratch of walk_nearest()
};

/// Returns an upper bound of the distance that any point of a kinematic body's shapes moves in the tick, m.
/// The exact bounds of `broad_phase` and the body's velocity must be those of this tick.
template <class Real>
[[nodiscard]] double kinematic_reach(const WorldState<Real>& state, const BroadPhase& broad_phase,
                                     std::uint32_t body);

}  // namespace takt
