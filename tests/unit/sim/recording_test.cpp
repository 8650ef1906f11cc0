#include "takt/sim/recording.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/commands/input_encoding.h"
#include "sim/state/byte_fields.h"
#include "takt/core/random.h"
#include "takt/sim/replay.h"
#include "tests/unit/sim/counting_game.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

/// A run of 200 ticks with two players who push, spawn and are refused, recorded with small chunks.
struct RecordedRun {
  MemorySink sink;
  std::vector<std::uint64_t> hashes;  ///< after tick i
  std::uint64_t input_count = 0;
};

RecordedRun recorded_run(NumbersMode numbers = NumbersMode::kFloat, bool closed = true,
                         std::uint64_t ticks = 200) {
  RecordedRun run;
  Scene const scene = stack_scene(4);
  Simulation simulation = make_simulation(scene, numbers);
  RecordingOptions options;
  options.image_every_ticks = 50;
  options.ticks_per_chunk = 7;
  options.created_by = "test";
  RecordingWriter writer(run.sink, options);
  EXPECT_TRUE(writer.begin(simulation, &scene));
  InputMaker maker;
  for (std::uint64_t tick = 0; tick < ticks; ++tick) {
    std::vector<Input> inputs;
    if (tick == 0) {
      inputs.push_back(maker.make(tick, kServerPlayer, JoinCommand{1, false, "a"}));
      inputs.push_back(maker.make(tick, kServerPlayer, JoinCommand{2, false, "b"}));
    } else if (tick % 5 == 0) {
      inputs.push_back(maker.make(
          tick, 2, ImpulseCommand{scene_body(static_cast<std::uint32_t>(tick % 7)), {300, 0, 50}, {}}));
      inputs.push_back(
          maker.make(tick, 1,
                     spawn_of(ShapeKind::kSphere, {0.3f, 0, 0},
                              Position::from_metres(3, 4 + 0.1 * static_cast<double>(tick), 0))));
    }
    TickResult const result = simulation.step(inputs);
    run.hashes.push_back(result.hash);
    run.input_count += inputs.size();
    EXPECT_TRUE(writer.append(simulation, inputs, result));
  }
  if (closed) {
    EXPECT_TRUE(writer.close());
  }
  EXPECT_EQ(writer.tick_count(), ticks);
  EXPECT_EQ(writer.written_bytes(), run.sink.bytes().size());
  return run;
}

RecordingReader open(const MemorySource& source) {
  Result<RecordingReader, SimError> reader = RecordingReader::open(source);
  if (!reader) throw std::runtime_error(std::string(message(reader.error())));
  return *std::move(reader);
}

std::string reading_error_of(std::span<const std::byte> bytes) {
  MemorySource const source(bytes);
  Result<RecordingReader, SimError> const reader = RecordingReader::open(source);
  return reader ? "no error" : std::string(message(reader.error()));
}

class RecordingTest : public ::testing::TestWithParam<NumbersMode> {};

TEST_P(RecordingTest, HoldsWhatHappened) {
  RecordedRun const run = recorded_run(GetParam());
  MemorySource const source(run.sink.bytes());
  RecordingReader const reader = open(source);
  RecordingInfo const& info = reader.info();
  EXPECT_TRUE(info.closed);
  EXPECT_EQ(info.numbers, GetParam());
  EXPECT_EQ(info.created_by, "test");
  EXPECT_EQ(info.first_tick, 0u);
  EXPECT_EQ(info.end_tick, 200u);
  EXPECT_EQ(info.input_count, run.input_count);
  EXPECT_EQ(info.scene_hash, scene_hash(stack_scene(4)));
  EXPECT_EQ(std::vector<std::uint64_t>(reader.image_ticks().begin(), reader.image_ticks().end()),
            (std::vector<std::uint64_t>{0, 50, 100, 150, 200}));
  for (std::uint64_t tick = 0; tick < 200; ++tick) {
    Result<RecordedTick, SimError> const recorded = reader.tick(tick);
    ASSERT_TRUE(recorded) << tick;
    EXPECT_EQ(recorded->tick, tick);
    EXPECT_EQ(recorded->hash_after, run.hashes[tick]);
  }
  EXPECT_FALSE(reader.tick(200));
  EXPECT_FALSE(reader.image(51));
  Result<Scene, SceneError> const scene = load_scene(reader.scene_binary(), "recorded");
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene_hash(*scene), info.scene_hash);
}

