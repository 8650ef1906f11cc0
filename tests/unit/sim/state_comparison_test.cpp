// The hash tree of a state: a bit that differs in any field of any record is found in four round trips and
// named; equal states take one; malformed paths and answers, and contradictions, are refused by name.
#include "sim/comparison/state_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/comparison/answer_text.h"
#include "sim/comparison/hash_tree.h"
#include "tests/unit/sim/busy_simulation.h"

namespace takt::sim {
namespace {

/// Passes a state on with one bit of one field changed, and remembers the name of the field.
class FlippingSink final : public FieldSink {
 public:
  FlippingSink(FieldSink& out, std::size_t target) : out_(&out), target_(target) {}
  void begin_record(std::string_view list, std::uint64_t index) override {
    open_.push_back(record_path(list, index));
    lists.insert(std::string(list));
    out_->begin_record(list, index);
  }
  void field(const StateField& field) override {
    bool const is_target = count_++ == target_;
    if (is_target) changed_path = open_.back() + '.' + std::string(field.name);
    StateField changed = field;
    std::string text(field.text);
    if (is_target && field.kind == FieldKind::kText) {
      text = text == "x" ? "y" : "x";
      changed.text = text;
    } else if (is_target) {
      changed.bits ^= 1;
    }
    out_->field(changed);
  }
  void end_record() override {
    open_.pop_back();
    out_->end_record();
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  std::string changed_path;
  std::set<std::string> lists;

 private:
  FieldSink* out_;
  std::size_t target_;
  std::size_t count_ = 0;
  std::vector<std::string> open_;
};

FieldSource fields_of(const Simulation& simulation) {
  return [&simulation](FieldSink& sink) { simulation.list_fields(sink); };
}

/// Answers of a tree after their way through text.
StateAnswer answer_of(const HashTree& tree, const StatePath& path) {
  Result<StatePath, ComparisonError> const parsed = parse_path(path_text(path));
  if (!parsed) throw std::runtime_error(message(parsed.error()));
  if (!(*parsed == path)) throw std::runtime_error("another path after its way through text");
  StateAnswer const answer = tree.answer(*parsed);
  Result<StateAnswer, ComparisonError> read = parse_answer(path, answer_text(answer));
  if (!read) throw std::runtime_error(message(read.error()));
  if (!(*read == answer)) throw std::runtime_error("another answer after its way through text");
  return *std::move(read);
}

StateComparison compared(const HashTree& left, const HashTree& right) {
  StateComparison comparison;
  while (std::optional<StatePath> const path = comparison.poll_path()) {
    Result<Unit, ContradictoryAnswer> const handled =
        comparison.handle_answers(answer_of(left, *path), answer_of(right, *path));
    if (!handled) throw std::runtime_error(message(handled.error().error));
  }
  return comparison;
}

/// Without the number of a name that occurs several times in its record: "contact[0].feature[2]".
std::string without_repeat_number(const std::string& path) {
  std::size_t const field = path.find("].") == std::string::npos ? 0 : path.find("].") + 2;
  std::size_t const open = path.find('[', field);
  if (open == std::string::npos) return path;
  return path.substr(0, open) + path.substr(path.find(']', open) + 1);
}

class StateComparisonTest : public testing::TestWithParam<NumbersMode> {};
INSTANTIATE_TEST_SUITE_P(BothModes, StateComparisonTest,
                         testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

TEST_P(StateComparisonTest, ABitOfAnyFieldOfAnyRecordIsNamedInFourRoundTrips) {
  Simulation const simulation = busy_simulation(GetParam());
  HashTree const left(fields_of(simulation));
  RecordHasher counted;
  FlippingSink counter(counted, ~std::size_t{0});
  simulation.list_fields(counter);
  std::set<std::string> const expected_lists{"body",
                                             "body.record",
                                             "body.slot",
                                             "contact",
                                             "force",
                                             "game",
                                             "game.level",
                                             "game.level.stop",
                                             "game_name",
                                             "grab",
                                             "grab.record",
                                             "grab.slot",
                                             "hull",
                                             "hull.corner",
                                             "joint",
                                             "joint.record",
                                             "joint.slot",
                                             "joint_axis",
                                             "mover",
                                             "mover.record",
                                             "mover.slot",
                                             "joint_axis.record",
                                             "joint_axis.slot",
                                             "overlap",
                                             "owned",
                                             "player",
                                             "rope",
                                             "rope.record",
                                             "rope.slot",
                                             "rope_node",
                                             "rope_pin",
                                             "shape",
                                             "shape.record",
                                             "shape.slot",
                                             "shuttle",
                                             "sim",
                                             "surface",
                                             "surface.height",
                                             "surface.hole",
                                             "surface.material",
                                             "surface.material_at",
                                             "surface.triangle",
                                             "surface.vertex",
                                             "target",
                                             "world"};
  std::vector<std::string> missing;
  std::ranges::set_symmetric_difference(counter.lists, expected_lists, std::back_inserter(missing));
  EXPECT_EQ(missing, std::vector<std::string>{}) << "each list of the state has a record here";
  ASSERT_GT(counter.count(), 1500u);
  for (std::size_t i = 0; i < counter.count(); ++i) {
    std::string changed_path;
    HashTree const right([&](FieldSink& sink) {
      FlippingSink flipping(sink, i);
      simulation.list_fields(flipping);
      changed_path = flipping.changed_path;
    });
    StateComparison const comparison = compared(left, right);
    ASSERT_EQ(comparison.round_trips(), 4u) << changed_path;
    StateDivergence const& divergence = comparison.divergence();
    ASSERT_EQ(divergence.parts.size(), 1u) << changed_path;
    ASSERT_EQ(divergence.fields.size(), 1u) << changed_path;
    StateDifference const& field = divergence.fields[0];
    ASSERT_EQ(without_repeat_number(field.path), changed_path);
    ASSERT_NE(field.left_bits + field.left, field.right_bits + field.right) << changed_path;
    ASSERT_LE(field.ulps.value_or(1), 1u) << changed_path;
  }
}

TEST_P(StateComparisonTest, EqualStatesTakeOneRound) {
  Simulation const a = busy_simulation(GetParam());
  Simulation const b = busy_simulation(GetParam());
  StateComparison const comparison = compared(HashTree(fields_of(a)), HashTree(fields_of(b)));
  EXPECT_EQ(comparison.round_trips(), 1u);
  EXPECT_TRUE(comparison.divergence().parts.empty());
  EXPECT_EQ(HashTree(fields_of(a)).root_hash(), HashTree(fields_of(b)).root_hash());
}

TEST_P(StateComparisonTest, TheFieldsAreThoseOfDiff) {
  Simulation const a = busy_simulation(GetParam());
  Simulation b = busy_simulation(GetParam());
  Simulation c = busy_simulation(GetParam());
  InputMaker maker;
  Input const push{a.tick(), kServerPlayer, 9, ImpulseCommand{scene_body(7), {0.001f, 0, 0}, {}}};
  (void)b.step(std::span(&push, 1));
  (void)c.step({});
  StateComparison const comparison = compared(HashTree(fields_of(c)), HashTree(fields_of(b)));
  std::vector<StateDifference> const differences = Simulation::diff(c, b, 1000);
  std::map<std::string, std::string> right_by_path;
  for (const StateDifference& difference : differences) right_by_path[difference.path] = difference.right;
  ASSERT_FALSE(comparison.divergence().fields.empty());
  EXPECT_EQ(comparison.divergence().record, "body.record[7]");
  for (const StateDifference& field : comparison.divergence().fields)
    EXPECT_EQ(right_by_path[field.path], field.right) << field.path;
}

TEST_P(StateComparisonTest, AMissingRecordIsNamedWithTheLengthsOfItsList) {
  Simulation a = make_simulation(stack_scene(70), GetParam());
  Simulation b = make_simulation(stack_scene(70), GetParam());
  Input const spawn{0, kServerPlayer, 1,
                    spawn_of(ShapeKind::kSphere, {0.5f, 0, 0}, Position::from_metres(9, 9, 9))};
  (void)a.step({});
  (void)b.step(std::span(&spawn, 1));
  StateComparison const comparison = compared(HashTree(fields_of(a)), HashTree(fields_of(b)));
  EXPECT_EQ(comparison.round_trips(), 4u);
  // The head of the pool comes first: it has the number of living bodies.
  EXPECT_EQ(comparison.divergence().record, "body");
  ASSERT_FALSE(comparison.divergence().fields.empty());
  EXPECT_EQ(message(comparison.divergence().fields[0]),
            "body.alive_count: 71 (0x00000047) != 72 (0x00000048)");
  std::vector<StateDifference> const differences = Simulation::diff(a, b, 1000);
  auto const has = [&](std::string_view path, std::string_view left, std::string_view right) {
    return std::ranges::any_of(differences, [&](const StateDifference& d) {
      return d.path == path && d.left == left && d.right == right;
    });
  };
  EXPECT_TRUE(has("body.record_count", "71", "72"));
  EXPECT_TRUE(has("body.record[71].bullet", "absent", "0"));
}

TEST(StatePathText, MalformedPathsAreRefusedByName) {
  std::vector<std::pair<std::string, std::string>> const cases{
      {"", "path '': it must begin with 'world', not ''"},
      {"bodies", "path 'bodies': it must begin with 'world', not 'bodies'"},
      {"world/",
       "path 'world/': there is no part ''; parts are settings, bodies, shapes, contacts, joints, "
       "ropes, movers, sim, game"},
      {"world/body",
       "path 'world/body': there is no part 'body'; parts are settings, bodies, shapes, contacts, "
       "joints, ropes, movers, sim, game"},
      {"world/bodies/body.record", "path 'world/bodies/body.record': a list needs the number of a block"},
      {"world/bodies/joint/0", "path 'world/bodies/joint/0': 'joint' is no list of the part bodies"},
      {"world/bodies/Body/0", "path 'world/bodies/Body/0': 'Body' is no list of the part bodies"},
      {"world/bodies/body.record/-1",
       "path 'world/bodies/body.record/-1': block '-1' is no number from 0 to 67108863"},
      {"world/bodies/body.record/67108864",
       "path 'world/bodies/body.record/67108864': block '67108864' is no number from 0 to 67108863"},
      {"world/bodies/body.record/0/64",
       "path 'world/bodies/body.record/0/64': record '64' is no number from 0 to 63"},
      {"world/bodies/body.record/0/01",
       "path 'world/bodies/body.record/0/01': record '01' is no number from 0 to 63"},
      {"world/bodies/body.record/0/0/0",
       "path 'world/bodies/body.record/0/0/0': it has more than 5 words; the longest form is "
       "world/PART/LIST/BLOCK/RECORD"},
      {"a\nb", "path 'a?b': it must begin with 'world', not 'a?b'"},
  };
  for (auto const& [path, expected] : cases) {
    Result<StatePath, ComparisonError> const parsed = parse_path(path);
    ASSERT_FALSE(parsed) << path;
    EXPECT_EQ(message(parsed.error()), expected);
  }
  EXPECT_TRUE(parse_path(std::string(100000, '/')).ok() == false);
}

TEST(StatePathText, ANodeThatAStateLacksHasNoChildren) {
  Simulation const simulation = make_simulation(stack_scene(1));
  HashTree const tree(fields_of(simulation));
  for (char const* const path : {"world/shapes/hull/0", "world/bodies/target/0", "world/bodies/body.record/7",
                                 "world/bodies/body.record/0/63", "world/bodies/body.nonsense/0"})
    EXPECT_EQ(tree.answer(*parse_path(path)), StateAnswer{}) << path;
}

TEST(AnswerText, MalformedAnswersAreRefusedByName) {
  std::string const hash = "0x0123456789abcdef";
  std::string const nine = [&] {
    std::string text = hash;
    for (int i = 0; i < 8; ++i) text += ' ' + hash;
    return text;
  }();
  std::string sixty_five = hash;
  for (int i = 0; i < 64; ++i) sixty_five += ' ' + hash;
  struct Case {
    std::string path;
    std::string text;
    std::string expected;  // empty = sound
  };
  std::string const no_list = " is not LIST:COUNT:HASH,... of a list of the part, one HASH for 64 records";
  std::string const bodies = "answer to 'world/bodies': word ";
  std::string const record = "answer to 'world/bodies/body.record/0/1': word ";
  std::string const block = "answer to 'world/bodies/body.record/0': word ";
  std::vector<Case> const cases{
      {"world", nine, ""},
      {"world", "", "answer to 'world': word 1 is not one of 9 hashes; the line ends there"},
      {"world", hash, "answer to 'world': word 2 is not one of 9 hashes; the line ends there"},
      {"world", nine + ' ' + hash, "answer to 'world': word 10 is not 9 hashes, 0x and 16 digits each"},
      {"world", "0x0123456789ABCDEF", "answer to 'world': word 1 is not 9 hashes, 0x and 16 digits each"},
      {"world", "0x12", "answer to 'world': word 1 is not 9 hashes, 0x and 16 digits each"},
      {"world", hash + "  " + hash, "answer to 'world': word 2 is not 9 hashes, 0x and 16 digits each"},
      {"world/bodies", "body:-:" + hash + " body.slot:65:" + hash + ',' + hash, ""},
      {"world/bodies", "body.slot:65:" + hash, bodies + "1" + no_list},
      {"world/bodies", "body.slot:0:", bodies + "1" + no_list},
      {"world/bodies", "body.slot:99999999999:" + hash, bodies + "1" + no_list},
      {"world/bodies", "body.slot:1:" + hash + ',', bodies + "1" + no_list},
      {"world/bodies", "joint:1:" + hash, bodies + "1" + no_list},
      {"world/bodies", "body.slot:1:" + hash + " body.slot:1:" + hash, bodies + "2" + no_list},
      {"world/bodies", "body.slot", bodies + "1" + no_list},
      {"world/bodies/body.record/0", hash, ""},
      {"world/bodies/body.record/0", "", ""},
      {"world/bodies/body.record/0", sixty_five,
       block + "65 is not at most 64 hashes, 0x and 16 digits each"},
      {"world/bodies/body.record/0/1", "center.x:i64:0000000000000001 name:text:616e6e a[1].b:bool:01", ""},
      {"world/bodies/body.record/0/1", "center.x:i64:01", record + "1 is not FIELD:KIND:BITS"},
      {"world/bodies/body.record/0/1", "center.x:i65:0000000000000001", record + "1 is not FIELD:KIND:BITS"},
      {"world/bodies/body.record/0/1", "center.x::0000000000000001", record + "1 is not FIELD:KIND:BITS"},
      {"world/bodies/body.record/0/1", "Center:u8:01", record + "1 is not FIELD:KIND:BITS"},
      {"world/bodies/body.record/0/1", "name:text:616", record + "1 is not FIELD:KIND:BITS"},
      {"world/bodies/body.record/0/1", "name:text:6g", record + "1 is not FIELD:KIND:BITS"},
      {"world/bodies/body.record/0/1", "a:u8:01 b", record + "2 is not FIELD:KIND:BITS"},
  };
  for (const Case& c : cases) {
    Result<StateAnswer, ComparisonError> const answer = parse_answer(*parse_path(c.path), c.text);
    EXPECT_EQ(answer ? "" : message(answer.error()), c.expected) << c.path << ": " << c.text.substr(0, 80);
  }
}

TEST(StateComparison, AnEndThatContradictsItselfIsNamed) {
  Simulation const a = make_simulation(stack_scene(2));
  Simulation b = make_simulation(stack_scene(2));
  (void)b.step({});
  HashTree const left(fields_of(a));
  HashTree const right(fields_of(b));
  for (std::uint32_t const lying_round : {2u, 3u, 4u}) {
    StateComparison comparison;
    while (std::optional<StatePath> const path = comparison.poll_path()) {
      StateAnswer lie = right.answer(*path);
      if (comparison.round_trips() + 1 == lying_round) {
        if (!lie.hashes.empty()) lie.hashes.back() ^= 1;
        if (!lie.lists.empty()) lie.lists.back().block_hashes.back() ^= 1;
        if (!lie.fields.empty()) lie.fields.back().bits ^= 1;
      }
      Result<Unit, ContradictoryAnswer> const handled = comparison.handle_answers(left.answer(*path), lie);
      if (handled) continue;
      EXPECT_EQ(comparison.round_trips(), lying_round);
      EXPECT_EQ(handled.error().end, ComparedEnd::kRight);
      EXPECT_EQ(message(handled.error().error),
                "the answer to '" + path_text(*path) +
                    "' does not have the hash that the answer before gave for it");
      EXPECT_FALSE(comparison.poll_path());
    }
    EXPECT_EQ(comparison.round_trips(), lying_round);
  }
}

}  // namespace
}  // namespace takt::sim
