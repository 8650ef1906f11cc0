// V3, Rotations and Motion are vectors, rotations and velocities of W bodies over a lane type L (W numbers
// side by side). NoWatch is the empty range check of all lane types but EightFixedLanes, whose range
// is limited. Kernels are written once over L, in contact_kernels.h, store_impulses.h, prepare_contacts.h and
// point_joint_kernels.h.
//
// Headers that kernels include keep their functions in an unnamed namespace (internal linkage). Each
// *_kernels_*.cpp file is compiled for one instruction set. An inline function with external linkage could be
// merged by the linker into code that runs on an older CPU.
//
// L gives: kWidth, Real, V (W values), load, store, set, set_real, determinant, above(V, V) -> mask,
// select(mask, V, V), gather and scatter. Lanes of contacts add Watch, MassV (W masses), InertiaV, load_mass,
// load_inertia, multiply, multiply_inertia, dot, maximum, clamp_to_cone and clamp_to_ball, among others.
// Lanes of point joints add Number and gather_rotation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "takt/core/assert.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose, see above

template <class V>
struct V3 {
  V x, y, z;
};
template <class V>
[[gnu::always_inline]] inline V3<V> operator+(const V3<V>& a, const V3<V>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class V>
[[gnu::always_inline]] inline V3<V> operator-(const V3<V>& a, const V3<V>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class V>
[[gnu::always_inline]] inline V3<V> operator*(const V3<V>& a, const V& s) {
  return {a.x * s, a.y * s, a.z * s};
}
template <class L, class Mask, class V>
[[gnu::always_inline]] inline V3<V> select3(Mask mask, const V3<V>& a, const V3<V>& b) {
  return {L::select(mask, a.x, b.x), L::select(mask, a.y, b.y), L::select(mask, a.z, b.z)};
}
template <class L, class V>
[[gnu::always_inline]] inline V dot_lanes(const V3<V>& a, const V3<V>& b) {
  return L::dot(a.x, b.x, a.y, b.y, a.z, b.z);
}
template <class L, class V>
[[gnu::always_inline]] inline V3<V> cross_lanes(const V3<V>& a, const V3<V>& b) {
  return {L::determinant(a.y, b.z, a.z, b.y), L::determinant(a.z, b.x, a.x, b.z),
          L::determinant(a.x, b.y, a.y, b.x)};
}
template <class L, class R>
[[gnu::always_inline]] inline V3<typename L::V> load3(const R (&from)[3][L::kWidth]) {
  return {L::load(from[0]), L::load(from[1]), L::load(from[2])};
}
template <class L, class R>
[[gnu::always_inline]] inline void store3(R (&to)[3][L::kWidth], const V3<typename L::V>& v) {
  L::store(to[0], v.x);
  L::store(to[1], v.y);
  L::store(to[2], v.z);
}

/// Rotations of W bodies as quaternions.
template <class V>
struct Rotations {
  V x, y, z, w;
};

/// Velocities of W bodies (m/s, rad/s), or their delta positions and rotations in this tick (m, rad).
template <class V>
struct Motion {
  V3<V> linear;
  V3<V> angular;
};
/// True if `bodies` is not null and aligned as Body demands.
template <class Body>
[[maybe_unused]] inline bool are_aligned(const Body* bodies) {
  return bodies != nullptr && reinterpret_cast<std::uintptr_t>(bodies) % alignof(Body) == 0;
}
/// True if no lane writes to body 0, which stands for all bodies that do not move.
template <class L>
[[maybe_unused]] inline bool write_moving_bodies(const std::uint32_t* index, std::uint32_t writes) {
  for (int lane = 0; lane < L::kWidth; ++lane) {
    if ((writes >> lane & 1u) != 0 && index[lane] == 0) return false;
  }
  return true;
}
template <class L, class Body>
[[gnu::always_inline]] inline Motion<typename L::V> gather_motion(const Body* bodies,
                                                                  const std::uint32_t* index) {
  TAKT_VALIDATE(are_aligned(bodies));
  return {L::gather(bodies, index, &Body::linear_velocity),
          L::gather(bodies, index, &Body::angular_velocity)};
}
template <class L, class Body>
[[gnu::always_inline]] inline Motion<typename L::V> gather_displacement(const Body* bodies,
                                                                        const std::uint32_t* index) {
  return {L::gather(bodies, index, &Body::delta_position), L::gather(bodies, index, &Body::delta_rotation)};
}
template <class L, class Body>
[[gnu::always_inline]] inline void scatter_motion(Body* bodies, const std::uint32_t* index,
                                                  std::uint32_t writes, const Motion<typename L::V>& motion) {
  TAKT_VALIDATE(writes >> L::kWidth == 0);
  TAKT_VALIDATE(write_moving_bodies<L>(index, writes));
  L::scatter(bodies, index, writes, &Body::linear_velocity, motion.linear);
  L::scatter(bodies, index, writes, &Body::angular_velocity, motion.angular);
}

/// Prefetches `size` bytes at `at`, such as the next block: a pass streams through many blocks once.
inline void fetch_ahead(const std::byte* at, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 64) __builtin_prefetch(at + i);
}

/// Range check hook. Lane types with a limited range (EightFixedLanes) check every value before it is
/// multiplied. Full-range lane types use this empty hook.
struct NoWatch {
  template <class... Values>
  [[gnu::always_inline]] void check(const Values&...) const noexcept {}
  template <class V, class Mask>
  [[gnu::always_inline]] void check_unit(const V3<V>&, Mask) const noexcept {}
  [[gnu::always_inline]] static constexpr bool in_range() noexcept { return true; }
};

}  // namespace
}  // namespace takt
