#include "cli/server_log.h"

#include <array>
#include <string_view>
#include <utility>

#include "takt/server/log.h"

namespace takt::cli {

void start_log(const std::string& level) {
  using enum server::LogLevel;
  static constexpr std::array<std::pair<std::string_view, server::LogLevel>, 5> kLevels{
      {{"trace", kTrace}, {"debug", kDebug}, {"info", kInfo}, {"warning", kWarning}, {"error", kError}}};
  server::LogLevel chosen = kOff;
  for (auto const& [name, value] : kLevels)
    if (name == level) chosen = value;
  server::start_log(chosen);
}

}  // namespace takt::cli
