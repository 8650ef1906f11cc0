// BodyDirectory has the description of each body of one world for newcomers. The first list() of a world
// describes all its bodies; later ones are described when they are spawned. All lists share the descriptions.
// A newcomer therefore costs a tick one pointer for each body, and no description. A Game may change the tag
// of any body in any tick: refresh() compares a few bodies a tick, in turn. It describes none, because the
// shapes of a body never change. WorldPublisher owns a BodyDirectory. One thread at a time uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "protocol/messages/body_state.h"
#include "server/geometry_registry.h"
#include "server/room_update.h"
#include "takt/sim/simulation.h"

namespace takt::server {

class BodyDirectory {
 public:
  /// Bodies of one refresh(). With 5,000 living bodies a change by a game reaches newcomers within 79 ticks
  /// without spawns.
  static constexpr std::size_t kBodiesPerRefresh = 64;

  /// Begins another world, which has no descriptions until fill() or list().
  void enter();
  /// Describes every body that the protocol can name, if that is still to be done for this world.
  void fill(const sim::Simulation& simulation, GeometryRegistry& geometries);
  /// A body was spawned. Its description is stored without its BodyInfo::sequence.
  void note_added(const protocol::BodyInfo& body);
  void note_removed(BodyId body);
  /// Bodies of a player that left have no owner any more.
  void note_left(sim::PlayerId player);
  /// Compares the tags and owners of the next kBodiesPerRefresh living bodies with their descriptions.
  /// Without a difference it allocates nothing.
  void refresh(const sim::Simulation& simulation);

  /// The descriptions, after fill(), in the order of their indices. Never null. Without a change since the
  /// last call the list is the last one. The owner's ticket in `tickets` gives BodyInfo::sequence; then the
  /// list is for this call alone, because a ticket counts in its tick alone.
  [[nodiscard]] std::shared_ptr<const BodyList> list(const sim::Simulation& simulation,
                                                     GeometryRegistry& geometries,
                                                     std::span<const sim::SpawnTicket> tickets = {});

 private:
  using Body = std::shared_ptr<const protocol::BodyInfo>;
  void store(protocol::BodyInfo&& body);

  std::map<std::uint32_t, Body> bodies_;  // by index, the living ones
  std::shared_ptr<const BodyList> list_;  // null = to be made
  std::uint32_t next_refresh_ = 0;        // index
  bool is_filled_ = false;
};

}  // namespace takt::server
