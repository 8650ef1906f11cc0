#include "server/web/http_counters.h"

namespace takt::server {
namespace {

// In the order of the enum; a unit test compares them with docs/HTTP.md.
constexpr std::string_view kNames[] = {
    "connections",       "requests",        "upgrades",       "connections_max", "connections_per_address",
    "tls_displaced",     "tls_timeout",     "tls_plain",      "tls_failed",      "request_malformed",
    "header_too_large",  "body_too_large",  "method_refused", "request_timeout", "response_timeout",
    "upgrade_malformed", "origin_refused",  "plain_refused",  "text_message",    "unmasked_frame",
    "message_too_large", "frame_malformed", "socket_timeout",
};
static_assert(sizeof kNames / sizeof kNames[0] == kHttpCounterCount);

}  // namespace

std::string_view name_of(HttpCounter counter) noexcept {
  auto const index = static_cast<std::size_t>(counter);
  return index < kHttpCounterCount ? kNames[index] : std::string_view("unknown");
}

}  // namespace takt::server
