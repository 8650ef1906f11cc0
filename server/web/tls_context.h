// TlsContext is what a server needs to speak TLS: a certificate with its chain, the private key and the rules
// of a handshake, in the form of OpenSSL. It never changes, and connections share it. CertificateStore loads
// it and replaces it; TlsLayer uses it. Clients show no certificate. This header includes no OpenSSL, whose
// headers tls_context.cpp and tls_layer.cpp alone include.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "takt/core/result.h"
#include "takt/server/error.h"
#include "takt/server/http_options.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX and SSL
struct ssl_st;

namespace takt::server {

class TlsContext {
 public:
  /// Reads both files. Errors name the file and the remedy: it cannot be read, is no PEM, has another kind of
  /// key, or others may read the key; the two do not belong together.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>, FileError> load(const TlsFiles& files);
  /// Likewise from PEM texts; `files` has their names for messages.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>, FileError> from_pem(
      std::string_view certificate, std::string_view key, const TlsFiles& files);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// The state of one connection, which the caller owns and which keeps what it needs alive. Null without
  /// memory.
  [[nodiscard]] ssl_st* create_session() const;
  /// A text about a certificate that no client accepts by its dates now; empty otherwise.
  [[nodiscard]] std::string wrong_dates() const;

 private:
  explicit TlsContext(ssl_ctx_st* context) noexcept : context_(context) {}
  ssl_ctx_st* context_;
};

}  // namespace takt::server
