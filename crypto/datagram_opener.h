// DatagramOpener opens the datagrams of one direction of a session (crypto/sealed_datagram.h) and drops, with
// a count, each that is forged, changed, replayed, late, reflected or of another session. A dropped datagram
// changes nothing but its count and costs at most one decryption. The opener follows the sender into a new
// key phase when a datagram of that phase opens, and keeps the previous key for 3 RTT, for datagrams that
// were overtaken. The key then is wiped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "crypto/datagram_cipher.h"
#include "crypto/replay_window.h"
#include "crypto/sealed_datagram.h"
#include "takt/core/result.h"
#include "takt/crypto/secret.h"

namespace takt::crypto {

struct OpenedDatagram {
  std::uint64_t number = 0;
  SealFlags flags;
  std::span<std::byte> payload;  ///< in the caller's buffer
};

class DatagramOpener {
 public:
  /// `key`: the key of this direction (SessionKeys).
  DatagramOpener(DatagramCipher cipher, const SecretKey& key, std::uint32_t connection_id);

  /// Opens a datagram into `out`, which has place for datagram.size() - kSealOverheadBytes (asserted for
  /// datagrams that are long enough). `rtt_us`: the round-trip time of the session.
  [[nodiscard]] Result<OpenedDatagram, DropReason> open(std::uint64_t now_us, std::uint64_t rtt_us,
                                                        std::span<const std::byte> datagram,
                                                        std::span<std::byte> out);
  /// Wipes the previous key when its time is over. open() calls it; a session without traffic calls it too.
  void handle_time(std::uint64_t now_us);

  /// Dropped datagrams by reason.
  [[nodiscard]] std::uint64_t drop_count(DropReason reason) const noexcept {
    return drop_counts_[static_cast<std::size_t>(reason)];
  }
  [[nodiscard]] std::uint64_t newest() const noexcept { return window_.newest(); }
  [[nodiscard]] std::uint64_t phase_count() const noexcept { return phase_count_; }
  [[nodiscard]] bool has_previous_key() const noexcept { return has_previous_; }

 private:
  enum class KeySlot : std::uint8_t { kCurrent, kNext, kPrevious };
  static constexpr std::size_t kChainAt = 3 * 32;
  [[nodiscard]] std::span<std::byte, 32> key_at(std::size_t slot);
  [[nodiscard]] Result<OpenedDatagram, DropReason> try_open(std::uint64_t now_us, std::uint64_t rtt_us,
                                                            std::span<const std::byte> datagram,
                                                            std::span<std::byte> out);
  void begin_phase(std::uint64_t first_number, std::uint64_t previous_until_us);

  Secret<4 * 32> keys_;  // packet keys by KeySlot, then the chain secret behind the next phase
  ReplayWindow window_;
  std::uint32_t connection_id_;
  DatagramCipher cipher_;
  std::uint64_t first_of_phase_ = 1;  // the smallest number that was opened in the current phase
  std::uint64_t phase_count_ = 0;
  std::uint64_t previous_until_us_ = 0;
  bool has_previous_ = false;
  std::array<std::uint64_t, kDropReasonCount> drop_counts_{};
};

}  // namespace takt::crypto
