#include "server/web/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <sstream>
#include <utility>
#include <vector>

namespace takt::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

/// One family after the other, in the order in which they were added.
class Families {
 public:
  MetricFamily& add(std::string name, std::string help, MetricType type) {
    MetricFamily& family = families_.emplace_back();
    family.name = std::move(name);
    family.help = std::move(help);
    family.type = type;
    return family;
  }
  void add_gauge(std::string name, std::string help, double value) {
    add_gauge_to(add(std::move(name), std::move(help), MetricType::Gauge), {}, value);
  }
  void add_counter(std::string name, std::string help, std::uint64_t value) {
    add_counter_to(add(std::move(name), std::move(help), MetricType::Counter), {}, value);
  }
  static void add_gauge_to(MetricFamily& family, std::vector<ClientMetric::Label> labels, double value) {
    ClientMetric& metric = family.metric.emplace_back();
    metric.label = std::move(labels);
    metric.gauge.value = value;
  }
  static void add_counter_to(MetricFamily& family, std::vector<ClientMetric::Label> labels,
                             std::uint64_t value) {
    ClientMetric& metric = family.metric.emplace_back();
    metric.label = std::move(labels);
    metric.counter.value = static_cast<double>(value);
  }
  /// `bounds` in parts of the metric's unit, `parts` of which make one; `counts` has one more, for what is
  /// larger.
  template <class Bounds, class Counts>
  void add_histogram(std::string name, std::string help, const Bounds& bounds, const Counts& counts,
                     double sum, double parts) {
    ClientMetric& metric = add(std::move(name), std::move(help), MetricType::Histogram).metric.emplace_back();
    std::uint64_t cumulated = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      cumulated += counts[i];
      double const bound = i < bounds.size() ? static_cast<double>(bounds[i]) / parts
                                             : std::numeric_limits<double>::infinity();
      metric.histogram.bucket.push_back({cumulated, bound});
    }
    metric.histogram.sample_count = cumulated;
    metric.histogram.sample_sum = sum;
  }
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    prometheus::TextSerializer().Serialize(out, families_);
    return out.str();
  }

 private:
  std::vector<MetricFamily> families_;
};

using protocol::Counter;

void add_traffic(Families& families, const ServerStatus& status) {
  using protocol::TransportKind;
  MetricFamily& clients =
      families.add("takt_clients", "Sessions that are in, by transport.", MetricType::Gauge);
  for (std::size_t i = 0; i < status.clients.size(); ++i)
    Families::add_gauge_to(clients, {{"transport", std::string(name_of(static_cast<TransportKind>(i)))}},
                           status.clients[i]);
  MetricFamily& modes =
      families.add("takt_sessions", "Sessions that are in, by replication mode.", MetricType::Gauge);
  for (std::size_t i = 0; i < status.modes.size(); ++i)
    Families::add_gauge_to(modes, {{"mode", std::string(name_of(static_cast<protocol::ReplicationMode>(i)))}},
                           status.modes[i]);
  struct Way {
    TransportKind transport;
    Counter received;
    Counter sent;
  };
  constexpr Way kWays[] = {
      {TransportKind::kDatagram, Counter::kDatagramBytesReceived, Counter::kDatagramBytesSent},
      {TransportKind::kStream, Counter::kStreamBytesReceived, Counter::kStreamBytesSent},
      {TransportKind::kWebSocket, Counter::kWebSocketBytesReceived, Counter::kWebSocketBytesSent},
  };
  MetricFamily& bytes =
      families.add("takt_bytes_total", "Bytes of the protocol, without IP, UDP, TCP and HTTP headers.",
                   MetricType::Counter);
  for (const Way& way : kWays) {
    std::string const transport(name_of(way.transport));
    Families::add_counter_to(bytes, {{"direction", "received"}, {"transport", transport}},
                             status.network[way.received]);
    Families::add_counter_to(bytes, {{"direction", "sent"}, {"transport", transport}},
                             status.network[way.sent]);
  }
  families.add_histogram("takt_snapshot_bytes",
                         "Bytes of a snapshot sent to a client, all its parts together.",
                         protocol::SizeHistogram::kBounds, status.snapshot_sizes.counts(),
                         static_cast<double>(status.snapshot_sizes.sum()), 1.0);
}

