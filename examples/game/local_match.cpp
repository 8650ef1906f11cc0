#include "examples/game/local_match.h"

#include <stdexcept>
#include <string>

#include "takt/server/scene_file.h"

namespace car_ball {
namespace {

using takt::BodyId;
using takt::Vec3;
using takt::client::Body;
namespace sim = takt::sim;

constexpr std::uint64_t kTicksBetweenCommands = 9;  // 150 ms, as takt bot

Vec3<float> narrowed(Vec3<double> v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

std::vector<Body> bodies_of(const sim::Simulation& simulation) {
  std::vector<BodyId> ids;
  simulation.world().list_bodies(ids);
  std::vector<Body> bodies;
  for (BodyId const id : ids) {
    sim::BodyView const view = simulation.world().view(id);
    Body body;
    body.id = id;
    body.user_kind = static_cast<std::uint32_t>(simulation.world().user_tag(id));
    body.player = simulation.owner(id);
    body.position = view.position;
    body.rotation = {static_cast<float>(view.rotation.x), static_cast<float>(view.rotation.y),
                     static_cast<float>(view.rotation.z), static_cast<float>(view.rotation.w)};
    body.linear_velocity_m_s = narrowed(view.linear_velocity_m_s);
    body.angular_velocity_rad_s = narrowed(view.angular_velocity_rad_s);
    bodies.push_back(body);
  }
  return bodies;
}

sim::Simulation started(const sim::Scene& scene, takt::NumbersMode numbers) {
  std::string text;
  auto simulation = sim::Simulation::create(scene, numbers, std::make_unique<CarBall>(), &text);
  if (!simulation) throw std::runtime_error(std::string(message(simulation.error())) + ": " + text);
  return *std::move(simulation);
}

}  // namespace

sim::Scene load_pitch() {
  auto scene = takt::server::load_scene_file(CAR_BALL_PITCH);
  if (!scene) throw std::runtime_error(message(scene.error()));
  return *std::move(scene);
}

LocalMatch::LocalMatch(const sim::Scene& scene, takt::NumbersMode numbers, std::uint64_t seed)
    : simulation_(started(scene, numbers)) {
  for (std::uint64_t i = 0; i < kBotCount; ++i) randoms_.emplace_back(seed * kBotCount + i);
}

const CarBall& LocalMatch::game() const { return dynamic_cast<const CarBall&>(*simulation_.game()); }

std::vector<sim::Input> LocalMatch::next_inputs() {
  std::uint64_t const tick = simulation_.tick();
  std::vector<sim::Input> inputs;
  for (sim::PlayerId player = 1; player <= kBotCount; ++player) {
    if (tick == 0)
      inputs.push_back({tick, sim::kServerPlayer, ++last_sequences_[0],
                        sim::JoinCommand{player, false, "bot " + std::to_string(player)}});
    if (tick == 0 || tick % kTicksBetweenCommands != 2 * (player - 1)) continue;
    std::vector<Body> const bodies = bodies_of(simulation_);
    auto command = bot_({player, static_cast<double>(tick), bodies}, randoms_[player - 1]);
    if (command) inputs.push_back({tick, player, ++last_sequences_[player], *std::move(command)});
  }
  return inputs;
}

}  // namespace car_ball
