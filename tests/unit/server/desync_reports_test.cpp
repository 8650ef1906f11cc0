// The findings about desyncs that are followed by reports: clients decide how many findings there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "protocol/messages/message.h"
#include "server/world_publisher.h"
#include "sim/comparison/desync_recording.h"
#include "takt/sim/recording.h"
#include "tests/unit/server/small_simulation.h"

namespace takt::server {
namespace {

class DesyncReports : public ::testing::Test {
 protected:
  DesyncReports() { publisher_.want_desync_reports("test"); }

  void tick() {
    publisher_.begin_tick();
    auto const result = publisher_.simulation().step({});
    RoomUpdate update;
    publisher_.end_tick({}, result, update);
    publisher_.finish(update, {}, std::nullopt);
    for (DesyncFinding& finding : update.desyncs) findings_.push_back(std::move(finding));
    for (DesyncReport& report : update.desync_reports) reports_.push_back(std::move(report));
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) tick();
  }
  /// The last kept state is compared with nonsense, which ends the comparison.
  void claim_desync(sim::PlayerId player, std::uint64_t age_ticks = 0,
                    protocol::ReplicationMode mode = protocol::ReplicationMode::kRollback) {
    publisher_.replicas().add({player, 0}, mode);
    std::uint64_t const newest = publisher_.simulation().tick() / 8 * 8;
    publisher_.handle_desync({player, {newest - age_ticks, "world", "nonsense"}, publisher_.epoch()});
  }

