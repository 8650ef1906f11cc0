// A server with a Game of its own, and a client that plays it, in one program: the client joins, puffs until
// its balloon scores and its puffs are used up, and prints what the game tells. `balloons serve [FOLDER]`
// hosts the game for others until it is stopped; FOLDER has the files of the viewer.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

#include "balloons.h"
#include "takt/client/client.h"
#include "takt/server/host.h"
#include "takt/server/log.h"
#include "takt/sim/scene.h"

namespace {

int wait_for_players(takt::server::Host& host) {
  std::printf("balloons on UDP and TCP port %u, http://127.0.0.1:%u/\n", host.port(), host.http_port());
  std::fflush(stdout);
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

// True when the balloon scored, and the sixth puff was refused with the game's words.
bool play(takt::server::Host& host) {
  auto client = takt::client::Client::connect("udp://127.0.0.1:" + std::to_string(host.port()));
  bool has_scored = false;
  bool was_refused = false;
  for (int puffs = 0; client && client->is_open() && client->render_tick() < 540;) {
    client->wait(5);
    while (auto const event = client->next_event()) {
      if (auto const* message = std::get_if<takt::client::GameMessage>(&*event)) {
        std::printf("%s\n", std::string(message->text()).c_str());
        has_scored |= message->text().starts_with("score player " + std::to_string(client->player()));
      } else if (auto const* outcome = std::get_if<takt::client::CommandOutcome>(&*event)) {
        if (outcome->refusal != takt::sim::Refusal::kGameRefused) continue;
        std::printf("refused: %s\n", outcome->text.c_str());
        was_refused = outcome->text == "no puffs are left in this round";
      }
    }
    bool const is_time = client->is_joined() && client->render_tick() > 20 * (puffs + 1);
    if (is_time && puffs < 6 && client->send(takt::sim::CustomCommand{{balloons::kPuff}})) ++puffs;
    if (has_scored && was_refused) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  auto const scene = takt::sim::load_scene(balloons::scene_json(), "built in");
  if (!scene) return std::fprintf(stderr, "%s\n", message(scene.error()).c_str()), 1;
  bool const is_host = argc > 1 && std::string_view(argv[1]) == "serve";
  takt::server::start_log(is_host ? takt::server::LogLevel::kInfo : takt::server::LogLevel::kWarning);
  takt::server::HostOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  if (is_host) {
    options.http.emplace();
    options.http->bind_address = "127.0.0.1";
    options.http->port = 0;
    if (argc > 2) options.http->viewer_directory = argv[2];
  }
  auto const host = takt::server::Host::open(options, *scene, std::make_unique<balloons::Balloons>());
  if (!host) return std::fprintf(stderr, "%s\n", message(host.error()).c_str()), 1;
  if (is_host) return wait_for_players(**host);
  return play(**host) ? 0 : 1;
}
