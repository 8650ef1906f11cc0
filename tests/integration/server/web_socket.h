// Sockets that speak HTTP and web sockets by hand, plain or under TLS: what a browser says, and what no
// browser would. Blocking, with a time-out on every read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct ssl_st;  // OpenSSL's SSL

namespace takt::server::test {

/// A client's demands on TLS. It accepts any certificate: the tests look at peer_name().
struct TlsClient {
  int version_max = 0;  ///< 0 = the newest
};

class WebSocket {
 public:
  /// Connects to a port of 127.0.0.1, from 127.0.0.`host`. `receive_buffer_bytes` of the system; 0 = its
  /// default.
  explicit WebSocket(int port, int receive_buffer_bytes = 0, std::uint8_t host = 1);
  /// Likewise with TLS; is_open() is false when the handshake fails.
  WebSocket(int port, const TlsClient& tls);
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  /// Begins and finishes the handshake of TLS on a plain connection; is_open() is false when it fails.
  void start_tls(const TlsClient& tls);
  /// True when the server gave what a later connection could resume the session with.
  [[nodiscard]] bool is_resumable() const;
  void send(std::string_view bytes) const;
  /// The common name of the other end's certificate.
  [[nodiscard]] std::string peer_name() const;
  /// Reads until the other end closes, or `seconds` are over.
  [[nodiscard]] std::string read_all(double seconds = 20);
  /// One answer with its body, by Content-Length. Empty when the connection closed instead.
  [[nodiscard]] std::string read_answer(bool is_head = false);
  /// True when the other end closes within `seconds`.
  [[nodiscard]] bool is_closed(double seconds = 20);

  /// Asks for a web socket at /ws with these further header lines; the status line.
  [[nodiscard]] std::string upgrade(const std::string& headers = {});
  /// A masked frame, final, of `opcode` (1 text, 2 binary, 8 close, 9 ping).
  void send_frame(std::uint8_t opcode, std::string_view payload) const;
  struct Frame {
    std::uint8_t opcode = 0;
    std::string payload;
    /// Status code of a close frame.
    [[nodiscard]] int close_code() const;
  };
  /// The next frame; none when the connection closed or `seconds` passed.
  [[nodiscard]] std::optional<Frame> read_frame(double seconds = 20);

 private:
  // Reads more into buffer_; false at the end or after `seconds`.
  bool fill(double seconds);

  int descriptor_;
  ssl_st* tls_ = nullptr;  // null = plain
  bool is_open_ = false;
  bool is_over_ = false;
  std::string buffer_;
};

/// The bytes of an unmasked or otherwise crooked frame, to be sent as they are.
[[nodiscard]] std::string frame_bytes(std::uint8_t first, std::uint8_t second, std::string_view rest);

/// GET of a target on a connection of its own, answered and closed.
[[nodiscard]] std::string http_get(int port, const std::string& target, const std::string& headers = {});

/// Likewise with TLS.
[[nodiscard]] std::string https_get(int port, const std::string& target, const std::string& headers = {});

/// The value of a line of /metrics; -1 when there is none.
[[nodiscard]] double metric(int port, const std::string& name);

}  // namespace takt::server::test