TEST_P(RecordingTest, VerifiesBitForBit) {
  RecordedRun const run = recorded_run(GetParam());
  MemorySource const source(run.sink.bytes());
  Result<VerifyReport, SimError> const report = verify(open(source));
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->mismatch);
  EXPECT_FALSE(report->stopped_by);
  EXPECT_EQ(report->ticks_checked, 200u);
  EXPECT_EQ(report->images_checked, 5u);
  EXPECT_EQ(report->final_hash, run.hashes.back());
}

TEST_P(RecordingTest, SeekReachesEveryKindOfTick) {
  RecordedRun const run = recorded_run(GetParam());
  MemorySource const source(run.sink.bytes());
  RecordingReader const reader = open(source);
  for (std::uint64_t const tick : {1u, 49u, 50u, 51u, 137u, 200u}) {
    Result<Simulation, SimError> const simulation = seek(reader, tick);
    ASSERT_TRUE(simulation) << tick;
    EXPECT_EQ(simulation->hash(), run.hashes[tick - 1]) << tick;
  }
  EXPECT_FALSE(seek(reader, 201));
}

TEST_P(RecordingTest, CutAtAnyOf200BytesItOpensAndVerifiesUpToTheCut) {
  RecordedRun const run = recorded_run(GetParam(), true, 120);
  std::vector<std::byte> const& bytes = run.sink.bytes();
  // The least that can be replayed: head, header and first image, whose ends the chunks' own lengths tell.
  std::size_t min = kRecordingHeadBytes;
  for (int i = 0; i < 2; ++i) min += kChunkHeadBytes + load_little_endian<std::uint32_t>(&bytes[min + 8]);
  Random random(20261121);
  std::uint64_t verified_at_max = 0;
  for (int i = 0; i < 200; ++i) {
    std::size_t const cut = random.next_below(static_cast<std::uint32_t>(bytes.size()));
    MemorySource const source{std::span<const std::byte>(bytes).first(cut)};
    Result<RecordingReader, SimError> const reader = RecordingReader::open(source);
    if (cut < min) {
      ASSERT_FALSE(reader) << cut;
      EXPECT_EQ(reader.error(),
                cut < kRecordingHeadBytes ? SimError::kNotRecording : SimError::kRecordingEmpty)
          << cut;
      continue;
    }
    ASSERT_TRUE(reader) << cut;
    EXPECT_FALSE(reader->info().closed) << cut;
    EXPECT_LE(reader->info().cut_at_bytes, cut);
    if (i % 10 != 0 && reader->info().end_tick <= verified_at_max)
      continue;  // that stretch came out right already
    Result<VerifyReport, SimError> const report = verify(*reader);
    ASSERT_TRUE(report) << cut;
    EXPECT_FALSE(report->mismatch) << cut;
    EXPECT_FALSE(report->stopped_by) << cut;
    EXPECT_EQ(report->final_tick, reader->info().end_tick) << cut;
    verified_at_max = std::max(verified_at_max, report->final_tick);
  }
  EXPECT_GT(verified_at_max, 100u);
}

INSTANTIATE_TEST_SUITE_P(Numbers, RecordingTest, ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

TEST(Recording, WithoutCloseItIsFoundByScanning) {
  RecordedRun const run = recorded_run(NumbersMode::kFloat, false);
  MemorySource const source(run.sink.bytes());
  RecordingReader const reader = open(source);
  EXPECT_FALSE(reader.info().closed);
  EXPECT_EQ(reader.info().cut_at_bytes, run.sink.bytes().size());
  EXPECT_EQ(reader.info().end_tick, 200u);  // 200 is an image tick: everything was written
}

TEST(Recording, AnyFlippedByteIsNoticed) {
  RecordedRun const run = recorded_run(NumbersMode::kFloat, true, 60);
  std::vector<std::byte> bytes = run.sink.bytes();
  Random random(7);
  for (int i = 0; i < 150; ++i) {
    std::size_t const at = random.next_below(static_cast<std::uint32_t>(bytes.size()));
    bytes[at] ^= std::byte{0x40};
    MemorySource const source(bytes);
    Result<RecordingReader, SimError> const reader = RecordingReader::open(source);
    if (reader) {
      Result<VerifyReport, SimError> const report = verify(*reader);
      bool const is_reserved = at >= 12 && at < 16;  // of the file head: ignored by this version
      bool const whole = report && !report->mismatch && !report->stopped_by && reader->info().closed &&
                         report->final_tick == 60;
      EXPECT_EQ(whole, is_reserved) << at;
    }
    bytes[at] ^= std::byte{0x40};
  }
}

TEST(Recording, ADamagedStretchOfAClosedRecordingIsNamed) {
  RecordedRun const run = recorded_run();
  std::vector<std::byte> bytes = run.sink.bytes();
  // The chunk of ticks 63 to 69 or so: somewhere in the middle of the file.
  bytes[bytes.size() / 2] ^= std::byte{1};
  MemorySource const source(bytes);
  RecordingReader const reader = open(source);
  Result<VerifyReport, SimError> const report = verify(reader);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->stopped_by, SimError::kRecordingDamaged);
  EXPECT_GT(report->final_tick, 0u);
  EXPECT_LT(report->final_tick, 200u);
}

