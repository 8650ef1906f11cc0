// Nanoseconds of the engine's inner loops, one by one, in both numbers modes: manifolds, the contact solver by lane width, hash, image, snapshot, and
// Fixed's multiply, divide and root. bench_ticks measures whole scenes; this says which part of a change paid.
//
// usage: bench_kernels
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "physics/contact_block.h"
#include "physics/hull_geometry.h"
#include "physics/manifold.h"
#include "physics/softness.h"
#include "physics/tuning.h"
#include "takt/core/random.h"
#include "tests/physics/polyhedra.h"
#include "tests/physics/simple_world.h"

namespace {

using namespace takt;

template <class T>
void keep(const T& value) {
  __asm__ volatile("" : : "r"(&value) : "memory");
}

/// The best of 15 runs, per item.
template <class Work>
double nanoseconds(std::size_t item_count, Work work) {
  double best = 1e300;
  for (int run = 0; run < 15; ++run) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    std::chrono::duration<double, std::nano> const spent = std::chrono::steady_clock::now() - begin;
    best = std::min(best, spent.count() / static_cast<double>(item_count));
  }
  return best;
}

void print(const std::string& name, const char* numbers, double ns) { std::printf("| %s | %s | %.1f |\n", name.c_str(), numbers, ns); }

template <class Real>
const char* numbers() {
  return kNumbersMode<Real> == NumbersMode::kFloat ? "float" : "fixed";
}

template <class Real>
ShapeGeometry<Real> turned_box(Random& random) {
  auto const part = [&random] { return to_real<Real>(random.next_between(-0.3, 0.3)); };
  Real const x = part();
  Real const y = part();
  Real const z = part();
  Real const half = to_real<Real>(0.5);
  return {ShapeKind::kBox, {half, half, half}, to_matrix(normalise(Quat<Real>{x, y, z, Real(1)}))};
}

template <class Real>
void measure_manifolds() {
  constexpr std::size_t kCount = 1024;
  Random random(1);
  std::vector<ShapeGeometry<Real>> boxes;
  for (std::size_t i = 0; i <= kCount; ++i) boxes.push_back(turned_box<Real>(random));
  Vec3<Real> const between{to_real<Real>(0.1), to_real<Real>(0.97), to_real<Real>(-0.2)};
  Manifold<Real> manifold;
  print("box - box manifold", numbers<Real>(), nanoseconds(kCount, [&] {
          for (std::size_t i = 0; i < kCount; ++i) {
            collide(boxes[i], boxes[i + 1], between, manifold);
            keep(manifold);
          }
        }));
}

/// Pairs of the general narrow phase in the poses of turned boxes: `gap_m` apart along y, below 0 deep in one another.
template <class Real>
void measure_convex_manifolds(const char* name, ShapeGeometry<Real> first, ShapeGeometry<Real> second, double gap_m) {
  constexpr std::size_t kCount = 256;
  Random random(1);
  std::vector<Mat3<Real>> rotations;
  for (std::size_t i = 0; i <= kCount; ++i) rotations.push_back(turned_box<Real>(random).rotation);
  Vec3<Real> const between{to_real<Real>(0.1), to_real<Real>(1.0 + gap_m), to_real<Real>(-0.2)};
  Manifold<Real> manifold;
  print(std::string(name) + (gap_m < 0 ? ", deep" : ", near"), numbers<Real>(), nanoseconds(kCount, [&] {
          for (std::size_t i = 0; i < kCount; ++i) {
            first.rotation = rotations[i];
            second.rotation = rotations[i + 1];
            collide(first, second, between, manifold);
            keep(manifold);
          }
        }));
}

template <class Real>
void measure_convex_manifolds() {
  Real const half = to_real<Real>(0.5);
  ShapeGeometry<Real> const box{ShapeKind::kBox, {half, half, half}, {}, nullptr};
  ShapeGeometry<Real> const cylinder{ShapeKind::kCylinder, {half, half, Real(0)}, {}, nullptr};
  auto const die = make_hull(test::icosahedron(0.55)).value();
  auto const ball = make_hull(test::ball_points(64, 0.5)).value();
  ShapeGeometry<Real> const hull20{ShapeKind::kHull, {}, {}, die.geometry.get()};
  ShapeGeometry<Real> const hull124{ShapeKind::kHull, {}, {}, ball.geometry.get()};
  for (double const gap_m : {0.0, -0.2}) {
    measure_convex_manifolds<Real>("box - cylinder manifold", box, cylinder, gap_m);
    measure_convex_manifolds<Real>("cylinder - cylinder manifold", cylinder, cylinder, gap_m);
    measure_convex_manifolds<Real>("hull - hull of 20 faces manifold", hull20, hull20, gap_m);
    measure_convex_manifolds<Real>("hull - hull of 124 faces manifold", hull124, hull124, gap_m);
  }
}

