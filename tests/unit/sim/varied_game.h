// A game for tests whose state has each kind of field and list that StateVisitor visits. random() returns one
// with random values, NaNs and empty lists included. It plays nothing.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "takt/core/random.h"
#include "takt/sim/game.h"

namespace takt::sim {

class VariedGame final : public Game {
 public:
  enum class Phase : std::uint8_t { kKickoff, kPlay, kOver };
  struct Wheel {
    JointId joint;
    float spin = 0;
  };
  struct Car {
    BodyId body;
    std::vector<Wheel> wheels;
    Vec3<double> velocity{};
    std::string name;
  };

  static constexpr std::uint32_t kMaxCars = 6;
  static constexpr std::uint32_t kMaxWheels = 4;
  static constexpr std::size_t kMaxNameBytes = 12;

  [[nodiscard]] static VariedGame random(std::uint64_t seed) {
    Random r(seed);
    auto const id = [&](auto& out) {
      out.index = r.next_u32();
      out.generation = r.next_u32();
    };
    auto const any_double = [&] {
      return r.next_below(8) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                  : std::bit_cast<double>(r.next_u64());
    };
    VariedGame game;
    game.is_on = r.next_below(2) == 1;
    game.small = static_cast<std::int8_t>(r.next_u32());
    game.middle = static_cast<std::uint16_t>(r.next_u32());
    game.large = static_cast<std::int64_t>(r.next_u64());
    game.ratio = std::bit_cast<float>(r.next_u32());
    game.phase = static_cast<Phase>(r.next_below(3));
    game.place = Position::from_raw(game.large, game.small, game.middle);
    game.turn = {any_double(), any_double(), 0, -0.0};
    for (std::uint32_t& score : game.scores) score = r.next_u32();
    for (std::uint32_t i = r.next_below(kMaxCars + 1); i > 0; --i) {
      Car& car = game.cars[r.next_u32()];
      id(car.body);
      car.velocity = {any_double(), any_double(), any_double()};
      car.name.assign(r.next_below(kMaxNameBytes + 1), static_cast<char>(r.next_below(256)));
      car.wheels.resize(r.next_below(kMaxWheels + 1));
      for (Wheel& wheel : car.wheels) {
        id(wheel.joint);
        wheel.spin = std::bit_cast<float>(r.next_u32());
      }
    }
    game.marks.resize(r.next_below(2) * 3);
    for (ShapeId& mark : game.marks) id(mark);
    return game;
  }

  [[nodiscard]] std::string_view name() const override { return "varied/1"; }
  void visit_state(StateVisitor& state) override {
    state.field("is_on", is_on);
    state.field("small", small);
    state.field("middle", middle);
    state.field("large", large);
    state.field("ratio", ratio);
    state.field("phase", phase, Phase::kOver);
    state.field("place", place);
    state.field("turn", turn);
    state.list("score", scores);
    state.map("car", cars, kMaxCars, [](Car& car, StateVisitor& in) {
      in.field("body", car.body);
      in.list("wheel", car.wheels, kMaxWheels, [](Wheel& wheel, StateVisitor& of_wheel) {
        of_wheel.field("joint", wheel.joint);
        of_wheel.field("spin", wheel.spin);
      });
      in.field("velocity", car.velocity);
      in.text("name", car.name, kMaxNameBytes);
    });
    state.list("mark", marks, 3);
    state.require(marks.size() != 2, "mark", "two marks are one too many or too few");
  }

  bool is_on = false;
  std::int8_t small = 0;
  std::uint16_t middle = 0;
  std::int64_t large = 0;
  float ratio = 0;
  Phase phase = Phase::kKickoff;
  Position place{};
  Quat<double> turn{};
  std::array<std::uint32_t, 2> scores{};
  std::map<std::uint32_t, Car> cars;
  std::vector<ShapeId> marks;
};

}  // namespace takt::sim
