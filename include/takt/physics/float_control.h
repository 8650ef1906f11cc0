// FloatControlGuard sets the floating-point control word of the calling thread for a scope and restores the
// earlier word at its end. World's calls that compute use a guard, and so does each worker thread of a step.
// float_self_test() checks that machine, compiler flags and control word together compute IEEE 754 binary32
// and binary64. takt_main() runs this test before each command (cli/takt_main.cpp). FloatFault names the
// faults.
//
// The guard selects: round to nearest even, denormals kept on input and output, every exception masked. The
// host's control word is restored unchanged, including its sticky flags. The self-test does not check the x87
// word (float_contract.h refuses targets that compute floats there). NaN is not canonicalised.
//
// Control words: MXCSR (x86-64), FPCR and FPSR (aarch64), FPC (s390x), fcsr (riscv), fenv elsewhere.
// WebAssembly has no other modes and needs none.
#pragma once

#include <cstdint>

#include "takt/core/float_contract.h"
#include "takt/core/result.h"

#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(__s390x__) && !defined(__riscv) && \
    !defined(__wasm__)
#include <cfenv>
#endif

namespace takt {

/// Sets the calling thread's control word in its constructor and restores the earlier one in its destructor.
/// Guards nest. Each computing thread needs its own. Put the guarded work into a function that is called, not
/// inlined, between the two. A compiler is unaware that arithmetic depends on the word, and may move an
/// expression of the same function past it.
class FloatControlGuard {
 public:
  FloatControlGuard() noexcept;
  ~FloatControlGuard();
  FloatControlGuard(const FloatControlGuard&) = delete;
  FloatControlGuard& operator=(const FloatControlGuard&) = delete;

 private:
#if defined(__x86_64__)
  std::uint32_t control_;
  std::uint16_t x87_control_;
#elif defined(__s390x__) || defined(__riscv)
  std::uint32_t control_;
#elif defined(__aarch64__)
  std::uint64_t control_;
  std::uint64_t status_;
#elif !defined(__wasm__)
  std::fenv_t environment_;
#endif
};

/// Faults that float_self_test() finds. Frozen values.
enum class FloatFault : std::uint8_t {
  kContraction = 1,      ///< a * b + c was rounded once
  kExcessPrecision = 2,  ///< a sum or product kept more than 24 bits
  kRounding = 3,         ///< an operation is not rounded to nearest even
  kDenormalResult = 4,   ///< a denormal result was flushed to zero
  kDenormalOperand = 5,  ///< a denormal operand was read as zero
  kReassociation = 6,    ///< (a + b) + c was computed in another order
  kDivision = 7,         ///< a quotient or root is an estimate, not correctly rounded
  kConversion = 8,       ///< an integer did not become the nearest float, or a float its integer
  kNotANumber = 9,       ///< NaN compares equal to itself, or infinity is missing
};
/// Returns one line in plain words. Never null.
[[nodiscard]] const char* message(FloatFault fault) noexcept;

/// Compares computed values with known answers, on the calling thread with its present control word, as this
/// library was compiled. A caller runs the test inside a FloatControlGuard, as takt_main() does, which exits
/// on a fault. The test takes less than a microsecond.
[[nodiscard]] Result<Unit, FloatFault> float_self_test() noexcept;

}  // namespace takt
