#include "physics/state/state_hash.h"

#include <array>
#include <cstddef>
#include <span>

#include "physics/state/encode_visitor.h"
#include "physics/state/state_visitor.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Piece size: pieces stay in the L1 cache and are hashed when an element has filled one.
constexpr std::size_t kPieceBytes = 8192;
constexpr std::size_t kMaxBetweenBytes = 4096;  ///< maximum bytes between the ends of two list elements

}  // namespace

template <class Real>
std::uint64_t hash_state(const WorldState<Real>& state, StreamHasher& hasher) {
  hasher.reset();
  std::array<std::byte, kPieceBytes + kMaxBetweenBytes> piece;  // NOLINT: written before it is read
  auto const hand_on = [&](std::byte* end) {
    TAKT_ASSERT(end <= piece.data() + piece.size());
    hasher.update(std::span<const std::byte>(piece.data(), end));
  };
  EncodeVisitor visitor(piece.data(), [&](std::byte* end) {
    if (end <= piece.data() + kPieceBytes) return end;
    hand_on(end);
    return piece.data();
  });
  visit_state(visitor, state);
  hand_on(visitor.at());
  return hasher.digest();
}

template std::uint64_t hash_state(const WorldState<float>&, StreamHasher&);
template std::uint64_t hash_state(const WorldState<Fixed>&, StreamHasher&);

}  // namespace takt
