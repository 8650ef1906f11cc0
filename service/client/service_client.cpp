#include "service/client/service_client.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "service/client/stream_options.h"
#include "service/wire/door.h"

namespace takt::service {
namespace {

constexpr timeval kPatience{10, 0};              // for the connection and the first reply
constexpr timeval kForever{0, 0};                // for replies
constexpr std::chrono::milliseconds kTurn{100};  // between two looks at the stop function

void set_timeouts(int socket, timeval limit) {
  (void)::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  (void)::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

bool connect_to(int socket, const sockaddr* address, socklen_t bytes) {
  set_timeouts(socket, kPatience);
  return ::connect(socket, address, bytes) == 0;
}

int open_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  int const socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  if (connect_to(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address)) return socket;
  int const reason = errno;
  ::close(socket);
  errno = reason;
  return -1;
}

// Sets `reason` to the text of the last failure. Allocates nothing while a socket has no owner.
int open_tcp(const Door& door, const char*& reason) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  int const error = ::getaddrinfo(door.host.c_str(), std::to_string(door.port).c_str(), &hints, &found);
  if (error != 0) {
    reason = ::gai_strerror(error);
    return -1;
  }
  int socket = -1;
  for (const addrinfo* at = found; at != nullptr && socket < 0; at = at->ai_next) {
    socket = ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    if (connect_to(socket, at->ai_addr, at->ai_addrlen)) break;
    reason = std::strerror(errno);
    ::close(socket);
    socket = -1;
  }
  ::freeaddrinfo(found);
  if (socket >= 0) set_stream_options(socket);
  return socket;
}

constexpr std::string_view kEnded = "the service ended the connection: connect again";
constexpr std::string_view kBroken =
    "the shared memory has a position that cannot be, or is gone: connect again, or to unix:PATH";

std::string lost_text(int reason) {
  if (reason == EAGAIN || reason == EWOULDBLOCK) return "no answer within 10 s: the service is busy";
  return std::string("the connection is lost: ") + std::strerror(reason);
}

}  // namespace

Result<std::shared_ptr<ServiceClient>, ClientFault> ServiceClient::connect(std::string_view address,
                                                                           std::span<const std::byte> token) {
  auto const door = parse_door(address);
  if (!door || (!door->is_unix() && door->port == 0))
    return ClientFault{
        TAKT_ERROR_RANGE,
        std::string(address) + ": write unix:PATH, shm:PATH or tcp:HOST:PORT with a port of 1 to 65535"};
  if (token.size() > kTokenBytesMax)
    return ClientFault{TAKT_ERROR_RANGE, "the token has more than 256 bytes"};
  std::shared_ptr<ServiceClient> client(new ServiceClient(std::string(address), door->is_shared));
  const char* reason = nullptr;
  client->socket_ = door->is_unix() ? open_unix(door->path) : open_tcp(*door, reason);
  if (client->socket_ < 0) {
    if (reason == nullptr) reason = std::strerror(errno);
    return ClientFault{TAKT_ERROR_REMOTE,
                       std::string(address) + ": " + reason + "; start 'takt service' there"};
  }
  if (auto const greeted = client->greet(token); !greeted) return greeted.error();
  set_timeouts(client->socket_, kForever);
  return client;
}

ServiceClient::~ServiceClient() {
  if (memory_ >= 0) ::close(memory_);
  if (socket_ >= 0) ::close(socket_);
}

Result<Unit, ClientFault> ServiceClient::greet(std::span<const std::byte> token) {
  Answer const answer = call({}, 0, [&](flatbuffers::FlatBufferBuilder& b) {
    auto const bytes = b.CreateVector(reinterpret_cast<const std::uint8_t*>(token.data()), token.size());
    return wire::CreateHello(b, kServiceVersion, bytes, wants_rings_);
  });
  if (answer.status != TAKT_OK)
    return ClientFault{answer.status, answer.reply != nullptr ? address_ + ": " + std::string(answer.text)
                                                              : std::string(answer.text)};
  const wire::Welcome* const from = answer.reply->welcome();
  if (from == nullptr)
    return ClientFault{TAKT_ERROR_REMOTE, address_ + ": the program there is no takt service"};
  welcome_.frame_bytes_max = from->frame_bytes_max();
  welcome_.window = from->window();
  welcome_.worlds_max = from->worlds_max();
  welcome_.step_ticks_max = from->step_ticks_max();
  welcome_.threads = from->threads();
  welcome_.memory_max = from->memory_max();
  if (from->program() != nullptr) welcome_.program = from->program()->str();
  if (wants_rings_) {
    if (auto const opened = open_rings(*from); !opened) return opened.error();
  }
  if (welcome_.threads < processor_count()) spin_wait().allow_long_spins();
  return Unit{};
}

