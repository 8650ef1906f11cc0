// The bounds of the impacts of a substep (physics/contact_solver/restitution_solver.h). Rows of balls stand
// between two walls and all touch: one ball's motion runs to a wall and back, again and again, at no loss.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "physics/contact_solver/restitution_solver.h"
#include "tests/unit/physics/joint_scene.h"

namespace takt {
namespace {

/// Rows of wall, three balls of 1 kg and wall, along x. The first ball of each row moves at 1 m/s.
struct TouchingRows {
  JointScene scene;
  std::vector<PreparedContact<float>> contacts;
  std::vector<ContactBodies> contact_bodies;

  explicit TouchingRows(std::uint32_t rows) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      std::uint32_t before = 0;  // the wall
      for (int i = 0; i < 3; ++i) {
        BodyId const ball = scene.add_body({static_cast<double>(i), 0, 3.0 * row}, 1.0);
        if (i == 0) scene.set_velocity(ball, {1, 0, 0}, {});
        touch(before, scene.index_of(ball));
        before = scene.index_of(ball);
      }
      touch(before, 0);
    }
  }
  /// Solves one substep; returns the sum of all impulses, N s.
  double solve() {
    RestitutionSolver<float> solver;
    solver.begin({contacts, scene.solver, scene.masses, scene.moving, &scene.state, 0.01, 1.0 / 240.0,
                  1.0 / 60.0, contact_bodies});
    (void)solver.solve();
    solver.settle();
    double sum = 0.0;
    for (const PreparedContact<float>& contact : contacts) sum += static_cast<double>(contact.total_impulse);
    return sum;
  }
  [[nodiscard]] double energy_j() const {
    double sum = 0.0;
    for (const SolverBody<float>& body : scene.solver)
      sum += 0.5 * dot(doubles_of(body.linear_velocity), doubles_of(body.linear_velocity));
    return sum;
  }

 private:
  void touch(std::uint32_t a, std::uint32_t b) {
    PreparedContact<float> contact;
    contact.key = contacts.size() + 1;
    contact.body_a = a;
    contact.body_b = b;
    contact.dynamic_a = a != 0;
    contact.dynamic_b = b != 0;
    contact.manifold.normal = {1, 0, 0};
    contact.manifold.point_count = 1;
    contact.manifold.points[0].position = {0.5f, 0, 0};
    contact.cached.delta_center = {1, 0, 0};
    contact.restitution = 1.0f;
    contacts.push_back(contact);
    contact_bodies.push_back(contact_bodies_of(contact));
  }
};

TEST(RestitutionSolver, AnImpactRunsThroughARowAndBack) {
  TouchingRows one(1);
  // A ball hands 1 N s on and a wall returns 2. Each of the four contacts bounces eight times at most.
  double const impulse = one.solve();
  EXPECT_GE(impulse, 8.0);
  EXPECT_LE(impulse, 8.0 * (1 + 1 + 2 + 2));
  EXPECT_NEAR(one.energy_j(), 0.5, 1e-6);
}

TEST(RestitutionSolver, ImpactsThatNeverEndAreBoundedAndEachRowIsOnItsOwn) {
  constexpr std::uint32_t kRows = 500;
  TouchingRows one(1);
  TouchingRows many(kRows);
  double const impulse_n_s = one.solve();
  EXPECT_NEAR(many.solve(), kRows * impulse_n_s, 1e-3);
  EXPECT_NEAR(many.energy_j(), 0.5 * kRows, 1e-3);
}

}  // namespace
}  // namespace takt
