#include "takt/crypto/token_ledger.h"

#include <bit>

#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::crypto {

TokenLedger::TokenLedger(std::size_t places) : entries_(std::bit_ceil(2 * places)), places_(places) {
  TAKT_ASSERT(places > 0);
}

// A tag is the output of Poly1305 under a secret key, and so a hash that no stranger chooses.
std::size_t TokenLedger::home_of(const TokenTag& tag) const noexcept {
  return load_little_endian<std::uint64_t>(tag.data()) & (entries_.size() - 1);
}

// The entry of the tag, or the empty one where it would go.
std::size_t TokenLedger::find(const TokenTag& tag) const noexcept {
  std::size_t at = home_of(tag);
  while (entries_[at].holder != 0 && entries_[at].tag != tag) at = (at + 1) & (entries_.size() - 1);
  return at;
}

Result<Unit, Error> TokenLedger::claim(const TokenTag& tag, std::uint64_t holder) {
  TAKT_ASSERT(holder != 0);
  Entry& entry = entries_[find(tag)];
  if (entry.holder == holder) return Unit{};
  if (entry.holder != 0) return Error::kReused;
  if (size_ == places_) return Error::kTableFull;
  entry = {tag, holder};
  ++size_;
  return Unit{};
}

std::uint64_t TokenLedger::holder_of(const TokenTag& tag) const noexcept {
  return entries_[find(tag)].holder;
}

void TokenLedger::release(const TokenTag& tag, std::uint64_t holder) {
  std::size_t hole = find(tag);
  if (holder == 0 || entries_[hole].holder != holder) return;
  --size_;
  // Entries behind the hole move into it unless they would leave their home behind (Knuth, The Art of
  // Computer Programming 3, 6.4, algorithm R).
  std::size_t const mask = entries_.size() - 1;
  for (std::size_t at = (hole + 1) & mask; entries_[at].holder != 0; at = (at + 1) & mask) {
    std::size_t const home = home_of(entries_[at].tag);
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    entries_[hole] = entries_[at];
    hole = at;
  }
  entries_[hole] = {};
}

}  // namespace takt::crypto
