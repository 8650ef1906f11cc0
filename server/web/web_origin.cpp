#include "server/web/web_origin.h"

#include <algorithm>

namespace takt::server {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The host of "http://host:port"; empty when it is no origin of a web page.
std::string host_of_origin(std::string_view origin) {
  std::string const text = lower(origin);
  std::string_view rest = text;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else {
    return {};
  }
  return host_of(rest);
}

}  // namespace

bool is_loopback_name(std::string_view host) {
  std::string const name = lower(host);
  if (name == "localhost" || name == "::1" || name == "[::1]") return true;
  // 127.x.y.z, digits and dots alone: "127.0.0.1.evil.example" is another machine.
  return name.starts_with("127.") &&
         std::ranges::all_of(name, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

std::string host_of(std::string_view authority) {
  if (authority.find_first_of("/@\\ \t?#") != std::string_view::npos) return {};
  std::string_view host = authority;
  std::string_view port;
  if (authority.starts_with('[')) {
    std::size_t const end = authority.find(']');
    if (end == std::string_view::npos) return {};
    host = authority.substr(0, end + 1);
    port = authority.substr(end + 1);
  } else if (std::size_t const colon = authority.find(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (!port.empty() && (port.front() != ':' || !is_digits(port.substr(1)))) return {};
  return lower(host);
}

bool is_origin_allowed(std::string_view origin, std::string_view host, std::span<const std::string> allowed) {
  if (origin.empty()) return true;
  if (std::ranges::any_of(allowed, [&](const std::string& one) { return lower(one) == lower(origin); }))
    return true;
  std::string const page = host_of_origin(origin);
  if (page.empty()) return false;
  return page == host_of(host) || is_loopback_name(page);
}

bool is_local_page(std::string_view origin, std::string_view host) {
  if (!is_loopback_name(host_of(host))) return false;
  return origin.empty() || is_loopback_name(host_of_origin(origin));
}

}  // namespace takt::server
