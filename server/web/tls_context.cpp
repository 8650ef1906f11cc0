#include "server/web/tls_context.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <span>

#include "server/secret_file.h"

namespace takt::server {
namespace {

/// Certificates of a public authority with their chain have 4 to 8 kB, and keys have at most 4.
constexpr std::size_t kMaxPemBytes = 256 * 1024;

template <auto release>
struct Release {
  template <class T>
  void operator()(T* one) const {
    release(one);
  }
};
using Bio = std::unique_ptr<BIO, Release<BIO_free>>;
using Certificate = std::unique_ptr<X509, Release<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;

Bio reader_of(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// The newest reason of OpenSSL, for a person; it empties the queue of reasons.
std::string take_reason() {
  unsigned long const code = ERR_peek_last_error();
  ERR_clear_error();
  const char* const reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
  return reason != nullptr ? std::string(" (") + reason + ")" : std::string();
}

// A server has nobody who types a passphrase; without this OpenSSL would ask on the terminal.
int refuse_passphrase(char*, int, int, void*) { return -1; }

Result<Key, FileError> read_key(std::string_view text, const std::string& path) {
  Bio const in = reader_of(text);
  Key key(PEM_read_bio_PrivateKey(in.get(), nullptr, refuse_passphrase, nullptr));
  if (key) return key;
  bool const is_encrypted = text.find("ENCRYPTED") != std::string_view::npos;
  bool const is_certificate = text.find("BEGIN CERTIFICATE") != std::string_view::npos;
  std::string const reason = take_reason();
  if (is_encrypted)
    return FileError{path + ": the key has a passphrase, which nobody could type: 'openssl pkey' removes it"};
  if (is_certificate)
    return FileError{path + ": has a certificate and no private key: --tls-key names the key"};
  return FileError{path + ": is no private key in PEM form" + reason};
}

// The first certificate is the server's; the others are its chain.
Result<Unit, FileError> use_certificates(SSL_CTX* context, std::string_view text, const std::string& path) {
  Bio const in = reader_of(text);
  Certificate const own(PEM_read_bio_X509_AUX(in.get(), nullptr, refuse_passphrase, nullptr));
  if (!own) {
    std::string const reason = take_reason();
    bool const is_key = text.find("PRIVATE KEY") != std::string_view::npos;
    if (is_key)
      return FileError{path + ": has a private key and no certificate: --tls-cert names the certificate"};
    return FileError{path + ": is no certificate in PEM form" + reason};
  }
  if (SSL_CTX_use_certificate(context, own.get()) != 1)
    return FileError{path + ": this certificate cannot be used" + take_reason()};
  while (Certificate const next{PEM_read_bio_X509(in.get(), nullptr, refuse_passphrase, nullptr)})
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1)
      return FileError{path + ": the chain of this certificate cannot be used" + take_reason()};
  unsigned long const end = ERR_peek_last_error();
  bool const is_at_end = ERR_GET_LIB(end) == ERR_LIB_PEM && ERR_GET_REASON(end) == PEM_R_NO_START_LINE;
  std::string const reason = take_reason();
  if (!is_at_end) return FileError{path + ": the chain of the certificate is cut or damaged" + reason};
  return Unit{};
}

// TLS 1.2 at least, with forward secrecy and authenticated encryption alone. No session is resumed: the key
// of the tickets of TLS 1.2 would open every session of a run, and a cache would give every stranger memory.
bool set_rules(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  return SSL_CTX_set_num_tickets(context, 0) == 1 &&  // of TLS 1.3, which the option does not turn off
         SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
}

}  // namespace

Result<std::shared_ptr<const TlsContext>, FileError> TlsContext::load(const TlsFiles& files) {
  auto const certificate = read_regular_file(files.certificate_path, kMaxPemBytes);
  if (!certificate) return certificate.error();
  auto key = read_secret_file(files.key_path, kMaxPemBytes, GroupRights::kReadIfRootOwns, "this key");
  if (!key) return key.error();
  auto loaded = from_pem(*certificate, *key, files);
  wipe(*key);
  return loaded;
}

Result<std::shared_ptr<const TlsContext>, FileError> TlsContext::from_pem(std::string_view certificate,
                                                                          std::string_view key,
                                                                          const TlsFiles& files) {
  ERR_clear_error();
  std::shared_ptr<TlsContext> out(new TlsContext(SSL_CTX_new(TLS_server_method())));
  if (out->context_ == nullptr || !set_rules(out->context_))
    return FileError{files.certificate_path + ": OpenSSL cannot be used" + take_reason()};
  if (auto const used = use_certificates(out->context_, certificate, files.certificate_path); !used)
    return used.error();
  auto const own_key = read_key(key, files.key_path);
  if (!own_key) return own_key.error();
  bool const is_pair = SSL_CTX_use_PrivateKey(out->context_, own_key->get()) == 1 &&
                       SSL_CTX_check_private_key(out->context_) == 1;
  std::string const reason = take_reason();
  if (!is_pair)
    return FileError{files.key_path + ": is not the key of the certificate in " + files.certificate_path +
                     reason};
  return std::shared_ptr<const TlsContext>(std::move(out));
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

ssl_st* TlsContext::create_session() const { return SSL_new(context_); }

std::string TlsContext::wrong_dates() const {
  X509 const* const own = SSL_CTX_get0_certificate(context_);
  if (X509_cmp_current_time(X509_get0_notBefore(own)) > 0)
    return "is not valid yet: check this machine's clock";
  if (X509_cmp_current_time(X509_get0_notAfter(own)) < 0) return "has expired: renew it";
  return {};
}

}  // namespace takt::server
