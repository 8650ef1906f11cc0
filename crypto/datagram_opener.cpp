#include "crypto/datagram_opener.h"

#include <algorithm>
#include <cstring>

#include "crypto/packet_number.h"
#include "crypto/sodium.h"

namespace takt::crypto {

DatagramOpener::DatagramOpener(DatagramCipher cipher, const SecretKey& key, std::uint32_t connection_id)
    : keys_(std::array<std::byte, 4 * 32>{}), connection_id_(connection_id), cipher_(cipher) {
  start_sodium();
  auto const chain = keys_.reveal_for_writing().subspan<kChainAt, 32>();
  std::ranges::copy(key.reveal(), chain.begin());
  advance_key_chain(chain, key_at(static_cast<std::size_t>(KeySlot::kCurrent)));
  advance_key_chain(chain, key_at(static_cast<std::size_t>(KeySlot::kNext)));
}

std::span<std::byte, 32> DatagramOpener::key_at(std::size_t slot) {
  return keys_.reveal_for_writing().subspan(slot * 32).first<32>();
}

void DatagramOpener::handle_time(std::uint64_t now_us) {
  if (!has_previous_ || now_us < previous_until_us_) return;
  has_previous_ = false;
  wipe(key_at(static_cast<std::size_t>(KeySlot::kPrevious)));
}

void DatagramOpener::begin_phase(std::uint64_t first_number, std::uint64_t previous_until_us) {
  auto const current = key_at(static_cast<std::size_t>(KeySlot::kCurrent));
  auto const next = key_at(static_cast<std::size_t>(KeySlot::kNext));
  std::ranges::copy(current, key_at(static_cast<std::size_t>(KeySlot::kPrevious)).begin());
  std::ranges::copy(next, current.begin());
  advance_key_chain(keys_.reveal_for_writing().subspan<kChainAt, 32>(), next);
  has_previous_ = true;
  previous_until_us_ = previous_until_us;
  first_of_phase_ = first_number;
  ++phase_count_;
}

Result<OpenedDatagram, DropReason> DatagramOpener::open(std::uint64_t now_us, std::uint64_t rtt_us,
                                                        std::span<const std::byte> datagram,
                                                        std::span<std::byte> out) {
  handle_time(now_us);
  Result<OpenedDatagram, DropReason> result = try_open(now_us, rtt_us, datagram, out);
  if (!result) ++drop_counts_[static_cast<std::size_t>(result.error())];
  return result;
}

Result<OpenedDatagram, DropReason> DatagramOpener::try_open(std::uint64_t now_us, std::uint64_t rtt_us,
                                                            std::span<const std::byte> datagram,
                                                            std::span<std::byte> out) {
  auto const header = read_sealed_header(datagram);
  if (!header) return header.error();
  if (header->connection_id != connection_id_) return DropReason::kWrongConnection;
  std::uint64_t const number =
      restore_packet_number(window_.newest(), header->number_low, header->number_bytes);
  switch (window_.may_open(number)) {
    case ReplayWindow::Verdict::kReplayed: return DropReason::kReplayed;
    case ReplayWindow::Verdict::kLate: return DropReason::kLate;
    case ReplayWindow::Verdict::kNew: break;
  }
  KeySlot slot = KeySlot::kCurrent;
  if (header->phase != (phase_count_ % 2 == 1)) {
    // Before the first number of this phase it is an overtaken datagram of the previous one.
    slot = number < first_of_phase_ ? KeySlot::kPrevious : KeySlot::kNext;
    if (slot == KeySlot::kPrevious && !has_previous_) return DropReason::kLate;
  }
  auto const sealed = datagram.subspan(header->bytes());
  std::size_t const payload_bytes = sealed.size() - kSealTagBytes;
  TAKT_ASSERT(out.size() >= payload_bytes);
  if (!decrypt_datagram(cipher_, key_at(static_cast<std::size_t>(slot)), number,
                        datagram.first(header->bytes()), sealed, out.data()))
    return DropReason::kForged;
  window_.record(number);
  if (slot == KeySlot::kNext) {
    begin_phase(number, now_us + 3 * rtt_us);
  } else if (slot == KeySlot::kCurrent) {
    first_of_phase_ = std::min(first_of_phase_, number);
  }
  return OpenedDatagram{number, header->flags, out.first(payload_bytes)};
}

}  // namespace takt::crypto
