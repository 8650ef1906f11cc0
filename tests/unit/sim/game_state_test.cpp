// The state of a game by Game::visit_state: a difference is named by its field, hostile bytes are refused by
// field and reason, and the bytes are those of docs/RECORDING.md.
#include "sim/state/game_state.h"

#include <gtest/gtest.h>

#include <bit>

#include "takt/sim/rollback_buffer.h"
#include "tests/unit/sim/small_scene.h"
#include "tests/unit/sim/varied_game.h"

namespace takt::sim {
namespace {

std::vector<std::byte> bytes_of(VariedGame& game) {
  std::vector<std::byte> bytes;
  save_game(game, bytes);
  return bytes;
}

std::vector<std::string> differences(VariedGame left, VariedGame right) {
  Simulation const a =
      make_simulation(stack_scene(1), NumbersMode::kFloat, std::make_unique<VariedGame>(std::move(left)));
  Simulation const b =
      make_simulation(stack_scene(1), NumbersMode::kFloat, std::make_unique<VariedGame>(std::move(right)));
  std::vector<std::string> lines;
  for (const StateDifference& difference : Simulation::diff(a, b)) lines.push_back(message(difference));
  EXPECT_EQ(a.hash() == b.hash(), lines.empty());
  return lines;
}

VariedGame two_cars() {
  VariedGame game;
  game.cars[3] = {BodyId{5, 1}, {{JointId{0, 1}, 1}, {JointId{1, 1}, 2}}, {1, 2, 3}, "ann"};
  game.cars[9] = {BodyId{6, 1}, {{JointId{2, 1}, 3}}, {}, "bob"};
  return game;
}

TEST(GameState, ADifferenceIsNamedByItsField) {
  VariedGame changed = two_cars();
  changed.ratio = std::bit_cast<float>(1u);
  EXPECT_EQ(differences(two_cars(), changed),
            std::vector<std::string>{"game.ratio: 0 (0x00000000) != 1e-45 (0x00000001), 1 ULP"});
  changed = two_cars();
  changed.cars[9].wheels[0].spin = 4;
  EXPECT_EQ(differences(two_cars(), changed),
            std::vector<std::string>{"game.car.wheel[2].spin: 3 (0x40400000) != 4 (0x40800000), 4194304 ULP"})
      << "wheels count through all cars";
  changed = two_cars();
  changed.cars[3].name = "eve";
  EXPECT_EQ(differences(two_cars(), changed),
            std::vector<std::string>{"game.car[0].name: \"ann\" != \"eve\""});
  changed = two_cars();
  changed.scores[1] = 7;
  EXPECT_EQ(differences(two_cars(), changed),
            std::vector<std::string>{"game.score[1].value: 0 (0x00000000) != 7 (0x00000007)"});
  changed = two_cars();
  changed.place.y_raw = 1;
  EXPECT_EQ(differences(two_cars(), changed).at(0),
            "game.place.y: 0 (0x0000000000000000) != 1 (0x0000000000000001)");
  changed = two_cars();
  changed.marks.assign(1, ShapeId{4, 2});
  EXPECT_EQ(differences(two_cars(), changed).at(0), "game.mark_count: 0 != 1");
  EXPECT_TRUE(differences(two_cars(), two_cars()).empty());
}

// A shadow has no game, and yet the names of its fields.
TEST(GameState, AShadowNamesTheFieldsOfItsSnapshot) {
  Simulation live =
      make_simulation(stack_scene(1), NumbersMode::kFloat, std::make_unique<VariedGame>(two_cars()));
  SimulationSnapshot snapshot;
  live.capture(snapshot);
  Simulation shadow = Simulation::make_shadow(live);
  shadow.rollback(snapshot);
  EXPECT_TRUE(Simulation::diff(shadow, live).empty());
  EXPECT_EQ(shadow.hash(), live.hash());
  EXPECT_EQ(shadow.save(), live.save());
  dynamic_cast<VariedGame&>(*live.game()).scores[0] = 2;
  auto const fields = Simulation::diff(shadow, live);
  ASSERT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields[0].path, "game.score[0].value");
}

TEST(GameState, TheBytesAreTheValuesInOrder) {
  VariedGame game;
  game.is_on = true;
  game.small = -2;
  game.middle = 0x0102;
  game.phase = VariedGame::Phase::kPlay;
  game.scores = {5, 6};
  game.cars[7].name = "ab";
  std::vector<std::byte> expected;
  ByteWriter out(expected);
  out.put(true);
  out.put(std::int8_t{-2});
  out.put(std::uint16_t{0x0102});
  out.put(std::int64_t{0});
  out.put(0.0f);
  out.put(std::uint8_t{1});
  for (int i = 0; i < 3; ++i) out.put(std::int64_t{0});
  for (double const part : {game.turn.x, game.turn.y, game.turn.z, game.turn.w}) out.put(part);
  out.put(std::uint32_t{5});
  out.put(std::uint32_t{6});
  out.put(std::uint32_t{1});  // cars
  out.put(std::uint32_t{7});  // key
  out.put(BodyId{});
  out.put(std::uint32_t{0});  // wheels
  for (int i = 0; i < 3; ++i) out.put(0.0);
  out.put(std::uint32_t{2});
  out.put_bytes(std::as_bytes(std::span(std::string_view("ab"))));
  out.put(std::uint32_t{0});  // marks
  EXPECT_EQ(bytes_of(game), expected);
}

TEST(GameState, EveryNaNIsSavedAsOnePattern) {
  VariedGame a;
  VariedGame b;
  a.ratio = std::bit_cast<float>(0x7fc00000u);
  b.ratio = std::bit_cast<float>(0xffc00001u);
  a.turn.x = std::bit_cast<double>(0x7ff8000000000000u);
  b.turn.x = std::bit_cast<double>(0xfff8000000000123u);
  EXPECT_EQ(bytes_of(a), bytes_of(b));
  a.ratio = -0.0f;
  EXPECT_NE(bytes_of(a), bytes_of(b));
}

constexpr std::size_t kRatioAt = 1 + 1 + 2 + 8;
constexpr std::size_t kPhaseAt = kRatioAt + 4;
constexpr std::size_t kCarsAt = kPhaseAt + 1 + 3 * 8 + 4 * 8 + 2 * 4;
constexpr std::size_t kWheelsAt = kCarsAt + 4 + 4 + 8;

std::string refusal_of(std::vector<std::byte> bytes, std::size_t at, std::uint32_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes.at(at + i) = static_cast<std::byte>(value >> (8 * i));
  VariedGame game = two_cars();
  return load_game(game, bytes).value_or("loaded");
}

TEST(GameState, HostileBytesAreRefusedByFieldAndReason) {
  VariedGame game = two_cars();
  std::vector<std::byte> const bytes = bytes_of(game);
  EXPECT_EQ(refusal_of(bytes, 0, 1, 1), "loaded");
  EXPECT_EQ(refusal_of(bytes, 0, 2, 1), "is_on: a bool is neither 0 nor 1");
  EXPECT_EQ(refusal_of(bytes, kRatioAt, 0xffc00000u, 4), "ratio: the NaN is not the one that a state has");
  EXPECT_EQ(refusal_of(bytes, kPhaseAt, 3, 1), "phase: the value is not one of its enumeration");
  EXPECT_EQ(refusal_of(bytes, kCarsAt, 7, 4), "car: 7 elements, and it has at most 6 elements");
  EXPECT_EQ(refusal_of(bytes, kCarsAt, 0xffffffffu, 4),
            "car: 4294967295 elements, and it has at most 6 elements");
  EXPECT_EQ(refusal_of(bytes, kCarsAt + 4, 9, 4), "car[1].key: the keys do not ascend");
  EXPECT_EQ(refusal_of(bytes, kWheelsAt, 5, 4), "car[0].wheel: 5 elements, and it has at most 4 elements");
  EXPECT_EQ(refusal_of(bytes, bytes.size() - 4, 2, 4),
            "mark: 2 elements do not fit in the bytes that are left");

  std::vector<std::byte> more = bytes;
  more.resize(more.size() + 16);
  EXPECT_EQ(refusal_of(more, bytes.size() - 4, 0, 4), "16 bytes are left after the last field");
  EXPECT_EQ(refusal_of(more, bytes.size() - 4, 2, 4), "mark: two marks are one too many or too few");

  for (std::size_t size = 0; size < bytes.size(); ++size) {
    VariedGame cut = two_cars();
    auto const refusal = load_game(cut, std::span(bytes).first(size));
    ASSERT_TRUE(refusal) << size;
    EXPECT_NE(refusal->find(": "), std::string::npos) << *refusal;
  }
  VariedGame cut;
  EXPECT_EQ(load_game(cut, std::span(bytes).first(kWheelsAt - 1)),
            "car[0].body.generation: the bytes end before it");
}

TEST(GameState, AnImageThatTheGameRefusesNamesTheField) {
  VariedGame bad = two_cars();
  bad.marks.resize(2);
  Simulation const simulation =
      make_simulation(stack_scene(1), NumbersMode::kFloat, std::make_unique<VariedGame>(bad));
  std::string text;
  auto const restored = Simulation::restore(simulation.save(), std::make_unique<VariedGame>(), &text);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error(), SimError::kGameRefused);
  EXPECT_EQ(text, "mark: two marks are one too many or too few");
}

