// Unit vectors and rotations of fixed mode: Q31.32 in 64 bits against Q1.30 in 32 bits, by accuracy and by time. The figures of
// docs/adr/0001-fixed-unit-vectors.md come from here: build the preset bench and run build/bench/bin/bench_unit_vectors.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "takt/core/random.h"
#include "takt/physics/vector.h"

namespace {

using takt::Fixed;
using takt::Int128;
using takt::Quat;
using takt::Random;
using takt::UInt128;
using takt::Vec3;

// ---- the candidate: components in int32, one = 2^30 ----------------------------------------------------------------------------------
struct Narrow4 {
  std::int32_t x, y, z, w;
};

std::int64_t round30(std::int64_t v) { return (v + (std::int64_t{1} << 29) - 1 + ((v >> 30) & 1)) >> 30; }
std::int32_t clamp30(std::int64_t v) { return static_cast<std::int32_t>(v > INT32_MAX ? INT32_MAX : (v < -INT32_MAX ? -INT32_MAX : v)); }
std::int32_t narrow(double v) { return clamp30(static_cast<std::int64_t>(std::nearbyint(v * 0x1p30))); }

Narrow4 multiply(Narrow4 a, Narrow4 b) {
  auto const p = [](std::int32_t l, std::int32_t r) { return std::int64_t{l} * r; };
  return {clamp30(round30(p(a.w, b.x) + p(a.x, b.w) + p(a.y, b.z) - p(a.z, b.y))),
          clamp30(round30(p(a.w, b.y) + p(a.y, b.w) + p(a.z, b.x) - p(a.x, b.z))),
          clamp30(round30(p(a.w, b.z) + p(a.z, b.w) + p(a.x, b.y) - p(a.y, b.x))),
          clamp30(round30(p(a.w, b.w) - p(a.x, b.x) - p(a.y, b.y) - p(a.z, b.z)))};
}
Narrow4 normalise(Narrow4 q) {
  auto const s = [](std::int32_t v) { return static_cast<std::uint64_t>(std::int64_t{v} * v); };
  std::uint64_t const sum = s(q.x) + s(q.y) + s(q.z) + s(q.w);
  auto const size = static_cast<std::int64_t>(takt::detail::sqrt_u128(UInt128{sum} << 32u));  // Q1.46
  auto const d = [size](std::int32_t v) { return clamp30(static_cast<std::int64_t>((Int128{v} << 46) / size)); };
  return {d(q.x), d(q.y), d(q.z), d(q.w)};
}
/// A Q31.32 vector turned by the candidate: the products still need 128 bits.
Vec3<Fixed> rotate(Narrow4 q, Vec3<Fixed> v) {
  auto const two = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return static_cast<std::int64_t>(takt::detail::round_shift(Int128{a} * b - Int128{c} * d, 30));
  };
  auto const one = [](std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(takt::detail::round_shift(Int128{a} * b, 30)); };
  std::int64_t const tx = 2 * two(q.y, v.z.raw(), q.z, v.y.raw());
  std::int64_t const ty = 2 * two(q.z, v.x.raw(), q.x, v.z.raw());
  std::int64_t const tz = 2 * two(q.x, v.y.raw(), q.y, v.x.raw());
  return {Fixed::from_raw(v.x.raw() + one(q.w, tx) + two(q.y, tz, q.z, ty)), Fixed::from_raw(v.y.raw() + one(q.w, ty) + two(q.z, tx, q.x, tz)),
          Fixed::from_raw(v.z.raw() + one(q.w, tz) + two(q.x, ty, q.y, tx))};
}

// ---- accuracy ------------------------------------------------------------------------------------------------------------------------
struct Exact {
  long double x, y, z, w;
};
Exact exact(Quat<Fixed> q) { return {q.x.to_double(), q.y.to_double(), q.z.to_double(), q.w.to_double()}; }
Exact exact(Quat<float> q) { return {q.x, q.y, q.z, q.w}; }
Exact exact(Narrow4 q) { return {q.x * 0x1p-30L, q.y * 0x1p-30L, q.z * 0x1p-30L, q.w * 0x1p-30L}; }

