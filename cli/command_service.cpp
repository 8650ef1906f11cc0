// takt service: worlds, batches and snapshots for programs on this machine and others (docs/SERVICE.md).
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/number_option.h"
#include "cli/path_option.h"
#include "cli/service_metrics.h"
#include "cli/start_failure.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "cli/web_options.h"
#include "server/secret_file.h"
#include "server/web/http_server.h"
#include "service/service_host.h"

namespace takt::cli {
namespace {

struct ServiceCommand {
  std::vector<std::string> listen;
  std::string token_path;
  std::uint32_t memory_max_mib = 0;
  double seconds = 0;
  bool until_input_ends = false;
  WebOptions web;  // metrics_listen alone
  service::ServiceOptions options;
};

// The line of the file, whose text stands in no option: other users can list those.
bool read_token(const std::string& path, std::string& token) {
  auto text =
      server::read_secret_file(path, service::kTokenBytesMax + 2, server::GroupRights::kNone, "this token");
  if (!text) return print_error("--token " + message(text.error())), false;
  token = *std::move(text);
  if (token.ends_with('\n')) token.pop_back();
  if (token.ends_with('\r')) token.pop_back();
  bool const is_one_line = token.find_first_of("\r\n") == std::string::npos;
  if (is_one_line && token.size() >= service::kTokenBytesMin && token.size() <= service::kTokenBytesMax)
    return true;
  print_error("--token " + path +
              ": a token is one line of 16 to 256 bytes and nothing else, such as that of 'openssl rand -hex "
              "32'");
  return false;
}

int serve(ServiceCommand& command, const Program& program) {
  fill_standard_streams();
  StopSignal stop_signal;
  service::ServiceOptions& options = command.options;
  for (const std::string& text : command.listen) {
    auto const door = service::parse_door(text);
    if (!door)
      return print_error("--listen " + text +
                         ": write unix:PATH (at most 107 bytes) or tcp:HOST:PORT with a port of 0 to 65535"),
             kExitBadInput;
    options.doors.push_back(*door);
  }
  if (!command.token_path.empty() && !read_token(command.token_path, options.token)) return kExitBadInput;
  if (std::string const wrong = wrong_with(command.web); !wrong.empty())
    return print_error(wrong), kExitBadInput;
  options.limits.memory_max_bytes = std::uint64_t{command.memory_max_mib} << 20u;
  options.program = version_text(program, "");
  auto opened = service::ServiceHost::open(std::move(options));
  if (!opened) return print_error(opened.error().text), kExitBadInput;
  service::ServiceHost& host = **opened;
  std::unique_ptr<server::HttpServer> web;
  if (auto const metrics = metrics_options_of(command.web)) {
    auto made = server::HttpServer::open_operator(
        *metrics, service_pages([&host] { return host.counts(); }, [&host] { return host.is_ready(); }));
    if (!made) return print_error(start_failure(made.error(), 0, command.web)), kExitBadInput;
    web = *std::move(made);
  }
  for (const service::Door& door : host.doors()) std::printf("listening on %s\n", text_of(door).c_str());
  if (web != nullptr) print_metrics_address(command.web, web->metrics_port());
  std::fflush(stdout);
  auto const began = std::chrono::steady_clock::now();
  auto const left_ms = [&] {
    std::chrono::duration<double, std::milli> const elapsed = std::chrono::steady_clock::now() - began;
    double const turn_ms = command.until_input_ends ? 200.0 : 1000.0;
    return command.seconds == 0 ? turn_ms : std::min(command.seconds * 1000 - elapsed.count(), turn_ms);
  };
  for (double left = left_ms(); left > 0; left = left_ms()) {
    if (stop_signal.wait_ms(static_cast<std::uint32_t>(left) + 1)) break;
    if (command.until_input_ends && has_input_ended(0)) break;
  }
  service::ServiceCounts const counts = host.counts();
  web.reset();  // before the host, whose counts it shows
  opened->reset();
  std::printf("answered %" PRIu64 " requests of %" PRIu64 " connections, %" PRIu64 " refused\n",
              counts.requests, counts.connections, counts.refused);
  return kExitDone;
}

}  // namespace

void add_service(CLI::App& app, Action& action, const Program& program) {
  auto const options = std::make_shared<ServiceCommand>();
  CLI::App* const command =
      app.add_subcommand("service", "Run worlds for other programs, over TCP and Unix sockets");
  command->add_option("--listen", options->listen, "unix:PATH or tcp:HOST:PORT; may be given several times")
      ->required()
      ->take_all();
  command
      ->add_option(
          "--metrics-listen", options->web.metrics_listen,
          "Address and port for /metrics and /healthz over HTTP; port 0 = a free one, which is printed")
      ->type_name("ADDRESS:PORT")
      ->take_last();
  add_path(*command, "--token", options->token_path, PathKind::kFile,
           "A line of 16 to 256 bytes that clients must send; needed beyond loopback");
  service::ServiceLimits& limits = options->options.limits;
  add_number(*command, "--threads", limits.threads, 1, 64, "Threads that step worlds")->capture_default_str();
  add_number(*command, "--worlds-max", limits.worlds_max, 1, 1'000'000, "Worlds of all clients")
      ->capture_default_str();
  add_number(*command, "--memory-max", options->memory_max_mib, 1, 16'777'216,
             "MiB of heap, beyond which no world or snapshot is made (default: no limit)");
  add_number(*command, "--clients-max", options->options.clients_max, 1, 10'000, "Connections at a time")
      ->capture_default_str();
  add_number(*command, "--idle-lease", options->options.lease_s, 0, 86'400,
             "Seconds that worlds live on after the end of their connection")
      ->capture_default_str();
  add_number(*command, "--for", options->seconds, 0, kMaxSeconds,
             "Stop after this many seconds (default: run until Ctrl-C)");
  command->add_flag("--until-input-ends", options->until_input_ends, kUntilInputEndsText);
  command->callback(
      [options, &action, &program] { action = [options, &program] { return serve(*options, program); }; });
}

}  // namespace takt::cli
