// hoops_client URL: a thin client. It joins, kicks its ball until the ball has been through the hoop, and
// leaves.
#include <cstdio>
#include <variant>

#include "takt/client/client.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: hoops_client URL\n"), 2;
  auto client = takt::client::Client::connect(argv[1]);
  if (!client) return std::fprintf(stderr, "hoops_client: %s\n", client.error().detail.c_str()), 1;
  double highest_m = 0;
  double next_kick_tick = 0;
  for (int frame = 0; client->is_open() && highest_m < 2 && frame < 1000; ++frame) {
    client->wait(16);
    while (auto const event = client->next_event())
      if (auto const* lost = std::get_if<takt::client::Disconnected>(&*event))
        std::fprintf(stderr, "hoops_client: %s %s\n", lost->reason.c_str(), lost->text.c_str());
    for (const takt::client::Body& body : client->bodies()) {
      if (body.player != client->player()) continue;
      if (body.position.y_m() > highest_m) highest_m = body.position.y_m();
      if (client->render_tick() < next_kick_tick) continue;
      if (client->send(takt::sim::CustomCommand{{std::byte{1}}})) next_kick_tick = client->render_tick() + 60;
    }
  }
  client->leave("the round is over");
  for (int frame = 0; client->is_open() && frame < 100; ++frame) client->wait(16);
  std::printf("the ball flew through the hoop: %s\n", highest_m < 2 ? "no" : "yes");
  return highest_m < 2 ? 1 : 0;
}
