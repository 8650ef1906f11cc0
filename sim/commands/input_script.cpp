#include "sim/commands/input_script.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <type_traits>
#include <utility>

#include "schemas/inputs_generated.h"
#include "sim/commands/joint_script.h"
#include "sim/commands/world_edit_script.h"
#include "sim/scene/scene_fields.h"
#include "sim/scene/scene_names.h"
#include "sim/scene/scene_shapes.h"
#include "sim/scene/schema_json.h"
#include "sim/state/byte_fields.h"
#include "takt/physics/float_control.h"

namespace takt::sim {
namespace {

constexpr double kMaxM = 2e9;  // Q31.32's range
constexpr double kMaxFloat = 3e38;

/// "index" or "index:generation"; what is not there stays as it is.
bool parse_id(std::string_view text, std::uint32_t& index, std::uint32_t& generation) {
  char const* const end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, index);
  bool sound = parsed.ec == std::errc();
  if (sound && parsed.ptr != end && *parsed.ptr == ':') {
    parsed = std::from_chars(parsed.ptr + 1, end, generation);
    sound = parsed.ec == std::errc();
  }
  return sound && parsed.ptr == end;
}

bool parse_hex(std::string_view text, std::vector<std::byte>& bytes) {
  if (text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    std::uint8_t byte = 0;
    char const* const begin = text.data() + i;
    auto const parsed = std::from_chars(begin, begin + 2, byte, 16);
    if (parsed.ec != std::errc() || parsed.ptr != begin + 2) return false;
    bytes.push_back(static_cast<std::byte>(byte));
  }
  return true;
}

class ScriptReader {
 public:
  ScriptReader(const Scene& scene, SceneFields& fields) : scene_(&scene), fields_(&fields) {}

