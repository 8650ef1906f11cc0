#include "balloons.h"

namespace balloons {

using takt::sim::PlayerId;
using takt::sim::WorldAccess;

void Balloons::on_join(WorldAccess& world, PlayerId player) {
  auto ball = takt::ShapeDef::sphere(0.5);
  ball.density_kg_m3 = 10;
  auto def = takt::BodyDef::make(takt::BodyType::kDynamic, takt::Position::from_metres(2.0 * player, 3, 0));
  def.linear_damping_1_s = 0.5;
  if (auto const balloon = world.create_body(def, ball, player)) balloons_[player] = *balloon;
}

void Balloons::on_leave(WorldAccess&, PlayerId player) {
  balloons_.erase(player);
}  // the body goes with its owner

bool Balloons::on_command(WorldAccess& world, PlayerId player, std::span<const std::byte> bytes) {
  auto const balloon = balloons_.find(player);
  if (balloon == balloons_.end() || bytes.size() != 1 || bytes[0] != kPuff) return false;
  return world.apply_impulse(balloon->second, {0, 10, 0}).ok();
}

void Balloons::before_tick(WorldAccess& world) {
  for (auto const& [player, balloon] : balloons_)
    if (world.world().contains(balloon))
      world.apply_force(balloon, {0, 9.81 * world.world().mass_kg(balloon), 0});
}

void Balloons::save(takt::ByteWriter& out) const {
  out.put(static_cast<std::uint32_t>(balloons_.size()));
  for (auto const& [player, balloon] : balloons_) {
    out.put(player);
    out.put(balloon);
  }
}

bool Balloons::restore(takt::ByteReader& in) {
  balloons_.clear();
  auto const count = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    auto const player = in.get<PlayerId>();
    balloons_[player] = in.get<takt::BodyId>();
  }
  return in.ok() && balloons_.size() == count;
}

}  // namespace balloons
