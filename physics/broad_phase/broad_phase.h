// BroadPhase lists the pairs of shapes of different bodies whose fat bounds (enlarged bounding boxes) overlap
// and whose filters match, unless both shapes are static. BroadPhase holds two dynamic trees, one of static
// shapes and one of all others, and the sorted list of pairs. Shapes of quarantined bodies count as static.
// Proxies (proxies.h) moves the leaves; update_pairs() updates the list once a tick. walk() visits leaves for
// movers, ropes and continuous collision, walk_nearest() for queries. Trees and list are not part of the
// hashed state and may be dropped between steps. CandidatePairs filters the pairs by exact bounds, so the
// history of the trees never shows in a result.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/broad_phase/dynamic_tree.h"
#include "physics/state/pair_key.h"
#include "takt/physics/body.h"

namespace takt {

/// Pairs of one run of moved shapes. Each object is aligned to its own cache line, since several workers
/// write.
struct alignas(64) PairsFound {
  std::vector<std::uint64_t> ordered;  ///< pairs whose lower shape has moved, ascending
  std::vector<std::uint64_t> others;   ///< all others, in order of discovery
};

/// Scratch of BroadPhase::update_pairs. Several broad phases may share one, one call at a time.
struct PairSearch {
  FilteredItems<std::uint64_t> persistent;           ///< old pairs of unmoved shapes
  std::vector<PairsFound> parts;                     ///< by run of moved shapes
  PairsFound found;                                  ///< of all runs
  std::vector<std::uint64_t> merged;                 ///< union of both lists of `found`
  std::vector<std::uint64_t> all;                    ///< union with the persistent pairs
  std::vector<std::vector<std::int32_t>> stacks{1};  ///< by worker
};

/// True when no shape, mover, rope or query can meet a shape with this filter: it needs no proxy.
[[nodiscard]] constexpr bool meets_nothing(const ShapeFilter& filter) noexcept {
  return (filter.mask == 0 || filter.category == 0) && filter.group <= 0;
}

class BroadPhase {
 public:
  /// Grows the tables to `shape_count` shapes. The `shape` of keeps() and update_proxy() must be below it.
  void reserve_shapes(std::uint32_t shape_count);
  /// Creates, moves or keeps the proxy of a shape, so that its fat bounds contain `exact`. New fat bounds
  /// also reach in the direction of `ahead_m`, the displacement expected in the next ticks, by at most 2 m an
  /// axis. A proxy whose fat bounds contain `exact` already stays as it is. The first call sets origin().
  void update_proxy(std::uint32_t shape, std::uint32_t generation, std::uint32_t body, bool is_static,
                    const ShapeFilter& filter, const Bounds& exact, Vec3<double> ahead_m = {});
  /// Stores the exact bounds. Returns true when the shape has a proxy of this generation, body, tree and
  /// filter whose fat bounds contain `exact`. Otherwise the caller must call update_proxy(). Several threads
  /// may call it, each for a shape of its own.
  [[nodiscard]] bool keeps(std::uint32_t shape, std::uint32_t generation, std::uint32_t body, bool is_static,
                           const ShapeFilter& filter, const Bounds& exact) noexcept;
  /// Removes the proxy of a shape if it has one.
  void remove(std::uint32_t shape);
  /// True when the shape has a proxy. Any index is allowed.
  [[nodiscard]] bool has_leaf(std::uint32_t shape) const noexcept {
    return shape < proxies_.size() && proxies_[shape].node != DynamicTree::kNone;
  }
  /// True when the shape has a proxy of that generation in the tree of static shapes (`is_static`) or in the
  /// other one. Any index is allowed.
  [[nodiscard]] bool has_proxy(std::uint32_t shape, std::uint32_t generation, bool is_static) const noexcept;

  /// True when the fat bounds of a proxy contain its exact bounds, for TAKT_VALIDATE. The shape must have a
  /// proxy.
  [[nodiscard]] bool is_contained(std::uint32_t shape) const noexcept {
    return contains(fat(shape), fattened(exact_[shape], origin_, 0.0f));
  }

