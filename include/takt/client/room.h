// Room is the state of a client's room: one world on a server, shared by the clients in it. Room has the
// scene, tick rate, speed, pause, the client's right to control the room, and the range of ticks of a
// recording. Client::room() returns the newest Room; the event RoomChanged (event.h) reports each change.
// Room is plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace takt::client {

struct Room {
  std::uint32_t epoch = 1;  ///< grows when the world is replaced, by another scene or a seek
  std::uint64_t tick = 0;   ///< the room's tick when the server wrote this
  bool paused = false;
  double speed = 1;                 ///< ticks run per tick of real time, [0.01, 100]; also while paused
  bool admin = false;               ///< this client may pause, step, change the speed, load scenes and seek
  bool is_playback = false;         ///< the room plays a recording: commands are refused, and seek() works
  std::uint64_t first_tick = 0;     ///< of a recording: the first tick that seek() takes; 0 in a live room
  std::uint64_t end_tick = 0;       ///< of a recording: the last tick that seek() takes; 0 in a live room
  std::uint32_t tick_rate_hz = 60;  ///< of the scene
  std::uint64_t scene_hash = 0;
  std::string scene;                ///< name of the present scene in `scenes`; empty = it is not in the list
  std::string title;                ///< of the present scene
  std::vector<std::string> scenes;  ///< names for Client::load_scene()
};

}  // namespace takt::client
