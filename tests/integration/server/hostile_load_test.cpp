// Hostile clients against the real program, bounded in number and time and on loopback alone. During each
// attack a newcomer must join, and the server must go on. The status lines of the server are printed as
// properties, because times of a tick depend on the machine.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/client_transport.h"
#include "net/clock.h"
#include "net/entropy.h"
#include "protocol/session/client_endpoint.h"
#include "protocol/wire/datagram.h"
#include "takt/client/client.h"
#include "tests/integration/server/serve.h"

namespace takt::server::test {
namespace {

constexpr double kAttackS = 2;

class Socket {
 public:
  Socket(int type, int port, bool waits = true) : descriptor_(::socket(AF_INET, type, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    if (!waits) ::fcntl(descriptor_, F_SETFL, O_NONBLOCK);
  }
  ~Socket() { ::close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  void send(std::span<const std::byte> bytes) const {
    (void)::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  std::size_t receive(std::span<std::byte> into) const {
    ssize_t const bytes = ::recv(descriptor_, into.data(), into.size(), 0);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  }
  bool is_open = false;

 private:
  int descriptor_;
};

std::vector<std::byte> datagram_of(const protocol::DatagramHeader& header, std::span<const std::byte> body) {
  std::vector<std::byte> out(protocol::kDatagramHeaderBytes);
  protocol::write_header(header, std::span<std::byte, protocol::kDatagramHeaderBytes>(
                                     out.data(), protocol::kDatagramHeaderBytes));
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

/// A session over a socket of its own, which then sends whatever it likes.
class RawSession {
 public:
  explicit RawSession(int port) : socket(SOCK_DGRAM, port, false), endpoint_(options()) {
    endpoint_.connect(net::now_us());
    for (int i = 0; i < 2000 && !accept; ++i) {
      turn();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void leave() {
    endpoint_.disconnect(net::now_us());
    for (int i = 0; i < 5; ++i) {
      turn();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  void turn() {
    std::vector<std::byte> out;
    while (endpoint_.poll_datagram(net::now_us(), out)) socket.send(out);
    std::vector<std::byte> in(2048);
    for (std::size_t bytes = 0; (bytes = socket.receive(in)) > 0;) {
      auto const datagram = std::span<const std::byte>(in).first(bytes);
      if (auto const header = protocol::read_header(datagram)) newest = std::max(newest, header->sequence);
      endpoint_.handle_datagram(net::now_us(), datagram);
    }
    protocol::ClientEvent event;
    while (endpoint_.poll_event(event))
      if (auto const* connected = std::get_if<protocol::Connected>(&event)) accept = connected->accept;
  }
  void send(std::span<const std::byte> body, std::uint32_t ack = 0) {
    protocol::DatagramHeader header;
    header.session = accept ? accept->session : 0;
    header.sequence = sequence_++;
    if (ack != 0) {
      header.flags = protocol::kDatagramFlagAckValid;
      header.ack = ack;
      header.ack_bits = ~0ull;
    }
    socket.send(datagram_of(header, body));
  }

  Socket socket;
  std::optional<protocol::Accept> accept;
  std::uint32_t newest = 0;  // sequence that arrived

 private:
  static protocol::ClientOptions options() {
    protocol::ClientOptions options;
    options.nonce = net::draw_nonce();
    return options;
  }
  protocol::ClientEndpoint endpoint_;
  std::uint32_t sequence_ = 1000;
};

class HostileLoad : public testing::Test {
 protected:
  HostileLoad() : serve({"--scene", kScenes + "cubes.json", "--players", "64"}) {}

  /// Time until a newcomer has joined over this transport, s.
  double join_s(const std::string& scheme) {
    std::uint64_t const began_us = net::now_us();
    auto opened = client::Client::connect(scheme + "://" + serve.address());
    EXPECT_TRUE(opened.ok());
    while (opened && !opened->is_joined() && opened->is_open()) opened->wait(5);
    EXPECT_TRUE(opened && opened->is_joined()) << scheme;
    double const seconds = static_cast<double>(net::now_us() - began_us) * 1e-6;
    if (opened) opened->leave();
    while (opened && opened->is_open()) opened->wait(5);
    return seconds;
  }
  /// Runs the attack on a thread of its own; meanwhile newcomers join.
  void attack(const std::string& name, const std::function<void(const std::atomic<bool>&)>& work) {
    std::atomic<bool> stops = false;
    std::thread attacker([&] { work(stops); });
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    double slowest_s = 0;
    for (std::uint64_t const until_us = net::now_us() + static_cast<std::uint64_t>(kAttackS * 1e6);
         net::now_us() < until_us;) {
      slowest_s = std::max({slowest_s, join_s("udp"), join_s("tcp")});
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    std::string const status = last_status();
    stops = true;
    attacker.join();
    RecordProperty(name + "_join_ms", static_cast<int>(1000 * slowest_s));
    std::printf("%s: newcomers joined within %.0f ms\n%s", name.c_str(), 1000 * slowest_s, status.c_str());
    EXPECT_FALSE(status.empty()) << serve.program.output();
    EXPECT_LT(slowest_s, 1.0) << name;
    EXPECT_TRUE(serve.program.is_running());
  }
  std::string last_status() {
    (void)serve.program.wait_for("no such text", 1.1);
    std::string const& out = serve.program.output();
    std::size_t const at = out.rfind("{\"event\":\"status\"");
    return at == std::string::npos ? "" : out.substr(at, out.find('\n', at) - at + 1);
  }

  Serve serve;
};

TEST_F(HostileLoad, Quiet) {
  attack("quiet", [](const std::atomic<bool>&) {});
}

// One session can hold the network thread, and the network thread stops the simulation.
TEST_F(HostileLoad, SectionsOf300Mbps) {
  attack("sections", [&](const std::atomic<bool>& stops) {
    std::vector<std::byte> body;
    std::vector<std::byte> const tiny(1, std::byte{1});
    while (body.size() + 5 <= protocol::kDatagramBytesMax - protocol::kDatagramHeaderBytes)
      protocol::write_section({protocol::SectionKind::kMessage, false, 0, tiny}, body);
    RawSession session(serve.port);
    for (std::uint64_t begin_us = net::now_us(), sent = 0; !stops; ++sent) {
      session.send(body);
      std::uint64_t const due_us = begin_us + sent * 32;  // 31,000 a second
      if (due_us > net::now_us() + 1000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}

// Bodies spawned into one another. The scene has 64 places, of which the newcomers need some.
TEST_F(HostileLoad, SpawnsOf40ClientsAtOnePoint) {
  attack("spawns", [&](const std::atomic<bool>& stops) {
    std::vector<client::Client> clients;
    for (int i = 0; i < 40; ++i) {
      auto opened = client::Client::connect("udp://" + serve.address());
      if (opened) clients.push_back(*std::move(opened));
    }
    std::vector<int> spawned(clients.size(), 0);
    while (!stops) {
      for (std::size_t i = 0; i < clients.size(); ++i) {
        clients[i].poll();
        while (clients[i].next_event()) {
        }
        if (!clients[i].is_joined() || spawned[i] == 64) continue;  // 2,560 boxes of 10 m wanted
        sim::SpawnCommand command;
        command.kind = ShapeKind::kBox;
        command.dimensions_m = {5, 5, 5};
        command.position = Position::from_metres(0, 20, 0);
        (void)clients[i].spawn(command);
        ++spawned[i];
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
}

// Joins are the most expensive thing a stranger can ask for: 1,000 a minute.
TEST_F(HostileLoad, JoinsAndLeaves) {
  attack("joins", [&](const std::atomic<bool>& stops) {
    while (!stops) {
      RawSession session(serve.port);
      session.leave();
    }
  });
}

// 256 silent streams close the door.
TEST_F(HostileLoad, SilentStreams) {
  attack("silent_streams", [&](const std::atomic<bool>& stops) {
    std::vector<std::unique_ptr<Socket>> sockets;
    while (!stops) {
      sockets.push_back(std::make_unique<Socket>(SOCK_STREAM, serve.port));
      if (sockets.size() > 300) sockets.erase(sockets.begin());
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
}

// Spoofed datagrams lock a chosen player out: the newcomers' own address is the victim.
TEST_F(HostileLoad, HandshakeDatagramsOfTheVictimsAddress) {
  attack("spoofed", [&](const std::atomic<bool>& stops) {
    Socket const socket(SOCK_DGRAM, serve.port);
    protocol::DatagramHeader header;
    header.type = protocol::DatagramType::kHandshake;
    auto const datagram = datagram_of(header, std::vector<std::byte>(32));
    while (!stops) {
      for (int i = 0; i < 4; ++i) socket.send(datagram);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // 800 a second
    }
  });
}

// Inspect is a state: a flood of it is one change in 100 ms.
TEST_F(HostileLoad, InspectFloods) {
  attack("inspect", [&](const std::atomic<bool>& stops) {
    std::vector<client::Client> clients;
    for (int i = 0; i < 4; ++i) {
      auto opened = client::Client::connect("udp://" + serve.address());
      if (opened) clients.push_back(*std::move(opened));
    }
    for (bool on = false; !stops; on = !on) {
      for (client::Client& client : clients) {
        client.poll();
        while (client.next_event()) {
        }
        client.inspect({on, !on, on});
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
}

// Slow readers cost their own snapshots alone.
TEST_F(HostileLoad, SlowReaders) {
  attack("slow_readers", [&](const std::atomic<bool>& stops) {
    std::vector<client::Client> clients;
    for (int i = 0; i < 16; ++i) {
      auto opened = client::Client::connect("tcp://" + serve.address());
      if (opened) clients.push_back(*std::move(opened));
    }
    for (int ms = 0; !stops; ++ms) {
      for (client::Client& client : clients)
        if (!client.is_joined()) client.poll();  // and from then on nothing is read
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}

// Acknowledgements are believed: of datagrams that never arrived.
TEST_F(HostileLoad, AcknowledgementsOfDatagramsNeverReceived) {
  attack("acks", [&](const std::atomic<bool>& stops) {
    while (!stops) {
      RawSession session(serve.port);
      for (int i = 0; i < 3000 && !stops; ++i) {
        std::vector<std::byte> in(2048);
        for (std::size_t bytes = 0; (bytes = session.socket.receive(in)) > 0;)
          if (auto const header = protocol::read_header(std::span<const std::byte>(in).first(bytes)))
            session.newest = std::max(session.newest, header->sequence);
        session.send({}, session.newest);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  });
}

}  // namespace
}  // namespace takt::server::test