TEST(Recording, ForeignBytesAreRefusedByName) {
  EXPECT_EQ(reading_error_of({}), message(SimError::kNotRecording));
  std::vector<std::byte> bytes(100, std::byte{'x'});
  EXPECT_EQ(reading_error_of(bytes), message(SimError::kNotRecording));
  bytes = recorded_run(NumbersMode::kFloat, true, 1).sink.bytes();
  bytes[8] = std::byte{99};
  EXPECT_EQ(reading_error_of(bytes), message(SimError::kRecordingVersion));
}

TEST(Recording, AnIndexThatLiesIsNotBelieved) {
  RecordedRun const run = recorded_run();
  std::vector<std::byte> bytes = run.sink.bytes();
  store_little_endian<std::uint64_t>(bytes.data() + bytes.size() - 8,
                                     16);  // the header chunk is not an index
  MemorySource const source(bytes);
  RecordingReader const reader = open(source);
  EXPECT_FALSE(reader.info().closed);
  EXPECT_EQ(reader.info().end_tick, 200u);
}

class FullDisk final : public ByteSink {
 public:
  explicit FullDisk(std::size_t room) : room_(room) {}
  bool write(std::span<const std::byte> bytes) override {
    std::size_t const fits = std::min(bytes.size(), room_ - stored.size());
    stored.insert(stored.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(fits));
    return fits == bytes.size();
  }
  std::vector<std::byte> stored;

 private:
  std::size_t room_;
};

TEST(Recording, AFullDiskEndsTheRecordingAndNotTheRun) {
  for (std::size_t const room : {0u, 10u, 500u, 9000u}) {
    FullDisk disk(room);
    Scene const scene = stack_scene(4);
    Simulation simulation = make_simulation(scene);
    RecordingOptions options;
    options.ticks_per_chunk = 5;
    RecordingWriter writer(disk, options);
    int failures = !writer.begin(simulation, &scene);
    for (int i = 0; i < 400; ++i) failures += !writer.append(simulation, {}, simulation.step({}));
    failures += !writer.close();
    EXPECT_EQ(failures, 1) << room;  // told once
    EXPECT_TRUE(writer.failed());
    EXPECT_EQ(simulation.tick(), 400u);
    MemorySource const source(disk.stored);
    Result<RecordingReader, SimError> const reader = RecordingReader::open(source);
    if (room >= 9000) {
      ASSERT_TRUE(reader);
      Result<VerifyReport, SimError> const report = verify(*reader);
      ASSERT_TRUE(report);
      EXPECT_FALSE(report->mismatch);
      EXPECT_GT(report->ticks_checked, 0u);
    }
  }
}

// The largest of each text and list that a command has, and what has one element more.
std::vector<Command> largest(std::size_t more) {
  std::size_t const bytes = kMaxDecodedBytes + more;
  std::size_t const elements = kMaxDecodedElements + more;
  CreateRopeCommand points;
  points.points.resize(elements);
  CreateRopeCommand pins;
  pins.pins.resize(elements);
  CreateJointCommand axes;
  axes.axes.resize(elements);
  return {JoinCommand{7, false, std::string(bytes, 'n')},
          CustomCommand{std::vector<std::byte>(bytes, std::byte{3})}, points, pins, axes};
}

TEST(Recording, TheLargestOfEachCommandIsReadBack) {
  Scene const scene = stack_scene(1);
  Simulation simulation = make_simulation(scene);
  MemorySink sink;
  RecordingWriter writer(sink);
  ASSERT_TRUE(writer.begin(simulation, &scene));
  InputMaker maker;
  std::vector<Input> inputs;
  for (const Command& command : largest(0)) {
    ASSERT_TRUE(is_recordable(command)) << name_of(command);
    inputs.push_back(maker.make(0, kServerPlayer, command));
  }
  TickResult const result = simulation.step(inputs);
  EXPECT_EQ(result.refused.size(), inputs.size());
  ASSERT_TRUE(writer.append(simulation, inputs, result) && writer.close());
  MemorySource const source(sink.bytes());
  RecordingReader const reader = open(source);
  EXPECT_EQ(reader.info().end_tick, 1u);
  Result<VerifyReport, SimError> const report = verify(reader);
  ASSERT_TRUE(report) << message(report.error());
  EXPECT_FALSE(report->mismatch);
  EXPECT_EQ(report->ticks_checked, 1u);
}

