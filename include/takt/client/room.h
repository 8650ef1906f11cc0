// Room is the state of a client's room: one world on a server, shared by the clients in it. Room has the
// scene, tick rate, speed, pause and the client's right to change them, and the range of ticks of a
// recording. Client::room() returns the newest Room; the event RoomChanged (event.h) reports each change.
// Room is plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace takt::client {

struct Room {
  std::uint32_t epoch = 1;  ///< grows when the world is replaced, by another scene or a seek
  std::uint64_t tick = 0;   ///< the room's when this was written
  bool paused = false;
  double speed = 1;              ///< ticks run per tick of real time
  bool admin = false;            ///< this client may pause, step, change the speed and load scenes
  bool is_playback = false;      ///< a recording is being played: commands have no effect, seek does
  std::uint64_t first_tick = 0;  ///< recordings: the range that can be played
  std::uint64_t end_tick = 0;
  std::uint32_t tick_rate_hz = 60;
  std::uint64_t scene_hash = 0;
  std::string scene;  ///< name of the scene that plays, as in `scenes`; empty = it is not one of them
  std::string title;
  std::vector<std::string> scenes;  ///< what load_scene takes
};

}  // namespace takt::client
