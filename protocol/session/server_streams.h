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

struct ServerStream {
  StreamId id;
  Address address;
  StreamOrigin origin;
  std::uint64_t opened_us = 0;
  std::unique_ptr<StreamLink> pending_link;  ///< until accepted or refused; then the peer owns the link
  StreamLink* link = nullptr;                ///< pending_link's or the peer's; null once the peer is gone
  ServerPeer* peer = nullptr;
  std::optional<ConnectRequest> request;  ///< waits for the turn of its address
  bool announced = false;                 ///< in the writable queue
  bool closing = false;                   ///< told to the transport, or about to be
};

class ServerStreams {
 public:
  ServerStream& open(std::uint64_t now_us, const Address& address, const StreamOrigin& origin);
  [[nodiscard]] ServerStream* find(StreamId id) noexcept;
  void erase(StreamId id) noexcept;

  /// Puts the stream in line for poll_writable_stream when it has bytes and is not in line yet.
  void announce(ServerStream& stream);
  [[nodiscard]] StreamId poll_writable(TransportKind kind) noexcept;
  void close(ServerStream& stream);
  [[nodiscard]] StreamId poll_closing(TransportKind kind) noexcept;

  template <class Visitor>
  void for_each(Visitor&& visit) {
    for (auto& slot : slots_)
      if (slot.stream != nullptr) visit(*slot.stream);
  }
  /// Streams that have no session and are not closing.
  [[nodiscard]] std::size_t pending_count() const noexcept;
  /// The number of them that an address has (AddressGate::is_same).
  [[nodiscard]] std::size_t pending_count(const Address& from) const noexcept;
  /// The oldest of them, or null; of one address, if `from` is not null.
  [[nodiscard]] ServerStream* oldest_pending(const Address* from) noexcept;
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
