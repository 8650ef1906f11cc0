#include "service/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "service/wire/values.h"
#include "takt/core/bytes.h"

namespace takt::service {

Connection::~Connection() {
  if (socket >= 0) ::close(socket);
  if (rings != nullptr) {
    rings->wake_other();
    ring_desk->close(std::move(rings), has_client_left, Clock::now());
  }
  buffer_sum->fetch_sub(counted + counted_in, std::memory_order_relaxed);
}

Result<Unit, RingFault> Connection::open_rings(const RingSizes& sizes, std::uint64_t limit, RingDesk& desk) {
  int domain = 0;
  socklen_t bytes = sizeof domain;
  if (::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) != 0 || domain != AF_UNIX)
    return RingFault{"shared memory is for clients of a Unix socket"};
  auto made = desk.open(sizes, limit);
  if (!made) return made.error();
  rings = *std::move(made);
  ring_desk = &desk;
  return Unit{};
}

void Connection::shut() noexcept {
  is_shut = true;
  (void)::shutdown(socket, SHUT_RDWR);
}

void Connection::close_socket() noexcept {
  pollfd end{socket, POLLRDHUP, 0};
  has_client_left = !is_shut && ::poll(&end, 1, 0) > 0 && (end.revents & (POLLRDHUP | POLLHUP)) != 0;
  ::close(socket);
  socket = -1;
}

bool Connection::write() {
  bool const is_open = write_some();
  count_buffers();
  return is_open;
}

bool Connection::write_some() {
  if (uses_rings) return write_ring();
  while (out_begin < out.size()) {
    bool const has_memory = rings != nullptr && rings->memory() >= 0;
    std::span<const std::byte> const left = std::span(out).subspan(out_begin);
    ssize_t const count = has_memory ? send_with(socket, left, rings->memory())
                                     : ::send(socket, left.data(), left.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && has_memory && errno == ETOOMANYREFS) {
      refuse_rings();
      continue;
    }
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return false;
    if (count < 0) {
      drop_written();
      return true;
    }
    if (has_memory) rings->close_memory();
    out_begin += static_cast<std::size_t>(count);
  }
  if (rings != nullptr) {  // on the socket thread, which alone greets
    uses_rings = true;
    rest();
  }
  constexpr std::size_t kKeptBytes = 1u << 20u;
  if (out.capacity() > kKeptBytes) free_bytes(out);
  out.clear();
  out_begin = 0;
  return true;
}

// The system passes no further descriptor of this user on. The refusal takes the place of the Welcome.
void Connection::refuse_rings() {
  ring_desk->close(std::move(rings), true, Clock::now());
  out.clear();
  out_begin = 0;
  append_failure(kNoRequest, TAKT_ERROR_LIMIT,
                 "limit rings: the system has too many descriptors on their way; connect to unix:PATH", out);
  is_ending = true;
}

bool Connection::write_ring() {
  while (out_begin < out.size()) {
    std::size_t const count = rings->write(std::span(out).subspan(out_begin));
    if (rings->writer()
            .is_broken()) {  // no reply reaches the client, and the socket thread closes the connection
      shut();
      return false;
    }
    out_begin += count;
    if (count > 0) progressed = Clock::now();
    if (count > 0 || !rings->writer().begin_wait(RingWait::kSocket)) continue;
    drop_written();
    return true;
  }
  constexpr std::size_t kKeptBytes = 1u << 20u;
  if (out.capacity() > kKeptBytes) free_bytes(out);
  out.clear();
  out_begin = 0;
  return true;
}

void Connection::rest() noexcept {
  needs_turn = uses_rings && is_reading && !is_ending && !rings->reader().begin_wait(RingWait::kSocket);
}

// Each byte moves once on average, because as many were written before it.
void Connection::drop_written() {
  constexpr std::size_t kWorthwhileBytes = 64 * 1024;
  if (out_begin < kWorthwhileBytes || out_begin < out_bytes()) return;
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(out_begin));
  out_begin = 0;
}

void Connection::watch(int poll) {
  if (socket < 0) return;
  epoll_event event{};
  if (uses_rings) {
    event.events = EPOLLRDHUP;
    // A byte may tell of room for replies while a worker keeps the connection: it writes after its batch.
    if (out_bytes() > 0 || (keeper == nullptr && !is_ending)) event.events |= unsigned{EPOLLIN};
    if (needs_turn && !is_ending) event.events |= unsigned{EPOLLOUT};  // at once: nothing is written there
  } else {
    event.events = out_bytes() > 0 ? unsigned{EPOLLOUT} : 0u;
    if (!is_ending)
      event.events |= is_reading && keeper == nullptr ? unsigned{EPOLLIN} : unsigned{EPOLLRDHUP};
  }
  event.data.fd = socket;
  if (event.events != watched && ::epoll_ctl(poll, EPOLL_CTL_MOD, socket, &event) == 0)
    watched = event.events;
}

void Connection::look_behind_step(std::span<const std::byte> message) {
  if (!verify<wire::Request>(message.data(), message.size())) return;
  auto const& request = *wire::GetRequest(message.data());
  if (request.handle() != stepping) return;
  bool const is_destroyed =
      request.body_type() == wire::RequestBody::Destroy && request.world_index() == kNoWorldIndex;
  if (request.body_type() == wire::RequestBody::Stop || (is_destroyed && !has_later)) is_stopped = true;
  has_later = true;
}

void Connection::look_behind_step_in(std::span<const std::byte> frames) {
  while (!frames.empty()) look_behind_step(take_frame(frames));
}

std::span<const std::byte> take_frame(std::span<const std::byte>& frames) {
  auto const bytes = static_cast<std::size_t>(load_little_endian<std::uint64_t>(frames.data()));
  auto const message = frames.subspan(kFrameHeadBytes, bytes);
  frames = frames.subspan(kFrameHeadBytes + bytes);
  return message;
}

}  // namespace takt::service
