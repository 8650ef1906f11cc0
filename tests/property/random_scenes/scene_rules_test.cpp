// The rules of tests/random_scenes: a scene that breaks one is found, each rule by a scene that breaks no
// other, and what must not count as a fault does not.
#include "tests/random_scenes/scene_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/random_scene/draw_scene.h"

namespace takt::test {
namespace {

/// A scene of the bodies, in a region of 10 m about the origin; energy is judged.
sim::RandomScene scene_of(const std::string& bodies, const std::string& world = "{}") {
  sim::RandomScene random;
  random.name = "planted";
  random.json = "{\"world\": " + world + ", \"bodies\": [" + bodies + "]}";
  random.low_m = {-10, 0, -10};
  random.high_m = {10, 10, 10};
  return random;
}
const std::string kFloor = R"({"name": "floor", "type": "static", "shapes": [{"half_space": {}}]},)";

class SceneRules : public testing::TestWithParam<NumbersMode> {
 protected:
  [[nodiscard]] RuleStats check(const sim::RandomScene& random) const {
    return check_rules(random, {.numbers = GetParam(), .seconds = 4, .step = {}});
  }
};
INSTANTIATE_TEST_SUITE_P(BothModes, SceneRules, testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

TEST_P(SceneRules, ABoxThatFallsAndRestsBreaksNone) {
  RuleStats const stats = check(scene_of(kFloor + R"({"position": [0, 3, 0], "shapes": [{"box": {}}]})"));
  EXPECT_EQ(stats.broken_rules, 0u) << broken_text(stats);
  EXPECT_EQ(stats.body_count, 1u);
  EXPECT_NEAR(stats.first_energy_j, 1000 * 9.81 * 3, 1);
  EXPECT_GT(stats.peak_m_s, 6);  // sqrt(2 g 2.5) = 7.0
  EXPECT_LE(stats.fastest_m_s, stats.speed_bound_m_s);
}

TEST_P(SceneRules, AMotorOfAPassiveSceneBreaksEnergy) {
  sim::RandomScene random = scene_of(
      R"({"name": "wall", "type": "static", "position": [0, 5, -2], "shapes": [{"box": {}}]},
         {"name": "fan", "position": [0, 5, 0], "shapes": [{"box": {"size": [4, 0.2, 0.2]}}]})",
      R"({"gravity": [0, 0, 0]})");
  random.json.insert(random.json.size() - 1,
                     R"(, "joints": [{"kind": "revolute", "a": "wall", "b": "fan", "anchor": [0, 5, 0],
                         "axis": [0, 0, 1], "axes": [{"axis": "angular_x", "motor": {"speed": 4, "max": 500}}]}])");
  random.json.replace(random.json.find("\"fan\","), 6, "\"fan\", \"angular_velocity\": [0, 0, 1],");
  EXPECT_EQ(check(random).broken_rules, kRuleEnergy);
  random.is_passive = false;
  EXPECT_EQ(check(random).broken_rules, 0u);
}

TEST_P(SceneRules, ABodyFasterThanItsFallBreaksSpeed) {
  sim::RandomScene random =
      scene_of(R"({"position": [-9, 5, 0], "velocity": [4, 0, 0], "shapes": [{"sphere": {}}]})",
               R"({"gravity": [0, 0, 0]})");
  random.start_speed_m_s = 1;
  EXPECT_EQ(check(random).broken_rules, kRuleSpeed);
  random.start_speed_m_s = 4;
  EXPECT_EQ(check(random).broken_rules, 0u);
}

TEST_P(SceneRules, ABodyThatLeavesTheRegionAndComesBackBreaksEscape) {
  sim::RandomScene random =
      scene_of(kFloor + R"({"position": [0, 5, 0], "velocity": [0, 12, 0], "shapes": [{"sphere": {}}]})");
  random.start_speed_m_s = 12;
  RuleStats const stats = check(random);
  EXPECT_EQ(stats.broken_rules, kRuleEscape);
  EXPECT_EQ(stats.escaped_count, 1u);
}

TEST_P(SceneRules, ABodyThatFallsBesideAnOpenFloorIsNoEscape) {
  sim::RandomScene random = scene_of(R"({"position": [6, 0.5, 0], "shapes": [{"sphere": {}}]})");
  random.is_inelastic = false;  // its speed is not judged
  EXPECT_EQ(check(random).broken_rules, kRuleEscape);
  random.floor_half_m = 5;
  EXPECT_EQ(check(random).broken_rules, 0u);
}

TEST_P(SceneRules, ABodyPressedIntoASoftFloorIsNoEscapeButOneBelowItIs) {
  std::string const box = R"({"position": [0, 0.5, 0], "shapes": [{"box": {}, "density": 1}]},)";
  sim::RandomScene random = scene_of(
      R"({"type": "static", "shapes": [{"half_space": {}, "softness": {"frequency": {"hertz": 1.5}}}]},)" +
      box + R"({"position": [0, 1.5, 0], "shapes": [{"box": {}, "density": 10}]})");
  random.is_passive = false;
  EXPECT_NE(check(random).broken_rules & kRuleEscape, 0u);
  random.has_soft_contacts = true;
  RuleStats const stats = check(random);
  EXPECT_EQ(stats.broken_rules, 0u) << broken_text(stats);
  sim::RandomScene falls = scene_of(box.substr(0, box.size() - 1));
  falls.has_soft_contacts = true;
  EXPECT_NE(check(falls).broken_rules & kRuleEscape, 0u);
}

