// DatagramSealer seals the datagrams of one direction of a session: it numbers them, writes the header of
// crypto/sealed_datagram.h and encrypts the payload. It begins a new key phase after 2^20 datagrams or ten
// minutes, once the peer has acknowledged a datagram of the present phase; by then the peer has this phase's
// key and can derive the next. It sends nothing, and knows no lost datagrams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crypto/datagram_cipher.h"
#include "crypto/sealed_datagram.h"
#include "takt/crypto/secret.h"

namespace takt::crypto {

/// The end of a key phase: whatever comes first.
struct KeyPhaseLimits {
  std::uint64_t datagrams = std::uint64_t{1} << 20;
  std::uint64_t duration_us = 600'000'000;
};

class DatagramSealer {
 public:
  /// `key`: the key of this direction (SessionKeys).
  DatagramSealer(DatagramCipher cipher, const SecretKey& key, std::uint32_t connection_id,
                 std::uint64_t now_us, KeyPhaseLimits limits = {});

  /// Seals one datagram into `out`, which has place for the payload and kSealOverheadBytesMax (asserted).
  /// Returns the bytes of the datagram. `acked`: the newest number that the peer acknowledged, 0 = none.
  [[nodiscard]] std::size_t seal(std::uint64_t now_us, std::uint64_t acked, SealFlags flags,
                                 std::span<const std::byte> payload, std::span<std::byte> out);

  /// Leaves the next number out: no datagram has it. A peer that acknowledges it is caught in a lie.
  void skip_number() noexcept { ++next_number_; }

  /// Number of the next datagram; the first is 1.
  [[nodiscard]] std::uint64_t next_number() const noexcept { return next_number_; }
  /// Number of phases before the present one.
  [[nodiscard]] std::uint64_t phase_count() const noexcept { return phase_count_; }

 private:
  void begin_phase(std::uint64_t now_us);

  Secret<64> keys_;  // packet key, chain secret of the next phase
  KeyPhaseLimits limits_;
  std::uint32_t connection_id_;
  DatagramCipher cipher_;
  std::uint64_t next_number_ = 1;
  std::uint64_t first_of_phase_ = 1;
  std::uint64_t phase_began_us_ = 0;
  std::uint64_t phase_count_ = 0;
};

}  // namespace takt::crypto
