// TcpStream is one open TCP connection with asynchronous reads and writes. It passes each chunk that it reads
// to on_bytes, and asks on_pull for more bytes when the last ones are written. close_gently() writes the last
// bytes within a time limit; abort() closes at once. TcpStream stores at most one chunk each way.
// ServerTransport has one for each stream, ClientTransport at most one. The header includes Asio; the sources
// of both transports include it.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "net/counters.h"

namespace takt::net {

/// Shared with its own pending operations: they keep it alive until they have been cancelled.
class TcpStream : public std::enable_shared_from_this<TcpStream> {
 public:
  struct Handlers {
    std::function<void(std::span<const std::byte>)> on_bytes;
    /// Appends bytes to write, at most about `bytes_max`.
    std::function<void(std::size_t bytes_max, std::vector<std::byte>& out)> on_pull;
    /// The stream is over, by either end or an error; called once, never from within another handler's call
    /// into the stream.
    std::function<void(const asio::error_code&)> on_closed;
  };

  TcpStream(asio::ip::tcp::socket socket, TransportCounters& counters);

  /// TCP_NODELAY on, `send_buffer_bytes` asked of the system (0 = its default), reading begins.
  void start(Handlers handlers, int send_buffer_bytes);
  /// There may be bytes to pull.
  void write_ready();
  /// Writes what on_pull still gives, then half-closes and waits for the other end up to `linger_us`;
  /// on_closed follows.
  void close_gently(std::uint64_t linger_us);
  /// Closes at once; no handler is called any more.
  void abort();

  [[nodiscard]] bool is_closing() const noexcept { return closing_; }

  static constexpr std::size_t kReadBytes = 16 * 1024;
  static constexpr std::size_t kPullBytes = 64 * 1024;

 private:
  void read();
  void finish(const asio::error_code& code);

  asio::ip::tcp::socket socket_;
  asio::steady_timer linger_;
  TransportCounters* counters_;
  Handlers handlers_;
  std::array<std::byte, kReadBytes> read_buffer_;
  std::vector<std::byte> write_buffer_;
  bool writing_ = false;
  bool closing_ = false;
  bool half_closed_ = false;
  bool over_ = false;
};

}  // namespace takt::net
