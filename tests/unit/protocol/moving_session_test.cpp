// The rules of a session that goes on at another address, one by one: who begins a move, what proves it, how
// many probes go to whom, and whose limits count. tests/simulation/protocol/moving_address_test.cpp has the
// networks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tests/unit/protocol/endpoint_pair.h"

namespace takt::protocol::test {
namespace {

Address const kAway = Address::from_ipv4(198, 51, 100, 7, 5000);
Address const kThird = Address::from_ipv4(203, 0, 113, 9, 6000);

// The client is the test's: its datagrams come from the tap, from any address.
class MovingSession : public EndpointPair {
 protected:
  struct Sent {
    Address to;
    std::size_t bytes = 0;
    SessionTap::Opened opened;
  };
  // Everything that the server has to send now.
  std::vector<Sent> drain() {
    std::vector<Sent> all;
    OutgoingDatagram out;
    while (server.poll_datagram(now_us, out)) {
      auto opened = tap.open_from_server(out.bytes);
      EXPECT_TRUE(opened.has_value());
      if (opened) all.push_back({out.to, out.bytes.size(), *std::move(opened)});
    }
    return all;
  }
  // The probes among them that went to an address.
  std::vector<Bytes> probes_to(const Address& address) {
    std::vector<Bytes> probes;
    for (Sent const& one : drain())
      if (one.opened.is_probe && one.to == address) probes.push_back(one.opened.sections);
    return probes;
  }
  Bytes ping() { return tap.from_client(section_of(Ping{now_us})); }
  void handle(const Address& from, const Bytes& datagram) { server.handle_datagram(now_us, from, datagram); }
  // Where the server sends what it has to say.
  Address where() {
    now_us += kKeepAliveInterval;
    handle(kHome, {});  // nothing: the time alone
    Address to;
    for (Sent const& one : drain())
      if (!one.opened.is_probe) to = one.to;
    return to;
  }
  std::uint64_t moves() const { return at_server(Counter::kSessionsMoved); }
  void move_to(const Address& to) {
    std::uint64_t const before = moves();
    handle(to, ping());
    auto const probes = probes_to(to);
    ASSERT_EQ(probes.size(), 1u);
    handle(to, tap.probe_from_client(probes[0]));
    ASSERT_EQ(moves(), before + 1);
  }
  std::vector<PlayerMoved> reported() {
    std::vector<PlayerMoved> all;
    ServerEvent event;
    while (server.poll_event(event))
      if (auto const* moved = std::get_if<PlayerMoved>(&event)) all.push_back(*moved);
    return all;
  }
};

TEST_F(MovingSession, GoesWhereItsProbeIsAnswered) {
  handle(kAway, ping());
  auto const probes = probes_to(kAway);
  ASSERT_EQ(probes.size(), 1u);
  ASSERT_EQ(probes[0].size(), 8u);
  EXPECT_EQ(where(), kHome) << "not yet";
  handle(kAway, tap.probe_from_client(probes[0]));
  EXPECT_EQ(moves(), 1u);
  EXPECT_EQ(where(), kAway);
}

TEST_F(MovingSession, ReportsAMoveWithBothAddresses) {
  handle(kAway, ping());
  auto probes = probes_to(kAway);
  ASSERT_EQ(probes.size(), 1u);
  EXPECT_TRUE(reported().empty()) << "a probe moves nothing";
  handle(kAway, tap.probe_from_client(probes[0]));
  auto moved = reported();
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].player, accept.player_id);
  EXPECT_EQ(moved[0].from, kHome);
  EXPECT_EQ(moved[0].to, kAway);
  EXPECT_EQ(moved[0].moves, 1u);
  EXPECT_EQ(moved[0].user_id, 0u) << "a session without a token";
  now_us += 1'000'000;
  move_to(kThird);
  moved = reported();
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].from, kAway);
  EXPECT_EQ(moved[0].to, kThird);
  EXPECT_EQ(moved[0].moves, 1u);
  // After its PlayerLeft a session still moves, for its goodbye, and nothing is reported.
  now_us += 1'000'000;
  server.disconnect(now_us, accept.player_id, DisconnectReason::kKicked);
  (void)drain();
  move_to(kHome);
  EXPECT_TRUE(reported().empty());
}

