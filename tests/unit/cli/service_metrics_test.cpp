// /metrics of `takt service` against docs/SERVICE.md.
#include "cli/service_metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace takt::cli::test {
namespace {

// Types of the metrics in the table of docs/SERVICE.md, by name.
std::map<std::string, std::string> documented() {
  std::ifstream in(std::string(TAKT_SOURCE_DIR) + "/docs/SERVICE.md");
  std::map<std::string, std::string> out;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| takt_service_")) continue;
    std::istringstream words(line);
    std::string bar;
    std::string name;
    std::string type;
    words >> bar >> name >> bar >> type;
    out[name] = type;
  }
  return out;
}

TEST(ServiceMetrics, AreThoseOfTheDocumentWithTheCounts) {
  service::ServiceCounts counts;
  bool is_ready = false;
  counts.worlds = 11;
  counts.clients = 12;
  counts.connections = 13;
  counts.requests = 14;
  counts.refused = 15;
  counts.steps_stopped = 16;
  counts.buffer_bytes = 17;
  counts.heap_bytes = 18;
  counts.ring_bytes = 19;
  counts.threads = 20;
  counts.turns_shared = 21;
  counts.turns_waited_max = 22;
  server::OperatorPages const pages = service_pages([&] { return counts; }, [&] { return is_ready; });
  EXPECT_FALSE(pages.is_ready());
  is_ready = true;
  EXPECT_TRUE(pages.is_ready());
  std::istringstream lines(pages.metrics({}, 3));
  std::map<std::string, std::string> types;
  std::map<std::string, double> values;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::string name;
    words >> first;
    if (first == "#") {
      words >> first >> name;
      if (first == "TYPE" && name.starts_with("takt_service_")) words >> types[name];
    } else {
      words >> values[first];
    }
  }
  EXPECT_EQ(types, documented());
  EXPECT_EQ(types.size(), 12u);
  EXPECT_EQ(values["takt_service_worlds"], 11);
  EXPECT_EQ(values["takt_service_clients"], 12);
  EXPECT_EQ(values["takt_service_connections_total"], 13);
  EXPECT_EQ(values["takt_service_requests_total"], 14);
  EXPECT_EQ(values["takt_service_refused_total"], 15);
  EXPECT_EQ(values["takt_service_steps_stopped_total"], 16);
  EXPECT_EQ(values["takt_service_buffer_bytes"], 17);
  EXPECT_EQ(values["takt_service_heap_bytes"], 18);
  EXPECT_EQ(values["takt_service_ring_bytes"], 19);
  EXPECT_EQ(values["takt_service_threads"], 20);
  EXPECT_EQ(values["takt_service_turns_shared_total"], 21);
  EXPECT_EQ(values["takt_service_turns_waited_max"], 22);
  EXPECT_EQ(values["takt_http_connections"], 3);
}

}  // namespace
}  // namespace takt::cli::test
