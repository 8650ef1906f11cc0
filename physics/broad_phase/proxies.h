// Proxies keeps the broad phase of one world in line with its bodies. Each shape of an enabled body that can
// meet another has a proxy, a tree leaf with fat bounds (an enlarged box). Half-spaces have none and are
// listed instead. StepPipeline calls begin_step() once a tick; a query between ticks calls begin_query().
// walk() visits the proxies near a box, for movers and ropes; walk_nearest() visits them for queries. Proxies
// are not part of the hashed state: they may be dropped between any two calls, and their history never shows
// in a result. kinematic_reach() bounds the motion of a kinematic body in a tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/broad_phase/broad_phase.h"
#include "physics/state/world_state.h"

namespace takt {

/// WorldDef::max_contacts as a number of pairs.
[[nodiscard]] inline std::size_t max_pairs(const WorldDef& def) noexcept {
  return def.max_contacts == 0 ? SIZE_MAX : def.max_contacts;
}

class Proxies {
 public:
  /// Brings proxies in line with pools and poses.
  template <class Real>
  void update(const WorldState<Real>& state, TaskPool* pool);
  /// At the start of a step: updates proxies, widens those that springs need, and updates the pair list.
  template <class Real>
  void begin_step(const WorldState<Real>& state, PairSearch& search, TaskPool* pool);
  /// Before a query between steps. Cheap when no body has changed since the last call.
  template <class Real>
  void begin_query(const WorldState<Real>& state);
  /// Moves the proxies of one awake or sleeping body's shapes to the pose of `record`.
  template <class Real>
  void update_body(const WorldState<Real>& state, std::uint32_t body, const BodyRecord<Real>& record);

  /// A shape is about to leave its pool.
  void remove(std::uint32_t shape) { broad_phase_.remove(shape); }
  /// Some body has moved: the next query updates first.
  void mark_moved() noexcept { current_ = false; }
  /// Pools or static bodies may have changed: the next update checks every proxy.
  void mark_stale() noexcept { stale_ = true; }
  void drop() {
    broad_phase_.clear();
    stale_ = true;
  }

  [[nodiscard]] const BroadPhase& broad_phase() const noexcept { return broad_phase_; }
  /// Shape indices, ascending. Half-spaces have no proxy.
  [[nodiscard]] std::span<const std::uint32_t> half_spaces() const noexcept { return half_spaces_; }
  /// Indices of shapes with a proxy that kinematic bodies carry, ascending.
  [[nodiscard]] std::span<const std::uint32_t> kinematic_shapes() const noexcept { return kinematic_shapes_; }
  /// Some shape has a soft material.
  [[nodiscard]] bool any_soft() const noexcept { return any_soft_; }

  /// Calls visit(shape) for every half-space, then for proxies, nearest first (DynamicTree::walk_nearest).
  /// One call at a time.
  template <class KeyOf, class IsWanted, class Visit>
  void walk_nearest(const KeyOf& key_of, const IsWanted& is_wanted, const Visit& visit) {
    for (std::uint32_t const half_space : half_spaces_) visit(half_space);
    broad_phase_.walk_nearest(heap_, key_of, is_wanted, visit);
  }
  /// Calls visit(shape) for every proxy that enter(fat bounds) admits, in no fixed order, then for every
  /// half-space. One call at a time.
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

/// An upper bound of how far any point of a kinematic body's shapes moves in the tick, m. Needs current
/// proxies.
template <class Real>
[[nodiscard]] double kinematic_reach(const WorldState<Real>& state, const BroadPhase& broad_phase,
                                     std::uint32_t body);

}  // namespace takt
