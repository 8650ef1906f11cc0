#include "tests/simulation/replica/replica_checks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace takt::client::test {

std::uint64_t number_of_environment(const char* name, std::uint64_t otherwise) {
  char const* const text = std::getenv(name);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  std::uint64_t const number = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0')
    throw std::invalid_argument(std::string(name) + " takes a number, not '" + text + "'");
  return number;
}

std::uint64_t virtual_seconds(std::uint64_t otherwise) {
  return number_of_environment("TAKT_REPLICA_SECONDS", otherwise);
}

server::RoomOptions room_options(NumbersMode numbers) {
  server::RoomOptions options;
  options.numbers = numbers;
  options.modes = protocol::OfferedModes::all();
  return options;
}

sim::Scene arena(const std::string& bodies, const std::string& joints) {
  std::string text = R"({"title": "arena", "bodies": [{"type": "static", "shapes": [{"half_space": {}}]})";
  for (int i = 0; i < 4; ++i)
    text += ",{\"position\": [" + std::to_string(3 * i - 4) + ",0.92,4], \"mover\": {}}";
  for (int i = 0; i < 9; ++i)
    text += ",{\"position\": [" + std::to_string(i % 3) + "," + std::to_string(0.5 + i / 3) + "," +
            std::to_string(-1 - i % 2 * 0.1) + "], \"shapes\": [{\"box\": {\"size\": [1,1,1]}}]}";
  auto scene = sim::load_scene(text + bodies + "], \"joints\": [" + joints + "]}", "arena");
  if (!scene) throw std::runtime_error(scene.error().text);
  return *std::move(scene);
}

protocol::Impairment path(std::uint64_t delay_ms, std::uint64_t jitter_ms, double loss) {
  protocol::Impairment out;
  out.delay_us = delay_ms * 1000;
  out.jitter_us = jitter_ms * 1000;
  out.loss = loss;
  return out;
}

protocol::Impairment terrible() {
  protocol::Impairment out = path(1000, 100, 0.25);
  out.duplicate = 0.25;
  out.reorder = 0.3;
  return out;
}

void expect_equal_states(VirtualReplicas& room, std::uint64_t quiet_s) {
  for (auto const& client : room.clients()) client->is_active = false;
  room.run_for(quiet_s * kSecond);
  for (std::size_t i = 0; i < room.clients().size(); ++i) {
    VirtualReplicas::Client const& client = *room.clients()[i];
    EXPECT_TRUE(client.divergences.empty())
        << "client " << i << " first at tick " << client.divergences.front().tick;
    if (client.ending) {
      EXPECT_EQ(client.ending->reason, "client_left") << client.ending->text;
      continue;
    }
    EXPECT_TRUE(client.session->is_playing()) << "client " << i;
    EXPECT_EQ(client.session->replica().inputs_in_flight(), 0u) << "client " << i;
  }
  for (int i = 0; i < 60; ++i) {
    room.run_for(16'000);
    room.note_states();
  }
  room.run_for(6 * kSecond);  // clients are ahead of the server
  EXPECT_EQ(room.difference(), "");
  EXPECT_GE(room.noted_count(), 60u);
}

}  // namespace takt::client::test
