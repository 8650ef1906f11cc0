// Unit vectors and rotations of fixed mode: Q31.32 in 64 bits against Q1.30 in 32 bits, by accuracy and by
// time. The stats of docs/adr/0001-fixed-unit-vectors.md come from here: build the preset bench and run
// build/bench/bin/bench_unit_vectors.
#include <benchmark/benchmark.h>

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

// ---- the candidate: components in int32, one = 2^30
// ----------------------------------------------------------------------------------
struct Narrow4 {
  std::int32_t x, y, z, w;
};

std::int64_t round30(std::int64_t v) { return (v + (std::int64_t{1} << 29) - 1 + ((v >> 30) & 1)) >> 30; }
std::int32_t clamp30(std::int64_t v) {
  return static_cast<std::int32_t>(v > INT32_MAX ? INT32_MAX : (v < -INT32_MAX ? -INT32_MAX : v));
}
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
  auto const d = [size](std::int32_t v) {
    return clamp30(static_cast<std::int64_t>((Int128{v} << 46) / size));
  };
  return {d(q.x), d(q.y), d(q.z), d(q.w)};
}
/// A Q31.32 vector turned by the candidate: the products still need 128 bits.
Vec3<Fixed> rotate(Narrow4 q, Vec3<Fixed> v) {
  auto const two = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return static_cast<std::int64_t>(takt::detail::round_shift(Int128{a} * b - Int128{c} * d, 30));
  };
  auto const one = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(takt::detail::round_shift(Int128{a} * b, 30));
  };
  std::int64_t const tx = 2 * two(q.y, v.z.raw(), q.z, v.y.raw());
  std::int64_t const ty = 2 * two(q.z, v.x.raw(), q.x, v.z.raw());
  std::int64_t const tz = 2 * two(q.x, v.y.raw(), q.y, v.x.raw());
  return {Fixed::from_raw(v.x.raw() + one(q.w, tx) + two(q.y, tz, q.z, ty)),
          Fixed::from_raw(v.y.raw() + one(q.w, ty) + two(q.z, tx, q.x, tz)),
          Fixed::from_raw(v.z.raw() + one(q.w, tz) + two(q.x, ty, q.y, tx))};
}

// ---- accuracy
// ----------------------------------------------------------------
struct Exact {
  long double x, y, z, w;
};
Exact exact(Quat<Fixed> q) { return {q.x.to_double(), q.y.to_double(), q.z.to_double(), q.w.to_double()}; }
Exact exact(Quat<float> q) { return {q.x, q.y, q.z, q.w}; }
Exact exact(Narrow4 q) { return {q.x * 0x1p-30L, q.y * 0x1p-30L, q.z * 0x1p-30L, q.w * 0x1p-30L}; }

Exact multiply(Exact a, Exact b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
          a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
/// The angle between two rotations, rad.
double angle_between(Exact a, Exact b) {
  Exact const d = multiply(Exact{-a.x, -a.y, -a.z, a.w}, b);
  return static_cast<double>(2 * atan2l(sqrtl(d.x * d.x + d.y * d.y + d.z * d.z), fabsl(d.w)));
}
double length_error(Exact a) {
  return static_cast<double>(fabsl(sqrtl(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w) - 1));
}

constexpr int kSteps = 100000;

/// q <- normalise(step q) 10^5 times with steps about a slowly turning axis; counters hold the worst of eight
/// axes.
template <class Q, class Make, class Compose>
void drift(benchmark::State& state, double rate_rad_s, Make make, Compose compose) {
  double worst = 0;
  double worst_length = 0;
  for (auto _ : state) {
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
  }
  state.counters["drift_rad"] = worst;
  state.counters["length_off"] = worst_length;
}

template <class Q, class Make, class Compose>
void add_drift(const char* name, Make make, Compose compose) {
  for (double const rate : {0.001, 0.1, 1.0, 10.0}) {
    char text[64];
    std::snprintf(text, sizeof text, "drift at %g rad per s/%s", rate, name);
    benchmark::RegisterBenchmark(text, [=](benchmark::State& state) {
      drift<Q>(state, rate, make, compose);
    })->Iterations(1);
  }
}

// ---- time
// ----------------------------------------------------------------
constexpr std::size_t kCount = 4096;

/// Equal random rotations in both forms, and random vectors.
struct Samples {
  std::vector<Quat<Fixed>> wide;
  std::vector<Narrow4> small;
  std::vector<Vec3<Fixed>> vectors;
};
const Samples& samples() {
  static Samples const made = [] {
    Samples all;
    Random random(1, 1);
    for (std::size_t i = 0; i < kCount; ++i) {
      double const x = random.next_between(-1, 1);
      double const y = random.next_between(-1, 1);
      double const z = random.next_between(-1, 1);
      double const w = random.next_between(-1, 1);
      Quat<Fixed> const q = takt::normalise(Quat<Fixed>{Fixed(x), Fixed(y), Fixed(z), Fixed(w)});
      all.wide.push_back(q);
      all.small.push_back({narrow(q.x.to_double()), narrow(q.y.to_double()), narrow(q.z.to_double()),
                           narrow(q.w.to_double())});
      all.vectors.push_back({Fixed(x), Fixed(y), Fixed(z)});
    }
    return all;
  }();
  return made;
}

/// `operation` of sample i and the one after it; items are operations.
template <class Operation>
void add_time(const char* name, Operation operation) {
  benchmark::RegisterBenchmark(name, [operation](benchmark::State& state) {
    const Samples& all = samples();
    for (auto _ : state) {
      for (std::size_t i = 0; i < kCount; ++i) benchmark::DoNotOptimize(operation(all, i, (i + 1) % kCount));
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kCount));
  });
}

