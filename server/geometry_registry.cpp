#include "server/geometry_registry.h"

#include <algorithm>
#include <set>
#include <utility>

#include "server/world_view.h"
#include "sim/replication/body_replication.h"
#include "sim/replication/shape_geometry.h"

namespace takt::server {

bool names_geometry(const protocol::BodyInfo& body) noexcept {
  return std::ranges::any_of(body.shapes,
                             [](const protocol::ShapeInfo& shape) { return shape.geometry != 0; });
}

void put_plain_first(std::vector<protocol::BodyInfo>& bodies) {
  // Not the one of std::ranges: clang 14 cannot compile the subrange it returns.
  std::stable_partition(bodies.begin(), bodies.end(),
                        [](const protocol::BodyInfo& body) { return !names_geometry(body); });
}

void name_geometries(const GeometryRegistry& registry, RoomUpdate& update) {
  put_plain_first(update.added);
  if (!update.welcomes.empty()) {
    update.geometries = registry.list();
    return;
  }
  std::set<std::uint64_t> digests;
  for (const protocol::BodyInfo& body : update.added)
    for (const protocol::ShapeInfo& shape : body.shapes)
      if (shape.geometry != 0) digests.insert(shape.geometry);
  for (std::uint64_t const digest : digests) update.geometries.push_back(registry.at(digest));
}

std::vector<protocol::GeometryBlob> GeometryRegistry::list() const {
  std::vector<protocol::GeometryBlob> out;
  for (auto const& [digest, geometry] : entries_)
    if (geometry.bytes != nullptr) out.push_back(geometry);
  return out;
}

bool GeometryRegistry::has_or_takes(const sim::AnyWorld& world, ShapeId id, const ShapeDef& shape,
                                    std::uint64_t digest) {
  if (auto const at = entries_.find(digest); at != entries_.end()) return at->second.bytes != nullptr;
  protocol::GeometryBlob& entry = entries_[digest];
  std::uint64_t const bytes = sim::wire_geometry_bytes(world, id, shape);
  bool const fits = bytes <= limits_.bytes_max && bytes <= limits_.total_bytes_max - kept_bytes_;
  if (!fits || kept_count_ >= limits_.count_max) return false;
  protocol::Geometry const geometry = sim::wire_geometry(world, id, shape);
  entry = {digest, geometry.kind, std::make_shared<const std::vector<std::byte>>(protocol::encode(geometry))};
  ++kept_count_;
  kept_bytes_ += bytes;
  return true;
}

protocol::BodyInfo GeometryRegistry::describe(const sim::Simulation& simulation, BodyId body,
                                              std::span<const sim::SpawnTicket> tickets) {
  protocol::BodyInfo info = sim::body_info(simulation, body);
  auto const ticket = std::ranges::lower_bound(tickets, body, {}, &sim::SpawnTicket::body);
  if (ticket != tickets.end() && ticket->body == body && ticket->player == info.player)
    info.sequence = ticket->sequence;
  if (info.shapes.size() > protocol::kShapesPerBodyMax) info.shapes.resize(protocol::kShapesPerBodyMax);
  if (!names_geometry(info)) return info;
  sim::AnyWorld const& world = simulation.world();
  auto const shapes = world.shapes(body);
  for (std::size_t i = 0; i < info.shapes.size(); ++i) {
    std::uint64_t& digest = info.shapes[i].geometry;
    if (digest != 0 && !has_or_takes(world, shapes[i], world.shape(shapes[i]), digest)) digest = 0;
  }
  return info;
}

void GeometryRegistry::clear() noexcept {
  entries_.clear();
  kept_count_ = 0;
  kept_bytes_ = 0;
}

}  // namespace takt::server
