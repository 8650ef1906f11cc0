// Round trips of the simulation service, in one process per side: step and observation of two boxes over
// shared memory, a Unix socket and TCP, one and sixteen outstanding, beside raw messages of 64 bytes in rings
// and on sockets of the same kind; and step(100) and a batch of 64 worlds beside those of this process. Rows
// are medians of five parts.
//
//     bench_service [ROUND_TRIPS of a part, default 20000]
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "service/client/service_client.h"
#include "service/client/shared_rings.h"
#include "service/service_host.h"
#include "takt/core/assert.h"

namespace {

using namespace takt::service;

constexpr std::string_view kScene = R"({ "title": "Two boxes", "world": { "allow_sleep": false }, "bodies": [
  { "name": "ground", "type": "static", "shapes": [{ "half_space": {} }] },
  { "name": "low", "position": [0, 0.5, 0], "shapes": [{ "box": {} }] },
  { "name": "high", "position": [0.2, 1.6, 0], "shapes": [{ "box": {} }] } ] })";

// Median seconds of five parts.
double median_s(const std::function<void()>& part) {
  std::array<double, 5> seconds{};
  part();
  for (double& one : seconds) {
    auto const begin = std::chrono::steady_clock::now();
    part();
    one = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  std::ranges::sort(seconds);
  return seconds[2];
}

// The calling thread on one of its processors, until the end of the scope.
class OnProcessor {
 public:
  explicit OnProcessor(int which) {
    TAKT_ASSERT(::sched_getaffinity(0, sizeof before_, &before_) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0, left = which % CPU_COUNT(&before_); cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &before_) && left-- == 0) CPU_SET(cpu, &one);
    }
    TAKT_ASSERT(::sched_setaffinity(0, sizeof one, &one) == 0);
  }
  ~OnProcessor() { (void)::sched_setaffinity(0, sizeof before_, &before_); }
  OnProcessor(const OnProcessor&) = delete;
  OnProcessor& operator=(const OnProcessor&) = delete;

 private:
  cpu_set_t before_;
};

// Median seconds of 25 parts of each in turn, with this thread on one processor and then on another; the mean
// of the two medians. Both meet the same changes of the processors' speeds. A service mostly has the one of
// two processors that this thread has not, so both compute on either.
std::array<double, 2> medians_in_turn_s(const std::function<void(int which)>& part) {
  constexpr std::size_t kParts = 25;
  std::array<double, 2> means{};
  for (int processor = 0; processor < 2; ++processor) {
    OnProcessor const here(processor);
    std::array<std::array<double, kParts>, 2> seconds{};
    for (std::size_t i = 0; i < kParts; ++i) {
      for (int which = 0; which < 2; ++which) {
        auto const begin = std::chrono::steady_clock::now();
        part(which);
        seconds[static_cast<std::size_t>(which)][i] =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      }
    }
    for (std::size_t which = 0; which < 2; ++which) {
      std::ranges::sort(seconds[which]);
      means[which] += 0.5 * seconds[which][kParts / 2];
    }
  }
  return means;
}

void print(const char* name, int count, double seconds, double raw_s = 0) {
  std::printf("%-44s %8.1f us %9.0f /s", name, 1e6 * seconds / count, count / seconds);
  if (raw_s > 0) std::printf("  %.2f x raw", seconds / raw_s);
  std::printf("\n");
  std::fflush(stdout);
}

constexpr std::size_t kRawBytes = 64;

