// RoomUpdate is the output of a room or playback to its clients, after a tick or without one. It has the
// snapshot, added and removed bodies, outcomes of commands, answers to queries, statistics and others. Room
// and Playback fill it through WorldPublisher on the simulation thread; UpdateMailbox carries it to the
// network thread, where Gateway sends it. UpdateRequest, which TickLoop makes, selects the contents that cost
// time. All structs here are plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/confirmed/confirmed_log.h"
#include "protocol/messages/body_state.h"
#include "protocol/messages/message.h"
#include "protocol/session/server_endpoint.h"
#include "takt/sim/command.h"
#include "takt/sim/game.h"

namespace takt::server {

/// The outcome of one command, for the player who sent it.
struct PlayerOutcome {
  sim::PlayerId player = 0;
  protocol::CommandOutcome outcome;
};

/// Descriptions that several lists share; none is null.
using BodyList = std::vector<std::shared_ptr<const protocol::BodyInfo>>;

/// A player that begins to receive the world: it gets every body that exists at the update's tick.
struct Welcome {
  sim::PlayerId player = 0;
  std::shared_ptr<const BodyList> bodies;  ///< not null; in id order
  std::uint32_t mode_epoch = 0;  ///< protocol::ModeSwitched::mode_epoch of the session for which it was made
};

/// A session that needs an image of the world.
struct ImageReceiver {
  sim::PlayerId player = 0;
  std::uint32_t mode_epoch = 0;  ///< as Welcome::mode_epoch: an image of before lacks what came since
  friend bool operator==(const ImageReceiver&, const ImageReceiver&) = default;
};

/// The state at a tick, for clients that simulate and begin there.
struct JoinImages {
  std::uint64_t tick = 0;
  std::shared_ptr<const std::vector<std::byte>> image;
  std::vector<ImageReceiver> receivers;
};

/// The answer to a probe of a client whose state differs.
struct DesyncReply {
  sim::PlayerId player = 0;
  protocol::DesyncAnswer answer;
};

/// The end of a comparison with a client whose state differs.
struct DesyncFinding {
  sim::PlayerId player = 0;
  std::uint64_t tick = 0;
  std::string text;  ///< record, fields, values (server != client) and ULPs, or the reason for their absence
  bool is_state_kept = false;       ///< the server had the state when it was asked last
  bool is_report_left_out = false;  ///< the first since the last report whose report is left out: too many
};

/// The server's states before and at the tick of a DesyncFinding, with the inputs between them.
struct DesyncReport {
  sim::PlayerId player = 0;
  std::uint64_t tick = 0;
  std::string text;                  ///< that of the finding
  std::vector<std::byte> recording;  ///< sim/comparison/desync_recording.h; empty = the state is not kept, or
                                     ///< too large (sim::kDesyncBytesMax)
};

/// A player whose session must end.
struct Kick {
  sim::PlayerId player = 0;
  std::string text;  ///< the reason, for a person
  protocol::DisconnectReason reason = protocol::DisconnectReason::kKicked;
};

/// A player whose session must go on in another mode.
struct ModeChange {
  sim::PlayerId player = 0;
  protocol::ReplicationMode mode = protocol::ReplicationMode::kSnapshot;
  std::string text;  ///< the reason, for a person
};

/// The outcome of a player's Control.
struct ControlAnswer {
  sim::PlayerId player = 0;
  protocol::ControlResult result;
};

/// The answer to a player's queries.
struct QueryReply {
  sim::PlayerId player = 0;
  protocol::QueryResult result;
};

/// The scene that plays, and its description for clients.
struct RoomChange {
  protocol::PlayingRoom playing;
  protocol::RoomState state;
};

/// Contacts and joints of the solver, for the players that asked to inspect them.
struct InsideView {
  std::uint32_t contacts_total = 0;              ///< contact points of the world
  std::vector<protocol::ContactPoint> contacts;  ///< greatest impulse first, at most kContactPointsMax
  std::uint32_t joints_total = 0;                ///< grabs and joints of the world
  std::vector<protocol::JointFrame> joints;      ///< grabs, then joints by id, at most kJointFramesMax
};

/// The contents wanted of an update; each has a cost. With a shadow thread (Playable::start_shadow_thread)
/// statistics and internals come in a later update.
struct UpdateRequest {
  bool snapshot = true;  ///< every body's state, and the ropes if a player inspects them
  bool stats = false;    ///< statistics, which need a state hash
  bool inside = false;   ///< contacts and joints, if a player inspects them
};

struct RoomUpdate {
  std::uint32_t epoch = 0;           ///< number of the world that all of this is about
  std::optional<RoomChange> change;  ///< comes before everything else here
  std::uint64_t tick = 0;            ///< of the present state
  std::optional<std::vector<protocol::BodyState>> snapshot;  ///< every body, id order; none = not this tick
  std::vector<protocol::MoverInput> movers;  ///< with a snapshot: the inputs of all movers, id order
  std::vector<protocol::BodyInfo>
      added;  ///< since the update before, for players welcomed earlier; those without geometry first
  std::vector<protocol::BodyId> removed;           ///< since the update before, id order
  std::vector<protocol::GeometryBlob> geometries;  ///< that `added` names; with a Welcome, all of the epoch
  std::vector<PlayerOutcome> outcomes;             ///< of inputs that were moved or refused
  std::vector<Welcome> welcomes;
  std::vector<protocol::ConfirmedTick> confirmed;  ///< ticks that have run, while anybody simulates
  std::optional<JoinImages> images;                ///< of an earlier tick, of the same epoch
  std::vector<Kick> kicks;                         ///< sessions to end after all else that is for them
  std::vector<ModeChange> mode_changes;            ///< likewise
  std::vector<ControlAnswer> answers;
  std::vector<QueryReply> replies;
  std::vector<DesyncReply> desync_replies;
  std::vector<DesyncFinding> desyncs;        ///< for the log
  std::vector<DesyncReport> desync_reports;  ///< of earlier updates' findings, for files
  std::vector<sim::GameMessage> messages;    ///< of the game in this tick; they come after bodies
  std::optional<InsideView> inside;          ///< may be of an earlier tick; none = not in this update
  std::optional<std::vector<protocol::RopeState>>
      ropes;  ///< with a snapshot, when somebody asked: every rope, id order, up to kRopeNodesPerWorld nodes;
              ///< of an earlier tick in a world of many ropes (list_ropes)
  std::vector<std::uint64_t> broken_joints;    ///< ids of joints that broke in the step that led here
  std::optional<protocol::ServerStats> stats;  ///< about once a second; name their own tick
};

}  // namespace takt::server