  // One function per command; `at` is the path of its table.
  ImpulseCommand impulse(const schema::ImpulseInput& t, const FieldPath& at) {
    ImpulseCommand command{body(t.body(), at), narrow(t.impulse(), at, "impulse"), std::nullopt};
    if (t.point() != nullptr) command.point_local_m = narrow(t.point(), at, "point");
    return command;
  }
  ForceCommand force(const schema::ForceInput& t, const FieldPath& at) {
    return {body(t.body(), at), narrow(t.force(), at, "force"), narrow(t.torque(), at, "torque"), t.ticks()};
  }
  SpawnCommand spawn(const schema::SpawnInput& t, const FieldPath& at) {
    SpawnCommand command;
    if (t.shape() == nullptr) {
      fields_->fail(
          at, {},
          "\"shape\" is missing: expected {\"box\": {...}}, {\"sphere\": {...}} or {\"capsule\": {...}}");
      return command;
    }
    FieldPath const at_shape{&at, "shape"};
    ShapeDef const shape = read_shape(*t.shape(), at_shape, BodyType::kDynamic, *fields_);
    if (t.shape()->name() != nullptr)
      fields_->fail(at_shape, "name", "a command cannot name a shape: only shapes of the scene have names");
    if (shape.kind == ShapeKind::kHull)
      fields_->fail(at, "shape",
                    "a command cannot bring a hull: spawn a sphere, capsule, box, cylinder or cone");
    auto const narrowed = [](double value) { return static_cast<float>(value); };
    command.kind = shape.kind;
    if (shape.kind == ShapeKind::kBox) {
      command.dimensions_m = {narrowed(shape.half_extents_m.x), narrowed(shape.half_extents_m.y),
                              narrowed(shape.half_extents_m.z)};
    } else {
      command.dimensions_m = {narrowed(shape.radius_m),
                              shape.kind == ShapeKind::kSphere ? 0.0f : narrowed(shape.half_length_m), 0.0f};
    }
    command.position = place(t.position(), at, "position");
    command.rotation = turn(t.rotation(), t.euler_degrees(), at);
    command.linear_velocity_m_s = narrow(t.velocity(), at, "velocity");
    command.angular_velocity_rad_s = narrow(t.angular_velocity(), at, "angular_velocity");
    command.density_kg_m3 = narrowed(shape.density_kg_m3);
    command.friction = narrowed(shape.friction);
    command.restitution = narrowed(shape.restitution);
    command.user_kind = t.user_kind();
    return command;
  }
  DespawnCommand despawn(const schema::DespawnInput& t, const FieldPath& at) { return {body(t.body(), at)}; }
  GrabCommand grab(const schema::GrabInput& t, const FieldPath& at) {
    GrabCommand command{body(t.body(), at), narrow(t.point(), at, "point"), place(t.target(), at, "target"),
                        0};
    command.max_force_n = static_cast<float>(fields_->number(at, "max_force", t.max_force(), 0, kMaxFloat));
    return command;
  }
  MoveGrabCommand move_grab(const schema::MoveGrabInput& t, const FieldPath& at) {
    return {place(t.target(), at, "target")};
  }
  ReleaseCommand release(const schema::ReleaseInput&, const FieldPath&) { return {}; }
  TeleportCommand teleport(const schema::TeleportInput& t, const FieldPath& at) {
    return {body(t.body(), at), place(t.position(), at, "position"),
            turn(t.rotation(), t.euler_degrees(), at), narrow(t.velocity(), at, "velocity"),
            narrow(t.angular_velocity(), at, "angular_velocity")};
  }
  CustomCommand custom(const schema::CustomInput& t, const FieldPath& at) {
    CustomCommand command;
    if (t.hex() != nullptr) {
      if (t.text() != nullptr)
        fields_->fail(at, "hex", "there is a text too: allowed is one of text and hex");
      if (!parse_hex(t.hex()->string_view(), command.bytes) || command.bytes.size() > kMaxCustomBytes) {
        fields_->fail(at, "hex",
                      "expected two hexadecimal digits for each of at most " +
                          std::to_string(kMaxCustomBytes) + " bytes");
      }
      return command;
    }
    if (t.text() == nullptr || t.text()->size() > kMaxCustomBytes) {
      fields_->fail(at, "text", "expected text of at most " + std::to_string(kMaxCustomBytes) + " bytes");
      return command;
    }
    for (char const c : t.text()->string_view()) command.bytes.push_back(static_cast<std::byte>(c));
    return command;
  }
  JoinCommand join(const schema::JoinInput& t, const FieldPath& at) {
    if (t.name() != nullptr && t.name()->size() > kMaxDecodedBytes)
      fields_->fail(at, "name",
                    std::to_string(t.name()->size()) + " bytes: a recording has at most " +
                        std::to_string(kMaxDecodedBytes));
    return {t.player(), t.admin(), t.name() != nullptr ? t.name()->str() : std::string()};
  }
  LeaveCommand leave(const schema::LeaveInput& t, const FieldPath&) { return {t.player()}; }
  MoveCommand move(const schema::MoveInput& t, const FieldPath& at) {
    MoveCommand command{body(t.body(), at), narrow(t.velocity(), at, "velocity"), 0, t.in_heading_frame(),
                        t.jump()};
    command.turn_rad_s = static_cast<float>(fields_->number(at, "turn", t.turn(), -kMaxFloat, kMaxFloat));
    return command;
  }
  CutCommand cut(const schema::CutInput& t, const FieldPath& at) { return {rope(t.rope(), at), t.segment()}; }
  ChangeJointCommand change_joint(const schema::ChangeJointInput& t, const FieldPath& at) {
    return read_change(t, at, joint(t.joint(), at), *fields_);
  }
  DestroyJointCommand destroy_joint(const schema::DestroyJointInput& t, const FieldPath& at) {
    return {joint(t.joint(), at)};
  }
  ChangeBodyCommand change_body(const schema::ChangeBodyInput& t, const FieldPath& at) {
    return read_body_change(t, at, body(t.body(), at), *fields_);
  }
  ChangeShapeCommand change_shape(const schema::ChangeShapeInput& t, const FieldPath& at) {
    return read_shape_change(t, at, found<ShapeId>(std::span<const SceneBody>(), "shape", t.shape(), at),
                             *fields_);
  }
  TargetCommand target(const schema::TargetInput& t, const FieldPath& at) {
    return {body(t.body(), at), place(t.position(), at, "position"),
            fields_->rotation(at, t.rotation(), t.euler_degrees())};
  }
  TuneMoverCommand tune_mover(const schema::TuneMoverInput& t, const FieldPath& at) {
    return read_mover_tuning(t, at, body(t.body(), at), *fields_);
  }
  CreateJointCommand create_joint(const schema::CreateJointInput& t, const FieldPath& at) {
    JointDef def;
    def.body_a = body(t.a(), at);
    def.body_b = body(t.b(), at);
    if (t.joint_1() != nullptr)
      def.coupling.joint_1 = found<JointId>(scene_->joints, "joint_1", t.joint_1(), at);
    if (t.joint_2() != nullptr)
      def.coupling.joint_2 = found<JointId>(scene_->joints, "joint_2", t.joint_2(), at);
    return read_new_joint(t, at, def, *fields_);
  }
  CreateRopeCommand create_rope(const schema::CreateRopeInput& t, const FieldPath& at) {
    return read_new_rope(t, at, body_by_text(), *fields_);
  }
  ChangeRopeCommand change_rope(const schema::ChangeRopeInput& t, const FieldPath& at) {
    return read_rope_change(t, at, rope(t.rope(), at), body_by_text(), *fields_);
  }
  DestroyRopeCommand destroy_rope(const schema::DestroyRopeInput& t, const FieldPath& at) {
    return {rope(t.rope(), at)};
  }
  CreateMoverCommand create_mover(const schema::CreateMoverInput& t, const FieldPath& at) {
    return read_new_mover(t, at, *fields_);
  }

