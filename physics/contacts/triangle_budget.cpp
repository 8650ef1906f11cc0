#include "physics/contacts/triangle_budget.h"

#include <algorithm>

#include "physics/base/fair_limit.h"
#include "physics/base/parallel_for.h"
#include "physics/contacts/manifold_cache.h"
#include "physics/contacts/pair_manifold.h"
#include "physics/contacts/soft_contact_sweep.h"
#include "physics/state/activity.h"
#include "physics/state/pair_key.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// The stored contacts of a pair, of shapes of the same generations.
template <class Real>
std::span<const ContactRecord<Real>> stored_contacts(const WorldState<Real>& state, std::uint64_t key) {
  auto const& contacts = state.contacts;
  auto const first =
      std::lower_bound(contacts.begin(), contacts.end(), key,
                       [](const auto& record, std::uint64_t sought) { return record.key < sought; });
  auto end = first;
  while (end != contacts.end() && end->key == key &&
         end->generation_a == state.shapes.slots[pair_first(key)].generation &&
         end->generation_b == state.shapes.slots[pair_second(key)].generation)
    ++end;
  return {first, end};
}

/// True when the narrow phase computes new manifolds of a pair with a surface.
template <class Real>
bool needs_triangles(const WorldState<Real>& state, std::uint64_t key) {
  const ShapeRecord<Real>& a = state.shapes[pair_first(key)];
  const ShapeRecord<Real>& b = state.shapes[pair_second(key)];
  if (!is_surface(a.kind) && !is_surface(b.kind)) return false;
  if ((a.is_sensor && b.is_sensor) || !have_manifolds(a.kind, b.kind)) return false;
  const BodyRecord<Real>& body_a = state.bodies[a.body];
  const BodyRecord<Real>& body_b = state.bodies[b.body];
  if (!is_active(body_a) && !is_active(body_b)) return false;
  if (a.is_sensor || b.is_sensor) return true;
  return !may_recycle_all<Real>(stored_contacts(state, key), body_a.motion, body_b.motion,
                                is_awake_dynamic(body_a), is_awake_dynamic(body_b));
}

}  // namespace

template <class Real>
void TriangleBudget<Real>::divide(const WorldState<Real>& state, std::span<const std::uint64_t> keys,
                                  TaskPool* pool) {
  limits_.clear();
  if (state.def.max_contacts == 0 || state.surfaces.entries.empty()) return;
  parallel_filter(pool, keys.size(), pairs_, [&](std::size_t i, SurfacePair& pair) {
    pair = {static_cast<std::uint32_t>(i), 1, 0};
    return needs_triangles(state, keys[i]);
  });
  std::span const pairs = pairs_.chosen();
  if (pairs.empty()) return;
  std::uint32_t const max_of_one = max_triangles_of_one(state.def, pairs.size());
  counted_.assign(pairs.begin(), pairs.end());
  parallel_for(pool, counted_.size(), kCountGrain, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t i = first; i < end; ++i) {
      SurfacePair& pair = counted_[i];
      std::uint32_t const a = pair_first(keys[pair.index]);
      std::uint32_t const b = pair_second(keys[pair.index]);
      bool const has_sensor = state.shapes[a].is_sensor || state.shapes[b].is_sensor;
      Vec3<double> const displacement = has_sensor ? Vec3<double>{} : displacement_to_soft(state, a, b);
      if (!(displacement == Vec3<double>{}))
        pair.poses += max_soft_poses(displacement, sample_length(state, a, b));
      pair.count =
          count_surface_triangles(state, a, b, pair.poses > 1 ? displacement : Vec3<double>{}, max_of_one);
    }
  });
  needs_.clear();
  for (const SurfacePair& pair : counted_)
    needs_.push_back(std::uint64_t{pair.poses} * std::min(pair.count, max_of_one));
  std::uint64_t const limit = fair_limit(needs_, triangle_budget(state.def));
  for (const SurfacePair& pair : counted_) {
    std::uint64_t const of_pose = std::max<std::uint64_t>(limit / pair.poses, kTrianglesPerContact);
    if (pair.count <= of_pose && pair.count <= max_of_one) continue;
    if (limits_.empty()) limits_.assign(keys.size(), kAllTriangles);
    limits_[pair.index] = static_cast<std::uint32_t>(std::min<std::uint64_t>(of_pose, max_of_one));
  }
}

template class TriangleBudget<float>;
template class TriangleBudget<Fixed>;

}  // namespace takt
