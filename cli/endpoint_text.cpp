#include "cli/endpoint_text.h"

#include <charconv>

#include "cli/subcommand.h"

namespace takt::cli {

std::optional<EndpointText> parse_endpoint(const std::string& text) {
  std::size_t const colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  EndpointText out;
  out.host = text.substr(0, colon);
  if (out.host.front() == '[' && out.host.back() == ']') {
    out.host = out.host.substr(1, out.host.size() - 2);
  } else if (out.host.find(':') != std::string::npos) {
    return std::nullopt;
  }
  char const* const begin = text.data() + colon + 1;
  char const* const end = text.data() + text.size();
  auto const [at, code] = std::from_chars(begin, end, out.port);
  if (code != std::errc() || at != end || out.host.empty()) return std::nullopt;
  return out;
}

int exit_code_of(client::ClientError error) noexcept {
  switch (error) {
    case client::ClientError::kBadUrl:
    case client::ClientError::kBadToken:
    case client::ClientError::kBadAddress: return kExitBadInput;
    default: return kExitFailed;
  }
}

}  // namespace takt::cli
