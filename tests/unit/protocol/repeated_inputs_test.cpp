#include "protocol/messages/repeated_inputs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/input_receiver.h"
#include "protocol/session/input_sender.h"
#include "takt/core/random.h"

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
    auto const repeated = repeated_inputs(inputs);
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
  EXPECT_FALSE(repeated_inputs({}));
  EXPECT_FALSE(repeated_inputs(inputs_of(1, {1, 2, 3, 4, 5})));
  EXPECT_FALSE(repeated_inputs(inputs_of(1, {1, 5})));
  EXPECT_FALSE(repeated_inputs(inputs_of(1, {5, 4})));
  auto gap = inputs_of(1, {1, 2});
  gap[1].sequence = 3;
  EXPECT_FALSE(repeated_inputs(gap));
}

TEST(RepeatedInputs, OtherBytesAreNone) {
  MessageWriter writer;
  EXPECT_FALSE(read_repeated_inputs(writer.write(KeepAlive{})));
  EXPECT_FALSE(read_repeated_inputs(writer.write(Ping{77})));
  EXPECT_FALSE(read_repeated_inputs({}));
  std::vector<std::byte> bytes;
  write_repeated_inputs(*repeated_inputs(inputs_of(9, {9, 10})), bytes);
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
      auto const repeated = sender.repeats(batch) ? repeated_inputs(batch) : std::nullopt;
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

}  // namespace
}  // namespace takt::protocol
