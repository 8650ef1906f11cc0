// These functions convert parts of a simulation to protocol values: bodies, contacts, joints, grabs, ropes,
// and a scene's title and camera. A grab is a soft constraint that pulls a point of a body to a player's
// target. list_states() and list_ropes() leave out what the protocol's limits exclude; list_states() returns
// the number of bodies left out. look_inside() keeps the contacts with the greatest impulses and the first
// joints. WorldPublisher calls the functions about bodies, contacts, joints and ropes for its updates; Room
// and Playback call the others.
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
