// takt relay: a bad network between clients and a server, to see by hand what a game is like on one.
#include <CLI/CLI.hpp>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "cli/endpoint_text.h"
#include "cli/number_option.h"
#include "cli/standard_output.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "net/lossy_relay.h"

namespace takt::cli {
namespace {

struct RelayOptions {
  std::string listen = "127.0.0.1:7778";
  std::string to = "127.0.0.1:7777";
  double loss_percent = 0;
  double delay_ms = 0;
  double jitter_ms = 0;
  double duplicate_percent = 0;
  double reorder_percent = 0;
  double rebind_s = 0;
  std::uint64_t seed = 1;
  double seconds = 0;
};

std::string text_of(const net::Failure& failure, const std::string& listen) {
  if (failure.error != net::Error::kPortInUse) return message(failure);
  return "--listen " + listen + ": another program uses the port; choose another, or port 0 for a free one";
}

int relay(const RelayOptions& options) {
  fill_standard_streams();
  StopSignal stop_signal;
  auto const listen = parse_endpoint(options.listen);
  if (!listen)
    return print_error("--listen " + options.listen + ": write ADDRESS:PORT with a port of 0 to 65535"),
           kExitBadInput;
  auto const to = parse_endpoint(options.to);
  if (!to || to->port == 0)
    return print_error("--to " + options.to + ": write ADDRESS:PORT with a port of 1 to 65535"),
           kExitBadInput;
  net::LossyRelayOptions relay_options;
  relay_options.bind_address = listen->host;
  relay_options.port = listen->port;
  relay_options.target_address = to->host;
  relay_options.target_port = to->port;
  relay_options.seed = options.seed;
  protocol::Impairment& impairment = relay_options.impairment;
  impairment = {};
  impairment.loss = options.loss_percent / 100;
  impairment.duplicate = options.duplicate_percent / 100;
  impairment.reorder = options.reorder_percent / 100;
  impairment.delay_us = static_cast<std::uint64_t>(options.delay_ms * 1000);
  impairment.jitter_us = static_cast<std::uint64_t>(options.jitter_ms * 1000);
  relay_options.rebind_us = static_cast<std::uint64_t>(options.rebind_s * 1e6);
  auto opened = net::LossyRelay::open(relay_options);
  if (!opened) return print_error(text_of(opened.error(), options.listen)), kExitBadInput;
  net::LossyRelay& relay = **opened;
  std::printf(
      "relaying UDP and TCP from %s:%u to %s: loss %g %%, delay %g +- %g ms, duplicates %g %%, reordering %g "
      "%%, each way (TCP: delay "
      "only)\n",
      listen->host.c_str(), relay.port(), options.to.c_str(), options.loss_percent, options.delay_ms,
      options.jitter_ms, options.duplicate_percent, options.reorder_percent);
  flush_standard_output();
  auto const began = std::chrono::steady_clock::now();
  auto const elapsed_s = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  while (!stop_signal.wait_ms(0) && (options.seconds == 0 || elapsed_s() < options.seconds))
    relay.run_for(1000);
  net::LossyRelayCounters const counters = relay.counters();
  std::printf("datagrams: %" PRIu64 " in, %" PRIu64 " dropped, %" PRIu64 " out, %" PRIu64
              " new ports; TCP: %" PRIu64 " connections, %" PRIu64 " bytes\n",
              counters.datagrams_in, counters.datagrams_dropped, counters.datagrams_out, counters.rebinds,
              counters.streams, counters.stream_bytes);
  return kExitDone;
}

}  // namespace

void add_relay(CLI::App& app, Action& action) {
  auto const options = std::make_shared<RelayOptions>();
  CLI::App* const command =
      app.add_subcommand("relay", "Stand between clients and a server and be a bad network");
  auto const add_percent = [command](const char* name, double& value, const char* description) {
    add_number(*command, name, value, 0, 100, description)->capture_default_str();
  };
  auto const add_milliseconds = [command](const char* name, double& value, const char* description) {
    add_number(*command, name, value, 0, 60'000, description)->capture_default_str();
  };
  command
      ->add_option("--listen", options->listen, "ADDRESS:PORT for clients, UDP and TCP; port 0 = a free one")
      ->capture_default_str();
  command->add_option("--to", options->to, "ADDRESS:PORT of the server")->capture_default_str();
  add_percent("--loss", options->loss_percent, "Percent of datagrams that vanish");
  add_milliseconds("--delay-ms", options->delay_ms, "One-way delay");
  add_milliseconds("--jitter-ms", options->jitter_ms, "Uniform variation of the delay, plus and minus");
  add_percent("--duplicate", options->duplicate_percent, "Percent of datagrams that come twice");
  add_percent("--reorder", options->reorder_percent, "Percent of datagrams held back 30 ms more");
  add_number(*command, "--rebind", options->rebind_s, 0, kMaxSeconds,
             "Give each UDP client another port to the server after this many seconds; 0 = never")
      ->capture_default_str();
  add_number(*command, "--seed", options->seed, 0, UINT64_MAX, "Of the randomness")->capture_default_str();
  add_number(*command, "--for", options->seconds, 0, kMaxSeconds,
             "Stop after this many seconds (default: run until Ctrl-C)");
  command->callback([options, &action] { action = [options] { return relay(*options); }; });
}

}  // namespace takt::cli
