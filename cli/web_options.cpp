#include "cli/web_options.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/endpoint_text.h"
#include "cli/number_option.h"
#include "cli/path_option.h"
#include "cli/subcommand.h"
#include "server/web/web_origin.h"

namespace takt::cli {
namespace {

// "auto" or a port number; the error is for a person.
std::string check_port(const std::string& text) {
  std::string number = text;
  return text == "auto" || check_number(number, 0, std::uint64_t{65535}).empty()
             ? std::string()
             : "allowed is auto or 0 to 65535, not " + text;
}

// Browsers send SCHEME://HOST or SCHEME://HOST:PORT, and a text in another form would never match.
std::string wrong_with_origin(const std::string& text) {
  std::size_t const colon = text.find("://");
  std::string const scheme = text.substr(0, colon);
  std::string const authority = colon == std::string::npos ? "" : text.substr(colon + 3);
  if (colon == 0 || server::host_of(authority).empty())
    return "expected scheme, host and perhaps a port, such as https://game.example, and nothing behind";
  if ((scheme == "https" && authority.ends_with(":443")) || (scheme == "http" && authority.ends_with(":80")))
    return "browsers leave out the usual port; leave it out too";
  return {};
}

std::filesystem::path program_folder() {
  std::error_code code;
  return std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
}

// True for the takt of a build tree of Takt's sources, where './dev' is at hand.
bool is_in_build_tree() {
  std::error_code code;
  std::filesystem::path const folder = program_folder();
  return program_name() == "takt" && !folder.empty() &&
         std::filesystem::is_regular_file(folder / "../CMakeCache.txt", code);
}

// Where an installation has the viewer, and a build tree as well.
std::string find_viewer() {
  std::error_code code;
  std::filesystem::path const folder = program_folder();
  if (folder.empty()) return {};
  auto const viewer = folder / "../share/takt/viewer";
  if (!std::filesystem::is_regular_file(viewer / "index.html", code)) return {};
  return std::filesystem::weakly_canonical(viewer, code).string();
}

// The host of a URL for people on this machine.
std::string url_host(const std::string& bind_address) {
  if (bind_address.empty() || bind_address == "0.0.0.0" || bind_address == "::") return "127.0.0.1";
  return bind_address.find(':') != std::string::npos ? "[" + bind_address + "]" : bind_address;
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
  add_path(command, "--viewer", options.viewer_directory, PathKind::kFolder,
           "Folder with the viewer's files (default: beside the program)");
  command.add_option(
      "--origin", options.origins,
      "Further web pages that may connect, such as https://game.example; may be given several times");
  add_path(
      command, "--tls-cert", options.certificate_path, PathKind::kFile,
      "File of the certificate with its chain, PEM: the web gateway speaks TLS. A changed one is read again")
      ->take_last();
  add_path(command, "--tls-key", options.key_path, PathKind::kFile,
           "File of the private key of --tls-cert, PEM, which its owner alone may read")
      ->take_last();
  command.add_flag("--allow-plain-web", options.allow_plain,
                   "Without TLS, web sockets of other machines may connect, too");
  command
      .add_option(
          "--metrics-listen", options.metrics_listen,
          "Address and port for metrics and health; the viewer's port then has no metrics; port 0 = a "
          "free one, which is printed")
      ->type_name("ADDRESS:PORT")
      ->take_last();
}

std::string wrong_with(const WebOptions& options) {
  for (const std::string& origin : options.origins) {
    if (std::string const text = wrong_with_origin(origin); !text.empty())
      return "--origin " + origin + ": " + text;
  }
  if (options.certificate_path.empty() != options.key_path.empty())
    return std::string("--tls-cert and --tls-key belong together: add ") +
           (options.key_path.empty() ? "--tls-key" : "--tls-cert");
  for (const auto& [option, path] :
       {std::pair("--tls-cert", &options.certificate_path), std::pair("--tls-key", &options.key_path)})
    if (*path == "-")
      return std::string(option) + " -: the file is read again when it changes, so name a file";
  if (!options.certificate_path.empty() && !http_options_of(options))
    return "--tls-cert is about the web gateway, which --http 0 turns off: leave one of them out";
  if (!options.certificate_path.empty() && options.allow_plain)
    return "--allow-plain-web has no effect with --tls-cert, whose port speaks TLS alone: leave one of them "
           "out";
  if (!options.metrics_listen.empty() && !parse_endpoint(options.metrics_listen))
    return "--metrics-listen " + options.metrics_listen +
           ": write ADDRESS:PORT with a port of 0 to 65535, such as 127.0.0.1:9100 or [::1]:9100";
  if (options.viewer_directory.empty()) return {};
  std::error_code code;
  std::filesystem::path const folder = options.viewer_directory;
  if (std::filesystem::is_regular_file(folder / "index.html", code)) return {};
  return "--viewer " + options.viewer_directory + ": " +
         (std::filesystem::is_directory(folder, code) ? "the folder has no index.html"
                                                      : "there is no such folder") +
         "; name the built viewer, or leave the option out for the one beside the program";
}

std::optional<server::HttpOptions> http_options_of(const WebOptions& options) {
  bool const is_hexadecimal = options.port.starts_with("0x") || options.port.starts_with("0X");
  unsigned long const port =
      options.port == "auto" ? 0 : std::stoul(options.port, nullptr, is_hexadecimal ? 16 : 10);
  if (port == 0 && options.port != "auto") return std::nullopt;
  server::HttpOptions out;
  out.bind_address = options.bind_address;
  out.port = static_cast<std::uint16_t>(port);
  out.viewer_directory = options.viewer_directory.empty() ? find_viewer() : options.viewer_directory;
  out.origins = options.origins;
  if (!options.certificate_path.empty())
    out.tls = server::TlsFiles{options.certificate_path, options.key_path};
  out.allow_plain = options.allow_plain;
  return out;
}

std::optional<server::MetricsOptions> metrics_options_of(const WebOptions& options) {
  auto const endpoint = parse_endpoint(options.metrics_listen);
  if (!endpoint) return std::nullopt;
  return server::MetricsOptions{endpoint->host, endpoint->port};
}

void print_metrics_address(const WebOptions& options, std::uint16_t metrics_port) {
  if (metrics_port == 0) return;
  std::printf("metrics at http://%s:%u/metrics\n",
              url_host(parse_endpoint(options.metrics_listen)->host).c_str(), metrics_port);
}

void print_web_address(const WebOptions& options, std::uint16_t http_port) {
  if (http_port == 0) return;
  std::string const host = url_host(options.bind_address);
  bool const has_viewer = !options.viewer_directory.empty() || !find_viewer().empty();
  std::string text;
  if (!has_viewer) {
    text =
        " once there is a viewer: --viewer FOLDER names that of an installation (PREFIX/share/takt/viewer)";
    if (is_in_build_tree()) text += ", './dev setup web' and './dev build' make one";
  }
  std::printf("watch it at %s://%s:%u/%s\n", options.certificate_path.empty() ? "http" : "https",
              host.c_str(), http_port, text.c_str());
}

void print_plain_refusal(const WebOptions& options, std::uint16_t http_port) {
  bool const is_open = !options.certificate_path.empty() || options.allow_plain;
  if (http_port == 0 || is_open) return;
  if (options.bind_address.empty() || server::is_loopback_name(options.bind_address)) return;
  std::printf(
      "other machines get no viewer and no web socket there: add --tls-cert and --tls-key, or "
      "--allow-plain-web\n");
}

}  // namespace takt::cli
