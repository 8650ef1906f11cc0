#include "protocol/messages/command.h"

#include "protocol/wire/limits.h"

namespace takt::protocol {
namespace {

// Gathers the worst finding over several fields; not_finite outranks out_of_range because it is the more
// telling message.
class Check {
 public:
  Check& finite(float value) noexcept {
    if (!(value - value == 0.0f)) not_finite_ = true;
    return *this;
  }
  Check& between(float value, float low, float high) noexcept {
    finite(value);
    if (!(value >= low && value <= high)) out_of_range_ = true;
    return *this;
  }
  Check& positive(float value, float high) noexcept {
    between(value, 0.0f, high);
    if (value == 0.0f) out_of_range_ = true;
    return *this;
  }
  Check& vector(const Vec3f& v) noexcept {
    return between(v.x, -kVectorComponentMax, kVectorComponentMax)
        .between(v.y, -kVectorComponentMax, kVectorComponentMax)
        .between(v.z, -kVectorComponentMax, kVectorComponentMax);
  }
  Check& rotation(const Quatf& q) noexcept {
    finite(q.x).finite(q.y).finite(q.z).finite(q.w);
    // In double, so that components of 1e38 do not become infinite on the way.
    double const norm2 = double{q.x} * double{q.x} + double{q.y} * double{q.y} + double{q.z} * double{q.z} +
                         double{q.w} * double{q.w};
    return unit(norm2);
  }
  Check& direction(const Vec3f& v) noexcept {
    vector(v);
    return unit(double{v.x} * double{v.x} + double{v.y} * double{v.y} + double{v.z} * double{v.z});
  }
  Check& number(double value) noexcept {
    if (!(value - value == 0.0)) not_finite_ = true;
    return *this;
  }
  // Infinity says that there is no bound.
  Check& bound(double value) noexcept {
    if (value != value) not_finite_ = true;
    return *this;
  }
  Check& max(double value) noexcept { return bound(value).require(value >= 0.0); }
  Check& softness(const Softness& s) noexcept {
    return require(s.form <= kSoftnessFormMax)
        .number(s.first)
        .number(s.second)
        .require(s.first >= 0.0 && s.second >= 0.0);
  }
  Check& place(const JointPlace& p) noexcept {
    number(p.position.x).number(p.position.y).number(p.position.z);
    Quatd const& q = p.rotation;
    number(q.x).number(q.y).number(q.z).number(q.w);
    return unit(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  }
  Check& body(BodyId id) noexcept { return require((id >> 32) != 0); }
  Check& require(bool holds) noexcept {
    if (!holds) out_of_range_ = true;
    return *this;
  }
  Check& shape(const ShapeInfo& shape) noexcept {
    vector(shape.dimensions)
        .vector(shape.local_position)
        .rotation(shape.local_rotation)
        .between(shape.rounding, 0.0f, kDimensionMax);
    Vec3f const& d = shape.dimensions;
    switch (shape.kind) {
      case ShapeKind::kSphere: return positive(d.x, kDimensionMax);
      case ShapeKind::kCapsule: return positive(d.x, kDimensionMax).between(d.y, 0.0f, kDimensionMax);
      case ShapeKind::kCylinder:
      case ShapeKind::kCone: return positive(d.x, kDimensionMax).positive(d.y, kDimensionMax);
      case ShapeKind::kHull:
      case ShapeKind::kBox:
        return positive(d.x, kDimensionMax).positive(d.y, kDimensionMax).positive(d.z, kDimensionMax);
      case ShapeKind::kMesh:
      case ShapeKind::kHeightField:
        return between(d.x, 0.0f, kDimensionMax)
            .between(d.y, 0.0f, kDimensionMax)
            .between(d.z, 0.0f, kDimensionMax);
      case ShapeKind::kHalfSpace: return direction(d);
    }
    return require(false);
  }

  [[nodiscard]] Result<Unit, Error> result() const noexcept {
    if (not_finite_) return Error::kNotFinite;
    if (out_of_range_) return Error::kOutOfRange;
    return Unit{};
  }

 private:
  Check& unit(double norm2) noexcept {
    double const off = norm2 - 1.0;
    return require(off <= double{kQuaternionNormTolerance} && off >= -double{kQuaternionNormTolerance});
  }
  bool not_finite_ = false;
  bool out_of_range_ = false;
};

Result<Unit, Error> check_one(const ImpulseCommand& c) noexcept {
  Check check;
  check.body(c.body).vector(c.impulse);
  if (c.point_local) check.vector(*c.point_local);
  return check.result();
}
Result<Unit, Error> check_one(const ForceCommand& c) noexcept {
  return Check()
      .body(c.body)
      .vector(c.force)
      .vector(c.torque)
      .require(c.ticks >= 1 && c.ticks <= kForceTicksMax)
      .result();
}
Result<Unit, Error> check_one(const SpawnCommand& c) noexcept {
  return Check()
      .shape(c.shape)
      .require(c.shape.kind != ShapeKind::kHalfSpace)  // endless: it has no mass to spawn with
      .require(c.shape.kind < ShapeKind::kHull)        // a command has no place for corners
      .rotation(c.rotation)
      .vector(c.linear_velocity)
      .vector(c.angular_velocity)
      .positive(c.density, kDensityMax)
      .between(c.friction, 0.0f, kVectorComponentMax)
      .between(c.restitution, 0.0f, 1.0f)
      .result();
}
Result<Unit, Error> check_one(const DespawnCommand& c) noexcept { return Check().body(c.body).result(); }
Result<Unit, Error> check_one(const GrabCommand& c) noexcept {
  return Check().body(c.body).vector(c.point_local).between(c.max_force, 0.0f, kVectorComponentMax).result();
}
Result<Unit, Error> check_one(const MoveGrabCommand&) noexcept { return Unit{}; }
Result<Unit, Error> check_one(const ReleaseCommand&) noexcept { return Unit{}; }
Result<Unit, Error> check_one(const TeleportCommand& c) noexcept {
  return Check()
      .body(c.body)
      .rotation(c.rotation)
      .vector(c.linear_velocity)
      .vector(c.angular_velocity)
      .result();
}
Result<Unit, Error> check_one(const CustomCommand& c) noexcept {
  return Check().require(c.bytes.size() <= kCustomBytesMax).result();
}
Result<Unit, Error> check_one(const MoveCommand& c) noexcept {
  return Check()
      .body(c.body)
      .vector(c.velocity)
      .between(c.turn, -kVectorComponentMax, kVectorComponentMax)
      .result();
}
Result<Unit, Error> check_one(const CutCommand& c) noexcept { return Check().body(c.rope).result(); }
Result<Unit, Error> check_one(const ChangeJointCommand& c) noexcept {
  Check check;
  check.body(c.joint).require(c.axis <= kJointAxisMax && c.locked.value_or(0) <= kJointLockedMax);
  for (auto const* frame : {&c.frame_a, &c.frame_b}) {
    if (*frame) check.place(**frame);
  }
  for (auto const* softness : {&c.linear, &c.angular}) {
    if (*softness) check.softness(**softness);
  }
  for (auto const* max : {&c.max_force, &c.max_torque, &c.break_force, &c.break_torque, &c.friction}) {
    if (*max) check.max(**max);
  }
  if (c.ratio) check.number(*c.ratio);
  if (c.length) check.number(*c.length);
  if (c.limit) check.bound(c.limit->lower).bound(c.limit->upper).softness(c.limit->softness);
  if (c.hold) check.number(c.hold->target).max(c.hold->max).softness(c.hold->softness);
  if (c.motor) check.number(c.motor->speed).max(c.motor->max);
  return check.result();
}
Result<Unit, Error> check_one(const DestroyJointCommand& c) noexcept {
  return Check().body(c.joint).result();
}

}  // namespace

Result<Unit, Error> check(const Command& command) noexcept {
  return std::visit([](const auto& one) noexcept { return check_one(one); }, command);
}

Result<Unit, Error> check(const ShapeInfo& shape) noexcept { return Check().shape(shape).result(); }

}  // namespace takt::protocol
