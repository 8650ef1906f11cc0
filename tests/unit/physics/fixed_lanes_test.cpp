// Eight lanes of fixed mode against one lane: preparation, passes and stored impulses of random contacts have
// equal bits and equal overflow counts. Magnitudes range from everyday values over the bounds of the lanes to
// saturation.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "physics/base/aligned_buffer.h"
#include "physics/constraints/softness.h"
#include "physics/contact_solver/contact_constraint.h"
#include "takt/core/random.h"

namespace takt {
namespace {

constexpr std::uint32_t kContacts = 61;  // the last block has empty lanes
constexpr std::uint32_t kPlain = 32;     // contacts from this index on are special

/// Magnitudes as powers of two. Masses range from 2^-mass to 2^mass kg.
struct Sizes {
  const char* name;
  int arm;
  int velocity;
  int impulse;
  int mass;
  bool coarse = false;  ///< values with few bits, so that many products are ties in rounding
};

class Draw {
 public:
  Draw(const Sizes& sizes, std::uint64_t seed) : sizes_(sizes), random_(seed, 1) {}

  /// A value of magnitude up to 2^power.
  Fixed number(int power) {
    if (random_.next_below(8) == 0) return Fixed{};
    auto raw = static_cast<std::int64_t>(random_.next_u64() >> 1u) >> (31 - power);
    raw >>= random_.next_below(6);
    if (sizes_.coarse) raw = ((raw >> 15) | 1) << (15 + random_.next_below(2));
    return Fixed::from_raw(random_.next_below(2) == 0 ? raw : -raw);
  }
  Fixed positive(int power) { return absolute(number(power)); }
  Vec3<Fixed> vector(int power) { return {number(power), number(power), number(power)}; }
  Vec3<Fixed> unit() {
    Vec3<Fixed> v{};
    v.y = Fixed(1);
    if (random_.next_below(4) == 0) return v;
    v = {to_real<Fixed>(random_.next_between(-1, 1)), to_real<Fixed>(random_.next_between(-1, 1)),
         to_real<Fixed>(random_.next_between(-1, 1))};
    return normalise_or(v, Vec3<Fixed>{Fixed(0), Fixed(0), Fixed(1)}, Fixed(0));
  }
  /// 1/kg.
  double inverse_mass() {
    double const power = random_.next_between(-sizes_.mass, sizes_.mass);
    double const size = std::exp2(sizes_.coarse ? std::floor(power) : power);
    return random_.next_below(16) == 0 ? 0.0 : size;
  }
  SolverMass<Fixed> mass() {
    double const m = inverse_mass();
    double const r = std::exp2(random_.next_between(-2, 6));  // inertia per mass of bodies of some 10 cm
    return {to_mass<Fixed>(m), to_sym_mat<Fixed>({m * r, m * r * 1.25, m * r * 0.75, m * r * 0.125,
                                                  -m * r * 0.25, m * r * 0.0625})};
  }
  std::uint32_t below(std::uint32_t bound) { return random_.next_below(bound); }

