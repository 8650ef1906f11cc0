// StaticFiles serves the viewer's files from one directory. Every part of a request's path must be a plain
// file name, and percent escapes are refused, so no path leads out of the directory. Symbolic links in it are
// followed. A reply about a file has an ETag, the hash of its bytes. Browsers ask again each time (no-cache),
// so that a rebuilt viewer shows at once. Without a viewer the start page says how to build one. HttpSite has
// a StaticFiles and uses it on the web thread; StaticFiles has no sockets.
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

  /// The reply to a request's target, query included: 200 with the file, 304 when the header `if_none_match`
  /// has its ETag or is "*", or 404. A missing index.html of the directory itself gives 200 with a page that
  /// stands in for it. The call reads the file. One thread at a time calls it.
  [[nodiscard]] HttpReply find(std::string_view target, std::string_view if_none_match) const;

  /// The path in the directory: "a/b.js" for "/a/b.js?x", "index.html" for "/", "a/index.html" for "/a/".
  /// None when the first byte is not '/', or the path before '?' or '#' is longer than 512 bytes. None when a
  /// part is empty, begins with a dot, or has anything but ASCII letters, digits, '.', '_' and '-'.
  [[nodiscard]] static std::optional<std::string> relative_path(std::string_view target);
  /// The media type by the path's extension; application/octet-stream for an unknown one.
  [[nodiscard]] static std::string_view content_type_of(std::string_view path);

  /// Larger files are not served, because a reply holds its file in memory.
  static constexpr std::size_t kFileBytesMax = 32u << 20u;

 private:
  [[nodiscard]] std::shared_ptr<const std::string> share(const std::string& etag, std::string&& bytes) const;

  std::filesystem::path directory_;
  mutable std::map<std::string, std::weak_ptr<const std::string>>
      sent_;  // files that somebody is being sent, by ETag
};

}  // namespace takt::server
