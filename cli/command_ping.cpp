// takt ping: round trips and loss of the path to a server, without a session on it.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/number_option.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "net/clock.h"
#include "net/latency_prober.h"
#include "net/server_url.h"
#include "protocol/wire/limits.h"

namespace takt::cli {
namespace {

// Between two probes, as between two requests of a client that connects: a server's limits expect no more.
constexpr std::uint64_t kIntervalUs = protocol::kHandshakeRetry;
// Between two looks whether a signal has come.
constexpr std::uint64_t kWaitUsMax = 50'000;

struct PingOptions {
  std::string address;
  std::uint32_t count = 4;
  std::uint32_t timeout_ms = 1000;
  bool json = false;
};

// The round trips of the probes that were answered.
struct PathFigures {
  std::uint64_t sent = 0;
  std::vector<std::uint64_t> rtts_us;
  std::uint32_t protocol_version = 0;  // of the newest reply

  [[nodiscard]] double lost_percent() const {
    return sent == 0 ? 0 : 100.0 * static_cast<double>(sent - rtts_us.size()) / static_cast<double>(sent);
  }
};

double to_ms(std::uint64_t us) { return static_cast<double>(us) * 1e-3; }

// The mean of both middle ones of an even number.
double median_ms(const std::vector<std::uint64_t>& ascending) {
  std::size_t const half = ascending.size() / 2;
  if (ascending.size() % 2 == 1) return to_ms(ascending[half]);
  return (to_ms(ascending[half - 1]) + to_ms(ascending[half])) / 2;
}

void print_result(const net::LatencyResult& result, bool json) {
  std::printf(json ? "{\"event\":\"reply\",\"number\":%" PRIu64 ",\"rtt_ms\":%.3f}\n"
                   : "probe %" PRIu64 ": %.3f ms\n",
              result.number, to_ms(result.rtt_us));
  std::fflush(stdout);
}

void print_loss(std::uint64_t number, const PingOptions& options) {
  if (options.json) {
    std::printf("{\"event\":\"lost\",\"number\":%" PRIu64 "}\n", number);
  } else {
    std::printf("probe %" PRIu64 ": no reply within %u ms\n", number, options.timeout_ms);
  }
  std::fflush(stdout);
}

void print_sum(PathFigures& figures, bool json) {
  auto& rtts_us = figures.rtts_us;
  std::sort(rtts_us.begin(), rtts_us.end());
  std::printf(json ? "{\"event\":\"stop\",\"sent\":%" PRIu64 ",\"received\":%zu,\"lost_percent\":%.1f"
                   : "%" PRIu64 " sent, %zu received, %.1f %% lost",
              figures.sent, rtts_us.size(), figures.lost_percent());
  if (rtts_us.empty()) {
    std::printf(json ? ",\"rtt_min_ms\":null,\"rtt_median_ms\":null,\"rtt_max_ms\":null,\"protocol\":null}\n"
                     : "\n");
    return;
  }
  std::printf(json ? ",\"rtt_min_ms\":%.3f,\"rtt_median_ms\":%.3f,\"rtt_max_ms\":%.3f,\"protocol\":%u}\n"
                   : "; round trip: smallest %.3f, median %.3f, largest %.3f ms; protocol version %u",
              to_ms(rtts_us.front()), median_ms(rtts_us), to_ms(rtts_us.back()), figures.protocol_version);
  if (json) return;
  if (figures.protocol_version != protocol::kProtocolVersion)
    std::printf(", which is not that of this program, %u", protocol::kProtocolVersion);
  std::printf("\n");
}

// Sends all probes and waits for their replies, or until a signal comes.
PathFigures measure(net::LatencyProber& prober, const PingOptions& options, StopSignal& stop_signal) {
  std::uint64_t const timeout_us = std::uint64_t{options.timeout_ms} * 1000;
  PathFigures figures;
  std::uint64_t next_us = net::now_us();
  while (!stop_signal.wait_ms(0) && (figures.sent < options.count || prober.is_waiting())) {
    std::uint64_t const now = net::now_us();
    if (figures.sent < options.count && now >= next_us) {
      figures.sent = prober.send();
      next_us = now + kIntervalUs;
    }
    std::uint64_t wait_us = std::min(kWaitUsMax, timeout_us);
    if (figures.sent < options.count) wait_us = std::min(wait_us, next_us - std::min(next_us, now));
    if (auto const result = prober.wait_for(wait_us); result && result->rtt_us <= timeout_us) {
      figures.rtts_us.push_back(result->rtt_us);
      figures.protocol_version = result->protocol_version;
      print_result(*result, options.json);
    } else if (result) {
      print_loss(result->number, options);
    }
    while (auto const lost = prober.poll_lost(timeout_us)) print_loss(*lost, options);
  }
  return figures;
}

int ping(const PingOptions& options) {
  fill_standard_streams();
  StopSignal stop_signal;
  auto const url = net::parse_server_address(options.address);
  if (!url) return print_error(message(url.error())), kExitBadInput;
  if (url->transport != protocol::TransportKind::kDatagram)
    return print_error("'" + options.address + "': a ping goes over UDP; write takt://HOST:PORT"),
           kExitBadInput;
  auto opened = net::LatencyProber::open(url->host, url->port);
  if (!opened) return print_error(message(opened.error())), kExitBadInput;
  PathFigures figures = measure(**opened, options, stop_signal);
  print_sum(figures, options.json);
  if (!figures.rtts_us.empty()) return kExitDone;
  bool const is_interrupted = figures.sent < options.count;
  print_error(
      options.address + ": no reply" +
      (is_interrupted ? " until the interruption"
                      : " within " + std::to_string(options.timeout_ms) + " ms to any probe") +
      "; check that a server of this version or a later one runs there, and that firewalls let UDP pass");
  return kExitFailed;
}

}  // namespace

void add_ping(CLI::App& app, Action& action) {
  auto const options = std::make_shared<PingOptions>();
  CLI::App* const command =
      app.add_subcommand("ping", "Measure round trips and loss of the path to a server, without joining it");
  command
      ->add_option("address", options->address,
                   "HOST, HOST:PORT or the address that the server printed; without a port 7777. Its key is "
                   "not checked")
      ->required();
  add_number(*command, "--count", options->count, 1, 10'000, "Number of probes, four a second")
      ->capture_default_str();
  add_number(*command, "--timeout-ms", options->timeout_ms, 1, 60'000,
             "A probe without a reply for this time is lost")
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object per line");
  command->callback([options, &action] { action = [options] { return ping(*options); }; });
}

}  // namespace takt::cli
