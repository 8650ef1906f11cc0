#include "takt/physics/float_control.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace takt {
namespace {

// Settings that a hostile host can make on a thread, per machine; restored at the end of the test.
class HostileEnvironment {
 public:
  HostileEnvironment() {
    std::fegetenv(&before_);
    std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040u);  // FTZ and DAZ
#elif defined(__aarch64__)
    std::uint64_t fpcr = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("msr fpcr, %0" ::"r"(fpcr | (std::uint64_t{1} << 24u)));  // FZ
#endif
  }
  ~HostileEnvironment() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_;
};

std::uint64_t control_word() {
#if defined(__x86_64__)
  return _mm_getcsr();
#elif defined(__aarch64__)
  std::uint64_t fpcr = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
#elif defined(__s390x__)
  std::uint32_t fpc = 0;
  __asm__ volatile("efpc %0" : "=r"(fpc));
  return fpc;
#else
  return static_cast<std::uint64_t>(std::fegetround());
#endif
}

float divide(float a, float b) {
  volatile float x = a;
  volatile float y = b;
  return x / y;
}

TEST(FloatControl, SelfTestPassesInsideTheGuard) {
  FloatControlGuard const guard;
  auto const result = float_self_test();
  EXPECT_TRUE(result.ok()) << message(result.error());
}

TEST(FloatControl, SelfTestNamesAForeignRoundingMode) {
  for (int const mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    auto const result = float_self_test();
    std::fesetround(FE_TONEAREST);
    ASSERT_FALSE(result.ok()) << "mode " << mode;
    EXPECT_EQ(result.error(), FloatFault::kRounding);
  }
}

#if defined(__x86_64__)
TEST(FloatControl, SelfTestNamesFlushToZeroAndDenormalsAreZero) {
  unsigned const before = _mm_getcsr();
  _mm_setcsr(before | 0x8000u);
  auto const flush = float_self_test();
  _mm_setcsr(before | 0x0040u);
  auto const daz = float_self_test();
  _mm_setcsr(before);
  ASSERT_FALSE(flush.ok());
  EXPECT_EQ(flush.error(), FloatFault::kDenormalResult);
  ASSERT_FALSE(daz.ok());
  EXPECT_EQ(daz.error(), FloatFault::kDenormalOperand);
}
#endif

TEST(FloatControl, GuardMakesAHostileHostHarmless) {
  HostileEnvironment const hostile;
  ASSERT_FALSE(float_self_test().ok()) << "the environment is not hostile: this test would prove nothing";
  FloatControlGuard const guard;
  auto const result = float_self_test();
  EXPECT_TRUE(result.ok()) << message(result.error());
}

TEST(FloatControl, HostsWordComesBackWithItsStickyFlags) {
  HostileEnvironment const hostile;
  std::feclearexcept(FE_ALL_EXCEPT);
  std::uint64_t const before = control_word();
  float const outside = divide(5.0f, 3.0f);
  std::feclearexcept(FE_ALL_EXCEPT);
  {
    FloatControlGuard const guard;
    EXPECT_NE(control_word(), before);
    EXPECT_LT(divide(5.0f, 3.0f), outside) << "5/3 rounds down to nearest, and up in the host's mode";
    (void)divide(1.0f, 0.0f);  // raises division by zero inside only
  }
  EXPECT_EQ(control_word(), before);
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_EQ(divide(5.0f, 3.0f), outside);
}

// A scene parsed by a host that rounds upwards was another scene: glibc's strtod asks the x87 word on x86-64,
// which MXCSR alone does not cover.
TEST(FloatControl, TextBecomesTheNearestNumberInsideTheGuard) {
  const char* volatile text = "0.1";
  HostileEnvironment const hostile;
  ASSERT_NE(std::strtod("0.3", nullptr), 0x1.3333333333333p-2) << "upwards, 0.3 is the next double";
  {
    FloatControlGuard const guard;
    EXPECT_EQ(std::strtod(text, nullptr), 0x1.999999999999ap-4);
    EXPECT_EQ(std::strtod("0.3", nullptr), 0x1.3333333333333p-2);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_NE(std::strtod("0.3", nullptr), 0x1.3333333333333p-2) << "the host's word did not come back";
}

TEST(FloatControl, GuardsNest) {
  HostileEnvironment const hostile;
  std::uint64_t const before = control_word();
  {
    FloatControlGuard const outer;
    std::uint64_t const inside = control_word();
    { FloatControlGuard const inner; }
    EXPECT_EQ(control_word(), inside);
    EXPECT_TRUE(float_self_test().ok());
  }
  EXPECT_EQ(control_word(), before);
}

TEST(FloatControl, EachThreadHasItsOwn) {
  HostileEnvironment const hostile;  // a new thread inherits it
  FloatControlGuard const guard;
  bool child_without_guard = true;
  bool child_with_guard = false;
  std::thread([&] {
    HostileEnvironment const again;
    child_without_guard = float_self_test().ok();
    FloatControlGuard const own;
    child_with_guard = float_self_test().ok();
  }).join();
  EXPECT_FALSE(child_without_guard);
  EXPECT_TRUE(child_with_guard);
  EXPECT_TRUE(float_self_test().ok()) << "what the child set is not ours";
}

TEST(FloatControl, AForeignLocaleChangesNothing) {
  std::string const before = std::setlocale(LC_ALL, nullptr);
  const char* foreign = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) {
      foreign = name;
      break;
    }
  }
  ASSERT_NE(foreign, nullptr);
  FloatControlGuard const guard;
  EXPECT_TRUE(float_self_test().ok()) << foreign;
  std::setlocale(LC_ALL, before.c_str());
}

TEST(FloatControl, EveryFaultHasItsOwnMessage) {
  for (int a = 1; a <= 9; ++a) {
    EXPECT_STRNE(message(static_cast<FloatFault>(a)), message(static_cast<FloatFault>(0)));
    for (int b = 1; b < a; ++b)
      EXPECT_STRNE(message(static_cast<FloatFault>(a)), message(static_cast<FloatFault>(b)));
  }
}

}  // namespace
}  // namespace takt
