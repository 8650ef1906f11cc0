// BodyDirectory has the description of each body of one world for newcomers. A description is made when its
// world begins or its body is spawned, and shared by all lists. A newcomer therefore costs a tick one pointer
// for each body, and no description. A Game may change any body in any tick: refresh() describes a few bodies
// of its world a tick, in turn. WorldPublisher owns a BodyDirectory. One thread at a time uses it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "protocol/messages/body_state.h"
#include "server/geometry_registry.h"
#include "server/room_update.h"
#include "takt/sim/simulation.h"

namespace takt::server {

class BodyDirectory {
 public:
  /// Bodies of one refresh(). In a world of 5,000 bodies a change by a game reaches newcomers within 79
  /// ticks.
  static constexpr std::size_t kBodiesPerRefresh = 64;

  /// Describes every body of another world that the protocol can name.
  void enter(const sim::Simulation& simulation, GeometryRegistry& geometries);
  /// A body was spawned. Its description is stored without its BodyInfo::sequence.
  void note_added(const protocol::BodyInfo& body);
  void note_removed(BodyId body);
  /// Bodies of a player that left have no owner any more.
  void note_left(sim::PlayerId player);
  /// Describes the next kBodiesPerRefresh bodies anew.
  void refresh(const sim::Simulation& simulation, GeometryRegistry& geometries);

  /// The descriptions in the order of their indices. Never null. Without a change since the last call the
  /// list is the last one. The owner's ticket in `tickets` gives BodyInfo::sequence; then the list is for
  /// this call alone, because a ticket counts in its tick alone.
  [[nodiscard]] std::shared_ptr<const BodyList> list(std::span<const sim::SpawnTicket> tickets = {});

 private:
  using Body = std::shared_ptr<const protocol::BodyInfo>;
  void store(protocol::BodyInfo&& body);

  std::vector<Body> bodies_;              // by index; null = no such body
  std::shared_ptr<const BodyList> list_;  // null = to be made
  std::size_t next_refresh_ = 0;          // index
};

}  // namespace takt::server
