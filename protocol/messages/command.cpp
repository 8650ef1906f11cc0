#include "protocol/messages/command.h"

#include "protocol/wire/limits.h"

namespace takt::protocol {
namespace {

// Gathers the worst finding over several fields; not_finite outranks out_of_range because it is the more
// telling message.
class Check {
 public:
  template <HasFields T>
  void all(const T& value) noexcept {
    std::apply([this](const auto&... field) { (this->one(field.value, field.rule), ...); }, T::fields(value));
  }
  void shape(const ShapeInfo& shape) noexcept {
    one(shape.dimensions, ByType());
    one(shape.local_position, ByType());
    one(shape.local_rotation, ByType());
    one(shape.rounding, Within{0.0f, kDimensionMax});
    Vec3f const& d = shape.dimensions;
    Positive const positive{kDimensionMax};
    Within const size{0.0f, kDimensionMax};
    switch (shape.kind) {
      case ShapeKind::kSphere: return one(d.x, positive);
      case ShapeKind::kCapsule: return one(d.x, positive), one(d.y, size);
      case ShapeKind::kCylinder:
      case ShapeKind::kCone: return one(d.x, positive), one(d.y, positive);
      case ShapeKind::kHull:
      case ShapeKind::kBox: return one(d.x, positive), one(d.y, positive), one(d.z, positive);
      case ShapeKind::kMesh:
      case ShapeKind::kHeightField: return one(d.x, size), one(d.y, size), one(d.z, size);
      case ShapeKind::kHalfSpace:
        return unit(double{d.x} * double{d.x} + double{d.y} * double{d.y} + double{d.z} * double{d.z});
    }
    require(false);
  }

  [[nodiscard]] Result<Unit, Error> result() const noexcept {
    if (not_finite_) return Error::kNotFinite;
    if (out_of_range_) return Error::kOutOfRange;
    return Unit{};
  }

 private:
  // Every value of these types is in range.
  void one(bool, ByType) noexcept {}
  void one(std::uint32_t, ByType) noexcept {}
  void one(const Position&, ByType) noexcept {}

  void one(const Vec3f& v, ByType) noexcept {
    for (float const component : {v.x, v.y, v.z})
      one(component, Within{-kVectorComponentMax, kVectorComponentMax});
  }
  void one(const Quatf& q, ByType) noexcept {
    // In double, so that components of 1e38 do not become infinite on the way.
    one(Quatd{double{q.x}, double{q.y}, double{q.z}, double{q.w}}, ByType());
  }
  void one(const Quatd& q, ByType) noexcept {
    for (double const component : {q.x, q.y, q.z, q.w}) one(component, Finite());
    unit(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  }
  void one(const std::vector<std::byte>& bytes, ByType) noexcept { require(bytes.size() <= kCustomBytesMax); }
  void one(const Softness& s, ByType) noexcept {
    require(s.form <= kSoftnessFormMax && s.first >= 0.0 && s.second >= 0.0);
    one(s.first, Finite());
    one(s.second, Finite());
  }
  void one(const JointPlace& p, ByType) noexcept {
    for (double const component : {p.position.x, p.position.y, p.position.z}) one(component, Finite());
    one(p.rotation, ByType());
  }
  template <HasFields T>
  void one(const T& value, ByType) noexcept {
    all(value);
  }
  template <class T, class Rule>
  void one(const std::optional<T>& value, Rule rule) noexcept {
    if (value) one(*value, rule);
  }

  void one(const ShapeInfo& info, Spawnable) noexcept {
    shape(info);
    require(info.kind != ShapeKind::kHalfSpace);  // endless: it has no mass to spawn with
    require(info.kind < ShapeKind::kHull);        // a command has no place for corners
  }
  void one(std::uint64_t id, NotNull) noexcept { require((id >> 32) != 0); }
  void one(std::uint8_t bits, LockBits) noexcept { require(bits <= kJointLockedMax); }
  void one(std::uint8_t axis, Axis) noexcept { require(axis <= kJointAxisMax); }
  void one(std::uint32_t value, Within<std::uint32_t> range) noexcept {
    require(value >= range.min && value <= range.max);
  }
  void one(float value, Within<float> range) noexcept {
    if (!(value - value == 0.0f)) not_finite_ = true;
    require(value >= range.min && value <= range.max);
  }
  void one(float value, Positive range) noexcept {
    one(value, Within{0.0f, range.max});
    require(value != 0.0f);
  }
  void one(double value, Finite) noexcept {
    if (!(value - value == 0.0)) not_finite_ = true;
  }
  void one(double value, Bound) noexcept {
    if (value != value) not_finite_ = true;
  }
  void one(double value, MaxBound) noexcept {
    one(value, Bound());
    require(value >= 0.0);
  }
  void unit(double norm2) noexcept {
    double const off = norm2 - 1.0;
    require(off <= double{kQuaternionNormTolerance} && off >= -double{kQuaternionNormTolerance});
  }
  void require(bool holds) noexcept {
    if (!holds) out_of_range_ = true;
  }

  bool not_finite_ = false;
  bool out_of_range_ = false;
};

}  // namespace

std::size_t ChangeJointCommand::wire_bytes_max() const {
  std::size_t total = 96;  // the id, the axis, switches, and a vtable of all fields
  for (bool const is_there : {frame_a.has_value(), frame_b.has_value()}) total += is_there ? 56 : 0;
  for (bool const is_there : {linear.has_value(), angular.has_value()}) total += is_there ? 24 : 0;
  for (auto const& number : {max_force, max_torque, break_force, break_torque, ratio, length, friction})
    total += number ? 8 : 0;
  return total + (limit ? 40 : 0) + (hold ? 48 : 0) + (motor ? 16 : 0);
}

// NOLINTNEXTLINE(bugprone-exception-escape): a valueless variant alone throws, and nothing here makes one.
Result<Unit, Error> check(const Command& command) noexcept {
  Check check;
  std::visit([&](const auto& one) noexcept { check.all(one); }, command);
  return check.result();
}

Result<Unit, Error> check(const ShapeInfo& shape) noexcept {
  Check check;
  check.shape(shape);
  return check.result();
}

}  // namespace takt::protocol
