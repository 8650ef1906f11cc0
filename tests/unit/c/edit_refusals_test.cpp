// Texts of refused edits: each number of each definition, beyond each of its bounds, is named with its value
// and its range, and the bounds themselves are accepted. The table lists all members of the structs of
// abi_baseline.txt, so that a new member cannot be forgotten.
#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/c/c_scene.h"

namespace takt::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string shown(double number) {
  if (std::isinf(number)) return number > 0 ? "infinity" : "-infinity";
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

// The text of the last failure without the name of the function.
std::string last_text() {
  std::string const text = takt_last_error();
  return text.substr(text.find(": ") + 2);
}

struct MemberPlace {
  std::size_t offset = 0;
  std::size_t count = 1;
  bool is_double = false;
};

// Members of a struct as abi_baseline.txt has them, by their names.
std::map<std::string, MemberPlace> members_of(const std::string& name) {
  std::ifstream file(TAKT_SOURCE_DIR "/tests/unit/c/abi_baseline.txt");
  std::regex const pattern("struct " + name + R"(: (\w+) (\w+?)(?:\[(\d+)\])? at (\d+))");
  std::map<std::string, MemberPlace> members;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, pattern)) continue;
    members[match[1]] = {std::stoul(match[4]), match[3].matched ? std::stoul(match[3]) : 1,
                         match[2] == "f64"};
  }
  return members;
}

enum class Kind { kNumbers, kLength, kUnit };

struct Row {
  std::string member;
  std::vector<double> good;
  std::vector<double> bad;  // NaN comes by itself
  std::string allowed;
  Kind kind = Kind::kNumbers;
};

// One struct in one use, with a valid value.
struct Case {
  std::string name;
  std::vector<unsigned char> base;
  std::function<takt_status(const void*)> give;
  std::vector<Row> rows;
};

template <class Struct, class Give>
Case make_case(std::string name, const Struct& base, Give give, std::vector<Row> rows) {
  std::vector<unsigned char> bytes(sizeof base);
  std::memcpy(bytes.data(), &base, sizeof base);
  return {std::move(name), bytes, [give](const void* s) { return give(static_cast<const Struct*>(s)); },
          std::move(rows)};
}

std::vector<unsigned char> with(const Case& of, const MemberPlace& place, std::size_t index, double value) {
  std::vector<unsigned char> made = of.base;
  auto const whole = place.is_double ? 0u : static_cast<std::uint32_t>(value);
  if (place.is_double)
    std::memcpy(made.data() + place.offset + 8 * index, &value, sizeof value);
  else
    std::memcpy(made.data() + place.offset, &whole, sizeof whole);
  return made;
}

std::string expected_text(const Case& of, const Row& row, const MemberPlace& place, std::size_t index,
                          double bad) {
  bool const is_number = row.kind == Kind::kNumbers || !std::isfinite(bad);
  std::string const at = place.count > 1 ? "[" + std::to_string(index) + "]" : "";
  if (is_number) return row.member + at + " is " + shown(bad) + ": allowed is " + row.allowed;
  std::vector<double> numbers(place.count);
  std::memcpy(numbers.data(), of.base.data() + place.offset, 8 * place.count);
  numbers[index] = bad;
  double square = 0;
  for (double const number : numbers) square += number * number;
  return row.member + " is " + shown(std::sqrt(square)) + " long: allowed is " + row.allowed;
}

void check_case(const Case& of) {
  std::map<std::string, MemberPlace> const members = members_of(of.name);
  ASSERT_FALSE(members.empty()) << of.name;
  ASSERT_EQ(of.give(of.base.data()), TAKT_OK) << of.name << ": " << takt_last_error();
  for (const Row& row : of.rows) {
    ASSERT_TRUE(members.contains(row.member)) << of.name << "." << row.member;
    MemberPlace const& place = members.at(row.member);
    for (std::size_t index = 0; index < place.count; ++index) {
      for (double const good : row.good) {
        EXPECT_EQ(of.give(with(of, place, index, good).data()), TAKT_OK)
            << of.name << "." << row.member << " of " << good << ": " << takt_last_error();
      }
      std::vector<double> bad = row.bad;
      if (place.is_double) bad.push_back(kNaN);
      for (double const number : bad) {
        EXPECT_NE(of.give(with(of, place, index, number).data()), TAKT_OK)
            << of.name << "." << row.member << " of " << number;
        EXPECT_EQ(last_text(), expected_text(of, row, place, index, number)) << of.name;
      }
    }
  }
}

