// Functions that convert a simulation to protocol values: body states, contacts, joints and grabs, ropes, and
// the scene's camera. Values outside the protocol's limits are left out; list_states returns how many bodies
// were. WorldPublisher calls most of them for each update.
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

/// True when the protocol has a number for this body.
[[nodiscard]] bool is_nameable(BodyId body) noexcept;

/// Every body in id order; the value is how many were left out. Clears `out` first.
std::size_t list_states(const sim::Simulation& simulation, std::vector<protocol::BodyState>& out);

/// A scene's title as a RoomState may hold it.
[[nodiscard]] std::string title_of(const std::string& title);
[[nodiscard]] protocol::CameraPlace camera_of(const sim::CameraHint& camera) noexcept;

/// The internals that players inspect, empty if none does: kInspect bits by player.
[[nodiscard]] std::optional<InsideView> look_inside(
    const sim::Simulation& simulation, const std::map<sim::PlayerId, std::uint32_t>& inspections);

/// Every rope of the world when somebody asked for ropes, id order, until they have kRopeNodesPerWorld nodes
/// together.
[[nodiscard]] std::optional<std::vector<protocol::RopeState>> list_ropes(
    const sim::Simulation& simulation, const std::map<sim::PlayerId, std::uint32_t>& inspections);
/// StepEvents::broken_joints of the last step.
[[nodiscard]] std::vector<std::uint64_t> list_broken_joints(const sim::Simulation& simulation);

}  // namespace takt::server
