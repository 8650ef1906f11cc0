#include "sim/commands/input_script_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <variant>

#include "sim/commands/input_script.h"
#include "takt/core/overload.h"

namespace takt::sim {
namespace {

constexpr const char* kAxes[] = {"linear_x",  "linear_y",  "linear_z", "angular_x",
                                 "angular_y", "angular_z", "distance", "swing"};

std::string number(double value) {
  char text[40];
  std::string out(text, std::to_chars(text, text + sizeof text, value).ptr);
  return out == "-0" ? "-0.0" : out;  // without the point it is an integer
}

// The shortest text that becomes the same binary32 by way of binary64.
std::string number(float value) {
  char text[40];
  char* const end = std::to_chars(text, text + sizeof text, value).ptr;
  double wide = 0;
  (void)std::from_chars(text, end, wide);
  if (static_cast<float>(wide) != value) return number(static_cast<double>(value));
  std::string out(text, end);
  return out == "-0" ? "-0.0" : out;
}

template <class T>
std::string list(const Vec3<T>& v) {
  return '[' + number(v.x) + ", " + number(v.y) + ", " + number(v.z) + ']';
}
std::string list(const Position& p) { return list(p.to_metres()); }
template <class T>
std::string list(const Quat<T>& q) {
  return '[' + number(q.x) + ", " + number(q.y) + ", " + number(q.z) + ", " + number(q.w) + ']';
}

std::string digits_of(char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  auto const byte = static_cast<unsigned char>(c);
  return {kDigits[byte >> 4u], kDigits[byte & 15u]};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char const c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      out.append("\\u00").append(digits_of(c));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string truth(bool value) { return value ? "true" : "false"; }

template <class AnId>
std::string id_text(AnId id) {
  return '"' + std::to_string(id.index) + ':' + std::to_string(id.generation) + '"';
}

// A table of JSON: {"name": value, ...}.
class TableText {
 public:
  TableText& add(std::string_view name, const std::string& value) {
    out_.append(out_.size() > 1 ? ", \"" : "\"").append(name).append("\": ").append(value);
    return *this;
  }
  // Leaves out a vector of zeros, which is the default.
  template <class T>
  TableText& add_vector(std::string_view name, const Vec3<T>& v) {
    return list(v) == list(Vec3<T>{}) ? *this : add(name, list(v));
  }
  TableText& add_rotation(const Quat<float>& q) {
    return list(q) == list(Quat<float>{}) ? *this : add("rotation", list(q));
  }
  template <class T>
  TableText& add_number(std::string_view name, const std::optional<T>& value) {
    return value ? add(name, number(*value)) : *this;
  }
  TableText& add_truth(std::string_view name, const std::optional<bool>& value) {
    return value ? add(name, truth(*value)) : *this;
  }
  [[nodiscard]] std::string text() const { return out_ + '}'; }

 private:
  std::string out_ = "{";
};

std::string pair(const char* form, const char* first, const char* second, const Softness& softness) {
  TableText inner;
  inner.add(first, number(softness.first())).add(second, number(softness.second()));
  return TableText().add(form, inner.text()).text();
}

std::string softness_text(const Softness& softness) {
  switch (softness.form()) {
    case Softness::Form::kRigid: break;
    case Softness::Form::kBetaGamma: return pair("beta_gamma", "beta", "gamma", softness);
    case Softness::Form::kErpCfm: return pair("erp_cfm", "erp", "cfm", softness);
    case Softness::Form::kSpring: return pair("spring", "stiffness", "damping", softness);
    case Softness::Form::kFrequency: return pair("frequency", "hertz", "damping_ratio", softness);
  }
  return R"({"rigid": {}})";
}

std::string shape_text(const SpawnCommand& c) {
  std::string const radius = number(c.dimensions_m.x);
  std::string const length = number(2 * c.dimensions_m.y);
  TableText shape;
  TableText geometry;
  switch (c.kind) {
    case ShapeKind::kSphere: shape.add("sphere", geometry.add("radius", radius).text()); break;
    case ShapeKind::kCapsule:
      shape.add("capsule", geometry.add("radius", radius).add("length", length).text());
      break;
    case ShapeKind::kBox: shape.add("box", geometry.add("size", list(c.dimensions_m * 2.0f)).text()); break;
    case ShapeKind::kCylinder:
      shape.add("cylinder", geometry.add("radius", radius).add("height", length).text());
      break;
    case ShapeKind::kCone:
      shape.add("cone", geometry.add("radius", radius).add("height", length).text());
      break;
    case ShapeKind::kHull:
    case ShapeKind::kHalfSpace:
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField: break;  // refused by the simulation, and not in a script
  }
  shape.add("density", number(c.density_kg_m3)).add("friction", number(c.friction));
  return shape.add("restitution", number(c.restitution)).text();
}

std::string frame_text(const JointFrame& frame) {
  return TableText().add("position", list(frame.position_m)).add("rotation", list(frame.rotation)).text();
}

std::string filter_text(const ShapeFilter& filter) {
  TableText table;
  table.add("category", std::to_string(filter.category)).add("mask", std::to_string(filter.mask));
  return table.add("group", std::to_string(filter.group)).text();
}

template <class T>
std::string list_text(const std::vector<T>& elements, auto&& text_of_element) {
  std::string out;
  for (const T& element : elements) out.append(out.empty() ? "" : ", ").append(text_of_element(element));
  return '[' + out + ']';
}

std::string axis_text(JointAxis axis) {
  auto const index = static_cast<std::size_t>(axis);
  return '"' + std::string(index < std::size(kAxes) ? kAxes[index] : "") + '"';
}

std::string locked_text(std::uint8_t locked) {
  std::string out;
  for (int axis = 0; axis < 8; ++axis)
    if ((locked & lock_of(static_cast<JointAxis>(axis))) != 0)
      out.append(out.empty() ? "\"" : ", \"").append(kAxes[axis]).append("\"");
  return '[' + out + ']';
}

std::string limit_text(double lower, double upper, const Softness& softness) {
  TableText limit;
  if (lower != -kUnbounded) limit.add("lower", number(lower));
  if (upper != kUnbounded) limit.add("upper", number(upper));
  return limit.add("softness", softness_text(softness)).text();
}

std::string hold_text(double target, const Softness& softness, double max) {
  TableText hold;
  hold.add("target", number(target)).add("softness", softness_text(softness));
  if (max != kUnbounded) hold.add("max", number(max));
  return hold.text();
}

std::string motor_text(double speed, double max) {
  return TableText().add("speed", number(speed)).add("max", number(max)).text();
}

void add_axis_parts(const ChangeJointCommand& c, TableText& table) {
  if (c.limit) table.add("limit", limit_text(c.limit->lower, c.limit->upper, c.limit->softness));
  if (c.hold && !c.hold->on) table.add("no_hold", "true");
  if (c.hold && c.hold->on) table.add("hold", hold_text(c.hold->target, c.hold->softness, c.hold->max));
  if (c.motor) table.add("motor", motor_text(c.motor->speed, c.motor->max));
  table.add_number("friction", c.friction);
}

// The fields of each command, as schemas/inputs.fbs has them.
std::string text_of(const ChangeJointCommand& c) {
  TableText table;
  table.add("joint", id_text(c.joint));
  table.add_truth("enabled", c.enabled).add_truth("collide_connected", c.collide_connected);
  table.add_truth("direct", c.direct);
  if (c.locked) table.add("locked", locked_text(*c.locked));
  if (c.frame_a) table.add("frame_a", frame_text(*c.frame_a));
  if (c.frame_b) table.add("frame_b", frame_text(*c.frame_b));
  if (c.linear) table.add("linear", softness_text(*c.linear));
  if (c.angular) table.add("angular", softness_text(*c.angular));
  table.add_number("max_force", c.max_force_n).add_number("max_torque", c.max_torque_n_m);
  table.add_number("break_force", c.break_force_n).add_number("break_torque", c.break_torque_n_m);
  table.add_number("ratio", c.ratio).add_number("length", c.length_m);
  table.add("axis", axis_text(c.axis));
  add_axis_parts(c, table);
  return table.text();
}

std::string text_of(const CreateJointCommand::Axis& axis) {
  const JointAxisDef& d = axis.def;
  TableText table;
  table.add("axis", axis_text(d.axis));
  if (d.lower != -kUnbounded || d.upper != kUnbounded)
    table.add("limit", limit_text(d.lower, d.upper, d.limit_softness));
  if (d.has_drive) table.add("hold", hold_text(d.target, d.drive_softness, d.max_drive));
  if (d.speed != 0 || d.max_motor != 0) table.add("motor", motor_text(d.speed, d.max_motor));
  return table.add("friction", number(d.friction)).text();
}

std::string text_of(const CreateJointCommand& c) {
  constexpr const char* kKinds[] = {"",      "generic",  "point",  "revolute", "prismatic",
                                    "weld",  "distance", "angle",  "wheel",    "parallel",
                                    "motor", "target",   "pulley", "gear"};
  auto const bound = [](double value) { return value == kUnbounded ? std::nullopt : std::optional(value); };
  TableText table;
  auto const kind = static_cast<std::size_t>(c.kind);
  table.add("kind", '"' + std::string(kind < std::size(kKinds) ? kKinds[kind] : "") + '"');
  table.add("a", id_text(c.body_a)).add("b", id_text(c.body_b));
  table.add("frame_a", frame_text(c.frame_a)).add("frame_b", frame_text(c.frame_b));
  table.add("locked", locked_text(c.locked));
  table.add("linear", softness_text(c.linear)).add("angular", softness_text(c.angular));
  table.add_number("max_force", bound(c.max_force_n)).add_number("max_torque", bound(c.max_torque_n_m));
  table.add_number("break_force", bound(c.break_force_n));
  table.add_number("break_torque", bound(c.break_torque_n_m));
  table.add("axes", list_text(c.axes, [](const auto& axis) { return text_of(axis); }));
  if (c.coupling.joint_1) table.add("joint_1", id_text(c.coupling.joint_1));
  if (c.coupling.joint_2) table.add("joint_2", id_text(c.coupling.joint_2));
  table.add("axis_1", axis_text(c.coupling.axis_1)).add("axis_2", axis_text(c.coupling.axis_2));
  table.add("ratio", number(c.coupling.ratio)).add("length", number(c.coupling.length_m));
  table.add("ground_a", list(c.coupling.ground_a)).add("ground_b", list(c.coupling.ground_b));
  table.add("collide_connected", truth(c.collide_connected)).add("enabled", truth(c.enabled));
  return table.add("direct", truth(c.direct)).add("user_tag", std::to_string(c.user_tag)).text();
}

std::string text_of(const PinnedNode& pin) {
  TableText table;
  table.add("node", std::to_string(pin.node));
  if (pin.body) table.add("body", id_text(pin.body));
  table.add_vector("anchor", pin.local_anchor_m);
  if (pin.target) table.add("target", list(*pin.target));
  return table.text();
}

std::string text_of(const CreateRopeCommand& c) {
  const RopeDef& d = c.def;
  TableText rope;
  if (c.points.empty()) {
    rope.add("nodes", std::to_string(d.node_count)).add("start", list(d.start)).add("end", list(d.end));
  } else {
    rope.add("points", list_text(c.points, [](const Position& point) { return list(point); }));
  }
  if (d.segment_length_m != 0) rope.add("segment_length", number(d.segment_length_m));
  rope.add("radius", number(d.radius_m)).add("mass", number(d.mass_kg));
  rope.add("linear_density", number(d.linear_density_kg_m));
  rope.add("mode", d.mode == RopeMode::kJakobsen ? "\"jakobsen\"" : "\"compliant\"");
  rope.add("stiffness", number(d.stiffness)).add("compliance", number(d.compliance_m_n));
  rope.add("damping", number(d.damping_n_s_m)).add("passes", std::to_string(d.passes));
  rope.add("drag", number(d.drag_1_s)).add("gravity_scale", number(d.gravity_scale));
  rope.add("friction", number(d.friction)).add("collides", truth(d.collides));
  rope.add("collides_with_pinned", truth(d.collides_with_pinned)).add("can_sleep", truth(d.can_sleep));
  rope.add("filter", filter_text(d.filter)).add("user_tag", std::to_string(d.user_tag));
  TableText table;
  table.add("rope", rope.text());
  return table.add("pins", list_text(c.pins, [](const PinnedNode& pin) { return text_of(pin); })).text();
}

std::string text_of(const ChangeBodyCommand& c) {
  constexpr const char* kTypes[] = {"\"static\"", "\"kinematic\"", "\"dynamic\""};
  TableText table;
  table.add("body", id_text(c.body));
  auto const type = static_cast<std::size_t>(c.type.value_or(BodyType::kStatic));
  if (c.type) table.add("type", type < std::size(kTypes) ? kTypes[type] : "\"\"");
  table.add_truth("enabled", c.enabled);
  if (c.locked_axes) table.add("locked", locked_text(*c.locked_axes));
  table.add_number("gravity_scale", c.gravity_scale);
  if (c.damping) {
    TableText damping;
    damping.add("linear", number(c.damping->linear_1_s)).add("angular", number(c.damping->angular_1_s));
    table.add("damping", damping.text());
  }
  if (c.user_tag) table.add("user_tag", std::to_string(*c.user_tag));
  return table.text();
}

std::string with_tuning(TableText& table, const MoverTuning& t) {
  table.add("max_slope", number(t.max_slope_rad));
  table.add("step_height", number(t.step_height_m)).add("stick_distance", number(t.stick_distance_m));
  table.add("skin", number(t.skin_m)).add("max_speed", number(t.max_speed_m_s));
  table.add("acceleration", number(t.acceleration_m_s2));
  table.add("air_acceleration", number(t.air_acceleration_m_s2)).add("jump_speed", number(t.jump_speed_m_s));
  table.add("max_fall_speed", number(t.max_fall_speed_m_s)).add("gravity_scale", number(t.gravity_scale));
  table.add("push_force", number(t.push_force_n)).add("mass", number(t.mass_kg));
  return table.add("recovery_speed", number(t.recovery_speed_m_s)).text();
}

std::string text_of(const CreateMoverCommand& c) {
  const MoverDef& d = c.def;
  TableText table;
  table.add("position", list(d.position)).add("heading", number(d.heading_rad));
  table.add("radius", number(d.radius_m)).add("half_length", number(d.half_length_m));
  table.add("friction", number(d.friction)).add("restitution", number(d.restitution));
  table.add("filter", filter_text(d.filter)).add("user_tag", std::to_string(d.user_tag));
  return with_tuning(table, d.tuning);
}

std::string text_of(const CustomCommand& c) {
  std::string text(reinterpret_cast<const char*>(c.bytes.data()), c.bytes.size());
  bool const is_ascii = std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
  if (is_ascii) return TableText().add("text", quoted(text)).text();
  std::string hex;
  for (char const letter : text) hex += digits_of(letter);
  return TableText().add("hex", quoted(hex)).text();
}

std::string text_of(const Command& command) {
  TableText table;
  return std::visit(
      Overload{
          [&](const ImpulseCommand& c) {
            table.add("body", id_text(c.body)).add("impulse", list(c.impulse_n_s));
            if (c.point_local_m) table.add("point", list(*c.point_local_m));
            return table.text();
          },
          [&](const ForceCommand& c) {
            table.add("body", id_text(c.body)).add_vector("force", c.force_n);
            return table.add_vector("torque", c.torque_n_m).add("ticks", std::to_string(c.ticks)).text();
          },
          [&](const SpawnCommand& c) {
            table.add("shape", shape_text(c)).add("position", list(c.position)).add_rotation(c.rotation);
            table.add_vector("velocity", c.linear_velocity_m_s);
            table.add_vector("angular_velocity", c.angular_velocity_rad_s);
            return table.add("user_kind", std::to_string(c.user_kind)).text();
          },
          [&](const DespawnCommand& c) { return table.add("body", id_text(c.body)).text(); },
          [&](const GrabCommand& c) {
            table.add("body", id_text(c.body)).add_vector("point", c.point_local_m);
            return table.add("target", list(c.target)).add("max_force", number(c.max_force_n)).text();
          },
          [&](const MoveGrabCommand& c) { return table.add("target", list(c.target)).text(); },
          [&](const ReleaseCommand&) { return table.text(); },
          [&](const TeleportCommand& c) {
            table.add("body", id_text(c.body)).add("position", list(c.position)).add_rotation(c.rotation);
            table.add_vector("velocity", c.linear_velocity_m_s);
            return table.add_vector("angular_velocity", c.angular_velocity_rad_s).text();
          },
          [](const CustomCommand& c) { return text_of(c); },
          [&](const JoinCommand& c) {
            table.add("player", std::to_string(c.player)).add("name", quoted(c.name));
            return c.admin ? table.add("admin", "true").text() : table.text();
          },
          [&](const LeaveCommand& c) { return table.add("player", std::to_string(c.player)).text(); },
          [&](const MoveCommand& c) {
            table.add("body", id_text(c.body)).add_vector("velocity", c.velocity_m_s);
            table.add("turn", number(c.turn_rad_s)).add("in_heading_frame", truth(c.in_heading_frame));
            return table.add("jump", truth(c.jump)).text();
          },
          [&](const CutCommand& c) {
            return table.add("rope", id_text(c.rope)).add("segment", std::to_string(c.segment)).text();
          },
          [](const ChangeJointCommand& c) { return text_of(c); },
          [&](const DestroyJointCommand& c) { return table.add("joint", id_text(c.joint)).text(); },
          [](const ChangeBodyCommand& c) { return text_of(c); },
          [&](const ChangeShapeCommand& c) {
            table.add("shape", id_text(c.shape));
            if (c.filter) table.add("filter", filter_text(*c.filter));
            table.add_number("friction", c.friction).add_number("restitution", c.restitution);
            if (c.surface_velocity_m_s) table.add("surface_velocity", list(*c.surface_velocity_m_s));
            return table.text();
          },
          [&](const TargetCommand& c) {
            table.add("body", id_text(c.body)).add("position", list(c.position));
            return table.add("rotation", list(c.rotation)).text();
          },
          [&](const TuneMoverCommand& c) {
            return with_tuning(table.add("body", id_text(c.body)), c.tuning);
          },
          [](const CreateJointCommand& c) { return text_of(c); },
          [](const CreateRopeCommand& c) { return text_of(c); },
          [&](const ChangeRopeCommand& c) {
            table.add("rope", id_text(c.rope)).add_number("segment_length", c.segment_length_m);
            if (c.pin) table.add("pin", text_of(*c.pin));
            if (c.released_node) table.add("released_node", std::to_string(*c.released_node));
            return table.text();
          },
          [&](const DestroyRopeCommand& c) { return table.add("rope", id_text(c.rope)).text(); },
          [](const CreateMoverCommand& c) { return text_of(c); },
      },
      command);
}

std::string script_of(std::span<const Input> inputs) {
  std::string json = "{\n  \"inputs\": [";
  for (const Input& input : inputs) {
    TableText line;
    line.add("tick", std::to_string(input.tick)).add("player", std::to_string(input.player));
    line.add("sequence", std::to_string(input.sequence)).add(name_of(input.command), text_of(input.command));
    json.append(&input == inputs.data() ? "\n    " : ",\n    ").append(line.text());
  }
  return json + "\n  ]\n}\n";
}

std::vector<std::byte> encoding_of(std::span<const Input> inputs) {
  std::vector<std::byte> bytes;
  for (const Input& input : inputs) encode(input, bytes);
  return bytes;
}

// Equal encodings, not equal numbers: 0 and -0 differ.
bool reads_back(const std::string& json, std::span<const Input> inputs, const Scene& scene) {
  auto const read = load_input_script(json, {}, scene);
  return read && encoding_of(*read) == encoding_of(inputs);
}

}  // namespace

InputScriptText write_input_script(std::span<const RecordedTick> ticks, const Scene& scene) {
  InputScriptText out;
  std::vector<Input> inputs;
  for (const RecordedTick& tick : ticks) {
    for (const Input& input : tick.inputs) {
      bool const is_of_tick = input.tick == tick.tick;  // another one was refused, and a script moves it
      (is_of_tick ? inputs : out.omitted).push_back(input);
    }
  }
  out.json = script_of(inputs);
  if (reads_back(out.json, inputs, scene)) return out;
  std::vector<Input> kept;
  for (const Input& input : inputs) {
    std::span<const Input> const one(&input, 1);
    (reads_back(script_of(one), one, scene) ? kept : out.omitted).push_back(input);
  }
  out.json = script_of(kept);
  std::ranges::stable_sort(out.omitted, {}, &Input::tick);
  return out;
}

}  // namespace takt::sim
