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
#include "cli/standard_output.h"
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

struct PathFigures {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  std::vector<std::uint64_t> rtts_us;  // of the probes that were answered
  std::uint32_t protocol_version = 0;  // of the newest reply
  bool is_interrupted = false;         // by a signal, before each probe was answered or lost

  // Neither answered nor lost when a signal came.
  [[nodiscard]] std::uint64_t waiting() const { return sent - lost - rtts_us.size(); }
  // The lost ones in percent of the probes that do not wait; 0 without any.
  [[nodiscard]] double lost_percent() const {
    std::uint64_t const judged = lost + rtts_us.size();
    return judged == 0 ? 0 : 100.0 * static_cast<double>(lost) / static_cast<double>(judged);
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
  flush_standard_output();
}

void print_loss(std::uint64_t number, const PingOptions& options) {
  if (options.json) {
    std::printf("{\"event\":\"lost\",\"number\":%" PRIu64 "}\n", number);
  } else {
    std::printf("probe %" PRIu64 ": no reply within %u ms\n", number, options.timeout_ms);
  }
  flush_standard_output();
}

void print_sum(PathFigures& figures, bool json) {
  auto& rtts_us = figures.rtts_us;
  std::sort(rtts_us.begin(), rtts_us.end());
  // Two places show one of the 10,000 probes that --count allows.
  std::printf(json ? "{\"event\":\"stop\",\"sent\":%" PRIu64 ",\"received\":%zu,\"lost\":%" PRIu64
                     ",\"lost_percent\":%.2f,\"waiting\":%" PRIu64
                   : "%" PRIu64 " sent, %zu received, %" PRIu64 " lost (%.2f %%)",
              figures.sent, rtts_us.size(), figures.lost, figures.lost_percent(), figures.waiting());
  if (!json && figures.waiting() > 0) std::printf(", %" PRIu64 " without a reply yet", figures.waiting());
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

// Sends all probes and waits for their replies, until a signal comes or stdout cannot be written.
PathFigures measure(net::LatencyProber& prober, const PingOptions& options, StopSignal& stop_signal) {
  std::uint64_t const timeout_us = std::uint64_t{options.timeout_ms} * 1000;
  PathFigures figures;
  auto const count_lost = [&](std::uint64_t number) {
    ++figures.lost;
    print_loss(number, options);
  };
  std::uint64_t next_us = net::now_us();
  while ((figures.sent < options.count || prober.is_waiting()) && std::ferror(stdout) == 0) {
    if (stop_signal.wait_ms(0)) {
      figures.is_interrupted = true;
      break;
    }
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
      count_lost(result->number);
    }
    while (auto const lost = prober.poll_lost(timeout_us)) count_lost(*lost);
  }
  return figures;
}

// The line about a measurement without a reply.
std::string silence_text(const net::LatencyProber& prober, const PingOptions& options,
                         const PathFigures& figures) {
  std::string const text =
      options.address + ": no reply" +
      (figures.is_interrupted ? " until the interruption"
                              : " within " + std::to_string(options.timeout_ms) + " ms to any probe");
  if (prober.is_refused())
    return text + ": nobody listens on that port; start a server there, or name its port";
  return text +
         "; check that a server of this version or a later one runs there, and that firewalls let UDP pass";
}

int ping(const PingOptions& options) {
  fill_standard_streams();
  auto const url = net::parse_server_address(options.address);
  if (!url) return print_error(message(url.error())), kExitBadInput;
  if (url->transport != protocol::TransportKind::kDatagram)
    return print_error("'" + options.address + "': a ping goes over UDP; write takt://HOST:PORT"),
           kExitBadInput;
  // Before StopSignal: a resolver can block for half a minute, and a signal ends it.
  auto const opened = net::LatencyProber::open(url->host, url->port);
  if (!opened) {
    print_error(message(opened.error()));
    return opened.error().error == net::Error::kBadAddress ? kExitBadInput : kExitFailed;
  }
  net::LatencyProber& prober = **opened;
  StopSignal stop_signal;
  std::printf(options.json ? "{\"event\":\"start\",\"address\":\"%s\"}\n" : "pinging %s\n",
              prober.address().c_str());
  flush_standard_output();
  PathFigures figures = measure(prober, options, stop_signal);
  if (std::ferror(stdout) != 0) return kExitFailed;  // finish_standard_output() prints the reason
  print_sum(figures, options.json);
  if (!figures.rtts_us.empty()) return kExitDone;
  print_error(silence_text(prober, options, figures));
  return kExitFailed;
}

}  // namespace

void add_ping(CLI::App& app, Action& action) {
  auto const options = std::make_shared<PingOptions>();
  CLI::App* const command =
      app.add_subcommand("ping", "Measure round trips and loss of the path to a server, without joining it");
  command
      ->add_option("address", options->address,
                   "HOST, HOST:PORT or the address that the server printed; without a port " +
                       std::to_string(net::kDefaultPort) + ". Its key is not checked")
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
