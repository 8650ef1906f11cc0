#include "server/body_directory.h"

#include <algorithm>
#include <utility>

#include "server/world_view.h"

namespace takt::server {

void BodyDirectory::store(protocol::BodyInfo&& body) {
  std::uint32_t const index = BodyId::from_u64(body.id).index;
  bodies_.insert_or_assign(index, std::make_shared<const protocol::BodyInfo>(std::move(body)));
  list_.reset();
}

void BodyDirectory::enter() {
  bodies_.clear();
  list_.reset();
  next_refresh_ = 0;
  is_filled_ = false;
}

void BodyDirectory::fill(const sim::Simulation& simulation, GeometryRegistry& geometries) {
  if (std::exchange(is_filled_, true)) return;
  std::vector<BodyId> ids;
  simulation.world().list_bodies(ids);
  for (BodyId const id : ids)
    if (is_nameable(id)) store(geometries.describe(simulation, id));
}

void BodyDirectory::note_added(const protocol::BodyInfo& body) {
  if (!is_filled_) return;
  protocol::BodyInfo info = body;
  info.sequence = 0;
  store(std::move(info));
}

void BodyDirectory::note_removed(BodyId body) {
  if (bodies_.erase(body.index) > 0) list_.reset();
}

void BodyDirectory::note_left(sim::PlayerId player) {
  for (auto& [index, body] : bodies_) {
    if (body->player != player) continue;
    protocol::BodyInfo info = *body;
    info.player = 0;
    store(std::move(info));
  }
}

void BodyDirectory::refresh(const sim::Simulation& simulation) {
  auto at = bodies_.lower_bound(next_refresh_);
  for (std::size_t count = std::min(kBodiesPerRefresh, bodies_.size()); count > 0; --count) {
    if (at == bodies_.end()) at = bodies_.begin();
    auto const& [index, body] = *at++;
    BodyId const id = BodyId::from_u64(body->id);
    // The shapes of a body never change.
    auto const user_kind = static_cast<std::uint32_t>(simulation.world().user_tag(id));
    sim::PlayerId const player = simulation.owner(id);
    next_refresh_ = index + 1;
    if (body->user_kind == user_kind && body->player == player) continue;
    protocol::BodyInfo info = *body;
    info.user_kind = user_kind;
    info.player = player;
    store(std::move(info));
  }
}

std::shared_ptr<const BodyList> BodyDirectory::list(const sim::Simulation& simulation,
                                                    GeometryRegistry& geometries,
                                                    std::span<const sim::SpawnTicket> tickets) {
  fill(simulation, geometries);
  if (list_ == nullptr) {
    auto list = std::make_shared<BodyList>();
    list->reserve(bodies_.size());
    for (auto const& [index, body] : bodies_) list->push_back(body);
    list_ = std::move(list);
  }
  if (tickets.empty()) return list_;
  auto with_tickets = std::make_shared<BodyList>(*list_);
  auto const index_of = [](const Body& body) { return BodyId::from_u64(body->id).index; };
  for (const sim::SpawnTicket& ticket : tickets) {
    auto const at = std::ranges::lower_bound(*with_tickets, ticket.body.index, {}, index_of);
    bool const is_its_body = at != with_tickets->end() && (*at)->id == ticket.body.to_u64();
    if (!is_its_body || (*at)->player != ticket.player) continue;
    protocol::BodyInfo info = **at;
    info.sequence = ticket.sequence;
    *at = std::make_shared<const protocol::BodyInfo>(std::move(info));
  }
  return with_tickets;
}

}  // namespace takt::server