// A world with a second slider, a pulley and a gear beside those of the scene.
class CEditRefusals : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    world_ = make_world(GetParam());
    box_ = body_of(world_, "box");
    ball_ = body_of(world_, "ball");
    cart_ = body_of(world_, "cart");
    rail_ = body_of(world_, "rail");
    slide_ = joint_of(world_, "slide");
    second_slide_ = make(joint_def(TAKT_JOINT_PRISMATIC, rail_, ball_));
    takt_joint_def pulley = joint_def(TAKT_JOINT_PULLEY, box_, ball_);
    pulley.length = 50;
    pulley_ = make(pulley);
  }
  void TearDown() override { EXPECT_EQ(takt_world_destroy(world_), TAKT_OK); }

  static takt_joint_def joint_def(std::uint32_t kind, std::uint64_t a, std::uint64_t b) {
    auto def = sized<takt_joint_def>();
    EXPECT_EQ(takt_joint_defaults(kind, &def), TAKT_OK);
    def.body_a = a;
    def.body_b = b;
    return def;
  }
  std::uint64_t make(const takt_joint_def& def) {
    std::uint64_t joint = 0;
    EXPECT_EQ(takt_world_create_joint(world_, &def, &joint), TAKT_OK) << takt_last_error();
    return joint;
  }
  // Creates the joint and destroys it again, so that a world has room for all of them.
  [[nodiscard]] auto creator() {
    return [this](const takt_joint_def* def) {
      std::uint64_t joint = 0;
      takt_status const status = takt_world_create_joint(world_, def, &joint);
      if (status == TAKT_OK) {
        EXPECT_EQ(takt_world_destroy_joint(world_, joint), TAKT_OK);
      }
      return status;
    };
  }
  std::vector<Case> joint_cases();
  std::vector<Case> joint_change_cases();
  std::vector<Case> rope_cases();
  std::vector<Case> mover_cases();
  std::vector<Case> other_cases();

  takt_world* world_ = nullptr;
  std::uint64_t box_ = 0;
  std::uint64_t ball_ = 0;
  std::uint64_t cart_ = 0;
  std::uint64_t rail_ = 0;
  std::uint64_t slide_ = 0;
  std::uint64_t second_slide_ = 0;
  std::uint64_t pulley_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Numbers, CEditRefusals, testing::Values(TAKT_NUMBERS_FLOAT, TAKT_NUMBERS_FIXED));

const std::string kUnitText = "a length of 1 within 1 %";
const std::string kSoftText = "1e-12 to 1e+15, or 0";
const std::string kWorldText = "-5e+08 to 5e+08";
const std::vector<double> kSoftBad{-1, 1e-13, 1e16, kInf, -kInf};
const std::vector<double> kBeyondWorld{-6e8, 6e8, kInf, -kInf};

Row flag(const std::string& member) { return {member, {0, 1}, {2, 4294967295.0}, "0 to 1"}; }
Row within(const std::string& member, double low, double high) {
  double const beyond = 0.001 * (high - low);
  return {member, {low, high}, {low - beyond, high + beyond, kInf, -kInf}, shown(low) + " to " + shown(high)};
}
Row softness(const std::string& member) { return {member, {1e-12, 1, 1e15}, kSoftBad, kSoftText}; }

std::vector<Row> frame_rows() {
  std::vector<Row> rows;
  for (const char* const of : {"_a", "_b"}) {
    rows.push_back(within(std::string("position") + of, -1e4, 1e4));
    rows.push_back({std::string("rotation") + of, {}, {2, -2, kInf}, kUnitText, Kind::kUnit});
  }
  return rows;
}

