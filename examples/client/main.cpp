#include <cstdio>

#include "takt/client/client.h"

int main(int argc, char** argv) {
  auto client = takt::client::Client::connect(argc > 1 ? argv[1] : "udp://127.0.0.1:7777");
  while (client && client->is_open() && client->render_tick() < 600) {
    client->wait(16);  // milliseconds; a game calls poll() once a frame
    for (const takt::client::Body& body : client->bodies())
      std::printf("tick %.1f body %u height %.3f m\n", client->render_tick(), body.id.index,
                  body.position.y_m());
  }
}
