// JoinAssembler joins, on a client, the slices of a join image: the saved simulation that a server may send
// to a new client. The reliable channel keeps the order of slices. The assembler checks that each slice
// continues the one before, and the hash of the whole image. Any fault gives Outcome::kBad; ClientInbox,
// which owns the assembler, then ends the session.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/messages/message.h"

namespace takt::protocol {

class JoinAssembler {
 public:
  /// `bytes_max`: greatest image taken. Memory grows with what has arrived, not with what was announced.
  explicit JoinAssembler(std::uint64_t bytes_max) noexcept : bytes_max_(bytes_max) {}

  enum class Outcome : std::uint8_t { kNeedMore, kComplete, kBad };
  /// On complete, take_bytes() has the image. On bad the image is dropped; the next slice with offset 0
  /// starts anew.
  [[nodiscard]] Outcome handle_slice(JoinSlice&& slice);
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
