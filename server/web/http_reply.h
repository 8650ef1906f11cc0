// HttpReply is the reply to an HTTP request before HttpConnection makes bytes of it: status, headers and
// content. HttpSite, StaticFiles and, for refused requests, HttpConnection make replies. Replies with the
// same file share its bytes while they are sent, so that slow readers of a large file cost one copy.
// HttpReply is plain data.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace takt::server {

struct HttpReply {
  unsigned status = 200;  ///< HTTP status code
  std::string content_type = "text/plain; charset=utf-8";
  std::string etag;                         ///< quoted; empty = none
  std::string cache_control;                ///< empty = "no-store"
  std::string body;                         ///< content, unless there is a `file`
  std::shared_ptr<const std::string> file;  ///< content instead of `body`; null = none

  [[nodiscard]] std::string_view content() const noexcept { return file != nullptr ? *file : body; }
};

}  // namespace takt::server
