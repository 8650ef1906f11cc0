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

/// True for "localhost" in any case, "::1", "[::1]", and digits and dots that begin with "127."; a port makes
/// it false.
[[nodiscard]] bool is_loopback_name(std::string_view host);

/// The host of "host", "host:port" or "[v6]:port", lower case, with its brackets; empty when malformed. The
/// host itself is not checked.
[[nodiscard]] std::string host_of(std::string_view authority);

/// True without an Origin header (not a browser), or if `origin` is in `allowed`, in any case. True for pages
/// of the requested host (`host`: the Host header), at any port, and of this machine by a loopback name.
/// False for all else, such as "null" and malformed origins.
[[nodiscard]] bool is_origin_allowed(std::string_view origin, std::string_view host,
                                     std::span<const std::string> allowed);

/// True when the Host header is a loopback name, and the Origin is a page of a loopback name or empty. A page
/// elsewhere whose name resolves to 127.0.0.1 (DNS rebinding) fails here by its Host header.
[[nodiscard]] bool is_local_page(std::string_view origin, std::string_view host);

}  // namespace takt::server
