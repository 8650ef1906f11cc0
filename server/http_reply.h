// An answer to a request, before it is bytes. Plain data.
#pragma once

#include <string>

namespace takt::server {

struct HttpReply {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string etag;           ///< quoted; empty = none
  std::string cache_control;  ///< empty = "no-store"
  std::string body;
};

}  // namespace takt::server
