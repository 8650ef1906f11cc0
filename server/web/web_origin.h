// These functions decide by HTTP header values which web pages may open a web socket, and which web sockets
// are trusted as local. A trusted web socket from this machine may get the rights that --admin loopback
// grants. A browser names its page in the Origin header, and the page cannot forge it. Other programs send
// any header or none, so the functions protect people with browsers, not the server from programs.
// HttpConnection calls is_origin_allowed() and is_local_page().
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace takt::server {

/// "localhost", 127.0.0.0/8 or ::1, with or without brackets, any case; without a port.
[[nodiscard]] bool is_loopback_name(std::string_view host);

/// The host of "host", "host:port" or "[v6]:port", lower case; empty when malformed.
[[nodiscard]] std::string host_of(std::string_view authority);

/// No Origin (not a browser); or a page of the host that was asked (`host` header, any port), of this
/// machine, or of an origin in `allowed` (exactly, but for case). "null" and what is no origin are refused.
[[nodiscard]] bool is_origin_allowed(std::string_view origin, std::string_view host,
                                     std::span<const std::string> allowed);

/// The browser that asks was pointed at this machine by its own loopback name, by a page of this machine or
/// none. A page elsewhere whose name was made to resolve to 127.0.0.1 (DNS rebinding) fails here by its Host
/// header.
[[nodiscard]] bool is_local_page(std::string_view origin, std::string_view host);

}  // namespace takt::server
