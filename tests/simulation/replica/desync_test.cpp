// A bit of one client's state is flipped, in fields of every kind. Both ends must name the field within 2 s
// of virtual time, write recordings from which `takt replay bisect` and `diff` find it again, and repair the
// client.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/comparison/desync_recording.h"
#include "takt/sim/recording.h"
#include "takt/sim/replay.h"
#include "tests/simulation/replica/replica_checks.h"
#include "tests/simulation/replica/state_flip.h"
#include "tests/simulation/replica/virtual_replicas.h"

namespace takt::client::test {
namespace {

using protocol::ReplicationMode;

constexpr std::size_t kClients = 4;
constexpr std::size_t kBroken = 2;

// Record 1 is a box that rests and sleeps after a second, record 2 a ball that falls freely.
sim::Scene rest_and_fall() {
  auto scene = sim::load_scene(R"({"title": "rest and fall", "bodies": [
      {"type": "static", "shapes": [{"half_space": {}}]},
      {"position": [0, 0.5, 0], "shapes": [{"box": {"size": [1, 1, 1]}}]},
      {"position": [9, 3000, 0], "velocity": [0.1, 0, 0], "shapes": [{"sphere": {"radius": 0.5}}]}]})",
                               "rest and fall");
  if (!scene) throw std::runtime_error(scene.error().text);
  return *std::move(scene);
}

struct Flip {
  std::string_view name;
  std::string_view record;
  std::string_view field;
};

constexpr Flip kFlips[] = {{"Position", "body.record[2].", "center.x"},
                           {"Velocity", "body.record[2].", "linear_velocity.x"},
                           {"SleepTimer", "body.record[1].", "still_ticks"},
                           {"WarmStartImpulse", "contact", "normal_impulse"}};

using FlipCase = std::tuple<Flip, NumbersMode, ReplicationMode>;

class FlippedBits : public ::testing::TestWithParam<FlipCase> {};

sim::RecordingReader read(const sim::MemorySource& source) {
  auto reader = sim::RecordingReader::open(source);
  if (!reader) throw std::runtime_error(std::string(sim::message(reader.error())));
  return *std::move(reader);
}

// A velocity that differs moves its body before the states are compared, so it need not be the first field.
bool has(const std::vector<StateDifference>& fields, const std::string& path) {
  return std::ranges::find(fields, path, &StateDifference::path) != fields.end();
}

// The client's state does not follow from its earlier one, the server's does, and they differ in that field.
void expect_recordings_name(const std::vector<std::byte>& client, const std::vector<std::byte>& server,
                            std::uint64_t tick, const std::string& field) {
  sim::MemorySource const of_client(client);
  sim::MemorySource const of_server(server);
  auto const own = read(of_client);
  auto const theirs = read(of_server);
  EXPECT_TRUE(own.info().closed);
  ASSERT_EQ(own.info().end_tick, tick);
  ASSERT_EQ(theirs.info().end_tick, tick);
  ASSERT_LT(own.info().first_tick, tick) << "no earlier state";
  auto const bisected = sim::bisect(own);
  ASSERT_TRUE(bisected);
  ASSERT_TRUE((*bisected)[0].mismatch);
  EXPECT_EQ((*bisected)[0].mismatch->tick, tick);
  ASSERT_FALSE((*bisected)[0].mismatch->fields.empty());
  EXPECT_TRUE(has(bisected->front().mismatch->fields, field));
  auto const verified = sim::verify(theirs);
  ASSERT_TRUE(verified);
  EXPECT_FALSE(verified->mismatch);
  EXPECT_FALSE(verified->stopped_by);
  auto const compared = sim::compare(theirs, own);
  ASSERT_TRUE(compared);
  ASSERT_EQ(compared->first_difference, tick);
  ASSERT_FALSE(compared->fields.empty());
  EXPECT_TRUE(has(compared->fields, field));
}