bool pass(int socket, bool is_send) {
  std::array<char, kRawBytes> bytes{};
  std::size_t done = 0;
  while (done < bytes.size()) {
    ssize_t const count = is_send ? ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL)
                                  : ::recv(socket, bytes.data() + done, bytes.size() - done, 0);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// A message through rings.
bool pass(SharedRings& rings, bool is_send) {
  std::array<std::byte, kRawBytes> bytes{};
  std::size_t done = 0;
  while (done < bytes.size()) {
    std::size_t const count =
        is_send ? rings.write(std::span(bytes).subspan(done)) : rings.read(std::span(bytes).subspan(done));
    done += count;
    if (count == 0 && is_send) return false;  // the ring is never full
    if (count == 0) (void)rings.wait_for_bytes(std::chrono::seconds(1));
  }
  return true;
}

// A pair of connected TCP sockets on loopback.
std::array<int, 2> tcp_pair() {
  int const listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  TAKT_ASSERT(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
              ::listen(listener, 1) == 0);
  TAKT_ASSERT(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  int const client = ::socket(AF_INET, SOCK_STREAM, 0);
  TAKT_ASSERT(::connect(client, reinterpret_cast<sockaddr*>(&address), size) == 0);
  int const server = ::accept(listener, nullptr, nullptr);
  int const on = 1;
  for (int const socket : {client, server})
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::close(listener);
  return {client, server};
}

// The other process: a service, and an echo on each of two raw sockets and on rings. Its doors go to `out`.
[[noreturn]] void run_other_side(const std::string& path, int out, int unix_socket, int tcp_socket,
                                 int memory) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::thread([memory, unix_socket] {
    auto const rings = SharedRings::open(memory, {}, unix_socket);
    TAKT_ASSERT(rings.ok());
    while (pass(**rings, false) && pass(**rings, true)) {
    }
  }).detach();
  for (int const socket : {unix_socket, tcp_socket}) {
    std::thread([socket] {
      while (pass(socket, false) && pass(socket, true)) {
      }
    }).detach();
  }
  ServiceOptions options;
  options.doors = {*parse_door("unix:" + path), *parse_door("tcp:127.0.0.1:0")};
  auto const host = ServiceHost::open(std::move(options));
  TAKT_ASSERT(host.ok());
  std::string const door = text_of((*host)->doors()[1]) + '\n';
  TAKT_ASSERT(::write(out, door.data(), door.size()) == static_cast<ssize_t>(door.size()));
  while (true) ::pause();
}

Target make_world(ServiceClient& client) {
  auto const made = client.call({}, 0, [](auto& b) {
    return wire::CreateNewWorlds(
        b, b.CreateVector(reinterpret_cast<const std::uint8_t*>(kScene.data()), kScene.size()));
  });
  TAKT_ASSERT(made.status == TAKT_OK);
  return {made.reply->handle(), kNoWorldIndex};
}

template <class Raw>
void measure(const std::string& door, const char* kind, Raw&& raw, int count) {
  double const raw_s = median_s([&] {
    for (int i = 0; i < count; ++i) TAKT_ASSERT(pass(raw, true) && pass(raw, false));
  });
  print((std::string(kind) + " raw, 64 bytes each way").c_str(), count, raw_s);
  auto const connected = ServiceClient::connect(door, {});
  TAKT_ASSERT(connected.ok());
  ServiceClient& client = **connected;
  Target const world = make_world(client);
  auto const step = [](flatbuffers::FlatBufferBuilder& b) { return wire::CreateStep(b, 1); };
  constexpr std::uint32_t kColumns = 1u << TAKT_POSITIONS | 1u << TAKT_ROTATIONS;
  double const one_s = median_s([&] {
    for (int i = 0; i < count; ++i) TAKT_ASSERT(client.call(world, kColumns, step).status == TAKT_OK);
  });
  print((std::string(kind) + " step + observe").c_str(), count, one_s, raw_s);
  constexpr int kOutstanding = 16;
  int const rounds = count / kOutstanding;
  double const many_s = median_s([&] {
    for (int i = 0; i < kOutstanding; ++i) TAKT_ASSERT(client.submit(world, kColumns, step));
    TAKT_ASSERT(client.flush());
    for (int i = 1; i < rounds * kOutstanding; ++i) {
      TAKT_ASSERT(client.receive().status == TAKT_OK);
      if (i > (rounds - 1) * kOutstanding) continue;
      TAKT_ASSERT(client.submit(world, kColumns, step));
      // Half a window in one packet: the service computes while the other half travels.
      if (i % (kOutstanding / 2) == 0) TAKT_ASSERT(client.flush());
    }
    TAKT_ASSERT(client.receive().status == TAKT_OK);
  });
  print((std::string(kind) + " step + observe, 16 outstanding").c_str(), rounds * kOutstanding, many_s,
        raw_s);
}

takt_scene* load() {
  takt_scene* scene = nullptr;
  TAKT_ASSERT(takt_scene_parse(kScene.data(), kScene.size(), "bench", 5, &scene) == TAKT_OK);
  return scene;
}

// 64 worlds: a step, and the positions of all.
void measure_batch(const std::string& door, int count) {
  takt_scene* const scene = load();
  takt_batch_options options{};
  options.size = sizeof options;
  options.world_count = 64;
  takt_batch* here = nullptr;
  takt_batch* there = nullptr;
  takt_service* service = nullptr;
  TAKT_ASSERT(takt_batch_create(scene, &options, &here) == TAKT_OK);
  TAKT_ASSERT(takt_connect(door.data(), door.size(), nullptr, 0, &service) == TAKT_OK);
  TAKT_ASSERT(takt_service_batch(service, scene, &options, &there) == TAKT_OK);
  std::array const batches{here, there};
  for (takt_batch* const batch : batches) {
    takt_view view{};
    view.size = sizeof view;
    TAKT_ASSERT(takt_batch_array(batch, TAKT_POSITIONS, &view, nullptr) == TAKT_OK);
  }
  auto const seconds = medians_in_turn_s([&](int which) {
    for (int k = 0; k < count; ++k)
      TAKT_ASSERT(takt_batch_step(batches[static_cast<std::size_t>(which)], 1, nullptr) == TAKT_OK);
  });
  print("64 worlds in this process", count, seconds[0]);
  print("64 worlds over shared memory", count, seconds[1]);
  std::printf("64 worlds have %.1f %% of the speed in this process\n", 100 * seconds[0] / seconds[1]);
}

void measure_hundred(const std::string& door, int count) {
  takt_scene* const scene = load();
  takt_world* here = nullptr;
  TAKT_ASSERT(takt_world_create(scene, nullptr, &here) == TAKT_OK);
  takt_service* service = nullptr;
  TAKT_ASSERT(takt_connect(door.data(), door.size(), nullptr, 0, &service) == TAKT_OK);
  takt_world* there = nullptr;
  TAKT_ASSERT(takt_service_world(service, scene, nullptr, &there) == TAKT_OK);
  std::array const worlds{here, there};
  for (takt_world* const world : worlds) {
    takt_view view{};
    view.size = sizeof view;
    TAKT_ASSERT(takt_world_array(world, TAKT_POSITIONS, &view, nullptr) == TAKT_OK);
  }
  auto const seconds = medians_in_turn_s([&](int which) {
    for (int k = 0; k < count; ++k)
      TAKT_ASSERT(takt_world_step(worlds[static_cast<std::size_t>(which)], 100) == TAKT_OK);
  });
  print("step(100) in this process", count, seconds[0]);
  print("step(100) over Unix", count, seconds[1]);
  std::printf("step(100) has %.1f %% of the speed in this process\n", 100 * seconds[0] / seconds[1]);
}

}  // namespace