void add_inputs(Families& families, const ServerStatus& status) {
  using protocol::CommandStatus;
  families.add_counter("takt_inputs_late_total", "Inputs that acted in a later tick than they asked for.",
                       status.room.inputs_moved);
  families.add_counter("takt_inputs_applied_total", "Inputs that acted, late ones included.",
                       status.room.inputs_applied);
  MetricFamily& refused =
      families.add("takt_inputs_refused_total", "Inputs that did not act, by reason.", MetricType::Counter);
  for (std::size_t i = static_cast<std::size_t>(CommandStatus::kRefusedInvalid);
       i < status.room.outcomes.size(); ++i) {
    auto const reason = static_cast<CommandStatus>(i);
    std::uint64_t count = status.room.outcomes[i];
    // Refused before they reached the room.
    if (reason == CommandStatus::kRefusedInvalid) count += status.network[Counter::kInputInvalid];
    if (reason == CommandStatus::kRefusedRate) count += status.network[Counter::kInputRate];
    if (reason == CommandStatus::kRefusedLimit) count += status.inputs_overflowed;
    Families::add_counter_to(refused, {{"reason", std::string(name_of(reason).substr(8))}}, count);
  }
}

void add_overload(Families& families, const ServerStatus& status) {
  families.add_gauge("takt_overloaded", "1 while ticks take too long and players spawn nothing.",
                     status.is_overloaded ? 1.0 : 0.0);
  families.add_counter("takt_overload_bodies_removed_total",
                       "Spawned bodies that were removed because ticks took too long.",
                       status.room.bodies_removed);
  families.add_counter("takt_overload_spawns_refused_total",
                       "Spawns that were refused because ticks took too long.", status.room.spawns_refused);
  families.add_counter("takt_desyncs_total", "States of clients that differed at a confirmed tick.",
                       status.room.desyncs);
  families.add_counter("takt_contacts_cut_ticks_total",
                       "Ticks in which max_contacts left out contacts or triangles.",
                       status.room.contacts_cut_ticks);
}

void add_http_refusals(Families& families, const HttpCounts& http) {
  MetricFamily& refused =
      families.add("takt_http_refused_total",
                   "Connections, requests, upgrades and messages that the web gateway refused, by reason.",
                   MetricType::Counter);
  for (auto at = static_cast<std::size_t>(kFirstHttpRefusal); at < kHttpCounterCount; ++at)
    Families::add_counter_to(refused, {{"reason", std::string(name_of(static_cast<HttpCounter>(at)))}},
                             http[at]);
}

void add_refusals(Families& families, const ServerStatus& status, const HttpCounts& http) {
  using protocol::RefuseReason;
  MetricFamily& handshakes = families.add("takt_handshake_refused_total",
                                          "Newcomers that were not let in, by reason.", MetricType::Counter);
  for (std::size_t i = 1; i < status.refusals.size(); ++i)
    Families::add_counter_to(handshakes, {{"reason", std::string(name_of(static_cast<RefuseReason>(i)))}},
                             status.refusals[i]);
  Families::add_counter_to(handshakes, {{"reason", "rate"}}, status.network[Counter::kHandshakeRate]);
  families.add_counter("takt_sessions_displaced_total",
                       "Sessions over UDP that never spoke, and whose places newcomers needed.",
                       status.network[Counter::kSessionsDisplaced]);
  families.add_counter("takt_sessions_moved_total",
                       "Sessions over UDP that went on at another address of their client.",
                       status.network[Counter::kSessionsMoved]);
  families.add_counter("takt_sessions_resumed_total",
                       "Sessions of clients that had the world still, and got no image.",
                       status.network[Counter::kSessionsResumed]);
  families.add_counter("takt_modes_switched_total", "Sessions that went on in another replication mode.",
                       status.network[Counter::kModesSwitched]);
  families.add_counter("takt_latency_probes_total", "Latency probes that were answered.",
                       status.network[Counter::kLatencyProbes]);
  MetricFamily& packets = families.add(
      "takt_packets_refused_total",
      "Datagrams, frames and messages that were refused, by the protocol's counter.", MetricType::Counter);
  for (auto at = static_cast<std::size_t>(Counter::kDatagramShort);
       at <= static_cast<std::size_t>(Counter::kReliableOversize); ++at) {
    auto const counter = static_cast<Counter>(at);
    Families::add_counter_to(packets, {{"reason", std::string(name_of(counter))}}, status.network[counter]);
  }
  families.add_counter("takt_snapshots_dropped_total",
                       "Snapshots not made for a client that did not keep up.",
                       status.network[Counter::kSnapshotDroppedSlowReader]);
  add_http_refusals(families, http);
}

