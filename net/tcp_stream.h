// TcpStream is one open TCP connection with asynchronous reads and writes. It passes each chunk that it reads
// to on_bytes, and calls on_pull for more bytes when the last ones are written. close_gently() writes the
// last bytes within a time limit; abort() closes at once. TcpStream stores at most one chunk each way.
// ServerTransport has one for each stream, ClientTransport at most one. The header includes Asio; the sources
// of both transports include it. All calls are on the thread that runs the io_context.
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

/// Owned by std::shared_ptr; pending operations keep it alive until they have been cancelled.
class TcpStream : public std::enable_shared_from_this<TcpStream> {
 public:
  struct Handlers {
    /// Bytes that arrived, at most kReadBytes; valid during the call.
    std::function<void(std::span<const std::byte>)> on_bytes;
    /// Appends bytes to write to `out`, about `bytes_max` at most; none = there is nothing to write.
    std::function<void(std::size_t bytes_max, std::vector<std::byte>& out)> on_pull;
    /// The stream has ended, by either end or an error; eof = the other end closed it. Called at most once,
    /// from the io_context, and never from within a call of this class.
    std::function<void(const asio::error_code&)> on_closed;
  };

  /// `socket` is connected. `counters` must outlive the stream.
  TcpStream(asio::ip::tcp::socket socket, TransportCounters& counters);

  /// Begins to read, with TCP_NODELAY. `send_buffer_bytes` is requested of the system (0 = its default).
  /// Once, before all other calls but abort().
  void start(Handlers handlers, int send_buffer_bytes);
  /// Calls on_pull and writes its bytes, unless a write is under way, which then calls on_pull itself.
  void write_ready();
  /// Writes what on_pull still gives, then half-closes and waits for the other end; bytes that arrive are
  /// dropped. on_closed follows, after `linger_us` at most. Only the first call has an effect.
  void close_gently(std::uint64_t linger_us);
  /// Closes at once; no handler is called any more.
  void abort();

  /// True after close_gently().
  [[nodiscard]] bool is_closing() const noexcept { return closing_; }

  static constexpr std::size_t kReadBytes = 16 * 1024;  ///< of one read
  static constexpr std::size_t kPullBytes = 64 * 1024;  ///< `bytes_max` of on_pull

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
