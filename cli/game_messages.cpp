#include "cli/game_messages.h"

#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>

#include "cli/json_text.h"

namespace takt::cli {
namespace {

// The bytes of the UTF-8 character at the beginning of `text`; 0 = there is none, or a control character.
std::size_t printable_bytes(std::string_view text) {
  auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  unsigned const first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  std::size_t const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
  // Overlong forms, surrogates, and numbers past the last character.
  unsigned const second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)) return 0;
  if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) return 0;
  return length;
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    std::size_t const length = printable_bytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string out;
  for (std::byte const byte : bytes) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(byte));
    out += digits;
  }
  return out;
}

}  // namespace

void print_messages(std::span<const sim::GameMessage> messages, bool has_json) {
  for (const sim::GameMessage& message : messages) {
    std::string const text(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size());
    bool const has_text = is_printable(text);
    bool const is_to_all = message.player == sim::kServerPlayer;
    std::string const player = std::to_string(message.player);
    if (has_json) {
      std::printf("{\"tick\":%" PRIu64 ",\"player\":%s,\"%s\":%s}\n", message.tick,
                  is_to_all ? "null" : player.c_str(), has_text ? "message" : "message_hex",
                  json_text(has_text ? text : hexadecimal(message.bytes)).c_str());
    } else {
      std::printf("tick %" PRIu64 ": to %s: %s\n", message.tick,
                  is_to_all ? "all" : ("player " + player).c_str(),
                  (has_text ? text : "0x" + hexadecimal(message.bytes)).c_str());
    }
  }
}

}  // namespace takt::cli
