// Random inputs for laws of sim: every command, sound and hostile values mixed, from one seed. Nothing here
// is a test.
#pragma once

#include <bit>
#include <limits>
#include <vector>

#include "takt/core/random.h"
#include "takt/sim/command.h"

namespace takt::sim {

class RandomInputs {
 public:
  explicit RandomInputs(std::uint64_t seed) : random_(seed) {}

  /// Inputs of one tick from players 0 to 3, sequences rising, in random order of players.
  std::vector<Input> tick(std::uint64_t tick) {
    std::vector<Input> inputs;
    std::uint32_t const count = random_.next_below(4);
    for (std::uint32_t i = 0; i < count; ++i) {
      PlayerId const player = random_.next_below(4);
      Command command = this->command();
      std::uint32_t const skipped = random_.next_below(2);
      sequence_[player] += 1 + skipped;
      inputs.push_back({tick, player, sequence_[player], std::move(command)});
    }
    return inputs;
  }

  Command command() {
    switch (random_.next_below(11)) {
      case 0: {
        ImpulseCommand c{body(), vector(2000), std::nullopt};
        if (random_.next_below(2) == 1) c.point_local_m = vector(1);
        return c;
      }
      case 1: {
        Vec3<float> const force = vector(20000);
        Vec3<float> const torque = vector(5000);
        return ForceCommand{body(), force, torque, random_.next_below(40)};
      }
      case 2:
      case 3: return spawn();
      case 4: return DespawnCommand{body()};
      case 5: {
        Vec3<float> const point = vector(0.4);
        Position const target = place();
        return GrabCommand{body(), point, target, number(50000)};
      }
      case 6: return MoveGrabCommand{place()};
      case 7: return ReleaseCommand{};
      case 8: {
        Position const target = place();
        Vec3<float> const velocity = vector(20);
        return TeleportCommand{body(), target, {}, velocity, {}};
      }
      case 9: {
        PlayerId const player = random_.next_below(4);
        bool const admin = random_.next_below(4) == 0;
        return JoinCommand{player, admin, "p"};
      }
      default: return LeaveCommand{random_.next_below(12)};
    }
  }

 private:
  // Mostly sound, now and then NaN, infinite or huge.
  float number(double max) {
    switch (random_.next_below(40)) {
      case 0: return std::numeric_limits<float>::quiet_NaN();
      case 1: return std::numeric_limits<float>::infinity();
      case 2: return std::bit_cast<float>(random_.next_u32());
      default: return static_cast<float>(random_.next_between(-max, max));
    }
  }
  Vec3<float> vector(double max) {
    float const x = number(max);
    float const y = number(max);
    float const z = number(max);
    return {x, y, z};
  }
  Position place() {
    double const x = random_.next_between(-10, 10);
    double const y = random_.next_between(0, 10);
    double const z = random_.next_between(-10, 10);
    return Position::from_metres(x, y, z);
  }
  BodyId body() {
    std::uint32_t const index = random_.next_below(24);
    std::uint32_t const generation = 1 + random_.next_below(3) / 2;
    return {index, generation};
  }
  SpawnCommand spawn() {
    SpawnCommand c;
    c.kind = static_cast<ShapeKind>(1 + random_.next_below(4));
    c.dimensions_m = {0.5f, 0.4f, 0.3f};
    if (random_.next_below(10) == 0) c.dimensions_m = vector(2);
    c.position = place();
    c.linear_velocity_m_s = vector(5);
    c.density_kg_m3 = 500;
    return c;
  }

  Random random_;
  std::uint32_t sequence_[4] = {};
};

}  // namespace takt::sim
