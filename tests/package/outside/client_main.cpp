// hoops_client URL: a thin client. It joins, kicks its ball until the game tells it a score, and leaves.
#include <cstdio>
#include <string>
#include <variant>

#include "takt/client/client.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: hoops_client URL\n"), 2;
  auto client = takt::client::Client::connect(argv[1]);
  if (!client) return std::fprintf(stderr, "hoops_client: %s\n", message(client.error()).c_str()), 1;
  std::string score;
  double next_kick_tick = 0;
  for (int frame = 0; client->is_open() && score.empty() && frame < 1000; ++frame) {
    client->wait(16);
    while (auto const event = client->next_event()) {
      if (auto const* lost = std::get_if<takt::client::Disconnected>(&*event))
        std::fprintf(stderr, "hoops_client: %s %s\n", lost->reason.c_str(), lost->text.c_str());
      if (auto const* message = std::get_if<takt::client::GameMessage>(&*event)) score = message->text();
    }
    for (const takt::client::Body& body : client->bodies()) {
      if (body.player != client->player()) continue;
      if (client->render_tick() < next_kick_tick) continue;
      if (client->send(takt::sim::CustomCommand{{std::byte{1}}})) next_kick_tick = client->render_tick() + 60;
    }
  }
  client->leave("the round is over");
  for (int frame = 0; client->is_open() && frame < 100; ++frame) client->wait(16);
  std::printf("the game said: %s\n", score.empty() ? "nothing" : score.c_str());
  return score == "score 1" ? 0 : 1;
}
