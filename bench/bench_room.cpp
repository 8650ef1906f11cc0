// bench_room SCENE [TICKS]: cost that recording, shadow world and queries add to the tick of a room. It steps
// rooms of one scene in turn, one tick each, so that the load of the machine meets all alike: a plain room,
// one with a journal in memory and a shadow thread, and one that also gets a query each tick. It prints
// median and p99 of the CPU time of Room::step on the tick's thread, without a snapshot for the network.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "server/room.h"
#include "takt/server/scene_file.h"

namespace takt::server {
namespace {

/// Takes everything and keeps nothing.
class NoFiles final : public JournalStore {
 public:
  [[nodiscard]] bool write(std::span<const std::byte>) override { return true; }
};

/// CPU time of this thread: other threads and programs of the machine do not count.
double now_us() {
  timespec now{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

struct Row {
  std::string name;
  std::vector<double> us;
  void print(double plain_us) {
    std::ranges::sort(us);
    double const median = us[us.size() / 2];
    std::printf("%-28s median %8.1f us  p99 %8.1f us  %+6.2f %%\n", name.c_str(), median,
                us[us.size() * 99 / 100], 100.0 * (median / plain_us - 1.0));
  }
};

int run(const char* path, int ticks) {
  auto const scene = load_scene_file(path);
  if (!scene) return std::fprintf(stderr, "bench_room: %s\n", message(scene.error()).c_str()), 2;
  NoFiles files;
  std::vector<Row> rows(3);
  rows[0].name = "plain";
  rows[1].name = "journal and shadow";
  rows[2].name = "and a query each tick";
  std::vector<std::unique_ptr<Room>> rooms;
  for (int i = 0; i < 3; ++i) {
    rooms.push_back(std::make_unique<Room>(*Room::create(*scene, {})));
    if (i > 0 && !rooms.back()->start_journal(files, *scene, {})) return 1;
    if (i > 0) rooms.back()->start_shadow_thread();
  }
  sim::SimulationSnapshot snapshot;
  Row capture{"capture alone", {}};
  protocol::Query ray;
  ray.position = {0, std::int64_t{50} << 32, 0};
  ray.translation = {0, -100, 0};
  for (int tick = 0; tick < ticks; ++tick) {
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      if (i == 2) rooms[i]->handle_event(protocol::QueryArrived{1, {1, {ray}, 0}, 1});
      double const begin = now_us();
      (void)rooms[i]->step({.snapshot = false});
      rows[i].us.push_back(now_us() - begin);
    }
    double const begin = now_us();
    rooms[0]->simulation().capture(snapshot);
    capture.us.push_back(now_us() - begin);
    std::this_thread::sleep_for(std::chrono::milliseconds(4));  // the shadow threads work meanwhile
  }
  std::ranges::sort(rows[0].us);
  double const plain = rows[0].us[rows[0].us.size() / 2];
  for (Row& row : rows) row.print(plain);
  capture.print(plain);
  return 0;
}

}  // namespace
}  // namespace takt::server

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: bench_room SCENE [TICKS]\n"), 2;
  return takt::server::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 600);
}