TEST_P(FlippedBits, AreNamedOnBothEndsAndRepaired) {
  auto const& [flip, numbers, mode] = GetParam();
  server::RoomOptions options = room_options(numbers);
  options.keeps_desync_states = true;
  VirtualReplicas room(rest_and_fall(), options, 41);
  ReplicaOptions replica;
  replica.keeps_desync_states = true;
  for (std::size_t i = 0; i < kClients; ++i)
    room.add_client(mode, path(50, 10, 0.05), replica).is_active = false;
  room.run_for(3 * kSecond);
  VirtualReplicas::Client& broken = *room.clients()[kBroken];
  ASSERT_TRUE(broken.session->is_playing());
  auto& simulation = const_cast<sim::Simulation&>(broken.session->replica().simulation());
  std::uint64_t const tick = simulation.tick();
  std::string const field = flip_bit(simulation, flip.record, flip.field);
  std::uint64_t const flipped_us = room.now_us();
  while (room.now_us() < flipped_us + 3 * kSecond && (broken.desyncs.empty() || room.desyncs().empty()))
    room.run_for(10'000);
  ASSERT_EQ(broken.desyncs.size(), 1u) << field;
  ASSERT_EQ(room.desyncs().size(), 1u) << field;
  std::printf("%s: named after %.0f ms by the client, %.0f ms by the server\n", field.c_str(),
              static_cast<double>(broken.named_us - flipped_us) / 1000,
              static_cast<double>(room.desync_us() - flipped_us) / 1000);
  EXPECT_LT(broken.named_us, flipped_us + 2 * kSecond);
  EXPECT_LT(room.desync_us(), flipped_us + 2 * kSecond);
  server::DesyncFinding const& finding = room.desyncs()[0];
  EXPECT_EQ(finding.player, broken.session->player());
  EXPECT_EQ(finding.tick, (tick / 8 + 1) * 8);
  EXPECT_NE(finding.text.find(field + ": "), std::string::npos) << field << " named as " << finding.text;
  EXPECT_EQ(broken.desyncs[0].text, finding.text);
  EXPECT_EQ(broken.desyncs[0].tick, finding.tick);
  // The repair: one image, and equal states of everybody from then on.
  room.run_for(2 * kSecond);
  EXPECT_GT(broken.repaired_us, flipped_us);
  ASSERT_EQ(room.desync_reports().size(), 1u);
  expect_recordings_name(broken.desyncs[0].recording, room.desync_reports()[0].recording, finding.tick,
                         field);
  std::size_t const divergences = broken.divergences.size();
  std::uint64_t const equal = broken.session->replica().stats().hashes_equal;
  room.run_for(2 * kSecond);
  EXPECT_EQ(broken.divergences.size(), divergences);
  EXPECT_GT(broken.session->replica().stats().hashes_equal, equal + 10);
  for (int i = 0; i < 60; ++i) {
    room.run_for(16'000);
    room.note_states();
  }
  room.run_for(kSecond);  // clients are ahead of the server
  EXPECT_EQ(room.difference(), "");
  EXPECT_EQ(room.noted_count(), 60 * kClients);
  EXPECT_EQ(room.desyncs().size(), 1u);
  for (std::size_t i = 0; i < kClients; ++i)
    EXPECT_EQ(room.clients()[i]->divergences.empty(), i != kBroken) << i;
}

INSTANTIATE_TEST_SUITE_P(Fields, FlippedBits,
                         ::testing::Combine(::testing::ValuesIn(kFlips),
                                            ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                                            ::testing::Values(ReplicationMode::kRollback,
                                                              ReplicationMode::kLockstep)),
                         [](const auto& one) {
                           return std::string(std::get<0>(one.param).name) +
                                  (std::get<1>(one.param) == NumbersMode::kFloat ? "Float" : "Fixed") +
                                  (std::get<2>(one.param) == ReplicationMode::kRollback ? "Rollback"
                                                                                        : "Lockstep");
                         });

// Commands of others act between the two states of a recording: their order and ticks must be right for the
// server's to verify.
TEST(DesyncReports, RecordingsHaveTheInputsBetweenTheirStates) {
  server::RoomOptions options = room_options(NumbersMode::kFloat);
  options.keeps_desync_states = true;
  VirtualReplicas room(rest_and_fall(), options, 43);
  room.command_percent = 20;
  ReplicaOptions replica;
  replica.keeps_desync_states = true;
  for (std::size_t i = 0; i < kClients; ++i)
    room.add_client(ReplicationMode::kLockstep, path(50, 10, 0.05), replica).is_active = i != kBroken;
  room.run_for(3 * kSecond);
  VirtualReplicas::Client& broken = *room.clients()[kBroken];
  ASSERT_TRUE(broken.session->is_playing());
  auto& simulation = const_cast<sim::Simulation&>(broken.session->replica().simulation());
  flip_bit(simulation, "body.record[2].", "center.x");
  room.run_for(2 * kSecond);
  ASSERT_GE(broken.desyncs.size(), 1u);
  ASSERT_GE(room.desync_reports().size(), 1u);
  server::DesyncReport const& report = room.desync_reports()[0];
  ASSERT_EQ(broken.desyncs[0].tick, report.tick);
  sim::MemorySource const of_client(broken.desyncs[0].recording);
  sim::MemorySource const of_server(report.recording);
  auto const own = read(of_client);
  auto const theirs = read(of_server);
  ASSERT_LT(own.info().first_tick, report.tick);
  ASSERT_LT(theirs.info().first_tick, report.tick);
  EXPECT_GT(theirs.info().input_count, 0u);
  auto const verified = sim::verify(theirs);
  ASSERT_TRUE(verified);
  EXPECT_FALSE(verified->mismatch) << "the server's state follows from its inputs";
  EXPECT_FALSE(verified->stopped_by);
  auto const bisected = sim::bisect(own);
  ASSERT_TRUE(bisected);
  ASSERT_TRUE((*bisected)[0].mismatch) << "the client's does not";
  EXPECT_EQ((*bisected)[0].mismatch->tick, report.tick);
}

// A state whose earlier ones are gone still has its report, without inputs.
TEST(DesyncReports, AStateAloneIsARecordingToo) {
  auto const simulation = sim::Simulation::create(rest_and_fall(), NumbersMode::kFloat);
  ASSERT_TRUE(simulation);
  sim::DesyncStates states;
  states.head = sim::head_of(*simulation, nullptr, "test");
  states.earlier = sim::save_state_of(*simulation);
  states.differing = sim::save_state_of(*simulation);
  states.differing.tick = 8;  // whose inputs nobody has kept
  auto const bytes = sim::encode_desync(states, {});
  sim::MemorySource const source(bytes);
  EXPECT_EQ(read(source).info().first_tick, 8u);
}

}  // namespace
}  // namespace takt::client::test
