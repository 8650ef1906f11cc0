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
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "service/client/stream_options.h"
#include "service/connection.h"
#include "service/lease_desk.h"
#include "service/ring_desk.h"
#include "service/wire/values.h"

namespace takt::service {
namespace {

using Clock = Connection::Clock;
using namespace std::chrono_literals;

constexpr auto kHelloPatience = 10s;            // from the connection to its first request
constexpr std::size_t kStrangersMax = 64;       // connections without a good Hello
constexpr auto kShare = 10ms;                   // of a thread for a connection while others wait
constexpr auto kTurn = 1s;                      // between two looks at leases and unfinished greetings
constexpr std::size_t kSmallBytes = 64 * 1024;  // of an incomplete frame, which each connection may have
constexpr auto kReplyDelayMax = 200us;          // of replies that wait for later ones of the same batch
constexpr auto kLook = 1ms;                     // between two looks of a step for a request that ends it
constexpr auto kBackoff = 1ms;  // from a connection that a worker gives back to the next that it keeps

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

// A shortage passes; a system that refuses the call never has rings.
takt_status status_of(const RingFault& fault) {
  if (fault.error == EDQUOT || fault.error == EMFILE || fault.error == ENFILE) return TAKT_ERROR_LIMIT;
  if (fault.error == ENOMEM || fault.error == ENOSPC) return TAKT_ERROR_MEMORY;
  return TAKT_ERROR_UNSUPPORTED;
}

bool add_to(int poll, int socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = socket;
  return ::epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0;
}

}  // namespace

struct ServiceHost::Impl {
  // A connection with requests, or a session to destroy.
  struct Job {
    std::shared_ptr<Connection> connection;
    std::unique_ptr<Session> session;
  };
  // A thread of the pool. Its buffers stay from turn to turn.
  struct Worker {
    // Gives the memory of large requests and replies away.
    void trim() {
      constexpr std::size_t kKeptBytes = 1u << 20u;
      if (requests.capacity() > kKeptBytes) requests = {};
      if (replies.capacity() > kKeptBytes) replies = {};
    }

    WorkerCall call;
    std::vector<std::byte> requests;
    std::vector<std::byte> replies;
    Clock::time_point gave_back{};  // a connection that it kept
  };
  enum class Receipt : std::uint8_t { kNothing, kBytes, kEnd };

  explicit Impl(ServiceOptions o) : options(std::move(o)), desk(options.lease_s) {}
  ~Impl();

  void run_sockets();
  void accept_clients(const Listener& listener);
  void turn();
  void read(const std::shared_ptr<Connection>& connection);
  void close(const std::shared_ptr<Connection>& connection);
  void handle(const epoll_event& event);
  void free_buffers();
  void drop_stranger();
  // With the connection's mutex locked.
  [[nodiscard]] bool greet(Connection& connection, std::span<const std::byte> message);
  void end(Connection& connection) const;
  [[nodiscard]] Receipt receive(Connection& connection);
  Receipt receive_from_ring(Connection& connection);
  [[nodiscard]] bool take_messages(Connection& connection);

  void run_pool(Worker& worker);
  void answer(const std::shared_ptr<Connection>& connection, Worker& worker);
  [[nodiscard]] bool listen(Connection& connection, Worker& worker);
  [[nodiscard]] bool wait(Worker& worker, int socket, SharedRings* rings);
  void abandon(const std::shared_ptr<Connection>& connection);
  [[nodiscard]] bool answer_one(Connection& connection, std::span<const std::byte> message,
                                std::vector<std::byte>& replies);
  [[nodiscard]] bool is_step_wanted(Connection& connection, std::uint32_t handle) const;
  void send(Connection& connection, std::vector<std::byte>& replies) const;
  // With the connection's mutex locked.
  [[nodiscard]] bool keep(Connection& connection, Worker& worker) const;
  void give_back(Connection& connection) const;
  void schedule(const std::shared_ptr<Connection>& connection);
  void push(Job job);
  [[nodiscard]] bool others_wait() const noexcept { return job_count.load(std::memory_order_relaxed) != 0; }

  ServiceOptions options;
  ServiceUsage usage;
  LeaseDesk desk;                        // outlives the sessions
  RingDesk ring_desk{usage.ring_bytes};  // outlives the connections
  std::vector<Listener> listeners;
  int poll = -1;
  int wake = -1;
  std::atomic<std::uint32_t> clients{0};
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> turned_away{0};
  std::atomic<Clock::rep> last_turn{Clock::now().time_since_epoch().count()};

  // The socket thread alone uses these.
  std::map<int, std::shared_ptr<Connection>> connections;
  bool is_accepting = true;

