// JoinAssembler joins, on a client, the slices of a join image: the saved simulation that a server may send
// to a new client. The reliable channel keeps the order of slices. The assembler checks that each slice
// continues the one before, and the hash of the whole image. A first slice begins another image: a server
// gives up one that a newer has replaced. Any fault gives Outcome::kBad; ClientInbox, which owns the
// assembler, then ends the session.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/messages/message.h"

namespace takt::protocol {

class JoinAssembler {
 public:
  /// `bytes_max`: greatest image that is accepted. Memory grows with the bytes that arrive, not with
  /// JoinSlice::total_bytes.
  explicit JoinAssembler(std::uint64_t bytes_max) noexcept : bytes_max_(bytes_max) {}

  enum class Outcome : std::uint8_t { kNeedMore, kComplete, kBad };
  /// kComplete: take_bytes() has the image, until the next call. kBad: the image is dropped, and the next
  /// slice must have offset 0. No honest server sends a slice that gives kBad.
  [[nodiscard]] Outcome handle_slice(JoinSlice&& slice);
  /// Drops an image that is arriving.
  void clear() noexcept { (void)reset(Outcome::kNeedMore); }
  /// Moves the complete image out; empty otherwise.
  [[nodiscard]] std::vector<std::byte> take_bytes() noexcept;

 private:
  Outcome reset(Outcome outcome) noexcept;

  std::uint64_t bytes_max_;
  std::vector<std::byte> bytes_;
  std::uint64_t tick_ = 0;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t hash_ = 0;
  bool active_ = false;
};

}  // namespace takt::protocol