std::vector<Case> CEditRefusals::joint_cases() {
  takt_joint_def weld = joint_def(TAKT_JOINT_WELD, box_, ball_);
  weld.linear_frequency = weld.angular_frequency = 4;
  std::vector<Row> rows = frame_rows();
  rows.push_back({"kind", {}, {0, 14}, "1 to 13, TAKT_JOINT_GENERIC to TAKT_JOINT_GEAR"});
  rows.push_back({"locked", {0, 63}, {64}, "0 to 63, bits of the axes 0 to 5"});
  for (const char* const name : {"collide_connected", "enabled", "direct"}) rows.push_back(flag(name));
  for (const char* const name : {"axis_1", "axis_2"}) rows.push_back({name, {0, 7}, {8}, "0 to 7"});
  for (const char* const name :
       {"linear_frequency", "linear_damping_ratio", "angular_frequency", "angular_damping_ratio"})
    rows.push_back(softness(name));
  for (const char* const name : {"max_force", "max_torque"})
    rows.push_back({name, {0, 1e15, kInf}, {-1, 1.1e15, -kInf}, "0 to 1e+15, or infinity"});
  for (const char* const name : {"break_force", "break_torque"})
    rows.push_back(
        {name, {1e-9, 1e15, kInf}, {0, -1, 1.1e15, -kInf}, "above 0 and at most 1e+15, or infinity"});
  takt_joint_def rod = joint_def(TAKT_JOINT_DISTANCE, box_, ball_);
  rod.length = 1;
  Row const length{"length", {1e-9, 1e5}, {0, -1, 1.1e5, kInf, -kInf}, "above 0 and at most 1e+05"};
  takt_joint_def pulley = joint_def(TAKT_JOINT_PULLEY, box_, ball_);
  pulley.length = 50;
  std::vector<Row> const pulley_rows{
      length,
      {"ratio", {1e-9, 1e6}, {0, -1, 1.1e6, kInf, -kInf}, "above 0 and at most 1e+06"},
      {"ground_a", {-5e8, 5e8}, kBeyondWorld, kWorldText},
      {"ground_b", {-5e8, 5e8}, kBeyondWorld, kWorldText}};
  takt_joint_def gear = joint_def(TAKT_JOINT_GEAR, cart_, ball_);
  gear.joint_1 = slide_;
  gear.joint_2 = second_slide_;
  gear.axis_1 = gear.axis_2 = 0;
  Row const ratio{"ratio", {-1e6, 1e6}, {0, -1.1e6, 1.1e6, kInf, -kInf}, "-1e+06 to 1e+06 without 0"};
  return {make_case("takt_joint_def", weld, creator(), rows),
          make_case("takt_joint_def", rod, creator(), {length}),
          make_case("takt_joint_def", pulley, creator(), pulley_rows),
          make_case("takt_joint_def", gear, creator(), {ratio})};
}

std::vector<Case> CEditRefusals::joint_change_cases() {
  auto slider = sized<takt_joint_change>();
  slider.fields = 16383 & ~(TAKT_JOINT_RATIO | TAKT_JOINT_LENGTH);
  slider.locked = 62;
  slider.rotation_a[3] = slider.rotation_b[3] = 1;
  slider.linear_frequency = slider.angular_frequency = slider.limit_frequency = 4;
  slider.linear_damping_ratio = slider.angular_damping_ratio = slider.limit_damping_ratio = 1;
  slider.break_force = slider.break_torque = 1;
  slider.lower = -1;
  slider.upper = 1;
  std::vector<Row> rows = frame_rows();
  rows.push_back(
      {"fields", {}, {16384}, "0 to 16383, bits of TAKT_JOINT_COLLIDE_CONNECTED to TAKT_JOINT_LIMIT"});
  rows.push_back({"locked", {62}, {64}, "0 to 63, bits of the axes 0 to 5"});
  rows.push_back({"axis", {0}, {8}, "0 to 7"});
  for (const char* const name : {"collide_connected", "direct"}) rows.push_back(flag(name));
  for (const char* const of : {"linear", "angular", "limit"}) {
    rows.push_back(softness(std::string(of) + "_frequency"));
    rows.push_back(softness(std::string(of) + "_damping_ratio"));
  }
  for (const char* const name : {"max_force", "max_torque"})
    rows.push_back({name, {0, 1e300, kInf}, {-1, -kInf}, "0 or more"});
  for (const char* const name : {"break_force", "break_torque"})
    rows.push_back({name, {1e-9, 1e300, kInf}, {0, -1, -kInf}, "above 0"});
  rows.push_back({"lower", {-1e5, -kInf}, {-1.1e5}, "-1e+05 to 1e+05, or -infinity"});
  rows.push_back({"upper", {1e5, kInf}, {1.1e5}, "-1e+05 to 1e+05, or infinity"});
  auto pulley = sized<takt_joint_change>();
  pulley.fields = TAKT_JOINT_RATIO | TAKT_JOINT_LENGTH;
  pulley.ratio = 1;
  pulley.length = 50;
  std::vector<Row> const pulley_rows{
      {"ratio", {1e-9, 1e6}, {0, -1, 1.1e6, kInf, -kInf}, "above 0 and at most 1e+06"},
      {"length", {1e-9, 1e5}, {0, -1, 1.1e5, kInf, -kInf}, "above 0 and at most 1e+05"}};
  return {
      make_case(
          "takt_joint_change", slider,
          [this](const takt_joint_change* c) { return takt_world_change_joint(world_, slide_, c); }, rows),
      make_case(
          "takt_joint_change", pulley,
          [this](const takt_joint_change* c) { return takt_world_change_joint(world_, pulley_, c); },
          pulley_rows)};
}

