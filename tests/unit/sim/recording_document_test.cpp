// docs/RECORDING.md against the code: every table on the page is read and compared with bytes that were
// really written.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "sim/recording/simulation_image.h"
#include "sim/recording/state_encoding.h"
#include "sim/state/sim_state.h"
#include "takt/sim/recording.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

using Row = std::vector<std::string>;

std::string trimmed(std::string text) {
  auto const drop = [](char c) { return c == ' ' || c == '`'; };
  while (!text.empty() && drop(text.back())) text.pop_back();
  while (!text.empty() && drop(text.front())) text.erase(text.begin());
  return text;
}

// The rows of the first table under a heading, without its two head lines.
std::vector<Row> table_under(const std::string& heading) {
  std::ifstream file(std::string(TAKT_SOURCE_DIR) + "/docs/RECORDING.md");
  std::string line;
  bool inside = false;
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    if (line.starts_with("#")) {
      if (inside && !rows.empty()) break;
      inside = line == heading;
    } else if (inside && line.starts_with("|")) {
      Row row;
      std::stringstream cells(line.substr(1));
      for (std::string cell; std::getline(cells, cell, '|');) row.push_back(trimmed(cell));
      rows.push_back(row);
    } else if (inside && !rows.empty()) {
      break;
    }
  }
  if (rows.size() < 3) throw std::runtime_error("no table under " + heading);
  rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

// Offsets follow from sizes; the last end is the whole.
std::size_t end_of(const std::vector<Row>& rows) {
  std::size_t at = 0;
  for (const Row& row : rows) {
    EXPECT_EQ(std::stoul(row[0]), at) << row[2];
    at += std::stoul(row[1]);
  }
  return at;
}

std::size_t offset_of(const std::vector<Row>& rows, const std::string& field) {
  for (const Row& row : rows) {
    if (row[2] == field) return std::stoul(row[0]);
  }
  throw std::runtime_error("no field " + field);
}

// A magic as the page writes it, escapes resolved.
std::string magic_of(const std::vector<Row>& rows) {
  std::string const written = rows.front().at(3);
  std::string magic;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i] != '\\') {
      magic += written[i];
    } else {
      magic += written[++i] == 'n' ? '\n' : '\0';
    }
  }
  return magic;
}

std::string text_at(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  return {reinterpret_cast<const char*>(bytes.data()) + at, count};
}

struct Fixture {
  Scene scene = stack_scene(1);
  Simulation simulation = make_simulation(scene);
  MemorySink sink;
  Fixture() {
    RecordingWriter writer(sink);
    EXPECT_TRUE(writer.begin(simulation, &scene));
    EXPECT_TRUE(writer.append(simulation, {}, simulation.step({})));
    EXPECT_TRUE(writer.close());
  }
};

