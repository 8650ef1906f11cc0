#include "client_sdk/cpp/replica/predicted_area.h"

#include <algorithm>

namespace takt::client {
namespace {

double distance_squared(const Position& a, const Position& b) noexcept {
  double const x = a.x_m() - b.x_m();
  double const y = a.y_m() - b.y_m();
  double const z = a.z_m() - b.z_m();
  return x * x + y * y + z * z;
}

void sort_once_each(std::vector<BodyId>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

bool is_dynamic(const sim::AnyWorld& world, const std::map<BodyId, BodyType>& types, BodyId body) {
  auto const type = types.find(body);
  return type != types.end() && type->second == BodyType::kDynamic && world.contains(body);
}

}  // namespace

void PredictedArea::clear() {
  bodies_.clear();
  named_.clear();
  grab_until_ = UINT64_MAX;
}

void PredictedArea::note_named(BodyId body, std::uint64_t tick) {
  std::uint64_t& until = named_[body];
  until = std::max(until, tick + kNamedTicks);
}

bool PredictedArea::contains(BodyId body) const { return std::ranges::binary_search(bodies_, body); }

void PredictedArea::find_centres(const sim::Simulation& simulation, sim::PlayerId own) {
  sim::AnyWorld const& world = simulation.world();
  centres_.clear();
  world.list_bodies(ids_);
  for (BodyId const id : ids_)
    if (named_.contains(id) || (own != sim::kServerPlayer && simulation.owner(id) == own))
      centres_.push_back(world.view(id).position);
  if (grab_until_ == 0) return;
  bool holds = false;
  for (const sim::PlayerView& player : simulation.players()) {
    if (player.player != own || !player.grabbed || !world.contains(player.grabbed)) continue;
    centres_.push_back(world.view(player.grabbed).position);
    holds = true;
  }
  if (grab_until_ == UINT64_MAX) grab_until_ = simulation.tick();  // of an image
  if (!holds && simulation.tick() >= grab_until_) grab_until_ = 0;
}

void PredictedArea::choose_near(const sim::Simulation& simulation, const std::map<BodyId, BodyType>& types) {
  sim::AnyWorld const& world = simulation.world();
  chosen_.clear();
  for (auto const& [body, type] : types) {
    if (type != BodyType::kDynamic || !world.contains(body)) continue;
    double const radius = contains(body) ? radius_m_ * kHysteresis : radius_m_;
    Position const position = world.view(body).position;
    auto const is_near = [&](const Position& centre) {
      return distance_squared(position, centre) <= radius * radius;
    };
    if (std::ranges::any_of(centres_, is_near)) chosen_.push_back(body);
  }
}

// One contact far: what touches them in turn follows snapshots.
void PredictedArea::add_touching(const sim::Simulation& simulation, const std::map<BodyId, BodyType>& types) {
  sim::AnyWorld const& world = simulation.world();
  world.list_contacts(contacts_);
  auto const near_end = static_cast<std::ptrdiff_t>(chosen_.size());
  auto const is_near = [&](BodyId body) {
    return std::binary_search(chosen_.begin(), chosen_.begin() + near_end, body);
  };
  for (const ContactView& contact : contacts_) {
    bool const has_a = is_near(contact.body_a);
    if (has_a == is_near(contact.body_b)) continue;
    BodyId const other = has_a ? contact.body_b : contact.body_a;
    if (is_dynamic(world, types, other)) chosen_.push_back(other);
  }
  sort_once_each(chosen_);
}

void PredictedArea::add_joined(const sim::Simulation& simulation, const std::map<BodyId, BodyType>& types) {
  sim::AnyWorld const& world = simulation.world();
  world.list_joints(joints_);
  joined_.clear();
  for (JointId const joint : joints_) {
    JointView const view = world.joint(joint);
    if (is_dynamic(world, types, view.body_a) && is_dynamic(world, types, view.body_b))
      joined_.emplace_back(view.body_a, view.body_b);
  }
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (auto const& [a, b] : joined_) {
      bool const has_a = std::ranges::binary_search(chosen_, a);
      if (has_a == std::ranges::binary_search(chosen_, b)) continue;
      BodyId const other = has_a ? b : a;
      chosen_.insert(std::ranges::lower_bound(chosen_, other), other);
      has_grown = true;
    }
  }
}

void PredictedArea::update(const sim::Simulation& simulation, sim::PlayerId own,
                           const std::map<BodyId, BodyType>& types) {
  sim::AnyWorld const& world = simulation.world();
  std::erase_if(
      named_, [&](const auto& one) { return one.second < simulation.tick() || !world.contains(one.first); });
  find_centres(simulation, own);
  choose_near(simulation, types);
  if (!chosen_.empty()) {
    add_touching(simulation, types);
    add_joined(simulation, types);
  }
  bodies_.assign(chosen_.begin(), chosen_.end());
}

}  // namespace takt::client
