// The narrow phase pair by pair: nanoseconds a manifold in random poses in which most of the pairs touch, and
// the mean number of points found, which says what was measured. Hulls also by how many faces they have, and
// how long it takes to build one.
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <vector>

#include "bench/numbers_name.h"
#include "physics/geometry/hull_geometry.h"
#include "physics/narrow_phase/manifold.h"
#include "takt/core/assert.h"
#include "takt/core/random.h"
#include "tests/physics/polyhedra.h"

namespace takt {
namespace {

struct NamedKind {
  const char* name;
  ShapeKind kind;
};
/// In order of collide_rank. A kind that is missing here is not measured.
constexpr std::array<NamedKind, 7> kKinds{{{"sphere", ShapeKind::kSphere},
                                           {"capsule", ShapeKind::kCapsule},
                                           {"box", ShapeKind::kBox},
                                           {"cylinder", ShapeKind::kCylinder},
                                           {"cone", ShapeKind::kCone},
                                           {"hull", ShapeKind::kHull},
                                           {"half_space", ShapeKind::kHalfSpace}}};

const HullGeometry* die() {
  static auto const made = make_hull(test::icosahedron(0.55)).value();
  return made.geometry.get();
}
const HullGeometry* stone() {
  static auto const made = make_hull(test::ball_points(64, 0.5)).value();
  return made.geometry.get();
}

/// About a metre wide each.
template <class Real>
ShapeGeometry<Real> shape_of(ShapeKind kind) {
  Real const half = to_real<Real>(0.5);
  Real const quarter = to_real<Real>(0.25);
  ShapeGeometry<Real> shape;
  shape.kind = kind;
  shape.extents = {half, half, half};
  if (kind == ShapeKind::kSphere) shape.extents = {half, Real(0), Real(0)};
  if (kind == ShapeKind::kCapsule) shape.extents = {quarter, half, Real(0)};
  if (kind == ShapeKind::kCylinder || kind == ShapeKind::kCone) shape.extents = {half, half, Real(0)};
  if (kind == ShapeKind::kHull) {
    shape.extents = {};
    shape.hull = die();
  }
  return shape;
}

template <class Real>
Mat3<Real> some_rotation(Random& random) {
  Real const x = to_real<Real>(random.next_between(-0.3, 0.3));
  Real const y = to_real<Real>(random.next_between(-0.3, 0.3));
  Real const z = to_real<Real>(random.next_between(-0.3, 0.3));
  return to_matrix(normalise(Quat<Real>{x, y, z, Real(1)}));
}

template <class Real>
void measure(benchmark::State& state, ShapeGeometry<Real> first, ShapeGeometry<Real> second,
             double distance_m) {
  constexpr std::size_t kPoses = 256;
  Random random(1);
  std::vector<Mat3<Real>> rotations;
  for (std::size_t i = 0; i <= kPoses; ++i) rotations.push_back(some_rotation<Real>(random));
  bool const is_ground = second.kind == ShapeKind::kHalfSpace;
  Vec3<Real> const between =
      is_ground ? Vec3<Real>{Real(0), to_real<Real>(-0.5 * distance_m), Real(0)}
                : Vec3<Real>{to_real<Real>(0.1), to_real<Real>(distance_m), to_real<Real>(-0.2)};
  auto const collide_pose = [&](std::size_t i, Manifold<Real>& manifold) {
    first.rotation = rotations[i];
    second.rotation = rotations[i + 1];
    if (is_ground) second.rotation = to_matrix(Quat<Real>{});
    collide(first, second, between, manifold);
  };
  Manifold<Real> manifold;
  double point_count = 0;
  for (std::size_t i = 0; i < kPoses; ++i) {
    collide_pose(i, manifold);
    point_count += manifold.point_count;
  }
  TAKT_ASSERT(point_count > 0);  // nothing touches: nothing would be measured
  std::size_t pose = 0;
  for (auto _ : state) {
    collide_pose(pose, manifold);
    benchmark::DoNotOptimize(manifold);
    pose = (pose + 1) % kPoses;
  }
  state.counters["points"] = point_count / kPoses;
}

template <class Real>
void register_pairs() {
  for (std::size_t a = 0; a < kKinds.size(); ++a) {
    for (std::size_t b = a; b < kKinds.size(); ++b) {
      if (kKinds[a].kind == ShapeKind::kHalfSpace) continue;
      auto const first = shape_of<Real>(kKinds[a].kind);
      auto const second = shape_of<Real>(kKinds[b].kind);
      // Capsules are thinner than the rest, and a cone's tip is.
      double const distance_m = 0.9 - (kKinds[a].kind == ShapeKind::kCapsule ? 0.1 : 0.0) -
                                (kKinds[b].kind == ShapeKind::kCone ? 0.1 : 0.0);
      std::string const name = std::string("manifold/") + kKinds[a].name + "-" + kKinds[b].name;
      benchmark::RegisterBenchmark(bench::named<Real>(name).c_str(), [=](benchmark::State& state) {
        measure<Real>(state, first, second, distance_m);
      });
    }
  }
  auto stone_shape = shape_of<Real>(ShapeKind::kHull);
  stone_shape.hull = stone();
  benchmark::RegisterBenchmark(
      bench::named<Real>("manifold/hull-hull of 124 faces").c_str(),
      [=](benchmark::State& state) { measure<Real>(state, stone_shape, stone_shape, 0.9); });
  benchmark::RegisterBenchmark(
      bench::named<Real>("manifold/hull-hull of 124 faces, deep").c_str(),
      [=](benchmark::State& state) { measure<Real>(state, stone_shape, stone_shape, 0.6); });
}

void build_hull(benchmark::State& state) {
  auto const points = test::ball_points(static_cast<int>(state.range(0)), 0.5);
  for (auto _ : state) benchmark::DoNotOptimize(make_hull(points).value());
}
BENCHMARK(build_hull)->Name("hull/build")->Arg(16)->Arg(64);

[[maybe_unused]] const bool kRegistered = [] {
  register_pairs<float>();
  register_pairs<Fixed>();
  return true;
}();

}  // namespace
}  // namespace takt
