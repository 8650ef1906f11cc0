#include "server/session_log.h"

#include <spdlog/spdlog.h>

#include <string>
#include <string_view>
#include <variant>

namespace takt::server {
namespace {

constexpr std::string_view kSessionLines = "joins, leaves and modes";
/// Lines about joins without a token, leaves and changes of modes a second, and at once: a class that starts
/// is logged whole.
constexpr std::uint32_t kSessionsPerS = 10;
constexpr std::uint32_t kSessionsBurst = 200;
/// Lines about joins of users with tokens, which are the audit of a server: no stranger uses them up.
constexpr std::uint32_t kUserJoinsPerS = 200;
constexpr std::uint32_t kUserJoinsBurst = 1000;
/// Lines about moves of users, and likewise of guests. A session reports one a second (PlayerMoved), so 19
/// users who move all the time hide no other move. The burst is of a site whose way out changes.
constexpr std::uint32_t kMovesPerS = 20;
constexpr std::uint32_t kMovesBurst = 200;

// Returns false for a line that is left out. The next line that is not is preceded by one about their number.
bool take_line(LineLimit& lines, std::uint64_t now_us, std::string_view what) {
  auto const left_out = lines.take(now_us);
  if (!left_out) return false;
  if (*left_out > 0) spdlog::info("{} lines about {} were left out", *left_out, what);
  return true;
}

std::string_view kind_of(protocol::PlayerId player) {
  return player < protocol::kSpectatorIdFirst ? "player" : "spectator";
}

// Empty for a session without a token.
std::string user_text(std::uint64_t user_id, std::uint64_t room_id) {
  if (user_id == 0) return {};
  return spdlog::fmt_lib::format(", user {} in room {}", user_id, room_id);
}

}  // namespace

SessionLog::SessionLog(std::uint64_t room_id, std::uint64_t now_us)
    : room_id_(room_id),
      sessions_(kSessionsPerS, kSessionsBurst, now_us),
      user_joins_(kUserJoinsPerS, kUserJoinsBurst, now_us),
      user_moves_(kMovesPerS, kMovesBurst, now_us),
      guest_moves_(kMovesPerS, kMovesBurst, now_us) {}

void SessionLog::write(std::uint64_t now_us, const protocol::ServerEvent& event) {
  if (auto const* joined = std::get_if<protocol::PlayerJoined>(&event)) return write_joined(now_us, *joined);
  if (auto const* moved = std::get_if<protocol::PlayerMoved>(&event)) return write_moved(now_us, *moved);
  if (auto const* switched = std::get_if<protocol::ModeSwitched>(&event))
    return write_switched(now_us, *switched);
  if (auto const* left = std::get_if<protocol::PlayerLeft>(&event)) write_left(now_us, *left);
}

// A name is quoted and escaped, or it could read like the line of another user.
void SessionLog::write_joined(std::uint64_t now_us, const protocol::PlayerJoined& joined) {
  bool const is_user = joined.user_id != 0;
  bool const has_line = is_user ? take_line(user_joins_, now_us, "joins of users")
                                : take_line(sessions_, now_us, kSessionLines);
  if (!has_line) return;
  spdlog::info("{} {} joined from {} over {}{}{}{}", protocol::name_of(joined.role), joined.player,
               protocol::to_text(joined.address), protocol::name_of(joined.transport),
               user_text(joined.user_id, room_id_), is_user && joined.admin ? ", admin" : "",
               joined.name.empty() ? "" : spdlog::fmt_lib::format(" as {:?}", joined.name));
}

void SessionLog::write_moved(std::uint64_t now_us, const protocol::PlayerMoved& moved) {
  bool const has_line = moved.user_id != 0 ? take_line(user_moves_, now_us, "moves of users")
                                           : take_line(guest_moves_, now_us, "moves of guests");
  if (!has_line) return;
  spdlog::info("{} {} moved {}from {} to {}{}", kind_of(moved.player), moved.player,
               moved.moves == 1 ? "" : spdlog::fmt_lib::format("{} times ", moved.moves),
               protocol::to_text(moved.from), protocol::to_text(moved.to),
               user_text(moved.user_id, room_id_));
}

void SessionLog::write_switched(std::uint64_t now_us, const protocol::ModeSwitched& switched) {
  if (!take_line(sessions_, now_us, kSessionLines)) return;
  spdlog::info("{} {} goes on in mode {}{}", kind_of(switched.player), switched.player,
               protocol::name_of(switched.mode),
               switched.text.empty() ? "" : spdlog::fmt_lib::format(": {:?}", switched.text));
}

void SessionLog::write_left(std::uint64_t now_us, const protocol::PlayerLeft& left) {
  if (!take_line(sessions_, now_us, kSessionLines)) return;
  spdlog::info("{} {} left: {}{}", kind_of(left.player), left.player, protocol::name_of(left.reason),
               left.text.empty() ? "" : " (" + left.text + ")");
}

}  // namespace takt::server