std::vector<Case> CEditRefusals::rope_cases() {
  auto const give = [this](const takt_rope_def* def) {
    std::uint64_t rope = 0;
    takt_status const status = takt_world_create_rope(world_, def, nullptr, &rope);
    if (status == TAKT_OK) {
      EXPECT_EQ(takt_world_destroy_rope(world_, rope), TAKT_OK);
    }
    return status;
  };
  auto rope = sized<takt_rope_def>();
  EXPECT_EQ(takt_rope_defaults(&rope), TAKT_OK);
  rope.end[1] = -100;
  std::vector<Row> rows{
      {"node_count", {2, 4096}, {0, 1, 4097}, "2 to 4096"},
      {"start", {}, kBeyondWorld, kWorldText},
      {"end", {}, kBeyondWorld, kWorldText},
      {"segment_length", {0, 0.005, 1000}, {-1, 0.004, 1001, kInf, -kInf}, "0.005 to 1000"},
      within("radius", 0.005, 10),
      {"mass", {1.6e-5, 1.6e7}, {-1, 0, 1.5e-5, 1.7e7, kInf, -kInf}, "1.6e-05 to 1.6e+07"},  // 16 nodes
      {"linear_density", {0, 1000}, {-1, 1.1e6, kInf, -kInf}, "0 to 1e+06"},
      {"passes", {1, 64}, {0, 65}, "1 to 64"},
      {"stiffness", {1e-9, 1}, {0, -1, 1.1, kInf, -kInf}, "above 0 and at most 1"},
      within("compliance", 0, 1),
      within("damping", 0, 1e6),
      within("drag", 0, 1000),
      within("gravity_scale", -1000, 1000),
      within("friction", 0, 100)};
  for (const char* const name : {"compliant", "collides", "collides_with_pinned", "can_sleep"})
    rows.push_back(flag(name));
  takt_rope_def spring = rope;
  spring.compliant = 1;
  return {make_case("takt_rope_def", rope, give, rows),
          make_case("takt_rope_def", spring, give, {within("stiffness", 0, 1), within("compliance", 0, 1)})};
}

std::vector<Case> CEditRefusals::mover_cases() {
  auto tuning = sized<takt_mover_tuning>();
  tuning.fields = 8191;
  tuning.skin = 0.01;
  auto mover = sized<takt_mover_def>();
  EXPECT_EQ(takt_mover_defaults(&mover), TAKT_OK);
  auto const give = [this](const takt_mover_def* d, const takt_mover_tuning* t) {
    std::uint64_t made = 0;
    takt_status const status = takt_world_create_mover(world_, d, t, &made);
    if (status == TAKT_OK) {
      EXPECT_EQ(takt_world_despawn(world_, made), TAKT_OK);
    }
    return status;
  };
  std::vector<Row> const rows{
      {"fields", {0}, {8192}, "0 to 8191, bits of TAKT_MOVER_MAX_SLOPE to TAKT_MOVER_RECOVERY_SPEED"},
      within("max_slope", 0, 1.4),
      within("step_height", 0, 10),
      within("stick_distance", 0, 10),
      within("skin", 0.006, 0.018),
      within("max_speed", 0, 100),
      within("acceleration", 0, 1e4),
      within("air_acceleration", 0, 1e4),
      within("jump_speed", 0, 100),
      within("max_fall_speed", 0, 1000),
      within("gravity_scale", 0, 100),
      within("push_force", 0, 1e6),
      within("mass", 0, 1e5),
      within("recovery_speed", 0, 100)};
  std::uint64_t const ann = body_of(world_, "ann");
  return {
      make_case(
          "takt_mover_tuning", tuning,
          [this, ann](const takt_mover_tuning* t) { return takt_world_tune_mover(world_, ann, t); }, rows),
      make_case(
          "takt_mover_tuning", tuning, [give, mover](const takt_mover_tuning* t) { return give(&mover, t); },
          rows),
      make_case("takt_mover_def", mover, [give](const takt_mover_def* d) { return give(d, nullptr); },
                {{"position", {-5e8, 5e8}, kBeyondWorld, kWorldText},
                 within("heading", -1000, 1000),
                 within("radius", 0.005, 100),
                 within("half_length", 0.005, 100),
                 within("friction", 0, 100),
                 within("restitution", 0, 1)})};
}

