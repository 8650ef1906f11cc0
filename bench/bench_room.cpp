// bench_room SCENE [TICKS]: cost that recording, shadow world and queries add to the tick of a room. It steps
// rooms of one scene in turn, one tick each, so that the load of the machine meets all alike: a plain room,
// one with a journal in memory and a shadow thread, and one that also gets a query each tick. Another room
// begins in every tick, since the first finds the coldest caches. Ticks without an awake body do not count.
// It prints median and p99 of the CPU time of Room::step on the tick's thread, without a snapshot for the
// network, and the median over the ticks of each room's time by the plain room's.
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
  void print(const Row& plain) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < us.size(); ++i) ratios.push_back(us[i] / plain.us[i]);
    std::printf("%-28s median %8.1f us  p99 %8.1f us  %6.2f %% of the plain tick\n", name.c_str(),
                quantile(us, 0.5), quantile(us, 0.99), 100.0 * quantile(ratios, 0.5));
  }

 private:
  static double quantile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(static_cast<double>(values.size() - 1) * share)];
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
    for (std::size_t turn = 0; turn < rooms.size(); ++turn) {
      std::size_t const i = (turn + static_cast<std::size_t>(tick)) % rooms.size();
      if (i == 2) rooms[i]->handle_event(protocol::QueryArrived{1, {1, {ray}, 0}, 1});
      double const begin = now_us();
      (void)rooms[i]->step({.snapshot = false});
      rows[i].us.push_back(now_us() - begin);
    }
    double const begin = now_us();
    rooms[0]->simulation().capture(snapshot);
    capture.us.push_back(now_us() - begin);
    if (rooms[0]->stats().awake_count == 0) {
      for (Row& row : rows) row.us.pop_back();
      capture.us.pop_back();
      continue;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(4));  // the shadow threads work meanwhile
  }
  if (capture.us.empty()) return std::fprintf(stderr, "bench_room: no body is awake in %s\n", path), 2;
  std::printf("%zu ticks\n", capture.us.size());
  for (const Row& row : rows) row.print(rows[0]);
  capture.print(rows[0]);
  return 0;
}

}  // namespace
}  // namespace takt::server

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: bench_room SCENE [TICKS]\n"), 2;
  return takt::server::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 600);
}