[[maybe_unused]] const bool kRegistered = [] {
  add_drift<Quat<Fixed>>(
      "Q31.32",
      [](double x, double y, double z, double w) {
        return Quat<Fixed>{Fixed(x), Fixed(y), Fixed(z), Fixed(w)};
      },
      [](Quat<Fixed> a, Quat<Fixed> b) { return takt::normalise(a * b); });
  add_drift<Narrow4>(
      "Q1.30",
      [](double x, double y, double z, double w) {
        return Narrow4{narrow(x), narrow(y), narrow(z), narrow(w)};
      },
      [](Narrow4 a, Narrow4 b) { return normalise(multiply(a, b)); });
  add_drift<Quat<float>>(
      "float",
      [](double x, double y, double z, double w) {
        return Quat<float>{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z),
                           static_cast<float>(w)};
      },
      [](Quat<float> a, Quat<float> b) { return takt::normalise(a * b); });

  using Index = std::size_t;
  add_time("x 4096/quaternion product/Q31.32",
           [](const Samples& s, Index i, Index k) { return s.wide[i] * s.wide[k]; });
  add_time("x 4096/quaternion product/Q1.30",
           [](const Samples& s, Index i, Index k) { return multiply(s.small[i], s.small[k]); });
  add_time("x 4096/quaternion normalise/Q31.32",
           [](const Samples& s, Index i, Index) { return takt::normalise(s.wide[i]); });
  add_time("x 4096/quaternion normalise/Q1.30",
           [](const Samples& s, Index i, Index) { return normalise(s.small[i]); });
  add_time("x 4096/rotate a Q31.32 vector/Q31.32",
           [](const Samples& s, Index i, Index k) { return takt::rotate(s.wide[i], s.vectors[k]); });
  add_time("x 4096/rotate a Q31.32 vector/Q1.30",
           [](const Samples& s, Index i, Index k) { return rotate(s.small[i], s.vectors[k]); });
  add_time("x 4096/unit . Q31.32 vector/Q31.32", [](const Samples& s, Index i, Index k) {
    const Quat<Fixed>& unit = s.wide[i];
    return takt::dot3(unit.x, s.vectors[k].x, unit.y, s.vectors[k].y, unit.z, s.vectors[k].z);
  });
  add_time("x 4096/unit . Q31.32 vector/Q1.30", [](const Samples& s, Index i, Index k) {
    const Narrow4& unit = s.small[i];
    const Vec3<Fixed>& v = s.vectors[k];
    return static_cast<std::int64_t>(takt::detail::round_shift(
        Int128{unit.x} * v.x.raw() + Int128{unit.y} * v.y.raw() + Int128{unit.z} * v.z.raw(), 30));
  });
  return true;
}();

}  // namespace
