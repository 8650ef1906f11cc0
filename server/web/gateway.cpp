#include "server/web/gateway.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "server/geometry_registry.h"

namespace takt::server {

void Gateway::begin(const RoomChange& room) {
  endpoint_->handle_room(room.playing);
  room_ = room.state;
  tick_ = room.state.tick;
}

bool Gateway::poll_event(protocol::ServerEvent& out) {
  if (!endpoint_->poll_event(out)) return false;
  if (auto const* left = std::get_if<protocol::PlayerLeft>(&out)) welcomed_.erase(left->player);
  // Its client has forgotten bodies and geometries.
  if (auto const* switched = std::get_if<protocol::ModeSwitched>(&out)) welcomed_.erase(switched->player);
  // At once, so that it comes before any body or snapshot.
  if (auto const* joined = std::get_if<protocol::PlayerJoined>(&out); joined != nullptr && room_) {
    protocol::RoomState state = *room_;
    state.tick = tick_;
    (void)endpoint_->send_room_state(joined->player, std::move(state));
  }
  return true;
}

// A player may have gone since the update was made; every send to it then fails with unknown_player or
// not_connected, which is what we want.
void Gateway::handle_update(std::uint64_t now_us, const RoomUpdate& update) {
  // An update without a tick leaves the time since the last one alone.
  bool const has_ticked = update.tick != tick_ || update.change;
  tick_ = update.tick;
  if (update.change) handle_change(*update.change);
  if (has_ticked) endpoint_->handle_tick(now_us, update.tick);
  BodyPages const added = write_pages(update.tick, update.added);
  for (auto const& [player, welcomed] : welcomed_) {
    // In another mode it is welcomed anew: what it gets before is not of the list that it begins with.
    if (!is_in(player, welcomed.mode_epoch)) continue;
    if (!update.removed.empty()) (void)endpoint_->send_bodies_removed(player, update.tick, update.removed);
    if (!update.added.empty()) (void)send_bodies(player, update, added);
    if (!update.broken_joints.empty())
      (void)endpoint_->send_joints_broken(player, update.tick, update.broken_joints);
  }
  for (const Welcome& welcome : update.welcomes) {
    // A player of an earlier epoch has yet to enter this one, and is welcomed again then. A player that
    // entered before the welcome for its join came here is welcomed twice by the room.
    if (!endpoint_->has_entered(welcome.player) || welcomed_.contains(welcome.player)) continue;
    // The session has gone on in another mode since; its own welcome follows.
    if (!is_in(welcome.player, welcome.mode_epoch)) continue;
    if (welcome_bodies_ != welcome.bodies) {
      welcome_bodies_ = welcome.bodies;
      std::vector<protocol::BodyInfo> bodies;
      bodies.reserve(welcome.bodies->size());
      for (auto const& body : *welcome.bodies) bodies.push_back(*body);
      put_plain_first(bodies);
      welcome_pages_ = write_pages(update.tick, bodies);
    }
    welcomed_[welcome.player].mode_epoch = welcome.mode_epoch;
    if (!send_bodies(welcome.player, update, welcome_pages_)) welcomed_.erase(welcome.player);
  }
  // After the bodies: a message of this tick may be about them.
  std::vector<protocol::PlayerId> everyone;
  if (!update.messages.empty())
    for (auto const& [player, welcomed] : welcomed_)
      if (is_in(player, welcomed.mode_epoch)) everyone.push_back(player);
  for (const sim::GameMessage& message : update.messages) {
    if (message.player == sim::kServerPlayer) {
      endpoint_->send_game_event(everyone, message.tick, message.bytes);
    } else if (std::ranges::find(everyone, message.player) != everyone.end()) {
      (void)endpoint_->send_game_event(message.player, message.tick, message.bytes);
    }
  }
  std::vector<protocol::CommandOutcome> outcomes;
  for (std::size_t i = 0; i < update.outcomes.size();) {
    protocol::PlayerId const player = update.outcomes[i].player;
    outcomes.clear();
    for (; i < update.outcomes.size() && update.outcomes[i].player == player; ++i)
      outcomes.push_back(update.outcomes[i].outcome);
    (void)endpoint_->send_command_outcomes(player, outcomes);
  }
  for (const ControlAnswer& answer : update.answers)
    (void)endpoint_->send_control_result(answer.player, answer.result);
  for (const QueryReply& reply : update.replies)
    (void)endpoint_->send_query_result(reply.player, reply.result);
  for (const DesyncReply& reply : update.desync_replies)
    (void)endpoint_->send_desync_answer(reply.player, reply.answer);
  if (update.images)
    for (auto const& [player, mode_epoch] : update.images->receivers)
      if (endpoint_->has_entered(player) && is_in(player, mode_epoch))
        (void)endpoint_->send_join_image(player, update.images->tick, update.images->image);
  endpoint_->publish_confirmed(now_us, std::vector(update.confirmed));
  for (const ModeChange& change : update.mode_changes)
    endpoint_->switch_mode(now_us, change.player, change.mode, change.text);
  for (const Kick& kick : update.kicks) endpoint_->disconnect(now_us, kick.player, kick.reason, kick.text);
  if (update.snapshot) {
    std::optional<std::span<const protocol::RopeState>> ropes;
    if (update.ropes) ropes = *update.ropes;
    endpoint_->publish_snapshot(now_us, update.tick, *update.snapshot, ropes, update.movers);
  }
  if (update.inside) {
    endpoint_->publish_contacts(update.tick, update.inside->contacts_total, update.inside->contacts);
    endpoint_->publish_joints(update.tick, update.inside->joints_total, update.inside->joints);
  }
  if (update.stats) {
    protocol::ServerStats stats = *update.stats;
    stats.client_count = static_cast<std::uint32_t>(endpoint_->player_count());
    endpoint_->publish_stats(stats);
  }
}

Gateway::BodyPages Gateway::write_pages(std::uint64_t tick, const std::vector<protocol::BodyInfo>& bodies) {
  BodyPages pages;
  auto const plain = std::span(bodies).first(
      static_cast<std::size_t>(std::ranges::find_if(bodies, names_geometry) - bodies.begin()));
  auto const others = std::span(bodies).subspan(plain.size());
  pages.plain = endpoint_->write_bodies_added(tick, plain);
  pages.others = endpoint_->write_bodies_added(tick, others);
  std::set<std::uint64_t> named;
  for (const protocol::BodyInfo& body : others)
    for (const protocol::ShapeInfo& shape : body.shapes)
      if (shape.geometry != 0) named.insert(shape.geometry);
  pages.geometries.assign(named.begin(), named.end());
  return pages;
}

bool Gateway::send_bodies(protocol::PlayerId player, const RoomUpdate& update, const BodyPages& pages) {
  std::set<std::uint64_t>& sent = welcomed_[player].geometries;
  if (!endpoint_->send_shared(player, pages.plain)) return false;
  for (const protocol::GeometryBlob& geometry : update.geometries) {
    bool const is_named = std::ranges::binary_search(pages.geometries, geometry.digest);
    if (!is_named || sent.contains(geometry.digest)) continue;
    if (!endpoint_->send_geometry(player, geometry)) return false;
    sent.insert(geometry.digest);
  }
  return endpoint_->send_shared(player, pages.others).ok();
}

void Gateway::handle_change(const RoomChange& change) {
  if (!room_ || room_->epoch != change.state.epoch) welcomed_.clear();
  endpoint_->handle_room(change.playing);
  room_ = change.state;
  for (protocol::PlayerId const player : endpoint_->players())
    (void)endpoint_->send_room_state(player, change.state);
}

void Gateway::refuse(const protocol::InputsArrived& inputs) {
  std::vector<protocol::CommandOutcome> outcomes;
  for (const protocol::Input& input : inputs.inputs)
    outcomes.push_back({input.sequence,
                        protocol::CommandStatus::kRefusedLimit,
                        input.tick,
                        protocol::CommandRefusal::kTooManyWaiting,
                        {}});
  (void)endpoint_->send_command_outcomes(inputs.player, outcomes);
}

}  // namespace takt::server
