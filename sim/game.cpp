#include "takt/sim/game.h"

#include <bit>

#include "sim/state/tick_scope.h"
#include "takt/sim/scene.h"

namespace takt::sim {
namespace {

// Ids of the elements of a scene's list that have a name. `ids` are those of the list, in its order.
template <class List, class AnId>
std::vector<AnId> all_named(const List& list, const std::vector<AnId>& ids, std::string_view name) {
  std::vector<AnId> found;
  if (name.empty()) return found;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) found.push_back(ids[i]);
  return found;
}

template <class AnId>
AnId only_one(const std::vector<AnId>& found) {
  return found.size() == 1 ? found.front() : AnId{};
}

// The greatest prefix of at most `max` bytes that ends between two characters of UTF-8.
std::string_view cut_text(std::string_view text, std::size_t max) {
  if (text.size() <= max) return text;
  while (max > 0 && (static_cast<unsigned char>(text[max]) & 0xc0u) == 0x80u) --max;
  return text.substr(0, max);
}

}  // namespace

std::vector<BodyId> SceneNames::bodies(std::string_view name) const {
  return all_named(scene_->bodies, bodies_, name);
}
std::vector<ShapeId> SceneNames::shapes(std::string_view name) const {
  std::vector<ShapeId> found;
  if (name.empty()) return found;
  for (std::size_t body = 0; body < scene_->bodies.size(); ++body) {
    auto const& names = scene_->bodies[body].shape_names;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) found.push_back(world_->shapes(bodies_[body])[i]);
  }
  return found;
}
std::vector<JointId> SceneNames::joints(std::string_view name) const {
  return all_named(scene_->joints, joints_, name);
}
std::vector<RopeId> SceneNames::ropes(std::string_view name) const {
  return all_named(scene_->ropes, ropes_, name);
}
BodyId SceneNames::body(std::string_view name) const { return only_one(bodies(name)); }
ShapeId SceneNames::shape(std::string_view name) const { return only_one(shapes(name)); }
JointId SceneNames::joint(std::string_view name) const { return only_one(joints(name)); }
RopeId SceneNames::rope(std::string_view name) const { return only_one(ropes(name)); }

WorldAccess::WorldAccess(TickScope& scope) noexcept : world_(&scope.world), scope_(&scope) {}

std::uint64_t WorldAccess::tick() const noexcept { return world_->tick(); }
std::uint32_t WorldAccess::tick_rate_hz() const noexcept { return world_->def().tick_rate_hz; }

Result<BodyId, PhysicsError> WorldAccess::create_body(const BodyDef& def, PlayerId owner) {
  return scope_->create_body(def, scope_->state.find_player(owner) != nullptr ? owner : kServerPlayer);
}
EditResult WorldAccess::destroy_body(BodyId body) { return scope_->destroy_body(body); }
PlayerId WorldAccess::owner(BodyId body) const noexcept { return scope_->state.owner_of(body); }

Result<MoverId, PhysicsError> WorldAccess::create_mover(const MoverDef& def, PlayerId owner) {
  return scope_->create_mover(def, scope_->state.find_player(owner) != nullptr ? owner : kServerPlayer);
}

std::uint32_t WorldAccess::random_below(std::uint32_t bound) {
  if (bound < 2) return 0;
  // The fewest upper bits that hold all values; a draw past the bound is repeated, so that none is favoured.
  int const unused_bits = std::countl_zero(bound - 1);
  for (;;) {
    std::uint32_t const draw = random() >> unused_bits;
    if (draw < bound) return draw;
  }
}

Result<Unit, SimError> WorldAccess::send(PlayerId player, std::span<const std::byte> bytes) {
  // kServerPlayer is no player either: 0 stands for all players in a GameMessage.
  if (scope_->state.find_player(player) == nullptr) return SimError::kUnknownPlayer;
  return scope_->send(player, bytes);
}
Result<Unit, SimError> WorldAccess::send(PlayerId player, std::string_view text) {
  return send(player, std::as_bytes(std::span(text)));
}
Result<Unit, SimError> WorldAccess::send_to_all(std::span<const std::byte> bytes) {
  return scope_->send(kServerPlayer, bytes);
}
Result<Unit, SimError> WorldAccess::send_to_all(std::string_view text) {
  return send_to_all(std::as_bytes(std::span(text)));
}

bool WorldAccess::refuse(std::string_view text) {
  scope_->acting.refusal_text = cut_text(text, kMaxRefusalTextBytes);
  return false;
}

bool Game::on_start(WorldAccess&, const SceneNames&) { return true; }
void Game::on_join(WorldAccess&, PlayerId) {}
void Game::on_leave(WorldAccess&, PlayerId) {}
void Game::on_spawn(WorldAccess&, const SpawnTicket&) {}
bool Game::on_command(WorldAccess&, PlayerId, std::span<const std::byte>) { return false; }
void Game::before_tick(WorldAccess&) {}
void Game::after_tick(WorldAccess&, const StepEvents&) {}

}  // namespace takt::sim
