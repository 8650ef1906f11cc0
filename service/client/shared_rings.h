// SharedRings is the memory of a connection whose client is on the same machine: a ring of requests and a
// ring of replies (docs/SERVICE.md, 3). The service makes the memory and seals its size; the client gets it
// over the Unix socket of the connection, which stays open: its end is the end of the connection. SharedRings
// carries bytes of frames like a socket, and wakes the other side. It reads no frame.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "service/client/spin_wait.h"
#include "service/wire/ring.h"
#include "takt/c/takt.h"
#include "takt/core/result.h"

namespace takt::service {

struct RingSizes {
  std::uint32_t request_bytes = 64u << 10u;
  std::uint32_t reply_bytes = 256u << 10u;

  [[nodiscard]] bool is_valid() const noexcept {
    return is_ring_size(request_bytes) && is_ring_size(reply_bytes);
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;  ///< of the whole memory
};

struct RingFault {
  std::string text;  ///< the reason of the system, or of the check
  int error = 0;     ///< errno of the system; 0 of a check
};

/// TAKT_ERROR_LIMIT or TAKT_ERROR_MEMORY for a shortage, which passes; TAKT_ERROR_UNSUPPORTED for a system
/// that never has rings.
[[nodiscard]] takt_status status_of(const RingFault& fault) noexcept;

class SharedRings {
 public:
  /// The service's side: new memory of valid sizes, all of it present, whose size nobody can change. Its
  /// pages live as long as anyone has the descriptor or a mapping: see remove_memory().
  [[nodiscard]] static Result<std::unique_ptr<SharedRings>, RingFault> create(const RingSizes& sizes);
  /// The client's side of memory that came over `socket`, which must outlive it. Closes `memory` in any case.
  [[nodiscard]] static Result<std::unique_ptr<SharedRings>, RingFault> open(int memory,
                                                                            const RingSizes& sizes,
                                                                            int socket);
  ~SharedRings();
  SharedRings(const SharedRings&) = delete;
  SharedRings& operator=(const SharedRings&) = delete;

  /// The descriptor that the client gets; -1 once it is closed, and at the client.
  [[nodiscard]] int memory() const noexcept { return memory_; }
  void close_memory() noexcept;
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }
  /// Gives all pages back to the system, also those that the other side keeps; the service's side alone. A
  /// client that reads meanwhile finds the rings broken. Nobody uses this side afterwards but its destructor.
  void remove_memory() noexcept;

  /// True when read() has something to do.
  [[nodiscard]] bool has_bytes() const noexcept { return reader_.has_bytes(); }
  /// Bytes for this side; 0 without any.
  [[nodiscard]] std::size_t read(std::span<std::byte> out) noexcept;
  /// Bytes for the other side; returns how many fit.
  [[nodiscard]] std::size_t write(std::span<const std::byte> in) noexcept;
  /// The other side wrote positions that cannot be. Final.
  [[nodiscard]] bool is_broken() const noexcept { return reader_.is_broken() || writer_.is_broken(); }
  /// Wakes the other side, which then finds the end of the socket.
  void wake_other() noexcept;

  /// Waits for bytes at most as long as `limit`, and a spin; a signal ends the wait. True with bytes.
  [[nodiscard]] bool wait_for_bytes(std::chrono::nanoseconds limit) noexcept;
  /// Waits for room at most as long as `limit`; a signal ends the wait. True with room.
  [[nodiscard]] bool wait_for_room(std::chrono::nanoseconds limit) noexcept;

  SpinWait& spin_wait() noexcept { return spin_; }  ///< of wait_for_bytes()
  RingReader& reader() noexcept { return reader_; }
  RingWriter& writer() noexcept { return writer_; }

 private:
  struct Layout;
  SharedRings(int memory, void* mapping, const RingSizes& sizes, int socket) noexcept;
  void wake(RingWait wait, std::atomic<std::uint32_t>& word) const noexcept;
  void sleep_for_bytes(std::chrono::nanoseconds limit) noexcept;

  int memory_;
  int socket_;  // of the client; -1 at the service
  void* mapping_;
  std::size_t size_bytes_;
  RingReader reader_;
  RingWriter writer_;
  SpinWait spin_;  // for bytes
};

/// send() of bytes with a descriptor beside the first one. Does not wait.
[[nodiscard]] ssize_t send_with(int socket, std::span<const std::byte> bytes, int descriptor) noexcept;
/// recv() that also takes a descriptor; -1 when none came. Others that came with it are closed.
[[nodiscard]] ssize_t receive_with(int socket, std::span<std::byte> room, int& descriptor) noexcept;

}  // namespace takt::service
