#include "physics/broad_phase/broad_phase.h"
#include "takt/core/assert.h"

#include <algorithm>
#include <atomic>

namespace takt {
namespace {

// Fat bounds exceed exact bounds by this margin, m, so that a slow body moves for several ticks before its
// proxy does. It changes time only, never a bit.
constexpr float kFatMarginM = 0.03f;
constexpr float kFarthestAheadM = 2.0f;  ///< cap of the extension by ahead_m

void reach_ahead(FatBounds& bounds, Vec3<double> ahead_m) noexcept {
  float const ahead[3] = {static_cast<float>(ahead_m.x), static_cast<float>(ahead_m.y),
                          static_cast<float>(ahead_m.z)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (ahead[axis] < 0.0f) bounds.lower[axis] += std::max(ahead[axis], -kFarthestAheadM);
    if (ahead[axis] > 0.0f) bounds.upper[axis] += std::min(ahead[axis], kFarthestAheadM);
  }
}

}  // namespace

void BroadPhase::reserve_shapes(std::uint32_t shape_count) {
  if (proxies_.size() >= shape_count) return;
  proxies_.resize(shape_count);
  exact_.resize(shape_count);
}

bool BroadPhase::has_proxy(std::uint32_t shape, std::uint32_t generation, bool is_static) const noexcept {
  if (shape >= proxies_.size()) return false;
  Proxy const& proxy = proxies_[shape];
  return proxy.node != DynamicTree::kNone && proxy.generation == generation && proxy.is_static == is_static;
}

void BroadPhase::mark_moved(std::uint32_t shape) {
  if (proxies_[shape].moved) return;
  proxies_[shape].moved = true;
  moved_.push_back(shape);
}

/// True when the proxy has the given generation, body, tree and filter.
bool BroadPhase::is_of(std::uint32_t shape, std::uint32_t generation, std::uint32_t body, bool is_static,
                       const ShapeFilter& filter) const noexcept {
  return has_proxy(shape, generation, is_static) && proxies_[shape].body == body &&
         proxies_[shape].filter == filter;
}

bool BroadPhase::keeps(std::uint32_t shape, std::uint32_t generation, std::uint32_t body, bool is_static,
                       const ShapeFilter& filter, const Bounds& exact) noexcept {
  TAKT_ASSERT(shape < exact_.size());
  exact_[shape] = exact;
  return is_of(shape, generation, body, is_static, filter) &&
         contains(fat(shape), fattened(exact, origin_, 0.0f));
}

void BroadPhase::update_proxy(std::uint32_t shape, std::uint32_t generation, std::uint32_t body,
                              bool is_static, const ShapeFilter& filter, const Bounds& exact,
                              Vec3<double> ahead_m) {
  if (!has_origin_) {
    origin_ = exact.lower;
    has_origin_ = true;
  }
  if (keeps(shape, generation, body, is_static, filter, exact)) return;
  TAKT_ASSERT(shape < proxies_.size());
  Proxy& proxy = proxies_[shape];
  bool const same = is_of(shape, generation, body, is_static, filter);
  FatBounds bounds = fattened(exact, origin_, kFatMarginM);
  reach_ahead(bounds, ahead_m);
  if (same && overlap(fat(proxy), bounds)) {  // near its old bounds: it keeps its leaf in the tree
    (is_static ? static_tree_ : tree_).move(proxy.node, bounds);
    mark_moved(shape);
    return;
  }
  if (proxy.node != DynamicTree::kNone) {
    (proxy.is_static ? static_tree_ : tree_).remove(proxy.node);
    if (!same) removed_any_ = true;
  }
  proxy.generation = generation;
  proxy.body = body;
  proxy.filter = filter;
  proxy.is_static = is_static;
  proxy.node = (is_static ? static_tree_ : tree_).insert(bounds, shape);
  mark_moved(shape);
}

void BroadPhase::remove(std::uint32_t shape) {
  if (!has_leaf(shape)) return;
  Proxy& proxy = proxies_[shape];
  (proxy.is_static ? static_tree_ : tree_).remove(proxy.node);
  bool const moved = proxy.moved;
  proxy = Proxy{};
  proxy.moved = moved;
  removed_any_ = true;
}

void BroadPhase::update_pairs(PairSearch& search, std::size_t max_count, TaskPool* pool) {
  if (has_all_pairs_ && moved_.empty() && !removed_any_) return;
  if (!has_all_pairs_)
    for (std::uint32_t shape = 0; shape < capacity_count(); ++shape)
      if (has_leaf(shape)) mark_moved(shape);
  tree_.tighten(search.stacks.front());
  static_tree_.tighten(search.stacks.front());
  TAKT_VALIDATE(tree_.valid(search.stacks.front()));
  TAKT_VALIDATE(static_tree_.valid(search.stacks.front()));
  // A pair of unmoved shapes stays while both have proxies. Pairs of two static shapes or of one body are
  // never listed.
  parallel_filter(pool, pairs_.size(), search.persistent, [this](std::size_t i, std::uint64_t& key) {
    key = pairs_[i];
    Proxy const& a = proxies_[pair_first(key)];
    Proxy const& b = proxies_[pair_second(key)];
    return !a.moved && !b.moved && a.node != DynamicTree::kNone && b.node != DynamicTree::kNone &&
           a.body != b.body && !(a.is_static && b.is_static);
  });
  std::span const persistent = search.persistent.chosen();
  if (!std::is_sorted(moved_.begin(), moved_.end())) std::sort(moved_.begin(), moved_.end());
  has_all_pairs_ = persistent.size() <= max_count && find_pairs(search, max_count - persistent.size(), pool);
  for (std::uint32_t const shape : moved_) proxies_[shape].moved = false;
  moved_.clear();
  removed_any_ = false;
  if (!has_all_pairs_) return pairs_.clear();
  PairsFound const& found = search.found;
  search.merged.clear();
  std::set_union(found.ordered.begin(), found.ordered.end(), found.others.begin(), found.others.end(),
                 std::back_inserter(search.merged));
  search.all.clear();
  std::set_union(persistent.begin(), persistent.end(), search.merged.begin(), search.merged.end(),
                 std::back_inserter(search.all));
  pairs_.assign(search.all.begin(),
                search.all.end());  // a move would keep scratch that served a larger world
}

/// Finds the pairs of all moved shapes. Both lists ascend afterwards. Returns false, without lists, when
/// there are more than `max_count`.
bool BroadPhase::find_pairs(PairSearch& search, std::size_t max_count, TaskPool* pool) const {
  std::size_t const run = pool == nullptr ? moved_.size() : kProxyGrain;
  std::size_t const runs = moved_.empty() ? 0 : (moved_.size() + run - 1) / run;
  if (search.parts.size() < runs) search.parts.resize(runs);
  if (pool != nullptr && search.stacks.size() < pool->worker_count())
    search.stacks.resize(pool->worker_count());
  std::atomic<std::size_t> pair_count = 0;
  parallel_for(pool, runs, 1, [&](std::size_t first, std::size_t end, std::uint32_t worker) {
    for (std::size_t part = first; part < end; ++part) {
      PairsFound& found = search.parts[part];
      found.ordered.clear();
      found.others.clear();
      for (std::size_t i = part * run; i < std::min((part + 1) * run, moved_.size()); ++i) {
        if (pair_count.load(std::memory_order_relaxed) > max_count) return;
        std::size_t const before = found.ordered.size() + found.others.size();
        find_pairs_of(moved_[i], found, search.stacks[worker]);
        pair_count.fetch_add(found.ordered.size() + found.others.size() - before, std::memory_order_relaxed);
      }
    }
  });
  if (pair_count > max_count) return false;
  std::size_t widest = 0;  // any worker may get any run: a steady tick must not allocate
  for (const std::vector<std::int32_t>& stack : search.stacks) widest = std::max(widest, stack.capacity());
  for (std::vector<std::int32_t>& stack : search.stacks) stack.reserve(widest);
  PairsFound& all = search.found;
  all.ordered.clear();
  all.others.clear();
  for (std::size_t part = 0; part < runs; ++part) {
    PairsFound const& found = search.parts[part];
    all.ordered.insert(all.ordered.end(), found.ordered.begin(), found.ordered.end());
    all.others.insert(all.others.end(), found.others.begin(), found.others.end());
  }
  std::sort(all.others.begin(), all.others.end());
  return true;
}

void BroadPhase::find_pairs_of(std::uint32_t shape, PairsFound& all, std::vector<std::int32_t>& stack) const {
  Proxy const& proxy = proxies_[shape];
  TAKT_ASSERT(proxy.moved);
  if (proxy.node == DynamicTree::kNone) return;
  std::size_t const first = all.ordered.size();
  auto const add = [&](std::uint32_t other) {
    Proxy const& found = proxies_[other];
    if (found.body == proxy.body || (found.moved && found.is_static == proxy.is_static && other < shape))
      return;  // the other side reports it
    if (!meet(found.filter, proxy.filter)) return;
    (shape < other ? all.ordered : all.others).push_back(pair_key(shape, other));
  };
  FatBounds const bounds = fat(proxy);
  tree_.query(bounds, stack, add);
  if (!proxy.is_static) static_tree_.query(bounds, stack, add);
  std::sort(all.ordered.begin() + static_cast<std::ptrdiff_t>(first), all.ordered.end());
}

void BroadPhase::clear() { *this = BroadPhase{}; }

}  // namespace takt
