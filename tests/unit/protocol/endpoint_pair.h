// EndpointPair is a server endpoint and a client endpoint that have connected over a perfect wire, and what a
// test needs to put datagrams of its own beside the client's.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "protocol/messages/message_writer.h"
#include "protocol/session/client_endpoint.h"
#include "protocol/session/server_endpoint.h"
#include "protocol/wire/datagram.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::protocol::test {

inline constexpr SecretKey kSecret{11, 22};
inline Address const kHome = Address::from_ipv4(192, 0, 2, 1, 4000);

/// A connected pair: the real handshake between two endpoints over a perfect wire.
class EndpointPair : public testing::Test {
 protected:
  EndpointPair() : EndpointPair(ServerOptions{}) {}
  explicit EndpointPair(const ServerOptions& options, const ClientOptions& client_options = {})
      : server(options, kSecret, test_seeds()),
        client(seeded(client_options)),
        tap(*seeded(client_options).key_seed) {
    client.connect(now_us);
    for (int i = 0; i < 8; ++i) exchange();
    ServerEvent event;
    while (server.poll_event(event)) {
    }
    ClientEvent client_event;
    while (client.poll_event(client_event))
      if (auto const* connected = std::get_if<Connected>(&client_event)) accept = connected->accept;
  }
  void exchange() {
    now_us += 1000;
    std::vector<std::byte> out;
    while (client.poll_datagram(now_us, out)) {
      last_from_client = out;
      tap.see(out);
      server.handle_datagram(now_us, kHome, out);
    }
    OutgoingDatagram from_server;
    while (server.poll_datagram(now_us, from_server)) {
      tap.see(from_server.bytes);
      client.handle_datagram(now_us, from_server.bytes);
    }
  }
  /// To the server, sealed as the client would.
  void send_as_client(std::span<const std::byte> sections, std::optional<AckBlock> acks = std::nullopt) {
    server.handle_datagram(now_us, kHome, tap.from_client(sections, acks));
  }
  /// To the client, sealed as the server would.
  void send_as_server(std::span<const std::byte> sections) {
    client.handle_datagram(now_us, tap.from_server(sections));
  }
  std::vector<std::byte> section_of(const Message& message) const {
    MessageWriter writer;
    std::vector<std::byte> out;
    write_section({SectionKind::kMessage, false, 0, writer.write(message)}, out);
    return out;
  }
  std::uint64_t at_server(Counter counter) const { return server.counters()[counter]; }
  std::uint64_t at_client(Counter counter) const { return client.counters()[counter]; }

  std::uint64_t now_us = 1'000'000;
  ServerEndpoint server;
  ClientEndpoint client;
  SessionTap tap;
  Accept accept;
  std::vector<std::byte> last_from_client;
};

}  // namespace takt::protocol::test
