#include "server/web/web_pipe.h"

namespace takt::server {

bool WebPipe::give_inbound(std::span<const std::byte> bytes) {
  std::lock_guard const lock(mutex_);
  inbound_.insert(inbound_.end(), bytes.begin(), bytes.end());
  return inbound_.size() < kInboundMax;
}

bool WebPipe::may_read() const {
  std::lock_guard const lock(mutex_);
  return inbound_.size() < kInboundMax;
}

void WebPipe::close_from_web() {
  std::lock_guard const lock(mutex_);
  is_web_over_ = true;
}

bool WebPipe::take_outbound(std::vector<std::byte>& out) {
  std::lock_guard const lock(mutex_);
  out.clear();
  out.swap(outbound_);
  return !out.empty();
}

void WebPipe::finish_outbound() {
  std::lock_guard const lock(mutex_);
  is_writing_ = false;
}

bool WebPipe::is_ended() const {
  std::lock_guard const lock(mutex_);
  return is_ended_ && !is_writing_;
}

bool WebPipe::take_inbound(std::vector<std::byte>& out) {
  out.clear();
  bool is_over = false;
  {
    std::lock_guard const lock(mutex_);
    out.swap(inbound_);
    is_over = is_web_over_;
  }
  // The size is that of the swap: the web thread may fill the pipe at any time before it, and then stops.
  if (out.size() >= kInboundMax) wake_web_();
  return is_over;
}

bool WebPipe::may_write() const {
  std::lock_guard const lock(mutex_);
  return !is_writing_ && !is_web_over_ && !is_ended_;
}

void WebPipe::give_outbound(std::vector<std::byte>&& bytes) {
  {
    std::lock_guard const lock(mutex_);
    outbound_ = std::move(bytes);
    is_writing_ = true;
  }
  wake_web_();
}

void WebPipe::end() {
  {
    std::lock_guard const lock(mutex_);
    is_ended_ = true;
  }
  wake_web_();
}

}  // namespace takt::server
