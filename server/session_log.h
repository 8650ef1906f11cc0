// SessionLog writes the lines of the log about sessions: joins, leaves and moves to other addresses. Clients
// decide how many there are, so each kind has a limit of its own (LineLimit), and none uses up that of
// another. The network thread of the server calls it with each event.
#pragma once

#include <cstdint>

#include "protocol/session/server_event.h"
#include "server/line_limit.h"

namespace takt::server {

class SessionLog {
 public:
  /// `room_id` is that of the tokens (TokenOptions), for the lines of users.
  SessionLog(std::uint64_t room_id, std::uint64_t now_us);

  /// Writes the line of PlayerJoined, PlayerLeft, PlayerMoved or ModeSwitched, within the limits. Other
  /// events have none.
  void write(std::uint64_t now_us, const protocol::ServerEvent& event);

 private:
  void write_joined(std::uint64_t now_us, const protocol::PlayerJoined& joined);
  void write_moved(std::uint64_t now_us, const protocol::PlayerMoved& moved);
  void write_switched(std::uint64_t now_us, const protocol::ModeSwitched& switched);
  void write_left(std::uint64_t now_us, const protocol::PlayerLeft& left);

  std::uint64_t room_id_;
  LineLimit sessions_;  // joins without a token, leaves, and changes of modes
  LineLimit user_joins_;
  LineLimit user_moves_;
  LineLimit guest_moves_;
};

}  // namespace takt::server
