#include "service/connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace takt::service {

Connection::~Connection() {
  if (socket >= 0) ::close(socket);
  buffer_sum->fetch_sub(counted + counted_in, std::memory_order_relaxed);
}

bool Connection::write() {
  bool const is_open = write_some();
  count_buffers();
  return is_open;
}

bool Connection::write_some() {
  while (out_begin < out.size()) {
    ssize_t const count =
        ::send(socket, out.data() + out_begin, out.size() - out_begin, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return false;
    if (count < 0) {
      drop_written();
      return true;
    }
    out_begin += static_cast<std::size_t>(count);
  }
  constexpr std::size_t kKeptBytes = 1u << 20u;
  if (out.capacity() > kKeptBytes) out = {};
  out.clear();
  out_begin = 0;
  return true;
}

// Each byte moves once on average, because as many were written before it.
void Connection::drop_written() {
  constexpr std::size_t kWorthwhileBytes = 64 * 1024;
  if (out_begin < kWorthwhileBytes || out_begin < out_bytes()) return;
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(out_begin));
  out_begin = 0;
}

void Connection::watch(int poll) const {
  if (socket < 0) return;
  epoll_event event{};
  event.events = out_bytes() > 0 ? unsigned{EPOLLOUT} : 0u;
  if (!is_ending) event.events |= is_reading && keeper < 0 ? unsigned{EPOLLIN} : unsigned{EPOLLRDHUP};
  event.data.fd = socket;
  (void)::epoll_ctl(poll, EPOLL_CTL_MOD, socket, &event);
}

}  // namespace takt::service
