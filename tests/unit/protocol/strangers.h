// A server endpoint with one process's secret, to which strangers send what they like.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "protocol/link/frame.h"
#include "tests/unit/protocol/endpoint_pair.h"
#include "tests/unit/protocol/sample_messages.h"

namespace takt::protocol::test {

class Strangers : public testing::Test {
 protected:
  explicit Strangers(const ServerOptions& options = {}) : server(options, kSecret, test_seeds()) {}

  std::size_t drain() {
    OutgoingDatagram out;
    std::size_t count = 0;
    while (server.poll_datagram(now_us, out)) {
      ++count;
      last = out.bytes;
    }
    return count;
  }
  // A response with a good cookie: what a stranger can send who receives at `from`.
  void join(const Address& from, std::uint64_t nonce = 1, Role role = Role::kPlayer,
            const std::string& name = {}) {
    ConnectRequest request;
    request.nonce = nonce;
    request.role = role;
    request.player_name = name;
    server.handle_datagram(now_us, from, handshake_of(response_of(server, kSecret, now_us, from, request)));
  }
  // Joins and leaves until the address must wait.
  void spend_joins(const Address& from) {
    for (std::uint64_t nonce = 1; nonce <= AddressLimits{}.join_burst; ++nonce) {
      join(from, nonce);
      for (PlayerId const player : server.players())
        server.disconnect(now_us, player, DisconnectReason::kKicked);
    }
  }
  // Request and response of a stream; over a web socket the request alone.
  static std::vector<std::byte> join_frames(ServerEndpoint& server, std::uint64_t now_us, const Address& from,
                                            std::uint64_t nonce,
                                            TransportKind transport = TransportKind::kStream) {
    ConnectRequest request;
    request.nonce = nonce;
    MessageWriter writer;
    std::vector<std::byte> frames;
    write_frame(MessageClass::kReliable, writer.write(request), frames);
    if (transport == TransportKind::kStream)
      write_frame(MessageClass::kReliable,
                  writer.write(response_of(server, kSecret, now_us, from, request, nullptr, transport)),
                  frames);
    return frames;
  }
  std::vector<std::byte> join_frames(const Address& from, std::uint64_t nonce) {
    return join_frames(server, now_us, from, nonce);
  }
  std::set<std::string> texts_of_refusals() {
    std::set<std::string> texts;
    OutgoingDatagram out;
    MessageReader reader;
    while (server.poll_datagram(now_us, out)) {
      auto const message = reader.read(*read_handshake(out.bytes), MessageClass::kDatagram);
      if (!message) continue;
      if (auto const* refuse = std::get_if<Refuse>(&*message)) texts.insert(refuse->text);
    }
    return texts;
  }

  std::uint64_t now_us = 1'000'000;
  ServerEndpoint server;
  std::vector<std::byte> last;
};

}  // namespace takt::protocol::test