Result<Unit, ClientFault> ServiceClient::open_rings(const wire::Welcome& welcome) {
  if (welcome.request_ring_bytes() == 0)
    return ClientFault{TAKT_ERROR_UNSUPPORTED,
                       address_ +
                           ": the service has no shared memory; install an equal version of takt "
                           "there, or connect to unix:PATH"};
  RingSizes const sizes{welcome.request_ring_bytes(), welcome.reply_ring_bytes()};
  auto rings = SharedRings::open(std::exchange(memory_, -1), sizes, socket_);
  if (!rings)
    return ClientFault{status_of(rings.error()),
                       address_ + ": " + rings.error().text + "; connect to unix:PATH"};
  rings_ = *std::move(rings);
  return Unit{};
}

bool ServiceClient::set_stop(StopFunction is_stopped, void* context) {
  if (!is_of_this_process()) return false;  // its copy of the mutex may be locked for ever
  std::lock_guard const lock(mutex_);
  is_stopped_ = is_stopped;
  stop_context_ = context;
  return true;
}

bool ServiceClient::wants_stop() {
  std::lock_guard const lock(mutex_);
  return is_stopped_ != nullptr && is_stopped_(stop_context_) != 0;
}

// A wish that lasts is one wish.
void ServiceClient::look_for_stop() {
  next_look_ = Clock::now() + kTurn;
  bool const had_wish = wishes_stop_;
  wishes_stop_ = is_stopped_(stop_context_) != 0;
  if (!wishes_stop_ || had_wish) return;
  if (was_stopped_) return lose(TAKT_ERROR_REMOTE, "the call was stopped twice, so the connection has ended");
  was_stopped_ = true;
  if (!submit(*called_, 0, [](flatbuffers::FlatBufferBuilder& b) { return wire::CreateStop(b); })) return;
  stop_ids_.push_back(last_id_);
}

// Polls for a reply, which often comes sooner than this thread could sleep and wake. True when there are
// bytes, or a signal that may be the wish to stop.
bool ServiceClient::spin() {
  pollfd reply{socket_, POLLIN, 0};
  bool is_interrupted = false;
  auto const has_reply = [&] {
    int const ready = ::poll(&reply, 1, 0);
    is_interrupted = is_interrupted || (ready < 0 && errno == EINTR);
    return ready > 0 || (is_interrupted && is_watched());
  };
  auto const sleep = [&](std::chrono::nanoseconds limit) {
    timespec const time{0, static_cast<long>(limit.count())};
    is_interrupted = ::ppoll(&reply, 1, &time, nullptr) < 0 && errno == EINTR;
  };
  bool const is_over = spin_.spin(has_reply, sleep);
  if (is_interrupted && is_watched()) next_look_ = Clock::now();
  return is_over && reply.revents != 0;
}

// Waits for the socket in a call that may be stopped; else recv() and send() wait. False when the connection
// is lost.
bool ServiceClient::wait(short events) {
  bool const is_due = is_watched() && Clock::now() >= next_look_;
  if (events == POLLIN && !is_due && spin()) return !is_lost_;
  while (is_watched() && !is_lost_) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(next_look_ - Clock::now());
    pollfd source{socket_, events, 0};
    if (left.count() > 0) {
      int const count = ::poll(&source, 1, static_cast<int>(left.count()));
      if (count > 0 || (count < 0 && errno != EINTR)) return true;
    }
    look_for_stop();
    // A connection that takes no bytes may have replies: receive_message() finds out.
    if (events == POLLIN && !send_out()) return !is_lost_;
  }
  return !is_lost_;
}

