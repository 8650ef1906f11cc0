#include "server/web/static_files.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <span>
#include <system_error>
#include <utility>

#include "takt/core/hash.h"

namespace takt::server {
namespace {

constexpr std::size_t kTargetBytesMax = 512;

bool is_plain(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

bool is_plain_part(std::string_view part) {
  return !part.empty() && part.front() != '.' && std::ranges::all_of(part, is_plain);
}

constexpr char kNoViewer[] = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Takt</title>
<body style="font: 16px/1.5 sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em">
<h1>This Takt server has no viewer</h1>
<p>It runs, and clients can join it. The viewer's files were not found; <code>./dev run</code> builds them and starts a server that has them, and
<code>takt serve --viewer DIR</code> names the folder that holds their <code>index.html</code>;
an installation of Takt has it in <code>PREFIX/share/takt/viewer</code>.</p>
<p>Also here: <a href="/metrics">/metrics</a>, <a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>.</p>
)";

HttpReply not_found() { return {404, "text/plain; charset=utf-8", {}, {}, "not found\n", nullptr}; }

bool names(std::string_view if_none_match, std::string_view etag) {
  return if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos;
}

}  // namespace

std::optional<std::string> StaticFiles::relative_path(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (target.size() > kTargetBytesMax || !target.starts_with('/')) return std::nullopt;
  std::string path;
  std::string_view rest = target.substr(1);
  while (!rest.empty()) {
    std::size_t const slash = std::min(rest.find('/'), rest.size());
    // A percent sign is not plain: no file of a viewer needs one, and what is not decoded cannot hide a way
    // out.
    if (!is_plain_part(rest.substr(0, slash))) return std::nullopt;
    path.append(rest.substr(0, slash));
    if (slash == rest.size()) return path;
    path += '/';
    rest = rest.substr(slash + 1);
  }
  return path + "index.html";
}

std::string_view StaticFiles::content_type_of(std::string_view path) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kTypes{{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".txt", "text/plain; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".ico", "image/x-icon"},
      {".webp", "image/webp"},
      {".woff2", "font/woff2"},
      {".wasm", "application/wasm"},
      {".ts", "text/plain; charset=utf-8"},
  }};
  for (auto const& [extension, type] : kTypes)
    if (path.ends_with(extension)) return type;
  return "application/octet-stream";
}

HttpReply StaticFiles::find(std::string_view target, std::string_view if_none_match) const {
  auto const path = relative_path(target);
  if (!path) return not_found();
  std::error_code code;
  auto const file = directory_ / *path;
  bool const is_file = !directory_.empty() && std::filesystem::is_regular_file(file, code) &&
                       std::filesystem::file_size(file, code) <= kFileBytesMax;
  if (!is_file) {
    if (*path == "index.html") return {200, "text/html; charset=utf-8", {}, "no-store", kNoViewer, nullptr};
    return not_found();
  }
  HttpReply reply;
  std::ifstream in(file, std::ios::binary);
  std::string bytes(static_cast<std::size_t>(std::filesystem::file_size(file, code)), '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  char etag[24];
  std::snprintf(etag, sizeof etag, "\"%016llx\"",
                static_cast<unsigned long long>(hash_bytes(std::as_bytes(std::span(bytes)))));
  reply.etag = etag;
  reply.cache_control = "no-cache";
  reply.content_type = content_type_of(*path);
  if (names(if_none_match, reply.etag)) {
    reply.status = 304;
  } else {
    reply.file = share(reply.etag, std::move(bytes));
  }
  return reply;
}

std::shared_ptr<const std::string> StaticFiles::share(const std::string& etag, std::string&& bytes) const {
  std::erase_if(sent_, [](auto const& entry) { return entry.second.expired(); });
  std::weak_ptr<const std::string>& known = sent_[etag];
  auto held = known.lock();
  // Equal digests of unequal files are not expected, and would be a puzzling thing to debug.
  if (held == nullptr || *held != bytes) known = held = std::make_shared<const std::string>(std::move(bytes));
  return held;
}

}  // namespace takt::server
