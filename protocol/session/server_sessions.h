// ServerSessions owns the accepted sessions (ServerPeer) of a server. It decides whether a newcomer is
// accepted, assigns player ids, and finds sessions by player. ServerDatagrams and ServerStreamSessions map
// addresses and streams to the sessions, and move their bytes. ServerEndpoint owns all three.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/session/server_peer.h"

namespace takt::protocol {

class ServerSessions {
 public:
  /// `shared` must outlive this.
  explicit ServerSessions(ServerShared& shared)
      : shared_(&shared), away_(shared.options.away_players), next_player_(shared.options.first_player) {}

  // ------------------------------------------------------------ admission

  /// The refusal of the request at this moment, or nothing: stopping, protocol::judge(), server full, or
  /// address full (AddressGate).
  [[nodiscard]] std::optional<Refuse> judge(const Address& from, const ConnectRequest& request) const;
  /// Counts a Refuse message that is about to be sent.
  void count_refusal(RefuseReason reason);
  /// True when the request has no token to open, or the budget of opens has one left. False is counted, and
  /// the request must wait.
  [[nodiscard]] bool has_token_open(std::uint64_t now_us, const ConnectRequest& request);
  /// The transport, name and rights of a session from this address, after judge() and has_token_open(). Opens
  /// the token, charges the budget, and binds the token to the session, which must be added at once. `stream`
  /// has kDatagram for a datagram session. The error is the Refuse to send.
  [[nodiscard]] Result<PeerOrigin, Refuse> admit_origin(std::uint64_t now_us, const Address& from,
                                                        const StreamOrigin& stream,
                                                        const ConnectRequest& request);
  /// Assigns the id of a new session. A spectator gets the next id of spectators. A player gets the id of
  /// ServerOptions::away_players with that name, once, or else the next id. A guest of a server that asks for
  /// tokens gets the next id: its name is a claim. No id is assigned twice.
  [[nodiscard]] PlayerId take_player_id(const PeerOrigin& origin);
  /// The Accept message for an accepted request, counted as sent. `session`: the session id, 0 over a stream.
  [[nodiscard]] Accept admit(PlayerId player, std::uint64_t session, const ConnectRequest& request);
  /// Adds an accepted session and reports PlayerJoined.
  ServerPeer& add(std::unique_ptr<ServerPeer> peer);
  /// Destroys a session, without an event; no route or stream may point to it afterwards.
  void erase(PlayerId player) { peers_.erase(player); }

  // ------------------------------------------------------------ lookup

  /// The session of a player or spectator, or null if there is none or it is leaving.
  [[nodiscard]] ServerPeer* find(PlayerId player) const noexcept;
  /// Ids of the sessions that are not leaving, ascending.
  [[nodiscard]] std::vector<PlayerId> players() const;
  /// True when there is no session, not even a leaving one.
  [[nodiscard]] bool empty() const noexcept { return peers_.empty(); }
  /// Number of sessions, leaving ones included.
  [[nodiscard]] std::size_t count() const noexcept { return peers_.size(); }
  /// Calls visit(ServerPeer&) for every session, leaving ones included, by ascending id.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (auto const& [player, peer] : peers_) visit(*peer);
  }

  /// Ends all sessions as kServerStopped and refuses newcomers from now on.
  void shut_down(std::uint64_t now_us, std::string_view text);
  [[nodiscard]] bool is_shutting_down() const noexcept { return shutting_down_; }

 private:
  ServerShared* shared_;
  std::map<PlayerId, std::unique_ptr<ServerPeer>>
      peers_;  // by player: events and snapshots go out in this order
  std::map<std::string, PlayerId> away_;
  PlayerId next_player_;
  PlayerId next_spectator_ = kSpectatorIdFirst;
  std::uint64_t token_holders_ = 0;  // sessions that ever had a token
  bool shutting_down_ = false;
};

}  // namespace takt::protocol
