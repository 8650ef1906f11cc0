// Recordings of worlds of a service: their limit, and the clients that do not take their bytes. Bytes and
// transports are tested in python/tests/test_service.py.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "takt/sim/command.h"
#include "tests/unit/service/host_clients.h"

namespace takt::service::test {
namespace {

constexpr auto kRecord = [](auto& b) { return wire::CreateRecord(b); };
constexpr auto kRecordStop = [](auto& b) { return wire::CreateRecordStop(b); };

std::vector<std::uint64_t> new_world() {
  return request(2, {}, 0, [](auto& b) {
    auto const scene =
        b.CreateVector(reinterpret_cast<const std::uint8_t*>(kTwoBoxes.data()), kTwoBoxes.size());
    return wire::CreateNewWorlds(b, scene);
  });
}

takt_status ask(RawClient& client, const std::vector<std::uint64_t>& message) {
  EXPECT_TRUE(client.send(message));
  return client.receive();
}

std::vector<std::uint64_t> step(std::uint32_t ticks) {
  return request(3, {1}, 0, [&](auto& b) { return wire::CreateStep(b, ticks); });
}

takt_status record(takt_world* world, const std::string& path) {
  return takt_world_record(world, path.data(), path.size());
}

TEST(ServiceRecording, AClientThatTakesNoBytesLosesItsOwnRecordingAlone) {
  ServiceOptions options;
  options.limits.recorded_bytes_max = 40'000;
  auto const host = open_host(std::move(options));
  RawClient silent(host->doors()[0]);
  silent.greet();
  ASSERT_EQ(ask(silent, new_world()), TAKT_OK);
  EXPECT_EQ(ask(silent, request(4, {1}, 0, kRecordStop)), TAKT_ERROR_RECORDING);
  ASSERT_EQ(ask(silent, request(4, {1}, 0, kRecord)), TAKT_OK);
  EXPECT_EQ(ask(silent, request(4, {1}, 0, kRecord)), TAKT_ERROR_RECORDING);
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  std::string const path = socket_path("kept.takt");
  ASSERT_EQ(record(world, path), TAKT_OK) << takt_last_error();
  // 60,000 ticks have 480,000 bytes of hashes, which the one client takes and the other one does not.
  constexpr std::uint32_t kTicks = 60'000;
  ASSERT_EQ(ask(silent, step(kTicks)), TAKT_OK);
  EXPECT_EQ(takt_world_step(world, kTicks), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_record_stop(world), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_record_stop(world), TAKT_ERROR_RECORDING);
  EXPECT_EQ(ask(silent, request(5, {1}, 0, kRecordStop)), TAKT_OK);  // with the bytes before the cut
  EXPECT_EQ(ask(silent, request(6, {1}, 0, kRecordStop)), TAKT_ERROR_RECORDING);
  ASSERT_EQ(ask(silent, request(7, {1}, 0, kRecord)), TAKT_OK);  // the limit has room again
  takt_recording* recording = nullptr;
  ASSERT_EQ(takt_recording_open(path.data(), path.size(), &recording), TAKT_OK) << takt_last_error();
  auto info = sized<takt_recording_info>();
  ASSERT_EQ(takt_recording_get_info(recording, &info), TAKT_OK);
  EXPECT_EQ(info.end_tick, kTicks);
  EXPECT_EQ(info.is_closed, 1u);
  EXPECT_EQ(takt_recording_destroy(recording), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  (void)std::remove(path.c_str());
}

// Edits without a step stay in memory until the next one.
TEST(ServiceRecording, EditsThatWaitForAStepAreLimited) {
  ServiceOptions options;
  options.limits.recorded_bytes_max = 100'000;
  auto const host = open_host(std::move(options));
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  std::uint64_t const box = takt::test::body_of(world, "box");
  std::string const path = socket_path("edits.takt");
  ASSERT_EQ(record(world, path), TAKT_OK) << takt_last_error();
  double const push[3] = {0, 1, 0};
  takt_status status = TAKT_OK;
  int count = 0;
  for (; status == TAKT_OK && count < 1000; ++count) status = takt_world_impulse(world, box, push, nullptr);
  EXPECT_EQ(status, TAKT_ERROR_LIMIT);
  EXPECT_NE(std::string(takt_last_error()).find("limit recording"), std::string::npos);
  EXPECT_GT(count, 100);
  EXPECT_EQ(takt_world_step(world, 60), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_impulse(world, box, push, nullptr), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_step(world, 1), TAKT_OK);
  EXPECT_EQ(takt_world_record_stop(world), TAKT_OK) << takt_last_error();
  takt_recording* recording = nullptr;
  ASSERT_EQ(takt_recording_open(path.data(), path.size(), &recording), TAKT_OK) << takt_last_error();
  auto report = sized<takt_verify_report>();
  EXPECT_EQ(takt_recording_verify(recording, 1, &report), TAKT_OK) << takt_last_error();
  EXPECT_EQ(report.agrees, 1u);
  EXPECT_EQ(report.ticks_checked, 61u);
  EXPECT_EQ(takt_recording_destroy(recording), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  (void)std::remove(path.c_str());
}

// A tick's edits count with their memory, and afterwards with the bytes that the file gets. 60 ticks make a
// chunk, with 12,000 edits: 6 MB of memory if they all stayed in it.
TEST(ServiceRecording, EditsOfEarlierTicksCountWithTheBytesOfTheFile) {
  ServiceOptions options;
  options.limits.recorded_bytes_max = 1'500'000;
  auto const host = open_host(std::move(options));
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  std::uint64_t const box = takt::test::body_of(world, "box");
  std::string const path = socket_path("ticks.takt");
  ASSERT_EQ(record(world, path), TAKT_OK) << takt_last_error();
  double const push[3] = {0, 0.01, 0};
  constexpr int kEdits = 200;
  static_assert(60 * kEdits * sizeof(sim::Input) > 3 * 1'500'000);
  for (int tick = 0; tick < 65; ++tick) {
    for (int i = 0; i < kEdits; ++i)
      ASSERT_EQ(takt_world_impulse(world, box, push, nullptr), TAKT_OK) << tick << takt_last_error();
    ASSERT_EQ(takt_world_step(world, 1), TAKT_OK) << tick << takt_last_error();
  }
  EXPECT_EQ(takt_world_record_stop(world), TAKT_OK) << takt_last_error();
  takt_recording* recording = nullptr;
  ASSERT_EQ(takt_recording_open(path.data(), path.size(), &recording), TAKT_OK) << takt_last_error();
  auto info = sized<takt_recording_info>();
  ASSERT_EQ(takt_recording_get_info(recording, &info), TAKT_OK);
  EXPECT_EQ(info.end_tick, 65u);
  EXPECT_EQ(takt_recording_destroy(recording), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  (void)std::remove(path.c_str());
}

// A new joint is larger than most edits, and has a list of axes.
TEST(ServiceRecording, EditsCountWithTheirOwnBytes) {
  constexpr std::uint64_t kLimit = 100'000;
  ServiceOptions options;
  options.limits.recorded_bytes_max = kLimit;
  auto const host = open_host(std::move(options));
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  std::string const path = socket_path("joints.takt");
  ASSERT_EQ(record(world, path), TAKT_OK) << takt_last_error();
  auto def = sized<takt_joint_def>();
  ASSERT_EQ(takt_joint_defaults(TAKT_JOINT_DISTANCE, &def), TAKT_OK);
  def.body_a = takt::test::body_of(world, "ground");
  def.body_b = takt::test::body_of(world, "box");
  def.length = 3;
  takt_status status = TAKT_OK;
  std::uint64_t count = 0;
  for (std::uint64_t joint = 0; count < 1000; ++count) {
    status = takt_world_create_joint(world, &def, &joint);
    if (status != TAKT_OK) break;
  }
  EXPECT_EQ(status, TAKT_ERROR_LIMIT) << takt_last_error();
  EXPECT_LE(count * (sizeof(sim::Input) + sizeof(sim::CreateJointCommand::Axis)), kLimit);
  EXPECT_GT(count, 100u);
  std::vector<std::uint64_t> joints(count + 1);
  std::size_t listed = 0;
  EXPECT_EQ(takt_world_list_joints(world, joints.data(), joints.size(), &listed), TAKT_OK);
  EXPECT_EQ(listed, count + 1) << "the scene has one, and an edit beyond the limit has no effect";
  EXPECT_EQ(takt_world_step(world, 1), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_record_stop(world), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  (void)std::remove(path.c_str());
}

TEST(ServiceRecording, AWorldLargerThanTheLimitIsNotRecorded) {
  ServiceOptions options;
  options.limits.recorded_bytes_max = 500;
  auto const host = open_host(std::move(options));
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  std::string const path = socket_path("large.takt");
  EXPECT_EQ(record(world, path), TAKT_ERROR_LIMIT);
  EXPECT_NE(std::string(takt_last_error()).find("limit recording"), std::string::npos);
  EXPECT_EQ(std::fopen(path.c_str(), "rb"), nullptr);
  EXPECT_EQ(takt_world_step(world, 100), TAKT_OK);
  EXPECT_EQ(takt_world_record_stop(world), TAKT_ERROR_RECORDING);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

}  // namespace
}  // namespace takt::service::test
