// ServiceHost::Impl is shared by the files of its two halves: service_host.cpp has the thread of the sockets,
// service_pool.cpp the threads that answer. No other file includes it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "service/client/futex.h"
#include "service/connection.h"
#include "service/lease_desk.h"
#include "service/ring_desk.h"
#include "service/service_host.h"
#include "service/worker.h"

namespace takt::service {

struct ServiceHost::Impl {
  using Clock = Connection::Clock;

  // A connection with requests, a session to destroy, or a worker whose long step waits for its next turn.
  struct Job {
    std::shared_ptr<Connection> connection = nullptr;
    std::unique_ptr<Session> session = nullptr;
    Worker* parked = nullptr;
    std::uint64_t since_turn = 0;  // ServiceUsage::turns_shared when it came
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
  [[nodiscard]] bool is_step_wanted(Connection& connection, std::uint32_t handle);
  void share_turn(Connection& connection, Worker& worker, std::unique_lock<std::mutex>& held);
  [[nodiscard]] bool is_over(const Worker& worker, Clock::time_point now) const noexcept;
  [[nodiscard]] std::uint32_t thread_count();
  void join_ended();
  // With the queue's mutex locked.
  [[nodiscard]] bool park(const Connection& connection, Worker& worker);
  [[nodiscard]] bool has_spare();
  [[nodiscard]] bool is_spare_wanted(Worker& worker, std::unique_lock<std::mutex>& queue);
  void send(Connection& connection, std::vector<std::byte>& replies) const;
  // With the connection's mutex locked.
  void add_replies(Connection& connection, std::vector<std::byte>& replies) const;
  [[nodiscard]] bool keep(Connection& connection, Worker& worker) const;
  void give_back(Connection& connection) const;
  void hurry(Connection& connection);
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
  std::atomic<std::uint64_t> turns_waited_max{0};  // written with the queue's mutex locked
  std::vector<Worker*> idle;                       // workers that wait for a job; capacity for all of them
  std::vector<Worker*> keepers;  // those that wait for a job or for requests of their connection
  std::vector<Worker*> spares;   // as many as are parked, or more; capacity for all workers

  Clock::time_point next_thread{};  // attempt to start a spare one

  bool waits_at_rings = options.may_wait_at_rings && can_wait_at_either();
  std::vector<std::unique_ptr<Worker>> workers;
  std::thread socket_thread;
};

}  // namespace takt::service
