// ServerDatagrams is the datagram side of a server: the challenge of strangers, the routes from connection
// ids to sessions, and the order of outgoing datagrams. Before an address has answered a challenge
// (challenge.h), a server allocates no session for it, computes no keys, and charges nothing to its limits.
// ServerEndpoint owns ServerDatagrams and passes it datagrams and the time. ServerSessions owns the sessions,
// and ServerStreamSessions is the counterpart for streams.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "protocol/link/datagram_link.h"
#include "protocol/link/due_queue.h"
#include "protocol/link/egress_limiter.h"
#include "protocol/session/challenge.h"
#include "protocol/session/network_limiter.h"
#include "protocol/session/server_sessions.h"
#include "protocol/wire/datagram.h"

namespace takt::protocol {

class ServerDatagrams {
 public:
  /// `shared` and `sessions` must outlive this.
  ServerDatagrams(ServerShared& shared, ServerSessions& sessions)
      : shared_(&shared),
        sessions_(&sessions),
        requests_({shared.options.handshakes_per_s, shared.options.handshake_burst}, kRequestShare,
                  shared.secret),
        latency_probes_({shared.options.handshakes_per_s / 4, shared.options.handshake_burst / 4},
                        kLatencyProbeShare, shared.secret),
        answer_egress_(answer_rate(shared.options.egress_max)),
        latency_egress_(latency_rate(shared.options.egress_max)) {}

  /// Handles a datagram. A malformed, forged, old or repeated one is dropped and counted.
  void handle_datagram(std::uint64_t now_us, const Address& from, std::span<const std::byte> bytes);
  /// The next datagram to send replaces `out`; false: there is none. Handshake answers go first, then
  /// datagrams of the sessions that are due. Also handles time-outs of these sessions, and erases those that
  /// are gone.
  [[nodiscard]] bool poll_datagram(std::uint64_t now_us, OutgoingDatagram& out);
  /// The session may have something to send: makes it due.
  void touch(std::uint64_t now_us, const ServerPeer& peer);
  /// Time by which poll_datagram() must be called; UINT64_MAX = nothing is due.
  [[nodiscard]] std::uint64_t next_wakeup_us(std::uint64_t now_us) const;
  /// True when no handshake answer waits.
  [[nodiscard]] bool is_drained() const noexcept { return answers_.empty(); }

 private:
  using ConnectionId = std::uint32_t;
  // Another address from which the session's datagrams come. It gets nothing but probes until one is answered
  // from there: whoever copies a datagram to an address of his own moves no session.
  struct Path {
    Address address;     // all zeros = a free place
    ProbeBytes probe{};  // of this address alone
    std::uint64_t made_us = 0;
    std::uint64_t next_probe_us = 0;
  };
  // So many, because whoever copies datagrams must not keep the client itself from being probed where it is.
  using Paths = std::array<Path, 4>;
  struct Route {
    ServerPeer* peer = nullptr;
    DatagramLink* link = nullptr;
    Address address;
    std::uint64_t nonce = 0;
    Cookie cookie{};  // of the response, and its key and proof
    PublicKeyBytes key{};
    std::vector<std::byte> proof;
    std::vector<std::byte> accept;  // repeated when the client repeats its response
    Paths paths;
    std::uint64_t newest_at_address = 0;  // number of the newest datagram that came from there
    std::uint64_t next_restart_us = 0;    // of rate and round trips, by a move
    Address reported;                     // the address that the application has been told
    std::uint64_t next_report_us = 0;     // of moves
    std::uint32_t moves = 0;              // that are not reported
  };

  // A session that ended a short time ago: copies of the client's goodbye are still on their way.
  struct Departed {
    std::uint64_t until_us = 0;
    Address address;
    ConnectionId connection_id = 0;
  };

  void forget(std::uint64_t now_us, const Address& address, ConnectionId connection_id);
  [[nodiscard]] bool has_departed(std::uint64_t now_us, const Address& address,
                                  ConnectionId connection_id) const;
  bool count_sent(const OutgoingDatagram& datagram);
  void handle_session_datagram(std::uint64_t now_us, const Address& from, std::span<const std::byte> bytes);
  void handle_other_path(std::uint64_t now_us, const Address& from, Route& route);
  void move_route(std::uint64_t now_us, const Address& to, Route& route);
  void report_moves(std::uint64_t now_us, Route& route);
  void handle_latency_probe(std::uint64_t now_us, const Address& from, std::span<const std::byte> bytes);
  void handle_handshake_datagram(std::uint64_t now_us, const Address& from, std::span<const std::byte> bytes);
  void handle_request(std::uint64_t now_us, const Address& from, const ConnectRequest& request);
  void handle_response(std::uint64_t now_us, const Address& from, const ChallengeResponse& response);
  [[nodiscard]] bool repeat_accept(std::uint64_t now_us, const Address& from,
                                   const ChallengeResponse& response);
  void accept_peer(std::uint64_t now_us, const ServerSessions::Newcomer& newcomer,
                   const ChallengeResponse& response);
  void refuse(std::uint64_t now_us, const Address& to, const Refuse& message);
  [[nodiscard]] ConnectionId next_connection_id();
  [[nodiscard]] Route* find_route(const Address& from);
  void erase_route(ConnectionId connection_id);
  void answer(std::uint64_t now_us, const Address& to, std::span<const std::byte> message);
  // The place of an answer of `bytes` to a stranger, which `egress` is charged; null: there is none now, or
  // `waiting_max` answers wait.
  [[nodiscard]] OutgoingDatagram* begin_answer(std::uint64_t now_us, const Address& to, std::size_t bytes,
                                               EgressLimiter& egress, std::size_t waiting_max);
  // An eighth of the server's rate, so that a flood of requests leaves the sessions theirs; 0 = no limit.
  [[nodiscard]] static std::uint64_t answer_rate(std::uint64_t egress_max) noexcept {
    return egress_max == 0 ? 0 : std::max<std::uint64_t>(egress_max / 8, 1);
  }
  // Another 32nd, so that a flood of probes leaves requests and sessions theirs.
  [[nodiscard]] static std::uint64_t latency_rate(std::uint64_t egress_max) noexcept {
    return egress_max == 0 ? 0 : std::max<std::uint64_t>(egress_max / 32, 1);
  }

  ServerShared* shared_;
  ServerSessions* sessions_;
  ClientHandshakeMessages handshake_;  // the one that is handled
  NetworkLimiter requests_;
  NetworkLimiter latency_probes_;
  EgressLimiter answer_egress_;   // of answers to strangers, which count for the server's as well
  EgressLimiter latency_egress_;  // likewise of replies to latency probes
  std::map<ConnectionId, Route> routes_;
  std::map<Address, ConnectionId> by_address_;
  std::map<Cookie, ConnectionId> unheard_;  // sessions of which no datagram has opened, by their cookies
  std::uint64_t connections_ = 0;           // that ever began
  std::uint64_t probes_ = 0;                // that were ever made
  std::deque<OutgoingDatagram> answers_;
  std::deque<Departed> departed_;  // oldest first
  DueQueue<ConnectionId> due_;     // routes with something to do
};

}  // namespace takt::protocol
