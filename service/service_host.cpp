#include "service/service_host.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "service/client/stream_options.h"
#include "service/service_host_impl.h"
#include "service/wire/values.h"

namespace takt::service {
namespace {

using Clock = Connection::Clock;
using namespace std::chrono_literals;

constexpr auto kHelloPatience = 10s;            // from the connection to its first request
constexpr std::size_t kStrangersMax = 64;       // connections without a good Hello
constexpr auto kTurn = 1s;                      // between two looks at leases and unfinished greetings
constexpr std::size_t kSmallBytes = 64 * 1024;  // of an incomplete frame, which each connection may have

void ring(int event) {
  std::uint64_t const one = 1;
  (void)!::write(event, &one, sizeof one);
}

// Bytes of the socket beside a ring: one turn for as many as a client may send at once. False at its end.
bool drain(int socket) {
  std::array<char, 64 * 1024> bytes;  // NOLINT: the system writes it, and nobody reads it
  ssize_t const count = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

bool add_to(int poll, int socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = socket;
  return ::epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0;
}

}  // namespace

// ---------------------------------------------------------------- the socket thread

void ServiceHost::Impl::accept_clients(const Listener& listener) {
  for (std::uint32_t count = 0; count < kStrangersMax; ++count) {            // the poll tells of more
    auto connection = std::make_shared<Connection>(-1, usage.buffer_bytes);  // may throw before the socket
    int const socket = ::accept4(listener.socket(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        is_accepting = false;  // until the next turn
        for (const Listener& each : listeners) (void)::epoll_ctl(poll, EPOLL_CTL_DEL, each.socket(), nullptr);
      }
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    accepted.fetch_add(1, std::memory_order_relaxed);
    if (!listener.door().is_unix()) set_stream_options(socket);
    connection->socket = socket;
    while (connections.size() - clients.load(std::memory_order_relaxed) >= kStrangersMax) drop_stranger();
    if (!add_to(poll, socket)) continue;
    connections.emplace(socket, std::move(connection));
  }
}

// Ends the oldest connection without a good Hello, unless its Hello waits in the socket.
void ServiceHost::Impl::drop_stranger() {
  std::shared_ptr<Connection> oldest;
  for (const auto& [socket, connection] : connections) {
    if (!connection->is_greeted && (oldest == nullptr || connection->opened < oldest->opened))
      oldest = connection;
  }
  if (oldest == nullptr) return;
  if (!oldest->is_ending) read(oldest);
  if (!oldest->is_greeted) close(oldest);
}

// Closes the connection once its last reply is written.
void ServiceHost::Impl::end(Connection& connection) const {
  connection.is_ending = true;
  connection.needs_turn = false;
  if (!connection.write() || connection.out_bytes() == 0) connection.shut();
  connection.watch(poll);
}

void ServiceHost::Impl::close(const std::shared_ptr<Connection>& connection) {
  std::lock_guard const lock(connection->mutex);
  if (connection->socket < 0) return;
  // Another thread may keep the connection for a while, but not its buffers.
  connection->in = FrameBuffer(kHelloBytesMax);
  free_bytes(connection->out);
  connection->out_begin = 0;
  free_bytes(connection->pending);
  connection->pending_count = 0;
  connection->taken_bytes = 0;  // those of a step go after its next tick
  connection->count_in();
  connection->count_buffers();
  connections.erase(connection->socket);
  if (connection->is_greeted) clients.fetch_sub(1, std::memory_order_relaxed);
  // A worker that waits for the socket keeps it in the poll, whose events would meet the next connection with
  // the same number.
  (void)::epoll_ctl(poll, EPOLL_CTL_DEL, connection->socket, nullptr);
  connection->close_socket();
  if (connection->uses_rings && connection->rings->writer().is_broken())
    turned_away.fetch_add(1, std::memory_order_relaxed);
  if (connection->keeper != nullptr) connection->keeper->wake();
  if (connection->rings != nullptr) connection->rings->wake_other();
  connection->is_gone.store(true, std::memory_order_relaxed);
  hurry(*connection);
  schedule(connection);  // a thread of the pool takes the session
}

// Takes what the socket or the ring has, as requests that wait.
ServiceHost::Impl::Receipt ServiceHost::Impl::receive(Connection& connection) {
  if (connection.uses_rings) return receive_from_ring(connection);
  FrameBuffer& in = connection.in;
  std::span<std::byte> const room = in.room();
  connection.count_in();
  ssize_t const count = ::recv(connection.socket, room.data(), room.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Receipt::kNothing;
  if (count <= 0) return Receipt::kEnd;
  in.add(static_cast<std::size_t>(count));
  (void)take_messages(connection);
  return Receipt::kBytes;
}

// The end of a ring is that of its socket, so there is no Receipt::kEnd.
ServiceHost::Impl::Receipt ServiceHost::Impl::receive_from_ring(Connection& connection) {
  constexpr std::size_t kGulpBytes = 64 * 1024;  // others wait for the mutex
  std::size_t taken = 0;
  while (taken < kGulpBytes && connection.is_reading && !connection.is_ending) {
    std::span<std::byte> const room = connection.in.room();
    connection.count_in();
    std::size_t const count = connection.rings->read(room);
    if (connection.rings->reader().is_broken()) {
      turned_away.fetch_add(1, std::memory_order_relaxed);
      append_failure(kNoRequest, TAKT_ERROR_REMOTE, "the ring of requests has a position that cannot be",
                     connection.out);
      end(connection);
      return Receipt::kBytes;
    }
    if (count == 0) break;
    taken += count;
    connection.in.add(count);
    if (!take_messages(connection)) break;
  }
  return taken > 0 ? Receipt::kBytes : Receipt::kNothing;
}

// False when the connection ends.
bool ServiceHost::Impl::take_messages(Connection& connection) {
  FrameBuffer& in = connection.in;
  connection.progressed = Clock::now();
  std::span<const std::byte> message;
  while (!connection.is_ending && in.next(message)) {
    if (!connection.is_greeted) {  // never on a thread of the pool
      if (!greet(connection, message)) return end(connection), false;
      bool const is_open = connection.write();
      if (connection.is_ending) return end(connection), false;
      connection.rest();
      if (!is_open || connection.out_bytes() > 0 || connection.uses_rings) connection.watch(poll);
      continue;
    }
    // The head stands before the message.
    connection.pending.insert(connection.pending.end(), message.data() - kFrameHeadBytes,
                              message.data() + message.size());
    ++connection.pending_count;
    if (connection.stepping != 0) connection.look_behind_step(message);
    if (connection.is_stopped) hurry(connection);
  }
  in.trim();  // the client may send no more for long
  connection.count_in();
  connection.count_buffers();
  if (in.fault() != FrameFault::kNone) {
    bool const is_large = in.fault() == FrameFault::kSize;
    append_failure(kNoRequest, is_large ? TAKT_ERROR_LIMIT : TAKT_ERROR_REMOTE,
                   is_large ? "limit frame: the request is too large" : "the bytes are no frame of a request",
                   connection.out);
    return end(connection), false;
  }
  if (connection.pending_count >= kWindow || connection.pending.size() >= Connection::kPendingBytesMax) {
    connection.is_reading = false;
    connection.watch(poll);
  }
  return true;
}

void ServiceHost::Impl::read(const std::shared_ptr<Connection>& connection) {
  std::unique_lock lock(connection->mutex);
  if (connection->in.size() > kSmallBytes) {
    lock.unlock();
    free_buffers();
    lock.lock();
  }
  if (connection->socket < 0 || connection->keeper != nullptr) return;
  if (receive(*connection) == Receipt::kEnd) {
    lock.unlock();
    return close(connection);
  }
  if (connection->has_work()) schedule(connection);
  if (!connection->uses_rings || connection->is_ending) return;
  bool const had_turn = connection->needs_turn;
  connection->rest();
  if (had_turn || connection->needs_turn) connection->watch(poll);
}

// Ends the connections whose clients have sent and read nothing for the longest, until the buffers of all are
// within their limit.
void ServiceHost::Impl::free_buffers() {
  while (usage.buffer_bytes.load(std::memory_order_relaxed) > options.limits.buffer_bytes_max) {
    std::shared_ptr<Connection> slowest;
    for (const auto& [socket, connection] : connections) {
      std::lock_guard const lock(connection->mutex);
      bool const is_large =
          connection->in.size() > kSmallBytes || connection->out_bytes() > Connection::kOutBytesMax ||
          connection->taken_bytes > Worker::kKeptBytes || connection->pending.capacity() > Worker::kKeptBytes;
      if (is_large && (slowest == nullptr || connection->progressed < slowest->progressed))
        slowest = connection;
    }
    if (slowest == nullptr) return;
    {
      std::lock_guard const lock(slowest->mutex);
      turned_away.fetch_add(1, std::memory_order_relaxed);
      append_failure(kNoRequest, TAKT_ERROR_LIMIT,
                     "limit buffers: frames of all connections have too many bytes; send and read faster",
                     slowest->out);
      (void)slowest->write();
    }
    close(slowest);
  }
}

void ServiceHost::Impl::turn() {
  Clock::time_point const now = Clock::now();
  last_turn.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  free_buffers();
  ring_desk.free_ended(now);
  join_ended();
  std::vector<std::shared_ptr<Connection>> silent;
  for (const auto& [socket, connection] : connections) {
    if (!connection->is_greeted && now - connection->opened > kHelloPatience) silent.push_back(connection);
  }
  for (const auto& connection : silent) close(connection);
  if (!is_accepting) {
    is_accepting = true;
    for (const Listener& listener : listeners) (void)add_to(poll, listener.socket());
  }
  for (auto& session : desk.take_ended(now)) push({.session = std::move(session)});
}

void ServiceHost::Impl::handle(const epoll_event& event) {
  int const socket = event.data.fd;
  auto const listener = std::ranges::find(listeners, socket, &Listener::socket);
  if (listener != listeners.end()) return accept_clients(*listener);
  auto const found = connections.find(socket);
  if (found == connections.end()) return;
  std::shared_ptr<Connection> const connection = found->second;
  bool const has_rings = connection->uses_rings;  // this thread has set it
  // First of all: a byte that comes later tells of what this turn has not seen.
  if (has_rings && (event.events & EPOLLIN) != 0 && !drain(socket)) return close(connection);
  if ((event.events & (has_rings ? EPOLLOUT | EPOLLIN : EPOLLOUT)) != 0) {
    std::unique_lock lock(connection->mutex);
    if (!has_rings) connection->progressed = Clock::now();
    bool const is_open = connection->write();
    bool const is_over = connection->is_ending && connection->out_bytes() == 0;
    if (is_open && connection->has_work()) schedule(connection);
    connection->watch(poll);
    lock.unlock();
    if (!is_open || is_over) return close(connection);
  }
  if ((event.events & (has_rings ? EPOLLOUT | EPOLLIN : EPOLLIN)) != 0)
    read(connection);
  else if ((event.events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0)
    close(connection);
}

void ServiceHost::Impl::run_sockets() {
  std::array<epoll_event, 64> events{};
  Clock::time_point next_turn = Clock::now() + kTurn;
  // Without memory the connection of an event ends, not the service.
  auto const without_memory = [this](int socket) {
    try {
      auto const found = connections.find(socket);
      if (found != connections.end()) close(std::shared_ptr<Connection>(found->second));
    } catch (const std::exception&) {
      return;  // the connection is closed, and its worlds end with its last owner
    }
  };
  while (!usage.is_stopping.load(std::memory_order_acquire)) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(next_turn - Clock::now());
    int const wait_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000));
    int const count = ::epoll_wait(poll, events.data(), static_cast<int>(events.size()), wait_ms);
    for (int i = 0; i < count; ++i) {
      epoll_event const event = events[static_cast<std::size_t>(i)];
      try {
        handle(event);
      } catch (const std::exception&) {
        without_memory(event.data.fd);
      }
    }
    if (Clock::now() < next_turn) continue;
    next_turn = Clock::now() + kTurn;
    try {
      turn();
    } catch (const std::exception&) {
      continue;  // the next one does the rest
    }
  }
}

// False when the connection must end after the reply.
bool ServiceHost::Impl::greet(Connection& connection, std::span<const std::byte> message) {
  auto const refuse = [&](takt_status status, std::string_view text) {
    turned_away.fetch_add(1, std::memory_order_relaxed);
    append_failure(kNoRequest, status, text, connection.out);
    return false;
  };
  HelloFault const fault = check_hello(message, options.token);
  if (fault.status != TAKT_OK) return refuse(fault.status, fault.text);
  auto const& request = *wire::GetRequest(message.data());
  const wire::Hello* const hello = request.body_as_Hello();
  std::uint32_t const greeted = clients.load(std::memory_order_relaxed);
  if (greeted >= options.clients_max)
    return refuse(TAKT_ERROR_LIMIT,
                  "limit clients: the service has " + std::to_string(options.clients_max) + " connections");
  if (hello->rings()) {
    auto const opened = connection.open_rings(options.rings, options.limits.ring_bytes_max, ring_desk);
    if (!opened) return refuse(status_of(opened.error()), opened.error().text + "; connect to unix:PATH");
  }
  SessionHooks hooks;
  hooks.goes_on = [this, c = &connection](std::uint32_t handle) { return is_step_wanted(*c, handle); };
  hooks.leases = &desk;
  hooks.end = [weak = connection.weak_from_this()] {  // the socket thread closes it then
    auto const open = weak.lock();
    if (open == nullptr) return;
    std::lock_guard const lock(open->mutex);
    if (open->socket >= 0) open->shut();
  };
  connection.session = std::make_unique<Session>(options.limits, usage, std::move(hooks));
  append_welcome(request.id(), options.limits, options.program,
                 connection.rings != nullptr ? &options.rings : nullptr, connection.out);
  connection.is_greeted = true;
  connection.in.set_payload_max(kFrameBytesMax);
  clients.store(greeted + 1, std::memory_order_relaxed);
  return true;
}

ServiceHost::Impl::~Impl() {
  {
    std::lock_guard const lock(queue_mutex);
    usage.is_stopping.store(true, std::memory_order_release);
  }
  for (const auto& worker : workers) {
    worker->change.notify_all();
    worker->call.wake();
  }
  if (wake >= 0) ring(wake);
  if (socket_thread.joinable()) socket_thread.join();
  for (const auto& worker : workers) {
    if (worker->thread.joinable()) worker->thread.join();
  }
  if (poll >= 0) ::close(poll);
  if (wake >= 0) ::close(wake);
}

// ---------------------------------------------------------------- the host

ServiceHost::ServiceHost(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ServiceHost::~ServiceHost() = default;

Result<std::unique_ptr<ServiceHost>, ServiceFault> ServiceHost::open(ServiceOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  for (const Door& door : impl->options.doors) {
    auto listener = Listener::open(door, !impl->options.token.empty());
    if (!listener) return listener.error();
    impl->listeners.push_back(*std::move(listener));
  }
  impl->poll = ::epoll_create1(EPOLL_CLOEXEC);
  impl->wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (impl->poll < 0 || impl->wake < 0 || !add_to(impl->poll, impl->wake))
    return ServiceFault{std::string("the system refuses a poll: ") + std::strerror(errno)};
  for (const Listener& listener : impl->listeners) {
    if (!add_to(impl->poll, listener.socket()))
      return ServiceFault{std::string("the system refuses a poll: ") + std::strerror(errno)};
  }
  std::size_t const threads = std::max(impl->options.limits.threads, 1u);
  impl->idle.reserve(threads);
  impl->keepers.reserve(threads);
  while (impl->workers.size() < threads) {
    impl->workers.push_back(std::make_unique<Worker>());
    if (!impl->workers.back()->call.is_open())
      return ServiceFault{std::string("the system refuses an event: ") + std::strerror(errno)};
  }
  try {
    for (const auto& worker : impl->workers)
      worker->thread = std::thread([i = impl.get(), w = worker.get()] { i->run_pool(*w); });
    impl->socket_thread = std::thread([i = impl.get()] { i->run_sockets(); });
  } catch (const std::system_error& error) {
    return ServiceFault{std::string("the system refuses a thread: ") + error.what()};
  }
  return std::unique_ptr<ServiceHost>(new ServiceHost(std::move(impl)));
}

std::vector<Door> ServiceHost::doors() const {
  std::vector<Door> doors;
  for (const Listener& listener : impl_->listeners) doors.push_back(listener.door());
  return doors;
}

ServiceCounts ServiceHost::counts() const {
  ServiceCounts counts;
  counts.worlds = impl_->usage.worlds.load(std::memory_order_relaxed);
  counts.clients = impl_->clients.load(std::memory_order_relaxed);
  counts.threads = impl_->thread_count();
  counts.connections = impl_->accepted.load(std::memory_order_relaxed);
  counts.requests = impl_->usage.requests.load(std::memory_order_relaxed);
  counts.refused = impl_->usage.refused.load(std::memory_order_relaxed) +
                   impl_->turned_away.load(std::memory_order_relaxed);
  counts.turns_shared = impl_->usage.turns_shared.load(std::memory_order_relaxed);
  counts.turns_waited_max = impl_->turns_waited_max.load(std::memory_order_relaxed);
  counts.steps_stopped = impl_->usage.steps_stopped.load(std::memory_order_relaxed);
  counts.buffer_bytes = impl_->usage.buffer_bytes.load(std::memory_order_relaxed);
  counts.ring_bytes = impl_->usage.ring_bytes.load(std::memory_order_relaxed);
  counts.heap_bytes = heap_bytes();
  return counts;
}

bool ServiceHost::is_ready() const {
  Clock::time_point const alive{Clock::duration(impl_->last_turn.load(std::memory_order_relaxed))};
  return Clock::now() - alive < 3 * kTurn;
}

}  // namespace takt::service
