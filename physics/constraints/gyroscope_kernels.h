// begin_gyroscopic_lanes() and end_gyroscopic_lanes() are the SIMD kernels of the gyroscopic term in float
// mode (gyroscope.h). The kernels process W bodies at once over a lane type N of doubles (double_lanes.h).
// The results have the bits of the scalar version, gyroscope.cpp. Only tree_batch_kernels.h includes this
// header and puts both kernels into the table TreeKernels. All functions are in an unnamed namespace, because
// the code is compiled once per instruction set (vector_lanes.h).
#pragma once

#include "physics/constraints/gyroscope.h"
#include "physics/constraints/gyroscope_steps.h"
#include "physics/simd/double_lanes.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

/// W bodies of the list from `first` on, which is below at.count. Lanes past the last body repeat that body,
/// and are not stored.
template <class N>
struct SpinningLanes {
  const SpinningBodies<float>& at;
  std::size_t first;
  std::uint32_t used =
      at.count - first < N::kWidth ? static_cast<std::uint32_t>(at.count - first) : N::kWidth;

  [[nodiscard]] std::uint32_t index(std::uint32_t lane) const noexcept {
    return at.indices[first + (lane < used ? lane : used - 1)];
  }
  [[nodiscard]] Quat<N> rotation() const noexcept {
    N parts[4];
    for (std::uint32_t lane = 0; lane < N::kWidth; ++lane) {
      const Quat<float>& q = at.moving[index(lane)].rotation;
      parts[0].set(lane, static_cast<double>(q.x));
      parts[1].set(lane, static_cast<double>(q.y));
      parts[2].set(lane, static_cast<double>(q.z));
      parts[3].set(lane, static_cast<double>(q.w));
    }
    return {parts[0], parts[1], parts[2], parts[3]};
  }
  [[nodiscard]] Vec3<N> omega() const noexcept {
    N parts[3];
    for (std::uint32_t lane = 0; lane < N::kWidth; ++lane) {
      for (int i = 0; i < 3; ++i)
        parts[i].set(lane, static_cast<double>(at.bodies[index(lane)].angular_velocity[i]));
    }
    return {parts[0], parts[1], parts[2]};
  }
  /// Stores `from` + `change`, which is in the body frame, as the angular velocities. The binary64 sum of two
  /// binary32 values rounds to binary32 as the binary32 sum does.
  void rotate_velocities(const Quat<N>& rotation, const Vec3<N>& from, const Vec3<N>& change) const noexcept {
    Vec3<N> const rotated = to_world_axes(rotation, change);
    N const to[3] = {rounded(from.x + rounded(rotated.x)), rounded(from.y + rounded(rotated.y)),
                     rounded(from.z + rounded(rotated.z))};
    for (std::uint32_t lane = 0; lane < used; ++lane) {
      for (int i = 0; i < 3; ++i)
        at.bodies[index(lane)].angular_velocity[i] = static_cast<float>(to[i][lane]);
    }
  }
};

/// begin_gyroscopic() for the bodies of `at` over lanes.
template <class N>
void begin_gyroscopic_lanes(const SpinningBodies<float>& at, double step_s) {
  for (std::size_t first = 0; first < at.count; first += N::kWidth) {
    SpinningLanes<N> const lanes{at, first};
    N inertia[6];
    for (std::uint32_t lane = 0; lane < N::kWidth; ++lane) {
      for (std::uint32_t i = 0; i < 6; ++i) inertia[i].set(lane, at.gyroscopes[lanes.index(lane)].inertia[i]);
    }
    Quat<N> const rotation = lanes.rotation();
    Vec3<N> const omega = lanes.omega();
    Vec3<N> const change = half_gyroscopic_change(inertia, to_body_axes(rotation, omega), step_s);
    for (std::uint32_t lane = 0; lane < lanes.used; ++lane) {
      at.gyroscopes[lanes.index(lane)].half_change = {change.x[lane], change.y[lane], change.z[lane]};
    }
    lanes.rotate_velocities(rotation, omega, change);
  }
}

/// end_gyroscopic() for the bodies of `at` over lanes.
template <class N>
void end_gyroscopic_lanes(const SpinningBodies<float>& at) {
  for (std::size_t first = 0; first < at.count; first += N::kWidth) {
    SpinningLanes<N> const lanes{at, first};
    N change[3];
    for (std::uint32_t lane = 0; lane < N::kWidth; ++lane) {
      const Vec3<double>& half = at.gyroscopes[lanes.index(lane)].half_change;
      change[0].set(lane, half.x);
      change[1].set(lane, half.y);
      change[2].set(lane, half.z);
    }
    lanes.rotate_velocities(lanes.rotation(), lanes.omega(), {change[0], change[1], change[2]});
  }
}

}  // namespace
}  // namespace takt
