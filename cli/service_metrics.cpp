#include "cli/service_metrics.h"

#include <array>
#include <utility>

#include "server/web/metrics.h"

namespace takt::cli {

server::OperatorPages service_pages(std::function<service::ServiceCounts()> counts,
                                    std::function<bool()> is_ready) {
  using server::PlainMetric;
  server::OperatorPages pages;
  pages.not_ready = "the sockets are not served\n";
  pages.is_ready = std::move(is_ready);
  pages.metrics = [counts = std::move(counts)](const server::HttpCounts& http, std::uint32_t connections) {
    service::ServiceCounts const now = counts();
    constexpr auto kGauge = PlainMetric::Kind::kGauge;
    constexpr auto kCounter = PlainMetric::Kind::kCounter;
    std::array const metrics{
        PlainMetric{"takt_service_worlds", "Worlds of all clients, those of batches included.", kGauge,
                    static_cast<double>(now.worlds)},
        PlainMetric{"takt_service_clients", "Connections with a Hello.", kGauge,
                    static_cast<double>(now.clients)},
        PlainMetric{"takt_service_threads", "Threads that answer requests, waiting and spare ones included.",
                    kGauge, static_cast<double>(now.threads)},
        PlainMetric{"takt_service_heap_bytes", "Heap of the process, which --memory-max limits.", kGauge,
                    static_cast<double>(now.heap_bytes)},
        PlainMetric{"takt_service_buffer_bytes", "Memory of the frames of all connections.", kGauge,
                    static_cast<double>(now.buffer_bytes)},
        PlainMetric{"takt_service_ring_bytes", "Shared memory of connections over shm:PATH.", kGauge,
                    static_cast<double>(now.ring_bytes)},
        PlainMetric{"takt_service_connections_total", "Connections that were accepted.", kCounter,
                    static_cast<double>(now.connections)},
        PlainMetric{"takt_service_requests_total", "Requests that were begun.", kCounter,
                    static_cast<double>(now.requests)},
        PlainMetric{"takt_service_refused_total", "Requests with a status, and refused connections.",
                    kCounter, static_cast<double>(now.refused)},
        PlainMetric{"takt_service_steps_stopped_total", "Steps that ended early.", kCounter,
                    static_cast<double>(now.steps_stopped)},
        PlainMetric{"takt_service_turns_shared_total", "Slices of steps that ended for another connection.",
                    kCounter, static_cast<double>(now.turns_shared)},
        PlainMetric{"takt_service_turns_waited_max",
                    "Most slices that ended while a connection waited for a thread.", kGauge,
                    static_cast<double>(now.turns_waited_max)},
    };
    return server::metrics_text(metrics, http, connections);
  };
  return pages;
}

}  // namespace takt::cli