std::vector<Case> CEditRefusals::other_cases() {
  auto body = sized<takt_body_change>();
  body.fields = 63;
  body.type = TAKT_BODY_DYNAMIC;
  body.enabled = 1;
  auto shape = sized<takt_shape_change>();
  shape.fields = 15;
  std::uint64_t shape_id = 0;
  std::size_t count = 0;
  EXPECT_EQ(takt_world_list_shapes(world_, box_, &shape_id, 1, &count), TAKT_OK);
  auto spawn = sized<takt_spawn>();
  EXPECT_EQ(takt_spawn_defaults(&spawn), TAKT_OK);
  spawn.shape = TAKT_SHAPE_BOX;
  spawn.dimensions[0] = spawn.dimensions[1] = spawn.dimensions[2] = 0.5;
  auto const give_spawn = [this](const takt_spawn* s) {
    std::uint64_t made = 0;
    takt_status const status = takt_world_spawn(world_, s, &made);
    if (status == TAKT_OK) {
      EXPECT_EQ(takt_world_despawn(world_, made), TAKT_OK);
    }
    return status;
  };
  return {
      make_case("takt_body_change", body,
                [this](const takt_body_change* c) { return takt_world_change_body(world_, box_, c); },
                {{"fields", {0}, {64}, "0 to 63, bits of TAKT_BODY_TYPE to TAKT_BODY_TAG"},
                 {"type", {0, 1, 2}, {3}, "0 to 2, TAKT_BODY_STATIC to TAKT_BODY_DYNAMIC"},
                 flag("enabled"),
                 {"locked", {0, 63}, {64}, "0 to 63, bits of the axes 0 to 5"},
                 within("gravity_scale", -1000, 1000),
                 within("linear_damping", 0, 1000),
                 within("angular_damping", 0, 1000)}),
      make_case("takt_shape_change", shape,
                [this, shape_id](const takt_shape_change* c) {
                  return takt_world_change_shape(world_, shape_id, c);
                },
                {{"fields", {0}, {16}, "0 to 15, bits of TAKT_SHAPE_FILTER to TAKT_SHAPE_SURFACE_VELOCITY"},
                 within("friction", 0, 100),
                 within("restitution", 0, 1),
                 within("surface_velocity", -1000, 1000)}),
      make_case(
          "takt_spawn", spawn, give_spawn,
          {{"shape",
            {1, 2, 3, 5, 6},
            {0, 4, 7, 300},
            "TAKT_SHAPE_SPHERE, CAPSULE, BOX, CYLINDER or CONE: 1, 2, 3, 5 or 6"},
           {"dimensions", {0.005, 1e4}, {0, -1, 0.004, 0.00499999, 10001, kInf, -kInf}, "0.005 to 10000"},
           {"position", {-5e8, 5e8}, kBeyondWorld, kWorldText},
           {"rotation", {}, {2, -2, kInf}, kUnitText, Kind::kUnit},
           {"linear_velocity", {-4000, 4000}, {-4001, 4001, kInf}, "a length of at most 4000", Kind::kLength},
           {"angular_velocity", {-400, 400}, {-401, 401, kInf}, "a length of at most 400", Kind::kLength},
           {"density", {1, 1e5}, {-1, 1.1e6, kInf, -kInf}, "0 to 1e+06"},
           {"friction", {0, 100}, {-1, 101, kInf, -kInf}, "0 to 100"},
           {"restitution", {0, 1}, {-1, 1.5, kInf, -kInf}, "0 to 1"}})};
}

TEST_P(CEditRefusals, EachNumberOfADefinitionIsNamed) {
  for (auto const& cases :
       {joint_cases(), joint_change_cases(), rope_cases(), mover_cases(), other_cases()}) {
    for (const Case& one : cases) check_case(one);
  }
}

TEST_P(CEditRefusals, TheTableHasEachMember) {
  // Members of which each value is valid, and ids, of which the next test has the texts.
  std::set<std::string> const all_valid{"size",  "reserved", "tag",    "category", "mask",
                                        "group", "body_a",   "body_b", "joint_1",  "joint_2"};
  std::map<std::string, std::set<std::string>> tested;
  for (auto const& cases :
       {joint_cases(), joint_change_cases(), rope_cases(), mover_cases(), other_cases()}) {
    for (const Case& one : cases) {
      for (const Row& row : one.rows) tested[one.name].insert(row.member);
    }
  }
  EXPECT_EQ(tested.size(), 8u);
  for (auto& [name, found] : tested) {
    std::set<std::string> expected;
    for (auto const& [member, place] : members_of(name)) {
      if (!all_valid.contains(member)) expected.insert(member);
    }
    if (name == "takt_joint_def") expected.erase("fields");
    EXPECT_EQ(found, expected) << name;
  }
}

#define EXPECT_REFUSED(call, text)  \
  do {                              \
    EXPECT_NE(call, TAKT_OK);       \
    EXPECT_EQ(last_text(), (text)); \
  } while (false)

