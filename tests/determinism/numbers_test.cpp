// The bits of the numbers themselves, below any world: digests over many operations of both Reals. When a
// golden table differs on a machine and this does not, the fault is in the engine; when this differs too,
// look here first.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "takt/core/random.h"
#include "takt/physics/float_control.h"
#include "takt/physics/trigonometry.h"
#include "takt/physics/vector.h"

namespace takt::determinism {
namespace {

constexpr int kDraws = 20000;

class Bits {
 public:
  void put(float value) { writer_.put(value); }
  void put(Fixed value) { writer_.put(value.raw()); }
  template <class Real>
  void put(Vec3<Real> v) {
    put(v.x);
    put(v.y);
    put(v.z);
  }
  template <class Real>
  void put(Quat<Real> q) {
    put(q.x);
    put(q.y);
    put(q.z);
    put(q.w);
  }
  void put(Scaled s) {
    writer_.put(s.mantissa());
    writer_.put(s.exponent());
  }
  void put(const Position& p) {
    writer_.put(p.x_raw);
    writer_.put(p.y_raw);
    writer_.put(p.z_raw);
  }
  [[nodiscard]] std::uint64_t digest() const { return hash_bytes(bytes_); }

 private:
  std::vector<std::byte> bytes_;
  ByteWriter writer_{bytes_};
};

template <class Real>
class Source {
 public:
  Real draw(double size) { return to_real<Real>(random_.next_between(-size, size)); }
  Vec3<Real> draw_vector(double size) {
    Real const x = draw(size);
    Real const y = draw(size);
    Real const z = draw(size);
    return {x, y, z};
  }
  Quat<Real> draw_quat() {
    Vec3<Real> const v = draw_vector(1.0);
    Real const w = draw(1.0);
    return {v.x, v.y, v.z, w};
  }
  Position draw_position() {
    auto const x = static_cast<std::int64_t>(random_.next_u64()) >> 2;
    auto const y = static_cast<std::int64_t>(random_.next_u64()) >> 20;
    auto const z = static_cast<std::int64_t>(random_.next_u64()) >> 33;
    return Position::from_raw(x, y, z);
  }

 private:
  Random random_{20261121, 8};
};

template <class Real>
std::uint64_t trigonometry_digest() {
  FloatControlGuard const guard;
  Source<Real> source;
  Bits bits;
  for (int i = 0; i < kDraws; ++i) {
    Real const angle = source.draw(i % 2 == 0 ? 4.0 : 1e6);
    Real const part = source.draw(1.0);
    Real const other = source.draw(1.0);
    SinCos<Real> const sc = sin_cos(angle);
    bits.put(sc.sin);
    bits.put(sc.cos);
    bits.put(tan(angle));
    bits.put(asin(part));
    bits.put(acos(part));
    bits.put(atan(angle));
    bits.put(atan2(part, other));
  }
  (void)take_fixed_overflow_count();
  return bits.digest();
}

template <class Real>
std::uint64_t vector_digest() {
  FloatControlGuard const guard;
  Source<Real> source;
  Bits bits;
  for (int i = 0; i < kDraws; ++i) {
    Vec3<Real> const a = source.draw_vector(100.0);
    Vec3<Real> const b = source.draw_vector(100.0);
    Quat<Real> const q = normalise(source.draw_quat());
    Quat<Real> const r = normalise(source.draw_quat());
    Position const p = source.draw_position();
    Position const o = source.draw_position();
    bits.put(dot(a, b));
    bits.put(cross(a, b));
    bits.put(length(a));
    bits.put(a.x / b.y);
    bits.put(normalise_or(a, b, Real(1)));
    bits.put(q * r);
    bits.put(rotate(q, a));
    bits.put(to_matrix(q) * b);
    bits.put(relative<Real>(p, o));
    bits.put(moved(p, a));
  }
  (void)take_fixed_overflow_count();
  return bits.digest();
}

std::uint64_t scaled_digest() {
  Random random(20261121, 9);
  Bits bits;
  for (int i = 0; i < kDraws; ++i) {
    double const x = random.next_between(-1.0, 1.0);
    double const y = random.next_between(-1e9, 1e9);
    double const z = random.next_between(-1e-9, 1e-9);
    Scaled const a(x);
    Scaled const b(y);
    Scaled const c(z);
    bits.put(a * b);
    bits.put(a / b);
    bits.put(a + b);
    bits.put(b - c);
    bits.put(a * Fixed(x));
    bits.put(c * Fixed(y));
  }
  (void)take_fixed_overflow_count();
  return bits.digest();
}

// Golden digests: see docs/DETERMINISM.md for how one may change.
TEST(Numbers, TrigonometryOfFloat) { EXPECT_EQ(trigonometry_digest<float>(), 0x0a9dfbf7f88dfdccu); }
TEST(Numbers, TrigonometryOfFixed) { EXPECT_EQ(trigonometry_digest<Fixed>(), 0x5b20979d049a0fd8u); }
TEST(Numbers, VectorsOfFloat) { EXPECT_EQ(vector_digest<float>(), 0x8be451e62ce6c335u); }
TEST(Numbers, VectorsOfFixed) { EXPECT_EQ(vector_digest<Fixed>(), 0xfd56ce0b7cb735bfu); }
TEST(Numbers, ScaledValues) { EXPECT_EQ(scaled_digest(), 0xe369eeaa46c290ddu); }

TEST(Numbers, TheMachineComputesWhatIeeeSays) {
  FloatControlGuard const guard;
  auto const result = float_self_test();
  EXPECT_TRUE(result.ok()) << message(result.error());
}

}  // namespace
}  // namespace takt::determinism
