// The broad phase: which pairs of shapes may be close. Derived state: two trees (static shapes, others) of
// fat bounds and the sorted list of pairs whose fat bounds overlap. It may be dropped at any time; the pairs
// it reports are then filtered by exact bounds, so its history never shows in a result.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/broad_phase/dynamic_tree.h"
#include "physics/state/pair_key.h"
#include "takt/physics/body.h"

namespace takt {

/// Pairs of some of the shapes that have moved. Two workers' lists share no cache line.
struct alignas(64) PairsFound {
  std::vector<std::uint64_t> ordered;  ///< those whose lower shape has moved, in order
  std::vector<std::uint64_t> others;   ///< as they are found
};

/// Scratch of BroadPhase::update_pairs. Many broad phases may share one.
struct PairSearch {
  FilteredItems<std::uint64_t> persistent;           ///< old pairs that stay
  std::vector<PairsFound> parts;                     ///< of runs of what has moved
  PairsFound found;                                  ///< of all of it
  std::vector<std::uint64_t> merged;                 ///< all of these
  std::vector<std::uint64_t> all;                    ///< and what stays
  std::vector<std::vector<std::int32_t>> stacks{1};  ///< by worker
};

/// Whether no shape, mover, rope or query can meet one with this filter: it needs no leaf.
[[nodiscard]] constexpr bool meets_nothing(const ShapeFilter& filter) noexcept {
  return (filter.mask == 0 || filter.category == 0) && filter.group <= 0;
}

class BroadPhase {
 public:
  /// Grows the tables to `shape_count` places.
  void reserve_shapes(std::uint32_t shape_count);
  /// Says where the shape at `shape` (of `generation`, owned by `body`) is and what it meets. Makes, moves or
  /// keeps its leaf, which reaches on by `ahead_m`, the way that it is about to go.
  void update_proxy(std::uint32_t shape, std::uint32_t generation, std::uint32_t body, bool is_static,
                    const ShapeFilter& filter, const Bounds& exact, Vec3<double> ahead_m = {});
  /// The same of a shape whose leaf may stay as it is: then true, else place() has to be called. Several
  /// threads may ask at once, each about a shape of its own.
  [[nodiscard]] bool keeps(std::uint32_t shape, std::uint32_t generation, std::uint32_t body, bool is_static,
                           const ShapeFilter& filter, const Bounds& exact) noexcept;
  /// Removes the leaf of a place if it has one.
  void remove(std::uint32_t shape);
  [[nodiscard]] bool has_leaf(std::uint32_t shape) const noexcept {
    return shape < proxies_.size() && proxies_[shape].node != BoundsTree::kNone;
  }
  /// True when the place has a leaf for that generation and kind of tree.
  [[nodiscard]] bool is_placed(std::uint32_t shape, std::uint32_t generation, bool is_static) const noexcept;

  /// The fat bounds of a proxy contain its exact bounds. For TAKT_VALIDATE.
  [[nodiscard]] bool is_contained(std::uint32_t shape) const noexcept {
    return contains(fat(shape), fattened(exact_[shape], origin_, 0.0f));
  }

  /// Brings the pair list up to date with what was placed and removed since the last call.
  void update_pairs(PairSearch& search, TaskPool* pool);
  /// Sorted by key, unique. Contains every pair of shapes of different bodies, at least one not static, whose
  /// filters let them meet and whose exact bounds overlap, and none whose filters do not.
  [[nodiscard]] const std::vector<std::uint64_t>& pairs() const noexcept { return pairs_; }

  /// Where FatBounds are measured from.
  [[nodiscard]] const Position& origin() const noexcept { return origin_; }
  /// Calls visit(shape) for every leaf that enter(fat bounds) lets in, in no order that means anything.
  /// `stack` is the caller's scratch.
  template <class Enter, class Visit>
  void walk(std::vector<std::int32_t>& stack, Enter enter, Visit visit) const {
    walk_static(stack, enter, visit);
    tree_.walk(stack, enter, visit);
  }
  /// The same for what was placed as static.
  template <class Enter, class Visit>
  void walk_static(std::vector<std::int32_t>& stack, Enter enter, Visit visit) const {
    static_tree_.walk(stack, enter, visit);
  }

  /// Of a place that has a leaf.
  [[nodiscard]] const FatBounds& fat(std::uint32_t shape) const noexcept { return fat(proxies_[shape]); }
  [[nodiscard]] const Bounds& exact(std::uint32_t shape) const noexcept { return exact_[shape]; }
  [[nodiscard]] std::uint32_t capacity_count() const noexcept {
    return static_cast<std::uint32_t>(proxies_.size());
  }
  void clear();

 private:
  struct Proxy {
    std::int32_t node = BoundsTree::kNone;
    std::uint32_t generation = 0;
    std::uint32_t body = 0;
    ShapeFilter filter;
    bool is_static = false;
    bool moved = false;
  };
  void mark_moved(std::uint32_t shape);
  void find_pairs(PairSearch& search, TaskPool* pool) const;
  void find_pairs_of(std::uint32_t shape, PairsFound& found, std::vector<std::int32_t>& stack) const;
  [[nodiscard]] bool is_of(std::uint32_t shape, std::uint32_t generation, std::uint32_t body, bool is_static,
                           const ShapeFilter& filter) const noexcept;
  [[nodiscard]] const FatBounds& fat(const Proxy& proxy) const noexcept {
    return (proxy.is_static ? static_tree_ : tree_).bounds(proxy.node);
  }

  BoundsTree tree_;
  BoundsTree static_tree_;
  Position origin_;
  bool has_origin_ = false;
  bool removed_any_ = false;
  std::vector<Proxy> proxies_;  ///< by shape index
  std::vector<Bounds> exact_;   ///< by shape index
  std::vector<std::uint32_t> moved_;
  std::vector<std::uint64_t> pairs_;
};

}  // namespace takt