TEST(RecordingDocument, FileHeadChunkHeadAndTail) {
  Fixture const f;
  std::vector<std::byte> const& bytes = f.sink.bytes();
  auto const head = table_under("### File head");
  EXPECT_EQ(end_of(head), kRecordingHeadBytes);
  EXPECT_EQ(text_at(bytes, 0, 8), magic_of(head));
  EXPECT_EQ(load_little_endian<std::uint32_t>(&bytes[offset_of(head, "version")]), kRecordingVersion);

  auto const chunk = table_under("### Chunk head");
  EXPECT_EQ(end_of(chunk), kChunkHeadBytes);
  auto const tail = table_under("### Tail");
  EXPECT_EQ(end_of(tail), kRecordingTailBytes);
  EXPECT_EQ(text_at(bytes, bytes.size() - kRecordingTailBytes, 8), magic_of(tail));
  auto const index_offset = load_little_endian<std::uint64_t>(
      &bytes[bytes.size() - kRecordingTailBytes + offset_of(tail, "index offset")]);

  // Walk the chunks by the documented sizes: header, image, ticks, index, and then the tail.
  std::vector<std::uint32_t> kinds;
  std::size_t at = kRecordingHeadBytes;
  while (at < bytes.size() - kRecordingTailBytes) {
    EXPECT_EQ(text_at(bytes, at, 4), magic_of(chunk));
    kinds.push_back(load_little_endian<std::uint32_t>(&bytes[at + offset_of(chunk, "kind")]));
    if (kinds.back() == 4) {
      EXPECT_EQ(at, index_offset);
    }
    at += kChunkHeadBytes + load_little_endian<std::uint32_t>(&bytes[at + offset_of(chunk, "payload bytes")]);
  }
  EXPECT_EQ(at, bytes.size() - kRecordingTailBytes);
  EXPECT_EQ(kinds, (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST(RecordingDocument, InputHeadAndCommands) {
  auto const head = table_under("### Input head");
  std::size_t const head_bytes = end_of(head);
  auto const size_of = [&](Command command) {
    std::size_t const index = command.index();
    std::vector<std::byte> bytes;
    encode(Input{1, 2, 3, std::move(command)}, bytes);
    EXPECT_EQ(static_cast<std::size_t>(bytes[offset_of(head, "command")]), index + 1);
    return bytes.size() - head_bytes;
  };
  auto const rows = table_under("### Commands");
  std::vector<Command> const plain{
      ImpulseCommand{},     ForceCommand{},       SpawnCommand{},        DespawnCommand{},
      GrabCommand{},        MoveGrabCommand{},    ReleaseCommand{},      TeleportCommand{},
      CustomCommand{},      JoinCommand{},        LeaveCommand{},        MoveCommand{},
      CutCommand{},         ChangeJointCommand{}, DestroyJointCommand{}, ChangeBodyCommand{},
      ChangeShapeCommand{}, TargetCommand{},      TuneMoverCommand{},    CreateJointCommand{},
      CreateRopeCommand{},  ChangeRopeCommand{},  DestroyRopeCommand{},  CreateMoverCommand{}};
  ASSERT_EQ(rows.size(), plain.size());
  ASSERT_EQ(rows.size(), std::variant_size_v<Command>);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(std::stoul(rows[i][0]), i + 1);
    EXPECT_EQ(rows[i][1], name_of(plain[i]));
    EXPECT_EQ(std::stoul(rows[i][2]), size_of(plain[i]))
        << rows[i][1];  // stoul reads "21 or 33" and "4 + n" up to the first word
  }
  EXPECT_EQ(rows[0][2], "21 or " + std::to_string(size_of(ImpulseCommand{{}, {}, Vec3<float>{}})));
}

TEST(RecordingDocument, SimulationImageHead) {
  Fixture const f;
  std::vector<std::byte> const image = f.simulation.save();
  auto const head = table_under("### Image head");
  EXPECT_EQ(end_of(head), kImageHeadBytes);
  EXPECT_EQ(text_at(image, 0, 4), magic_of(head));
  EXPECT_EQ(load_little_endian<std::uint64_t>(&image[offset_of(head, "tick")]), f.simulation.tick());
  auto const size_at = [&](const char* field) {
    return load_little_endian<std::uint64_t>(&image[offset_of(head, field)]);
  };
  EXPECT_EQ(
      kImageHeadBytes + size_at("sim state bytes") + size_at("game bytes") + size_at("world image bytes") + 8,
      image.size());
}

TEST(RecordingDocument, SimState) {
  std::map<std::string, std::size_t>
      documented;  // part -> its fixed bytes; for lists, the bytes of an element
  std::size_t empty = 0;
  for (const Row& row : table_under("### Sim state")) {
    std::size_t const each = row[1].find("each ");
    empty += std::stoul(row[1]);
    documented[row[0]] = each == std::string::npos ? std::stoul(row[1]) : std::stoul(row[1].substr(each + 5));
  }
  auto const size_of = [](const SimState& state) {
    std::vector<std::byte> bytes;
    encode_state(state, bytes);
    return bytes.size();
  };
  SimState const none;
  EXPECT_EQ(size_of(none), empty);
  SimState state;
  state.players.emplace_back();
  EXPECT_EQ(size_of(state), empty + documented["players"]);
  state = SimState{};
  state.owned.emplace_back();
  EXPECT_EQ(size_of(state), empty + documented["owned bodies"]);
  state = SimState{};
  state.forces.emplace_back();
  EXPECT_EQ(size_of(state), empty + documented["lasting forces"]);
  state = SimState{};
  state.shuttles.emplace_back();
  EXPECT_EQ(size_of(state), empty + documented["shuttles"]);
}

class WorldDocument : public ::testing::TestWithParam<NumbersMode> {};

TEST_P(WorldDocument, ImageHeadAndSizesOfRecords) {
  auto const head = table_under("### World image head");
  std::size_t const head_bytes = end_of(head);
  std::map<std::string, std::size_t> documented;
  for (const Row& row : table_under("### World payload"))
    documented[row[0]] = std::stoul(row[GetParam() == NumbersMode::kFloat ? 1 : 2]);

  Result<AnyWorld, PhysicsError> world = AnyWorld::create(WorldDef{}, GetParam());
  ASSERT_TRUE(world);
  std::vector<std::byte> const image = world->save();
  EXPECT_EQ(text_at(image, 0, 8), magic_of(head));
  EXPECT_EQ(load_little_endian<std::uint64_t>(&image[offset_of(head, "payload bytes")]),
            image.size() - head_bytes);
  EXPECT_EQ(image.size() - head_bytes, documented["empty world"]);

  std::size_t before = image.size();
  auto const grown = [&] {
    std::size_t const now = world->save().size();
    std::size_t const by = now - before;
    before = now;
    return by;
  };
  std::vector<ShapeDef> shapes(1);
  BodyDef def;
  def.shapes = shapes;
  Result<BodyId, PhysicsError> const one = world->create_body(def);
  ASSERT_TRUE(one);
  std::size_t const body_and_shape = grown();
  shapes.resize(2);
  def.shapes = shapes;
  def.position = Position::from_metres(0, 0.95, 0);
  Result<BodyId, PhysicsError> const two = world->create_body(def);
  ASSERT_TRUE(two);
  std::size_t const shape = grown() - body_and_shape;
  EXPECT_EQ(shape, documented["shape"]);
  EXPECT_EQ(body_and_shape - shape, documented["body"]);
  ASSERT_TRUE(world->create_grab(*one, {}, {}, 10));
  EXPECT_EQ(grown(), documented["grab"]);
  RopeDef rope;
  rope.node_count = 3;
  rope.end = Position::from_metres(1, 0, 0);
  rope.start = Position::from_metres(-9, 0, 0);
  Result<RopeId, PhysicsError> const made = world->create_rope(rope);
  ASSERT_TRUE(made);
  EXPECT_EQ(grown(), documented["rope"] + 3 * documented["rope node"]);
  ASSERT_TRUE(world->set_rope_pin(*made, {}));
  EXPECT_EQ(grown(), documented["rope pin"]);
  JointDef held = revolute_joint(*one, *two, {}, {});
  held.collide_connected = true;
  ASSERT_TRUE(world->create_joint(held));
  EXPECT_EQ(grown(), documented["joint"]);
  ASSERT_TRUE(world->create_joint(held.motor(JointAxis::kAngularX, 1.0, 1.0)));
  EXPECT_EQ(grown(), documented["joint"] + documented["joint axis"]);
  StepStatus const status = world->step({});  // the bodies overlap: contacts
  ASSERT_GT(status.contact_count, 0u);
  EXPECT_EQ(grown() % documented["contact"], 0u);
}

INSTANTIATE_TEST_SUITE_P(Numbers, WorldDocument, ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

}  // namespace
}  // namespace takt::sim
