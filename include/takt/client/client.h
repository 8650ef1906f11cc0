// Client connects to a Takt server over UDP or TCP. The caller sends commands and reads the server's bodies,
// which are interpolated between snapshots at the render tick, slightly behind the server's tick. Client has
// no thread: poll() and wait() do its network work on the caller's thread. The server computes the physics,
// and the caller draws. Options has the parameters of Client::connect().
//
//   auto client = takt::client::Client::connect("udp://127.0.0.1:7777");
//   while (client->is_open()) {
//     client->wait(16);                                             // or poll() once a frame
//     for (const takt::client::Body& body : client->bodies()) draw(body);
//   }
//
// One thread at a time may use a Client. "The next poll" below is the next poll() or wait().
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
  std::string player_name;  ///< UTF-8; cut to sim::kMaxPlayerNameBytes, and unprintable bytes are left out
  /// Connect token of a back end (docs/TOKENS.md), "takt1_..."; empty = none. It is good for one session at a
  /// time. A server that asks for tokens takes the player's name from the token.
  std::string token;
  /// True: join as a spectator, who receives all and may query, and whose commands are refused. A spectator
  /// takes no player's place and never enters the simulation.
  bool spectate = false;
  std::uint64_t scene_hash = 0;        ///< a server of another scene gives Disconnected; 0 = any scene
  std::optional<NumbersMode> numbers;  ///< a server of the other mode gives Disconnected; none = any mode
  double connect_timeout_s = 5.0;      ///< for the whole handshake; clamped to [0.1, 600]
  double silence_timeout_s = 10.0;  ///< the session ends after this time without bytes; clamped to [1, 600]
  /// Bounds of the interpolation buffer's delay, >= 0. The delay adapts to measured jitter between them; a
  /// maximum below the minimum acts as the minimum.
  double buffer_min_ms = 20.0;
  double buffer_max_ms = 1000.0;
};

class Client {
 public:
  /// Opens a socket to "udp://HOST:PORT" or "tcp://HOST:PORT" (IPv6 addresses in brackets; "takt://" is UDP;
  /// "#KEY" at the end, as a server prints it, lets the client accept no server without that key) and begins
  /// to join. The call may block while the system resolves HOST. Joining goes on in poll() and wait(), and
  /// ends with the event Joined or Disconnected. Errors: kBadUrl, kBadToken, kBadAddress, kNetwork.
  [[nodiscard]] static Result<Client, Failure> connect(std::string_view url, const Options& options = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();  ///< does not leave(): over UDP the server keeps the player until its time-out

  /// Handles the bytes that have arrived, sends what is due and moves the render tick. poll() does not wait;
  /// the caller calls it every frame.
  void poll();
  /// Polls. If no bytes had arrived, waits up to `ms` milliseconds for bytes and polls again.
  void wait(std::uint32_t ms);

  /// Removes and returns the oldest event; none when there is no more. Events that nobody takes stay in
  /// memory.
  [[nodiscard]] std::optional<Event> next_event();

  [[nodiscard]] bool is_open() const noexcept;  ///< joining, joined or leaving
  [[nodiscard]] bool is_joined() const noexcept;
  [[nodiscard]] std::uint32_t player() const noexcept;  ///< the player id of Joined; 0 before

  /// Returns all bodies at the render tick of the last poll, in id order; empty before the first snapshot.
  /// Valid until the next poll.
  [[nodiscard]] const std::vector<Body>& bodies();
  /// Returns the geometry of a digest in Body::geometries; null while it has not arrived and for other
  /// digests. Valid until the next RoomChanged with is_new_world, or the end of the client.
  [[nodiscard]] const Geometry* geometry(std::uint64_t digest) const noexcept;
  /// The tick of bodies() and ropes(), with a fraction; 0 before the first snapshot. It stands still while
  /// snapshots are missing. It decreases only with a new world, and when the room pauses at a tick before it.
  [[nodiscard]] double render_tick() const noexcept;
  /// The estimate of the server's present tick.
  [[nodiscard]] double server_tick() const noexcept;

  /// Sends a command (takt/sim/command.h) for the first tick before which it will arrive, as estimated.
  /// Returns the command's sequence, from 1 upwards. The server reports a moved or refused command by the
  /// event CommandOutcome. Errors: kNotConnected, kQueueFull (256 commands are not yet acknowledged),
  /// kNotFinite, kOutOfRange, kNotSendable.
  Result<std::uint32_t, ClientError> send(const sim::Command& command);
  /// Sends a spawn command. The body's BodySpawned carries the returned ticket. A refused spawn has a
  /// CommandOutcome with the ticket's sequence instead. A body that is destroyed in the tick of its creation
  /// has neither. Errors: as above.
  Result<SpawnTicket, ClientError> spawn(const sim::SpawnCommand& command);
  /// Sends a command for the step from `tick` to tick + 1. Errors: as above.
  Result<std::uint32_t, ClientError> send_at(std::uint64_t tick, const sim::Command& command);

  /// Sends 1 to 32 queries about the server's world. Returns the number of the request; one event QueryDone
  /// with this number has all answers. `at_tick`: 0 = the newest state; else the state of an earlier tick,
  /// such as render_tick(). The server goes back at most 250 ms, and QueryDone::tick is the tick that it
  /// took. Shapes of casts and overlaps are spheres, capsules, boxes, cylinders and cones, in binary32. A
  /// query ignores at most 8 bodies. Errors: kNotConnected, kQueueFull, kNotFinite, kOutOfRange (also for too
  /// many queries or ignored bodies, and for another shape).
  Result<std::uint32_t, ClientError> query(std::span<const Query> queries, std::uint64_t at_tick = 0);

  /// Selects the internals that the server sends (contacts, joints, ropes), from Joined or from now on, in
  /// place of the earlier selection. contacts() and joints() then return the newest complete list. They are
  /// none, and ropes() is empty, until the first arrives, after a new world and when not selected.
  void inspect(const Inspect& what);
  [[nodiscard]] const std::optional<ContactList>& contacts() const noexcept;
  [[nodiscard]] const std::optional<JointList>& joints() const noexcept;
  /// Returns all ropes at the render tick of the last poll, in id order. Valid until the next poll.
  [[nodiscard]] const std::vector<Rope>& ropes();

  /// The room's newest state; none before the first RoomChanged.
  [[nodiscard]] const std::optional<Room>& room() const noexcept;
  /// The next six calls control the room, which needs Room::admin. Each returns the number of the request,
  /// and the event ControlDone with this number has the outcome; a value out of range is refused there.
  /// Errors: kNotConnected, kQueueFull, kNotFinite (a speed), kOutOfRange (a name that is too long).
  Result<std::uint32_t, ClientError> pause();
  Result<std::uint32_t, ClientError> resume();
  Result<std::uint32_t, ClientError> step(std::uint32_t ticks = 1);  ///< runs [1, 1000] ticks, then pauses
  Result<std::uint32_t, ClientError> set_speed(double speed);  ///< ticks per tick of real time, [0.01, 100]
  Result<std::uint32_t, ClientError> load_scene(std::string_view name);  ///< one of Room::scenes
  /// Moves the playback of a recording to a tick in [Room::first_tick, Room::end_tick].
  Result<std::uint32_t, ClientError> seek(std::uint64_t tick);

  /// Ends the session; `text` is a reason for the server. The caller polls until is_open() is false, so that
  /// the message goes out. The event is then Left.
  void leave(std::string_view text = {});

  [[nodiscard]] Stats stats() const;

 private:
  struct Implementation;
  explicit Client(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::client
