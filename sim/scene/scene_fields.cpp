#include "sim/scene/scene_fields.h"

#include <charconv>

#include "takt/physics/bounds.h"
#include "takt/physics/trigonometry.h"

namespace takt::sim {

std::string to_text(double value) {
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

std::string FieldPath::to_string() const {
  std::string text = up != nullptr ? up->to_string() : std::string();
  if (!name.empty()) {
    if (!text.empty()) text += '.';
    text += name;
  }
  if (index >= 0) text += '[' + std::to_string(index) + ']';
  return text;
}

bool SceneFields::fail(const FieldPath& at, std::string_view name, std::string text) {
  if (!fault_) fault_ = SceneFault{FieldPath{&at, name}.to_string(), std::move(text)};
  return false;
}

double SceneFields::number(const FieldPath& at, std::string_view name, double value, double low,
                           double high) {
  if (is_between(value, low, high)) return value;  // false for NaN
  fail(at, name, to_text(value) + " is out of range: allowed is " + to_text(low) + " to " + to_text(high));
  return low;
}

std::uint32_t SceneFields::count(const FieldPath& at, std::string_view name, std::uint32_t value,
                                 std::uint32_t low, std::uint32_t high) {
  if (value >= low && value <= high) return value;
  fail(at, name,
       std::to_string(value) + " is out of range: allowed is " + std::to_string(low) + " to " +
           std::to_string(high));
  return low;
}

Vec3<double> SceneFields::vector(const FieldPath& at, std::string_view name, const schema::Vec3* value,
                                 Vec3<double> absent, double low, double high) {
  if (value == nullptr) return absent;
  FieldPath const here{&at, name};
  double const x = number(here, "x", value->x(), low, high);
  double const y = number(here, "y", value->y(), low, high);
  double const z = number(here, "z", value->z(), low, high);
  return {x, y, z};
}

Vec3<double> SceneFields::required_vector(const FieldPath& at, std::string_view name,
                                          const schema::Vec3* value, double low, double high) {
  if (value == nullptr) fail(at, {}, "\"" + std::string(name) + "\" is missing: expected [x, y, z]");
  return vector(at, name, value, {low, low, low}, low, high);
}

Vec3<double> SceneFields::bounded_vector(const FieldPath& at, std::string_view name,
                                         const schema::Vec3* value, double max) {
  Vec3<double> const v = vector(at, name, value, {0, 0, 0}, -max, max);
  if (v.x * v.x + v.y * v.y + v.z * v.z <= max * max * (1.0 + 1e-6)) return v;
  fail(at, name, "its length is out of range: allowed is 0 to " + to_text(max));
  return {};
}

Position SceneFields::point(const FieldPath& at, std::string_view name, const Vec3<double>& value) {
  FieldPath const here{&at, name};
  double const x = number(here, "x", value.x, -kMaxSceneCoordinateM, kMaxSceneCoordinateM);
  double const y = number(here, "y", value.y, -kMaxSceneCoordinateM, kMaxSceneCoordinateM);
  double const z = number(here, "z", value.z, -kMaxSceneCoordinateM, kMaxSceneCoordinateM);
  return Position::from_metres(x, y, z);
}

Quat<double> SceneFields::rotation(const FieldPath& at, const schema::Quat* quaternion,
                                   const schema::Vec3* euler_degrees) {
  if (quaternion != nullptr && euler_degrees != nullptr) {
    fail(at, "euler_degrees", "there is a rotation too: allowed is one of rotation and euler_degrees");
    return {};
  }
  if (euler_degrees != nullptr)
    return from_euler_degrees(vector(at, "euler_degrees", euler_degrees, {}, -360'000, 360'000));
  if (quaternion == nullptr) return {};
  Quat<double> const q{quaternion->x(), quaternion->y(), quaternion->z(), quaternion->w()};
  double const square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!(square >= 0.99 * 0.99 * (1.0 - 1e-6) && square <= 1.01 * 1.01 * (1.0 + 1e-6))) {
    fail(at, "rotation", "its length is not 1 within 1 %: normalise it, or write euler_degrees");
    return {};
  }
  return q;
}

Quat<double> from_euler_degrees(Vec3<double> angles) noexcept {
  constexpr double kHalfDegreeRad = 0.00872664625997164788;  // pi / 360
  SinCos<Fixed> const x = sin_cos(Fixed(angles.x * kHalfDegreeRad));
  SinCos<Fixed> const y = sin_cos(Fixed(angles.y * kHalfDegreeRad));
  SinCos<Fixed> const z = sin_cos(Fixed(angles.z * kHalfDegreeRad));
  double const sx = x.sin.to_double(), cx = x.cos.to_double();
  double const sy = y.sin.to_double(), cy = y.cos.to_double();
  double const sz = z.sin.to_double(), cz = z.cos.to_double();
  // q = qz qy qx: x acts first.
  return {sx * cy * cz - cx * sy * sz, cx * sy * cz + sx * cy * sz, cx * cy * sz - sx * sy * cz,
          cx * cy * cz + sx * sy * sz};
}

}  // namespace takt::sim
