#include "net/tcp_stream.h"

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <utility>

namespace takt::net {

TcpStream::TcpStream(asio::ip::tcp::socket socket, TransportCounters& counters)
    : socket_(std::move(socket)), linger_(socket_.get_executor()), counters_(&counters) {}

void TcpStream::start(Handlers handlers, int send_buffer_bytes) {
  handlers_ = std::move(handlers);
  asio::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true),
                     ignored);  // small frames at tick rate: waiting to fill a segment costs up to 40 ms
  if (send_buffer_bytes > 0)
    socket_.set_option(asio::socket_base::send_buffer_size(send_buffer_bytes), ignored);
  read();
}

void TcpStream::read() {
  socket_.async_read_some(asio::buffer(read_buffer_), [self = shared_from_this()](
                                                          const asio::error_code& code, std::size_t bytes) {
    if (self->over_) return;
    if (code) {
      self->finish(code);
      return;
    }
    // While closing the other end may still talk; nobody listens.
    if (!self->closing_)
      self->handlers_.on_bytes(std::span<const std::byte>(self->read_buffer_).first(bytes));
    if (!self->over_) self->read();
  });
}

void TcpStream::write_ready() {
  if (writing_ || over_ || half_closed_) return;
  write_buffer_.clear();
  handlers_.on_pull(kPullBytes, write_buffer_);
  if (over_) return;
  if (write_buffer_.empty()) {
    if (!closing_) return;
    half_closed_ = true;
    asio::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    return;
  }
  writing_ = true;
  asio::async_write(socket_, asio::buffer(write_buffer_),
                    [self = shared_from_this()](const asio::error_code& code, std::size_t) {
                      self->writing_ = false;
                      if (self->over_) return;
                      if (code) {
                        self->finish(code);
                      } else {
                        self->write_ready();
                      }
                    });
}

void TcpStream::close_gently(std::uint64_t linger_us) {
  if (closing_ || over_) return;
  closing_ = true;
  linger_.expires_after(std::chrono::microseconds(linger_us));
  linger_.async_wait([self = shared_from_this()](const asio::error_code& code) {
    if (code || self->over_) return;
    ++self->counters_->streams_forced;
    self->finish(asio::error::timed_out);
  });
  write_ready();
}

void TcpStream::finish(const asio::error_code& code) {
  if (over_) return;
  if (code != asio::error::eof && !closing_) ++counters_->streams_failed;
  // Moved out first: the handler may drop the last outside reference to this stream.
  auto const on_closed = std::move(handlers_.on_closed);
  abort();
  on_closed(code);
}

void TcpStream::abort() {
  over_ = true;
  asio::error_code ignored;
  linger_.cancel();
  socket_.close(ignored);
}

}  // namespace takt::net