// Each report is a line of a log, and a session can move a thousand times a second.
TEST_F(MovingSession, ReportsItsMovesOnceASecond) {
  Address last = kHome;
  std::uint64_t reports = 0;
  std::uint64_t reported_moves = 0;
  std::uint64_t last_us = 0;
  auto const take_reports = [&] {
    for (PlayerMoved const& moved : reported()) {
      EXPECT_EQ(moved.from, last) << "where the report before ended";
      EXPECT_TRUE(reports == 0 || now_us >= last_us + 1'000'000) << now_us - last_us;
      last = moved.to;
      last_us = now_us;
      reported_moves += moved.moves;
      ++reports;
    }
  };
  for (std::uint16_t i = 0; i < 1000; ++i) {
    move_to(Address{i % 2 == 0 ? kAway.ip : kThird.ip, static_cast<std::uint16_t>(1 + i)});
    take_reports();
    now_us += 5000;
  }
  EXPECT_EQ(moves(), 1000u);
  EXPECT_EQ(reports, 5u) << "5 s";
  // The last one is reported without any further datagram, at the time that the server wakes for it.
  for (int i = 0; i < 100 && reported_moves < 1000; ++i) {
    now_us = std::max(now_us + 1, server.next_wakeup_us(now_us));
    (void)drain();
    take_reports();
  }
  EXPECT_EQ(reports, 6u);
  EXPECT_EQ(reported_moves, 1000u);
  EXPECT_EQ(last, (Address{kThird.ip, 1000}));
  EXPECT_LT(now_us, last_us + 1000);
}

TEST_F(MovingSession, AProbeProvesTheAddressThatGotItAlone) {
  handle(kAway, ping());
  auto const probes = probes_to(kAway);
  ASSERT_EQ(probes.size(), 1u);
  handle(kThird, tap.probe_from_client(probes[0]));  // answered from elsewhere
  EXPECT_EQ(moves(), 0u);
  now_us += 100'000;
  handle(kThird, ping());
  auto const others = probes_to(kThird);
  ASSERT_FALSE(others.empty());
  EXPECT_NE(others[0], probes[0]);
  handle(kThird, tap.probe_from_client(probes[0]));  // that of the other address
  EXPECT_EQ(moves(), 0u);
  Bytes guess = others[0];
  guess[3] ^= std::byte{1};
  handle(kThird, tap.probe_from_client(guess));
  EXPECT_EQ(moves(), 0u);
  EXPECT_EQ(where(), kHome);
}

// Another server, or another session of this one, makes other bytes: nobody learns them from his own.
TEST_F(MovingSession, ProbesTellNothingOfEachOther) {
  std::set<Bytes> seen;
  for (std::uint16_t i = 0; i < 1000; ++i) {
    now_us += 300'000;  // four addresses at once have places
    handle(kHome, ping());
    handle(Address{kAway.ip, static_cast<std::uint16_t>(1 + i)}, ping());
    for (Bytes const& probe : probes_to(Address{kAway.ip, static_cast<std::uint16_t>(1 + i)}))
      EXPECT_TRUE(seen.insert(probe).second);
  }
  EXPECT_EQ(seen.size(), 1000u);
  // Each bit is set in about half of them: 12 standard deviations.
  for (std::size_t bit = 0; bit < 64; ++bit) {
    int count = 0;
    for (Bytes const& probe : seen) count += static_cast<int>(probe[bit / 8] >> (bit % 8) & std::byte{1});
    EXPECT_NEAR(count, 500, 190) << "bit " << bit;
  }
}

TEST_F(MovingSession, ADatagramThatWasOvertakenBeginsNoMove) {
  Bytes const late = ping();
  Bytes const newest = ping();
  handle(kHome, newest);
  (void)drain();
  handle(kAway, late);
  EXPECT_TRUE(probes_to(kAway).empty());
  // After a move the datagrams of the old address do not bring the session back.
  Bytes const on_its_way = ping();
  handle(kAway, ping());
  auto const probes = probes_to(kAway);
  ASSERT_EQ(probes.size(), 1u);
  handle(kAway, tap.probe_from_client(probes[0]));
  ASSERT_EQ(moves(), 1u);
  std::uint64_t const read = at_server(Counter::kMessagesReceived);
  now_us += 100'000;
  handle(kHome, on_its_way);
  EXPECT_EQ(at_server(Counter::kMessagesReceived), read + 1) << "read all the same";
  EXPECT_TRUE(probes_to(kHome).empty());
  EXPECT_EQ(where(), kAway);
}