 private:
  BodyByText body_by_text() {
    return [this](const flatbuffers::String* text, const FieldPath& at) { return body(text, at); };
  }
  Vec3<float> narrow(const schema::Vec3* v, const FieldPath& at, std::string_view name) {
    Vec3<double> const wide = fields_->vector(at, name, v, {}, -kMaxFloat, kMaxFloat);
    return {static_cast<float>(wide.x), static_cast<float>(wide.y), static_cast<float>(wide.z)};
  }
  Position place(const schema::Vec3* v, const FieldPath& at, std::string_view name) {
    Vec3<double> const wide = fields_->required_vector(at, name, v, -kMaxM, kMaxM);
    return Position::from_metres(wide.x, wide.y, wide.z);
  }
  Quat<float> turn(const schema::Quat* rotation, const schema::Vec3* euler_degrees, const FieldPath& at) {
    Quat<double> const q = fields_->rotation(at, rotation, euler_degrees);
    return {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z),
            static_cast<float>(q.w)};
  }

  // A name in the scene, "index" or "index:generation". The scene's bodies are created in order, so the i-th
  // has index i and generation 1.
  BodyId body(const flatbuffers::String* text, const FieldPath& at) {
    if (text == nullptr) {
      fields_->fail(at, {}, "\"body\" is missing: expected a body's name, its index, or index:generation");
      return {};
    }
    std::string_view const wanted(text->c_str(), text->size());
    NameMatch const named = find_name(scene_->bodies, wanted);
    if (named.count > 1)
      fields_->fail(at, "body", ambiguous_name(named.count, wanted, "body") + ", or an index");
    if (named.count > 0) return {static_cast<std::uint32_t>(named.index), 1};
    BodyId id{0, 1};
    if (!parse_id(wanted, id.index, id.generation)) {
      fields_->fail(at, "body",
                    "the scene has no body of the name \"" + std::string(wanted) +
                        "\": expected a name, an index, or index:generation");
    }
    return id;
  }

  RopeId rope(const flatbuffers::String* name, const FieldPath& at) {
    return found<RopeId>(scene_->ropes, "rope", name, at);
  }
  JointId joint(const flatbuffers::String* name, const FieldPath& at) {
    return found<JointId>(scene_->joints, "joint", name, at);
  }

  // A rope or joint by its name in the scene, its index in order of creation, or index:generation.
  template <class Id, class List>
  Id found(const List& list, std::string_view what, const flatbuffers::String* name, const FieldPath& at) {
    std::string_view const wanted = name != nullptr ? name->string_view() : std::string_view();
    NameMatch const named = find_name(list, wanted);
    if (named.count > 1) fields_->fail(at, what, ambiguous_name(named.count, wanted, what) + ", or an index");
    if (named.count > 0) return {static_cast<std::uint32_t>(named.index), 1};
    Id id{0, 1};
    if (!parse_id(wanted, id.index, id.generation)) {
      std::string text =
          "the scene has no " + std::string(what) + " of the name \"" + std::string(wanted) + "\"";
      fields_->fail(at, what, text + ": expected a name, an index, or index:generation");
    }
    return id;
  }

  const Scene* scene_;
  SceneFields* fields_;
};

using Scripted = schema::ScriptedInput;

struct Reader {
  std::string_view name;
  bool (*is_there)(const Scripted& input);
  Command (*read)(ScriptReader& script, const Scripted& input, const FieldPath& at);
};

// `table` is the accessor of the command's table in an input, `read` is the function of ScriptReader.
template <auto table, auto read>
constexpr Reader reader() {
  using Table = std::remove_pointer_t<decltype((std::declval<Scripted>().*table)())>;
  using C = decltype((std::declval<ScriptReader>().*read)(std::declval<Table>(), std::declval<FieldPath>()));
  return {C::kName, [](const Scripted& input) { return (input.*table)() != nullptr; },
          [](ScriptReader& script, const Scripted& input, const FieldPath& at) -> Command {
            return (script.*read)(*(input.*table)(), {&at, C::kName});
          }};
}

