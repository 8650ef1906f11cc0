#include "takt/physics/float_control.h"

#include <bit>
#include <limits>

namespace takt {

#if defined(__x86_64__)

namespace {
constexpr std::uint32_t kMxcsr =
    // Nearest even, FTZ and DAZ off, all six exceptions masked, no sticky flag.
    0x1f80;
constexpr std::uint16_t kX87Control =
    // Nearest even, 64-bit significand, all six exceptions masked: Linux starts threads with this word.
    0x37f;

void set_x87_control(std::uint16_t word) noexcept { __asm__ volatile("fldcw %0" ::"m"(word) : "memory"); }
}  // namespace

FloatControlGuard::FloatControlGuard() noexcept : control_(__builtin_ia32_stmxcsr()) {
  __asm__ volatile("fnstcw %0" : "=m"(x87_control_)::"memory");
  __builtin_ia32_ldmxcsr(kMxcsr);
  if (x87_control_ != kX87Control) set_x87_control(kX87Control);
}
FloatControlGuard::~FloatControlGuard() {
  __builtin_ia32_ldmxcsr(control_);
  if (x87_control_ != kX87Control) set_x87_control(x87_control_);
}

#elif defined(__aarch64__)

FloatControlGuard::FloatControlGuard() noexcept {
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control_), "=r"(status_)::"memory");
  __asm__ volatile("msr fpcr, %0" ::"r"(std::uint64_t{0})
                   // nearest even, no flush, no default NaN, no trap
                   : "memory");
}
FloatControlGuard::~FloatControlGuard() {
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(control_), "r"(status_) : "memory");
}

#elif defined(__s390x__)

FloatControlGuard::FloatControlGuard() noexcept {
  __asm__ volatile("efpc %0" : "=r"(control_)::"memory");
  __asm__ volatile("sfpc %0" ::"r"(std::uint32_t{0}) : "memory");  // nearest even, every exception masked
}
FloatControlGuard::~FloatControlGuard() { __asm__ volatile("sfpc %0" ::"r"(control_) : "memory"); }

#elif defined(__riscv)

FloatControlGuard::FloatControlGuard() noexcept {
  __asm__ volatile("fscsr %0, zero" : "=r"(control_)::"memory");
}
FloatControlGuard::~FloatControlGuard() { __asm__ volatile("fscsr zero, %0" ::"r"(control_) : "memory"); }

#elif defined(__wasm__)

FloatControlGuard::FloatControlGuard() noexcept = default;
FloatControlGuard::~FloatControlGuard() = default;

#else

FloatControlGuard::FloatControlGuard() noexcept {
  std::fegetenv(&environment_);
  std::fesetenv(FE_DFL_ENV);
}
FloatControlGuard::~FloatControlGuard() { std::fesetenv(&environment_); }

#endif

const char* message(FloatFault fault) noexcept {
  switch (fault) {
    case FloatFault::kContraction:
      return "a multiplication and an addition were fused: compile with -ffp-contract=off";
    case FloatFault::kExcessPrecision:
      return "floats are computed in a wider type: compile for a target where FLT_EVAL_METHOD is 0";
    case FloatFault::kRounding:
      return "the rounding mode is not to nearest even: run inside a FloatControlGuard";
    case FloatFault::kDenormalResult:
      return "denormal results are flushed to zero: run inside a FloatControlGuard";
    case FloatFault::kDenormalOperand:
      return "denormal operands are read as zero: run inside a FloatControlGuard";
    case FloatFault::kReassociation: return "sums were reordered: compile without -fassociative-math";
    case FloatFault::kDivision:
      return "a quotient or square root is an estimate: compile without -freciprocal-math and -mrecip";
    case FloatFault::kConversion: return "conversion between integers and floats is not the nearest value";
    case FloatFault::kNotANumber:
      return "NaN or infinity do not behave as IEEE 754 says: compile without -ffinite-math-only";
  }
  return "unknown floating-point fault";
}

