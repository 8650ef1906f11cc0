// Laws of the protocol's parts under random loss, duplication and reordering, against plain models. TAKT_SEED
// picks another search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "protocol/link/ack_window.h"
#include "protocol/link/datagram_link.h"
#include "protocol/link/fragment_receiver.h"
#include "protocol/link/fragment_sender.h"
#include "protocol/link/frame.h"
#include "protocol/link/packet_simulator.h"
#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/input_receiver.h"
#include "protocol/session/input_sender.h"
#include "protocol/snapshot/snapshot_decoder.h"
#include "protocol/snapshot/snapshot_encoder.h"
#include "tests/property/numbers/seed.h"
#include "tests/unit/protocol/sample_messages.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::protocol {
namespace {

class CodecProperty : public testing::Test {
 protected:
  CodecProperty() : seed(takt::test::property_seed()), random(seed) {
    RecordProperty("seed", std::to_string(seed));
  }
  void TearDown() override {
    if (HasFailure()) std::printf("TAKT_SEED=%llu\n", static_cast<unsigned long long>(seed));
  }
  std::vector<std::byte> random_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (auto& b : bytes) b = static_cast<std::byte>(random.next_u32());
    return bytes;
  }
  std::uint64_t seed;
  Random random;
};

TEST_F(CodecProperty, AckWindowAgreesWithASet) {
  for (int round = 0; round < 50; ++round) {
    AckWindow window;
    std::uint64_t newest = 0;
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 4000; ++i) {
      std::uint64_t const behind = random.next_below(4) == 0 ? random.next_below(300) : 0;
      std::uint64_t const number = newest + 1 + random.next_below(3) - std::min(behind, newest);
      if (!seen.insert(number).second) continue;
      window.record(number);
      newest = std::max(newest, number);
      ASSERT_EQ(window.newest(), newest);
      for (std::uint32_t bit = 0; bit < kAckBits; ++bit) {
        bool const is_number = newest > 1 + bit;
        ASSERT_EQ((window.mask() >> bit) & 1u, is_number ? seen.count(newest - 1 - bit) : 1u)
            << "round " << round << " step " << i << " bit " << bit;
      }
    }
    EXPECT_EQ(window.missing(), newest - seen.size());
  }
}

// ---------------------------------------------------------------- snapshots

// A world that moves, spawns, despawns and reuses indices.
class ShiftingWorld {
 public:
  ShiftingWorld(std::uint32_t index_count, Random& random)
      : random_(&random), generations_(index_count, 0), bodies_(index_count) {}
  std::vector<BodyState> step() {
    std::vector<BodyState> world;
    for (std::uint32_t i = 0; i < generations_.size(); ++i) {
      std::uint32_t const draw = random_->next_below(100);
      if (!bodies_[i] && draw < 5) {
        ++generations_[i];
        bodies_[i] = BodyState{};
        bodies_[i]->id = (std::uint64_t{generations_[i]} << 32) | i;
      } else if (bodies_[i] && draw < 3) {
        bodies_[i].reset();
      }
      if (bodies_[i] && draw % 2 == 0) {
        bodies_[i]->position.x = static_cast<std::int64_t>(random_->next_u64());
        bodies_[i]->linear_velocity.y = static_cast<float>(random_->next_below(8));
      }
      if (bodies_[i]) world.push_back(*bodies_[i]);
    }
    return world;
  }

 private:
  Random* random_;
  std::vector<std::uint32_t> generations_;
  std::vector<std::optional<BodyState>> bodies_;
};