Exact multiply(Exact a, Exact b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
          a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
/// The angle between two rotations, rad.
double angle_between(Exact a, Exact b) {
  Exact const d = multiply(Exact{-a.x, -a.y, -a.z, a.w}, b);
  return static_cast<double>(2 * atan2l(sqrtl(d.x * d.x + d.y * d.y + d.z * d.z), fabsl(d.w)));
}
double length_error(Exact a) { return static_cast<double>(fabsl(sqrtl(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w) - 1)); }

constexpr int kSteps = 100000;

/// q <- normalise(step q) 10^5 times with steps about a slowly turning axis; the worst of eight axes.
template <class Q, class Make, class Compose>
void drift(const char* name, double rate_rad_s, Make make, Compose compose) {
  double worst = 0;
  double worst_length = 0;
  for (std::uint64_t run = 0; run < 8; ++run) {
    Random random(run, 9);
    double const ax = random.next_between(-1, 1);
    double const ay = random.next_between(-1, 1);
    double const az = random.next_between(-1, 1);
    double const size = std::sqrt(ax * ax + ay * ay + az * az);
    double const half = rate_rad_s / 240.0 / 2.0;
    double const s = std::sin(half) / size;
    Q const step = make(ax * s, ay * s, az * s, std::cos(half));
    Q q = make(0, 0, 0, 1);
    for (int i = 0; i < kSteps; ++i) q = compose(step, q);
    long double const total = static_cast<long double>(half) * kSteps;
    long double const sine = sinl(total) / size;
    double const error = angle_between(exact(q), {ax * sine, ay * sine, az * sine, cosl(total)});
    worst = error > worst ? error : worst;
    double const off = length_error(exact(q));
    worst_length = off > worst_length ? off : worst_length;
  }
  std::printf("%-8s %10g rad/s  drift %.3g rad  length off by %.2g\n", name, rate_rad_s, worst, worst_length);
}

// ---- time ----------------------------------------------------------------------------------------------------------------------------
template <class Work>
double nanoseconds(std::size_t count, Work work) {
  double best = 1e300;
  for (int repeat = 0; repeat < 15; ++repeat) {
    auto const start = std::chrono::steady_clock::now();
    work();
    std::chrono::duration<double, std::nano> const spent = std::chrono::steady_clock::now() - start;
    best = spent.count() / static_cast<double>(count) < best ? spent.count() / static_cast<double>(count) : best;
  }
  return best;
}

template <class T>
void keep(const T& value) {
  __asm__ volatile("" : : "r"(&value) : "memory");
}

}  // namespace

int main() {
  for (double const rate : {0.001, 0.1, 1.0, 10.0}) {
    drift<Quat<Fixed>>(
        "Q31.32", rate,
        [](double x, double y, double z, double w) {
          return Quat<Fixed>{Fixed(x), Fixed(y), Fixed(z), Fixed(w)};
        },
        [](Quat<Fixed> a, Quat<Fixed> b) { return takt::normalise(a * b); });
    drift<Narrow4>(
        "Q1.30", rate,
        [](double x, double y, double z, double w) {
          return Narrow4{narrow(x), narrow(y), narrow(z), narrow(w)};
        },
        [](Narrow4 a, Narrow4 b) { return normalise(multiply(a, b)); });
    drift<Quat<float>>(
        "float", rate,
        [](double x, double y, double z, double w) {
          return Quat<float>{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), static_cast<float>(w)};
        },
        [](Quat<float> a, Quat<float> b) { return takt::normalise(a * b); });
  }

  constexpr std::size_t kCount = 4096;
  Random random(1, 1);
  std::vector<Quat<Fixed>> wide(kCount);
  std::vector<Narrow4> small(kCount);
  std::vector<Vec3<Fixed>> vectors(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    double const x = random.next_between(-1, 1);
    double const y = random.next_between(-1, 1);
    double const z = random.next_between(-1, 1);
    double const w = random.next_between(-1, 1);
    wide[i] = takt::normalise(Quat<Fixed>{Fixed(x), Fixed(y), Fixed(z), Fixed(w)});
    small[i] = {narrow(wide[i].x.to_double()), narrow(wide[i].y.to_double()), narrow(wide[i].z.to_double()), narrow(wide[i].w.to_double())};
    vectors[i] = {Fixed(x), Fixed(y), Fixed(z)};
  }
  auto const each = [&](auto operation) {
    return nanoseconds(kCount, [&] {
      for (std::size_t i = 0; i < kCount; ++i) keep(operation(i, (i + 1) % kCount));
    });
  };
  std::printf("%-26s Q31.32 %6.2f ns   Q1.30 %6.2f ns\n", "quaternion product", each([&](auto i, auto k) { return wide[i] * wide[k]; }),
              each([&](auto i, auto k) { return multiply(small[i], small[k]); }));
  std::printf("%-26s Q31.32 %6.2f ns   Q1.30 %6.2f ns\n", "quaternion normalise", each([&](auto i, auto) { return takt::normalise(wide[i]); }),
              each([&](auto i, auto) { return normalise(small[i]); }));
  std::printf("%-26s Q31.32 %6.2f ns   Q1.30 %6.2f ns\n", "rotate a Q31.32 vector",
              each([&](auto i, auto k) { return takt::rotate(wide[i], vectors[k]); }),
              each([&](auto i, auto k) { return rotate(small[i], vectors[k]); }));
  std::printf("%-26s Q31.32 %6.2f ns   Q1.30 %6.2f ns\n", "unit . Q31.32 vector",
              each([&](auto i, auto k) { return takt::dot3(wide[i].x, vectors[k].x, wide[i].y, vectors[k].y, wide[i].z, vectors[k].z); }),
              each([&](auto i, auto k) {
                return static_cast<std::int64_t>(takt::detail::round_shift(
                    Int128{small[i].x} * vectors[k].x.raw() + Int128{small[i].y} * vectors[k].y.raw() + Int128{small[i].z} * vectors[k].z.raw(), 30));
              }));
}
