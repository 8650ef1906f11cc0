// The half of ServiceHost that answers requests.
#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "service/service_host_impl.h"
#include "service/wire/values.h"

namespace takt::service {
namespace {

using Clock = Connection::Clock;
using namespace std::chrono_literals;

constexpr auto kReplyDelayMax = 200us;  // of replies that wait for later ones of the same batch
constexpr auto kLook = 1ms;             // between two looks of a step for a request that ends it
constexpr auto kThreadBackoff = 1s;     // from a refused thread to the next attempt
constexpr auto kBackoff = 1ms;  // from a connection that a worker gives back to the next that it keeps

}  // namespace

// Gives the job to a worker that waits, if there is one: rather to one without a connection.
void ServiceHost::Impl::push(Job job) {
  Worker* worker = nullptr;
  {
    std::lock_guard const lock(queue_mutex);
    job.since_turn = usage.turns_shared.load(std::memory_order_relaxed);
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
  push({.connection = connection});
  connection->is_scheduled = true;
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
      connection.has_stopped = connection.has_stopped || connection.is_stopped;
      connection.is_stopped = false;
      connection.has_later = false;
    }
  } const end_of_step{connection};
  try {
    return connection.session->handle(message, replies);
  } catch (const std::exception&) {                    // out of memory
    replies.resize(std::min(before, replies.size()));  // a long step has sent those before
    append_failure(kNoRequest, TAKT_ERROR_MEMORY, "out of memory at the service: use fewer worlds", replies);
    return false;
  }
}

// A step calls it on any thread, after each tick. A step that takes long gives the connection back: the
// socket thread reads what may end the step. The replies before it leave. It also shares its turn with other
// connections.
bool ServiceHost::Impl::is_step_wanted(Connection& connection, std::uint32_t handle) {
  if (usage.is_stopping.load(std::memory_order_relaxed) || connection.is_gone.load(std::memory_order_relaxed))
    return false;
  Clock::time_point const now = Clock::now();
  Worker& worker = *connection.worker;
  bool const has_to_share = is_over(worker, now);
  Clock::rep const next = connection.next_look.load(std::memory_order_relaxed);
  if (next != 0 && now.time_since_epoch().count() < next && !has_to_share) return true;
  connection.next_look.store((now + kLook).time_since_epoch().count(), std::memory_order_relaxed);
  if (next == 0) return true;
  std::unique_lock lock(connection.mutex);
  if (connection.stepping == 0) {
    connection.stepping = handle;
    give_back(connection);
    connection.look_behind_step_in(connection.behind);
    connection.look_behind_step_in(connection.pending);
    // The thread of the connection is within the step, too, and adds its reply after all threads of it.
    try {
      add_replies(connection, worker.replies);
    } catch (const std::exception&) {  // no memory: they wait for the reply of the step
    }
  }
  if (!connection.is_stopped && has_to_share) share_turn(connection, worker, lock);
  if (connection.is_stopped)
    connection.next_look.store(1, std::memory_order_relaxed);  // long ago: no further world of a batch begins
  return !connection.is_stopped && !connection.is_gone.load(std::memory_order_relaxed);
}

// With the connection's mutex locked, when its long step is to end: its place is before all that wait. Once
// in a turn that it has waited for, so that clients that stop step after step do not keep others waiting. A
// step that has its turn, or the first place, needs no other.
void ServiceHost::Impl::hurry(Connection& connection) {
  if (connection.stepping == 0) return;
  std::lock_guard const lock(queue_mutex);
  auto const job = std::ranges::find(jobs, connection.worker, &Job::parked);
  if (job == jobs.end() || job == jobs.begin()) return;
  if (connection.has_hurried.exchange(true, std::memory_order_relaxed)) return;
  std::rotate(jobs.begin(), job, job + 1);
}

bool ServiceHost::Impl::is_over(const Worker& worker, Clock::time_point now) const noexcept {
  return others_wait() && now - worker.turn_start.load(std::memory_order_relaxed) > options.turn;
}

