#include "physics/broad_phase.h"

#include <algorithm>

namespace takt {
namespace {

// Leaves are larger than their shapes by this, m, so that a slow body moves for several ticks before its leaf does. Costs time only, never a bit.
constexpr float kFatMarginM = 0.1f;

}  // namespace

void BroadPhase::reserve_shapes(std::uint32_t shape_count) {
  if (leaves_.size() >= shape_count) return;
  leaves_.resize(shape_count);
  exact_.resize(shape_count);
}

bool BroadPhase::is_placed(std::uint32_t shape, std::uint32_t generation, bool is_static) const noexcept {
  if (shape >= leaves_.size()) return false;
  Leaf const& leaf = leaves_[shape];
  return leaf.node != BoundsTree::kNone && leaf.generation == generation && leaf.is_static == is_static;
}

void BroadPhase::mark_moved(std::uint32_t shape) {
  if (leaves_[shape].moved) return;
  leaves_[shape].moved = true;
  moved_.push_back(shape);
}

void BroadPhase::place(std::uint32_t shape, std::uint32_t generation, std::uint32_t body, bool is_static, const ShapeFilter& filter,
                       const Bounds& exact) {
  if (!has_origin_) {
    origin_ = exact.lower;
    has_origin_ = true;
  }
  exact_[shape] = exact;
  Leaf& leaf = leaves_[shape];
  bool const same = is_placed(shape, generation, is_static) && leaf.body == body && leaf.filter == filter;
  if (same && contains(fat(leaf), fattened(exact, origin_, 0.0f))) return;
  FatBounds const bounds = fattened(exact, origin_, kFatMarginM);
  if (same && overlap(fat(leaf), bounds)) {  // near where it was: it may hang where it does
    (is_static ? static_tree_ : tree_).move(leaf.node, bounds);
    mark_moved(shape);
    return;
  }
  if (leaf.node != BoundsTree::kNone) {
    (leaf.is_static ? static_tree_ : tree_).remove(leaf.node);
    if (!same) removed_any_ = true;
  }
  leaf.generation = generation;
  leaf.body = body;
  leaf.filter = filter;
  leaf.is_static = is_static;
  leaf.node = (is_static ? static_tree_ : tree_).insert(bounds, shape);
  mark_moved(shape);
}

void BroadPhase::remove(std::uint32_t shape) {
  if (shape >= leaves_.size() || leaves_[shape].node == BoundsTree::kNone) return;
  Leaf& leaf = leaves_[shape];
  (leaf.is_static ? static_tree_ : tree_).remove(leaf.node);
  bool const moved = leaf.moved;
  leaf = Leaf{};
  leaf.moved = moved;
  removed_any_ = true;
}

void BroadPhase::update_pairs(PairSearch& search) {
  if (moved_.empty() && !removed_any_) return;
  tree_.tighten(search.stack);
  static_tree_.tighten(search.stack);
  // Old pairs of what has not moved stay while both leaves stand. Pairs of two static shapes or of one body were never found.
  auto const gone = [this](std::uint64_t key) {
    Leaf const& a = leaves_[pair_first(key)];
    Leaf const& b = leaves_[pair_second(key)];
    return a.moved || b.moved || a.node == BoundsTree::kNone || b.node == BoundsTree::kNone || a.body == b.body || (a.is_static && b.is_static);
  };
  pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(), gone), pairs_.end());

  std::sort(moved_.begin(), moved_.end());
  search.ordered.clear();
  search.found.clear();
  for (std::uint32_t const shape : moved_) find_pairs_of(shape, search);
  for (std::uint32_t const shape : moved_) leaves_[shape].moved = false;
  moved_.clear();
  removed_any_ = false;
  if (search.ordered.empty() && search.found.empty()) return;
  std::sort(search.found.begin(), search.found.end());
  search.merged.clear();
  std::set_union(search.ordered.begin(), search.ordered.end(), search.found.begin(), search.found.end(), std::back_inserter(search.merged));
  search.ordered.clear();
  std::set_union(pairs_.begin(), pairs_.end(), search.merged.begin(), search.merged.end(), std::back_inserter(search.ordered));
  pairs_.assign(search.ordered.begin(), search.ordered.end());  // the scratch may have served more pairs than these
}

void BroadPhase::find_pairs_of(std::uint32_t shape, PairSearch& search) {
  Leaf const leaf = leaves_[shape];
  if (leaf.node == BoundsTree::kNone) return;
  std::size_t const first = search.ordered.size();
  auto const add = [&](std::uint32_t other) {
    Leaf const& found = leaves_[other];
    if (found.body == leaf.body || (found.moved && found.is_static == leaf.is_static && other < shape)) return;  // the other side reports it
    if (!meet(found.filter, leaf.filter)) return;
    (shape < other ? search.ordered : search.found).push_back(pair_key(shape, other));
  };
  FatBounds const bounds = fat(leaf);
  tree_.query(bounds, search.stack, add);
  if (!leaf.is_static) static_tree_.query(bounds, search.stack, add);
  std::sort(search.ordered.begin() + static_cast<std::ptrdiff_t>(first), search.ordered.end());
}

void BroadPhase::clear() { *this = BroadPhase{}; }

}  // namespace takt
