#include "net/delayed_pipe.h"

#include <asio/buffer.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <utility>

#include "net/clock.h"

namespace takt::net {

DelayedPipe::DelayedPipe(asio::ip::tcp::socket near, asio::ip::tcp::socket far, std::uint64_t delay_us,
                         std::uint64_t& byte_counter)
    : near_(std::move(near)), far_(std::move(far)), delay_us_(delay_us), byte_counter_(&byte_counter) {
  up_.from = &near_;
  up_.to = &far_;
  down_.from = &far_;
  down_.to = &near_;
  for (Direction* direction : {&up_, &down_})
    direction->timer = std::make_unique<asio::steady_timer>(near_.get_executor());
}

void DelayedPipe::start() {
  asio::error_code ignored;
  near_.set_option(asio::ip::tcp::no_delay(true), ignored);
  far_.set_option(asio::ip::tcp::no_delay(true), ignored);
  read(up_);
  read(down_);
}

void DelayedPipe::close() {
  over_ = true;
  asio::error_code ignored;
  up_.timer->cancel();
  down_.timer->cancel();
  near_.close(ignored);
  far_.close(ignored);
}

void DelayedPipe::read(Direction& direction) {
  if (over_ || direction.reading || direction.ended || direction.queued_bytes >= kQueueBytesMax) return;
  direction.reading = true;
  direction.from->async_read_some(
      asio::buffer(direction.buffer),
      [self = shared_from_this(), &direction](const asio::error_code& code, std::size_t bytes) {
        direction.reading = false;
        if (self->over_) return;
        if (code) {
          direction.ended = true;
        } else {
          direction.chunks.emplace_back(
              now_us() + self->delay_us_,
              std::vector<std::byte>(direction.buffer.begin(),
                                     direction.buffer.begin() + static_cast<std::ptrdiff_t>(bytes)));
          direction.queued_bytes += bytes;
          *self->byte_counter_ += bytes;
        }
        self->write(direction);
        self->read(direction);
      });
}

void DelayedPipe::write(Direction& direction) {
  if (over_ || direction.writing) return;
  if (direction.chunks.empty()) {
    if (!direction.ended) return;
    asio::error_code ignored;
    direction.to->shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    if (up_.ended && down_.ended && up_.chunks.empty() && down_.chunks.empty()) close();
    return;
  }
  direction.writing = true;
  std::uint64_t const now = now_us();
  std::uint64_t const due_us = direction.chunks.front().first;
  direction.timer->expires_after(std::chrono::microseconds(due_us > now ? due_us - now : 0));
  direction.timer->async_wait([self = shared_from_this(), &direction](const asio::error_code& waited) {
    if (waited || self->over_) return;
    asio::async_write(*direction.to, asio::buffer(direction.chunks.front().second),
                      [self, &direction](const asio::error_code& code, std::size_t) {
                        direction.writing = false;
                        if (self->over_) return;
                        if (code) {
                          self->close();
                          return;
                        }
                        direction.queued_bytes -= direction.chunks.front().second.size();
                        direction.chunks.pop_front();
                        self->write(direction);
                        self->read(direction);
                      });
  });
}

}  // namespace takt::net
