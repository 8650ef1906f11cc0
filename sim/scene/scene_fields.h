// SceneFields reads numbers from FlatBuffers tables of a scene or an input script and checks them against
// ranges. The first fault is stored with the path of the field (FieldPath, SceneFault). After a fault further
// reads return harmless values and ok() stays false, so callers read a whole table and check once.
// SceneFields also owns data to which definitions only point (keep()). from_euler_degrees() converts angles
// to a rotation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/scene_generated.h"
#include "sim/scene/scene_fault.h"
#include "takt/physics/body.h"

namespace takt::sim {

/// One step of a path on the stack of calls; printed only for a fault.
struct FieldPath {
  const FieldPath* up = nullptr;
  std::string_view name;
  std::int64_t index = -1;  ///< -1 = none
  [[nodiscard]] std::string to_string() const;
};

/// Longest name of a body, shape, rope or joint, and longest title of a scene.
inline constexpr std::size_t kMaxNameBytes = 256;

class SceneFields {
 public:
  [[nodiscard]] bool ok() const noexcept { return !fault_.has_value(); }
  [[nodiscard]] const SceneFault& fault() const { return *fault_; }

  /// Notes the first fault. `name` is a field of the table at `at`; empty = the table itself. Always false.
  bool fail(const FieldPath& at, std::string_view name, std::string text);

  double number(const FieldPath& at, std::string_view name, double value, double low, double high);
  std::uint32_t count(const FieldPath& at, std::string_view name, std::uint32_t value, std::uint32_t low,
                      std::uint32_t high);
  /// Each component in [low, high]; `absent` when the vector is.
  Vec3<double> vector(const FieldPath& at, std::string_view name, const schema::Vec3* value,
                      Vec3<double> absent, double low, double high);
  /// As vector, but absence is a fault.
  Vec3<double> required_vector(const FieldPath& at, std::string_view name, const schema::Vec3* value,
                               double low, double high);
  /// |v| <= max as well.
  Vec3<double> bounded_vector(const FieldPath& at, std::string_view name, const schema::Vec3* value,
                              double max);
  /// A point of the world, each coordinate within kMaxSceneCoordinateM.
  Position point(const FieldPath& at, std::string_view name, const Vec3<double>& value);
  /// From a quaternion or from euler angles in degrees; identity when both are absent.
  Quat<double> rotation(const FieldPath& at, const schema::Quat* quaternion,
                        const schema::Vec3* euler_degrees);

  /// Keeps a value for as long as the scene and its copies live, for definitions that only look at it.
  template <class T>
  const T& keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    kept_.push_back(kept);
    return *kept;
  }
  /// Hands over what keep() kept.
  [[nodiscard]] std::vector<std::shared_ptr<const void>> take_kept() { return std::move(kept_); }

 private:
  std::vector<std::shared_ptr<const void>> kept_;
  std::optional<SceneFault> fault_;
};

/// World coordinates of a scene, metres: half of Q31.32's range, so that relative positions never wrap.
inline constexpr double kMaxSceneCoordinateM = 1e9;

/// Shortest text that reads back as the same double; independent of the locale.
[[nodiscard]] std::string to_text(double value);

/// The rotation about x, then y, then z (fixed axes), degrees. Takt's own trigonometry: the same bits on
/// every machine, error <= 1e-9.
[[nodiscard]] Quat<double> from_euler_degrees(Vec3<double> angles) noexcept;

}  // namespace takt::sim
