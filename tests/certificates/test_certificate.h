// make_certificate() makes a certificate and its key for tests of TLS, on the curve P-256, in memory. Every
// call makes another key. Nobody trusts the certificate but a client that is given it.
#pragma once

#include <string>

namespace takt::test {

struct TestCertificate {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM
};

/// A certificate for localhost and 127.0.0.1 that signs itself, valid from `from_s` to `until_s` seconds from
/// now. `name` is its common name.
[[nodiscard]] TestCertificate make_certificate(const std::string& name, long from_s = -60,
                                               long until_s = 3600);

}  // namespace takt::test
