// Random is a pseudo-random generator, PCG32, with two integers of state. Worlds, scene generators, bots and
// the packet simulator each own one; a world's is part of its saved and hashed state. No generator is global,
// and none is seeded from a clock. Draws of integers and reals are defined here because the standard library
// does not specify the algorithms of its distributions. Source: M. O'Neill, PCG: A Family of Simple Fast
// Space-Efficient Statistically Good Algorithms (2014), pcg32 (XSH-RR 64/32).
#pragma once

#include <cstdint>

namespace takt {

/// A PCG32 stream. A copy of the struct saves the stream; equal `state` and `increment` give equal draws on
/// every machine. A statement should draw once: C++ does not fix the order in which arguments are evaluated.
/// A value-initialised Random is a valid stream, other than Random(0).
struct Random {
  std::uint64_t state = 0;
  std::uint64_t increment = 1;  ///< odd; selects the stream

  Random() = default;
  /// Seeds a stream; the lower 63 bits of `stream` select one of 2^63 sequences.
  explicit constexpr Random(std::uint64_t seed, std::uint64_t stream = 0) noexcept
      : state(0), increment((stream << 1u) | 1u) {
    (void)next_u32();
    state += seed;
    (void)next_u32();
  }

  /// Returns 32 uniform bits.
  constexpr std::uint32_t next_u32() noexcept {
    std::uint64_t const old = state;
    state = old * 6364136223846793005ull + increment;
    auto const xorshifted = static_cast<std::uint32_t>(((old >> 18u) ^ old) >> 27u);
    auto const rotation = static_cast<std::uint32_t>(old >> 59u);
    return (xorshifted >> rotation) | (xorshifted << ((32u - rotation) & 31u));
  }
  /// Returns 64 uniform bits; the first draw is the upper half.
  constexpr std::uint64_t next_u64() noexcept {
    std::uint64_t const upper = next_u32();
    std::uint64_t const lower = next_u32();
    return (upper << 32u) | lower;
  }
  /// Uniform in [0, bound), without modulo bias. A bound of 0 gives 0.
  constexpr std::uint32_t next_below(std::uint32_t bound) noexcept {
    if (bound == 0) return 0;
    std::uint32_t const threshold = (0u - bound) % bound;
    for (;;) {
      std::uint32_t const draw = next_u32();
      if (draw >= threshold) return draw % bound;
    }
  }
  /// Uniform in [0, 1), a multiple of 2^-24: exact in float, double and Q31.32.
  constexpr double next_unit() noexcept { return static_cast<double>(next_u32() >> 8u) * 0x1p-24; }
  /// low + (high - low) x next_unit(), uniform in [low, high). `high` itself may come out where high - low is
  /// below 2^-28 of their magnitude (rounding). high - low must be finite.
  constexpr double next_between(double low, double high) noexcept { return low + (high - low) * next_unit(); }

  friend bool operator==(const Random&, const Random&) = default;
};

}  // namespace takt
