// SceneFields reads numbers from FlatBuffers tables of a scene or an input script and checks them against
// ranges. The first fault is stored with the path of the field (FieldPath, SceneFault). A read that fails
// returns a value in its range, and ok() stays false, so callers read a whole table and check once.
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
#include "takt/physics/bounds.h"

namespace takt::sim {

/// One step of the path of a field: a name, an index in a list, or both. `up` is the step before it, null for
/// the first one. Steps live on the stack of calls, and only a fault copies them.
struct FieldPath {
  const FieldPath* up = nullptr;
  std::string_view name;
  std::int64_t index = -1;  ///< -1 = none
  /// "bodies[3].shapes[0]"; the root is "".
  [[nodiscard]] std::string to_string() const;
};

/// Longest name of a body, shape, rope or joint, and longest title of a scene, bytes.
inline constexpr std::size_t kMaxNameBytes = 256;

class SceneFields {
 public:
  [[nodiscard]] bool ok() const noexcept { return !fault_.has_value(); }
  /// The first fault; only if ok() is false.
  [[nodiscard]] const SceneFault& fault() const { return *fault_; }

  /// Stores the fault if it is the first. `name` is a field of the table at `at`; empty = the table itself.
  /// Returns false.
  bool fail(const FieldPath& at, std::string_view name, std::string text);

  /// The value if it is in [low, high]. Otherwise, and for NaN, a fault, and `low`.
  double number(const FieldPath& at, std::string_view name, double value, double low, double high);
  /// As number(), for integers.
  std::uint32_t count(const FieldPath& at, std::string_view name, std::uint32_t value, std::uint32_t low,
                      std::uint32_t high);
  /// The vector, if each component is in [low, high], as number() checks; `absent` for null.
  Vec3<double> vector(const FieldPath& at, std::string_view name, const schema::Vec3* value,
                      Vec3<double> absent, double low, double high);
  /// As vector(), but null is a fault.
  Vec3<double> required_vector(const FieldPath& at, std::string_view name, const schema::Vec3* value,
                               double low, double high);
  /// The vector, whose length is at most `max`; zero for null.
  Vec3<double> bounded_vector(const FieldPath& at, std::string_view name, const schema::Vec3* value,
                              double max);
  /// A point of the world in metres, rounded to raw units; each coordinate is within +-kMaxSceneCoordinateM.
  Position point(const FieldPath& at, std::string_view name, const Vec3<double>& value);
  /// A quaternion whose length is 1 within 1 %, or a rotation by euler angles, degrees in [-360000, 360000].
  /// Identity when both are null; both at once are a fault.
  Quat<double> rotation(const FieldPath& at, const schema::Quat* quaternion,
                        const schema::Vec3* euler_degrees);

  /// Owns a value to which a definition points. It lives as long as this SceneFields, or as the list of
  /// take_kept(), which build_scene() puts into Scene::kept.
  template <class T>
  const T& keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    kept_.push_back(kept);
    return *kept;
  }
  /// Moves out the values of keep().
  [[nodiscard]] std::vector<std::shared_ptr<const void>> take_kept() { return std::move(kept_); }

 private:
  std::vector<std::shared_ptr<const void>> kept_;
  std::optional<SceneFault> fault_;
};

/// A number that was computed from those of a scene, rounded to binary32 for the functions of bounds.h: the
/// rounding errors of the computation leave no end of a range outside.
[[nodiscard]] constexpr double computed(double value) noexcept { return binary32_bound(value); }

/// Greatest world coordinate of a scene, m. It is below half of the range of Q31.32, so that differences of
/// two coordinates never wrap.
inline constexpr double kMaxSceneCoordinateM = 1e9;

/// Shortest text that reads back as the same double; independent of the locale.
[[nodiscard]] std::string to_text(double value);

/// The rotation by angles in degrees about x, then y, then z (fixed axes). Takt's own trigonometry gives
/// equal bits on every machine, with an error of at most 1e-9.
[[nodiscard]] Quat<double> from_euler_degrees(Vec3<double> angles) noexcept;

}  // namespace takt::sim
