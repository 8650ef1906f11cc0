#include "tests/integration/server/web_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace takt::server::test {

WebSocket::WebSocket(int port, int receive_buffer_bytes, std::uint8_t host)
    : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
  if (receive_buffer_bytes > 0)
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  if (host != 1) {
    sockaddr_in from{};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = htonl(0x7f000000u + host);
    if (::bind(descriptor_, reinterpret_cast<sockaddr*>(&from), sizeof from) != 0) return;
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  is_open_ = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
}

WebSocket::WebSocket(int port, const TlsClient& tls) : WebSocket(port) { start_tls(tls); }

void WebSocket::start_tls(const TlsClient& tls) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to connections that the other end has closed
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  if (tls.version_max != 0) {
    SSL_CTX_set_min_proto_version(context, 0);
    SSL_CTX_set_max_proto_version(context, tls.version_max);
    SSL_CTX_set_security_level(context, 0);
  }
  tls_ = SSL_new(context);  // it keeps the context
  SSL_CTX_free(context);
  SSL_set_fd(tls_, descriptor_);
  is_open_ = is_open_ && SSL_connect(tls_) == 1;
}

WebSocket::~WebSocket() {
  SSL_free(tls_);
  ::close(descriptor_);
}

bool WebSocket::is_resumable() const { return SSL_SESSION_is_resumable(SSL_get0_session(tls_)) == 1; }

std::string WebSocket::peer_name() const {
  std::array<char, 256> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(SSL_get0_peer_certificate(tls_)), NID_commonName,
                            name.data(), name.size());
  return name.data();
}

void WebSocket::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    ssize_t const count = tls_ != nullptr ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                                          : ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

bool WebSocket::fill(double seconds) {
  if (is_over_ || seconds < 0) return false;
  pollfd waiting{descriptor_, POLLIN, 0};
  bool const is_ready = tls_ != nullptr && SSL_pending(tls_) > 0;
  if (!is_ready && ::poll(&waiting, 1, static_cast<int>(seconds * 1000)) <= 0) return false;
  std::array<char, 16 * 1024> bytes{};
  ssize_t const count = tls_ != nullptr ? SSL_read(tls_, bytes.data(), static_cast<int>(bytes.size()))
                                        : ::recv(descriptor_, bytes.data(), bytes.size(), 0);
  if (count <= 0) {
    is_over_ = true;
    return false;
  }
  buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

std::string WebSocket::read_all(double seconds) {
  auto const until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (fill(std::chrono::duration<double>(until - std::chrono::steady_clock::now()).count())) {
  }
  return std::exchange(buffer_, {});
}

bool WebSocket::is_closed(double seconds) {
  (void)read_all(seconds);
  return is_over_;
}

std::string WebSocket::read_answer(bool is_head) {
  std::size_t end = std::string::npos;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
    if (!fill(20)) return {};
  end += 4;
  std::size_t length = 0;
  std::size_t const field = buffer_.find("\r\nContent-Length: ");
  if (!is_head && field < end) length = std::strtoul(buffer_.c_str() + field + 18, nullptr, 10);
  while (buffer_.size() < end + length)
    if (!fill(20)) return {};
  std::string answer = buffer_.substr(0, end + length);
  buffer_.erase(0, end + length);
  return answer;
}

std::string WebSocket::upgrade(const std::string& headers) {
  std::string request =
      "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
  request += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  if (headers.find("Host:") == std::string::npos) request += "Host: 127.0.0.1\r\n";
  send(request + headers + "\r\n");
  std::string const answer = read_answer();
  return answer.substr(0, answer.find("\r\n"));
}

void WebSocket::send_frame(std::uint8_t opcode, std::string_view payload) const {
  constexpr std::array<char, 4> kMask{'\x12', '\x34', '\x56', '\x78'};
  std::string bytes(1, static_cast<char>(0x80 | opcode));
  // The shortest form of the length, as RFC 6455 (5.2) demands: a server closes with 1002 on any other.
  std::size_t const size = payload.size();
  bytes += static_cast<char>(0x80 | (size < 126 ? size : size < 65536 ? 126 : 127));
  for (int shift = size < 126 ? -8 : size < 65536 ? 8 : 56; shift >= 0; shift -= 8)
    bytes += static_cast<char>((size >> shift) & 0xff);
  bytes.append(kMask.data(), kMask.size());
  for (std::size_t i = 0; i < payload.size(); ++i) bytes += static_cast<char>(payload[i] ^ kMask[i % 4]);
  send(bytes);
}

int WebSocket::Frame::close_code() const {
  if (opcode != 8 || payload.size() < 2) return 0;
  return (static_cast<unsigned char>(payload[0]) << 8) | static_cast<unsigned char>(payload[1]);
}

std::optional<WebSocket::Frame> WebSocket::read_frame(double seconds) {
  auto const until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  auto const need = [&](std::size_t bytes) {
    while (buffer_.size() < bytes)
      if (!fill(std::chrono::duration<double>(until - std::chrono::steady_clock::now()).count()))
        return false;
    return true;
  };
  if (!need(2)) return std::nullopt;
  std::size_t head = 2;
  std::size_t length = static_cast<unsigned char>(buffer_[1]) & 0x7f;
  std::size_t const more = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (more > 0) {
    if (!need(head + more)) return std::nullopt;
    length = 0;
    for (std::size_t i = 0; i < more; ++i)
      length = (length << 8) | static_cast<unsigned char>(buffer_[head + i]);
    head += more;
  }
  if (!need(head + length)) return std::nullopt;
  Frame frame{static_cast<std::uint8_t>(buffer_[0] & 0x0f), buffer_.substr(head, length)};
  buffer_.erase(0, head + length);
  return frame;
}

std::string frame_bytes(std::uint8_t first, std::uint8_t second, std::string_view rest) {
  std::string bytes{static_cast<char>(first), static_cast<char>(second)};
  return bytes.append(rest);
}

namespace {

std::string get(WebSocket& socket, const std::string& target, const std::string& headers) {
  socket.send("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + headers + "\r\n");
  return socket.read_all();
}

}  // namespace

std::string http_get(int port, const std::string& target, const std::string& headers) {
  WebSocket socket(port);
  return get(socket, target, headers);
}

std::string https_get(int port, const std::string& target, const std::string& headers) {
  WebSocket socket(port, TlsClient{});
  return socket.is_open() ? get(socket, target, headers) : std::string();
}

double metric(int port, const std::string& name) {
  std::string const text = http_get(port, "/metrics");
  std::size_t const at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

}  // namespace takt::server::test
