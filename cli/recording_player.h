// The command `takt replay play`: add_play declares it, play_recording runs it. The command starts a server
// that plays a recording to viewers (server/playback.h), who pause it, step it and seek in it.
#pragma once

#include <cstdint>
#include <string>

#include "cli/web_options.h"

namespace takt::cli {

struct PlayOptions {
  std::string path;
  std::string lanes = "auto";
  std::string threads = "1";
  std::string bind_address;
  std::uint16_t port = 0;  ///< UDP and TCP; 0 = a free one: a player mostly watches in a browser
  double speed = 1;
  std::string admin = "loopback";
  WebOptions web;
  double seconds = 0;
  std::string log_level = "warning";
  bool json = false;
};

/// Adds `play` to `takt replay`'s subcommands.
CLI::App* add_play(CLI::App& replay, PlayOptions& options);

/// Plays until Ctrl-C; the exit code.
int play_recording(const PlayOptions& options);

}  // namespace takt::cli