 private:
  Sizes sizes_;
  Random random_;
};

/// Contacts without a common body, so all have one colour.
struct Crowd {
  std::vector<SolverBody<Fixed>> bodies{2 * kContacts + 1};
  std::vector<SolverMass<Fixed>> masses{2 * kContacts + 1};
  std::vector<PreparedContact<Fixed>> contacts{kContacts};
  ContactParameters<Fixed> parameters;
};

Crowd crowd_of(const Sizes& sizes, std::uint64_t seed) {
  Draw draw(sizes, seed);
  Crowd crowd;
  for (std::uint32_t i = 1; i <= 2 * kContacts; ++i) {
    crowd.masses[i] = draw.mass();
    set_row(crowd.bodies[i].linear_velocity, draw.vector(sizes.velocity));
    set_row(crowd.bodies[i].angular_velocity, draw.vector(sizes.velocity));
    set_row(crowd.bodies[i].delta_position, draw.vector(sizes.velocity - 8));
    set_row(crowd.bodies[i].delta_rotation, draw.vector(sizes.velocity - 8));
  }
  for (std::uint32_t i = 0; i < kContacts; ++i) {
    PreparedContact<Fixed>& contact = crowd.contacts[i];
    contact.dynamic_a = draw.below(4) != 0;
    contact.dynamic_b = !contact.dynamic_a || draw.below(4) != 0;
    contact.body_a = contact.dynamic_a ? 2 * i + 1 : 0;
    contact.body_b = contact.dynamic_b ? 2 * i + 2 : 0;
    contact.cached.delta_center = draw.vector(sizes.arm);
    contact.friction = draw.positive(0);
    contact.restitution = draw.below(4) == 0 ? Fixed(1) : Fixed(0);
    contact.manifold.normal = draw.unit();
    contact.manifold.point_count = 1 + draw.below(4);
    for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p) {
      contact.manifold.points[p].position = draw.vector(sizes.arm);
      contact.manifold.points[p].separation = draw.number(-6);
      contact.impulses[p] = draw.positive(sizes.impulse);
    }
    contact.friction_impulse = draw.vector(sizes.impulse);
    contact.twist_impulse = draw.number(sizes.impulse);
    contact.anchor_offset = draw.vector(-8);
    contact.twist_offset = draw.number(-8);
    if (i < kPlain) continue;
    contact.special = true;
    contact.rolling_reach = draw.positive(-4);
    contact.rolling_impulse = draw.vector(sizes.impulse);
    contact.slide = draw.vector(sizes.velocity);
    static const Softness kSoft = Softness::frequency(20.0, 0.5);
    if (draw.below(2) == 0) contact.soft_a = &kSoft;
  }
  crowd.parameters.inverse_substep = Fixed(240);
  crowd.parameters.push_max = Fixed(3);
  crowd.parameters.restitution_threshold = Fixed(1);
  crowd.parameters.soft = make_softness<Fixed>(50, 10, 1.0 / 240);
  crowd.parameters.soft_joined = crowd.parameters.soft;
  crowd.parameters.soft_static = make_softness<Fixed>(100, 5, 1.0 / 240);
  return crowd;
}

std::string raw_of(Fixed v) { return std::to_string(v.raw()) + ' '; }
std::string raw_of(Vec3<Fixed> v) { return raw_of(v.x) + raw_of(v.y) + raw_of(v.z); }

/// The compared values as text: the result of a tick of the crowd with this number of lanes.
std::vector<std::string> story_of(Crowd crowd, std::uint32_t lanes) {
  const ContactKernels<Fixed>& kernels = contact_kernels<Fixed>(lanes, kContacts);
  EXPECT_EQ(kernels.lanes, lanes);
  // An empty lane at the end of either kind.
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < kContacts; ++i) order.push_back(i);
  while (order.size() % lanes != 0) order.push_back(0xffffffffu);
  std::size_t const blocks = order.size() / lanes;
  AlignedBuffer block_memory;
  AlignedBuffer extra_memory;
  BlockMemory const memory{block_memory.reserve(blocks * kernels.block_bytes),
                           extra_memory.reserve(blocks * kernels.extra_bytes), kPlain / lanes};
  ContactTask<Fixed> const task{order, crowd.contacts, crowd.masses, crowd.bodies};
  std::vector<std::string> story;
  auto const tell = [&](const std::string& stage) {
    for (std::uint32_t i = 1; i <= 2 * kContacts; ++i) {
      story.push_back(stage + ", body " + std::to_string(i) + ": " +
                      raw_of(vector_of(crowd.bodies[i].linear_velocity)) +
                      raw_of(vector_of(crowd.bodies[i].angular_velocity)));
    }
    story.push_back(stage + ", overflows: " + std::to_string(take_fixed_overflow_count()));
  };
  (void)take_fixed_overflow_count();
  kernels.fill(kernels, memory, 0, blocks, task, crowd.parameters);
  tell("prepared");
  auto const each_kind = [&](const auto& pass) {
    pass(std::size_t{0}, memory.first_special);
    pass(memory.first_special, blocks);
  };
  each_kind([&](std::size_t first, std::size_t end) {
    kernels.warm_start(memory, first, end, crowd.bodies.data());
  });
  tell("warm");
  for (int substep = 0; substep < 2; ++substep) {
    for (bool const biased : {true, false}) {
      each_kind([&](std::size_t first, std::size_t end) {
        kernels.solve(memory, first, end, crowd.bodies.data(), crowd.parameters, biased);
      });
      tell(biased ? "biased" : "relaxed");
    }
  }
  story.push_back("points " + std::to_string(kernels.store_impulses(kernels, memory, 0, blocks, task)));
  tell("stored");
  for (std::uint32_t i = 0; i < kContacts; ++i) {
    const PreparedContact<Fixed>& contact = crowd.contacts[i];
    std::string line = "contact " + std::to_string(i) + ": " + raw_of(contact.normal_velocity) +
                       std::to_string(contact.hit_point) + ' ';
    for (Fixed const impulse : contact.impulses) line += raw_of(impulse);
    story.push_back(line + raw_of(contact.friction_impulse) + raw_of(contact.twist_impulse) +
                    raw_of(contact.anchor_offset) + raw_of(contact.twist_offset) +
                    raw_of(contact.rolling_impulse) + raw_of(contact.total_impulse) +
                    (contact.touching ? "touches" : ""));
  }
  return story;
}