int main(int argc, char** argv) {
  int const count = argc > 1 ? std::max(std::atoi(argv[1]), 16) : 20'000;
  std::string const path = "bench-service-" + std::to_string(::getpid()) + ".sock";
  std::array<int, 2> unix_pair{};
  std::array<int, 2> pipe{};
  TAKT_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM, 0, unix_pair.data()) == 0 && ::pipe(pipe.data()) == 0);
  auto const raw_tcp = tcp_pair();
  auto const raw_rings = SharedRings::create({});
  TAKT_ASSERT(raw_rings.ok());
  pid_t const child = ::fork();
  TAKT_ASSERT(child >= 0);
  if (child == 0) run_other_side(path, pipe[1], unix_pair[1], raw_tcp[1], (*raw_rings)->memory());
  std::array<char, 128> text{};
  ssize_t const bytes = ::read(pipe[0], text.data(), text.size());
  TAKT_ASSERT(bytes > 1);
  std::string const tcp(text.data(), static_cast<std::size_t>(bytes) - 1);
  measure("shm:" + path, "shared memory", **raw_rings, count);
  measure("unix:" + path, "Unix", unix_pair[0], count);
  measure(tcp, "TCP", raw_tcp[0], count);
  measure_hundred("unix:" + path, std::max(count / 1000, 1));
  measure_batch("shm:" + path, std::max(count / 500, 1));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::unlink(path.c_str());
  return 0;
}