TEST_P(CEditRefusals, ArgumentsOfCallsAreNamed) {
  double const zero[4] = {0, 0, 0, 1};
  double const huge[3] = {0, 2e9, 0};
  double const none[4] = {0, 0, kNaN, 1};
  std::string const of_vector = "a length of at most 1e+09";
  EXPECT_REFUSED(takt_world_impulse(world_, box_, huge, nullptr),
                 "impulse is 2e+09 long: allowed is " + of_vector);
  EXPECT_REFUSED(takt_world_impulse(world_, box_, none, nullptr),
                 "impulse[2] is nan: allowed is " + of_vector);
  EXPECT_REFUSED(takt_world_impulse(world_, box_, zero, huge),
                 "local_point is 2e+09 long: allowed is a length of at most 10000");
  EXPECT_REFUSED(takt_world_force(world_, box_, huge, nullptr, 1),
                 "force is 2e+09 long: allowed is " + of_vector);
  EXPECT_REFUSED(takt_world_force(world_, box_, zero, none, 1), "torque[2] is nan: allowed is " + of_vector);
  EXPECT_REFUSED(takt_world_force(world_, box_, zero, nullptr, 3601), "ticks is 3601: allowed is 1 to 3600");
  EXPECT_REFUSED(takt_world_force(world_, box_, zero, nullptr, 0), "ticks is 0: allowed is 1 to 3600");
  EXPECT_REFUSED(takt_world_teleport(world_, box_, huge, nullptr, nullptr, nullptr),
                 "position[1] is 2e+09: allowed is " + kWorldText);
  EXPECT_REFUSED(takt_world_teleport(world_, box_, nullptr, none, nullptr, nullptr),
                 "rotation[2] is nan: allowed is " + kUnitText);
  EXPECT_REFUSED(takt_world_teleport(world_, box_, nullptr, nullptr, huge, nullptr),
                 "linear_velocity is 2e+09 long: allowed is a length of at most 4000");
  EXPECT_REFUSED(takt_world_teleport(world_, box_, nullptr, nullptr, nullptr, huge),
                 "angular_velocity is 2e+09 long: allowed is a length of at most 400");
  std::uint64_t const ann = body_of(world_, "ann");
  EXPECT_REFUSED(takt_world_move(world_, ann, huge, 0, 0, 0),
                 "velocity is 2e+09 long: allowed is a length of at most 1000");
  EXPECT_REFUSED(takt_world_move(world_, ann, zero, 101, 0, 0), "turn is 101: allowed is -100 to 100");
  EXPECT_REFUSED(takt_world_move(world_, ann, zero, 0, 2, 0), "in_heading_frame is 2: allowed is 0 to 1");
  EXPECT_REFUSED(takt_world_move(world_, ann, zero, 0, 0, 2), "jump is 2: allowed is 0 to 1");

  std::uint64_t const rope = rope_of(world_);  // of 6 nodes
  EXPECT_REFUSED(takt_world_cut_rope(world_, rope, 5), "segment is 5: allowed is 0 to 4");
  EXPECT_REFUSED(takt_world_rope_length(world_, rope, 0.004),
                 "segment_length is 0.004: allowed is 0.005 to 1000");
  EXPECT_REFUSED(takt_world_rope_length(world_, rope, kNaN),
                 "segment_length is nan: allowed is 0.005 to 1000");
  EXPECT_REFUSED(takt_world_pin_rope(world_, rope, 6, 0, nullptr), "node is 6: allowed is 0 to 5");
  EXPECT_REFUSED(takt_world_pin_rope(world_, rope, 1, 0, none), "point[2] is nan: allowed is " + kWorldText);
  EXPECT_REFUSED(takt_world_pin_rope(world_, rope, 1, box_, huge),
                 "point[1] is 2e+09: allowed is -20000 to 20000");
  EXPECT_REFUSED(takt_world_unpin_rope(world_, rope, 6), "node is 6: allowed is 0 to 5");
  auto line = sized<takt_rope_def>();
  ASSERT_EQ(takt_rope_defaults(&line), TAKT_OK);
  line.node_count = 2;
  double const points[6] = {0, 1, 0, 0, kNaN, 0};
  std::uint64_t id = 0;
  EXPECT_REFUSED(takt_world_create_rope(world_, &line, points, &id),
                 "points[1][1] is nan: allowed is " + kWorldText);

  EXPECT_REFUSED(takt_world_grab(world_, box_, nullptr, huge, 1),
                 "target[1] is 2e+09: allowed is " + kWorldText);
  EXPECT_REFUSED(takt_world_grab(world_, box_, huge, zero, 1),
                 "local_point is 2e+09 long: allowed is a length of at most 10000");
  EXPECT_REFUSED(takt_world_grab(world_, box_, nullptr, zero, 0),
                 "max_force is 0: allowed is above 0 and at most 1e+09");
  EXPECT_REFUSED(takt_world_grab(world_, box_, nullptr, zero, 1e-50),  // 0 in binary32
                 "max_force is 0: allowed is above 0 and at most 1e+09");
  EXPECT_REFUSED(takt_world_move_grab(world_, none), "target[2] is nan: allowed is " + kWorldText);

  EXPECT_REFUSED(takt_world_joint_motor(world_, slide_, 8, 1, 1), "axis is 8: allowed is 0 to 7");
  EXPECT_REFUSED(takt_world_joint_motor(world_, slide_, 0, 4001, 1),
                 "speed is 4001: allowed is -4000 to 4000");
  EXPECT_REFUSED(takt_world_joint_motor(world_, slide_, 0, 1, -1), "max is -1: allowed is 0 or more");
  EXPECT_REFUSED(takt_world_joint_drive(world_, slide_, 0, 2, 0, 1, 1, 1), "on is 2: allowed is 0 to 1");
  EXPECT_REFUSED(takt_world_joint_drive(world_, slide_, 0, 1, 2e5, 1, 1, 1),
                 "target is 2e+05: allowed is -1e+05 to 1e+05");
  EXPECT_REFUSED(takt_world_joint_drive(world_, slide_, 6, 1, -1, 1, 1, 1),
                 "target is -1: allowed is 0 to 1e+05");
  EXPECT_REFUSED(takt_world_joint_drive(world_, slide_, 0, 1, 0, -1, 1, 1),
                 "frequency is -1: allowed is " + kSoftText);
  EXPECT_REFUSED(takt_world_joint_drive(world_, slide_, 0, 1, 0, 1, kNaN, 1),
                 "damping_ratio is nan: allowed is " + kSoftText);
  EXPECT_REFUSED(takt_world_joint_drive(world_, slide_, 0, 1, 0, 1, 1, -2),
                 "max is -2: allowed is 0 or more");
  EXPECT_REFUSED(takt_world_joint_limit(world_, slide_, 0, -2e5, 1),
                 "lower is -2e+05: allowed is -1e+05 to 1e+05, or -infinity");
  EXPECT_REFUSED(takt_world_joint_limit(world_, slide_, 0, 0, 2e5),
                 "upper is 2e+05: allowed is -1e+05 to 1e+05, or infinity");
  EXPECT_REFUSED(takt_world_joint_limit(world_, slide_, 0, 2, 1), "lower is 2: allowed is at most upper, 1");
  EXPECT_REFUSED(takt_world_joint_friction(world_, slide_, 0, -1), "friction is -1: allowed is 0 or more");
  EXPECT_REFUSED(takt_world_joint_enable(world_, slide_, 2), "enabled is 2: allowed is 0 to 1");
}

