#include "protocol/messages/repeated_inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "protocol/messages/same_command.h"
#include "protocol/session/input_receiver.h"
#include "protocol/session/input_sender.h"
#include "takt/core/random.h"
#include "tests/unit/protocol/endpoint_pair.h"

namespace takt::protocol {
namespace {

MoveCommand move(float x) { return {(1ull << 32) + 7, {x, 0, 0}, 0, false, false}; }

std::vector<Input> inputs_of(std::uint32_t sequence, std::initializer_list<std::uint64_t> ticks) {
  std::vector<Input> out;
  for (std::uint64_t const tick : ticks) out.push_back({tick, sequence++, move(1)});
  return out;
}

TEST(RepeatedInputs, HaveTwentyFourBytesAndComeBack) {
  for (auto const& inputs : {inputs_of(1, {0}), inputs_of(65'535, {70'000, 70'000, 70'003, 70'004}),
                             inputs_of(4'000'000'000u, {1ull << 40, (1ull << 40) + 1})}) {
    auto const repeated = repeated_inputs(inputs, inputs.front().tick);
    ASSERT_TRUE(repeated);
    std::vector<std::byte> bytes;
    write_repeated_inputs(*repeated, bytes);
    EXPECT_EQ(bytes.size(), 24u);
    auto const read = read_repeated_inputs(bytes);
    ASSERT_TRUE(read);
    // The server is some inputs and ticks away from them.
    for (int away : {-200, -1, 0, 1, 200}) {
      if (away < 0 && inputs.front().tick < 200) continue;
      auto const expanded =
          expand(*read, move(1), inputs.front().sequence + static_cast<std::uint32_t>(away < 0 ? -1 : 0),
                 inputs.front().tick + static_cast<std::uint64_t>(static_cast<std::int64_t>(away)));
      ASSERT_EQ(expanded.inputs.size(), inputs.size());
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_EQ(expanded.inputs[i].sequence, inputs[i].sequence);
        EXPECT_EQ(expanded.inputs[i].tick, inputs[i].tick);
        EXPECT_EQ(expanded.inputs[i].command, inputs[i].command);
      }
    }
  }
}

TEST(RepeatedInputs, WhatDoesNotFitHasNoShortForm) {
  EXPECT_FALSE(repeated_inputs({}, 1));
  EXPECT_FALSE(repeated_inputs(inputs_of(1, {1, 2, 3, 4, 5}), 1));
  EXPECT_FALSE(repeated_inputs(inputs_of(1, {1, 5}), 1));
  EXPECT_FALSE(repeated_inputs(inputs_of(1, {5, 4}), 1));
  auto gap = inputs_of(1, {1, 2});
  gap[1].sequence = 3;
  EXPECT_FALSE(repeated_inputs(gap, 1));
}

// An input that is 65,536 ticks late must be refused as late, and not act now.
TEST(RepeatedInputs, TicksFarFromTheServersHaveNoShortForm) {
  for (std::uint64_t const server_tick : {0u, 100'000u}) {
    auto const at = [&](std::uint64_t tick) { return repeated_inputs(inputs_of(9, {tick}), server_tick); };
    EXPECT_TRUE(at(server_tick + kRepeatedTicksAwayMax));
    EXPECT_FALSE(at(server_tick + kRepeatedTicksAwayMax + 1));
    EXPECT_FALSE(at(server_tick + 65'536));
    if (server_tick == 0) continue;
    EXPECT_TRUE(at(server_tick - kRepeatedTicksAwayMax));
    EXPECT_FALSE(at(server_tick - kRepeatedTicksAwayMax - 1));
    EXPECT_FALSE(at(server_tick - 65'536));
  }
}

TEST(RepeatedInputs, NoTickIsBelowZero) {
  auto const expanded = expand({60'000, 60'000, 1, {}}, move(1), 5, 5);
  EXPECT_EQ(expanded.inputs[0].tick, 60'000u);
  EXPECT_EQ(expanded.inputs[0].sequence, 60'000u);
}

// A server that has +0 must not apply it where the client predicts with -0.
TEST(RepeatedInputs, ZerosWithOtherSignsAreOtherCommands) {
  auto const teleport = [](float x) { return TeleportCommand{(1ull << 32) + 7, {}, {x, 0, 0, 1}, {}, {}}; };
  ASSERT_EQ(Command(teleport(0.0f)), Command(teleport(-0.0f)));
  InputSender sender(false);
  std::vector<Input> batch;
  sender.push(1, teleport(0.0f));
  ASSERT_TRUE(sender.poll(1'000'000, 200'000, batch));
  ASSERT_TRUE(sender.handle_ack(1));
  sender.push(2, teleport(-0.0f));
  ASSERT_TRUE(sender.poll(1'016'000, 200'000, batch));
  EXPECT_FALSE(sender.repeats(batch));
  ASSERT_TRUE(sender.handle_ack(2));
  sender.push(3, teleport(-0.0f));
  ASSERT_TRUE(sender.poll(1'032'000, 200'000, batch));
  EXPECT_TRUE(sender.repeats(batch));

  std::vector<Input> const inputs{
      {1, 1, teleport(0.0f)}, {2, 2, teleport(-0.0f)}, {3, 3, teleport(-0.0f)}, {4, 4, teleport(0.0f)}};
  MessageWriter writer;
  MessageReader reader;
  auto read = reader.read(writer.write(std::span<const Input>(inputs)), MessageClass::kDatagram);
  ASSERT_TRUE(read);
  auto const& back = std::get<Inputs>(*read).inputs;
  ASSERT_EQ(back.size(), inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EXPECT_EQ(std::signbit(std::get<TeleportCommand>(back[i].command).rotation.x), i == 1 || i == 2) << i;
}

TEST(SameCommand, EachFieldCounts) {
  ChangeJointCommand joint;
  joint.joint = (1ull << 32) + 1;
  joint.length = 0.0;
  joint.hold = JointHold{true, 0.0, {}, 1.0};
  joint.frame_a = JointPlace{};
  auto const differs = [&](auto change) {
    ChangeJointCommand other = joint;
    change(other);
    return !same_command(joint, other) && !same_command(other, joint);
  };
  EXPECT_TRUE(same_command(joint, joint));
  EXPECT_FALSE(same_command(joint, ReleaseCommand{}));
  EXPECT_TRUE(differs([](auto& one) { one.length = -0.0; }));
  EXPECT_TRUE(differs([](auto& one) { one.length.reset(); }));
  EXPECT_TRUE(differs([](auto& one) { one.hold->target = -0.0; }));
  EXPECT_TRUE(differs([](auto& one) { one.hold->softness.second = -0.0; }));
  EXPECT_TRUE(differs([](auto& one) { one.frame_a->rotation.z = -0.0; }));
  EXPECT_TRUE(differs([](auto& one) { one.frame_a->position.y = -0.0; }));
  EXPECT_TRUE(differs([](auto& one) { one.axis = 4; }));
  SpawnCommand spawn;
  SpawnCommand other = spawn;
  other.shape.local_position.z = -0.0f;
  EXPECT_TRUE(same_command(spawn, spawn));
  EXPECT_FALSE(same_command(spawn, other));
  EXPECT_TRUE(same_command(CustomCommand{{std::byte{1}}}, CustomCommand{{std::byte{1}}}));
  EXPECT_FALSE(same_command(CustomCommand{{std::byte{1}}}, CustomCommand{{std::byte{2}}}));
}

TEST(RepeatedInputs, OtherBytesAreNone) {
  MessageWriter writer;
  EXPECT_FALSE(read_repeated_inputs(writer.write(KeepAlive{})));
  EXPECT_FALSE(read_repeated_inputs(writer.write(Ping{77})));
  EXPECT_FALSE(read_repeated_inputs({}));
  std::vector<std::byte> bytes;
  write_repeated_inputs(*repeated_inputs(inputs_of(9, {9, 10}), 9), bytes);
  MessageReader reader;
  EXPECT_FALSE(reader.read(bytes, MessageClass::kDatagram)) << "no message of the union";
  for (std::size_t size = 0; size < bytes.size(); ++size)
    (void)read_repeated_inputs(std::span(bytes).first(size));
  Random random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> noise = bytes;
    for (int flips = 0; flips < 3; ++flips)
      noise[random.next_below(static_cast<std::uint32_t>(noise.size()))] = std::byte(random.next_below(256));
    if (auto const read = read_repeated_inputs(noise)) {
      EXPECT_GE(read->count, 1);
      EXPECT_LE(read->count, kRepeatedInputsMax);
    }
  }
}

// Both ends with a path between them that loses, repeats and reorders datagrams and acknowledgements. A
// walker changes its Move now and then; every input must come out as it went in.
struct Walk {
  std::uint64_t messages = 0;
  std::uint64_t short_messages = 0;
  std::size_t inputs = 0;
};

Walk walk(std::uint64_t seed, std::uint32_t loss_percent, std::uint32_t change_percent) {
  Random random(seed);
  InputSender sender(false);
  InputReceiver receiver(10'000, 10'000, 0);
  Counters counters;
  MessageWriter writer;
  MessageReader reader;
  std::multimap<std::uint64_t, std::vector<std::byte>> up;
  std::multimap<std::uint64_t, std::uint32_t> down;
  std::vector<Input> sent;
  std::vector<Input> taken;
  Walk out;
  float direction = 0;
  for (std::uint64_t now_us = 1'000'000; now_us < 21'000'000; now_us += 1000) {
    std::uint64_t const tick = now_us * 60 / 1'000'000;
    auto const arrival = [&] { return now_us + 50'000 + random.next_below(40) * 1000; };
    if (now_us < 19'000'000 && now_us % 16'000 == 0) {
      if (random.next_below(100) < change_percent) direction = static_cast<float>(random.next_below(3));
      std::uint32_t const sequence = sender.push(tick + 5, move(direction));
      sent.push_back({tick + 5, sequence, move(direction)});
    }
    std::vector<Input> batch;
    while (sender.poll(now_us, 200'000, batch)) {
      auto const repeated = sender.repeats(batch) ? repeated_inputs(batch, tick) : std::nullopt;
      std::vector<std::byte> bytes;
      if (repeated) {
        write_repeated_inputs(*repeated, bytes);
      } else {
        auto const message = writer.write(std::span<const Input>(batch));
        bytes.assign(message.begin(), message.end());
      }
      ++out.messages;
      out.short_messages += repeated ? 1 : 0;
      if (random.next_below(100) >= loss_percent) up.emplace(arrival(), bytes);
      if (random.next_below(100) < 20) up.emplace(arrival(), bytes);
    }
    for (auto at = up.begin(); at != up.end() && at->first <= now_us; at = up.erase(at)) {
      Inputs message;
      if (auto const repeated = read_repeated_inputs(at->second)) {
        EXPECT_NE(receiver.last_command(), nullptr) << "seed " << seed;
        if (receiver.last_command() == nullptr) continue;
        message = expand(*repeated, *receiver.last_command(), receiver.received_through(), tick);
      } else {
        auto read = reader.read(at->second, MessageClass::kDatagram);
        EXPECT_TRUE(read.ok());
        message = std::get<Inputs>(*std::move(read));
      }
      auto got = receiver.handle_inputs(now_us, tick, std::move(message), counters);
      for (const CommandOutcome& refused : got.refused)
        ADD_FAILURE() << "seed " << seed << " input " << refused.sequence << " refused, reason "
                      << static_cast<int>(refused.refusal);
      for (Input& input : got.inputs) taken.push_back(std::move(input));
      if (random.next_below(100) >= loss_percent) down.emplace(arrival(), receiver.received_through());
    }
    for (auto at = down.begin(); at != down.end() && at->first <= now_us; at = down.erase(at))
      EXPECT_TRUE(sender.handle_ack(at->second));
  }
  EXPECT_EQ(taken.size(), sent.size()) << "seed " << seed;
  for (std::size_t i = 0; i < std::min(taken.size(), sent.size()); ++i) {
    bool const is_equal = taken[i].sequence == sent[i].sequence && taken[i].tick == sent[i].tick &&
                          taken[i].command == sent[i].command;
    EXPECT_TRUE(is_equal) << "seed " << seed << " input " << i;
    if (!is_equal) break;
  }
  out.inputs = sent.size();
  return out;
}

TEST(RepeatedInputs, EveryInputComesOutAsItWentIn) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Walk const steady = walk(seed, 0, 0);
    EXPECT_GT(steady.short_messages * 10, steady.messages * 9) << "seed " << seed;
    Walk const bad = walk(seed + 100, 25, 3);
    EXPECT_GT(bad.short_messages, 50u) << "seed " << seed;
    (void)walk(seed + 200, 40, 30);
  }
}

// A new input takes the repeats of those before it with it.
TEST(InputSender, RepeatsRideWithTheNextInput) {
  for (std::uint64_t const interval_us : {16'000u, 16'667u, 33'000u}) {
    InputSender sender(false);
    std::vector<Input> out;
    std::uint64_t messages = 0;
    std::uint64_t inputs = 0;
    for (std::uint64_t now_us = 1'000'000; now_us < 3'000'000; now_us += 500) {
      if ((now_us - 1'000'000) / interval_us != (now_us - 1'000'500) / interval_us || now_us == 1'000'000) {
        sender.push(1, move(1));
        ++inputs;
      }
      while (sender.poll(now_us, 200'000, out)) ++messages;
      if (now_us % 50'000 == 0 && sender.next_sequence() > 8)
        (void)sender.handle_ack(sender.next_sequence() - 6);
    }
    EXPECT_LE(messages, inputs + 4) << interval_us;
  }
}

// The last input of a run has no successor to ride with: who lets go of the stick sends "stop" once.
TEST(InputSender, AChangedCommandIsRepeatedSoon) {
  InputSender sender(false);
  std::vector<Input> out;
  for (std::uint64_t i = 0; i < 3; ++i) {
    sender.push(2 * i, move(1));
    while (sender.poll(1'000'000 + i * 33'000, 200'000, out)) {
    }
  }
  ASSERT_TRUE(sender.handle_ack(3));
  sender.push(6, move(0));
  std::uint64_t const sent_us = 1'099'000;
  ASSERT_TRUE(sender.poll(sent_us, 200'000, out));
  EXPECT_EQ(sender.next_wakeup_us(sent_us, 200'000), sent_us + InputSender::kRepeatSpacing);
  ASSERT_TRUE(sender.poll(sent_us + InputSender::kRepeatSpacing, 200'000, out));
  EXPECT_EQ(out.back().sequence, 4u);
}

// ---------------------------------------------------------------- at the server

class RepeatedInputsAtTheServer : public test::EndpointPair {
 protected:
  RepeatedInputsAtTheServer() {
    server.handle_tick(now_us, 1000);
    exchange();
  }
  void send(std::uint32_t sequence, std::uint64_t tick, std::uint8_t count = 1) {
    std::vector<std::byte> bytes;
    std::vector<std::byte> section;
    write_repeated_inputs(
        {static_cast<std::uint16_t>(sequence), static_cast<std::uint16_t>(tick), count, {1, 1, 1}}, bytes);
    write_section({SectionKind::kMessage, false, 0, bytes}, section);
    send_as_client(section);
  }
  std::vector<Input> arrived() {
    std::vector<Input> out;
    ServerEvent event;
    while (server.poll_event(event))
      if (auto* inputs = std::get_if<InputsArrived>(&event))
        for (Input& input : inputs->inputs) out.push_back(std::move(input));
    return out;
  }
  std::vector<CommandOutcome> refused() {
    for (int i = 0; i < 60; ++i) exchange();
    std::vector<CommandOutcome> out;
    ClientEvent event;
    while (client.poll_event(event))
      if (auto* outcomes = std::get_if<CommandOutcomes>(&event))
        out.insert(out.end(), outcomes->outcomes.begin(), outcomes->outcomes.end());
    return out;
  }
};

TEST_F(RepeatedInputsAtTheServer, RepeatTheLastCommand) {
  send_as_client(section_of(Inputs{{{1001, 1, move(3)}}, {}}));
  send(2, 1002, 3);
  send(2, 1002, 3);
  auto const inputs = arrived();
  ASSERT_EQ(inputs.size(), 4u);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(inputs[i].sequence, i + 1);
    EXPECT_EQ(inputs[i].tick, 1001 + i);
    EXPECT_EQ(inputs[i].command, Command(move(3)));
  }
  EXPECT_EQ(at_server(Counter::kInputDuplicate), 3u);
}

// The client's own check may be wider than the server's. It is not stuck then: each input has its outcome.
TEST_F(RepeatedInputsAtTheServer, WithoutACommandTheyAreRefusedAndAcknowledged) {
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(client.send_input(now_us, 1001 + i, move(1)).ok());
  std::uint64_t const malformed = at_server(Counter::kMessageUnexpected);
  send(1, 1001, 3);
  EXPECT_TRUE(arrived().empty());
  EXPECT_EQ(at_server(Counter::kInputInvalid), 3u);
  EXPECT_EQ(at_server(Counter::kMessageUnexpected), malformed);
  auto const outcomes = refused();
  ASSERT_EQ(outcomes.size(), 3u);
  for (CommandOutcome const& one : outcomes) EXPECT_EQ(one.status, CommandStatus::kRefusedInvalid);
  // A full input has the base again.
  send_as_client(section_of(Inputs{{{1010, 4, move(2)}}, {}}));
  send(5, 1011);
  EXPECT_EQ(arrived().size(), 2u);
}

class InputAcks : public RepeatedInputsAtTheServer {
 protected:
  std::vector<std::uint32_t> acknowledged() {
    std::vector<std::uint32_t> out;
    ClientEvent event;
    while (client.poll_event(event))
      if (auto const* ack = std::get_if<InputsAcknowledged>(&event)) out.push_back(ack->received_through);
    return out;
  }
};

// Each datagram to a client that acts in every tick had one.
TEST_F(InputAcks, HaveAnIntervalWhileInputsComeInEveryTick) {
  constexpr std::uint32_t kInputs = 120;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < kInputs; ++i) {
    ASSERT_TRUE(client.send_input(now_us, 1001 + i, move(1)).ok());
    for (int ms = 0; ms < 16; ++ms) exchange();
    server.handle_tick(now_us, 1001 + i);
    count += acknowledged().size();
  }
  std::uint64_t const intervals = kInputs * 16 * kMillisecond / kInputAckInterval;
  EXPECT_LE(count, intervals + 1);
  EXPECT_GE(count, intervals / 2);  // at most kAckDelayMax and one input later
  for (int ms = 0; ms < 70; ++ms) exchange();
  auto const rest = acknowledged();
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest.back(), kInputs);
}

TEST_F(InputAcks, GoWithTheAckOfTheDatagramAfterSilence) {
  for (std::uint32_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(client.send_input(now_us, 1001, move(static_cast<float>(i))).ok());
    std::uint64_t const sent_us = now_us;
    std::vector<std::uint32_t> acks;
    while (acks.empty() && now_us < sent_us + kSecond) {
      exchange();
      acks = acknowledged();
    }
    EXPECT_EQ(acks, std::vector<std::uint32_t>{i});
    EXPECT_LE(now_us - sent_us, kAckDelayMax + 2 * kMillisecond);
    for (int ms = 0; ms < 150; ++ms) exchange();
    EXPECT_TRUE(acknowledged().size() <= 1) << "of the repeats";
  }
}

}  // namespace
}  // namespace takt::protocol
