#include "cli/token_text.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json_text.h"
#include "cli/standard_output.h"
#include "protocol/messages/message.h"

namespace takt::cli {
namespace {

using crypto::TokenClaims;

// The replication modes, bit by bit.
constexpr std::array<std::string_view, 4> kModes{"snapshot", "rollback", "lockstep", "predicted"};

std::vector<std::string> modes_of(const TokenClaims& claims) {
  std::vector<std::string> modes;
  for (std::size_t i = 0; i < kModes.size(); ++i)
    if ((claims.modes >> i & 1u) != 0) modes.emplace_back(kModes[i]);
  return modes;
}

std::string_view role_of(const TokenClaims& claims) {
  return claims.role == crypto::TokenRole::kSpectator ? "spectator" : "player";
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (std::byte const b : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(b));
    text += digits;
  }
  return text;
}

// "2026-11-26T05:00:00Z"; the number alone for a time past the year 9999.
std::string time_text(std::uint64_t unix_s) {
  if (unix_s >= 253'402'300'800u) return std::to_string(unix_s) + " s of Unix time";
  std::chrono::sys_seconds const time{std::chrono::seconds(static_cast<std::int64_t>(unix_s))};
  auto const day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day const date(day);
  std::chrono::hh_mm_ss const clock(time - day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

std::string limit_text(std::uint32_t limit) { return limit == 0 ? "as the room" : std::to_string(limit); }

std::string listed(const std::vector<std::string>& texts, const std::string& separator) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : separator) + text;
  return out;
}

std::string json_list(std::vector<std::string> texts) {
  for (std::string& text : texts) text = json_text(text);
  return '[' + listed(texts, ",") + ']';
}

std::string json_of(const InspectedToken& token) {
  // Numbers of 64 bits are texts, because JSON readers round them.
  std::string out = "{\"key_id\":" + std::to_string(token.header.key_id) +
                    ",\"expires\":" + std::to_string(token.header.expires_s) +
                    ",\"expired\":" + (token.now_s >= token.header.expires_s ? "true" : "false") +
                    ",\"servers\":" + json_list(token.header.servers) +
                    ",\"refusal\":" + (token.refusal ? json_text(*token.refusal) : std::string("null")) +
                    ",\"claims\":";
  if (!token.claims) return out + "null}\n";
  TokenClaims const& c = *token.claims;
  return out + "{\"user\":\"" + std::to_string(c.user_id) + "\",\"room\":\"" + std::to_string(c.room_id) +
         "\",\"name\":" + json_text(protocol::printable_text(c.player_name)) + ",\"role\":\"" +
         std::string(role_of(c)) + "\",\"admin\":" + (c.admin ? "true" : "false") +
         ",\"modes\":" + json_list(modes_of(c)) + ",\"bodies_max\":" + std::to_string(c.bodies_max) +
         ",\"commands_per_s_max\":" + std::to_string(c.commands_per_s_max) +
         ",\"reconnect_grace_s\":" + std::to_string(c.reconnect_grace_s) +
         ",\"issued\":" + std::to_string(c.issued_s) + ",\"user_data_hex\":\"" + hex(c.user_data) + "\"}}\n";
}

std::string text_of(const InspectedToken& token) {
  std::string out = "key      " + std::to_string(token.header.key_id) + "\nexpires  " +
                    time_text(token.header.expires_s) +
                    (token.now_s >= token.header.expires_s ? ", expired" : "") + "\nservers  " +
                    (token.header.servers.empty() ? "any" : listed(token.header.servers, " ")) + '\n';
  if (!token.claims)
    return out +
           (token.refusal ? "refused  " + std::string(*token.refusal)
                          : "claims   sealed; --keys opens them") +
           '\n';
  TokenClaims const& c = *token.claims;
  std::string const name = protocol::printable_text(c.player_name);
  out += "user     " + std::to_string(c.user_id) + "\nroom     " +
         (c.room_id == 0 ? "any" : std::to_string(c.room_id)) + "\nname     " +
         (name.empty() ? "none" : name) + "\nrole     " + std::string(role_of(c)) +
         (c.admin ? ", admin" : "") + "\nmodes    " + listed(modes_of(c), " ") + "\nbodies   " +
         limit_text(c.bodies_max) + "\ncommands " + limit_text(c.commands_per_s_max) + "\ngrace    " +
         std::to_string(c.reconnect_grace_s) + " s\nissued   " + time_text(c.issued_s) + '\n';
  if (!c.user_data.empty()) out += "data     " + hex(c.user_data) + '\n';
  return out;
}

}  // namespace

void print_token(const InspectedToken& token, bool as_json) {
  print_standard_output(as_json ? json_of(token) : text_of(token));
}

}  // namespace takt::cli
