// A server endpoint and its clients on a virtual clock, with a packet simulator in each direction of each
// client's path (and a plain delayed pipe for streams). One seed decides everything. Used by every simulation
// test of the protocol.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "protocol/link/packet_simulator.h"
#include "protocol/session/client_endpoint.h"
#include "protocol/session/server_endpoint.h"

namespace takt::protocol::test {

/// A stream's one direction: everything arrives, in order, after a delay, as fast as `bandwidth_bytes_per_s`
/// allows. Its buffer stands for the two sockets': what does not fit stays with the writer.
struct StreamPipe {
  std::uint64_t delay_us = 0;
  std::size_t buffer_bytes = 64 * 1024;
  bool reader_stalled = false;
  std::deque<std::pair<std::uint64_t, std::vector<std::byte>>> chunks;
  std::size_t held_bytes = 0;
};

class VirtualNetwork {
 public:
  struct Client {
    std::unique_ptr<ClientEndpoint> endpoint;
    TransportKind transport = TransportKind::kDatagram;
    Address address;  ///< of IPv4; what is under way keeps the address that it was sent from or to
    std::unique_ptr<PacketSimulator> up;
    std::unique_ptr<PacketSimulator> down;
    StreamPipe stream_up;
    StreamPipe stream_down;
    StreamId stream;
    bool stream_open = false;
    bool half_open = false;  ///< the stream's bytes vanish both ways, and nobody is told

    // Events that the client reported.
    bool connected = false;
    Accept accept;
    bool over = false;
    Disconnected ending;
    std::vector<std::byte> join_image;
    std::uint64_t join_images = 0;
    std::uint64_t snapshots = 0;
    std::uint32_t epoch = 0;  ///< of the newest RoomState
    std::vector<BodyInfo> bodies_added;
    std::vector<BodyId> bodies_removed;
    std::vector<GeometryArrived> geometries;
    std::size_t bodies_before_geometries = 0;  ///< of bodies_added, when the last geometry came
    std::vector<CommandOutcome> outcomes;
    std::vector<std::vector<std::byte>> game_events;
    std::int32_t last_margin = 0;
  };

  VirtualNetwork(const ServerOptions& options, std::uint64_t seed);

  Client& add_client(ClientOptions options, const Impairment& impairment);
  void connect_all();

  /// Runs the clock in steps of 1 ms; the server ticks at its rate and `on_tick` is called after each tick.
  void run_for(std::uint64_t us);
  /// Runs until `done` or for at most `us`; true when done.
  bool run_until(std::uint64_t us, const std::function<bool()>& done);
  std::function<void(std::uint64_t tick)> on_tick;

  /// An attacker or an echo: a datagram straight into the server, from any address.
  void inject(const Address& from, std::span<const std::byte> bytes) {
    server_.handle_datagram(now_us_, from, bytes);
  }
  /// Every datagram that a client sent, if recording is on.
  struct Recorded {
    Address from;
    std::vector<std::byte> bytes;
  };
  bool record = false;
  std::vector<Recorded> recorded;

  [[nodiscard]] ServerEndpoint& server() noexcept { return server_; }
  [[nodiscard]] Client& client(std::size_t i) { return *clients_[i]; }
  [[nodiscard]] std::size_t client_count() const noexcept { return clients_.size(); }
  [[nodiscard]] std::uint64_t now_us() const noexcept { return now_us_; }
  [[nodiscard]] std::uint64_t tick() const noexcept { return tick_; }
  /// The server's tick with its fraction, exactly: what the clients' clocks estimate.
  [[nodiscard]] double exact_tick() const noexcept;

  // Events that the server reported.
  std::vector<PlayerJoined> joined;
  std::vector<PlayerLeft> left;
  std::vector<InputsArrived> inputs;

  std::uint64_t bytes_to_strangers = 0;  ///< datagram bytes sent to addresses that are no client's

 private:
  void step();
  void move_datagrams(Client& client);
  void move_stream(Client& client);
  void move_server_datagrams();
  void read_events();
  void read_client_events(Client& client);

  ServerOptions options_;
  ServerEndpoint server_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::uint64_t seed_;
  std::uint64_t now_us_ = 1'000'000;
  std::uint64_t started_us_ = 1'000'000;
  std::uint64_t tick_ = 0;
};

}  // namespace takt::protocol::test
