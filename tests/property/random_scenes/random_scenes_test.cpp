// Every random scene keeps the rules of tests/random_scenes/scene_rules.h, in both numbers modes. `./dev
// wild` runs other seeds; `./dev run --wild SEED` shows one. A seed that failed once is a case of its own
// here. Times are measured by the program random_scenes: no test asserts a speed.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "sim/random_scene/draw_scene.h"
#include "tests/random_scenes/scene_rules.h"

namespace takt::test {
namespace {

constexpr std::uint64_t kSeeds = 120;

/// Seeds that still break a rule (docs/adr/0018, Open): those rules alone are not asserted for them.
struct OpenSeed {
  std::uint64_t seed;
  std::uint32_t rules;
};
constexpr OpenSeed kOpenSeeds[] = {
    {33, kRulePenetration},   // a tower, 11 % in fixed mode
    {74, kRulePenetration},   // a tower, 11 %
    {115, kRulePenetration},  // a tower with two substeps, 32 %
    {262, kRulePenetration},  // a pit with one substep, 48 % in fixed mode where equal densities have 20 %
};

std::uint32_t open_rules(std::uint64_t seed) {
  for (const OpenSeed& open : kOpenSeeds) {
    if (open.seed == seed) return open.rules;
  }
  return 0;
}

RuleStats check_seed(std::uint64_t seed, NumbersMode numbers) {
  sim::RandomScene const random = sim::random_scene(seed);
  RuleStats const stats = check_rules(random, {.numbers = numbers, .seconds = 4, .step = {}});
  EXPECT_EQ(stats.broken_rules & ~open_rules(seed), 0u)
      << "seed " << seed << " (" << name_of(random.family) << "): " << broken_text(stats)
      << "; see './dev run --wild " << seed << "'";
  return stats;
}

double quantile(std::vector<double> values, double fraction) {
  std::ranges::sort(values);
  return values.at(static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1)));
}

class RandomScenes : public testing::TestWithParam<NumbersMode> {};
INSTANTIATE_TEST_SUITE_P(BothModes, RandomScenes, testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                         [](const auto& numbers) {
                           return numbers.param == NumbersMode::kFloat ? "Float" : "Fixed";
                         });

TEST_P(RandomScenes, KeepTheRules) {
  std::vector<double> rises, penetrations;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    RuleStats const stats = check_seed(seed, GetParam());
    if (sim::random_scene(seed).is_passive) rises.push_back(stats.rise);
    penetrations.push_back(stats.penetration);
  }
  EXPECT_LE(quantile(rises, 0.95), kRiseP95Max);
  EXPECT_LE(quantile(penetrations, 0.5), kPenetrationMedianMax);
}

// Four contacts a body, and so sixteen triangles: some scenes with a mesh or height field have more, and must
// behave as they do without a limit.
TEST_P(RandomScenes, WithSurfacesKeepTheRulesUnderALimitOfContacts) {
  std::uint32_t cut_scenes = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    sim::RandomScene const random = sim::random_scene(seed);
    bool const has_surface = random.json.find("\"mesh\"") != std::string::npos ||
                             random.json.find("\"height_field\"") != std::string::npos;
    if (!has_surface) continue;
    RuleStats const stats =
        check_rules(random, {.numbers = GetParam(), .seconds = 4, .step = {}, .contacts_per_body = 4});
    EXPECT_EQ(stats.broken_rules & ~open_rules(seed), 0u) << "seed " << seed << ": " << broken_text(stats);
    if (stats.cut_tick_count > 0) ++cut_scenes;
  }
  EXPECT_GT(cut_scenes, 4u) << "the limit must act";
}

TEST(OpenSeeds, StillBreakTheirRules) {
  for (const OpenSeed& open : kOpenSeeds) {
    std::uint32_t broken = 0;
    for (NumbersMode const numbers : {NumbersMode::kFloat, NumbersMode::kFixed})
      broken |= check_rules(sim::random_scene(open.seed), {.numbers = numbers, .seconds = 4, .step = {}})
                    .broken_rules;
    EXPECT_NE(broken & open.rules, 0u) << "seed " << open.seed << " is mended; take it out of kOpenSeeds";
  }
}

/// A seed that failed, with the symptom in its name.
struct FailedSeed {
  std::uint64_t seed;
  const char* name;
};
void PrintTo(const FailedSeed& failed, std::ostream* out) { *out << "seed " << failed.seed; }

class OnceFailed : public testing::TestWithParam<FailedSeed> {};
INSTANTIATE_TEST_SUITE_P(RandomScenes, OnceFailed,
                         testing::Values(FailedSeed{205, "ABallThrewLightBodiesAt1945MetresASecond"},
                                         FailedSeed{216, "ABallInLightBodiesRaisedEnergySixfold"},
                                         FailedSeed{222, "ATowerShotABoxThroughTheFloor"},
                                         FailedSeed{258, "APitRaisedEnergyAMillionfold"},
                                         FailedSeed{262, "APitPressedBodiesIntoOneAnother"},
                                         FailedSeed{267, "ABallSankIntoLightBodies"},
                                         FailedSeed{287, "ASlabShotBodiesFromBelowItAt669MetresASecond"},
                                         FailedSeed{289, "ASlabShotABodyOutInFixedMode"},
                                         FailedSeed{299, "ATowerThrewItsBoxesAt102MetresASecond"},
                                         FailedSeed{304, "ALoadPressedABodyThroughAMesh"},
                                         FailedSeed{514, "APulleyLiftedTheBodyThatItLetFall"},
                                         FailedSeed{557, "ALightBodyThrewUpTheSlabAboveIt"},
                                         FailedSeed{1050, "ATumblingBodyHungInAnother"},
                                         FailedSeed{1099, "ALightBodyKeptTheImpulseOfTheSlabThatLeft"},
                                         FailedSeed{1484, "ABallThatRanOffTheFloorCountedAsEscaped"},
                                         FailedSeed{2365, "ATowerOfSmallStepsThrewABoxAt1468MetresASecond"},
                                         FailedSeed{2758, "ATowerOfSmallStepsThrewABoxAt592MetresASecond"}),
                         [](const auto& failed) { return failed.param.name; });

TEST_P(OnceFailed, KeepsTheRulesNow) {
  (void)check_seed(GetParam().seed, NumbersMode::kFloat);
  (void)check_seed(GetParam().seed, NumbersMode::kFixed);
}

}  // namespace
}  // namespace takt::test
