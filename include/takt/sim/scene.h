// Scene is the world before tick 0: world settings, CommandPolicy (limits of players), bodies, ropes and
// joints. Generators of a scene file (pile, chain and others) are already expanded into bodies. load_scene()
// reads a Scene from JSON or its FlatBuffers form (schemas/scene.fbs); Simulation::create makes a world of
// it. load_scene() does no file I/O: the caller passes the text, a name for messages, and a SceneFiles for
// files that the text names. JSON with an unknown field is refused; parsing is independent of the locale.
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
    16u << 20u;  ///< of JSON or binary; a million bodies belong into generators
inline constexpr std::uint32_t kMaxSceneBodies = 200'000;  ///< after expansion

/// A kinematic body that goes to and fro between its position and `to` with a smooth start and stop, as a
/// pure function of the tick.
struct SceneMotion {
  Position to;
  double period_s = 4.0;  ///< there and back, [0.1, 3600]
  double phase_s = 0.0;   ///< how far into the period it starts, [0, period_s]
};

struct SceneBody {
  std::string name;  ///< for games and people; may be empty
  BodyDef def;       ///< `def.shapes` is unset: see `shapes`
  std::vector<ShapeDef> shapes;
  std::vector<std::string> shape_names;  ///< of `shapes`, in their order; empty = none of them has a name
  std::optional<SceneMotion> motion;     ///< kinematic bodies only
  std::optional<MoverDef> mover;         ///< the body is this mover's, and `def` and `shapes` do not count
};

struct SceneRope {
  std::string name;  ///< for games and people; may be empty
  RopeDef def;       ///< `def.points` and `def.pins` are unset: see the next
  std::vector<Position> points;
  std::vector<RopePin> pins;                           ///< without their bodies
  std::vector<std::optional<std::size_t>> pin_bodies;  ///< of each pin, index in Scene::bodies
};

/// A joint of two bodies. Where it is written in the world, its frames are worked out on the bodies when it
/// is created.
struct SceneJoint {
  struct WorldFrames {
    Position anchor_a;
    Position anchor_b;
    Quat<double> rotation;  ///< of both
  };
  std::string name;                             ///< for gears, games and people; may be empty
  JointDef def;                                 ///< without its bodies, and a gear's without its joints
  std::size_t body_a = 0;                       ///< index in Scene::bodies
  std::size_t body_b = 0;                       ///< index in Scene::bodies
  std::optional<WorldFrames> world;             ///< instead of `def.frame_a` and `def.frame_b`
  std::array<std::size_t, 2> coupled_joints{};  ///< of a gear: indices in Scene::joints, before its own
};

/// Where a viewer should stand. Never canonical.
struct CameraHint {
  Vec3<double> eye_m{20, 15, 20};
  Vec3<double> target_m{0, 3, 0};
};

struct Scene {
  std::string title;
  WorldDef world;
  CommandPolicy policy;
  double max_query_length_m = 1000.0;  ///< of a player's query, [0, kMaxQueryLengthM]; never canonical
  /// False for a scene file without `players`: a server then uses guarded_policy() instead of `policy`.
  bool has_policy = true;
  CameraHint camera;
  std::vector<SceneBody> bodies;   ///< in order of creation: listed bodies first, then each generator's
  std::vector<SceneRope> ropes;    ///< created after the bodies
  std::vector<SceneJoint> joints;  ///< created after the ropes
  /// What the shapes' views look at (points of hulls, meshes, height fields); copies of the scene share it.
  std::vector<std::shared_ptr<const void>> kept;
  std::vector<std::byte> binary;  ///< the FlatBuffers form, as recordings keep it
};

/// An error in a scene and its position.
struct SceneError {
  std::string file;    ///< as handed in
  std::uint32_t line;  ///< counts from 1; 0 = no line (binary scenes)
  std::string text;    ///< what is wrong and what is allowed
};
/// "<file>:<line>: <text>", or "<file>: <text>" without a line
[[nodiscard]] std::string message(const SceneError& error);

/// Why a file that a scene names could not be read, for a person.
struct SceneFileError {
  std::string text;
};
[[nodiscard]] inline std::string message(const SceneFileError& error) { return error.text; }

/// The files beside a scene, for whoever has a disk.
class SceneFiles {
 public:
  virtual ~SceneFiles() = default;
  /// The bytes of a file of at most `max` bytes. Names are relative, with '/' between folders, and do not
  /// lead upwards.
  [[nodiscard]] virtual Result<std::string, SceneFileError> read(std::string_view name,
                                                                 std::size_t max) const = 0;
};

/// Reads a scene from JSON text or from its binary form (told apart by the file identifier "TKSC").
/// `file_name` is only for messages. The files that JSON names come from `files`, and Scene::binary holds
/// their text; without, such a scene is refused.
[[nodiscard]] Result<Scene, SceneError> load_scene(std::span<const std::byte> bytes,
                                                   std::string_view file_name,
                                                   const SceneFiles* files = nullptr);
[[nodiscard]] Result<Scene, SceneError> load_scene(std::string_view json, std::string_view file_name,
                                                   const SceneFiles* files = nullptr);

/// XXH3-64 over the canonical encoding of everything that can influence a tick: world settings, policy and
/// expanded bodies, ropes and joints. Formatting, comments, the title, names and the camera do not count;
/// generators count by the bodies they make. Peers compare it on connect.
[[nodiscard]] std::uint64_t scene_hash(const Scene& scene);

}  // namespace takt::sim