// Waits for bytes of the ring of replies, or for room in the ring of requests. A service that was killed
// wakes nobody, so each turn looks at the socket. False when the connection is lost; when it has ended and
// the wait is for room, with the reason in errno, because the last reply may have another one.
bool ServiceClient::wait_for_ring(bool has_to_read) {
  while (!is_lost_) {
    auto const left = is_watched() ? next_look_ - Clock::now() : Clock::duration(kTurn);
    if (left.count() > 0 && (has_to_read ? rings_->wait_for_bytes(left) : rings_->wait_for_room(left)))
      return true;
    pollfd source{socket_, POLLRDHUP, 0};
    if (::poll(&source, 1, 0) > 0) {
      if (has_to_read && rings_->has_bytes()) return true;
      errno = EPIPE;
      if (has_to_read) lose(TAKT_ERROR_REMOTE, std::string(kEnded));
      return false;
    }
    if (!is_watched()) continue;
    look_for_stop();
    if (has_to_read && !send_out()) return !is_lost_;
  }
  return false;
}

void ServiceClient::begin(const Target& target) {
  called_ = &target;
  if (is_stopped_ != nullptr) next_look_ = Clock::now() + kTurn;
}

void ServiceClient::finish(Answer& answer) {
  called_ = nullptr;
  if (was_stopped_ && answer.status == TAKT_OK) {
    answer.status = TAKT_ERROR_STOPPED;
    answer.text = "the call was stopped: its effects stay, but what it made is destroyed";
  }
  was_stopped_ = false;
  wishes_stop_ = false;
}

// After a call that found no memory: the next one must not get its reply. A request that was sent in part, or
// a stop that may be missing, ends the connection.
void ServiceClient::abandon(std::uint64_t earlier_id, bool is_submitted) noexcept {
  // A builder that found no memory takes its buffer for as large as it wanted it.
  builder_ = flatbuffers::FlatBufferBuilder();
  called_ = nullptr;
  wishes_stop_ = false;
  bool const has_stopped = std::exchange(was_stopped_, false);
  if (is_lost_) return;
  if (!is_submitted) {
    out_.clear();
    last_id_ = earlier_id;
  } else if (out_.empty() && !has_stopped) {
    skipped_id_ = last_id_;
  } else {
    fault_ = TAKT_ERROR_REMOTE;
    fault_text_.clear();
    is_lost_ = true;
    if (is_of_this_process()) (void)::shutdown(socket_, SHUT_RDWR);
  }
}

// The service learns of the end at once, also while handles of its worlds live.
void ServiceClient::lose(takt_status status, std::string text) {
  fault_ = status;
  fault_text_ = address_ + ": " + std::move(text);
  is_lost_ = true;
  if (is_of_this_process()) (void)::shutdown(socket_, SHUT_RDWR);
}

ServiceClient::Answer ServiceClient::lost(std::unique_lock<std::mutex> lock) {
  return {std::move(lock), nullptr, fault_, fault_text_};
}

bool ServiceClient::append() {
  if (is_lost_) return false;
  std::uint32_t const limit = welcome_.frame_bytes_max != 0 ? welcome_.frame_bytes_max : kFrameBytesMax;
  std::size_t const bytes = builder_.GetSize();
  if (bytes > limit) {
    --last_id_;
    fault_ = TAKT_ERROR_LIMIT;
    fault_text_ =
        "limit frame: the request has " + std::to_string(bytes) + " bytes of " + std::to_string(limit);
    return false;
  }
  std::size_t const at = out_.size();
  out_.resize(at + kFrameHeadBytes + bytes);
  put_frame_head(std::span(out_).subspan(at).first<kFrameHeadBytes>(), static_cast<std::uint32_t>(bytes));
  std::memcpy(out_.data() + at + kFrameHeadBytes, builder_.GetBufferPointer(), bytes);
  return true;
}

