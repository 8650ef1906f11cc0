// ServerStreamSessions is the stream side of a server (TCP and WebSocket). It reads a stream's first message,
// the ConnectRequest, and over TCP challenges it and reads the ChallengeResponse. Then it adds a session,
// over TCP a sealed one, or refuses. It closes a stream when the session ends or the request is refused or
// malformed. It closes a stream, too, that has no session in time or sends too much before. ServerStreams
// stores the streams. ServerEndpoint owns ServerStreamSessions; ServerDatagrams is the counterpart for
// datagrams.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "protocol/link/due_queue.h"
#include "protocol/session/server_sessions.h"
#include "protocol/session/server_streams.h"

namespace takt::protocol {

class ServerStreamSessions {
 public:
  /// `shared` and `sessions` must outlive this.
  ServerStreamSessions(ServerShared& shared, ServerSessions& sessions)
      : shared_(&shared), sessions_(&sessions) {}

  /// As ServerEndpoint::handle_stream_open(). Above a limit of pending streams the oldest of them is closed.
  [[nodiscard]] StreamId handle_open(std::uint64_t now_us, const Address& from, const StreamOrigin& origin);
  /// As handle_stream_bytes(), handle_stream_closed() and poll_stream() of ServerEndpoint. Above
  /// the server's rate (EgressLimiter) poll_bytes() gives fewer bytes, and the stream is writable again
  /// later.
  void handle_bytes(std::uint64_t now_us, StreamId id, std::span<const std::byte> bytes);
  void handle_closed(std::uint64_t now_us, StreamId id);
  [[nodiscard]] std::size_t poll_bytes(std::uint64_t now_us, StreamId id, std::size_t bytes_max,
                                       std::vector<std::byte>& out);
  /// As poll_writable_stream() and poll_closing_stream() of ServerEndpoint.
  [[nodiscard]] StreamId poll_writable(std::uint64_t now_us, TransportKind kind);
  [[nodiscard]] StreamId poll_closing(TransportKind kind) { return streams_.poll_closing(kind); }

  /// For the streams that are due: handles time-outs of handshakes and sessions, requests that wait for their
  /// turn, and keep-alives.
  void handle_time(std::uint64_t now_us);
  /// Time by which handle_time() must be called; UINT64_MAX = nothing is due.
  [[nodiscard]] std::uint64_t next_wakeup_us() const noexcept { return due_.next_us(); }
  /// The session may have something to send: queues its stream for poll_writable() and makes it due.
  void touch(std::uint64_t now_us, const ServerPeer& peer);
  /// Closes the streams that have no session yet.
  void close_pending();
  /// True when the transport has reported every stream closed.
  [[nodiscard]] bool is_drained() const noexcept { return streams_.empty(); }

 private:
  [[nodiscard]] bool make_room(const Address& from);
  void handle_handshake(std::uint64_t now_us, ServerStream& stream);
  void handle_request(std::uint64_t now_us, ServerStream& stream, const ConnectRequest& request);
  void handle_response(std::uint64_t now_us, ServerStream& stream, ChallengeResponse&& response);
  void admit(std::uint64_t now_us, ServerStream& stream);
  void refuse(ServerStream& stream, const Refuse& message);
  void handle_stream_time(std::uint64_t now_us, ServerStream& stream);
  void schedule(std::uint64_t now_us, const ServerStream& stream);

  ServerShared* shared_;
  ServerSessions* sessions_;
  ServerStreams streams_;
  std::map<PlayerId, StreamId> by_player_;
  DueQueue<StreamId> due_;  // streams with something to do
};

}  // namespace takt::protocol