  /// Updates the pair list once all proxies of a tick are moved and removed. A search that finds more than
  /// `max_count` pairs ends there; pairs() is then empty until a later search finds at most `max_count`. A
  /// pair of a moved static and a moved other shape counts twice.
  void update_pairs(PairSearch& search, std::size_t max_count, TaskPool* pool);
  /// False when the last search found more than its `max_count` pairs. The value may depend on the history of
  /// the trees, so no result may.
  [[nodiscard]] bool has_all_pairs() const noexcept { return has_all_pairs_; }
  /// Pair keys (pair_key.h) as of the last update_pairs(), ascending, unique; empty unless has_all_pairs().
  /// The list contains every pair of shapes of different bodies, at least one of them not static, whose
  /// filters match and whose exact bounds overlap. It contains no pair whose filters do not match.
  [[nodiscard]] const std::vector<std::uint64_t>& pairs() const noexcept { return pairs_; }

  /// The origin of FatBounds, fixed by the first proxy until clear().
  [[nodiscard]] const Position& origin() const noexcept { return origin_; }
  /// Calls visit(shape) for every proxy that enter(fat bounds) admits, in no fixed order. enter() must also
  /// admit all bounds that contain admitted ones: it prunes the inner boxes of the trees. `stack` is the
  /// caller's scratch. enter() and visit() must not change the trees.
  template <class Enter, class Visit>
  void walk(std::vector<std::int32_t>& stack, Enter enter, Visit visit) const {
    walk_static(stack, enter, visit);
    tree_.walk(stack, enter, visit);
  }
  /// As walk(), for static proxies only.
  template <class Enter, class Visit>
  void walk_static(std::vector<std::int32_t>& stack, Enter enter, Visit visit) const {
    static_tree_.walk(stack, enter, visit);
  }

  /// Calls visit(shape) for proxies of static shapes, nearest first, then for all others, nearest first. The
  /// arguments are those of DynamicTree::walk_nearest().
  template <class KeyOf, class IsWanted, class Visit>
  void walk_nearest(NearHeap& heap, KeyOf key_of, IsWanted is_wanted, Visit visit) const {
    static_tree_.walk_nearest(heap, key_of, is_wanted, visit);
    tree_.walk_nearest(heap, key_of, is_wanted, visit);
  }

  /// Fat bounds of a shape that has a proxy.
  [[nodiscard]] const FatBounds& fat(std::uint32_t shape) const noexcept { return fat(proxies_[shape]); }
  /// Exact bounds that the last keeps() or update_proxy() of the shape stored.
  [[nodiscard]] const Bounds& exact(std::uint32_t shape) const noexcept { return exact_[shape]; }
  /// The shapes that the tables have room for.
  [[nodiscard]] std::uint32_t capacity_count() const noexcept {
    return static_cast<std::uint32_t>(proxies_.size());
  }
  /// Drops trees, tables, pairs and origin.
  void clear();

 private:
  struct Proxy {
    std::int32_t node = DynamicTree::kNone;
    std::uint32_t generation = 0;
    std::uint32_t body = 0;
    ShapeFilter filter;
    bool is_static = false;
    bool moved = false;
  };
  void mark_moved(std::uint32_t shape);
  [[nodiscard]] bool find_pairs(PairSearch& search, std::size_t max_count, TaskPool* pool) const;
  void find_pairs_of(std::uint32_t shape, PairsFound& found, std::vector<std::int32_t>& stack) const;
  [[nodiscard]] bool is_of(std::uint32_t shape, std::uint32_t generation, std::uint32_t body, bool is_static,
                           const ShapeFilter& filter) const noexcept;
  [[nodiscard]] const FatBounds& fat(const Proxy& proxy) const noexcept {
    return (proxy.is_static ? static_tree_ : tree_).bounds(proxy.node);
  }

  DynamicTree tree_;
  DynamicTree static_tree_;
  Position origin_;
  bool has_origin_ = false;
  bool removed_any_ = false;
  bool has_all_pairs_ = true;
  std::vector<Proxy> proxies_;  ///< by shape index
  std::vector<Bounds> exact_;   ///< by shape index
  std::vector<std::uint32_t> moved_;
  std::vector<std::uint64_t> pairs_;
};

}  // namespace takt