TEST_F(CodecProperty, ADecoderConvergesOnTheEncodersWorldUnderLossReorderAndDuplicates) {
  for (int round = 0; round < 12; ++round) {
    SnapshotBudget budget;
    budget.bytes_per_snapshot = (1 + random.next_below(60)) * kBodyStateBytes;
    budget.bytes_per_snapshot_joining = budget.bytes_per_snapshot;
    SnapshotEncoder encoder(budget);
    SnapshotSource source;
    SnapshotDecoder decoder;
    ShiftingWorld shifting(120, random);
    struct InFlight {
      SnapshotEncoder::Outgoing outgoing;
      int due = 0;
      bool copy = false;
    };
    std::vector<InFlight> flying;
    // Everything that was ever said about a body, by (serial, id): a decoder may only ever hold one of these,
    // and the newest it received.
    std::map<std::pair<std::uint32_t, BodyId>, BodyState> said;
    std::map<std::uint32_t, std::uint32_t> newest_received;  // by index
    auto world = shifting.step();
    for (int tick = 1; tick <= 400; ++tick) {
      if (tick < 300) world = shifting.step();  // then it stands still
      source.update(static_cast<std::uint64_t>(tick), world);
      for (auto& outgoing : encoder.encode(source)) {
        for (auto const& body : outgoing.part.bodies) said[{outgoing.part.serial, body.id}] = body;
        std::uint32_t const fate = random.next_below(100);
        if (fate < 20) {
          encoder.handle_lost(outgoing.token);
          continue;
        }
        // 5 %: it arrives, and is taken for lost all the same.
        if (fate < 25) encoder.handle_lost(outgoing.token);
        flying.push_back({outgoing, tick + static_cast<int>(random.next_below(8)), false});
        if (fate >= 90) flying.push_back({outgoing, tick + static_cast<int>(random.next_below(30)), true});
      }
      for (auto at = flying.begin(); at != flying.end();) {
        if (at->due > tick) {
          ++at;
          continue;
        }
        auto part = at->outgoing.part;
        auto const outcome = decoder.handle_part(part);
        ASSERT_TRUE(outcome == SnapshotDecoder::Outcome::kApplied ||
                    outcome == SnapshotDecoder::Outcome::kCompleted ||
                    outcome == SnapshotDecoder::Outcome::kDuplicate);
        encoder.handle_delivered(at->outgoing.token);
        for (auto const& body : at->outgoing.part.bodies) {
          auto& newest = newest_received[static_cast<std::uint32_t>(body.id)];
          newest = std::max(newest, at->outgoing.part.serial);
        }
        at = flying.erase(at);
      }
      for (auto const& slot : decoder.slots()) {
        if (!slot.present) continue;
        auto const found = said.find({slot.serial, slot.state.id});
        ASSERT_NE(found, said.end());
        ASSERT_EQ(found->second, slot.state);
        ASSERT_EQ(slot.serial, newest_received[static_cast<std::uint32_t>(slot.state.id)]);
      }
    }
    ASSERT_TRUE(encoder.is_settled(source)) << "round " << round;
    ASSERT_EQ(decoder.body_count(), world.size()) << "round " << round;
    for (auto const& body : world) {
      ASSERT_NE(decoder.find(body.id), nullptr);
      EXPECT_EQ(*decoder.find(body.id), body);
    }
  }
}

// ---------------------------------------------------------------- channels

TEST_F(CodecProperty, FragmentsArriveExactlyOnceInOrder) {
  for (int round = 0; round < 20; ++round) {
    FragmentSender sender(32);
    FragmentReceiver receiver(32);
    std::vector<std::vector<std::byte>> sent;
    std::vector<std::vector<std::byte>> got;
    std::vector<std::pair<Section, std::vector<std::byte>>> flying;
    for (int step = 0; step < 3000 && (step < 200 || got.size() < sent.size()); ++step) {
      if (step < 200 && random.next_below(3) == 0) {
        sent.push_back(random_bytes(1 + random.next_below(random.next_below(5) == 0 ? 9000 : 300)));
        sender.push(sent.back());
      }
      Section section;
      for (int k = 0; k < 4 && sender.next(kDatagramBytesMax - kSealedDatagramBytes, section); ++k) {
        std::uint32_t const fate = random.next_below(100);
        if (fate < 25) {
          sender.handle_lost(section.fragment);
          continue;
        }
        flying.emplace_back(section, std::vector<std::byte>(section.payload.begin(), section.payload.end()));
        if (fate > 90) flying.push_back(flying.back());
      }
      while (!flying.empty() && random.next_below(4) != 0) {
        std::size_t const at = random.next_below(static_cast<std::uint32_t>(flying.size()));
        auto one = flying[at];
        flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(at));
        one.first.payload = one.second;
        ASSERT_NE(receiver.handle_fragment(one.first), FragmentReceiver::Outcome::kOutOfWindow);
        sender.handle_delivered(one.first.fragment);
      }
      std::vector<std::byte> message;
      while (receiver.poll_message(message)) got.push_back(message);
    }
    ASSERT_EQ(got, sent) << "round " << round;
    EXPECT_EQ(sender.backlog_bytes(), 0u);
  }
}