  std::mutex queue_mutex;  // locked after a connection's mutex
  std::deque<Job> jobs;
  std::atomic<std::size_t> job_count{0};
  std::vector<Worker*> idle;     // workers that wait for a job; capacity for all of them
  std::vector<Worker*> keepers;  // those that wait for a job or for requests of their connection

  bool waits_at_rings = options.may_wait_at_rings && can_wait_at_either();
  std::vector<std::unique_ptr<Worker>> workers;
  std::thread socket_thread;
  std::vector<std::thread> pool;
};

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
  connection->out = {};
  connection->out_begin = 0;
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
  }
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
          connection->in.size() > kSmallBytes || connection->out_bytes() > Connection::kOutBytesMax;
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
  std::vector<std::shared_ptr<Connection>> silent;
  for (const auto& [socket, connection] : connections) {
    if (!connection->is_greeted && now - connection->opened > kHelloPatience) silent.push_back(connection);
  }
  for (const auto& connection : silent) close(connection);
  if (!is_accepting) {
    is_accepting = true;
    for (const Listener& listener : listeners) (void)add_to(poll, listener.socket());
  }
  for (auto& session : desk.take_ended(now)) push({nullptr, std::move(session)});
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

// ---------------------------------------------------------------- the pool

// Gives the job to a worker that waits, if there is one: rather to one without a connection.
void ServiceHost::Impl::push(Job job) {
  Worker* worker = nullptr;
  {
    std::lock_guard const lock(queue_mutex);
    jobs.push_back(std::move(job));
    job_count.store(jobs.size(), std::memory_order_relaxed);
    std::vector<Worker*>& waiting = idle.empty() ? keepers : idle;
    if (!waiting.empty()) {
      worker = waiting.back();
      waiting.pop_back();
    }
  }
  if (worker != nullptr) worker->call.wake();
}

void ServiceHost::Impl::schedule(const std::shared_ptr<Connection>& connection) {
  if (connection->is_scheduled) return;
  push({connection, nullptr});
  connection->is_scheduled = true;
}

