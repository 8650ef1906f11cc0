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

std::string locked_text(std::uint8_t locked) {
  std::string out;
  for (int axis = 0; axis < 8; ++axis)
    if ((locked & lock_of(static_cast<JointAxis>(axis))) != 0)
      out.append(out.empty() ? "\"" : ", \"").append(kAxes[axis]).append("\"");
  return '[' + out + ']';
}

void add_axis_parts(const ChangeJointCommand& c, TableText& table) {
  if (c.limit) {
    TableText limit;
    if (c.limit->lower != -kUnbounded) limit.add("lower", number(c.limit->lower));
    if (c.limit->upper != kUnbounded) limit.add("upper", number(c.limit->upper));
    table.add("limit", limit.add("softness", softness_text(c.limit->softness)).text());
  }
  if (c.hold && !c.hold->on) table.add("no_hold", "true");
  if (c.hold && c.hold->on) {
    TableText hold;
    hold.add("target", number(c.hold->target)).add("softness", softness_text(c.hold->softness));
    if (c.hold->max != kUnbounded) hold.add("max", number(c.hold->max));
    table.add("hold", hold.text());
  }
  if (c.motor) {
    TableText motor;
    table.add("motor", motor.add("speed", number(c.motor->speed)).add("max", number(c.motor->max)).text());
  }
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
  auto const axis = static_cast<std::size_t>(c.axis);
  if (axis < std::size(kAxes)) table.add("axis", '"' + std::string(kAxes[axis]) + '"');
  add_axis_parts(c, table);
  return table.text();
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
