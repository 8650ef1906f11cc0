#include "server/web/tls_layer.h"

#include <boost/asio/ssl/stream.hpp>

#include <new>
#include <utility>

namespace takt::server {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

// The stream owns it.
SSL* session_of(const TlsContext& context) {
  SSL* const session = context.create_session();
  if (session == nullptr) throw std::bad_alloc();
  return session;
}

}  // namespace

class TlsLayer::Stream : public ssl::stream<Tcp&> {
 public:
  Stream(Tcp& tcp, SSL* session) : ssl::stream<Tcp&>(tcp, session) {}
};

TlsLayer::TlsLayer(Tcp& tcp, const TlsContext& context)
    : stream_(std::make_unique<Stream>(tcp, session_of(context))) {}
TlsLayer::~TlsLayer() = default;

void TlsLayer::handshake(Done done) {
  stream_->async_handshake(ssl::stream_base::server,
                           [done = std::move(done)](const error_code& code) { done(code, 0); });
}

void TlsLayer::read(boost::asio::mutable_buffer into, Done done) {
  stream_->async_read_some(into, std::move(done));
}

void TlsLayer::write(boost::asio::const_buffer from, Done done) {
  stream_->async_write_some(from, std::move(done));
}

void TlsLayer::shut_down(Done done) {
  stream_->async_shutdown([done = std::move(done)](const error_code& code) { done(code, 0); });
}

bool TlsLayer::is_plain_http(const error_code& code) {
  auto const reason = static_cast<unsigned long>(code.value());
  return code.category() == boost::asio::error::get_ssl_category() &&
         (ERR_GET_REASON(reason) == SSL_R_HTTP_REQUEST ||
          ERR_GET_REASON(reason) == SSL_R_HTTPS_PROXY_REQUEST);
}

}  // namespace takt::server