// Ends the turn of a long step and returns with its next one. The step stays on the stacks of its threads:
// its place in the queue is behind all that wait, and a spare worker answers those. The first thread of a
// batch parks it, and the others wait here from their next tick on. `held` is the lock of the connection's
// mutex, so that nobody ends the step before it has its place; it is free while the step waits.
void ServiceHost::Impl::share_turn(Connection& connection, Worker& worker,
                                   std::unique_lock<std::mutex>& held) {
  std::unique_lock queue(queue_mutex);
  bool const is_first = !worker.is_parked;
  bool const has_hurried = connection.has_hurried.load(std::memory_order_relaxed);
  if (is_first) {
    Clock::time_point const now = Clock::now();
    if (!is_over(worker, now)) return;  // a turn has begun since this thread has looked
    if (!park(connection, worker)) {
      worker.turn_start.store(now, std::memory_order_relaxed);  // the next attempt comes with the next turn
      return;
    }
  }
  held.unlock();
  worker.change.wait(queue,
                     [&] { return !worker.is_parked || usage.is_stopping.load(std::memory_order_relaxed); });
  queue.unlock();
  held.lock();
  // It has waited since, and this is a turn of its own.
  if (is_first && has_hurried) connection.has_hurried.store(false, std::memory_order_relaxed);
  connection.is_extension = false;
}

// With the queue's mutex locked. Gives the turn of a step to a spare worker. False: the step goes on.
bool ServiceHost::Impl::park(const Connection& connection, Worker& worker) {
  if (connection.is_gone.load(std::memory_order_relaxed) || jobs.empty() ||
      usage.is_stopping.load(std::memory_order_relaxed))
    return false;
  std::uint64_t const turn = usage.turns_shared.load(std::memory_order_relaxed) + 1;
  try {
    if (!has_spare()) return false;
    jobs.push_back({.parked = &worker, .since_turn = turn});
  } catch (const std::exception&) {  // no memory, or no thread
    return false;
  }
  job_count.store(jobs.size(), std::memory_order_relaxed);
  worker.is_parked = true;
  usage.turns_shared.store(turn, std::memory_order_relaxed);
  Worker& other = *spares.back();
  spares.pop_back();
  other.is_spare = false;
  other.change.notify_all();
  return true;
}

// With the queue's mutex locked. Starts the thread of a spare worker if there is none. Each connection parks
// one worker at most.
bool ServiceHost::Impl::has_spare() {
  if (!spares.empty()) return true;
  Clock::time_point const now = Clock::now();
  if (now < next_thread) return false;
  next_thread = now + kThreadBackoff;  // unless it succeeds
  auto const ended = std::ranges::find_if(workers, [](const auto& worker) { return worker->has_ended; });
  std::unique_ptr<Worker> made;
  if (ended == workers.end()) {
    std::size_t const count = workers.size() + 1;
    if (count > std::size_t{std::max(options.limits.threads, 1u)} + options.clients_max) return false;
    made = std::make_unique<Worker>();
    if (!made->call.is_open()) return false;
    for (std::vector<Worker*>* const list : {&idle, &keepers, &spares}) list->reserve(count);
    workers.reserve(count);
  }
  Worker& worker = made != nullptr ? *made : **ended;
  if (worker.thread.joinable()) worker.thread.join();  // it has left its last lock of this mutex
  worker.thread = std::thread([this, &worker] { run_pool(worker); });
  worker.has_ended = false;
  worker.is_spare = true;
  spares.push_back(&worker);
  if (made != nullptr) workers.push_back(std::move(made));
  next_thread = {};
  return true;
}

// With the queue's mutex locked, which is free while the worker waits to be wanted. False when its thread
// ends, because no step has needed it for long.
bool ServiceHost::Impl::is_spare_wanted(Worker& worker, std::unique_lock<std::mutex>& queue) {
  auto const is_wanted = [&] {
    return !worker.is_spare || usage.is_stopping.load(std::memory_order_relaxed);
  };
  if (worker.change.wait_for(queue, options.spare_idle, is_wanted)) return true;
  std::erase(spares, &worker);
  worker.has_ended = true;
  return false;
}

// The memory of an ended thread goes when another one has joined it.
void ServiceHost::Impl::join_ended() {
  auto const take = [this] {
    std::lock_guard const lock(queue_mutex);
    auto const found = std::ranges::find_if(
        workers, [](const auto& worker) { return worker->has_ended && worker->thread.joinable(); });
    return found != workers.end() ? std::move((*found)->thread) : std::thread();
  };
  for (std::thread ended = take(); ended.joinable(); ended = take()) ended.join();
}

std::uint32_t ServiceHost::Impl::thread_count() {
  std::lock_guard const lock(queue_mutex);
  return static_cast<std::uint32_t>(
      std::ranges::count_if(workers, [](const auto& worker) { return !worker->has_ended; }));
}

void ServiceHost::Impl::send(Connection& connection, std::vector<std::byte>& replies) const {
  std::lock_guard const lock(connection.mutex);
  add_replies(connection, replies);
}

