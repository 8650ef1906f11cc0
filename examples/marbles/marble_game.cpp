#include "examples/marbles/marble_game.h"

#include <algorithm>

namespace marbles {
namespace {

using takt::BodyId;
using takt::Position;
using takt::sim::PlayerId;
using takt::sim::WorldAccess;

constexpr double kGoalM = 12.0;
constexpr double kPushNs = 60.0;

// A lane of its own for each player, and a little luck.
Position start_of(WorldAccess& world, PlayerId player) {
  double const luck_m = static_cast<double>(world.random() % 1000) * 1e-3;
  return Position::from_metres(luck_m, 0.6, 2.0 * player);
}

}  // namespace

void MarbleGame::on_join(WorldAccess& world, PlayerId player) {
  auto ball = takt::ShapeDef::sphere(0.5);
  ball.density_kg_m3 = 100;
  auto def = takt::BodyDef::make(takt::BodyType::kDynamic, start_of(world, player));
  def.angular_damping_1_s = 0.3;
  if (auto const body = world.create_body(def, ball, player)) marbles_.push_back({player, *body, 0});
}

void MarbleGame::on_leave(WorldAccess&, PlayerId player) {
  // The policy takes the body away; the game forgets it.
  std::erase_if(marbles_, [=](const Marble& m) { return m.player == player; });
}

bool MarbleGame::on_command(WorldAccess& world, PlayerId player, std::span<const std::byte> bytes) {
  auto const mine = std::ranges::find(marbles_, player, &Marble::player);
  if (bytes.size() != 1 || mine == marbles_.end()) return false;
  switch (static_cast<Push>(bytes[0])) {
    case Push::kEast: return world.apply_impulse(mine->body, {kPushNs, 0, 0}).ok();
    case Push::kWest: return world.apply_impulse(mine->body, {-kPushNs, 0, 0}).ok();
    case Push::kNorth: return world.apply_impulse(mine->body, {0, 0, -kPushNs}).ok();
    case Push::kSouth: return world.apply_impulse(mine->body, {0, 0, kPushNs}).ok();
  }
  return false;  // bytes from a player: anything may stand there
}

void MarbleGame::before_tick(WorldAccess& world) {
  for (Marble& marble : marbles_) {
    if (!world.world().contains(marble.body)) continue;  // a player may despawn its own marble
    if (world.world().view(marble.body).position.x_m() < kGoalM) continue;
    ++marble.score;
    world.set_pose(marble.body, start_of(world, marble.player), {});
    world.set_velocity(marble.body, {}, {});
  }
}

void MarbleGame::visit_state(takt::sim::StateVisitor& state) {
  state.list("marble", marbles_, 4096, [](Marble& marble, takt::sim::StateVisitor& in) {
    in.field("player", marble.player);
    in.field("body", marble.body);
    in.field("score", marble.score);
  });
}

}  // namespace marbles