TEST_F(CodecProperty, ALinkCarriesItsReliableMessagesAcrossKeyPhases) {
  for (int round = 0; round < 4; ++round) {
    Counters counters;
    std::uint64_t now_us = 1'000'000;
    DatagramLinkOptions options;
    options.send_window = 64;
    options.receive_window = 64;
    options.key_phase.datagrams = 20 + random.next_below(200);
    crypto::SessionKeys const keys = test::test_keys();
    DatagramLink a(options, LinkKeys::of_client(keys), now_us, counters);
    DatagramLink b(options, LinkKeys::of_server(keys), now_us, counters);
    PacketSimulator to_b(Impairment::hostile(), random.next_u64());
    PacketSimulator to_a(Impairment::hostile(), random.next_u64());
    std::vector<std::vector<std::byte>> sent;
    std::vector<std::vector<std::byte>> got;
    std::map<std::uint64_t, int> fates;
    std::uint64_t next_token = 1;
    Link::Settled settled;
    for (int step = 0; step < 30'000; ++step) {
      now_us += 1000;
      if (step < 10'000 && step % 20 == 0) {
        sent.push_back(random_bytes(1 + random.next_below(3000)));
        a.send_reliable(sent.back());
        a.send_unreliable(random_bytes(100), next_token);
        fates[next_token++] = 0;
      }
      std::vector<std::byte> out;
      while (a.poll_datagram(now_us, out)) to_b.handle_packet(now_us, 0, out);
      while (b.poll_datagram(now_us, out)) to_a.handle_packet(now_us, 0, out);
      PacketSimulator::Packet packet;
      while (to_b.poll_packet(now_us, packet)) (void)b.handle_datagram(now_us, packet.bytes);
      while (to_a.poll_packet(now_us, packet)) (void)a.handle_datagram(now_us, packet.bytes);
      Link::Inbound inbound;
      while (b.poll_message(inbound))
        if (inbound.message_class == MessageClass::kReliable) got.push_back(inbound.bytes);
      while (a.poll_settled(settled)) ++fates[settled.token];
      if (step > 10'000 && got.size() == sent.size()) break;
    }
    ASSERT_EQ(got, sent);
    for (int step = 0; step < 4000; ++step) {
      now_us += 1000;
      std::vector<std::byte> out;
      while (a.poll_datagram(now_us, out)) {
      }
      while (a.poll_settled(settled)) ++fates[settled.token];
    }
    for (auto const& [token, times] : fates)
      EXPECT_EQ(times, 1) << "token " << token;  // each fate is told exactly once
  }
}

TEST_F(CodecProperty, InputsArriveExactlyOnceInOrder) {
  for (int round = 0; round < 20; ++round) {
    InputSender sender(false);
    Counters counters;
    InputReceiver receiver(1'000'000, 1'000'000, 0);
    std::uint32_t expected = 0;
    std::uint32_t pushed = 0;
    std::vector<std::pair<std::uint64_t, std::vector<Input>>> flying;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> acks;
    for (std::uint64_t now_us = 1000; now_us < 60 * kSecond && (now_us < 10 * kSecond || expected < pushed);
         now_us += 5000) {
      if (now_us < 10 * kSecond && !sender.is_full() && random.next_below(3) == 0)
        pushed = sender.push(random.next_below(1000), DespawnCommand{(std::uint64_t{1} << 32) | pushed});
      std::vector<Input> out;
      while (sender.poll(now_us, 250'000, out))
        if (random.next_below(4) != 0) flying.emplace_back(now_us + 50'000 + random.next_below(100'000), out);
      for (auto at = flying.begin(); at != flying.end();) {
        if (at->first > now_us) {
          ++at;
          continue;
        }
        for (auto const& input : receiver.handle_inputs(now_us, 0, Inputs{at->second, {}}, counters).inputs) {
          ASSERT_EQ(input.sequence, ++expected);
          ASSERT_EQ(std::get<DespawnCommand>(input.command).body, (std::uint64_t{1} << 32) | (expected - 1));
        }
        if (random.next_below(4) != 0) acks.emplace_back(now_us + 100'000, receiver.received_through());
        at = flying.erase(at);
      }
      for (auto at = acks.begin(); at != acks.end();) {
        if (at->first > now_us) {
          ++at;
          continue;
        }
        ASSERT_TRUE(sender.handle_ack(at->second));
        at = acks.erase(at);
      }
    }
    ASSERT_GT(pushed, 100u);
    EXPECT_EQ(expected, pushed);
  }
}

TEST_F(CodecProperty, FramesSurviveAnySplit) {
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<std::byte>> sent;
    std::vector<std::byte> stream;
    for (int i = 0; i < 20; ++i) {
      sent.push_back(random_bytes(1 + random.next_below(i % 7 == 0 ? 20'000 : 200)));
      write_frame(i % 2 == 0 ? MessageClass::kDatagram : MessageClass::kReliable, sent.back(), stream);
    }
    FrameReader reader(kFrameBytesMax);
    std::vector<std::vector<std::byte>> got;
    auto rest = std::span<const std::byte>(stream);
    while (!rest.empty()) {
      auto some = rest.first(std::min<std::size_t>(rest.size(), 1 + random.next_below(3000)));
      rest = rest.subspan(some.size());
      FrameReader::Frame frame;
      while (reader.next(some, frame) == FrameReader::Outcome::kFrame)
        got.emplace_back(frame.message.begin(), frame.message.end());
    }
    ASSERT_EQ(got, sent);
  }
}

TEST_F(CodecProperty, MutatedMessagesAreRefusedOrStable) {
  MessageReader reader;
  MessageWriter writer;
  std::size_t accepted = 0;
  auto const samples = test::sample_messages();
  for (int round = 0; round < 40'000; ++round) {
    auto const view = writer.write(samples[random.next_below(static_cast<std::uint32_t>(samples.size()))]);
    std::vector<std::byte> bytes(view.begin(), view.end());
    std::uint32_t const changes = 1 + random.next_below(4);
    for (std::uint32_t i = 0; i < changes; ++i)
      bytes[random.next_below(static_cast<std::uint32_t>(bytes.size()))] =
          static_cast<std::byte>(random.next_u32());
    auto const read = reader.read(bytes, MessageClass::kReliable);
    if (!read) continue;
    ++accepted;
    auto const again = writer.write(*read);
    std::vector<std::byte> const once(again.begin(), again.end());
    auto const second = reader.read(once, MessageClass::kReliable);
    ASSERT_TRUE(second.ok()) << message(second.error());
    auto const twice = writer.write(*second);
    ASSERT_TRUE(std::equal(twice.begin(), twice.end(), once.begin(), once.end()));
  }
  EXPECT_GT(accepted, 1000u);  // the mutations reach both sides of the checks
  EXPECT_LT(accepted, 39'000u);
}

}  // namespace
}  // namespace takt::protocol
