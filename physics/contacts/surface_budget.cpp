#include "physics/contacts/surface_budget.h"

#include <algorithm>

#include "physics/state/activity.h"
#include "physics/state/pair_key.h"
#include "physics/state/shape_bounds.h"
#include "physics/state/shape_geometry_of.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Triangles counted for a pair that is left out, for one of the budget: a count takes a fraction of a test.
constexpr std::uint64_t kCountsPerTriangle = 16;

/// A surface, where it is. One serves many pairs.
struct PlacedSurface {
  std::uint32_t shape = kNoIndex;
  const TriangleMesh* mesh = nullptr;
  Position origin;      ///< of its body
  Vec3<double> offset;  ///< from there, m
  Mat3<double> frame;
};

template <class Real>
PlacedSurface place(const WorldState<Real>& state, std::uint32_t shape) {
  const ShapeRecord<Real>& record = state.shapes[shape];
  const BodyRecord<Real>& body = state.bodies[record.body];
  ShapePose<Real> const pose = shape_pose(body, record);
  Mat3<Real> const rotation = to_matrix(pose.rotation);
  return {shape,
          &surface_of(state, record)->surface,
          body.motion.center,
          to_double(pose.offset),
          {to_double(rotation.x), to_double(rotation.y), to_double(rotation.z)}};
}

/// The bounds of a shape in the frame of a surface, m.
SurfaceBox bounds_in_frame(const Bounds& bounds, const PlacedSurface& surface) {
  auto const from_origin = [&surface](const Position& at) {
    return Vec3<double>{static_cast<double>(at.x_raw - surface.origin.x_raw) * 0x1p-32,
                        static_cast<double>(at.y_raw - surface.origin.y_raw) * 0x1p-32,
                        static_cast<double>(at.z_raw - surface.origin.z_raw) * 0x1p-32};
  };
  Vec3<double> const lower = from_origin(bounds.lower);
  Vec3<double> const upper = from_origin(bounds.upper);
  Vec3<double> const half = (upper - lower) * 0.5;
  Vec3<double> const middle = transpose_multiply(surface.frame, (lower + upper) * 0.5 - surface.offset);
  auto const reach = [&half](Vec3<double> axis) {
    return absolute(axis.x) * half.x + absolute(axis.y) * half.y + absolute(axis.z) * half.z;
  };
  Vec3<double> const reaches{reach(surface.frame.x), reach(surface.frame.y), reach(surface.frame.z)};
  return {middle - reaches, middle + reaches};
}

/// Number of triangles whose boxes overlap `box`; more than `max` are not counted.
std::uint64_t count_triangles(const TriangleMesh& surface, const SurfaceBox& box, std::uint64_t max) {
  std::uint64_t count = 0;
  surface.visit_nearest([&box](const SurfaceBox& part) { return overlap(part, box) ? 0.0 : 1.0; },
                        [&](double key) { return key == 0.0 && count <= max; },
                        [&count](std::uint32_t) { ++count; });
  return count;
}

}  // namespace

template <class Real>
std::span<const std::uint64_t> SurfaceBudget::limit(const WorldState<Real>& state, const BroadPhase& broad,
                                                    std::span<const std::uint64_t> keys) {
  is_cut_ = false;
  if (state.def.max_contacts == 0) return keys;
  pairs_.clear();
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    std::uint32_t const low = pair_first(keys[i]);
    std::uint32_t const high = pair_second(keys[i]);
    bool const is_low = is_surface(state.shapes[low].kind);
    if (is_low == is_surface(state.shapes[high].kind)) continue;
    std::uint32_t const shape = is_low ? high : low;
    std::uint32_t const surface = is_low ? low : high;
    if (state.shapes[shape].kind == ShapeKind::kHalfSpace) continue;
    if (is_active(state.bodies[state.shapes[shape].body]) ||
        is_active(state.bodies[state.shapes[surface].body]))
      pairs_.push_back({shape, surface, i});
  }
  // The keys of one ground that was created first give the order already.
  if (!std::is_sorted(pairs_.begin(), pairs_.end())) std::sort(pairs_.begin(), pairs_.end());
  std::uint64_t left = std::uint64_t{kTrianglesPerContact} * state.def.max_contacts;
  PlacedSurface surface;
  for (const Pair& pair : pairs_) {
    if (surface.shape != pair.surface) surface = place(state, pair.surface);
    std::uint64_t const count =
        count_triangles(*surface.mesh, bounds_in_frame(broad.exact(pair.shape), surface), left);
    bool const fits = count <= left;
    left -= fits ? count : std::min(left, count / kCountsPerTriangle + 1);
    if (fits) continue;
    if (!is_cut_) is_left_out_.assign(keys.size(), 0);
    is_cut_ = true;
    is_left_out_[pair.index] = 1;
  }
  if (!is_cut_) return keys;
  kept_.clear();
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (is_left_out_[i] == 0) kept_.push_back(keys[i]);
  return kept_;
}

#define TAKT_INSTANTIATE(Real)                                                                             \
  template std::span<const std::uint64_t> SurfaceBudget::limit(const WorldState<Real>&, const BroadPhase&, \
                                                               std::span<const std::uint64_t>);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
