#include "server/web/http_site.h"

#include <utility>

#include "server/web/metrics.h"

namespace takt::server {
namespace {

HttpReply not_here(std::string text) {
  return {404, "text/plain; charset=utf-8", {}, {}, std::move(text), nullptr};
}

}  // namespace

HttpReply HttpSite::answer(HttpPages pages, std::string_view target, std::string_view if_none_match) const {
  std::string_view const path = target.substr(0, target.find('?'));
  if (path == "/healthz") return {200, "text/plain; charset=utf-8", {}, {}, "ok\n", nullptr};
  if (path == "/readyz") {
    bool const is_ready = status_().is_ready;
    return {is_ready ? 200u : 503u,
            "text/plain; charset=utf-8",
            {},
            {},
            is_ready ? "ready\n" : "not ticking\n",
            nullptr};
  }
  if (path == "/metrics" && pages == HttpPages::kViewer)
    return not_here("metrics are on a port of their own: --metrics-listen\n");
  if (path == "/metrics") {
    return {200,
            "text/plain; version=0.0.4; charset=utf-8",
            {},
            {},
            metrics_text(status_().status, counts_, open_connections),
            nullptr};
  }
  if (pages == HttpPages::kOperator)
    return not_here("this port has /metrics, /healthz and /readyz; the viewer has another\n");
  if (path == "/ws")
    return {426, "text/plain; charset=utf-8", {}, {}, "this is a web socket: connect with ws://\n", nullptr};
  return files_.find(target, if_none_match);
}

}  // namespace takt::server
