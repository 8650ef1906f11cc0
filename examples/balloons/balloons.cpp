#include "balloons.h"

#include <algorithm>
#include <string>

namespace balloons {
namespace {

using takt::BodyId;
using takt::Position;
using takt::sim::PlayerId;
using takt::sim::WorldAccess;

Position start_of(PlayerId player) { return Position::from_metres(2.0 * player, 3, 0); }

std::string name_of(PlayerId player) { return "player " + std::to_string(player); }

}  // namespace

std::string_view scene_json() noexcept {
  return R"({
    "title": "Balloons",
    "bodies": [
      { "type": "static", "shapes": [{ "half_space": {} }] },
      {
        "type": "static", "position": [0, 7, 0],
        "shapes": [{ "name": "goal", "box": { "size": [1000, 1, 4] }, "sensor": true }]
      },
    ],
  })";
}

bool Balloons::on_start(WorldAccess& world, const takt::sim::SceneNames& names) {
  goal_ = names.shape("goal");
  if (!goal_) return world.refuse("the scene needs one shape with the name \"goal\"");
  round_end_tick_ = kRoundS * world.tick_rate_hz();
  return true;
}

void Balloons::on_join(WorldAccess& world, PlayerId player) {
  auto ball = takt::ShapeDef::sphere(0.5);
  ball.density_kg_m3 = 10;
  auto def = takt::BodyDef::make(takt::BodyType::kDynamic, start_of(player));
  def.linear_damping_1_s = 0.5;
  auto const balloon = world.create_body(def, ball, player);
  if (!balloon) return;  // the world is full: this player watches
  players_[player].balloon = *balloon;
  (void)world.send(player, "welcome, " + name_of(player));
}

void Balloons::on_leave(WorldAccess&, PlayerId player) {
  players_.erase(player);
}  // the body goes with its owner

bool Balloons::on_command(WorldAccess& world, PlayerId player, std::span<const std::byte> bytes) {
  auto const at = players_.find(player);
  if (at == players_.end() || bytes.size() != 1 || bytes[0] != kPuff) return false;
  if (at->second.puffs_left == 0) return world.refuse("no puffs are left in this round");
  if (!world.apply_impulse(at->second.balloon, {0, 10, 0})) return false;
  --at->second.puffs_left;
  return true;
}

void Balloons::before_tick(WorldAccess& world) {
  for (auto const& [id, player] : players_)
    if (world.world().contains(player.balloon))  // a player may despawn its own balloon
      world.apply_force(player.balloon, {0, 9.81 * world.world().mass_kg(player.balloon), 0});
}

void Balloons::after_tick(WorldAccess& world, const takt::StepEvents& events) {
  for (takt::SensorOverlap const& entry : events.sensor_begin)
    if (entry.sensor == goal_) score(world, world.body_of(entry.visitor));
  if (world.tick() >= round_end_tick_) {
    end_round(world);
  } else if (world.tick() % world.tick_rate_hz() == 0) {
    std::uint64_t const left_s = (round_end_tick_ - world.tick()) / world.tick_rate_hz();
    (void)world.send_to_all("time " + std::to_string(left_s));
  }
}

void Balloons::score(WorldAccess& world, BodyId balloon) {
  auto const at = std::ranges::find_if(players_, [&](auto const& p) { return p.second.balloon == balloon; });
  if (balloon.is_null() || at == players_.end()) return;
  auto& [id, player] = *at;
  ++player.score;
  world.set_pose(balloon, start_of(id), {});
  world.set_velocity(balloon, {}, {});
  (void)world.send_to_all("score " + name_of(id) + ": " + std::to_string(player.score));
}

void Balloons::end_round(WorldAccess& world) {
  round_end_tick_ = world.tick() + kRoundS * world.tick_rate_hz();
  auto const best = std::ranges::max_element(players_, {}, [](auto const& p) { return p.second.score; });
  bool const has_winner = best != players_.end() && best->second.score > 0;
  (void)world.send_to_all("the round is over, " +
                          (has_winner ? name_of(best->first) + " wins" : "nobody scored"));
  for (auto& [id, player] : players_) {
    player.puffs_left = kPuffsPerRound;
    player.score = 0;
  }
}

void Balloons::visit_state(takt::sim::StateVisitor& state) {
  state.field("goal", goal_);
  state.field("round_end_tick", round_end_tick_);
  state.map("player", players_, 4096, [](Player& player, takt::sim::StateVisitor& in) {
    in.field("balloon", player.balloon);
    in.field("puffs_left", player.puffs_left);
    in.field("score", player.score);
  });
}

}  // namespace balloons
