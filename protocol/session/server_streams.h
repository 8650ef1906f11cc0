// ServerStreams stores the open streams (TCP, WebSocket) of a server. A ServerStream is pending before its
// ConnectRequest, then has a session (ServerPeer), and is closing while its last bytes go out. A StreamId has
// a generation, so that a late call about a closed stream finds nothing. poll_writable() and poll_closing()
// return the next stream of a transport to write or to close. ServerStreamSessions owns ServerStreams.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/link/stream_link.h"
#include "protocol/session/server_peer.h"

namespace takt::protocol {

/// An open stream of a server.
struct ServerStream {
  StreamId id;
  Address address;
  StreamOrigin origin;
  std::uint64_t opened_us = 0;
  std::unique_ptr<StreamLink> pending_link;  ///< null once there is a session, whose peer owns the link
  StreamLink* link = nullptr;                ///< pending_link or the peer's link
  ServerPeer* peer = nullptr;                ///< null before the session; not owned
  bool is_challenged = false;                ///< over TCP, between request and response
  /// Waits for its turn (AddressGate::take_join, ServerSessions::has_turn). Over a web socket it has the
  /// request alone.
  std::optional<ChallengeResponse> response;
  bool announced = false;  ///< in the queue of poll_writable()
  bool closing = false;    ///< was or is in the queue of poll_closing()
};

class ServerStreams {
 public:
  /// Adds a stream without a link. The reference is valid until erase() for the stream.
  ServerStream& open(std::uint64_t now_us, const Address& address, const StreamOrigin& origin);
  /// The stream, or null if it was erased or the id is null.
  [[nodiscard]] ServerStream* find(StreamId id) noexcept;
  /// Destroys the stream; an unknown id has no effect.
  void erase(StreamId id) noexcept;

  /// Queues the stream for poll_writable() if it has bytes and is not in the queue.
  void announce(ServerStream& stream);
  /// Removes the next stream of `kind` from the queue; null: it is empty.
  [[nodiscard]] StreamId poll_writable(TransportKind kind) noexcept;
  /// Marks the stream as closing and queues it for poll_closing(), once.
  void close(ServerStream& stream);
  /// Removes the next stream of `kind` from the queue; null: it is empty.
  [[nodiscard]] StreamId poll_closing(TransportKind kind) noexcept;

  /// Calls visit(ServerStream&) for every stream, in order of index.
  template <class Visitor>
  void for_each(Visitor&& visit) {
    for (auto& slot : slots_)
      if (slot.stream != nullptr) visit(*slot.stream);
  }
  /// Number of pending streams: those without a session that are not closing.
  [[nodiscard]] std::size_t pending_count() const noexcept;
  /// Number of pending streams of an address (AddressGate::is_same).
  [[nodiscard]] std::size_t pending_count(const Address& from) const noexcept;
  /// The oldest pending stream, of the address if `from` is not null; null: there is none.
  [[nodiscard]] ServerStream* oldest_pending(const Address* from) noexcept;
  /// True when there is no stream, not even a closing one.
  [[nodiscard]] bool empty() const noexcept;

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::unique_ptr<ServerStream> stream;
  };
  [[nodiscard]] static bool is_pending(const Slot& slot) noexcept;

  std::vector<Slot> slots_;
  // By transport: each asks for its own.
  std::array<std::deque<StreamId>, kTransportKinds> writable_;
  std::array<std::deque<StreamId>, kTransportKinds> closing_;
};

}  // namespace takt::protocol
