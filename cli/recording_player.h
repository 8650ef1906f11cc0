// add_play() declares the command `takt replay play` with its options (PlayOptions), and play_recording()
// runs it. The command starts a server that plays a recording (server/playback.h) to viewers in browsers and
// to clients over UDP and TCP. Viewers on the server's machine may pause, step, seek and change the speed,
// unless --admin is none. play_recording() returns the exit code after SIGINT, SIGTERM or the time of --for.
#pragma once

#include <cstdint>
#include <string>

#include "cli/web_options.h"
#include "takt/server/game_registry.h"

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
  double seconds = 0;  ///< 0 = until a stop signal
  std::string log_level = "warning";
  bool json = false;
  server::GameRegistry games;  ///< of the program
};

/// Adds `play` to the subcommands of `takt replay`. `options` must outlive the parsing.
CLI::App* add_play(CLI::App& replay, PlayOptions& options);

/// Plays until a stop signal, or for `seconds`. Returns the exit code: kExitBadInput when the recording or
/// the sockets cannot be opened.
int play_recording(const PlayOptions& options);

}  // namespace takt::cli