class FixedLanesTest : public testing::TestWithParam<Sizes> {};

TEST_P(FixedLanesTest, EightHaveTheBitsOfOne) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Crowd const crowd = crowd_of(GetParam(), seed);
    std::vector<std::string> const one = story_of(crowd, 1);
    std::vector<std::string> const eight = story_of(crowd, 8);
    ASSERT_EQ(one.size(), eight.size());
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_EQ(one[i], eight[i]) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, FixedLanesTest,
    testing::Values(Sizes{"everyday", 0, 4, 4, 4}, Sizes{"everyday_coarse", 0, 4, 4, 4, true},
                    Sizes{"tiny", -8, -4, -12, 20}, Sizes{"impulses_at_the_bounds", -1, -1, 10, 20},

                    Sizes{"light_and_heavy", 0, 4, 0, 28}, Sizes{"light_and_heavy_coarse", 2, 4, 2, 28, true},
                    Sizes{"at_the_bounds", 10, 12, 12, 10}, Sizes{"past_the_bounds", 12, 14, 14, 10},
                    Sizes{"past_the_bounds_coarse", 11, 13, 13, 6, true},
                    Sizes{"overflowing", 20, 29, 29, 20}),
    [](const auto& at) { return at.param.name; });

// Impulses of more than 52 bits wrap in the lanes, and so did the friction limit computed from them. It fell
// below 0, where the clamp divided by zero.
TEST(FixedLanesTest, LoadsPast52BitsHaveTheBitsOfOne) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Crowd crowd = crowd_of({"everyday", 0, 4, 4, 4}, seed);
    for (std::uint32_t i = 0; i < kContacts; ++i) {
      PreparedContact<Fixed>& contact = crowd.contacts[i];
      contact.friction = Fixed(1 << i % 14);
      contact.friction_impulse = {};
      std::int64_t const around = std::int64_t{1 + i % 5} << (44 + i % 12);
      for (std::uint32_t p = 0; p < contact.manifold.point_count; ++p) {
        // The fourth difference wraps, so that sums fall below 0 as well.
        contact.impulses[p] = Fixed::from_raw(around - std::int64_t{2 - p} * (std::int64_t{1} << i % 30));
      }
    }
    std::vector<std::string> const one = story_of(crowd, 1);
    std::vector<std::string> const eight = story_of(crowd, 8);
    ASSERT_EQ(one.size(), eight.size());
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_EQ(one[i], eight[i]) << "seed " << seed;
  }
}

TEST(FixedLanesTest, OverflowingCrowdsDoOverflow) {
  Sizes const sizes{"overflowing", 20, 29, 29, 20};
  std::vector<std::string> const story = story_of(crowd_of(sizes, 1), 1);
  bool some = false;
  for (const std::string& line : story)
    some = some || (line.starts_with("biased, overflows: ") && line != "biased, overflows: 0");
  EXPECT_TRUE(some);
}

#if defined(__x86_64__)
TEST(FixedLanesTest, EightAreTakenWhereTheProcessorHasThem) {
  bool const has = __builtin_cpu_supports("avx512ifma") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
                   __builtin_cpu_supports("avx512dq") != 0;
  EXPECT_EQ(contact_kernels<Fixed>(0, 1000).lanes, has ? 8u : 1u);
  EXPECT_EQ(contact_kernels<Fixed>(0, 1).lanes, 1u);
  EXPECT_EQ(contact_kernels<Fixed>(8, 1000).prepare_lanes != nullptr, has);
}
#endif

}  // namespace
}  // namespace takt
