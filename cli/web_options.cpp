#include "cli/web_options.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace takt::cli {
namespace {

// "auto" or a port number; the error is for a person.
std::string check_port(const std::string& text) {
  std::uint16_t port = 0;
  auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  bool const is_port = code == std::errc() && end == text.data() + text.size();
  return is_port || text == "auto" ? std::string()
                                   : "a port is a number from 1 to 65535; 0 = off, auto = a free one";
}

// Where an installation has the viewer, and a build tree as well.
std::string find_viewer() {
  std::error_code code;
  auto const program = std::filesystem::read_symlink("/proc/self/exe", code);
  if (code) return {};
  auto const viewer = program.parent_path() / "../share/takt/viewer";
  if (!std::filesystem::is_regular_file(viewer / "index.html", code)) return {};
  return std::filesystem::weakly_canonical(viewer, code).string();
}

}  // namespace

void add_web_options(CLI::App& command, WebOptions& options) {
  command
      .add_option("--http", options.port,
                  "Port for the viewer, web sockets, health and metrics; 0 = none, auto = a free one, which "
                  "is printed")
      ->check(CLI::Validator(check_port, "PORT"))
      ->take_last()
      ->capture_default_str();
  command.add_option("--http-bind", options.bind_address,
                     "Address the web gateway listens on (default: all)");
  command.add_option("--viewer", options.viewer_directory,
                     "Folder with the viewer's files (default: beside the program)");
  command.add_option(
      "--origin", options.origins,
      "Further web pages that may connect, such as https://game.example; may be given several times");
}

std::optional<server::HttpOptions> http_options_of(const WebOptions& options) {
  if (options.port == "0") return std::nullopt;
  server::HttpOptions out;
  out.bind_address = options.bind_address;
  out.port = options.port == "auto" ? std::uint16_t{0} : static_cast<std::uint16_t>(std::stoul(options.port));
  out.viewer_directory = options.viewer_directory.empty() ? find_viewer() : options.viewer_directory;
  out.origins = options.origins;
  return out;
}

void print_web_address(const WebOptions& options, std::uint16_t http_port) {
  if (http_port == 0) return;
  bool const is_any =
      options.bind_address.empty() || options.bind_address == "0.0.0.0" || options.bind_address == "::";
  std::string const host = is_any ? "127.0.0.1"
                           : options.bind_address.find(':') != std::string::npos
                               ? "[" + options.bind_address + "]"
                               : options.bind_address;
  std::printf("watch it at http://%s:%u/\n", host.c_str(), http_port);
}

}  // namespace takt::cli
