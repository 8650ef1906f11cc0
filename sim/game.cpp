#include "takt/sim/game.h"

#include "sim/tick_scope.h"

namespace takt::sim {

std::uint64_t WorldAccess::tick() const noexcept { return world_->tick(); }
std::uint32_t WorldAccess::tick_rate_hz() const noexcept { return world_->def().tick_rate_hz; }

Result<BodyId, PhysicsError> WorldAccess::create_body(const BodyDef& def, PlayerId owner) {
  TickScope scope{*world_, *state_, *spawned_, *removed_};
  return scope.create_body(def, state_->find_player(owner) != nullptr ? owner : kServerPlayer);
}
Result<Unit, PhysicsError> WorldAccess::destroy_body(BodyId body) {
  TickScope scope{*world_, *state_, *spawned_, *removed_};
  return scope.destroy_body(body);
}
PlayerId WorldAccess::owner(BodyId body) const noexcept { return state_->owner_of(body); }

Result<Unit, PhysicsError> WorldAccess::apply_impulse(BodyId body, Vec3<double> impulse_n_s) {
  return world_->apply_impulse(body, impulse_n_s);
}
Result<Unit, PhysicsError> WorldAccess::apply_impulse_at(BodyId body, Vec3<double> impulse_n_s,
                                                         const Position& point) {
  return world_->apply_impulse_at(body, impulse_n_s, point);
}
Result<Unit, PhysicsError> WorldAccess::apply_angular_impulse(BodyId body, Vec3<double> impulse_n_m_s) {
  return world_->apply_angular_impulse(body, impulse_n_m_s);
}
Result<Unit, PhysicsError> WorldAccess::apply_force(BodyId body, Vec3<double> force_n,
                                                    Vec3<double> torque_n_m) {
  return world_->apply_force(body, force_n, torque_n_m);
}
Result<Unit, PhysicsError> WorldAccess::set_pose(BodyId body, const Position& position,
                                                 Quat<double> rotation) {
  return world_->set_pose(body, position, rotation);
}
Result<Unit, PhysicsError> WorldAccess::set_velocity(BodyId body, Vec3<double> linear_m_s,
                                                     Vec3<double> angular_rad_s) {
  return world_->set_velocity(body, linear_m_s, angular_rad_s);
}
Result<MoverId, PhysicsError> WorldAccess::create_mover(const MoverDef& def, PlayerId owner) {
  TickScope scope{*world_, *state_, *spawned_, *removed_};
  return scope.create_mover(def, state_->find_player(owner) != nullptr ? owner : kServerPlayer);
}
Result<Unit, PhysicsError> WorldAccess::set_mover_input(MoverId mover, const MoverInput& input) {
  return world_->set_mover_input(mover, input);
}
Result<Unit, PhysicsError> WorldAccess::set_mover_tuning(MoverId mover, const MoverTuning& tuning) {
  return world_->set_mover_tuning(mover, tuning);
}
Result<RopeId, PhysicsError> WorldAccess::create_rope(const RopeDef& def) { return world_->create_rope(def); }
Result<Unit, PhysicsError> WorldAccess::destroy_rope(RopeId rope) { return world_->destroy_rope(rope); }
Result<RopeId, PhysicsError> WorldAccess::cut_rope(RopeId rope, std::uint32_t segment) {
  return world_->cut_rope(rope, segment);
}
Result<Unit, PhysicsError> WorldAccess::set_rope_pin(RopeId rope, const RopePin& pin) {
  return world_->set_rope_pin(rope, pin);
}
Result<Unit, PhysicsError> WorldAccess::clear_rope_pin(RopeId rope, std::uint32_t node) {
  return world_->clear_rope_pin(rope, node);
}
Result<Unit, PhysicsError> WorldAccess::set_rope_segment_length(RopeId rope, double segment_length_m) {
  return world_->set_rope_segment_length(rope, segment_length_m);
}
Result<JointId, PhysicsError> WorldAccess::create_joint(const JointDef& def) {
  return world_->create_joint(def);
}
Result<Unit, PhysicsError> WorldAccess::destroy_joint(JointId joint) { return world_->destroy_joint(joint); }
Result<Unit, PhysicsError> WorldAccess::change_joint(JointId joint, const JointDef& def) {
  return world_->change_joint(joint, def);
}
Result<Unit, PhysicsError> WorldAccess::set_joint_enabled(JointId joint, bool enabled) {
  return world_->set_joint_enabled(joint, enabled);
}
Result<Unit, PhysicsError> WorldAccess::set_user_tag(BodyId body, std::uint64_t tag) {
  return world_->set_user_tag(body, tag);
}
Result<Unit, PhysicsError> WorldAccess::set_gravity_scale(BodyId body, double scale) {
  return world_->set_gravity_scale(body, scale);
}
Result<Unit, PhysicsError> WorldAccess::set_damping(BodyId body, double linear_1_s, double angular_1_s) {
  return world_->set_damping(body, linear_1_s, angular_1_s);
}
Result<Unit, PhysicsError> WorldAccess::set_locked_axes(BodyId body, std::uint8_t locked) {
  return world_->set_locked_axes(body, locked);
}
Result<Unit, PhysicsError> WorldAccess::set_enabled(BodyId body, bool enabled) {
  return world_->set_enabled(body, enabled);
}
Result<Unit, PhysicsError> WorldAccess::set_type(BodyId body, BodyType type) {
  return world_->set_type(body, type);
}
Result<Unit, PhysicsError> WorldAccess::set_target(BodyId body, const Position& position,
                                                   Quat<double> rotation) {
  return world_->set_target(body, position, rotation);
}
Result<Unit, PhysicsError> WorldAccess::set_filter(ShapeId shape, const ShapeFilter& filter) {
  return world_->set_filter(shape, filter);
}
Result<Unit, PhysicsError> WorldAccess::set_surface_velocity(ShapeId shape, Vec3<double> velocity_m_s) {
  return world_->set_surface_velocity(shape, velocity_m_s);
}
std::uint32_t WorldAccess::random() { return world_->random(); }

void Game::on_join(WorldAccess&, PlayerId) {}
void Game::on_leave(WorldAccess&, PlayerId) {}
bool Game::on_command(WorldAccess&, PlayerId, std::span<const std::byte>) { return false; }
void Game::before_tick(WorldAccess&) {}
void Game::after_tick(WorldAccess&, const StepEvents&) {}

}  // namespace takt::sim