TEST_P(CEditRefusals, FaultsThatAreNoNumberAreNamed) {
  double const zero[4] = {0, 0, 0, 1};
  double const no_unit[4] = {0, 0, 0, 3};
  EXPECT_REFUSED(takt_world_set_target(world_, box_, zero, zero),
                 "the body is not kinematic: change its type, or use takt_world_teleport");
  EXPECT_REFUSED(takt_world_set_target(world_, body_of(world_, "ann"), zero, zero),
                 "the body is that of a mover: takt_world_move moves it");
  auto change = sized<takt_body_change>();
  change.fields = TAKT_BODY_TYPE;
  change.type = TAKT_BODY_KINEMATIC;
  ASSERT_EQ(takt_world_change_body(world_, box_, &change), TAKT_OK) << takt_last_error();
  EXPECT_REFUSED(takt_world_set_target(world_, box_, zero, no_unit),
                 "rotation is 3 long: allowed is a length of 1 within 1 %");
  double const far_away[3] = {1e6, 0, 0};
  EXPECT_REFUSED(takt_world_set_target(world_, box_, far_away, zero),
                 "the pose is too far away for one step: nearer ones on the way are allowed");
  std::string const misfit =
      ": the shapes of the body do not allow it: a dynamic body needs a mass and no mesh, and height fields "
      "and half-spaces are static";
  EXPECT_REFUSED(takt_world_change_body(world_, body_of(world_, "ground"), &change), "type is 1" + misfit);
  EXPECT_REFUSED(takt_world_change_body(world_, body_of(world_, "ann"), &(change.type = 0, change)),
                 "type is given: allowed is a body without a mover, which keeps its type");
  change.fields = TAKT_BODY_ENABLED;
  change.enabled = 0;
  ASSERT_EQ(takt_world_change_body(world_, ball_, &change), TAKT_OK);
  EXPECT_REFUSED(takt_world_impulse(world_, ball_, zero, nullptr), "the body is disabled: enable it first");
  EXPECT_REFUSED(takt_world_grab(world_, ball_, nullptr, zero, 1), "the body is disabled: enable it first");
  auto shape = sized<takt_shape_change>();
  EXPECT_REFUSED(takt_world_change_shape(world_, 0xdead, &shape),
                 "there is no such shape: takt_world_list_shapes lists those of a body");

  std::uint64_t id = 0;
  auto const create = [&](const takt_joint_def& def) { return takt_world_create_joint(world_, &def, &id); };
  EXPECT_REFUSED(create(joint_def(TAKT_JOINT_WELD, cart_, cart_)),
                 "body_b is body_a: allowed are two bodies, and one for a gear alone");
  EXPECT_REFUSED(create(joint_def(TAKT_JOINT_WELD, rail_, body_of(world_, "ground"))),
                 "neither body_a nor body_b is dynamic: a joint needs a dynamic body");
  EXPECT_REFUSED(create(joint_def(TAKT_JOINT_WELD, 0xdead, cart_)), "body_a is no body of the world");
  EXPECT_REFUSED(create(joint_def(TAKT_JOINT_WELD, cart_, 0xdead)), "body_b is no body of the world");
  takt_joint_def gear = joint_def(TAKT_JOINT_GEAR, cart_, ball_);
  EXPECT_REFUSED(create(gear), "joint_1 is no joint of the world: a gear couples two");
  gear.joint_1 = slide_;
  gear.axis_1 = 0;
  EXPECT_REFUSED(create(gear), "joint_2 is no joint of the world: a gear couples two");
  auto joint = sized<takt_joint_change>();
  joint.fields = TAKT_JOINT_RATIO;
  joint.ratio = 1;
  EXPECT_REFUSED(takt_world_change_joint(world_, slide_, &joint),
                 "ratio is given: allowed is a joint that is a gear or pulley");
  joint.fields = TAKT_JOINT_LENGTH;
  joint.length = 1;
  EXPECT_REFUSED(takt_world_change_joint(world_, slide_, &joint),
                 "length is given: allowed is a joint that is a pulley");
  std::uint64_t const ball_joint = make(joint_def(TAKT_JOINT_POINT, rail_, cart_));
  EXPECT_REFUSED(takt_world_joint_motor(world_, ball_joint, 7, 1, 1),
                 "axis is 7, the swing: it has a limit and friction alone");
  EXPECT_REFUSED(takt_world_joint_limit(world_, ball_joint, 7, 0.5, 1),
                 "lower is 0.5: allowed is -1e+05 to 0, or -infinity");
  EXPECT_REFUSED(takt_world_joint_limit(world_, ball_joint, 7, -1, -0.5),
                 "upper is -0.5: allowed is 0 to 1e+05, or infinity");

  auto rope = sized<takt_rope_def>();
  ASSERT_EQ(takt_rope_defaults(&rope), TAKT_OK);
  rope.node_count = 4096;  // on one metre
  EXPECT_REFUSED(
      takt_world_create_rope(world_, &rope, nullptr, &id),
      "segment_length is 0 and the mean distance of the nodes is not 0.005 to 1000 m, or a node has "
      "not 1e-06 to 1e+06 kg");
  rope.node_count = 2;
  rope.segment_length = 1000;
  rope.linear_density = 1e6;
  EXPECT_REFUSED(takt_world_create_rope(world_, &rope, nullptr, &id),
                 "linear_density and segment_length do not give each node 1e-06 to 1e+06 kg");
  auto spawn = sized<takt_spawn>();
  ASSERT_EQ(takt_spawn_defaults(&spawn), TAKT_OK);
  spawn.dimensions[1] = kNaN;  // unused by a sphere, and no number of a command
  EXPECT_REFUSED(takt_world_spawn(world_, &spawn, &id),
                 "dimensions[1] is nan: allowed is -3.4028234663852886e+38 to 3.4028234663852886e+38");
  spawn.dimensions[1] = 0;
  spawn.density = 0;
  EXPECT_REFUSED(takt_world_spawn(world_, &spawn, &id),
                 "dimensions and density do not give a mass of 1e-04 to 1e+08 kg");
}

TEST_P(CEditRefusals, AWorldFullOfRopesIsTheReason) {
  auto rope = sized<takt_rope_def>();
  ASSERT_EQ(takt_rope_defaults(&rope), TAKT_OK);
  rope.node_count = 4096;
  rope.segment_length = 0.02;
  rope.end[1] = -80;
  std::uint64_t id = 0;
  for (int i = 0; i < 255; ++i)  // beside the six nodes of the scene
    ASSERT_EQ(takt_world_create_rope(world_, &rope, nullptr, &id), TAKT_OK) << takt_last_error();
  EXPECT_REFUSED(takt_world_create_rope(world_, &rope, nullptr, &id),
                 "node_count is 4096: the ropes of the world have 1044486 nodes, and allowed are 1048576 "
                 "together");
  rope.linear_density = -1;
  rope.mass = 0;
  EXPECT_REFUSED(takt_world_create_rope(world_, &rope, nullptr, &id),
                 "linear_density is -1: allowed is 0 to 1e+06");
}

}  // namespace
}  // namespace takt::test
