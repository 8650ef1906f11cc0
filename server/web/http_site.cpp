#include "server/web/http_site.h"

#include <spdlog/spdlog.h>

#include <utility>

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
    bool const is_ready = pages_.is_ready();
    return {is_ready ? 200u : 503u,
            "text/plain; charset=utf-8",
            {},
            {},
            is_ready ? "ready\n" : std::string(pages_.not_ready),
            nullptr};
  }
  if (path == "/metrics" && pages == HttpPages::kViewer)
    return not_here("metrics are on a port of their own: --metrics-listen\n");
  if (path == "/metrics") {
    return {200, "text/plain; version=0.0.4; charset=utf-8", {},
            {},  pages_.metrics(counts_, open_connections),  nullptr};
  }
  if (pages == HttpPages::kOperator)
    return not_here("this port has /metrics, /healthz and /readyz; the viewer has another\n");
  if (path == "/ws")
    return {
        426,    "text/plain; charset=utf-8", {}, {}, "this is a web socket: connect with ws:// or wss://\n",
        nullptr};
  return files_.find(target, if_none_match);
}

HttpReply HttpSite::refuse_plain(const protocol::Address& client) {
  count(HttpCounter::kPlainRefused);
  if (auto const left_out = plain_lines_.take(net::now_us())) {
    if (*left_out > 0) spdlog::warn("{} lines about clients without TLS were left out", *left_out);
    spdlog::warn(
        "{} was refused, because it has no TLS: give --tls-cert and --tls-key, or --trust-proxy for a proxy "
        "with TLS, or --allow-plain-web in a network that you trust",
        protocol::to_text(client));
  }
  return {
      403,
      "text/plain; charset=utf-8",
      {},
      {},
      "This server shows its world to other machines over TLS only. Its operator can start it with\n"
      "--tls-cert and --tls-key, put a proxy with TLS in front (--trust-proxy), or, in a network that is\n"
      "trusted, add --allow-plain-web.\n",
      nullptr};
}

}  // namespace takt::server
