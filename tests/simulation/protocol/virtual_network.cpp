#include "tests/simulation/protocol/virtual_network.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "tests/unit/protocol/session_tap.h"

namespace takt::protocol::test {
namespace {

constexpr std::uint64_t kStepUs = 1000;

// The address of a datagram on its way, as a tag of the simulator: it is that of the time of sending.
std::uint64_t tag_of(const Address& address) {
  std::uint64_t tag = address.port;
  for (std::size_t i = 12; i < 16; ++i) tag = tag << 8 | address.ip[i];
  return tag;
}
Address address_of(std::uint64_t tag) {
  auto const byte = [&](unsigned i) { return static_cast<std::uint8_t>(tag >> (8 * i)); };
  return Address::from_ipv4(byte(3), byte(2), byte(1), byte(0), static_cast<std::uint16_t>(tag >> 32));
}

void push(StreamPipe& pipe, std::uint64_t now_us, std::vector<std::byte> bytes) {
  pipe.held_bytes += bytes.size();
  pipe.chunks.emplace_back(now_us + pipe.delay_us, std::move(bytes));
}

}  // namespace

VirtualNetwork::VirtualNetwork(const ServerOptions& options, std::uint64_t seed)
    : options_(options),
      server_(options, SecretKey{seed * 0x9e3779b97f4a7c15ull + 1, seed ^ 0xd1b54a32d192ed03ull},
              test_seeds()),
      seed_(seed) {}

VirtualNetwork::Client& VirtualNetwork::add_client(ClientOptions options, const Impairment& impairment) {
  auto client = std::make_unique<Client>();
  auto const number = static_cast<std::uint8_t>(clients_.size() + 1);
  options.nonce = seed_ * 1000 + number;
  options.key_seed = client_seed(number);
  client->transport = options.transport;
  client->address = Address::from_ipv4(10, 0, 0, number, static_cast<std::uint16_t>(40'000 + number));
  client->endpoint = std::make_unique<ClientEndpoint>(options);
  client->up = std::make_unique<PacketSimulator>(impairment, seed_ * 2 + 1 + 1000u * number);
  client->down = std::make_unique<PacketSimulator>(impairment, seed_ * 2 + 2 + 1000u * number);
  client->stream_up.delay_us = impairment.delay_us;
  client->stream_down.delay_us = impairment.delay_us;
  clients_.push_back(std::move(client));
  return *clients_.back();
}

void VirtualNetwork::connect_all() {
  for (auto& client : clients_) {
    if (client->endpoint->state() != ClientState::kIdle) continue;
    client->endpoint->connect(now_us_);
    if (client->transport != TransportKind::kStream) continue;
    client->stream = server_.handle_stream_open(now_us_, client->address);
    client->stream_open = !client->stream.is_null();
  }
}

double VirtualNetwork::exact_tick() const noexcept {
  return static_cast<double>(now_us_ - started_us_) * 1e-6 * options_.tick_rate_hz;
}

void VirtualNetwork::run_for(std::uint64_t us) {
  for (std::uint64_t const until = now_us_ + us; now_us_ < until;) step();
}

bool VirtualNetwork::run_until(std::uint64_t us, const std::function<bool()>& done) {
  for (std::uint64_t const until = now_us_ + us; now_us_ < until;) {
    if (done()) return true;
    step();
  }
  return done();
}

void VirtualNetwork::step() {
  now_us_ += kStepUs;
  auto const due = static_cast<std::uint64_t>(exact_tick());
  while (tick_ < due) {
    ++tick_;
    server_.handle_tick(now_us_, tick_);
    if (on_tick) on_tick(tick_);
  }
  for (auto& client : clients_) {
    if (client->transport == TransportKind::kStream) {
      move_stream(*client);
    } else {
      move_datagrams(*client);
    }
  }
  move_server_datagrams();
  read_events();
  for (auto& client : clients_) read_client_events(*client);
}

void VirtualNetwork::move_datagrams(Client& client) {
  PacketSimulator::Packet packet;
  while (client.down->poll_packet(now_us_, packet))
    if (packet.tag == tag_of(client.address)) client.endpoint->handle_datagram(now_us_, packet.bytes);
  std::vector<std::byte> out;
  while (client.endpoint->poll_datagram(now_us_, out)) {
    if (record) recorded.push_back({client.address, out});
    client.up->handle_packet(now_us_, tag_of(client.address), out);
  }
  while (client.up->poll_packet(now_us_, packet))
    server_.handle_datagram(now_us_, address_of(packet.tag), packet.bytes);
}

void VirtualNetwork::move_server_datagrams() {
  OutgoingDatagram out;
  while (server_.poll_datagram(now_us_, out)) {
    auto const to = std::find_if(clients_.begin(), clients_.end(),
                                 [&](const auto& client) { return client->address == out.to; });
    if (to == clients_.end()) {
      bytes_to_strangers += out.bytes.size();
      continue;
    }
    (*to)->down->handle_packet(now_us_, tag_of(out.to), out.bytes);
  }
}

void VirtualNetwork::move_stream(Client& client) {
  if (!client.stream_open) return;
  auto const deliver = [&](StreamPipe& pipe, auto&& handle) {
    while (!pipe.reader_stalled && !pipe.chunks.empty() && pipe.chunks.front().first <= now_us_) {
      if (!client.half_open) handle(pipe.chunks.front().second);
      pipe.held_bytes -= pipe.chunks.front().second.size();
      pipe.chunks.pop_front();
    }
  };
  std::vector<std::byte> bytes;
  std::size_t const room_up =
      client.stream_up.buffer_bytes - std::min(client.stream_up.buffer_bytes, client.stream_up.held_bytes);
  if (client.endpoint->poll_stream(now_us_, room_up, bytes) > 0)
    push(client.stream_up, now_us_, std::move(bytes));
  bytes = {};
  std::size_t const room_down = client.stream_down.buffer_bytes -
                                std::min(client.stream_down.buffer_bytes, client.stream_down.held_bytes);
  if (server_.poll_stream(now_us_, client.stream, room_down, bytes) > 0)
    push(client.stream_down, now_us_, std::move(bytes));
  deliver(client.stream_up,
          [&](const auto& chunk) { server_.handle_stream_bytes(now_us_, client.stream, chunk); });
  deliver(client.stream_down,
          [&](const auto& chunk) { client.endpoint->handle_stream_bytes(now_us_, chunk); });
  if (client.endpoint->wants_close() && client.stream_up.chunks.empty() && !client.half_open) {
    server_.handle_stream_closed(now_us_, client.stream);
    client.stream_open = false;
  }
  while (!server_.poll_writable_stream().is_null()) {
  }
  for (StreamId closing = server_.poll_closing_stream(); !closing.is_null();
       closing = server_.poll_closing_stream()) {
    for (auto& one : clients_) {
      if (one->transport != TransportKind::kStream || one->stream != closing) continue;
      bytes = {};
      while (server_.poll_stream(now_us_, closing, 1 << 20, bytes) > 0) {
      }
      // A closing socket still delivers what is on its way.
      push(one->stream_down, now_us_, std::move(bytes));
      for (auto const& chunk : one->stream_down.chunks)
        if (!one->half_open) one->endpoint->handle_stream_bytes(now_us_, chunk.second);
      one->stream_down.chunks.clear();
      server_.handle_stream_closed(now_us_, closing);
      if (!one->half_open) one->endpoint->handle_stream_closed(now_us_);
      one->stream_open = false;
    }
  }
}

void VirtualNetwork::read_events() {
  ServerEvent event;
  while (server_.poll_event(event)) {
    if (auto const* one = std::get_if<PlayerJoined>(&event)) joined.push_back(*one);
    if (auto const* one = std::get_if<PlayerLeft>(&event)) left.push_back(*one);
    if (auto const* one = std::get_if<InputsArrived>(&event)) inputs.push_back(*one);
  }
}

void VirtualNetwork::read_client_events(Client& client) {
  ClientEvent event;
  while (client.endpoint->poll_event(event)) {
    std::visit(
        [&](auto& one) {
          using Event = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<Event, Connected>) {
            client.connected = true;
            client.accept = one.accept;
          } else if constexpr (std::is_same_v<Event, Disconnected>) {
            client.over = true;
            client.ending = one;
          } else if constexpr (std::is_same_v<Event, SnapshotArrived>) {
            ++client.snapshots;
          } else if constexpr (std::is_same_v<Event, RoomChanged>) {
            client.epoch = one.room.epoch;
          } else if constexpr (std::is_same_v<Event, JoinImageArrived>) {
            client.join_image = std::move(one.bytes);
            ++client.join_images;
          } else if constexpr (std::is_same_v<Event, BodiesAdded>) {
            client.bodies_added.insert(client.bodies_added.end(), one.bodies.begin(), one.bodies.end());
          } else if constexpr (std::is_same_v<Event, GeometryArrived>) {
            client.geometries.push_back(std::move(one));
            client.bodies_before_geometries = client.bodies_added.size();
          } else if constexpr (std::is_same_v<Event, BodiesRemoved>) {
            client.bodies_removed.insert(client.bodies_removed.end(), one.ids.begin(), one.ids.end());
          } else if constexpr (std::is_same_v<Event, InputsAcknowledged>) {
            client.last_margin = one.margin_ticks;
          } else if constexpr (std::is_same_v<Event, CommandOutcomes>) {
            client.outcomes.insert(client.outcomes.end(), one.outcomes.begin(), one.outcomes.end());
          } else if constexpr (std::is_same_v<Event, GameEvent>) {
            client.game_events.push_back(std::move(one.bytes));
          }
        },
        event);
  }
}

}  // namespace takt::protocol::test
