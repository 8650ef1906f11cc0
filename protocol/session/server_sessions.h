// ServerSessions owns the accepted sessions (ServerPeer) of a server. It decides whether a newcomer is
// accepted, assigns player ids, and finds sessions by player. ServerDatagrams and ServerStreamSessions map
// addresses and streams to the sessions, and move their bytes. ServerEndpoint owns all three.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/session/admission.h"
#include "protocol/session/server_peer.h"

namespace takt::protocol {

class ServerSessions {
 public:
  /// `shared` must outlive this.
  explicit ServerSessions(ServerShared& shared)
      : shared_(&shared),
        used_cookies_(shared.secret),
        away_(shared.options.away_players),
        next_player_(shared.options.first_player) {}

  // ------------------------------------------------------------ admission

  /// The refusal of the request at this moment, or nothing: stopping, protocol::judge(), server full, or
  /// address full (AddressGate). The place of an orphan counts as free (make_place). `replaced`: a session of
  /// this address whose place the newcomer takes, or null.
  [[nodiscard]] std::optional<Refuse> judge(std::uint64_t now_us, TransportKind transport,
                                            const Address& from, const ConnectRequest& request,
                                            const ServerPeer* replaced = nullptr) const;
  /// Ends the orphans over datagrams whose places the newcomer needs (ServerPeer::gives_place), after prove()
  /// and claim_token(): as kTimedOut, counted, and only where no other place is free. A newcomer without a
  /// token gets no place of a session with one.
  void make_place(std::uint64_t now_us, const PeerOrigin& newcomer);
  /// A session that make_place() or claim_token() has ended, once; null: there is none more. Its goodbye is
  /// due, and whoever moves its bytes must look at it.
  [[nodiscard]] const ServerPeer* poll_ended();
  /// Counts a Refuse message that is about to be sent.
  void count_refusal(RefuseReason reason);
  /// The Challenge to a request of this address.
  [[nodiscard]] Challenge challenge(std::uint64_t now_us, TransportKind transport, const Address& from,
                                    const ConnectRequest& request) const;
  /// True when the cookie began a session before, which is counted. A second session with it would use the
  /// keys and the nonces of the first.
  [[nodiscard]] bool is_used(std::uint64_t now_us, const Cookie& cookie);
  /// Marks the cookie as used, after has_turn() for it.
  void use(std::uint64_t now_us, const Cookie& cookie) { used_cookies_.insert(now_us, cookie); }
  /// True when the budgets have what the response of this address costs: the open of its token, and, if the
  /// session is sealed, an agreement and a place for its cookie. False is counted, and the response must
  /// wait.
  [[nodiscard]] bool has_turn(std::uint64_t now_us, const Address& from, const ChallengeResponse& response,
                              bool is_sealed);
  /// A session that is proved, but not yet admitted.
  struct Newcomer {
    PeerOrigin origin;
    std::optional<crypto::SessionKeys> keys;  ///< none over a web socket
  };
  /// The transport, name, rights and keys of a session from this address, after has_turn(). Opens the token,
  /// agrees on keys, checks the proof, opens the name in it, and charges the budgets. `stream` has kDatagram
  /// for a datagram session. `response`: with a good cookie; over a web socket only its request counts. The
  /// error is the Refuse to send; with RefuseReason::kNone nothing is sent: the proof or the key is bad, and
  /// is counted.
  [[nodiscard]] Result<Newcomer, Refuse> prove(std::uint64_t now_us, const Address& from,
                                               const StreamOrigin& stream, const ChallengeResponse& response);
  /// Binds the token to the session, which must be added at once, after judge(). An orphan that has the token
  /// ends as kReplaced for a newcomer who has proved the keys in it, if its cookie is not older. The error is
  /// that of prove(). A datagram session gets RefuseReason::kNone, counted, while the holder has yet to
  /// speak.
  [[nodiscard]] Result<Unit, Refuse> claim_token(std::uint64_t now_us, const ConnectRequest& request,
                                                 Newcomer& newcomer);
  /// Assigns the id of a new session. A spectator gets the next id of spectators. A player gets the id of
  /// ServerOptions::away_players with that name, once, or else the next id. A guest of a server that asks for
  /// tokens gets the next id: its name is a claim. No id is assigned twice.
  [[nodiscard]] PlayerId take_player_id(const PeerOrigin& origin);
  /// The Accept message for an accepted request, counted as sent. `session`: the connection id, 0 over a
  /// stream.
  [[nodiscard]] Accept admit(PlayerId player, std::uint64_t session, const ConnectRequest& request,
                             const PeerOrigin& origin);
  /// The message that carries the Accept, valid until the next use of ServerShared::writer.
  [[nodiscard]] std::span<const std::byte> write_sealed(const Accept& accept,
                                                        const crypto::SessionKeys& keys);
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
  // A newcomer who needs a place.
  struct Seeker {
    Address address;
    Role role = Role::kPlayer;
    bool has_token = false;
    const ServerPeer* replaced = nullptr;  // as in judge()
  };
  // The places for a newcomer, of its role and of its address, and the orphans that must end for them.
  struct Places {
    bool has_of_role = true;
    bool has_of_address = true;
    ServerPeer* orphan_of_role = nullptr;
    ServerPeer* orphan_of_address = nullptr;
  };
  [[nodiscard]] std::uint32_t places_of(Role role) const noexcept;
  [[nodiscard]] Places find_places(std::uint64_t now_us, const Seeker& seeker) const;
  template <class Predicate>
  [[nodiscard]] ServerPeer* oldest_orphan(std::uint64_t now_us, Predicate&& fits) const;

  [[nodiscard]] bool can_resume(const ConnectRequest& request) const;
  void end(std::uint64_t now_us, ServerPeer& peer, DisconnectReason reason, std::string_view text);

  ServerShared* shared_;
  std::map<PlayerId, std::unique_ptr<ServerPeer>>
      peers_;  // by player: events and snapshots go out in this order
  UsedCookies used_cookies_;
  std::map<std::string, PlayerId> away_;
  PlayerId next_player_;
  PlayerId next_spectator_ = kSpectatorIdFirst;
  std::vector<PlayerId> ended_;      // for poll_ended()
  std::uint64_t token_holders_ = 0;  // sessions that ever had a token
  bool shutting_down_ = false;
};

}  // namespace takt::protocol