// Sends what waits. False when the connection takes no more, with the reason in errno.
bool ServiceClient::send_out() {
  if (rings_ != nullptr) return send_to_ring();
  std::size_t sent = 0;
  while (sent < out_.size() && !is_lost_) {
    ssize_t const count = ::send(socket_, out_.data() + sent, out_.size() - sent,
                                 MSG_NOSIGNAL | (is_watched() ? MSG_DONTWAIT : 0));
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EINTR) {
      if (is_watched()) look_for_stop();  // which may add to what waits
    } else if (errno == EAGAIN && is_watched()) {
      if (!wait(POLLOUT)) break;
    } else {
      out_.clear();
      return false;
    }
  }
  out_.clear();
  return !is_lost_;
}

bool ServiceClient::send_to_ring() {
  std::size_t sent = 0;
  while (sent < out_.size() && !is_lost_) {  // a look for the end of a wait may add to what waits
    std::size_t const count = rings_->write(std::span(out_).subspan(sent));
    sent += count;
    if (rings_->is_broken()) lose(TAKT_ERROR_REMOTE, std::string(kBroken));
    if (count > 0 || is_lost_ || wait_for_ring(false)) continue;
    out_.clear();
    return false;
  }
  out_.clear();
  return !is_lost_;
}

bool ServiceClient::flush() {
  if (is_lost_) return false;
  if (send_out()) return true;
  int const reason = errno;
  // A service that ended the connection has said why, if these bytes are still here.
  if (!is_lost_ && (reason == EPIPE || reason == ECONNRESET)) (void)receive();
  if (!is_lost_) lose(TAKT_ERROR_REMOTE, lost_text(reason));
  return false;
}

// Waits for a message; empty when the connection is lost.
std::span<const std::byte> ServiceClient::receive_message() {
  std::span<const std::byte> message;
  while (!is_lost_ && !in_.next(message)) {
    if (in_.fault() != FrameFault::kNone) {
      lose(TAKT_ERROR_REMOTE, "the program there sent no frame of a takt service");
      break;
    }
    if (!receive_bytes()) break;
  }
  return is_lost_ ? std::span<const std::byte>() : message;
}

// Waits for bytes of the stream. False when the connection is lost.
bool ServiceClient::receive_bytes() {
  if (!(rings_ != nullptr ? wait_for_ring(true) : wait(POLLIN))) return false;
  std::span<std::byte> const room = in_.room();
  ssize_t count = 0;
  if (rings_ != nullptr) {
    in_.add(rings_->read(room));
    if (rings_->is_broken()) lose(TAKT_ERROR_REMOTE, std::string(kBroken));
    return !is_lost_;
  }
  if (wants_rings_ && memory_ == -1)
    count = receive_with(socket_, room, memory_);
  else
    count = ::recv(socket_, room.data(), room.size(), is_watched() ? MSG_DONTWAIT : 0);
  if (count < 0 && (errno == EINTR || (errno == EAGAIN && is_watched()))) return true;
  if (count == 0) lose(TAKT_ERROR_REMOTE, std::string(kEnded));
  if (count < 0) lose(TAKT_ERROR_REMOTE, lost_text(errno));
  if (count > 0) {
    spin_.end_sleep();
    in_.add(static_cast<std::size_t>(count));
  }
  return !is_lost_;
}

ServiceClient::Answer ServiceClient::receive() {
  while (true) {
    std::span<const std::byte> const message = receive_message();
    if (is_lost_) return lost({});
    if (!verify<wire::Reply>(message.data(), message.size())) {
      lose(TAKT_ERROR_REMOTE, "the service sent a message that is no reply");
      return lost({});
    }
    auto const* const reply = flatbuffers::GetRoot<wire::Reply>(message.data());
    std::string_view const text =
        reply->text() != nullptr ? reply->text()->string_view() : std::string_view{};
    if (reply->id() != ++received_id_) {  // a reply to no request is the service's last word
      lose(reply->status() != TAKT_OK ? reply->status() : TAKT_ERROR_REMOTE,
           text.empty() ? "the service sent a reply to another request" : std::string(text));
      return lost({});
    }
    if (reply->id() <= skipped_id_) continue;
    if (stop_ids_.empty() || stop_ids_.front() != reply->id()) return {{}, reply, reply->status(), text};
    stop_ids_.erase(stop_ids_.begin());
  }
}

}  // namespace takt::service
