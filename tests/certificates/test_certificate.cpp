#include "tests/certificates/test_certificate.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace takt::test {
namespace {

template <auto release>
struct Release {
  template <class T>
  void operator()(T* one) const {
    release(one);
  }
};

void check(bool is_good) {
  if (!is_good) throw std::runtime_error("OpenSSL made no certificate");
}

std::string text_of(BIO* bio) {
  char* bytes = nullptr;
  long const count = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(count)};
}

}  // namespace

TestCertificate make_certificate(const std::string& name, long from_s, long until_s) {
  std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>> const key(EVP_EC_gen("P-256"));
  std::unique_ptr<X509, Release<X509_free>> const own(X509_new());
  check(key != nullptr && own != nullptr);
  X509_set_version(own.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(own.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(own.get()), from_s);
  X509_gmtime_adj(X509_getm_notAfter(own.get()), until_s);
  X509_NAME* const subject = X509_get_subject_name(own.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(own.get(), subject);
  std::unique_ptr<X509_EXTENSION, Release<X509_EXTENSION_free>> const names(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1"));
  X509_add_ext(own.get(), names.get(), -1);
  X509_set_pubkey(own.get(), key.get());
  check(X509_sign(own.get(), key.get(), EVP_sha256()) > 0);
  using Bio = std::unique_ptr<BIO, Release<BIO_free>>;
  Bio const certificate_text(BIO_new(BIO_s_mem()));
  Bio const key_text(BIO_new(BIO_s_mem()));
  check(PEM_write_bio_X509(certificate_text.get(), own.get()) == 1);
  check(PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return {text_of(certificate_text.get()), text_of(key_text.get())};
}

}  // namespace takt::test
