// ServiceClient is a connection to `takt service` over TCP, a Unix socket or shared memory. call() sends one
// request and waits for its reply; a function of the caller may end the wait. submit(), flush() and receive()
// keep several requests outstanding, at most kWindow; the replies come in the order of the requests.
// ServiceClient has no thread and does not connect again. Threads may use one client at the same time through
// call(), which makes them wait for one another.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/client/shared_rings.h"
#include "service/client/spin_wait.h"
#include "service/wire/frame.h"
#include "service/wire/values.h"
#include "takt/core/result.h"

namespace takt::service {

struct ClientFault {
  takt_status status;  ///< TAKT_ERROR_REMOTE, TAKT_ERROR_TOKEN and so on
  std::string text;    ///< with the address and the remedy
};

/// The limits that the service has named.
struct ServiceWelcome {
  std::uint32_t frame_bytes_max = 0;
  std::uint32_t window = 0;
  std::uint32_t worlds_max = 0;
  std::uint32_t step_ticks_max = 0;
  std::uint32_t threads = 0;
  std::uint64_t memory_max = 0;
  std::string program;
};

class ServiceClient {
 public:
  /// Returns another number than 0 to end a wait.
  using StopFunction = std::uint32_t (*)(void* context);

  /// A reply that is valid until the next call of receive(), and while call() keeps the lock.
  struct Answer {
    std::unique_lock<std::mutex> lock;
    const wire::Reply* reply = nullptr;      ///< null when the connection is lost
    takt_status status = TAKT_ERROR_REMOTE;  ///< TAKT_ERROR_STOPPED also for a stopped call that was done
    std::string_view text;

    /// True for a call that was done before it could be stopped.
    [[nodiscard]] bool is_late() const noexcept {
      return status == TAKT_ERROR_STOPPED && reply != nullptr && reply->status() == TAKT_OK;
    }
  };

  /// Connects within 10 s and sends Hello.
  [[nodiscard]] static Result<std::shared_ptr<ServiceClient>, ClientFault> connect(
      std::string_view address, std::span<const std::byte> token);
  ~ServiceClient();
  ServiceClient(const ServiceClient&) = delete;
  ServiceClient& operator=(const ServiceClient&) = delete;

  /// Sends the request whose body make(builder) creates, and waits for its reply. `observe` is
  /// Request::observe.
  template <class Make>
  [[nodiscard]] Answer call(Target target, std::uint32_t observe, const Make& make) {
    if (!is_of_this_process()) return {{}, nullptr, TAKT_ERROR_REMOTE, kForked};
    std::unique_lock lock(mutex_);
    std::uint64_t const earlier_id = last_id_;
    bool is_submitted = false;
    try {
      if (!submit(target, observe, make)) return lost(std::move(lock));
      is_submitted = true;
      begin(target);
      Answer answer = flush() ? receive() : lost({});
      finish(answer);
      answer.lock = std::move(lock);
      return answer;
    } catch (...) {  // out of memory
      abandon(earlier_id, is_submitted);
      throw;
    }
  }

  /// Sets a function that call() calls while it waits for the socket: 10 times a second, and when a signal
  /// interrupts the wait; not while it waits for a call of another thread. The first wish to end sends Stop
  /// for the target of the call, and the reply comes at once if the request is a step. A second wish, after a
  /// look without one, ends the connection. Null for none. False in the child of a fork, with no effect.
  [[nodiscard]] bool set_stop(StopFunction is_stopped, void* context);

  /// False after a fork, in the child: requests of two processes on one connection would mix. Its calls fail,
  /// and send nothing.
  [[nodiscard]] bool is_of_this_process() const noexcept { return process_ == ::getpid(); }

  /// Adds a request to those that flush() sends. False when it is larger than a frame, or the connection is
  /// lost. Not with threads; so are flush() and receive().
  template <class Make>
  [[nodiscard]] bool submit(Target target, std::uint32_t observe, const Make& make) {
    builder_.Clear();
    auto const body = make(builder_);
    wire::RequestBuilder request(builder_);
    request.add_id(++last_id_);
    request.add_body(body.Union());
    request.add_handle(target.handle);
    request.add_world_index(target.world_index);
    request.add_observe(observe);
    request.add_body_type(body_type_of(body));
    builder_.Finish(request.Finish(), kIdentifier);
    return append();
  }
  [[nodiscard]] bool flush();
  /// Waits for the next reply.
  [[nodiscard]] Answer receive();

  [[nodiscard]] const ServiceWelcome& welcome() const noexcept { return welcome_; }
  /// The longest spin of a wait for a reply: SpinWait::kLong when this process has more processors than the
  /// service has threads, because a spin must not take a processor from the threads that it waits for.
  [[nodiscard]] std::chrono::nanoseconds spin_max() noexcept { return spin_wait().max(); }

  static constexpr std::string_view kForked =
      "the connection belongs to the process before the fork; connect again in this one";

 private:
  using Clock = std::chrono::steady_clock;

  ServiceClient(int socket, std::string address, bool wants_rings)
      : socket_(socket),
        process_(::getpid()),
        address_(std::move(address)),
        wants_rings_(wants_rings),
        in_(kFrameBytesMax) {}

  template <class Table>
  static constexpr wire::RequestBody body_type_of(flatbuffers::Offset<Table>) {
    return wire::RequestBodyTraits<Table>::enum_value;
  }
  [[nodiscard]] bool append();
  [[nodiscard]] std::span<const std::byte> receive_message();
  [[nodiscard]] bool is_watched() const noexcept { return called_ != nullptr && is_stopped_ != nullptr; }
  [[nodiscard]] SpinWait& spin_wait() noexcept { return rings_ != nullptr ? rings_->spin_wait() : spin_; }
  [[nodiscard]] bool spin();
  [[nodiscard]] bool wait(short events);
  [[nodiscard]] bool wait_for_ring(bool has_to_read);
  [[nodiscard]] bool receive_bytes();
  [[nodiscard]] bool send_to_ring();
  [[nodiscard]] bool send_out();
  void look_for_stop();
  void begin(const Target& target);
  void finish(Answer& answer);
  void abandon(std::uint64_t earlier_id, bool is_submitted) noexcept;
  Answer lost(std::unique_lock<std::mutex> lock);
  void lose(takt_status status, std::string text);
  [[nodiscard]] Result<Unit, ClientFault> greet(std::span<const std::byte> token);
  [[nodiscard]] Result<Unit, ClientFault> open_rings(const wire::Welcome& welcome);

  int socket_;
  pid_t process_;
  std::string address_;
  bool wants_rings_;
  int memory_ = -1;                     // of rings, until they are open
  std::unique_ptr<SharedRings> rings_;  // null = the socket has the frames
  std::mutex mutex_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<std::byte> out_;
  FrameBuffer in_;
  SpinWait spin_;  // for bytes of the socket
  std::uint64_t last_id_ = 0;
  std::uint64_t received_id_ = 0;
  std::uint64_t skipped_id_ = 0;  // replies up to this one belong to calls that found no memory for them
  StopFunction is_stopped_ = nullptr;
  void* stop_context_ = nullptr;
  const Target* called_ = nullptr;       // of the call that waits
  std::vector<std::uint64_t> stop_ids_;  // of requests to stop, whose replies nobody reads, in order
  bool was_stopped_ = false;             // the call that waits
  bool wishes_stop_ = false;             // at the last look of the call that waits
  Clock::time_point next_look_{};        // of the call that waits
  ServiceWelcome welcome_;
  takt_status fault_ = TAKT_OK;  // of the last failure without a reply
  std::string fault_text_;
  bool is_lost_ = false;
};

}  // namespace takt::service