// With the connection's mutex locked. Without memory the replies stay where they are.
void ServiceHost::Impl::add_replies(Connection& connection, std::vector<std::byte>& replies) const {
  if (replies.empty()) return;
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
  connection->is_extension = false;
  while (true) {
    worker.requests.clear();
    {
      std::lock_guard const lock(connection->mutex);
      if (connection->uses_rings && connection->socket >= 0) (void)receive(*connection);
      bool const has_work = connection->has_work();
      connection->taken_bytes = 0;
      connection->count_buffers();
      if (usage.is_stopping.load(std::memory_order_relaxed) ||
          (!has_work && !(may_keep && keep(*connection, worker)))) {
        if (connection->keeper != nullptr) worker.gave_back = Clock::now();
        give_back(*connection);
        connection->is_scheduled = false;
        return;
      }
      if (connection->socket < 0) break;  // is_scheduled stays: nobody else takes the session
      connection->worker = &worker;
      if (has_work) {
        if (worker.requests.capacity() > Worker::kKeptBytes) free_bytes(worker.requests);
        worker.requests.swap(connection->pending);
        connection->pending_count = 0;
        connection->taken_bytes = worker.requests.capacity();
        connection->count_buffers();
        if (!connection->is_reading) {
          connection->is_reading = true;
          connection->watch(poll);
        }
      }
    }
    if (worker.requests.empty()) {
      may_keep = listen(*connection, worker);
      connection->is_extension = false;
      continue;
    }
    std::span<const std::byte>& rest = connection->behind;
    rest = worker.requests;
    if (!connection->is_extension) {
      worker.turn_start.store(Clock::now(), std::memory_order_relaxed);
      connection->has_hurried.store(false, std::memory_order_relaxed);
    }
    Clock::time_point first_reply{};
    bool goes_on = true;
    while (!rest.empty() && goes_on) {
      if (worker.replies.empty()) first_reply = Clock::now();
      goes_on = answer_one(*connection, take_frame(rest), worker.replies);
      constexpr std::size_t kChunkBytes = 64 * 1024;
      if (rest.empty() || !goes_on || worker.replies.size() >= kChunkBytes ||
          Clock::now() - first_reply > kReplyDelayMax)
        send(*connection, worker.replies);
      if (rest.empty() || !goes_on) continue;
      bool const has_to_share = is_over(worker, Clock::now());
      std::lock_guard const lock(connection->mutex);
      if (!has_to_share && connection->out_bytes() <= Connection::kOutBytesMax && connection->socket >= 0 &&
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
    bool const has_stopped = std::exchange(connection->has_stopped, false);
    connection->is_extension = has_stopped && !connection->is_extension;
    if (goes_on && connection->socket >= 0 && has_more && others_wait() && !connection->is_extension) {
      give_back(*connection);
      // run_pool() frees the large frames of this worker.
      connection->taken_bytes = 0;
      connection->count_buffers();
      push({.connection = connection});  // behind them, and is_scheduled stays
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
  free_bytes(connection->pending);
  connection->pending_count = 0;
  connection->taken_bytes = 0;
  connection->count_buffers();
  if (connection->socket >= 0) connection->shut();
  connection->watch(poll);
}

void ServiceHost::Impl::run_pool(Worker& worker) {
  while (true) {
    std::optional<Job> job;
    {
      std::unique_lock lock(queue_mutex);
      if (worker.is_spare && !is_spare_wanted(worker, lock)) return;
      if (usage.is_stopping.load(std::memory_order_relaxed)) return;
      if (!jobs.empty()) {
        job = std::move(jobs.front());
        jobs.pop_front();
        job_count.store(jobs.size(), std::memory_order_relaxed);
        std::uint64_t const turns = usage.turns_shared.load(std::memory_order_relaxed) - job->since_turn;
        if (turns > turns_waited_max.load(std::memory_order_relaxed))
          turns_waited_max.store(turns, std::memory_order_relaxed);
      }
      if (job && job->parked != nullptr) {
        job->parked->is_parked = false;
        job->parked->turn_start.store(Clock::now(), std::memory_order_relaxed);
        job->parked->change.notify_all();
        worker.is_spare = true;
        spares.push_back(&worker);
      }
    }
    if (!job) {
      (void)wait(worker, -1, nullptr);
      continue;
    }
    if (job->parked != nullptr) {
      free_bytes(worker.requests);
      free_bytes(worker.replies);
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

}  // namespace takt::service
