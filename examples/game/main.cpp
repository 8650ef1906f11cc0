// A server with a Game of its own and a client that plays it, in one program: joins, puffs its balloon four
// times, and prints how high it flew.
#include <cstdio>

#include "balloons.h"
#include "takt/client/client.h"
#include "takt/server/host.h"
#include "takt/sim/scene.h"

int main() {
  auto const scene = takt::sim::load_scene(
      std::string_view(
          R"({"title": "Balloons", "bodies": [{"type": "static", "shapes": [{"half_space": {}}]}]})"),
      "built in");
  if (!scene) return 1;
  takt::server::HostOptions options;
  options.port = 0;  // a free one
  auto const host = takt::server::Host::open(options, *scene, std::make_unique<balloons::Balloons>());
  if (!host) return 1;

  auto client = takt::client::Client::connect("udp://127.0.0.1:" + std::to_string((*host)->port()));
  double highest_m = 0;
  for (int puffs = 0; client && client->is_open() && client->render_tick() < 150;) {
    client->wait(5);
    if (client->is_joined() && puffs < 4 && client->render_tick() > 20 * (puffs + 1)) {
      if (client->send(takt::sim::CustomCommand{{balloons::kPuff}})) ++puffs;
    }
    for (const takt::client::Body& body : client->bodies()) {
      double const height_m = body.position.y_m();
      if (body.player == client->player() && height_m > highest_m) highest_m = height_m;
    }
  }
  std::printf("the balloon started at 3 m and flew up to %.1f m\n", highest_m);
  return highest_m > 4 ? 0 : 1;
}