  WorldPublisher publisher_{make_simulation()};
  std::vector<DesyncFinding> findings_;
  std::vector<DesyncReport> reports_;
};

TEST_F(DesyncReports, ManyClaimsAreReportedAtALowRate) {
  publisher_.replicas().add({1, 0}, protocol::ReplicationMode::kRollback);
  run(20);
  constexpr std::uint32_t kClaims = WorldPublisher::kReportBurst + 4;
  for (std::uint32_t i = 0; i < kClaims; ++i) {
    claim_desync(1 + i);
    run(3);
  }
  ASSERT_EQ(findings_.size(), kClaims);
  ASSERT_EQ(reports_.size(), WorldPublisher::kReportBurst);
  for (DesyncReport const& report : reports_) EXPECT_FALSE(report.recording.empty());
  for (std::size_t i = 0; i < findings_.size(); ++i)
    EXPECT_EQ(findings_[i].is_report_left_out, i == WorldPublisher::kReportBurst) << "once, at " << i;
  // A real desync is reported again later.
  run(60 * static_cast<int>(WorldPublisher::kReportEveryS) + 60);
  claim_desync(100);
  run(3);
  EXPECT_EQ(reports_.size(), WorldPublisher::kReportBurst + 1);
  claim_desync(101);
  run(3);
  EXPECT_EQ(reports_.size(), WorldPublisher::kReportBurst + 1);
  EXPECT_TRUE(findings_.back().is_report_left_out) << "told again after a report";
}

TEST_F(DesyncReports, StatesThatAreNotKeptCostNoReport) {
  publisher_.replicas().add({1, 0}, protocol::ReplicationMode::kRollback);
  run(20);
  for (std::uint32_t i = 0; i < 2 * WorldPublisher::kReportBurst; ++i) {
    claim_desync(1 + i, 1);  // no multiple of 8
    run(3);
  }
  EXPECT_EQ(findings_.size(), 2 * WorldPublisher::kReportBurst);
  EXPECT_TRUE(reports_.empty());
  claim_desync(100);
  run(3);
  EXPECT_EQ(reports_.size(), 1u);
}

TEST_F(DesyncReports, ClaimsOfPredictedClientsAreIgnored) {
  publisher_.replicas().add({1, 0}, protocol::ReplicationMode::kRollback);
  run(20);
  claim_desync(2, 0, protocol::ReplicationMode::kPredicted);
  run(3);
  EXPECT_TRUE(findings_.empty());
  EXPECT_TRUE(reports_.empty());
  claim_desync(3);
  run(3);
  EXPECT_EQ(findings_.size(), 1u);
}

// ---------------------------------------------------------------- inputs and bounds of a recording

sim::TickRecord record_of(std::uint64_t tick, std::size_t inputs, std::size_t bytes_each) {
  sim::TickRecord record{tick, {}, {}};
  for (std::size_t i = 0; i < inputs; ++i)
    record.inputs.push_back({tick, 1, static_cast<std::uint32_t>(tick * 1000 + i + 1),
                             sim::CustomCommand{std::vector<std::byte>(bytes_each)}});
  return record;
}

TEST(RecentInputs, KeepTheLastTicks) {
  sim::RecentInputs recent;
  for (std::uint64_t tick = 100; tick < 2000; ++tick) recent.add(record_of(tick, tick % 2, 0));
  EXPECT_TRUE(recent.has(2000 - sim::RecentInputs::kTicksMax, 2000));
  EXPECT_FALSE(recent.has(1999 - sim::RecentInputs::kTicksMax, 2000));
  auto const listed = recent.list(1990, 1996);
  ASSERT_EQ(listed.size(), 3u);
  for (std::size_t i = 0; i < listed.size(); ++i) EXPECT_EQ(listed[i]->tick, 1991 + 2 * i);
  recent.add(record_of(3000, 1, 0));
  EXPECT_FALSE(recent.has(1999, 2000)) << "a gap";
  EXPECT_TRUE(recent.has(3000, 3001));
}

TEST(RecentInputs, BoundInputsAndBytes) {
  struct Case {
    std::size_t inputs;
    std::size_t bytes_each;
  };
  for (Case const one : {Case{1000, 0}, Case{1000, 1000}, Case{10, 1000}}) {
    sim::RecentInputs recent;
    for (std::uint64_t tick = 0; tick < 1000; ++tick) recent.add(record_of(tick, one.inputs, one.bytes_each));
    std::size_t const tick_bytes =
        sizeof(sim::TickRecord) + one.inputs * (sizeof(sim::Input) + one.bytes_each);
    std::uint64_t const kept =
        std::min(sim::RecentInputs::kInputsMax / one.inputs, sim::RecentInputs::kBytesMax / tick_bytes);
    ASSERT_LT(kept, 1000u);
    EXPECT_TRUE(recent.has(1000 - kept, 1000)) << one.inputs;
    EXPECT_FALSE(recent.has(1000 - kept - 1, 1000)) << one.inputs;
  }
}

TEST(RecentInputs, ACopySharesTheRecords) {
  sim::RecentInputs recent;
  recent.add(record_of(7, 1, 1000));
  sim::RecentInputs const copy = recent;
  EXPECT_EQ(copy.list(7, 8)[0], recent.list(7, 8)[0]);
}

TEST(DesyncRecording, GivesUpTheEarlierStateBeforeItself) {
  sim::Simulation simulation = make_simulation();
  sim::RecentInputs inputs;
  sim::DesyncStates states;
  states.head = sim::head_of(simulation, nullptr, "test");
  states.earlier = sim::save_state_of(simulation);
  for (std::uint64_t tick = 0; tick < 8; ++tick) {
    (void)simulation.step({});
    inputs.add({tick, {}, {}});
  }
  states.differing = sim::save_state_of(simulation);
  auto const first_tick = [](const std::vector<std::byte>& bytes) {
    sim::MemorySource const source(bytes);
    auto const reader = sim::RecordingReader::open(source);
    return reader ? reader->info().first_tick : 999;
  };
  auto const whole = sim::encode_desync(states, inputs);
  EXPECT_EQ(first_tick(whole), 0u);
  EXPECT_EQ(sim::encode_desync(states, inputs, whole.size()), whole);
  auto const alone = sim::encode_desync(states, inputs, whole.size() - 1);
  EXPECT_EQ(first_tick(alone), 8u);
  EXPECT_EQ(sim::encode_desync(states, inputs, alone.size()), alone);
  EXPECT_TRUE(sim::encode_desync(states, inputs, alone.size() - 1).empty());
}

}  // namespace
}  // namespace takt::server