/// Contacts of four points between disjoint pairs of bodies: one colour, any width.
template <class Real>
void measure_solve(std::uint32_t lanes) {
  constexpr std::uint32_t kCount = 512;
  std::vector<SolverBody<Real>> bodies(2 * kCount + 1);
  std::vector<SolverMass<Real>> masses(2 * kCount + 1);
  std::vector<PreparedContact<Real>> contacts(kCount);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 1; i <= 2 * kCount; ++i) {
    masses[i] = {to_mass<Real>(0.001), to_sym_mat<Real>({0.006, 0.006, 0.006, 0, 0, 0})};
    bodies[i].linear_velocity[1] = i % 2 == 0 ? to_real<Real>(-0.04) : Real(0);
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    PreparedContact<Real>& contact = contacts[i];
    contact.body_a = 2 * i + 1;
    contact.body_b = 2 * i + 2;
    contact.dynamic_a = contact.dynamic_b = true;
    contact.between = {Real(0), Real(1), Real(0)};
    contact.friction = to_real<Real>(0.6);
    contact.manifold.normal = {Real(0), Real(1), Real(0)};
    contact.manifold.point_count = 4;
    for (std::uint32_t p = 0; p < 4; ++p) {
      Real const half = to_real<Real>(0.5);
      contact.manifold.points[p] = {{(p & 1u) != 0 ? half : -half, half, (p & 2u) != 0 ? half : -half}, to_real<Real>(-0.001), p};
    }
    order.push_back(i);
  }
  ContactParameters<Real> parameters;
  parameters.inverse_substep = Real(240);
  parameters.push_max = Real(3);
  parameters.soft = make_softness<Real>(240 * kContactHertzPerSubstepRate, kContactDampingRatio, 1.0 / 240);
  parameters.soft_static = parameters.soft;
  const ContactKernels<Real>& kernels = contact_kernels<Real>(lanes);
  std::size_t const block_count = kCount / kernels.lanes;
  std::vector<std::byte> memory(block_count * kernels.block_bytes + 64);
  auto const misfit = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
  std::byte* const blocks = memory.data() + (misfit == 0 ? 0 : 64 - misfit);
  kernels.fill(blocks, order, contacts, bodies, masses, parameters);
  print("solve a contact of 4 points, lanes " + std::to_string(kernels.lanes), numbers<Real>(),
        nanoseconds(kCount, [&] { kernels.solve(blocks, 0, block_count, bodies.data(), parameters, true); }));
}

template <class Real>
void measure_state() {
  auto world = test::make_world<Real>();
  test::add_ground(world);
  constexpr int kBodies = 200;
  for (int i = 0; i < kBodies; ++i) test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), test::at(1.5 * (i % 20), 0.5 + i / 20, 0));
  test::run(world, 30);
  print("hash, per body", numbers<Real>(), nanoseconds(kBodies, [&] { keep(world.hash()); }));
  std::vector<std::byte> image;
  print("save, per body", numbers<Real>(), nanoseconds(kBodies, [&] { image = world.save(); }));
  print("restore, per body", numbers<Real>(), nanoseconds(kBodies, [&] { keep(World<Real>::restore(image)); }));
  WorldSnapshot<Real> snapshot;
  world.capture(snapshot);
  print("capture, per body", numbers<Real>(), nanoseconds(kBodies, [&] { world.capture(snapshot); }));
  print("rollback, per body", numbers<Real>(), nanoseconds(kBodies, [&] { world.rollback(snapshot); }));
}

void measure_fixed() {
  constexpr std::size_t kCount = 4096;
  Random random(2);
  std::vector<Fixed> values;
  for (std::size_t i = 0; i <= kCount; ++i) values.emplace_back(random.next_between(0.001, 1000));
  auto const each = [&](auto operation) {
    return nanoseconds(kCount, [&] {
      for (std::size_t i = 0; i < kCount; ++i) keep(operation(values[i], values[i + 1]));
    });
  };
  print("multiply", "fixed", each([](Fixed a, Fixed b) { return a * b; }));
  print("divide", "fixed", each([](Fixed a, Fixed b) { return a / b; }));
  print("square root", "fixed", each([](Fixed a, Fixed) { return sqrt(a); }));
}

}  // namespace

int main() {
  std::printf("| kernel | numbers | ns |\n|---|---|---|\n");
  measure_manifolds<float>();
  measure_convex_manifolds<float>();
  measure_manifolds<Fixed>();
  for (std::uint32_t const lanes : {1u, 4u, 8u, 16u}) measure_solve<float>(lanes);
  measure_solve<Fixed>(1);
  measure_state<float>();
  measure_state<Fixed>();
  measure_fixed();
}