void add_http_and_build(Families& families, const HttpCounts& http, std::uint32_t http_connections) {
  families.add_counter("takt_http_requests_total", "Requests that were answered.",
                       http[static_cast<std::size_t>(HttpCounter::kRequests)]);
  families.add_gauge("takt_http_connections",
                     "Connections to the web gateway that are open, web sockets included.", http_connections);
  MetricFamily& build = families.add("build_info", "A constant 1 that names the build.", MetricType::Gauge);
  Families::add_gauge_to(build, {{"compiler", TAKT_COMPILER}, {"version", TAKT_VERSION}}, 1.0);
}

}  // namespace

std::string metrics_text(const ServerStatus& status, const HttpCounts& http, std::uint32_t http_connections) {
  Families families;
  families.add_histogram("takt_tick_duration_seconds", "Time a tick took.", TickHistogram::kBoundsUs,
                         status.tick_times.counts(), static_cast<double>(status.tick_times.sum_us()) * 1e-6,
                         1e6);
  families.add_gauge("takt_tick_processor_seconds", "Processor time of a tick, median of the last second.",
                     status.tick_cost_us * 1e-6);
  families.add_counter("takt_tick_overruns_total", "Ticks that ran behind their time or never ran.",
                       status.late_ticks + status.dropped_ticks);
  families.add_counter("takt_ticks_dropped_total",
                       "Ticks that never ran, because the simulation fell behind.", status.dropped_ticks);
  families.add_gauge("takt_tick", "The world's tick; another scene and a seek set it anew.",
                     static_cast<double>(status.tick));
  families.add_gauge("takt_bodies", "Bodies in the world.", status.body_count);
  families.add_gauge("takt_bodies_awake", "Bodies that were stepped in the last tick.", status.awake_count);
  families.add_counter("takt_recording_bytes_total", "Bytes of the recording that were written.",
                       status.journal.written_bytes);
  families.add_counter("takt_recording_ticks_lost_total", "Ticks that the recording lacks.",
                       status.journal.lost_ticks);
  families.add_gauge("takt_recording_files_bytes", "Bytes of all files of the recording together.",
                     static_cast<double>(status.journal.store_bytes));
  families.add_gauge("takt_recording_files_limit_bytes",
                     "Limit above which the oldest files are removed; 0 = none.",
                     static_cast<double>(status.journal.store_bytes_max));
  families.add_gauge("takt_recording_suspended", "1 while the recording waits for its disk.",
                     status.journal.is_suspended ? 1 : 0);
  add_traffic(families, status);
  add_inputs(families, status);
  add_overload(families, status);
  add_refusals(families, status, http);
  add_http_and_build(families, http, http_connections);
  return families.text();
}

std::string metrics_text(std::span<const PlainMetric> metrics, const HttpCounts& http,
                         std::uint32_t http_connections) {
  Families families;
  for (const PlainMetric& metric : metrics) {
    std::string name(metric.name);
    std::string help(metric.help);
    if (metric.kind == PlainMetric::Kind::kCounter)
      families.add_counter(std::move(name), std::move(help), static_cast<std::uint64_t>(metric.value));
    else
      families.add_gauge(std::move(name), std::move(help), metric.value);
  }
  add_http_refusals(families, http);
  add_http_and_build(families, http, http_connections);
  return families.text();
}

}  // namespace takt::server
