#include <cstdio>
#include <variant>

#include "takt/client/client.h"

int main(int argc, char** argv) {
  auto client = takt::client::Client::connect(argc > 1 ? argv[1] : "udp://127.0.0.1:7777");
  if (!client) return 1;
  for (int frame = 0; client->is_open() && frame < 600; ++frame) {
    client->wait(16);  // milliseconds; a game calls poll() once a frame
    for (const takt::client::Body& body : client->bodies())
      std::printf("tick %.1f body %u height %.3f m\n", client->render_tick(), body.id.index,
                  body.position.y_m());
  }
  while (auto const event = client->next_event())
    if (auto const* lost = std::get_if<takt::client::Disconnected>(&*event))
      std::fprintf(stderr, "disconnected: %s\n", lost->reason.c_str());
}
