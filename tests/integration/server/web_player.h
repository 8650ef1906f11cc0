// A player over a web socket: the protocol's own client endpoint, with its stream in binary frames. It stores
// all events.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "net/clock.h"
#include "protocol/session/client_endpoint.h"
#include "tests/integration/server/web_socket.h"

namespace takt::server::test {

class WebPlayer {
 public:
  /// Asks to join, with these further header lines.
  explicit WebPlayer(int port, const std::string& headers = {}, int receive_buffer_bytes = 0)
      : socket(port, receive_buffer_bytes), status(socket.upgrade(headers)), endpoint(options()) {
    endpoint.connect(net::now_us());
    send();
  }
  /// Likewise with TLS.
  WebPlayer(int port, const TlsClient& tls)
      : socket(port, tls), status(socket.upgrade()), endpoint(options()) {
    endpoint.connect(net::now_us());
    send();
  }
  /// Plays until `done` or for `seconds`; true when done.
  bool play_until(const std::function<bool()>& done, double seconds = 20) {
    std::uint64_t const until_us = net::now_us() + static_cast<std::uint64_t>(seconds * 1e6);
    while (!done()) {
      if (net::now_us() > until_us) return false;
      if (auto const frame = socket.read_frame(0.01)) {
        if (frame->opcode == 2)
          endpoint.handle_stream_bytes(net::now_us(), std::as_bytes(std::span(frame->payload)));
        if (frame->opcode == 8) {
          close_code = frame->close_code();
          endpoint.handle_stream_closed(net::now_us());
        }
        if (frame->opcode == 9) socket.send_frame(10, frame->payload);
      }
      send();
      take_events();
    }
    return true;
  }
  void play_for(double seconds) {
    (void)play_until([] { return false; }, seconds);
  }
  /// Asks and waits for the answer.
  protocol::ControlResult control(protocol::ControlAction action, float speed = 1, std::uint64_t tick = 0,
                                  const std::string& scene = {}) {
    results.clear();
    (void)endpoint.send_control(net::now_us(), {0, action, speed, tick, scene});
    (void)play_until([this] { return !results.empty(); });
    return results.empty() ? protocol::ControlResult{0, protocol::ControlStatus::kFailed, "no answer"}
                           : results.back();
  }

  WebSocket socket;
  std::string status;
  protocol::ClientEndpoint endpoint;
  std::optional<protocol::RoomState> room;
  std::optional<protocol::ServerStats> stats;
  std::optional<protocol::Disconnected> ending;
  std::vector<protocol::ControlResult> results;
  std::vector<protocol::Contacts> contacts;
  std::size_t bodies_added = 0;  // in the present epoch
  std::uint64_t snapshots = 0;
  int close_code = 0;

 private:
  static protocol::ClientOptions options() {
    protocol::ClientOptions out;
    out.transport = protocol::TransportKind::kWebSocket;
    out.player_name = "web";
    return out;
  }
  void send() {
    std::vector<std::byte> bytes;
    if (endpoint.poll_stream(net::now_us(), 8192, bytes) > 0)
      socket.send_frame(2, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  void take_events() {
    protocol::ClientEvent event;
    while (endpoint.poll_event(event)) {
      if (auto const* one = std::get_if<protocol::RoomChanged>(&event)) {
        if (one->is_new_world) bodies_added = 0;
        room = one->room;
      }
      if (auto const* one = std::get_if<protocol::ServerStats>(&event)) stats = *one;
      if (auto const* one = std::get_if<protocol::Disconnected>(&event)) ending = *one;
      if (auto const* one = std::get_if<protocol::ControlResult>(&event)) results.push_back(*one);
      if (auto const* one = std::get_if<protocol::Contacts>(&event)) contacts.push_back(*one);
      if (auto const* one = std::get_if<protocol::BodiesAdded>(&event)) bodies_added += one->bodies.size();
      if (std::holds_alternative<protocol::SnapshotArrived>(event)) ++snapshots;
    }
  }
};

}  // namespace takt::server::test
