#include "net/asio_address.h"

#include <algorithm>
#include <asio/error.hpp>
#include <asio/ip/address_v4.hpp>
#include <asio/ip/address_v6.hpp>

namespace takt::net {

protocol::Address to_protocol(const asio::ip::address& ip, std::uint16_t port) {
  protocol::Address address;
  address.port = port;
  if (ip.is_v4()) {
    auto const bytes = ip.to_v4().to_bytes();
    return protocol::Address::from_ipv4(bytes[0], bytes[1], bytes[2], bytes[3], port);
  }
  auto const bytes = ip.to_v6().to_bytes();
  std::copy(bytes.begin(), bytes.end(), address.ip.begin());
  return address;
}

asio::ip::udp::endpoint to_udp(const protocol::Address& address, bool as_ipv4) {
  if (as_ipv4 && address.is_ipv4()) {
    asio::ip::address_v4::bytes_type const bytes{address.ip[12], address.ip[13], address.ip[14],
                                                 address.ip[15]};
    return {asio::ip::address_v4(bytes), address.port};
  }
  asio::ip::address_v6::bytes_type bytes;
  std::copy(address.ip.begin(), address.ip.end(), bytes.begin());
  return {asio::ip::address_v6(bytes), address.port};
}

Failure to_failure(const asio::error_code& code, std::string about) {
  Failure failure;
  if (code == asio::error::address_in_use) {
    failure.error = Error::kPortInUse;
  } else if (code == asio::error::access_denied || code == asio::error::no_permission) {
    failure.error = Error::kPermissionDenied;
  } else if (code == asio::error::host_not_found || code == asio::error::host_not_found_try_again ||
             code == asio::error::service_not_found || code.value() == EADDRNOTAVAIL) {
    failure.error = Error::kBadAddress;
  } else if (code == asio::error::connection_refused || code == asio::error::timed_out ||
             code == asio::error::host_unreachable || code == asio::error::network_unreachable) {
    failure.error = Error::kConnectFailed;
  }
  failure.detail =
      std::move(about) + ": " + std::string(message(failure.error)) + " (" + code.message() + ")";
  return failure;
}

Failure resolve_failure(const asio::error_code& code, const std::string& host) {
  bool const is_unknown = !code || code == asio::error::host_not_found || code == asio::error::no_data;
  Error const error = is_unknown ? Error::kBadAddress : Error::kConnectFailed;
  return Failure{error, "host '" + host + "': " + std::string(message(error)) + " (" + code.message() +
                            "); check the name and the network"};
}

}  // namespace takt::net