// The answer itself may be overtaken: it proves the path nevertheless.
TEST_F(MovingSession, AnAnswerThatWasOvertakenMoves) {
  handle(kAway, ping());
  auto const probes = probes_to(kAway);
  ASSERT_EQ(probes.size(), 1u);
  Bytes const answer = tap.probe_from_client(probes[0]);
  handle(kAway, ping());
  handle(kAway, answer);
  EXPECT_EQ(moves(), 1u);
}

// A client that came back before its answer arrived stays where it is.
TEST_F(MovingSession, ALateAnswerFromAnAddressThatWasLeftMovesNothing) {
  handle(kAway, ping());
  auto const probes = probes_to(kAway);
  ASSERT_EQ(probes.size(), 1u);
  Bytes const answer = tap.probe_from_client(probes[0]);
  handle(kHome, ping());
  handle(kAway, answer);
  EXPECT_EQ(moves(), 0u);
}

TEST_F(MovingSession, SendsEachAddressOneProbeIn100MsAndAllTogether40ASecond) {
  for (int const addresses : {1, 2, 4, 50}) {
    std::map<Address, std::uint64_t> last_us;
    std::size_t probes = 0;
    handle(kHome, ping());  // it lives
    (void)drain();
    for (int i = 0; i < 3000; ++i) {
      now_us += 1000;
      handle(Address{kAway.ip, static_cast<std::uint16_t>(1 + 100 * addresses + i % addresses)}, ping());
      for (Sent const& one : drain()) {
        if (!one.opened.is_probe) continue;
        ++probes;
        std::uint64_t& last = last_us[one.to];
        EXPECT_GE(now_us, last + 100'000) << to_text(one.to);
        last = now_us;
      }
    }
    std::size_t const places = static_cast<std::size_t>(std::min(addresses, 4));
    EXPECT_LE(probes, places * 33) << addresses << " addresses";
    EXPECT_GE(probes, places * 20) << addresses << " addresses";
  }
}

// The shortest datagram that there is, seldom enough for a probe each time.
TEST_F(MovingSession, AnswersADatagramOfAnUnprovedAddressByOneProbeOfLessThan3TimesItsBytes) {
  for (int i = 0; i < 30; ++i) {
    now_us += 100'000;
    Bytes const nothing = tap.from_client();
    ASSERT_LE(nothing.size(), crypto::kSealOverheadBytes);
    handle(kAway, nothing);
    std::size_t sent = 0;
    for (int later = 0; later < 99; ++later) {
      for (Sent const& one : drain()) {
        if (one.to != kAway) continue;
        EXPECT_TRUE(one.opened.is_probe);
        sent += one.bytes;
      }
      now_us += 1000;
      handle(kHome, {});  // nothing: the time alone
    }
    EXPECT_GT(sent, 0u);
    EXPECT_LE(sent, 3 * nothing.size());
  }
}

// Somebody copies datagrams of a client that has moved, to an address of his own and in the name of the old
// one, and some of his copies come first. The client's probe stays good, for its next answer.
TEST_F(MovingSession, CopiesThatComeFirstTakeNoProbeAway) {
  handle(kAway, ping());
  auto const probes = probes_to(kAway);
  ASSERT_EQ(probes.size(), 1u);
  handle(kThird, ping());
  handle(kHome, ping());
  handle(kAway, tap.probe_from_client(probes[0]));
  EXPECT_EQ(moves(), 1u);
  EXPECT_EQ(where(), kAway);
}

TEST_F(MovingSession, AnAddressThatCopiesFilledThePlacesBeforeIsProbedWithinASecond) {
  for (std::uint16_t port = 1; port <= 4; ++port) {
    handle(Address{kThird.ip, port}, ping());
    EXPECT_EQ(probes_to(Address{kThird.ip, port}).size(), 1u);
  }
  handle(kAway, ping());
  EXPECT_TRUE(probes_to(kAway).empty()) << "all places are taken";
  now_us += 1'000'000;
  handle(kAway, ping());
  EXPECT_EQ(probes_to(kAway).size(), 1u);
}

// A client that is not reached does not keep its session, whatever is heard from it: its place and its token
// would be taken for nothing.
TEST_F(MovingSession, EndsAtItsTimeOutIfItsNewAddressIsNeverProved) {
  for (int i = 0; i < 19; ++i) {
    now_us += 500'000;
    handle(kAway, ping());
    (void)drain();
  }
  EXPECT_EQ(server.player_count(), 1u);
  for (int i = 0; i < 4; ++i) {
    now_us += 500'000;
    handle(kAway, ping());
    (void)drain();
  }
  EXPECT_EQ(server.player_count(), 0u);
}

// Somebody else's copies always come first: the client is reached all the same, and says so.
TEST_F(MovingSession, LivesWhileItsClientAcknowledgesFromWhereverItIsHeard) {
  std::optional<AckBlock> acks;
  for (int i = 0; i < 60; ++i) {
    now_us += 500'000;
    handle(kAway, tap.from_client(section_of(Ping{now_us}), acks));
    for (Sent const& one : drain())
      if (one.to == kHome && !one.opened.is_probe)
        acks = AckBlock{static_cast<std::uint16_t>(one.opened.number)};
  }
  EXPECT_EQ(server.player_count(), 1u);
  EXPECT_EQ(moves(), 0u);
}

TEST_F(MovingSession, KeepsRateAndRoundTripsAtAnotherPortOfItsHost) {
  auto const stats = [&] { return *server.stats_of(accept.player_id); };
  auto const move_to = [&](const Address& to) {
    std::uint64_t const before = moves();
    handle(to, ping());
    auto const probes = probes_to(to);
    ASSERT_EQ(probes.size(), 1u);
    handle(to, tap.probe_from_client(probes[0]));
    ASSERT_EQ(moves(), before + 1);
  };
  auto const measure = [&](const Address& at) {
    handle(at, ping());
    std::optional<AckBlock> acks;
    for (Sent const& one : drain()) acks = AckBlock{static_cast<std::uint16_t>(one.opened.number)};
    ASSERT_TRUE(acks.has_value());
    now_us += 40'000;
    handle(at, tap.from_client(section_of(Ping{now_us}), acks));
    (void)drain();
  };
  measure(kHome);
  std::uint64_t const rtt_us = stats().rtt_us;
  ASSERT_GT(rtt_us, 0u);
  move_to(Address{kHome.ip, 9});
  EXPECT_EQ(stats().rtt_us, rtt_us);
  move_to(kAway);
  EXPECT_EQ(stats().rtt_us, 0u) << "another host";
  // A second host in the same second: else a client between two of them would never be measured.
  measure(kAway);
  ASSERT_GT(stats().rtt_us, 0u);
  move_to(kThird);
  EXPECT_GT(stats().rtt_us, 0u);
  now_us += 1'000'000;
  move_to(kAway);
  EXPECT_EQ(stats().rtt_us, 0u);
}

// An address of this machine gives rights (--admin), which no other machine is to have, nor to lose.
TEST_F(MovingSession, GoesNeitherToNorFromThisMachine) {
  Address const local = Address::from_ipv4(127, 0, 0, 1, 5000);
  handle(local, ping());
  EXPECT_TRUE(probes_to(local).empty());
}

TEST_F(MovingSession, CopiesFromAnotherAddressAreDroppedAndDisturbNothing) {
  std::vector<Bytes> copies;
  for (int i = 0; i < 200; ++i) {
    copies.push_back(ping());
    handle(kHome, copies.back());
  }
  (void)drain();
  std::uint64_t const read = at_server(Counter::kMessagesReceived);
  std::uint64_t const copies_before = at_server(Counter::kDuplicate);
  for (Bytes const& copy : copies) handle(kAway, copy);
  EXPECT_EQ(at_server(Counter::kDuplicate), copies_before + copies.size());
  EXPECT_EQ(at_server(Counter::kMessagesReceived), read);
  for (Sent const& one : drain()) EXPECT_EQ(one.to, kHome);
  EXPECT_EQ(where(), kHome);
}

TEST_F(MovingSession, TakesItsPlaceInTheLimitsOfTheNewAddressAndLeavesThoseOfTheOld) {
  auto const join = [&](const Address& from) {
    ConnectRequest request;
    request.nonce = 100 + from.port;
    server.handle_datagram(now_us, from, handshake_of(response_of(server, kSecret, now_us, from, request)));
    OutgoingDatagram out;
    while (server.poll_datagram(now_us, out)) {
    }
  };
  std::uint32_t const max = AddressLimits{}.sessions_max;
  handle(kAway, ping());
  auto const probes = probes_to(kAway);
  ASSERT_EQ(probes.size(), 1u);
  handle(kAway, tap.probe_from_client(probes[0]));
  ASSERT_EQ(moves(), 1u);
  for (std::uint16_t port = 1; port <= max; ++port) join(Address{kAway.ip, port});
  EXPECT_EQ(server.player_count(), max) << "the moved one is the eighth";
  for (std::uint16_t port = 1; port <= max; ++port) join(Address{kHome.ip, port});
  EXPECT_EQ(server.player_count(), 2 * max) << "the old address has all its places again";
}

// Else two addresses could hold any number of sessions: each hands those of the other on.
TEST_F(MovingSession, MovesToNoAddressThatIsFull) {
  std::uint32_t const max = AddressLimits{}.sessions_max;
  for (std::uint16_t port = 1; port <= max; ++port) {
    ConnectRequest request;
    request.nonce = 100 + port;
    Address const from{kAway.ip, port};
    server.handle_datagram(now_us, from, handshake_of(response_of(server, kSecret, now_us, from, request)));
    OutgoingDatagram out;
    while (server.poll_datagram(now_us, out)) {
    }
  }
  ASSERT_EQ(server.player_count(), max + 1);
  handle(kAway, ping());
  EXPECT_TRUE(probes_to(kAway).empty());
  EXPECT_EQ(moves(), 0u);
  // Another port of its own address is always free: that is what a NAT gives.
  now_us += 100'000;
  Address const port{kHome.ip, 9};
  handle(port, ping());
  auto const probes = probes_to(port);
  ASSERT_EQ(probes.size(), 1u);
  handle(port, tap.probe_from_client(probes[0]));
  EXPECT_EQ(moves(), 1u);
}

// The budget belongs to the session, wherever its datagrams come from.
TEST_F(MovingSession, HasOneBudgetAtAllItsAddresses) {
  for (std::uint16_t i = 0; i < 5000; ++i)
    handle(Address{kAway.ip, static_cast<std::uint16_t>(1 + i)}, ping());
  EXPECT_GT(at_server(Counter::kSessionBudget), 0u);
}

TEST_F(MovingSession, TheClientAnswersEachProbeOnce) {
  Bytes const probe(8, std::byte{0x42});
  std::vector<std::byte> out;
  while (client.poll_datagram(now_us, out)) {
  }
  Bytes sealed(64);
  crypto::DatagramSealer sealer(tap.cipher(), tap.keys().server_to_client, tap.connection_id(), 0);
  while (sealer.next_number() < 2000) sealer.skip_number();
  sealed.resize(sealer.seal(0, sealer.next_number() - 1, {true, false}, probe, sealed));
  client.handle_datagram(now_us, sealed);
  ASSERT_TRUE(client.poll_datagram(now_us, out));
  EXPECT_LE(out.size(), sealed.size());
  crypto::DatagramOpener opener(tap.cipher(), tap.keys().client_to_server, tap.connection_id());
  Bytes opened(64);
  auto const answer = opener.open(0, 0, out, opened);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer->flags.path_probe);
  EXPECT_TRUE(std::ranges::equal(answer->payload, probe));
  client.handle_datagram(now_us, sealed);  // a copy
  EXPECT_FALSE(client.poll_datagram(now_us, out));
}

}  // namespace
}  // namespace takt::protocol::test
