// Client connects to a Takt server over UDP or TCP. The caller sends commands and reads the server's bodies,
// which are interpolated between snapshots at a time slightly behind the server's. Client has no thread:
// poll() and wait() do its network work on the caller's thread. The server computes the physics, and the
// caller draws. Options has the parameters of Client::connect().
//
//   auto client = takt::client::Client::connect("udp://127.0.0.1:7777");
//   while (client->is_open()) {
//     client->wait(16);                                             // or poll() once a frame
//     for (const takt::client::Body& body : client->bodies()) draw(body);
//   }
//
// A Client may be used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/client/body.h"
#include "takt/client/error.h"
#include "takt/client/event.h"
#include "takt/client/geometry.h"
#include "takt/client/inspection.h"
#include "takt/client/room.h"
#include "takt/client/stats.h"
#include "takt/core/result.h"
#include "takt/physics/query.h"
#include "takt/physics/world.h"
#include "takt/sim/command.h"

namespace takt::client {

struct Options {
  std::string player_name;  ///< printable UTF-8, at most sim::kMaxPlayerNameBytes (cut)
  /// Join as a spectator, who sees all and may ask questions, and whose commands are refused. A spectator
  /// takes no player's place and never enters the simulation.
  bool spectate = false;
  std::uint64_t scene_hash = 0;        ///< refuse servers of another scene; 0 = any
  std::optional<NumbersMode> numbers;  ///< refuse servers of the other mode; none = any
  double connect_timeout_s = 5.0;      ///< for the whole handshake, [0.1, 600]
  double silence_timeout_s = 10.0;     ///< a server silent for this long is gone, [1, 600]
  double buffer_min_ms =
      20.0;  ///< bounds of the interpolation buffer's delay; it adapts to measured jitter in between
  double buffer_max_ms = 1000.0;
};

class Client {
 public:
  /// Opens a socket to "udp://HOST:PORT" or "tcp://HOST:PORT" (IPv6 addresses in brackets) and begins to
  /// join. Resolving a name may block; joining does not: wait for Joined or Disconnected. Errors: kBadUrl,
  /// kBadAddress, kNetwork.
  [[nodiscard]] static Result<Client, Failure> connect(std::string_view url, const Options& options = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();  ///< without leave() the server notices by its time-out

  /// Handles what has arrived and sends what is due. Does not wait; call it every frame.
  void poll();
  /// Waits up to `ms` milliseconds for something to happen, then polls.
  void wait(std::uint32_t ms);

  /// The next event, oldest first; none when there is no more.
  [[nodiscard]] std::optional<Event> next_event();

  [[nodiscard]] bool is_open() const noexcept;  ///< joining, joined or leaving
  [[nodiscard]] bool is_joined() const noexcept;
  [[nodiscard]] std::uint32_t player() const noexcept;  ///< 0 before Joined

  /// Every body at the render time of the last poll, id order. Valid until the next poll.
  [[nodiscard]] const std::vector<Body>& bodies();
  /// The geometry that a shape of Body::shapes names by Body::geometries; null when there is none of that
  /// digest. Valid until the next RoomChanged with is_new_world, or the end of the client.
  [[nodiscard]] const Geometry* geometry(std::uint64_t digest) const noexcept;
  /// The tick that bodies() shows, with its fraction; it stands still while snapshots are missing and never
  /// runs backwards.
  [[nodiscard]] double render_tick() const noexcept;
  /// The server's tick now, estimated.
  [[nodiscard]] double server_tick() const noexcept;

  /// Sends a command (takt/sim/command.h: push, spawn, grab, cut a rope, change a joint ...) so that it
  /// arrives just before its tick. The value is its sequence. Errors: kNotConnected, kQueueFull, kNotFinite,
  /// kOutOfRange, kNotSendable.
  Result<std::uint32_t, ClientError> send(const sim::Command& command);
  /// Sends a spawn command. The body's BodySpawned carries the returned ticket; a CommandOutcome with the
  /// ticket's sequence says that the spawn was refused. A body that is destroyed in the tick of its creation
  /// has neither. Errors: as above.
  Result<SpawnTicket, ClientError> spawn(const sim::SpawnCommand& command);
  /// Sends a command for a tick of your own choice. Errors: as above.
  Result<std::uint32_t, ClientError> send_at(std::uint64_t tick, const sim::Command& command);

  /// Asks the server's world, at the tick at which it next gets there: 1 to 32 questions, answered together
  /// by a QueryDone event with the value as its `request`. Shapes of casts and overlaps are spheres,
  /// capsules, boxes, cylinders and cones, in binary32; a question ignores at most 8 bodies. Errors:
  /// kNotConnected, kQueueFull, kNotFinite, kOutOfRange (also too many questions, bodies to ignore, or
  /// another shape). `at_tick` asks about the world as it stood at an earlier tick, such as the one that this
  /// client shows; the server goes back 250 ms at most, and QueryDone::tick is the tick that it took. 0 = the
  /// newest.
  Result<std::uint32_t, ClientError> query(std::span<const Query> queries, std::uint64_t at_tick = 0);

  /// Asks to be told of contacts, joints and ropes from now on; before Joined, from Joined on. Replaces what
  /// was asked before. contacts(), joints() and ropes() then hold the newest that came; none at first, and
  /// again when another world begins.
  void inspect(const Inspect& what);
  [[nodiscard]] const std::optional<ContactList>& contacts() const noexcept;
  [[nodiscard]] const std::optional<JointList>& joints() const noexcept;
  /// Every rope at the render time of the last poll, id order. Valid until the next poll.
  [[nodiscard]] const std::vector<Rope>& ropes();

  /// The room's state; none before the first RoomChanged.
  [[nodiscard]] const std::optional<Room>& room() const noexcept;
  /// Ask the room for something, which needs Room::admin. The value is the request's number, and a
  /// ControlDone event answers. Errors: kNotConnected, kQueueFull, kNotFinite, kOutOfRange (a name that is
  /// too long).
  Result<std::uint32_t, ClientError> pause();
  Result<std::uint32_t, ClientError> resume();
  Result<std::uint32_t, ClientError> step(std::uint32_t ticks = 1);  ///< [1, 1000], then pause
  Result<std::uint32_t, ClientError> set_speed(double speed);        ///< [0.01, 100]
  Result<std::uint32_t, ClientError> load_scene(std::string_view name);
  Result<std::uint32_t, ClientError> seek(std::uint64_t tick);  ///< recordings only

  /// Says goodbye. Keep polling until is_open() is false, for the goodbye to get out.
  void leave(std::string_view text = {});

  [[nodiscard]] Stats stats() const;

 private:
  struct Implementation;
  explicit Client(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::client
