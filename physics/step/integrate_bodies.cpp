// The float version treats a row of a body as one vector, and rotates four bodies at a time. Each number goes
// through the operations of the scalar code in their order.
#include "physics/step/integrate_bodies.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__SSE__)
#include <immintrin.h>
#endif

#include "physics/base/parallel_for.h"
#include "physics/base/solver_constants.h"
#include "physics/constraints/speed_limits.h"
#include "takt/core/assert.h"
#include "takt/physics/body.h"

namespace takt {
namespace {

void change_velocity(const VelocityStep<Fixed>& step, Fixed max, Fixed (&velocity)[4]) noexcept {
  set_row(velocity, limit_length((vector_of(velocity) + step.change) * step.factor, max));
}

template <class Real>
void move_body(SolverBody<Real>& body, Quat<Real>& rotation, Real h) noexcept {
  Vec3<Real> const turn = vector_of(body.angular_velocity) * h;
  set_row(body.delta_position, vector_of(body.delta_position) + vector_of(body.linear_velocity) * h);
  set_row(body.delta_rotation, vector_of(body.delta_rotation) + turn);
  rotation = rotated(rotation, turn);
}

using Float4 = float __attribute__((vector_size(16)));
using Mask4 = int __attribute__((vector_size(16)));

template <class From>
Float4 load(const From& from) noexcept {
  static_assert(sizeof(From) == sizeof(Float4));
  return std::bit_cast<Float4>(from);
}
template <class To>
void store(Float4 v, To& to) noexcept {
  static_assert(sizeof(To) == sizeof v);
  std::memcpy(static_cast<void*>(&to), &v, sizeof v);
}
bool any(Mask4 mask) noexcept {
  struct Halves {
    std::uint64_t low, high;
  };
  auto const halves = std::bit_cast<Halves>(mask);
  return (halves.low | halves.high) != 0;
}
Float4 square_root(Float4 v) noexcept {
#if defined(__SSE__)
  return _mm_sqrt_ps(v);
#else
  return Float4{sqrt(v[0]), sqrt(v[1]), sqrt(v[2]), sqrt(v[3])};
#endif
}

void change_velocity(const VelocityStep<float>& step, float max, float (&velocity)[4]) noexcept {
  Float4 const change = load(step);  // the fourth value is the factor
  Float4 const factor = __builtin_shufflevector(change, Float4{}, 3, 3, 3, 4);
  Float4 const changed = (load(velocity) + change) * factor;
  store(changed, velocity);
  // A vector inside a cube within the ball needs no clamp, and almost every vector is.
  float const near = max * 0.5f;
  if (any((changed > near) | (changed < -near))) set_row(velocity, limit_length(vector_of(velocity), max));
}

/// Four vectors or quaternions, structure of arrays.
struct Columns {
  Float4 x, y, z, w;
};
Columns transposed(Float4 a, Float4 b, Float4 c, Float4 d) noexcept {
  Float4 const xy_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  Float4 const xy_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  Float4 const zw_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  Float4 const zw_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return {
      __builtin_shufflevector(xy_ab, xy_cd, 0, 1, 4, 5), __builtin_shufflevector(xy_ab, xy_cd, 2, 3, 6, 7),
      __builtin_shufflevector(zw_ab, zw_cd, 0, 1, 4, 5), __builtin_shufflevector(zw_ab, zw_cd, 2, 3, 6, 7)};
}

/// rotated() of four rotations.
Columns rotated(const Columns& q, const Columns& turn) noexcept {
  Float4 const x = turn.x * 0.5f;
  Float4 const y = turn.y * 0.5f;
  Float4 const z = turn.z * 0.5f;
  Float4 const w{};
  Float4 const change_x = (w * q.x + x * q.w) + (y * q.z + -z * q.y);
  Float4 const change_y = (w * q.y + y * q.w) + (z * q.x + -x * q.z);
  Float4 const change_z = (w * q.z + z * q.w) + (x * q.y + -y * q.x);
  Float4 const change_w = (w * q.w + -x * q.x) + (-y * q.y + -z * q.z);
  Columns const sum{q.x + change_x, q.y + change_y, q.z + change_z, q.w + change_w};
  Float4 const square = (sum.x * sum.x + sum.y * sum.y) + (sum.z * sum.z + sum.w * sum.w);
  Float4 const size = square_root(square);
  Mask4 const sound = square > kMinSquareOfRotation;
  Float4 const none{};
  return {sound ? sum.x / size : none, sound ? sum.y / size : none, sound ? sum.z / size : none,
          sound ? sum.w / size : none + 1.0f};
}

void move_four(SolverBody<float>* bodies, MovingBody<float>* moving, float h) noexcept {
  Float4 turns[4];
  for (std::size_t i = 0; i < 4; ++i) {
    SolverBody<float>& body = bodies[i];
    turns[i] = load(body.angular_velocity) * h;
    store(load(body.delta_position) + load(body.linear_velocity) * h, body.delta_position);
    store(load(body.delta_rotation) + turns[i], body.delta_rotation);
  }
  Columns const rotations = transposed(load(moving[0].rotation), load(moving[1].rotation),
                                       load(moving[2].rotation), load(moving[3].rotation));
  Columns const now = rotated(rotations, transposed(turns[0], turns[1], turns[2], turns[3]));
  Columns const rows = transposed(now.x, now.y, now.z, now.w);
  store(rows.x, moving[0].rotation);
  store(rows.y, moving[1].rotation);
  store(rows.z, moving[2].rotation);
  store(rows.w, moving[3].rotation);
}

}  // namespace

template <class Real>
void integrate_velocities(SolverBodies<Real>& bodies, TaskPool* pool) {
  TAKT_ASSERT(bodies.moving.size() == bodies.bodies.size() && !bodies.bodies.empty());
  Real const max_linear = to_real<Real>(kMaxLinearSpeedMS);
  Real const max_angular = to_real<Real>(kMaxAngularSpeedRadS);
  parallel_for(pool, bodies.bodies.size() - 1, kBodyGrain,
               [&](std::size_t first, std::size_t end, std::uint32_t) {
                 for (std::size_t i = first + 1; i <= end; ++i) {
                   const MovingBody<Real>& moving = bodies.moving[i];
                   if (!moving.dynamic) continue;
                   change_velocity(moving.linear, max_linear, bodies.bodies[i].linear_velocity);
                   change_velocity(moving.angular, max_angular, bodies.bodies[i].angular_velocity);
                 }
               });
}

template <class Real>
void integrate_positions(SolverBodies<Real>& bodies, Real h, TaskPool* pool) {
  TAKT_ASSERT(h > Real(0) && bodies.moving.size() == bodies.bodies.size());
  parallel_for(pool, bodies.bodies.size() - 1, kBodyGrain,
               [&](std::size_t first, std::size_t end, std::uint32_t) {
                 std::size_t i = first + 1;
                 if constexpr (std::is_same_v<Real, float>) {
                   for (; i + 3 <= end; i += 4) move_four(&bodies.bodies[i], &bodies.moving[i], h);
                 }
                 for (; i <= end; ++i) move_body(bodies.bodies[i], bodies.moving[i].rotation, h);
               });
}

#define TAKT_INSTANTIATE(Real)                                        \
  template void integrate_velocities(SolverBodies<Real>&, TaskPool*); \
  template void integrate_positions(SolverBodies<Real>&, Real, TaskPool*);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
