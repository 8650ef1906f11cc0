// Writes the seeds of the scene and recording fuzz targets. Run it when a format changes: <program>
// DIRECTORY, the tests/fuzz/corpus of a source tree.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "sim/state/game_state.h"
#include "takt/sim/recording.h"
#include "tests/unit/sim/varied_game.h"

namespace {

using namespace takt;
using namespace takt::sim;

void write(const std::string& path, int first, std::span<const std::byte> bytes) {
  std::ofstream out(path, std::ios::binary);
  if (first >= 0) out.put(static_cast<char>(first));
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::string_view const kScene = R"({"title": "seed", "players": {"push": "own", "max_spawned": 3}, "bodies": [
  {"type": "static", "shapes": [{"half_space": {}}]},
  {"type": "kinematic", "position": [3, 1, 0], "shapes": [{"box": {}}], "motion": {"to": [3, 2, 0], "period": 1}},
  {"position": [0, 2, 0], "euler_degrees": [10, 20, 30], "shapes": [{"capsule": {"radius": 0.3, "length": 1}}, {"sphere": {"radius": 0.4}}]}]})";

std::string_view const kGenerators = R"({"generators": [{"pyramid": {"base": 3}}, {"stack": {"count": 2}},
  {"grid": {"count": [2, 1, 2], "spacing": [2, 2, 2], "shapes": [{"sphere": {}}]}}, {"pit": {"inner": [6, 3, 6]}},
  {"pile": {"count": 4, "low": [-3, 0, -3], "high": [3, 9, 3], "kinds": ["box", "capsule"]}},
  {"dominoes": {"path": [[0, 0, 0], [2, 0, 1], [4, 0, 0]], "spacing": 0.7}}]})";

// With every part, so that each is there to be damaged.
ChangeJointCommand full_change() {
  ChangeJointCommand change;
  change.joint = JointId{0, 1};
  change.enabled = true;
  change.collide_connected = false;
  change.direct = true;
  change.locked = kLockLinear;
  change.frame_a = change.frame_b = JointFrame{};
  change.linear = Softness::spring(1e4, 10);
  change.angular = Softness::frequency(5, 1);
  change.max_force_n = change.max_torque_n_m = change.break_force_n = change.break_torque_n_m = 1e4;
  change.ratio = change.length_m = 1;
  change.limit = ChangeJointCommand::Limit{-1, 1, {}};
  change.hold = ChangeJointCommand::Hold{};
  change.motor = ChangeJointCommand::Motor{1, 10};
  change.friction = 1;
  return change;
}

// The server's own commands, from sequence 2 on.
std::vector<Input> server_edits(std::uint64_t tick) {
  BodyId const body{1, 1};
  ChangeBodyCommand retyped;
  retyped.body = body;
  retyped.type = BodyType::kKinematic;
  retyped.enabled = true;
  retyped.locked_axes = kLockLinearZ;
  retyped.gravity_scale = 0.5;
  retyped.damping = ChangeBodyCommand::Damping{0.1, 0.2};
  retyped.user_tag = 7;
  ChangeShapeCommand slippery;
  slippery.shape = ShapeId{1, 1};
  slippery.filter = ShapeFilter{1, 3, -1};
  slippery.friction = 0.1;
  slippery.restitution = 0.2;
  slippery.surface_velocity_m_s = Vec3<double>{1, 0, 0};
  CreateRopeCommand rope;
  rope.points = {Position::from_metres(9, 4, 0), Position::from_metres(9, 3, 0)};
  rope.pins = {{0, {}, {}, Position::from_metres(9, 4, 0)}, {1, body, {0, 0.5, 0}, {}}};
  ChangeRopeCommand wound;
  wound.rope = RopeId{0, 1};
  wound.segment_length_m = 0.5;
  wound.pin = rope.pins[0];
  wound.released_node = 1;
  CreateMoverCommand mover;
  mover.def.position = Position::from_metres(-9, 1, 0);
  mover.def.filter = ShapeFilter{1, 3, 2};
  std::vector<Command> const commands{
      retyped,
      slippery,
      TargetCommand{body, Position::from_metres(0, 1, 0), {}},
      TuneMoverCommand{body, {}},
      CreateJointCommand::of(
          distance_joint(BodyId{0, 1}, BodyId{2, 1}, {}, {}, 2.0, Softness::frequency(3, 1))),
      rope,
      wound,
      DestroyRopeCommand{RopeId{0, 1}},
      mover};
  std::vector<Input> inputs;
  for (const Command& command : commands)
    inputs.push_back({tick, 0, static_cast<std::uint32_t>(inputs.size() + 2), command});
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "takt: usage: make_sim_corpus DIRECTORY\n");
    return 2;
  }
  std::string const directory = argv[1];
  write(directory + "/scene/bodies.json", -1, std::as_bytes(std::span(kScene)));
  write(directory + "/scene/generators.json", -1, std::as_bytes(std::span(kGenerators)));
  for (NumbersMode const numbers : {NumbersMode::kFloat, NumbersMode::kFixed}) {
    std::string const mode = numbers == NumbersMode::kFloat ? "float" : "fixed";
    Result<Scene, SceneError> const scene = load_scene(kScene, "seed");
    if (numbers == NumbersMode::kFloat) write(directory + "/scene/bodies.tksc", -1, scene->binary);
    Result<Simulation, SimError> simulation = Simulation::create(*scene, numbers);
    MemorySink sink;
    RecordingOptions options;
    options.image_every_ticks = 5;
    options.ticks_per_chunk = 4;
    RecordingWriter writer(sink, options);
    (void)writer.begin(*simulation, &*scene);
    std::vector<std::byte> encoded;
    for (std::uint64_t tick = 0; tick < 7; ++tick) {
      std::vector<Input> inputs;
      if (tick == 0) inputs.push_back({tick, 0, 1, JoinCommand{1, false, "seed"}});
      if (tick == 1) inputs.push_back({tick, 1, 1, SpawnCommand{}});
      if (tick == 2)
        inputs.push_back({tick, 1, 2, GrabCommand{BodyId{3, 1}, {}, Position::from_metres(0, 4, 0), 5000}});
      if (tick == 3) inputs.push_back({tick, 1, 3, ForceCommand{BodyId{3, 1}, {10, 0, 0}, {}, 5}});
      if (tick == 4) inputs.push_back({tick, 1, 4, full_change()});
      if (tick == 4) inputs.push_back({tick, 1, 5, DestroyJointCommand{JointId{0, 1}}});
      if (tick == 5) inputs = server_edits(tick);
      for (const Input& input : inputs) encode(input, encoded);
      (void)writer.append(*simulation, inputs, simulation->step(inputs));
    }
    (void)writer.close();
    write(directory + "/recording/" + mode + ".recording", 1, sink.bytes());
    write(directory + "/recording/" + mode + ".image", 2, simulation->save());
    if (numbers == NumbersMode::kFloat) write(directory + "/recording/inputs", 3, encoded);
  }
  VariedGame game = VariedGame::random(1);
  std::vector<std::byte> state;
  save_game(game, state);
  write(directory + "/recording/game", 4, state);
  return 0;
}
