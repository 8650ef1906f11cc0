// These functions convert parts of a simulation to protocol values: bodies, contacts, joints, grabs, ropes,
// and a scene's title and camera. A grab is a soft constraint that pulls a point of a body to a player's
// target. list_states() and list_ropes() leave out what the protocol's limits exclude. look_inside() keeps
// the contacts with the greatest impulses, all grabs and the first joints, up to the limits. WorldPublisher
// and ShadowWorld call the functions about bodies, contacts, joints and ropes; Room and Playback call the
// others.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "protocol/messages/body_state.h"
#include "protocol/messages/room_message.h"
#include "server/room_update.h"
#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"

namespace takt::server {

/// True when the protocol can name this body: its index is below kBodyIndexMax.
[[nodiscard]] bool is_nameable(BodyId body) noexcept;

/// Replaces `out` by the states of all nameable bodies, in id order. Returns the number of bodies left out.
std::size_t list_states(const sim::Simulation& simulation, std::vector<protocol::BodyState>& out);

/// Replaces `out` by the inputs of the movers whose bodies list_states() lists, in id order of the movers.
void list_mover_inputs(const sim::Simulation& simulation, std::vector<protocol::MoverInput>& out);

/// A scene's title as a RoomState may hold it: cut and made printable (protocol::printable_text) if need be.
[[nodiscard]] std::string title_of(const std::string& title);
/// A camera's eye and target, clamped to the range of a Position, +-2^31 m.
[[nodiscard]] protocol::CameraPlace camera_of(const sim::CameraHint& camera) noexcept;

/// The contacts and joints that players inspect; none if nobody inspects anything. `inspections` has the
/// kInspect bits of each player.
[[nodiscard]] std::optional<InsideView> look_inside(
    const sim::Simulation& simulation, const std::map<sim::PlayerId, std::uint32_t>& inspections);

/// True if a player inspects ropes.
[[nodiscard]] bool asks_for_ropes(const std::map<sim::PlayerId, std::uint32_t>& inspections) noexcept;
/// Ropes that list_ropes() may read.
struct RopeLimits {
  std::size_t ropes_max = SIZE_MAX;
  std::size_t nodes_max = SIZE_MAX;
};
/// Ropes that a tick may read: 64 ropes of 64 nodes take 39 us. The shadow world reads more of them. Reading
/// a rope costs time for all pins of the world, so both numbers are limited.
inline constexpr RopeLimits kRopesOnTick{64, 4096};
/// The ropes with an index below kRopeIndexMax, in id order; none if the world has more than the limits
/// allow. The rope that would raise their nodes above kRopeNodesPerWorld ends the list.
[[nodiscard]] std::optional<std::vector<protocol::RopeState>> list_ropes(const sim::Simulation& simulation,
                                                                         const RopeLimits& limits = {});
/// The ids of StepEvents::broken_joints of the last step.
[[nodiscard]] std::vector<std::uint64_t> list_broken_joints(const sim::Simulation& simulation);

}  // namespace takt::server
