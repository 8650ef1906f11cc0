// CertificateStore has the present certificate of a server, and reads its files again: when a signal asks for
// it, and when the files have changed. New connections use the newest certificate; those that live keep
// theirs, so no session ends. Files that cannot be used leave the certificate of before in use, and are tried
// again. It writes to the log only what nobody asked for, such as dates that turn wrong. HttpServer has one;
// TlsContext is the certificate itself.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>

#include "server/web/tls_context.h"
#include "takt/core/result.h"
#include "takt/server/error.h"
#include "takt/server/http_options.h"

namespace takt::server {

class CertificateStore {
 public:
  /// Reads the files. Errors: those of TlsContext::load().
  [[nodiscard]] static Result<std::unique_ptr<CertificateStore>, FileError> open(const TlsFiles& files);

  /// Any thread. Never null.
  [[nodiscard]] std::shared_ptr<const TlsContext> present() const;
  /// Any thread. Reads the files; with an error, which the caller reports, the certificate of before stays.
  [[nodiscard]] Result<Unit, FileError> reload();
  /// Reads the files if they are not those of the certificate, once they are equal in two calls in a row: a
  /// program that renews writes one after the other. Writes the outcome to the log: an error once for each
  /// version of the files, and wrong dates once for each certificate. One thread calls it, every
  /// kPollSeconds.
  void poll();

  static constexpr int kPollSeconds = 2;

 private:
  // Two versions of a file differ in it.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t bytes = 0;
    std::int64_t changed_s = 0;
    std::int64_t changed_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  using Stamps = std::array<Stamp, 2>;  // certificate, key

  // A failed attempt to read the files.
  struct Failed {
    Stamps stamps{};
    std::string text;
    friend bool operator==(const Failed&, const Failed&) = default;
  };

  explicit CertificateStore(TlsFiles files) : files_(std::move(files)) {}
  [[nodiscard]] Stamps stamps() const;
  [[nodiscard]] Result<Unit, FileError> load();  // under mutex_, like the next
  void warn_about_dates();

  TlsFiles files_;
  mutable std::mutex mutex_;
  std::shared_ptr<const TlsContext> present_;  // under mutex_, and so are the next three
  Stamps loaded_{};                            // of the files of present_
  Failed reported_;                            // since then; empty = none
  std::string dates_reported_;                 // of present_; empty = none
  Stamps seen_{};                              // by the last poll()
};

}  // namespace takt::server
