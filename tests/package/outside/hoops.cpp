#include "hoops.h"

#include <string>

namespace hoops {
namespace {

constexpr double kHoopM = 2;

}  // namespace

using takt::sim::PlayerId;
using takt::sim::WorldAccess;

void Hoops::on_join(WorldAccess& world, PlayerId player) {
  auto const def =
      takt::BodyDef::make(takt::BodyType::kDynamic, takt::Position::from_metres(2.0 * player, 0.5, 0));
  auto ball = takt::ShapeDef::sphere(0.5);
  ball.density_kg_m3 = 100;
  if (auto const body = world.create_body(def, ball, player)) balls_[player] = {*body, 0, false};
}

void Hoops::on_leave(WorldAccess&, PlayerId player) { balls_.erase(player); }  // the ball goes with its owner

bool Hoops::on_command(WorldAccess& world, PlayerId player, std::span<const std::byte> bytes) {
  auto const ball = balls_.find(player);
  if (ball == balls_.end() || bytes.size() != 1 || bytes[0] != kKick) return false;
  return world.apply_impulse(ball->second.body, {0, 400, 0}).ok();
}

void Hoops::after_tick(WorldAccess& world, const takt::StepEvents&) {
  for (auto& [player, ball] : balls_) {
    if (!world.world().contains(ball.body)) continue;
    bool const is_above = world.world().view(ball.body).position.y_m() > kHoopM;
    if (is_above && !ball.is_above) {
      ++ball.score;
      (void)world.send(player, "score " + std::to_string(ball.score));
    }
    ball.is_above = is_above;
  }
}

void Hoops::visit_state(takt::sim::StateVisitor& state) {
  state.map("ball", balls_, 4096, [](Ball& ball, takt::sim::StateVisitor& in) {
    in.field("body", ball.body);
    in.field("score", ball.score);
    in.field("is_above", ball.is_above);
  });
}

}  // namespace hoops
