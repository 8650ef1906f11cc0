// DelayedPipe passes the bytes of one TCP connection through the lossy relay. It has a socket to the client,
// a socket to the server, and in each direction a queue of chunks. Each chunk is written a fixed delay after
// its arrival. Reading stops while a queue is full, so the sender feels back pressure. LossyRelay creates one
// DelayedPipe per connection. The header includes Asio; lossy_relay.cpp is its one user.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace takt::net {

/// Owned by std::shared_ptr; pending operations keep it alive until they have been cancelled. One thread,
/// that of the sockets' io_context.
class DelayedPipe : public std::enable_shared_from_this<DelayedPipe> {
 public:
  /// Both sockets are connected: `near` to the client, `far` to the server. Bytes read in both directions are
  /// added to `byte_counter`, which must outlive the pipe.
  DelayedPipe(asio::ip::tcp::socket near, asio::ip::tcp::socket far, std::uint64_t delay_us,
              std::uint64_t& byte_counter);

  /// Begins to read. An end of one direction is passed on after its last byte.
  void start();
  /// Closes both sockets at once and drops what is queued.
  void close();
  /// True after close(), a failed write, or the end of both directions.
  [[nodiscard]] bool is_over() const noexcept { return over_; }

  /// Bytes in the queue of a direction from which on nothing more is read.
  static constexpr std::size_t kQueueBytesMax = 1024 * 1024;

 private:
  struct Direction {
    asio::ip::tcp::socket* from = nullptr;
    asio::ip::tcp::socket* to = nullptr;
    std::unique_ptr<asio::steady_timer> timer;
    std::array<std::byte, 16 * 1024> buffer;
    std::deque<std::pair<std::uint64_t, std::vector<std::byte>>> chunks;
    std::size_t queued_bytes = 0;
    bool reading = false;
    bool writing = false;
    bool ended = false;  // `from` has said everything
  };
  void read(Direction& direction);
  void write(Direction& direction);

  asio::ip::tcp::socket near_;
  asio::ip::tcp::socket far_;
  std::uint64_t delay_us_;
  std::uint64_t* byte_counter_;
  Direction up_;
  Direction down_;
  bool over_ = false;
};

}  // namespace takt::net