constexpr std::array<Reader, std::variant_size_v<Command>> kReaders{
    reader<&Scripted::impulse, &ScriptReader::impulse>(),
    reader<&Scripted::force, &ScriptReader::force>(),
    reader<&Scripted::spawn, &ScriptReader::spawn>(),
    reader<&Scripted::despawn, &ScriptReader::despawn>(),
    reader<&Scripted::grab, &ScriptReader::grab>(),
    reader<&Scripted::move_grab, &ScriptReader::move_grab>(),
    reader<&Scripted::release, &ScriptReader::release>(),
    reader<&Scripted::teleport, &ScriptReader::teleport>(),
    reader<&Scripted::custom, &ScriptReader::custom>(),
    reader<&Scripted::join, &ScriptReader::join>(),
    reader<&Scripted::leave, &ScriptReader::leave>(),
    reader<&Scripted::move, &ScriptReader::move>(),
    reader<&Scripted::cut, &ScriptReader::cut>(),
    reader<&Scripted::change_joint, &ScriptReader::change_joint>(),
    reader<&Scripted::destroy_joint, &ScriptReader::destroy_joint>(),
    reader<&Scripted::change_body, &ScriptReader::change_body>(),
    reader<&Scripted::change_shape, &ScriptReader::change_shape>(),
    reader<&Scripted::target, &ScriptReader::target>(),
    reader<&Scripted::tune_mover, &ScriptReader::tune_mover>(),
    reader<&Scripted::create_joint, &ScriptReader::create_joint>(),
    reader<&Scripted::create_rope, &ScriptReader::create_rope>(),
    reader<&Scripted::change_rope, &ScriptReader::change_rope>(),
    reader<&Scripted::destroy_rope, &ScriptReader::destroy_rope>(),
    reader<&Scripted::create_mover, &ScriptReader::create_mover>(),
};
static_assert(
    []<std::size_t... Index>(std::index_sequence<Index...>) {
      return ((kReaders[Index].name == std::variant_alternative_t<Index, Command>::kName) && ...);
    }(std::make_index_sequence<kReaders.size()>()),
    "every command has a reader, in the order of Command");

std::string not_one_command(std::ptrdiff_t count) {
  std::string text = "an input is exactly one of ";
  for (const Reader& one : kReaders) text += std::string(one.name) + ", ";
  return text + "not " + std::to_string(count);
}

// Not inlined into its caller, which sets the floating-point control word.
[[gnu::noinline]] std::vector<Input> read_inputs(const schema::Inputs& file, const Scene& scene,
                                                 SceneFields& fields) {
  std::vector<Input> inputs;
  FieldPath const root{};
  if (file.version() != 1)
    fields.fail(root, "version", std::to_string(file.version()) + " is unknown: this takt reads version 1");
  ScriptReader script(scene, fields);
  for (flatbuffers::uoffset_t i = 0; file.inputs() != nullptr && i < file.inputs()->size() && fields.ok();
       ++i) {
    schema::ScriptedInput const& scripted = *file.inputs()->Get(i);
    FieldPath const at{&root, "inputs", i};
    auto const is_there = [&](const Reader& one) { return one.is_there(scripted); };
    if (auto const count = std::ranges::count_if(kReaders, is_there); count != 1) {
      fields.fail(at, {}, not_one_command(count));
      break;
    }
    Command command = std::ranges::find_if(kReaders, is_there)->read(script, scripted, at);
    inputs.push_back(Input{scripted.tick(), scripted.player(), scripted.sequence(), std::move(command)});
  }
  // A player's sequence follows its ticks, and the order written within one.
  std::ranges::stable_sort(inputs, [](const Input& a, const Input& b) {
    return a.tick != b.tick ? a.tick < b.tick : a.player < b.player;
  });
  std::map<PlayerId, std::uint32_t> last;
  for (Input& input : inputs) {
    std::uint32_t& sequence = last[input.player];
    sequence = input.sequence != 0 ? input.sequence : sequence + 1;
    input.sequence = sequence;
  }
  return inputs;
}

}  // namespace

Result<std::vector<Input>, SceneError> load_input_script(std::string_view json, std::string_view file_name,
                                                         const Scene& scene) {
  std::string const file(file_name);
  if (json.size() > kMaxSceneTextBytes)
    return SceneError{file, 0, "too large: at most " + std::to_string(kMaxSceneTextBytes) + " bytes"};
  Result<std::vector<std::byte>, JsonFault> const binary = parse_json(JsonSchema::kInputs, json);
  if (!binary) return SceneError{file, binary.error().line, binary.error().text};
  FloatControlGuard const guard;
  SceneFields fields;
  std::vector<Input> inputs = read_inputs(*schema::GetInputs(binary->data()), scene,
                                          fields);  // the parser's own output: sound by construction
  if (!fields.ok())
    return SceneError{file, line_of_path(json, fields.fault().path), sentence(fields.fault())};
  return inputs;
}

}  // namespace takt::sim
