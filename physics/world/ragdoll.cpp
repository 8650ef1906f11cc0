#include "physics/state/definition_check.h"
#include "physics/world/assembly_frame.h"
#include "takt/core/assert.h"
#include "takt/physics/assembly.h"
#include "takt/physics/float_control.h"

namespace takt {
namespace {

// Fractions of the height: positions of joints and thicknesses of parts. Heights above the ground unless
// noted.
constexpr double kAnkle = 0.039;
constexpr double kKnee = 0.285;
constexpr double kHip = 0.530;
constexpr double kWaist = 0.630;
constexpr double kShoulder = 0.818;
constexpr double kNeck = 0.870;
constexpr double kElbow = 0.630;
constexpr double kFingers = 0.420;  // a fist: half of a hand's length below the wrist
constexpr double kHipAside = 0.0955;
constexpr double kShoulderAside =
    0.175;  // 0.129 to the joint; what is more keeps hanging arms clear of the thighs
constexpr double kFootLength = 0.152;

struct Part {
  std::string_view name;
  RagdollPart parent;
  double mass_fraction;
  Vec3<double> from;  // of the axis of the capsule; of a foot: the middle of its box
  Vec3<double> to;
  double radius;
};

constexpr std::array<Part, kRagdollPartCount> kParts{{
    {"pelvis", RagdollPart::kPelvis, 0.142, {0, 0.575, -0.045}, {0, 0.575, 0.045}, 0.065},
    {"chest", RagdollPart::kPelvis, 0.355, {0, 0.735, -0.050}, {0, 0.735, 0.050}, 0.090},
    {"head", RagdollPart::kChest, 0.081, {0, 0.920, 0}, {0, 0.940, 0}, 0.060},
    {"left upper arm",
     RagdollPart::kChest,
     0.028,
     {0, kShoulder, -kShoulderAside},
     {0, kElbow, -kShoulderAside},
     0.026},
    {"left forearm",
     RagdollPart::kLeftUpperArm,
     0.022,
     {0, kElbow, -kShoulderAside},
     {0, kFingers, -kShoulderAside},
     0.022},
    {"right upper arm",
     RagdollPart::kChest,
     0.028,
     {0, kShoulder, kShoulderAside},
     {0, kElbow, kShoulderAside},
     0.026},
    {"right forearm",
     RagdollPart::kRightUpperArm,
     0.022,
     {0, kElbow, kShoulderAside},
     {0, kFingers, kShoulderAside},
     0.022},
    {"left thigh", RagdollPart::kPelvis, 0.100, {0, kHip, -kHipAside}, {0, kKnee, -kHipAside}, 0.043},
    {"left shin",
     RagdollPart::kLeftThigh,
     0.0465,
     {0, kKnee, -kHipAside},
     {0, kAnkle + 0.03, -kHipAside},
     0.030},
    {"left foot", RagdollPart::kLeftShin, 0.0145, {0.035, 0.5 * kAnkle, -kHipAside}, {}, 0.0},
    {"right thigh", RagdollPart::kPelvis, 0.100, {0, kHip, kHipAside}, {0, kKnee, kHipAside}, 0.043},
    {"right shin",
     RagdollPart::kRightThigh,
     0.0465,
     {0, kKnee, kHipAside},
     {0, kAnkle + 0.03, kHipAside},
     0.030},
    {"right foot", RagdollPart::kRightShin, 0.0145, {0.035, 0.5 * kAnkle, kHipAside}, {}, 0.0},
}};

bool is_foot(std::uint32_t part) { return kParts[part].radius == 0.0; }

Vec3<double> middle_of(std::uint32_t part) {
  return is_foot(part) ? kParts[part].from : (kParts[part].from + kParts[part].to) * 0.5;
}

ShapeDef shape_of(std::uint32_t part, const RagdollDef& def) {
  const Part& p = kParts[part];
  ShapeDef shape;
  shape.friction = def.friction;
  shape.filter = def.filter;
  if (is_foot(part)) {
    shape.kind = ShapeKind::kBox;
    shape.half_extents_m = Vec3<double>{0.5 * kFootLength, 0.5 * kAnkle, 0.028} * def.height_m;
  } else {
    shape.kind = ShapeKind::kCapsule;
    Vec3<double> const displacement = p.to - p.from;
    shape.radius_m = p.radius * def.height_m;
    shape.half_length_m = 0.5 * __builtin_sqrt(dot(displacement, displacement)) * def.height_m;
    constexpr double kHalf = 0.70710678118654752440;
    if (displacement.z != 0.0) shape.local_rotation = {kHalf, 0, 0, kHalf};  // lies along z
  }
  return shape;
}

// Rotations of the x axis.
constexpr Quat<double> kXToUp{0, 0, 0.70710678118654752440, 0.70710678118654752440};
constexpr Quat<double> kXToDown{0, 0, -0.70710678118654752440, 0.70710678118654752440};
constexpr Quat<double> kXToRight{0, -0.70710678118654752440, 0, 0.70710678118654752440};
// From straight down: 45 degrees forward (hips), 45 degrees to the left or right (shoulders).
constexpr Quat<double> kForwardOfDown{0, 0, 0.38268343236508977173, 0.92387953251128675613};
constexpr Quat<double> kLeftOfDown{0.38268343236508977173, 0, 0, 0.92387953251128675613};
constexpr Quat<double> kRightOfDown{-0.38268343236508977173, 0, 0, 0.92387953251128675613};

constexpr double degrees(double angle) { return angle * 0.01745329251994329577; }

struct Socket {
  Vec3<double> anchor;  // of the height
  Quat<double> cone;    // frame a: the cone's middle is its x axis
  Quat<double> along;   // frame b: x along the part
  double swing_rad;
  double twist_rad;
};

struct Hinge {
  Vec3<double> anchor;
  double lower_rad;  // about z, to the right
  double upper_rad;
};

JointFrame frame_at(Vec3<double> anchor, std::uint32_t part, Quat<double> rotation, double height_m) {
  return {(anchor - middle_of(part)) * height_m, rotation};
}

JointDef socket_joint(const Socket& socket, std::uint32_t parent, std::uint32_t part, const RagdollDef& def) {
  TAKT_ASSERT(parent < kRagdollPartCount && part < kRagdollPartCount);
  JointDef joint = point_joint({}, {}, frame_at(socket.anchor, parent, socket.cone, def.height_m),
                               frame_at(socket.anchor, part, socket.along, def.height_m));
  joint.limit(JointAxis::kAngularX, -socket.twist_rad, socket.twist_rad)
      .friction(JointAxis::kAngularX, def.joint_friction_n_m);
  joint.limit(JointAxis::kSwing, -kUnbounded, socket.swing_rad);
  // The friction acts on each axis: friction on the swing would leave rotation at a constant angle free.
  return joint.friction(JointAxis::kAngularY, def.joint_friction_n_m)
      .friction(JointAxis::kAngularZ, def.joint_friction_n_m);
}

JointDef hinge_joint(const Hinge& hinge, std::uint32_t parent, std::uint32_t part, const RagdollDef& def) {
  JointDef joint = revolute_joint({}, {}, frame_at(hinge.anchor, parent, kXToRight, def.height_m),
                                  frame_at(hinge.anchor, part, kXToRight, def.height_m));
  return joint.limit(JointAxis::kAngularX, hinge.lower_rad, hinge.upper_rad)
      .friction(JointAxis::kAngularX, def.joint_friction_n_m);
}

JointDef joint_of(std::uint32_t part, const RagdollDef& def) {
  auto const parent = static_cast<std::uint32_t>(kParts[part].parent);
  double const side = middle_of(part).z < 0 ? -1.0 : 1.0;
  auto const socket = [&](const Socket& s) { return socket_joint(s, parent, part, def); };
  auto const hinge = [&](const Hinge& h) { return hinge_joint(h, parent, part, def); };
  switch (static_cast<RagdollPart>(part)) {
    case RagdollPart::kPelvis: break;
    case RagdollPart::kChest: return socket({{0, kWaist, 0}, kXToUp, kXToUp, degrees(35), degrees(35)});
    case RagdollPart::kHead: return socket({{0, kNeck, 0}, kXToUp, kXToUp, degrees(45), degrees(60)});
    case RagdollPart::kLeftUpperArm:
    case RagdollPart::kRightUpperArm:
      return socket({{0, kShoulder, side * kShoulderAside},
                     (side < 0 ? kLeftOfDown : kRightOfDown) * kXToDown,
                     kXToDown,
                     degrees(100),
                     degrees(80)});
    case RagdollPart::kLeftThigh:
    case RagdollPart::kRightThigh:
      return socket(
          {{0, kHip, side * kHipAside}, kForwardOfDown * kXToDown, kXToDown, degrees(65), degrees(35)});
    case RagdollPart::kLeftForearm:
    case RagdollPart::kRightForearm: return hinge({{0, kElbow, side * kShoulderAside}, 0.0, degrees(145)});
    case RagdollPart::kLeftShin:
    case RagdollPart::kRightShin: return hinge({{0, kKnee, side * kHipAside}, degrees(-140), 0.0});
    case RagdollPart::kLeftFoot:
    case RagdollPart::kRightFoot: return hinge({{0, kAnkle, side * kHipAside}, degrees(-45), degrees(20)});
  }
  return {};
}

std::optional<PhysicsError> check(const RagdollDef& def) {
  auto const within = [](double value, double low, double high) { return value >= low && value <= high; };
  if (auto const error = check_rotation(def.rotation)) return error;
  if (!within(def.height_m, 0.6, 20) || !within(def.mass_kg, 0.1, 1e5) ||
      !within(def.joint_friction_n_m, 0, 1e5))
    return PhysicsError::kOutOfRange;
  return std::nullopt;
}

// Not inlined: the caller holds a FloatControlGuard.
[[gnu::noinline]] Result<Assembly, PhysicsError> build(const RagdollDef& def) {
  Assembly assembly;
  AssemblyFrame const index(def.position, def.rotation);
  for (std::uint32_t part = 0; part < kRagdollPartCount; ++part) {
    AssemblyBody body;
    body.name = kParts[part].name;
    body.def.position = index.point(middle_of(part) * def.height_m);
    body.def.rotation = index.rotation;
    body.def.linear_velocity_m_s = def.linear_velocity_m_s;
    ShapeDef shape = shape_of(part, def);
    auto const volume = volume_m3(shape);
    if (!volume) return volume.error();
    shape.density_kg_m3 = kParts[part].mass_fraction * def.mass_kg / *volume;
    body.shapes.push_back(shape);
    assembly.bodies.push_back(std::move(body));
    if (part > 0)
      assembly.joints.push_back(
          {kParts[part].name, joint_of(part, def), static_cast<std::uint32_t>(kParts[part].parent), part});
  }
  return assembly;
}

}  // namespace

Result<Assembly, PhysicsError> ragdoll(const RagdollDef& def) {
  FloatControlGuard const guard;
  if (auto const error = check(def)) return *error;
  return build(def);
}

}  // namespace takt
