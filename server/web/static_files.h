// StaticFiles serves the viewer's files from one directory. Every part of a request's path must be a plain
// file name, and percent escapes are refused, so no path leads out of the directory. A reply about a file has
// an ETag, the hash of its bytes. Browsers ask again each time (no-cache), so that a rebuilt viewer shows at
// once. Without a viewer the start page says how to build one. HttpSite has a StaticFiles and uses it on the
// web thread; StaticFiles has no sockets.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/web/http_reply.h"

namespace takt::server {

class StaticFiles {
 public:
  explicit StaticFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// 200 with the file, 304 when `if_none_match` names its bytes, 404 for everything else, except that
  /// a page stands in for a missing index.html of the directory. `target` as it
  /// stands in the request, query and all.
  [[nodiscard]] HttpReply find(std::string_view target, std::string_view if_none_match) const;

  /// "/a/b.js?x" as "a/b.js", "/" and "/a/" with index.html; none when a part is empty, begins with a dot or
  /// holds anything but letters, digits, '.', '_' and '-', or when the target is longer than 512 bytes.
  [[nodiscard]] static std::optional<std::string> relative_path(std::string_view target);
  /// By extension; application/octet-stream when unknown.
  [[nodiscard]] static std::string_view content_type_of(std::string_view path);

  /// Larger ones are not served.
  static constexpr std::size_t kFileBytesMax = 32u << 20u;

 private:
  [[nodiscard]] std::shared_ptr<const std::string> share(const std::string& etag, std::string&& bytes) const;

  std::filesystem::path directory_;
  mutable std::map<std::string, std::weak_ptr<const std::string>>
      sent_;  // files that somebody is being sent, by ETag
};

}  // namespace takt::server
