#include "client_sdk/cpp/replica/predicted_area.h"

#include <algorithm>
#include <set>

namespace takt::client {
namespace {

double distance_squared(const Position& a, const Position& b) noexcept {
  double const x = a.x_m() - b.x_m();
  double const y = a.y_m() - b.y_m();
  double const z = a.z_m() - b.z_m();
  return x * x + y * y + z * z;
}

}  // namespace

void PredictedArea::clear() {
  bodies_.clear();
  named_.clear();
}

void PredictedArea::note_named(BodyId body, std::uint64_t tick) {
  std::uint64_t& until = named_[body];
  until = std::max(until, tick + kNamedTicks);
}

bool PredictedArea::contains(BodyId body) const { return std::ranges::binary_search(bodies_, body); }

std::vector<Position> PredictedArea::centres(const sim::Simulation& simulation, sim::PlayerId own) const {
  sim::AnyWorld const& world = simulation.world();
  std::vector<Position> out;
  std::vector<BodyId> ids;
  world.list_bodies(ids);
  for (BodyId const id : ids)
    if (named_.contains(id) || (own != sim::kServerPlayer && simulation.owner(id) == own))
      out.push_back(world.view(id).position);
  for (const sim::PlayerView& player : simulation.players())
    if (player.player == own && player.grabbed && world.contains(player.grabbed))
      out.push_back(world.view(player.grabbed).position);
  return out;
}

void PredictedArea::update(const sim::Simulation& simulation, sim::PlayerId own,
                           const std::map<BodyId, BodyType>& types) {
  sim::AnyWorld const& world = simulation.world();
  std::erase_if(
      named_, [&](const auto& one) { return one.second < simulation.tick() || !world.contains(one.first); });
  std::vector<Position> const own_positions = centres(simulation, own);
  auto const is_dynamic = [&](BodyId body) {
    auto const type = types.find(body);
    return type != types.end() && type->second == BodyType::kDynamic && world.contains(body);
  };
  std::set<BodyId> chosen;
  for (auto const& [body, type] : types) {
    if (!is_dynamic(body)) continue;
    double const radius = contains(body) ? radius_m_ * kHysteresis : radius_m_;
    Position const position = world.view(body).position;
    auto const is_near = [&](const Position& centre) {
      return distance_squared(position, centre) <= radius * radius;
    };
    if (std::ranges::any_of(own_positions, is_near)) chosen.insert(body);
  }
  if (chosen.empty()) return bodies_.clear();
  std::vector<ContactView> contacts;
  world.list_contacts(contacts);
  std::set<BodyId> touching;
  for (const ContactView& contact : contacts) {
    if (chosen.contains(contact.body_a) && is_dynamic(contact.body_b)) touching.insert(contact.body_b);
    if (chosen.contains(contact.body_b) && is_dynamic(contact.body_a)) touching.insert(contact.body_a);
  }
  chosen.merge(touching);
  std::vector<JointId> joints;
  world.list_joints(joints);
  std::vector<std::pair<BodyId, BodyId>> joined;
  for (JointId const joint : joints) {
    JointView const view = world.joint(joint);
    if (is_dynamic(view.body_a) && is_dynamic(view.body_b)) joined.emplace_back(view.body_a, view.body_b);
  }
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (auto const& [a, b] : joined) {
      if (chosen.contains(a) == chosen.contains(b)) continue;
      chosen.insert(a);
      chosen.insert(b);
      has_grown = true;
    }
  }
  bodies_.assign(chosen.begin(), chosen.end());
}

}  // namespace takt::client
