#include "server/body_directory.h"

#include <algorithm>
#include <utility>

#include "server/world_view.h"

namespace takt::server {

void BodyDirectory::store(protocol::BodyInfo&& body) {
  std::uint32_t const index = BodyId::from_u64(body.id).index;
  if (index >= bodies_.size()) bodies_.resize(index + 1);
  bodies_[index] = std::make_shared<const protocol::BodyInfo>(std::move(body));
  list_.reset();
}

void BodyDirectory::enter(const sim::Simulation& simulation, GeometryRegistry& geometries) {
  bodies_.clear();
  list_.reset();
  next_refresh_ = 0;
  std::vector<BodyId> ids;
  simulation.world().list_bodies(ids);
  for (BodyId const id : ids)
    if (is_nameable(id)) store(geometries.describe(simulation, id));
}

void BodyDirectory::note_added(const protocol::BodyInfo& body) {
  protocol::BodyInfo info = body;
  info.sequence = 0;
  store(std::move(info));
}

void BodyDirectory::note_removed(BodyId body) {
  if (body.index >= bodies_.size()) return;
  bodies_[body.index].reset();
  list_.reset();
}

void BodyDirectory::note_left(sim::PlayerId player) {
  for (Body const& body : bodies_) {
    if (body == nullptr || body->player != player) continue;
    protocol::BodyInfo info = *body;
    info.player = 0;
    store(std::move(info));
  }
}

void BodyDirectory::refresh(const sim::Simulation& simulation, GeometryRegistry& geometries) {
  for (std::size_t count = std::min(kBodiesPerRefresh, bodies_.size()); count > 0; --count) {
    if (next_refresh_ >= bodies_.size()) next_refresh_ = 0;
    Body const& body = bodies_[next_refresh_++];
    if (body == nullptr) continue;
    protocol::BodyInfo info = geometries.describe(simulation, BodyId::from_u64(body->id));
    if (info != *body) store(std::move(info));
  }
}

std::shared_ptr<const BodyList> BodyDirectory::list(std::span<const sim::SpawnTicket> tickets) {
  if (list_ == nullptr) {
    auto list = std::make_shared<BodyList>();
    list->reserve(bodies_.size());
    std::ranges::copy_if(bodies_, std::back_inserter(*list),
                         [](const Body& body) { return body != nullptr; });
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
