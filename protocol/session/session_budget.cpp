#include "protocol/session/session_budget.h"

namespace takt::protocol {

SessionBudget::SessionBudget(const SessionLimits& limits, std::uint64_t now_us) noexcept
    : datagrams_(limits.datagrams_per_s, limits.datagram_burst, now_us),
      bytes_(limits.bytes_per_s, limits.byte_burst, now_us),
      messages_(limits.messages_per_s, limits.message_burst, now_us),
      excess_(limits.excess_per_s, limits.excess_burst, now_us),
      malformed_(limits.malformed_per_s, limits.malformed_burst, now_us) {}

bool SessionBudget::take_datagram(std::uint64_t now_us, std::size_t bytes) noexcept {
  bool const fits = datagrams_.take(now_us) && bytes_.take(now_us, static_cast<std::uint32_t>(bytes));
  return fits || note_excess(now_us);
}

bool SessionBudget::take_message(std::uint64_t now_us) noexcept {
  return messages_.take(now_us) || note_excess(now_us);
}

void SessionBudget::note_malformed(std::uint64_t now_us, std::uint32_t count) noexcept {
  if (count > 0 && !malformed_.take(now_us, count)) spent_ = true;
}

bool SessionBudget::note_excess(std::uint64_t now_us) noexcept {
  if (!excess_.take(now_us)) spent_ = true;
  return false;
}

}  // namespace takt::protocol