/// Two balls of 1 m whose centres a spring of `spring` pulls to a distance of 0.4 m, against a contact of 1
/// Hz.
sim::RandomScene pressed_balls(const std::string& spring) {
  sim::RandomScene random = scene_of(
      R"({"name": "left", "position": [-0.5, 5, 0], "shapes":
           [{"sphere": {}, "density": 1, "softness": {"frequency": {"hertz": 1}}}]},
         {"name": "right", "position": [0.5, 5, 0], "shapes": [{"sphere": {}, "density": 1}]})",
      R"({"gravity": [0, 0, 0]})");
  random.json.insert(
      random.json.size() - 1,
      R"(, "joints": [{"kind": "distance", "a": "left", "b": "right", "collide_connected": true,
       "anchor": [-0.5, 5, 0], "anchor_b": [0.5, 5, 0], "length": 0.4, "softness": )" +
          spring + "}]");
  random.is_passive = false;
  random.start_speed_m_s = 10;
  return random;
}

// A spring of 200 N/m is stiffer than the contact of balls of 0.5 kg, and weak beside that of 500 kg.
TEST_P(SceneRules, BodiesPressedDeeperThanOnesOfEqualDensitiesBreakPenetration) {
  sim::RandomScene random = pressed_balls(R"({"spring": {"stiffness": 200, "damping": 5}})");
  EXPECT_EQ(check(random).broken_rules, kRulePenetration);
  random.has_soft_contacts = true;
  EXPECT_EQ(check(random).broken_rules, 0u);
}

TEST_P(SceneRules, OverlapThatEqualDensitiesHaveTooIsNoFault) {
  RuleStats const stats = check(pressed_balls(R"({"frequency": {"hertz": 3}})"));
  EXPECT_EQ(stats.broken_rules, 0u);
  EXPECT_GT(stats.penetration, kPenetrationMax);
  EXPECT_NEAR(stats.equal_penetration, stats.penetration, 0.01);
}

TEST_P(SceneRules, DampingBreaksMomentum) {
  sim::RandomScene random = scene_of(
      R"({"position": [0, 5, 0], "velocity": [1, 0, 0], "linear_damping": 0.1, "shapes": [{"sphere": {}}]})",
      R"({"gravity": [0, 0, 0]})");
  random.start_speed_m_s = 1;
  RuleStats const stats = check(random);
  EXPECT_EQ(stats.broken_rules, kRuleMomentum);
  EXPECT_EQ(stats.flight_tick_count, 240u);
}

TEST_P(SceneRules, ACrowdInFreeFallIsJudgedBesideItsFall) {
  sim::RandomScene random =
      scene_of(R"({"position": [-2, 0, 0], "velocity": [3, 0, 0], "shapes": [{"sphere": {}}]},
                  {"position": [2, 0, 0], "velocity": [-3, 0, 0], "shapes": [{"sphere": {"radius": 0.2}}]})");
  random.family = sim::RandomFamily::kCrowd;
  random.low_m = {-1e6, -1e6, -1e6};
  random.start_speed_m_s = 3;
  RuleStats const stats = check(random);
  EXPECT_EQ(stats.broken_rules, 0u) << broken_text(stats);
  EXPECT_LT(stats.peak_m_s, 3.01);
}

TEST(SceneRulesText, NamesEachBrokenRuleWithItsBound) {
  RuleStats stats;
  stats.rise = 0.5;
  stats.fastest_m_s = 12;
  stats.speed_bound_m_s = 3;
  stats.escaped_count = 2;
  stats.broken_rules = kRuleEnergy | kRuleSpeed | kRuleEscape;
  EXPECT_EQ(broken_text(stats),
            "energy rises by 50 % (5) of the first, ends 0 % (0.1) above it, fastest 12 m/s (3), 2 bodies "
            "escaped (0)");
  EXPECT_EQ(broken_text({}), "");
}

// The positions of bodies at tick 0 overlap by as much as the scene intends, and no more than 60 nm besides.
TEST(RandomSceneStart, BodiesOverlapOnlyAsIntended) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    sim::RandomScene const random = sim::random_scene(seed);
    RuleStats const stats = check_rules(random, {.numbers = NumbersMode::kFixed, .seconds = 0, .step = {}});
    EXPECT_LE(stats.start_overlap_m, random.start_overlap_m + 1e-6) << random.name;
    EXPECT_EQ(stats.escaped_count, 0u) << random.name;
    EXPECT_LE(stats.peak_m_s, random.start_speed_m_s + 1e-6) << random.name;
  }
}

}  // namespace
}  // namespace takt::test
