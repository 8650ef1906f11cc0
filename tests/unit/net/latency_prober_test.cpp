// LatencyProber against a plain socket, which replies as a server, a network or a stranger might.
#include "net/latency_prober.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "net/clock.h"
#include "protocol/wire/latency_probe.h"

namespace takt::net {
namespace {

constexpr std::uint64_t kPatienceUs = 20'000'000;  // for what takes a millisecond on an idle machine

// A UDP socket of 127.0.0.1 that replies only by reply().
class Responder {
 public:
  Responder() : socket_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    timeval const timeout{20, 0};
    if (::bind(socket_, generic, size) != 0 || ::getsockname(socket_, generic, &size) != 0 ||
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) != 0)
      throw std::runtime_error("no port");
    port_ = ntohs(address.sin_port);
  }
  ~Responder() { ::close(socket_); }
  Responder(const Responder&) = delete;
  Responder& operator=(const Responder&) = delete;
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  // The nonce of the next probe; 0 = none came.
  std::uint64_t receive() {
    std::vector<std::byte> bytes(2000);
    socklen_t size = sizeof prober_;
    ssize_t const count =
        ::recvfrom(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&prober_), &size);
    if (count < 0) return 0;
    bytes.resize(static_cast<std::size_t>(count));
    return protocol::read_latency_probe(bytes).value_or(0);
  }
  void reply(std::uint64_t nonce, std::uint32_t version = 3) {
    std::vector<std::byte> bytes;
    protocol::write_latency_reply({nonce, version}, bytes);
    send(bytes);
  }
  void send(const std::vector<std::byte>& bytes) {
    (void)::sendto(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&prober_),
                   sizeof prober_);
  }

 private:
  int socket_;
  std::uint16_t port_ = 0;
  sockaddr_in prober_{};  // of the last probe
};

class LatencyProberTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = LatencyProber::open("127.0.0.1", responder.port());
    ASSERT_TRUE(opened.ok());
    prober = *std::move(opened);
  }
  Responder responder;
  std::unique_ptr<LatencyProber> prober;
};

TEST_F(LatencyProberTest, MeasuresFromTheSendToTheReply) {
  std::uint64_t const before_us = now_us();
  ASSERT_EQ(prober->send(), 1u);
  std::uint64_t const sent_us = now_us();
  std::uint64_t const nonce = responder.receive();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  std::uint64_t const replies_us = now_us();
  responder.reply(nonce, 9);
  auto const result = prober->wait_for(kPatienceUs);
  std::uint64_t const after_us = now_us();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->number, 1u);
  EXPECT_EQ(result->protocol_version, 9u);
  EXPECT_GE(result->rtt_us, replies_us - sent_us);
  EXPECT_LE(result->rtt_us, after_us - before_us);
  EXPECT_FALSE(prober->is_waiting());
}

// The number and the time are those of the probe that a reply names, not of the oldest.
TEST_F(LatencyProberTest, MatchesRepliesOutOfOrder) {
  std::vector<std::uint64_t> nonces;
  std::vector<std::uint64_t> before_us;
  std::vector<std::uint64_t> sent_us;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    before_us.push_back(now_us());
    ASSERT_EQ(prober->send(), number);
    sent_us.push_back(now_us());
    nonces.push_back(responder.receive());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  for (std::size_t const i : {2u, 0u, 1u}) {
    std::uint64_t const replies_us = now_us();
    responder.reply(nonces[i]);
    auto const result = prober->wait_for(kPatienceUs);
    std::uint64_t const after_us = now_us();
    ASSERT_TRUE(result.has_value()) << i;
    EXPECT_EQ(result->number, i + 1);
    EXPECT_GE(result->rtt_us, replies_us - sent_us[i]) << i;
    EXPECT_LE(result->rtt_us, after_us - before_us[i]) << i;
  }
  EXPECT_FALSE(prober->is_waiting());
}

TEST_F(LatencyProberTest, TakesNoOtherDatagramForAReply) {
  (void)prober->send();
  std::uint64_t const nonce = responder.receive();
  responder.reply(nonce + 1);
  responder.send({});
  responder.send(std::vector<std::byte>(protocol::kLatencyReplyBytes));
  std::vector<std::byte> probe;
  protocol::write_latency_probe(nonce, probe);
  responder.send(probe);
  // The reply that comes after all of them is the first result, and the only one.
  responder.reply(nonce);
  auto const result = prober->wait_for(kPatienceUs);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->number, 1u);
  EXPECT_FALSE(prober->wait_for(10'000));
}

TEST_F(LatencyProberTest, CountsACopyOnce) {
  (void)prober->send();
  std::uint64_t const first = responder.receive();
  responder.reply(first);
  responder.reply(first);
  (void)prober->send();
  responder.reply(responder.receive());
  auto result = prober->wait_for(kPatienceUs);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->number, 1u);
  result = prober->wait_for(kPatienceUs);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->number, 2u);
  EXPECT_FALSE(prober->is_waiting());
  EXPECT_FALSE(prober->wait_for(10'000));
}

TEST_F(LatencyProberTest, IgnoresAReplyToALostProbe) {
  (void)prober->send();
  std::uint64_t const late = responder.receive();
  EXPECT_FALSE(prober->poll_lost(kPatienceUs)) << "it may still come";
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(prober->poll_lost(1000), 1u);
  EXPECT_FALSE(prober->poll_lost(0)) << "each is lost once";
  EXPECT_FALSE(prober->is_waiting());
  (void)prober->send();
  std::uint64_t const nonce = responder.receive();
  responder.reply(late);
  responder.reply(nonce);
  auto const result = prober->wait_for(kPatienceUs);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->number, 2u);
  EXPECT_FALSE(prober->wait_for(10'000));
}

TEST_F(LatencyProberTest, IsOfOneAddressAlone) {
  EXPECT_EQ(prober->address(), "127.0.0.1:" + std::to_string(responder.port()));
  EXPECT_FALSE(prober->is_refused());
  (void)prober->send();
  EXPECT_NE(responder.receive(), 0u);
  EXPECT_FALSE(prober->wait_for(10'000));
  EXPECT_FALSE(prober->is_refused()) << "silence is no refusal";
}

TEST(LatencyProberOpen, NoticesThatNobodyHasThePort) {
  auto opened = LatencyProber::open("127.0.0.1", 1);
  ASSERT_TRUE(opened.ok());
  LatencyProber& prober = **opened;
  for (int i = 0; i < 100 && !prober.is_refused(); ++i) {
    (void)prober.send();
    EXPECT_FALSE(prober.wait_for(10'000));
  }
  EXPECT_TRUE(prober.is_refused());
}

// Nobody may send to this address, and no route leads there without a network.
TEST(LatencyProberOpen, TellsAFaultOfTheNetworkFromABadName) {
  auto const no_route = LatencyProber::open("255.255.255.255", 7777);
  ASSERT_FALSE(no_route.ok());
  EXPECT_NE(no_route.error().error, Error::kBadAddress);
  EXPECT_TRUE(no_route.error().detail.starts_with("255.255.255.255:7777: ")) << no_route.error().detail;
  EXPECT_TRUE(no_route.error().detail.ends_with("; check the network")) << no_route.error().detail;
  // No interface has this name, which needs no resolver to answer.
  auto const bad = LatencyProber::open("fe80::1%no.such", 7777);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().error, Error::kBadAddress);
  EXPECT_TRUE(bad.error().detail.ends_with("; check the name and the network")) << bad.error().detail;
}

}  // namespace
}  // namespace takt::net
