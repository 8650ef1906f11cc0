// Metrics as text, and docs/HTTP.md against the code.
#include "server/web/metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "takt/server/http_options.h"

namespace takt::server {
namespace {

using Row = std::vector<std::string>;

/// The rows of the first table after the line that is `heading`, without its head.
std::vector<Row> table_after(const std::string& heading) {
  std::ifstream in(std::string(TAKT_SOURCE_DIR) + "/docs/HTTP.md");
  std::string line;
  while (std::getline(in, line) && line != heading) {
  }
  EXPECT_TRUE(in.good()) << "no heading: " << heading;
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] != '|') {
      if (!rows.empty()) break;
      continue;
    }
    Row row;
    std::istringstream cells(line.substr(1));
    for (std::string cell; std::getline(cells, cell, '|');) {
      auto const first = cell.find_first_not_of(' ');
      row.push_back(first == std::string::npos ? std::string()
                                               : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    }
    rows.push_back(row);
  }
  EXPECT_GE(rows.size(), 3u) << heading;
  if (rows.size() >= 2) rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

ServerStatus busy_status() {
  ServerStatus status;
  status.tick = 600;
  status.body_count = 211;
  status.late_ticks = 3;
  status.dropped_ticks = 4;
  status.clients = {5, 6, 7};
  status.modes = {27, 28, 29, 30};
  for (std::uint32_t const us : {90u, 900u, 2'000u, 5'000'000u}) status.tick_times.add_us(us);
  for (std::uint64_t const bytes : {100u, 5000u}) status.snapshot_sizes.add(bytes);
  status.room.inputs_moved = 9;
  status.is_overloaded = true;
  status.room.contacts_cut_ticks = 21;
  status.room.desyncs = 24;
  status.room.bodies_removed = 22;
  status.room.spawns_refused = 23;
  status.room.outcomes[static_cast<std::size_t>(protocol::CommandStatus::kRefusedLate)] = 11;
  status.network.add(protocol::Counter::kInputRate, 12);
  status.network.add(protocol::Counter::kWebSocketBytesSent, 1234);
  status.network.add(protocol::Counter::kSessionsMoved, 25);
  status.network.add(protocol::Counter::kSessionsDisplaced, 27);
  status.network.add(protocol::Counter::kModesSwitched, 28);
  status.network.add(protocol::Counter::kSessionsResumed, 29);
  status.network.add(protocol::Counter::kLatencyProbes, 26);
  status.refusals[static_cast<std::size_t>(protocol::RefuseReason::kServerFull)] = 13;
  return status;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, SayWhatTheStatusSays) {
  HttpCounts http{};
  http[static_cast<std::size_t>(HttpCounter::kOriginRefused)] = 14;
  std::string const text = metrics_text(busy_status(), http, 15);
  for (auto const* line : {
           "takt_tick_duration_seconds_bucket{le=\"0.0001\"} 1",
           "takt_tick_duration_seconds_bucket{le=\"0.001\"} 2",
           "takt_tick_duration_seconds_bucket{le=\"0.002\"} 3",
           "takt_tick_duration_seconds_bucket{le=\"0.1\"} 3",
           "takt_tick_duration_seconds_bucket{le=\"+Inf\"} 4",
           "takt_tick_duration_seconds_count 4",
           "takt_tick_duration_seconds_sum 5.00299",
           "takt_tick_overruns_total 7",
           "takt_bodies 211",
           "takt_clients{transport=\"udp\"} 5",
           "takt_clients{transport=\"tcp\"} 6",
           "takt_clients{transport=\"websocket\"} 7",
           "takt_sessions{mode=\"snapshot\"} 27",
           "takt_sessions{mode=\"rollback\"} 28",
           "takt_sessions{mode=\"lockstep\"} 29",
           "takt_sessions{mode=\"predicted\"} 30",
           "takt_bytes_total{direction=\"sent\",transport=\"websocket\"} 1234",
           "takt_snapshot_bytes_bucket{le=\"128\"} 1",
           "takt_snapshot_bytes_bucket{le=\"8192\"} 2",
           "takt_snapshot_bytes_sum 5100",
           "takt_inputs_late_total 9",
           "takt_overloaded 1",
           "takt_overload_bodies_removed_total 22",
           "takt_overload_spawns_refused_total 23",
           "takt_contacts_cut_ticks_total 21",
           "takt_desyncs_total 24",
           "takt_sessions_moved_total 25",
           "takt_sessions_displaced_total 27",
           "takt_modes_switched_total 28",
           "takt_sessions_resumed_total 29",
           "takt_latency_probes_total 26",
           "takt_inputs_refused_total{reason=\"late\"} 11",
           "takt_inputs_refused_total{reason=\"rate\"} 12",
           "takt_handshake_refused_total{reason=\"server_full\"} 13",
           "takt_http_refused_total{reason=\"origin_refused\"} 14",
           "takt_http_connections 15",
       }) {
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  }
}

TEST(HttpDocument, EveryMetricHasARowAndEveryRowAMetric) {
  std::set<std::string> in_text;
  std::istringstream lines(metrics_text(busy_status(), {}, 0));
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("# TYPE ", 0) == 0) in_text.insert(line.substr(7));
  std::set<std::string> in_document;
  for (Row const& row : table_after("## Metrics")) in_document.insert(row.at(0) + " " + row.at(1));
  EXPECT_EQ(in_document, in_text);
}

TEST(HttpDocument, EveryCounterHasARowInOrder) {
  auto const rows = table_after("## Counters");
  ASSERT_EQ(rows.size(), kHttpCounterCount);
  for (std::size_t i = 0; i < kHttpCounterCount; ++i)
    EXPECT_EQ(rows[i].at(0), name_of(static_cast<HttpCounter>(i)));
}

TEST(HttpDocument, TheLimitsAreTheCodes) {
  HttpOptions const options;
  std::map<std::string, std::uint64_t> const code{
      {"connections_max", options.connections_max},
      {"connections_per_address_max", options.connections_per_address_max},
      {"header_bytes_max", options.header_bytes_max},
      {"body_bytes_max", options.body_bytes_max},
      {"message_bytes_max", options.message_bytes_max},
      {"request_timeout_ms", options.request_timeout_ms},
      {"response_timeout_ms", options.response_timeout_ms},
      {"handshake_timeout_ms", options.handshake_timeout_ms},
      {"idle_timeout_ms", options.idle_timeout_ms},
  };
  std::map<std::string, std::uint64_t> document;
  for (Row const& row : table_after("## Limits")) document[row.at(0)] = std::stoull(row.at(1));
  EXPECT_EQ(document, code);
}

}  // namespace
}  // namespace takt::server
