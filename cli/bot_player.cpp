#include "cli/bot_player.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace takt::cli {
namespace {

constexpr std::uint32_t kAnyone = UINT32_MAX;
constexpr std::size_t kSentMax = 64;
constexpr double kPi = 3.14159265358979;

// Rough, from the bounding box: a push should be felt by a crate as by a pebble. Densities are not sent to
// clients; half of water's is a fair guess.
float guess_mass_kg(const client::Body& body) {
  double volume_m3 = 0;
  for (const ShapeDef& shape : body.shapes) {
    switch (shape.kind) {
      case ShapeKind::kSphere: volume_m3 += 4.2 * shape.radius_m * shape.radius_m * shape.radius_m; break;
      case ShapeKind::kCapsule:
        volume_m3 += 2 * kPi * shape.radius_m * shape.radius_m * (shape.half_length_m + shape.radius_m);
        break;
      case ShapeKind::kBox:
        volume_m3 += 8 * shape.half_extents_m.x * shape.half_extents_m.y * shape.half_extents_m.z;
        break;
      case ShapeKind::kHalfSpace:
      case ShapeKind::kMesh:
      case ShapeKind::kHeightField: break;  // of bodies that nothing pushes
      case ShapeKind::kCylinder:
        volume_m3 += 2 * kPi * shape.radius_m * shape.radius_m * shape.half_length_m;
        break;
      case ShapeKind::kCone:
        volume_m3 += 2 * kPi / 3 * shape.radius_m * shape.radius_m * shape.half_length_m;
        break;
      case ShapeKind::kHull:
        volume_m3 += 4 * shape.half_extents_m.x * shape.half_extents_m.y * shape.half_extents_m.z;
        break;  // half of its box
    }
  }
  return static_cast<float>(std::clamp(volume_m3 * 500, 0.01, 5000.0));
}

bool has_half_space(const client::Body& body) {
  return std::ranges::any_of(body.shapes,
                             [](const ShapeDef& shape) { return shape.kind == ShapeKind::kHalfSpace; });
}

Position moved_by(const Position& from, double x_m, double y_m, double z_m) {
  Position const offset = Position::from_metres(x_m, y_m, z_m);
  return Position::from_raw(from.x_raw + offset.x_raw, from.y_raw + offset.y_raw, from.z_raw + offset.z_raw);
}

}  // namespace

std::optional<sim::Command> BotPlayer::next_command(std::uint64_t now_us, std::uint32_t player,
                                                    std::span<const client::Body> bodies) {
  if (!is_due(now_us)) return std::nullopt;
  if (grabbing_) {
    next_us_ = now_us + kDragUs;
    if (now_us - grabbed_us_ < kDragTimeUs) return drag(now_us);
    grabbing_ = false;
    return sim::ReleaseCommand{};
  }
  next_us_ = now_us + kActionUs;
  auto const own =
      std::ranges::count_if(bodies, [&](const client::Body& body) { return body.player == player; });
  std::uint32_t const dice = random_.next_below(100);
  if (dice < 20 && own < kOwnBodiesMax) return spawn(bodies);
  if (dice < 30) {
    if (const client::Body* const body = choose(bodies, player)) return sim::DespawnCommand{body->id};
  }
  const client::Body* const body = choose(bodies, kAnyone);
  if (body == nullptr) return std::nullopt;
  if (dice >= 80) {
    grabbed_us_ = now_us;
    return grab(*body);
  }
  return impulse(*body);
}

const client::Body* BotPlayer::choose(std::span<const client::Body> bodies, std::uint32_t owner) {
  std::vector<const client::Body*> candidates;
  for (const client::Body& body : bodies) {
    if (has_half_space(body) || immovable_.contains(body.id) || (owner != kAnyone && body.player != owner))
      continue;
    candidates.push_back(&body);
  }
  return candidates.empty() ? nullptr
                            : candidates[random_.next_below(static_cast<std::uint32_t>(candidates.size()))];
}

sim::Command BotPlayer::impulse(const client::Body& body) {
  float const strength = 2.0f * guess_mass_kg(body);  // about 2 m/s
  return sim::ImpulseCommand{
      body.id, {symmetric() * strength, (symmetric() + 1) * strength, symmetric() * strength}, std::nullopt};
}

sim::Command BotPlayer::spawn(std::span<const client::Body> bodies) {
  sim::SpawnCommand command;
  float const size_m = 0.2f + 0.3f * static_cast<float>(random_.next_unit());
  switch (random_.next_below(3)) {
    case 0:
      command.kind = ShapeKind::kSphere;
      command.dimensions_m = {size_m, 0, 0};
      break;
    case 1:
      command.kind = ShapeKind::kCapsule;
      command.dimensions_m = {size_m / 2, size_m, 0};
      break;
    default:
      command.kind = ShapeKind::kBox;
      command.dimensions_m = {size_m, size_m / 2, size_m};
      break;
  }
  const client::Body* const above = choose(bodies, kAnyone);
  command.position =
      moved_by(above != nullptr ? above->position : Position{}, 2.0 * static_cast<double>(symmetric()), 3,
               2.0 * static_cast<double>(symmetric()));
  command.linear_velocity_m_s = {symmetric(), 0, symmetric()};
  command.density_kg_m3 = 500;
  return command;
}

sim::Command BotPlayer::grab(const client::Body& body) {
  grab_target_ = body.position;
  grabbing_ = true;
  return sim::GrabCommand{body.id, {}, body.position, 40 * guess_mass_kg(body)};  // four times its weight
}

// Up a metre and around a circle of one.
sim::Command BotPlayer::drag(std::uint64_t now_us) const {
  double const part = static_cast<double>(now_us - grabbed_us_) / static_cast<double>(kDragTimeUs);
  return sim::MoveGrabCommand{
      moved_by(grab_target_, std::sin(2 * kPi * part), part, 1 - std::cos(2 * kPi * part))};
}

void BotPlayer::note_sent(std::uint32_t sequence, const sim::Command& command) {
  BodyId body;
  if (auto const* push = std::get_if<sim::ImpulseCommand>(&command)) body = push->body;
  if (auto const* grabbed = std::get_if<sim::GrabCommand>(&command)) {
    body = grabbed->body;
    grab_sequence_ = sequence;
  }
  if (body.is_null()) return;
  sent_.emplace_back(sequence, body);
  if (sent_.size() > kSentMax) sent_.pop_front();
}

void BotPlayer::note_outcome(const client::CommandOutcome& decided) {
  if (decided.status == client::CommandStatus::kMoved) return;
  if (decided.sequence == grab_sequence_) grabbing_ = false;
  if (decided.status != client::CommandStatus::kRefusedInvalid) return;
  auto const at = std::ranges::find(sent_, decided.sequence, [](auto const& one) { return one.first; });
  if (at != sent_.end()) immovable_.insert(at->second);
}

}  // namespace takt::cli