namespace {

// Reads operands through volatile objects to prevent constant folding. The probes test the code that the
// compiler generates between them.
template <class T>
T opaque(T value) noexcept {
  volatile T hidden = value;
  return hidden;
}

bool contracts() noexcept {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 rounds to 1 + 2^-11. The last term remains only if the product was not
  // rounded.
  float const a = opaque(1.0f + 0x1p-12f);
  float const c = opaque(-(1.0f + 0x1p-11f));
  float const single = a * a + c;
  double const b = opaque(1.0 + 0x1p-27);
  double const d = opaque(-(1.0 + 0x1p-26));
  double const twice = b * b + d;
  return opaque(single) != 0.0f || opaque(twice) != 0.0;
}

bool keeps_excess_precision() noexcept {
  float const one = opaque(1.0f);
  float const small = opaque(0x1p-25f);
  float const back = (one + small) - one;
  float const large = opaque(0x1p127f);
  float const doubled = large * opaque(2.0f) * opaque(0.5f);  // infinite in binary32
  return opaque(back) != 0.0f || opaque(doubled) == large;
}

bool rounds_wrongly() noexcept {
  float const one = opaque(1.0f);
  float const half_unit = opaque(0x1p-24f);
  float const odd = opaque(1.0f + 0x1p-23f);
  bool const down = one + half_unit == one && -one - half_unit == -one;  // ties to even, both signs
  bool const up = odd + half_unit == 1.0f + 0x1p-22f && -odd - half_unit == -(1.0f + 0x1p-22f);
  double const wide = opaque(1.0);
  bool const wide_down = wide + opaque(0x1p-53) == wide && -wide - opaque(0x1p-53) == -wide;
  return !down || !up || !wide_down;
}

bool flushes_results() noexcept {
  float const product = opaque(0x1p-100f) * opaque(0x1p-40f);
  double const wide = opaque(0x1p-1000) * opaque(0x1p-60);
  // by bits: under DAZ a comparison would read the denormal as zero
  return std::bit_cast<std::uint32_t>(opaque(product)) != 0x200u ||
         std::bit_cast<std::uint64_t>(opaque(wide)) != 0x4000u;
}

bool flushes_operands() noexcept {
  float const denormal = opaque(std::bit_cast<float>(std::uint32_t{0x200}));
  double const wide = opaque(std::bit_cast<double>(std::uint64_t{0x4000}));
  return denormal * opaque(0x1p100f) != 0x1p-40f || wide * opaque(0x1p1000) != 0x1p-60;
}

bool reorders() noexcept {
  float const large = opaque(0x1p30f);
  float const small = opaque(1.0f);
  float const sum = (small + large) - large;
  return opaque(sum) != 0.0f;
}

bool estimates() noexcept {
  float const third = opaque(1.0f) / opaque(3.0f);
  float const ratio = opaque(5.0f) / opaque(3.0f);  // 5 times the rounded reciprocal is another float
  float const root = __builtin_sqrtf(opaque(2.0f));
  return std::bit_cast<std::uint32_t>(third) != 0x3eaaaaabu ||
         std::bit_cast<std::uint32_t>(ratio) != 0x3fd55555u ||
         std::bit_cast<std::uint32_t>(root) != 0x3fb504f3u;
}

bool converts_wrongly() noexcept {
  float const tie = static_cast<float>(opaque(std::int64_t{0x1000001}));     // 2^24 + 1: to even, down
  float const tie_up = static_cast<float>(opaque(std::int64_t{0x1000003}));  // 2^24 + 3: to even, up
  float const narrowed = static_cast<float>(opaque(1.0 + 0x1p-24 + 0x1p-50));
  auto const truncated = static_cast<std::int32_t>(opaque(-2.75f));
  return tie != 0x1p24f || tie_up != 0x1p24f + 4.0f || narrowed != 1.0f + 0x1p-23f || truncated != -2;
}

bool lacks_special_values() noexcept {
  float const zero = opaque(0.0f);
  float const nan = opaque(zero / zero);
  float const infinity = opaque(1.0f / zero);
  return nan == nan || !(infinity > std::numeric_limits<float>::max()) || infinity - infinity == zero;
}

}  // namespace

Result<Unit, FloatFault> float_self_test() noexcept {
  // Denormals and rounding are tested first, because later probes also fail under a wrong mode. The reported
  // fault is then the cause.
  if (flushes_results()) return FloatFault::kDenormalResult;
  if (flushes_operands()) return FloatFault::kDenormalOperand;
  if (rounds_wrongly()) return FloatFault::kRounding;
  if (contracts()) return FloatFault::kContraction;
  if (keeps_excess_precision()) return FloatFault::kExcessPrecision;
  if (reorders()) return FloatFault::kReassociation;
  if (estimates()) return FloatFault::kDivision;
  if (converts_wrongly()) return FloatFault::kConversion;
  if (lacks_special_values()) return FloatFault::kNotANumber;
  return Unit{};
}

}  // namespace takt