TEST(RecordingDeathTest, ALargerCommandIsNotWritten) {
  for (const Command& command : largest(1)) {
    EXPECT_FALSE(is_recordable(command)) << name_of(command);
    std::vector<std::byte> bytes;
    EXPECT_DEATH(encode(Input{0, kServerPlayer, 1, command}, bytes), "is_recordable") << name_of(command);
  }
}

TEST(RecordingDeathTest, AppendAssertsThatItsInputsFit) {
  Scene const scene = stack_scene(1);
  Simulation simulation = make_simulation(scene);
  MemorySink sink;
  RecordingWriter writer(sink);
  ASSERT_TRUE(writer.begin(simulation, &scene));
  Input const input{0, kServerPlayer, 1, JoinCommand{7, false, std::string(kMaxDecodedBytes + 1, 'n')}};
  TickResult const result = simulation.step(std::span(&input, 1));
  EXPECT_DEATH((void)writer.append(simulation, std::span(&input, 1), result), "is_recordable");
}

TEST(Recording, AChunkEndsWhenItsInputsAreMany) {
  Scene const scene = stack_scene(1);
  Simulation simulation = make_simulation(scene);
  MemorySink sink;
  RecordingWriter writer(sink);
  ASSERT_TRUE(writer.begin(simulation, &scene));
  std::uint64_t const before = writer.written_bytes();
  InputMaker maker;
  std::vector<Input> inputs;
  for (int i = 0; i < 300; ++i)
    inputs.push_back(maker.make(0, kServerPlayer, JoinCommand{7, false, std::string(kMaxDecodedBytes, 'n')}));
  ASSERT_TRUE(writer.append(simulation, inputs, simulation.step(inputs)));
  EXPECT_GT(writer.written_bytes(), before + 300 * kMaxDecodedBytes);  // without 59 further ticks
}

TEST(Recording, AfterAFailureATickOfAnotherWorldIsIgnored) {
  FullDisk disk(10);
  Scene const scene = stack_scene(4);
  Simulation simulation = make_simulation(scene);
  RecordingWriter writer(disk);
  EXPECT_FALSE(writer.begin(simulation, &scene));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(writer.append(simulation, {}, simulation.step({})));
  simulation = make_simulation(scene);  // its next tick is 1 again
  EXPECT_TRUE(writer.append(simulation, {}, simulation.step({})));
  EXPECT_TRUE(writer.failed());
  EXPECT_TRUE(writer.close());
}

TEST(Recording, AWrongHashIsFoundAtItsTick) {
  // Written by a simulation that differs from tick 31 on: the recorder is handed another run's results.
  Scene const scene = stack_scene(3);
  Simulation honest = make_simulation(scene);
  MemorySink sink;
  RecordingWriter writer(sink);
  ASSERT_TRUE(writer.begin(honest, &scene));
  for (std::uint64_t tick = 0; tick < 60; ++tick) {
    TickResult result = honest.step({});
    if (tick >= 30) ++result.hash;
    ASSERT_TRUE(writer.append(honest, {}, result));
  }
  ASSERT_TRUE(writer.close());
  MemorySource const source(sink.bytes());
  RecordingReader const reader = open(source);
  Result<VerifyReport, SimError> const report = verify(reader);
  ASSERT_TRUE(report);
  ASSERT_TRUE(report->mismatch);
  EXPECT_EQ(report->mismatch->tick, 31u);
  EXPECT_EQ(report->mismatch->recorded_hash, report->mismatch->replayed_hash + 1);
  Result<std::vector<ImageCheck>, SimError> const checks = bisect(reader);
  ASSERT_TRUE(checks);
  ASSERT_EQ(checks->size(), 1u);
  ASSERT_TRUE(checks->front().mismatch);
  EXPECT_EQ(checks->front().mismatch->tick, 31u);
}

