// server::Error lists the reasons why Host::open failed; server::Failure adds a text with the port or address
// concerned. FileError is the reason why a file could not be read or written (load_scene_file). message()
// returns the text of each. A running server reports trouble in its log and its counters instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace takt::server {

/// Values are frozen; new ones go to the end.
enum class Error : std::uint8_t {
  kBadAddress = 0,           ///< not an IP address of this machine
  kPortInUse = 1,            ///< another program has the port, for UDP or for TCP
  kPermissionDenied = 2,     ///< ports below 1024 need privileges; a sandbox may forbid sockets
  kNetwork = 3,              ///< any other error of the system with the sockets
  kSceneRefused = 4,         ///< the scene cannot be simulated, or the Game refused it
  kTokenKeysRefused = 5,     ///< the key file of tokens cannot be read, has a bad line, or others may read it
  kCertificateRefused = 6,   ///< the TLS certificate or its key cannot be used, or others may read the key
  kIdentityRefused = 7,      ///< the identity file cannot be read or made, or others may read it
  kDesyncFolderRefused = 8,  ///< the folder for reports of desyncs cannot be made, or is no folder
};

/// Returns one sentence without a full stop.
[[nodiscard]] std::string_view message(Error error) noexcept;

/// The sockets to which a Failure belongs, so that a caller can name the option to change. A kSceneRefused
/// belongs to none and has kGame.
enum class Sockets : std::uint8_t {
  kGame,     ///< UDP and TCP (HostOptions::port)
  kWeb,      ///< HTTP and web sockets (HttpOptions::port)
  kMetrics,  ///< HTTP of metrics and health (MetricsOptions::port)
};

/// An error and a line about it, such as "port 7777: another program uses the port (Address already in use)".
struct Failure {
  Error error = Error::kNetwork;
  std::string detail;
  Sockets sockets = Sockets::kGame;
};
[[nodiscard]] inline std::string message(const Failure& failure) { return failure.detail; }

/// An error of a file, as a line for a person.
struct FileError {
  std::string text;  ///< "<file>: <what is wrong>", or "<file>:<line>: ..." where the file has lines
};
[[nodiscard]] inline std::string message(const FileError& error) { return error.text; }

}  // namespace takt::server