// False when the connection must end after the reply.
bool ServiceHost::Impl::greet(Connection& connection, std::span<const std::byte> message) {
  auto const refuse = [&](takt_status status, std::string_view text) {
    turned_away.fetch_add(1, std::memory_order_relaxed);
    append_failure(kNoRequest, status, text, connection.out);
    return false;
  };
  if (!verify<wire::Request>(message.data(), message.size()))
    return refuse(TAKT_ERROR_REMOTE, "the message is no request of schemas/service.fbs");
  auto const& request = *wire::GetRequest(message.data());
  const wire::Hello* const hello = request.body_as_Hello();
  if (hello == nullptr) return refuse(TAKT_ERROR_REMOTE, "the first request of a connection is Hello");
  if (hello->version() != kServiceVersion)
    return refuse(TAKT_ERROR_REMOTE, "the service has version " + std::to_string(kServiceVersion) +
                                         " of the wire, the client " + std::to_string(hello->version()) +
                                         ": install equal versions of takt");
  if (!options.token.empty() && !is_token(options.token, hello->token()))
    return refuse(TAKT_ERROR_TOKEN, hello->token() == nullptr || hello->token()->size() == 0
                                        ? "the service wants a token: pass the line of its token file"
                                        : "the token is wrong: pass the line of the service's token file");
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

// False when the connection must end after the reply.
bool ServiceHost::Impl::answer_one(Connection& connection, std::span<const std::byte> message,
                                   std::vector<std::byte>& replies) {
  std::size_t const before = replies.size();
  // Also when the request throws.
  struct EndOfStep {
    Connection& connection;
    ~EndOfStep() {
      if (connection.next_look.exchange(0, std::memory_order_relaxed) == 0) return;
      std::lock_guard const lock(connection.mutex);
      connection.stepping = 0;
      connection.is_stopped = false;
      connection.has_later = false;
    }
  } const end_of_step{connection};
  try {
    return connection.session->handle(message, replies);
  } catch (const std::exception&) {  // out of memory
    replies.resize(before);
    append_failure(kNoRequest, TAKT_ERROR_MEMORY, "out of memory at the service: use fewer worlds", replies);
    return false;
  }
}

// A step calls it on any thread, after each tick. A step that takes long gives the connection back: the
// socket thread reads what may end the step.
bool ServiceHost::Impl::is_step_wanted(Connection& connection, std::uint32_t handle) const {
  if (usage.is_stopping.load(std::memory_order_relaxed) || connection.is_gone.load(std::memory_order_relaxed))
    return false;
  Clock::time_point const now = Clock::now();
  Clock::rep const next = connection.next_look.load(std::memory_order_relaxed);
  if (next != 0 && now.time_since_epoch().count() < next) return true;
  connection.next_look.store((now + kLook).time_since_epoch().count(), std::memory_order_relaxed);
  if (next == 0) return true;
  std::lock_guard const lock(connection.mutex);
  if (connection.stepping == 0) {
    connection.stepping = handle;
    give_back(connection);
    connection.look_behind_step_in(connection.behind);
    connection.look_behind_step_in(connection.pending);
  }
  if (!connection.is_stopped) return true;
  connection.next_look.store(1, std::memory_order_relaxed);  // long ago: no further world of a batch begins
  return false;
}

void ServiceHost::Impl::send(Connection& connection, std::vector<std::byte>& replies) const {
  std::lock_guard const lock(connection.mutex);
  if (connection.socket >= 0) {
    bool const was_empty = connection.out_bytes() == 0;
    if (was_empty)
      connection.out.swap(replies);
    else
      connection.out.insert(connection.out.end(), replies.begin(), replies.end());
    // A lost connection is noticed by the socket thread, too.
    if (was_empty && (!connection.write() || connection.out_bytes() > 0)) connection.watch(poll);
    connection.count_buffers();
  }
  replies.clear();
}

// Waits for a job; with a socket or rings, also for their bytes. True when a job waits for this worker.
bool ServiceHost::Impl::wait(Worker& worker, int socket, SharedRings* rings) {
  std::vector<Worker*>& waiting = socket < 0 ? idle : keepers;
  {
    std::lock_guard const lock(queue_mutex);
    if (!jobs.empty() || usage.is_stopping.load(std::memory_order_relaxed)) return true;
    waiting.push_back(&worker);
  }
  if (rings != nullptr)
    worker.call.wait(*rings);
  else
    worker.call.wait(socket);
  std::lock_guard const lock(queue_mutex);
  return std::erase(waiting, &worker) == 0;  // push() has taken it out
}

// True when the worker goes on with a connection that has no requests: it reads the socket itself, so a
// request wakes one thread and not two. The socket thread reads incomplete frames, and writes what the client
// has not read.
bool ServiceHost::Impl::keep(Connection& connection, Worker& worker) const {
  if (connection.is_ending || connection.out_bytes() > 0 || connection.in.size() > 0) return false;
  if (others_wait() || Clock::now() - worker.gave_back < kBackoff) return false;
  if (connection.keeper != nullptr) return true;
  if (connection.uses_rings && !waits_at_rings) return false;
  connection.keeper = &worker.call;
  connection.needs_turn = false;
  if (connection.uses_rings) connection.rings->reader().end_wait();
  connection.watch(poll);
  return true;
}

// Waits for bytes of a connection that the worker keeps. False when the worker must give it back.
bool ServiceHost::Impl::listen(Connection& connection, Worker& worker) {
  int socket = -1;
  SharedRings* rings = nullptr;
  {
    std::lock_guard const lock(connection.mutex);
    socket = connection.socket;
    if (connection.uses_rings) rings = connection.rings.get();
  }
  if (socket < 0) return false;
  worker.trim();
  // Another connection may get the number of a socket that is closed meanwhile: then its bytes wake this
  // worker, which does not read them.
  if (wait(worker, socket, rings)) return false;
  std::lock_guard const lock(connection.mutex);
  return connection.socket >= 0 && receive(connection) != Receipt::kEnd;
}

// With the connection's mutex locked. The socket thread reads the connection again.
void ServiceHost::Impl::give_back(Connection& connection) const {
  if (connection.keeper == nullptr && !connection.uses_rings) return;
  connection.keeper = nullptr;
  connection.rest();
  connection.watch(poll);
}

// Answers what waits, and keeps the connection until another one needs the worker, its replies wait, or it is
// closed. When another connection waits, it gives this one away after a batch.
void ServiceHost::Impl::answer(const std::shared_ptr<Connection>& connection, Worker& worker) {
  worker.replies.clear();  // of another connection
  bool may_keep = true;
  while (true) {
    worker.requests.clear();
    {
      std::lock_guard const lock(connection->mutex);
      if (connection->uses_rings && connection->socket >= 0) (void)receive(*connection);
      bool const has_work = connection->has_work();
      if (usage.is_stopping.load(std::memory_order_relaxed) ||
          (!has_work && !(may_keep && keep(*connection, worker)))) {
        if (connection->keeper != nullptr) worker.gave_back = Clock::now();
        give_back(*connection);
        connection->is_scheduled = false;
        return;
      }
      if (connection->socket < 0) break;  // is_scheduled stays: nobody else takes the session
      if (has_work) {
        worker.requests.swap(connection->pending);
        connection->pending_count = 0;
        connection->count_buffers();
        if (!connection->is_reading) {
          connection->is_reading = true;
          connection->watch(poll);
        }
      }
    }
    if (worker.requests.empty()) {
      may_keep = listen(*connection, worker);
      continue;
    }
    std::span<const std::byte>& rest = connection->behind;
    rest = worker.requests;
    Clock::time_point const start = Clock::now();
    Clock::time_point first_reply = start;
    bool goes_on = true;
    while (!rest.empty() && goes_on) {
      if (worker.replies.empty()) first_reply = Clock::now();
      goes_on = answer_one(*connection, take_frame(rest), worker.replies);
      constexpr std::size_t kChunkBytes = 64 * 1024;
      if (rest.empty() || !goes_on || worker.replies.size() >= kChunkBytes ||
          Clock::now() - first_reply > kReplyDelayMax)
        send(*connection, worker.replies);
      if (rest.empty() || !goes_on) continue;
      bool const is_over = Clock::now() - start > kShare && others_wait();
      std::lock_guard const lock(connection->mutex);
      if (!is_over && connection->out_bytes() <= Connection::kOutBytesMax && connection->socket >= 0 &&
          !usage.is_stopping.load(std::memory_order_relaxed))
        continue;
      // The rest waits for other connections, or until the client has read its replies.
      connection->pending.insert(connection->pending.begin(), rest.begin(), rest.end());
      for (std::span<const std::byte> at = rest; !at.empty(); ++connection->pending_count)
        (void)take_frame(at);
      connection->count_buffers();
      break;
    }
    // Replies of a batch that was left early belong to this connection; those of a closed one are dropped.
    if (!worker.replies.empty()) send(*connection, worker.replies);
    std::lock_guard const lock(connection->mutex);
    // A ring has requests that are not yet in `pending`; a socket that is kept was not read meanwhile,
    // either.
    bool const has_more =
        connection->has_work() || (connection->uses_rings && connection->rings->has_bytes());
    if (goes_on && connection->socket >= 0 && has_more && others_wait()) {
      give_back(*connection);
      push({connection, nullptr});  // behind them, and is_scheduled stays
      return;
    }
    if (goes_on) continue;
    connection->is_ending = true;
    connection->pending.clear();
    connection->pending_count = 0;
    if (connection->socket >= 0 && connection->out_bytes() == 0) connection->shut();
    connection->watch(poll);
  }
  desk.keep(std::move(connection->session), Clock::now());
}

// Ends a connection whose replies found no memory. Its worlds end at once: a lease needs memory, too.
void ServiceHost::Impl::abandon(const std::shared_ptr<Connection>& connection) {
  std::unique_ptr<Session> const session = std::move(connection->session);
  std::lock_guard const lock(connection->mutex);
  connection->keeper = nullptr;
  connection->is_ending = true;  // is_scheduled stays
  connection->pending = {};
  connection->pending_count = 0;
  connection->count_buffers();
  if (connection->socket >= 0) connection->shut();
  connection->watch(poll);
}

void ServiceHost::Impl::run_pool(Worker& worker) {
  while (true) {
    std::optional<Job> job;
    {
      std::lock_guard const lock(queue_mutex);
      if (usage.is_stopping.load(std::memory_order_relaxed)) return;
      if (!jobs.empty()) {
        job = std::move(jobs.front());
        jobs.pop_front();
        job_count.store(jobs.size(), std::memory_order_relaxed);
      }
    }
    if (!job) {
      (void)wait(worker, -1, nullptr);
      continue;
    }
    try {
      if (job->connection != nullptr) answer(job->connection, worker);
    } catch (const std::exception&) {  // out of memory
      abandon(job->connection);
    }
    worker.trim();
  }
}

ServiceHost::Impl::~Impl() {
  {
    std::lock_guard const lock(queue_mutex);
    usage.is_stopping.store(true, std::memory_order_release);
  }
  for (const auto& worker : workers) worker->call.wake();
  if (wake >= 0) ring(wake);
  if (socket_thread.joinable()) socket_thread.join();
  for (std::thread& thread : pool) thread.join();
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
    impl->workers.push_back(std::make_unique<Impl::Worker>());
    if (!impl->workers.back()->call.is_open())
      return ServiceFault{std::string("the system refuses an event: ") + std::strerror(errno)};
  }
  try {
    for (const auto& worker : impl->workers)
      impl->pool.emplace_back([i = impl.get(), w = worker.get()] { i->run_pool(*w); });
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
  counts.connections = impl_->accepted.load(std::memory_order_relaxed);
  counts.requests = impl_->usage.requests.load(std::memory_order_relaxed);
  counts.refused = impl_->usage.refused.load(std::memory_order_relaxed) +
                   impl_->turned_away.load(std::memory_order_relaxed);
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
