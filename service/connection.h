// Connection is one client of ServiceHost: its socket or its rings, the requests that wait, and the replies
// that the socket or the ring has not accepted yet. The socket thread reads requests and closes the
// connection; a thread of the pool answers them, and reads further ones while it keeps the connection.
// `mutex` guards what both use. Connection does not schedule itself.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "service/client/shared_rings.h"
#include "service/ring_desk.h"
#include "service/session.h"
#include "service/wire/frame.h"
#include "service/worker.h"

namespace takt::service {

struct Connection : std::enable_shared_from_this<Connection> {
  using Clock = std::chrono::steady_clock;

  /// Replies that wait before the requests of a slow reader wait too, and before it is read no more.
  static constexpr std::size_t kOutBytesMax = 1u << 20u;
  static constexpr std::size_t kPendingBytesMax = kFrameBytesMax;

  /// `sum` counts the memory of the buffers of all connections, and outlives this one.
  Connection(int s, std::atomic<std::uint64_t>& sum) : socket(s), buffer_sum(&sum) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The socket thread alone uses these.
  Clock::time_point opened = Clock::now();
  bool is_greeted = false;  ///< has sent a good Hello; not set after a thread of the pool has the connection

  std::mutex mutex;
  // Guarded by the mutex:
  int socket;                    ///< -1 once closed
  WorkerCall* keeper = nullptr;  ///< of the worker that reads the connection; null = the socket thread reads
  /// Shared memory with the client; null = none. A byte of the socket says then that the ring has bytes, or
  /// room for replies. The socket thread makes it, before a thread of the pool has the connection.
  std::unique_ptr<SharedRings> rings;
  bool uses_rings = false;  ///< the Welcome has left, over the socket, and all else goes through the rings
  bool needs_turn =
      false;  ///< the ring has requests for the socket thread, which no byte of the socket tells
  FrameBuffer in{kHelloBytesMax};
  Clock::time_point progressed = opened;  ///< when the client last sent or read bytes
  std::vector<std::byte> pending;         ///< whole frames, in order
  std::uint32_t pending_count = 0;
  std::vector<std::byte> out;
  std::size_t out_begin = 0;        ///< of `out`, what the socket has not accepted
  std::size_t taken_bytes = 0;      ///< memory of the requests that a worker has taken from `pending`
  std::uint32_t watched = EPOLLIN;  ///< events that the poll has, which begins with EPOLLIN
  bool is_scheduled = false;        ///< in the queue of the pool, or with one of its threads
  bool is_reading = true;
  bool is_ending = false;        ///< no more requests; closed when `out` is written
  std::uint32_t stepping = 0;    ///< handle of the step that is computed, once it has taken kLook; 0 = none
  bool is_shut = false;          ///< this side has ended the socket
  bool has_client_left = false;  ///< the other side has, first
  bool is_stopped = false;       ///< the client has sent what ends the step of `stepping`
  bool has_later = false;        ///< a request of `stepping` waits behind the step: Destroy does not end it
  bool has_stopped = false;      ///< a step of these requests was stopped
  /// These requests are behind a stopped step, and have the rest of its turn. The thread that answers reads
  /// it between steps.
  bool is_extension = false;

  std::atomic<bool> is_gone{false};  ///< closed: a step ends early
  /// When the step that is computed looks for an end again; 0 = at its next tick it computes when.
  std::atomic<Clock::rep> next_look{0};
  /// A step has passed those that wait, since the last turn that it waited for; set with the queue's mutex
  /// locked.
  std::atomic<bool> has_hurried{false};
  std::atomic<std::uint64_t>* buffer_sum;
  RingDesk* ring_desk = nullptr;  ///< takes the rings; null without
  std::uint64_t counted_in = 0;   ///< of `in`; guarded by the mutex
  std::uint64_t counted = 0;      ///< of all other buffers; guarded by the mutex

  // The socket thread makes it; the thread that answers uses it while is_scheduled.
  std::unique_ptr<Session> session;
  // The thread that answers uses them, and the threads of a batch that it steps: frames behind the request,
  // and the worker of that thread, which it writes with the mutex locked.
  std::span<const std::byte> behind;
  Worker* worker = nullptr;

  // With the mutex locked:
  [[nodiscard]] std::size_t out_bytes() const noexcept { return out.size() - out_begin; }
  /// True when a thread of the pool has work.
  [[nodiscard]] bool has_work() const noexcept {
    return socket < 0 || (!is_ending && pending_count > 0 && out_bytes() <= kOutBytesMax);
  }
  /// Brings the sum up to date after a change of `pending`, `out` or `taken_bytes`.
  void count_buffers() noexcept { count(pending.capacity() + out.capacity() + taken_bytes, counted); }
  /// Brings the sum up to date after a change of `in`.
  void count_in() noexcept { count(in.capacity(), counted_in); }
  /// Makes rings within `limit` bytes of all connections; `desk` outlives the connection. The socket thread
  /// alone calls it.
  [[nodiscard]] Result<Unit, RingFault> open_rings(const RingSizes& sizes, std::uint64_t limit,
                                                   RingDesk& desk);
  /// Ends the socket in both directions, which wakes the socket thread.
  void shut() noexcept;
  /// Closes the socket, and remembers which side ended it.
  void close_socket() noexcept;
  /// Writes what the socket or the ring accepts at once, and counts. False when the connection is lost.
  [[nodiscard]] bool write();
  /// Gives the rings to the socket thread: a byte of the socket tells of later requests.
  void rest() noexcept;
  /// Looks at a request behind the long step of `stepping`. Stop ends the step. Destroy of its world or batch
  /// ends it, too, unless a request between them has the state after the whole step.
  void look_behind_step(std::span<const std::byte> message);
  /// look_behind_step() for the messages of whole frames.
  void look_behind_step_in(std::span<const std::byte> frames);
  /// Tells the system which events of the socket are of interest, if they have changed.
  void watch(int poll);

 private:
  void count(std::uint64_t bytes, std::uint64_t& before) const noexcept {
    buffer_sum->fetch_add(bytes - before, std::memory_order_relaxed);  // modulo 2^64
    before = bytes;
  }
  [[nodiscard]] bool write_some();
  [[nodiscard]] bool write_ring();
  void refuse_rings();
  // Gives the memory of written bytes to later replies.
  void drop_written();
};

/// Takes the first frame away from whole frames, and returns its message.
[[nodiscard]] std::span<const std::byte> take_frame(std::span<const std::byte>& frames);

}  // namespace takt::service
