// hoops_replica URL: a client with rollback. It simulates the room with its own copy of the game, kicks its
// ball, and leaves when its world has had the server's bits for two seconds.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <variant>
#include <vector>

#include "hoops.h"
#include "takt/replica/replica_client.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: hoops_replica URL\n"), 2;
  takt::client::ReplicaClientOptions options;
  options.session.player_name = "rollback";
  options.game = [] { return std::make_unique<hoops::Hoops>(); };
  auto client = takt::client::ReplicaClient::connect(argv[1], options);
  if (!client) return std::fprintf(stderr, "hoops_replica: %s\n", message(client.error()).c_str()), 1;
  bool has_kicked = false;
  bool has_failed = false;
  double height_m = 0;
  for (int frame = 0; client->is_open() && client->stats().hashes_equal < 15 && frame < 1000; ++frame) {
    client->wait(16);
    while (auto const event = client->next_event()) {
      if (auto const* found = std::get_if<takt::client::DesyncFound>(&*event))
        std::fprintf(stderr, "hoops_replica: desync: %s\n", found->text.c_str()), has_failed = true;
      if (auto const* lost = std::get_if<takt::client::Disconnected>(&*event))
        std::fprintf(stderr, "hoops_replica: %s %s\n", lost->reason.c_str(), lost->text.c_str());
    }
    if (!client->is_playing()) continue;
    if (!has_kicked) has_kicked = client->send(takt::sim::CustomCommand{{hoops::kKick}}).ok();
    takt::sim::Simulation const& room = client->simulation();
    std::vector<takt::BodyId> bodies;
    room.world().list_bodies(bodies);
    for (takt::BodyId const body : bodies)
      if (room.owner(body) == client->player())
        height_m = std::max(height_m, room.world().view(body).position.y_m());
  }
  takt::client::ReplicaClientStats const stats = client->stats();
  client->leave();
  for (int frame = 0; client->is_open() && frame < 100; ++frame) client->wait(16);
  std::printf("%llu hashes equal, %llu different, the ball rose to %.1f m\n",
              static_cast<unsigned long long>(stats.hashes_equal),
              static_cast<unsigned long long>(stats.hashes_different), height_m);
  return !has_failed && stats.hashes_equal >= 15 && stats.hashes_different == 0 && height_m > 2 ? 0 : 1;
}
