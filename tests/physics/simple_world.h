// Worlds and bodies in a line each, for tests and benchmarks of the engine, through the public API alone. The
// tests state the expected behaviour.
#pragma once

#include <cmath>
#include <ostream>
#include <span>

#include "takt/physics/world.h"

namespace takt::test {

inline constexpr double kDegree = 3.14159265358979323846 / 180.0;

// Short names for the makers of the public API.
inline ShapeDef sphere(double radius_m) { return ShapeDef::sphere(radius_m); }
inline ShapeDef capsule(double radius_m, double half_length_m) {
  return ShapeDef::capsule(radius_m, half_length_m);
}
inline ShapeDef box(double x_m, double y_m, double z_m) { return ShapeDef::box(x_m, y_m, z_m); }
inline ShapeDef cylinder(double radius_m, double half_length_m) {
  return ShapeDef::cylinder(radius_m, half_length_m);
}
inline ShapeDef cone(double radius_m, double half_length_m) {
  return ShapeDef::cone(radius_m, half_length_m);
}
/// The points must outlive the call that creates the body.
inline ShapeDef hull(std::span<const Vec3<double>> points_m) { return ShapeDef::hull(points_m); }
inline ShapeDef half_space() { return ShapeDef::half_space(); }

/// A turn about an axis of the world.
inline Quat<double> about_x(double angle_rad) {
  return {std::sin(angle_rad / 2), 0, 0, std::cos(angle_rad / 2)};
}
inline Quat<double> about_y(double angle_rad) {
  return {0, std::sin(angle_rad / 2), 0, std::cos(angle_rad / 2)};
}
inline Quat<double> about_z(double angle_rad) {
  return {0, 0, std::sin(angle_rad / 2), std::cos(angle_rad / 2)};
}

inline Position at(double x_m, double y_m, double z_m) { return Position::from_metres(x_m, y_m, z_m); }
inline Vec3<double> metres(const Position& p) { return p.to_metres(); }
/// to - from, m.
inline Vec3<double> displacement(const Position& from, const Position& to) {
  return displacement_m(from, to);
}

inline double length_of(Vec3<double> v) { return std::sqrt(dot(v, v)); }

inline BodyDef body(BodyType type, std::span<const ShapeDef> shapes, const Position& position,
                    Quat<double> rotation = {}) {
  BodyDef def;
  def.type = type;
  def.position = position;
  def.rotation = rotation;
  def.shapes = shapes;
  return def;
}

/// Asserts, by Result, that the definition is good.
template <class Real>
World<Real> make_world(const WorldDef& def = {}) {
  return std::move(World<Real>::create(def)).value();
}
template <class Real>
BodyId add(World<Real>& world, const BodyDef& def) {
  return world.create_body(def).value();
}
template <class Real>
BodyId add(World<Real>& world, BodyType type, const ShapeDef& shape, const Position& position,
           Quat<double> rotation = {}) {
  return add(world, body(type, {&shape, 1}, position, rotation));
}
/// A static half-space through `position`, its normal turned from +y by `rotation`.
template <class Real>
BodyId add_ground(World<Real>& world, Quat<double> rotation = {}, const Position& position = {},
                  double friction = 0.6) {
  ShapeDef ground = half_space();
  ground.friction = friction;
  return add(world, BodyType::kStatic, ground, position, rotation);
}

template <class Real>
void run(World<Real>& world, int tick_count) {
  for (int i = 0; i < tick_count; ++i) (void)world.step();
}

/// Relative rounding of one operation of float, absolute (on values near 1) of Fixed.
template <class Real>
constexpr double kRounding = 0x1p-24;
template <>
inline constexpr double kRounding<Fixed> = 0x1p-33;

}  // namespace takt::test

namespace takt {

inline std::ostream& operator<<(std::ostream& out, Fixed value) { return out << value.to_double(); }
template <class Real>
std::ostream& operator<<(std::ostream& out, const Vec3<Real>& v) {
  return out << '(' << v.x << ", " << v.y << ", " << v.z << ')';
}
inline std::ostream& operator<<(std::ostream& out, const Position& p) { return out << test::metres(p); }

}  // namespace takt
