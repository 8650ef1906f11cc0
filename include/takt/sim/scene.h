// Scene defines the world at tick 0: world settings, CommandPolicy (limits of players), bodies, ropes and
// joints. Generators of a scene file (pile, chain and others) are already expanded. load_scene() reads a
// Scene from JSON or its FlatBuffers form (schemas/scene.fbs); Simulation::create makes a world of it.
// load_scene() does no file I/O: the caller passes the text, a name for messages, and a SceneFiles for files
// that the text names. JSON with an unknown field is refused; parsing is independent of the locale.
// scene_hash() identifies a Scene.
//
// Every number is computed by correctly rounded operations or Takt's own trigonometry, so a scene gives the
// same bodies on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/physics/body.h"
#include "takt/physics/world.h"
#include "takt/sim/policy.h"

namespace takt::sim {

inline constexpr std::size_t kMaxSceneTextBytes =
    16u << 20u;  ///< of JSON or binary; scenes of many bodies use generators, which take few bytes
inline constexpr std::uint32_t kMaxSceneBodies = 200'000;  ///< generated ones included

/// The motion of a shuttle: a kinematic body that translates between its position and `to` and back, with a
/// smooth start and stop. Its position is a function of the tick alone; its angular velocity stays.
struct SceneMotion {
  Position to;
  double period_s = 4.0;  ///< there and back, [0.1, 3600]
  double phase_s = 0.0;   ///< time within the period at tick 0, [0, period_s]
};

struct SceneBody {
  std::string name;  ///< for games and people; may be empty
  BodyDef def;       ///< `def.shapes` is unset: see `shapes`
  std::vector<ShapeDef> shapes;
  std::vector<std::string> shape_names;  ///< of `shapes`, in their order; empty = none of them has a name
  std::optional<SceneMotion> motion;     ///< kinematic bodies only
  std::optional<MoverDef> mover;         ///< set: the body is this mover's; `def` and `shapes` are ignored
};

struct SceneRope {
  std::string name;  ///< for games and people; may be empty
  RopeDef def;       ///< `def.points` and `def.pins` are unset: see `points` and `pins`
  std::vector<Position> points;
  std::vector<RopePin> pins;                           ///< without their bodies
  std::vector<std::optional<std::size_t>> pin_bodies;  ///< of each pin, index in Scene::bodies; none = a
                                                       ///< point of the world
};

/// A joint of two bodies. Its frames are those of `def`, or are computed from `world` at creation.
struct SceneJoint {
  struct WorldFrames {
    Position anchor_a;
    Position anchor_b;
    Quat<double> rotation;  ///< of both frames, world
  };
  std::string name;                             ///< for gears, games and people; may be empty
  JointDef def;                                 ///< without its bodies, and a gear's without its joints
  std::size_t body_a = 0;                       ///< index in Scene::bodies
  std::size_t body_b = 0;                       ///< index in Scene::bodies
  std::optional<WorldFrames> world;             ///< instead of `def.frame_a` and `def.frame_b`
  std::array<std::size_t, 2> coupled_joints{};  ///< of a gear: indices in Scene::joints, before its own
};

/// The viewer's first camera. Not canonical: neither the state hash nor scene_hash() contains it.
struct CameraHint {
  Vec3<double> eye_m{20, 15, 20};
  Vec3<double> target_m{0, 3, 0};
};

struct Scene {
  std::string title;
  WorldDef world;
  CommandPolicy policy;
  double max_query_length_m = 1000.0;  ///< of a player's query, [0, kMaxQueryLengthM]; not canonical
  /// False for a scene file without `players`: a server then uses guarded_policy() instead of `policy`.
  bool has_policy = true;
  CameraHint camera;
  std::vector<SceneBody> bodies;   ///< in order of creation: listed bodies first, then each generator's
  std::vector<SceneRope> ropes;    ///< created after the bodies; the generators' first, then listed ones
  std::vector<SceneJoint> joints;  ///< created after the ropes; the generators' first, then listed ones
  /// Owners of the memory to which the shapes' spans and pointers refer (points of hulls, meshes, height
  /// fields). Copies of the scene share it.
  std::vector<std::shared_ptr<const void>> kept;
  std::vector<std::byte> binary;  ///< the FlatBuffers form, as recordings store it
};

/// An error in a scene and its position.
struct SceneError {
  std::string file;    ///< `file_name` of load_scene()
  std::uint32_t line;  ///< counts from 1; 0 = no line (binary scenes)
  std::string text;    ///< what is wrong and what is allowed
};
/// Returns "<file>:<line>: <text>", or "<file>: <text>" without a line.
[[nodiscard]] std::string message(const SceneError& error);

/// The reason why a file that a scene names could not be read.
struct SceneFileError {
  std::string text;
};
[[nodiscard]] inline std::string message(const SceneFileError& error) { return error.text; }

/// Reads the files that a scene names, for load_scene(). The caller implements it.
class SceneFiles {
 public:
  virtual ~SceneFiles() = default;
  /// Returns the bytes of a file, or an error for one of more than `max` bytes. `name` is relative, with '/'
  /// between folders and no "..".
  [[nodiscard]] virtual Result<std::string, SceneFileError> read(std::string_view name,
                                                                 std::size_t max) const = 0;
};

/// Reads a scene from JSON text or from its binary form, which has the file identifier "TKSC". `file_name` is
/// for messages only. `files` reads the files that JSON names, and Scene::binary then contains their text;
/// with null a scene that names files is refused. The engine checks each body, rope and joint in a temporary
/// world.
[[nodiscard]] Result<Scene, SceneError> load_scene(std::span<const std::byte> bytes,
                                                   std::string_view file_name,
                                                   const SceneFiles* files = nullptr);
[[nodiscard]] Result<Scene, SceneError> load_scene(std::string_view json, std::string_view file_name,
                                                   const SceneFiles* files = nullptr);

/// Returns XXH3-64 over the canonical encoding of all that can influence a tick: world settings, policy, and
/// bodies, ropes and joints with the generated ones. Format, comments, title, names and camera do not count.
/// A client may name the scene_hash that it expects; a server of another scene then refuses it.
[[nodiscard]] std::uint64_t scene_hash(const Scene& scene);

}  // namespace takt::sim