TEST(Recording, BisectContinuesAtTheNextImageAfterAMismatch) {
  Scene const scene = stack_scene(3);
  Simulation honest = make_simulation(scene);
  MemorySink sink;
  RecordingOptions options;
  options.image_every_ticks = 20;
  RecordingWriter writer(sink, options);
  ASSERT_TRUE(writer.begin(honest, &scene));
  for (std::uint64_t tick = 0; tick < 70; ++tick) {
    TickResult result = honest.step({});
    if (tick == 30 || tick == 35) ++result.hash;
    ASSERT_TRUE(writer.append(honest, {}, result));
  }
  ASSERT_TRUE(writer.close());
  MemorySource const source(sink.bytes());
  Result<std::vector<ImageCheck>, SimError> const checks = bisect(open(source));
  ASSERT_TRUE(checks);
  ASSERT_EQ(checks->size(), 4u);
  for (std::size_t i = 0; i < checks->size(); ++i) {
    ImageCheck const& check = (*checks)[i];
    EXPECT_EQ(check.image_tick, 20 * i);
    EXPECT_EQ(check.end_tick, std::min<std::uint64_t>(20 * (i + 1), 70));
    EXPECT_TRUE(check.is_image_sound);
    EXPECT_EQ(check.follows(), i != 1);
    if (i != 1) {
      EXPECT_EQ(check.final_tick, check.end_tick);
    }
  }
  ASSERT_TRUE((*checks)[1].mismatch);
  EXPECT_EQ((*checks)[1].mismatch->tick, 31u) << "the first one after its image";
}

TEST(Recording, BisectNamesADamagedChunkAndContinuesAtTheNextImage) {
  RecordedRun const run = recorded_run();
  std::vector<std::byte> bytes = run.sink.bytes();
  std::size_t const at = bytes.size() / 2;
  bytes[at] ^= std::byte{1};
  MemorySource const source(bytes);
  Result<std::vector<ImageCheck>, SimError> const checks = bisect(open(source));
  ASSERT_TRUE(checks);
  ASSERT_EQ(checks->size(), 5u);
  EXPECT_EQ(std::ranges::count_if(*checks, &ImageCheck::follows), 4);
  auto const damaged = std::ranges::find_if_not(*checks, &ImageCheck::follows);
  EXPECT_EQ(damaged->stopped_by, SimError::kRecordingDamaged);
  EXPECT_FALSE(damaged->mismatch);
  EXPECT_LT(damaged->final_tick, damaged->end_tick);
}

TEST(Recording, CompareNamesTheFirstDifferentTickAndItsFields) {
  auto const run = [](double strength) {
    Scene const scene = stack_scene(3);
    Simulation simulation = make_simulation(scene);
    MemorySink sink;
    RecordingWriter writer(sink);
    EXPECT_TRUE(writer.begin(simulation, &scene));
    for (std::uint64_t tick = 0; tick < 40; ++tick) {
      std::vector<Input> inputs;
      if (tick == 20)
        inputs.push_back(
            {20, kServerPlayer, 1, ImpulseCommand{scene_body(3), {static_cast<float>(strength), 0, 0}, {}}});
      EXPECT_TRUE(writer.append(simulation, inputs, simulation.step(inputs)));
    }
    EXPECT_TRUE(writer.close());
    return sink;
  };
  MemorySink const a = run(100);
  MemorySink const b = run(101);
  MemorySource const left(a.bytes());
  MemorySource const right(b.bytes());
  Result<RecordingComparison, SimError> const report = compare(open(left), open(right));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->first_difference, 21u);
  EXPECT_TRUE(report->inputs_differ);
  ASSERT_FALSE(report->fields.empty());
  Result<RecordingComparison, SimError> const same = compare(open(left), open(left));
  ASSERT_TRUE(same);
  EXPECT_FALSE(same->first_difference);
}

TEST(Recording, AGameIsNamedAndWanted) {
  Scene const scene = stack_scene(1);
  Simulation simulation = make_simulation(scene, NumbersMode::kFloat, std::make_unique<CountingGame>());
  MemorySink sink;
  RecordingWriter writer(sink);
  ASSERT_TRUE(writer.begin(simulation, &scene));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(writer.append(simulation, {}, simulation.step({})));
  ASSERT_TRUE(writer.close());
  MemorySource const source(sink.bytes());
  RecordingReader const reader = open(source);
  EXPECT_EQ(reader.info().game_name, "counting/1");
  Result<VerifyReport, SimError> const without = verify(reader);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error(), SimError::kGameMismatch);
  Result<VerifyReport, SimError> const with =
      verify(reader, {}, [](std::string_view) { return std::make_unique<CountingGame>(); });
  ASSERT_TRUE(with);
  EXPECT_FALSE(with->mismatch);
  EXPECT_EQ(with->ticks_checked, 10u);
}

}  // namespace
}  // namespace takt::sim
