#include "client_sdk/cpp/replica/visual_offset.h"

#include <gtest/gtest.h>

#include <cmath>

namespace takt::client {
namespace {

sim::Simulation box_at(double x, double degrees = 0) {
  auto const scene =
      sim::load_scene(R"({"bodies": [{"position": [)" + std::to_string(x) + R"(,2,0], "euler_degrees": [0,)" +
                          std::to_string(degrees) + R"(,0], "shapes": [{"box": {}}]}]})",
                      "box");
  return *sim::Simulation::create(*scene, NumbersMode::kFloat);
}

double drawn_x(const VisualOffsets& offsets, const sim::Simulation& simulation) {
  std::vector<DrawnBody> drawn;
  offsets.draw(simulation, drawn);
  return static_cast<double>(drawn.at(0).position.x_raw) * 0x1p-32;
}

TEST(VisualOffsets, ARollbackMovesNothingAtOnceAndEverythingInTheEnd) {
  VisualOffsets offsets;
  sim::Simulation const before = box_at(1.5, 20);
  sim::Simulation const after = box_at(1, -10);
  offsets.hold(before);
  offsets.release(after);
  EXPECT_NEAR(drawn_x(offsets, after), 1.5, 1e-6);
  std::vector<DrawnBody> drawn;
  offsets.draw(after, drawn);
  EXPECT_NEAR(drawn[0].rotation.y, std::sin(10 * 3.14159265 / 180), 1e-5);
  double last = 0.5;
  for (int frame = 0; frame < 400; ++frame) {
    offsets.decay(1.0 / 60);
    double const offset = drawn_x(offsets, after) - 1;
    EXPECT_LT(offset, last + 1e-12);
    last = offset;
  }
  EXPECT_EQ(offsets.greatest_m(), 0);
  EXPECT_EQ(drawn_x(offsets, after), 1);
}

TEST(VisualOffsets, AnOffsetLastsTheSameTimeAtAnyRateOfFrames) {
  auto const after_a_quarter = [](int frames) {
    VisualOffsets offsets;
    offsets.hold(box_at(1.2));
    offsets.release(box_at(1));
    for (int frame = 0; frame < frames; ++frame) offsets.decay(0.25 / frames);
    return offsets.greatest_m();
  };
  EXPECT_NEAR(after_a_quarter(15), 0.2 * std::pow(VisualOffsets::kDecaySmall, 15), 1e-9);
  EXPECT_NEAR(after_a_quarter(250), after_a_quarter(15), 1e-9);
}

TEST(VisualOffsets, AFarBodySnaps) {
  VisualOffsets offsets;
  offsets.hold(box_at(5));
  sim::Simulation const after = box_at(1);
  offsets.release(after);
  EXPECT_EQ(drawn_x(offsets, after), 1);
  offsets.hold(box_at(1, 80));
  offsets.release(after);
  std::vector<DrawnBody> drawn;
  offsets.draw(after, drawn);
  EXPECT_NEAR(drawn[0].rotation.y, 0, 1e-9);
}

}  // namespace
}  // namespace takt::client