/// Counts ticks in a field, and repeats one of them wrongly: `drift` is no field.
class DriftingGame final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "drifting/1"; }
  void before_tick(WorldAccess&) override { cars_[1].distance += ++drift_; }
  void visit_state(StateVisitor& state) override {
    state.list("car", cars_, [](Car& car, StateVisitor& in) { in.field("distance", car.distance); });
  }

 private:
  struct Car {
    std::int32_t distance = 0;
  };
  std::array<Car, 2> cars_{};
  std::int32_t drift_ = 0;
};

TEST(GameState, TheSyncTestNamesTheFieldThatAForgottenOneChanges) {
  Simulation simulation =
      make_simulation(stack_scene(1), NumbersMode::kFloat, std::make_unique<DriftingGame>());
  SyncTest test(1);
  (void)test.step(simulation, {});
  ASSERT_TRUE(test.difference());
  ASSERT_EQ(test.difference()->fields.size(), 1u);
  EXPECT_EQ(message(test.difference()->fields[0]), "game.car[1].distance: 1 (0x00000001) != 2 (0x00000002)");
}

TEST(GameStateDeathTest, ALargerListThanItsMaximumIsNotSaved) {
  VariedGame game;
  game.marks.resize(4);
  EXPECT_DEATH((void)bytes_of(game), "count <= max_count");
  game.marks.clear();
  game.cars[1].name.assign(VariedGame::kMaxNameBytes + 1, 'x');
  EXPECT_DEATH((void)bytes_of(game), "value.size\\(\\) <= max_bytes");
}

}  // namespace
}  // namespace takt::sim
