// The reliable channel's two halves, the input channel's two halves, the queue before the channel, the image
// behind it.
#include <gtest/gtest.h>

#include "protocol/link/fragment_receiver.h"
#include "protocol/link/fragment_sender.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/input_receiver.h"
#include "protocol/session/input_sender.h"
#include "protocol/session/join_assembler.h"
#include "takt/core/hash.h"
#include "tests/unit/protocol/sample_messages.h"

namespace takt::protocol {
namespace {

std::vector<std::byte> pattern(std::size_t count, unsigned seed) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + seed);
  return bytes;
}

TEST(Fragments, AMessageIsCutAndPutTogether) {
  FragmentSender sender(64);
  FragmentReceiver receiver(64);
  auto const large = pattern(kFragmentBytesMax * 3 + 1, 1);
  auto const small = pattern(5, 2);
  sender.push(large);
  sender.push(small);
  EXPECT_EQ(sender.backlog_bytes(), large.size() + small.size());
  Section section;
  std::vector<std::uint32_t> numbers;
  while (sender.next(kDatagramBytesMax, section)) {
    numbers.push_back(section.fragment);
    EXPECT_EQ(receiver.handle_fragment(section), FragmentReceiver::Outcome::kFresh);
  }
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  std::vector<std::byte> message;
  ASSERT_TRUE(receiver.poll_message(message));
  EXPECT_EQ(message, large);
  ASSERT_TRUE(receiver.poll_message(message));
  EXPECT_EQ(message, small);
  EXPECT_FALSE(receiver.poll_message(message));
  for (std::uint32_t const number : numbers) sender.handle_delivered(number);
  EXPECT_EQ(sender.backlog_bytes(), 0u);
}

TEST(Fragments, TheWindowBoundsWhatIsInFlight) {
  FragmentSender sender(4);
  for (unsigned i = 0; i < 10; ++i) sender.push(pattern(10, i));
  Section section;
  std::uint32_t sent = 0;
  while (sender.next(kDatagramBytesMax, section)) ++sent;
  EXPECT_EQ(sent, 4u);
  EXPECT_FALSE(sender.is_ready());
  sender.handle_delivered(1);  // not the oldest: the window does not move
  EXPECT_FALSE(sender.is_ready());
  sender.handle_delivered(0);
  EXPECT_TRUE(sender.is_ready());
  sent = 0;
  while (sender.next(kDatagramBytesMax, section)) ++sent;
  EXPECT_EQ(sent, 2u);
}

TEST(Fragments, LostOnesGoAgainFirstAndLateAcksAreHonoured) {
  FragmentSender sender(8);
  for (unsigned i = 0; i < 4; ++i) sender.push(pattern(10, i));
  Section section;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(sender.next(kDatagramBytesMax, section));
  sender.handle_lost(1);
  sender.handle_lost(2);
  sender.handle_lost(2);       // twice: the same loss
  sender.handle_delivered(2);  // it was only late
  ASSERT_TRUE(sender.next(kDatagramBytesMax, section));
  EXPECT_EQ(section.fragment, 1u);
  ASSERT_TRUE(sender.next(kDatagramBytesMax, section));
  EXPECT_EQ(section.fragment, 3u);
  EXPECT_FALSE(sender.next(kDatagramBytesMax, section));
  EXPECT_EQ(sender.resent_count(), 1u);
  sender.handle_delivered(77);  // never sent
  sender.handle_lost(77);
  EXPECT_FALSE(sender.is_ready());
}

TEST(Fragments, NothingGoesWhereThereIsNoRoom) {
  FragmentSender sender(8);
  sender.push(pattern(100, 0));
  Section section;
  EXPECT_FALSE(sender.next(kFragmentSectionBytes + 99, section));
  EXPECT_TRUE(sender.next(kFragmentSectionBytes + 100, section));
}

TEST(Fragments, TheReceiverRefusesWhatLiesBeyondItsWindow) {
  FragmentReceiver receiver(4);
  auto const bytes = pattern(3, 0);
  EXPECT_EQ(receiver.handle_fragment({SectionKind::kFragment, true, 4, bytes}),
            FragmentReceiver::Outcome::kOutOfWindow);
  EXPECT_EQ(receiver.handle_fragment({SectionKind::kFragment, true, 3, bytes}),
            FragmentReceiver::Outcome::kFresh);
  EXPECT_EQ(receiver.handle_fragment({SectionKind::kFragment, true, 3, bytes}),
            FragmentReceiver::Outcome::kDuplicate);
  EXPECT_EQ(receiver.handle_fragment({SectionKind::kFragment, true, 0, bytes}),
            FragmentReceiver::Outcome::kFresh);
  EXPECT_EQ(receiver.handle_fragment({SectionKind::kFragment, true, 0, bytes}),
            FragmentReceiver::Outcome::kDuplicate);
  EXPECT_EQ(receiver.handle_fragment({SectionKind::kFragment, true, 0xffff'ffffu, bytes}),
            FragmentReceiver::Outcome::kDuplicate);
}

TEST(Fragments, AnEndlessMessageIsRefused) {
  FragmentReceiver receiver(4);
  auto const bytes = pattern(kFragmentBytesMax, 0);
  std::uint32_t number = 0;
  FragmentReceiver::Outcome outcome = FragmentReceiver::Outcome::kFresh;
  while (outcome == FragmentReceiver::Outcome::kFresh && number < 1000)
    outcome = receiver.handle_fragment({SectionKind::kFragment, false, number++, bytes});
  EXPECT_EQ(outcome, FragmentReceiver::Outcome::kOversize);
  EXPECT_EQ(number, kReliableBytesMax / kFragmentBytesMax + 1);
  EXPECT_EQ(receiver.handle_fragment({SectionKind::kFragment, true, number, bytes}),
            FragmentReceiver::Outcome::kOversize);
}

// ---------------------------------------------------------------- inputs

constexpr std::uint64_t kRto = 200 * kMillisecond;

TEST(InputSender, RepeatsThenWaitsForTheTimeOut) {
  InputSender sender(false);
  EXPECT_EQ(sender.push(5, ReleaseCommand{}), 1u);
  std::vector<Input> out;
  std::uint64_t now_us = 1000;
  for (std::uint32_t i = 0; i < InputSender::kRepeats; ++i) {
    ASSERT_TRUE(sender.poll(now_us, kRto, out));
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].sequence, 1u);
    EXPECT_FALSE(sender.poll(now_us, kRto, out));
    EXPECT_EQ(sender.next_wakeup_us(now_us, kRto),
              now_us + (i + 1 < InputSender::kRepeats ? InputSender::kRepeatSpacing : kRto));
    now_us += InputSender::kRepeatSpacing;
  }
  EXPECT_FALSE(sender.poll(now_us, kRto, out));
  now_us += kRto;
  EXPECT_TRUE(sender.poll(now_us, kRto, out));
  EXPECT_TRUE(sender.handle_ack(1));
  EXPECT_EQ(sender.in_flight(), 0u);
  EXPECT_EQ(sender.next_wakeup_us(now_us, kRto), ~0ull);
}

TEST(InputSender, SaysEachOnceOverAStream) {
  InputSender sender(true);
  sender.push(5, ReleaseCommand{});
  std::vector<Input> out;
  EXPECT_TRUE(sender.poll(1000, kRto, out));
  EXPECT_FALSE(sender.poll(100 * kSecond, kRto, out));
}

TEST(InputSender, IgnoresAcksOfWhatWasNeverSent) {
  InputSender sender(false);
  sender.push(5, ReleaseCommand{});
  EXPECT_FALSE(sender.handle_ack(2));
  EXPECT_EQ(sender.in_flight(), 1u);
  EXPECT_TRUE(sender.handle_ack(0));
  EXPECT_EQ(sender.in_flight(), 1u);
}

TEST(InputSender, IsFullAtItsWindow) {
  InputSender sender(false);
  for (std::size_t i = 0; i < kInputWindow; ++i) {
    ASSERT_FALSE(sender.is_full());
    sender.push(0, ReleaseCommand{});
  }
  EXPECT_TRUE(sender.is_full());
  EXPECT_TRUE(sender.handle_ack(1));
  EXPECT_FALSE(sender.is_full());
}

TEST(InputSender, WireBytesMaxIsAnUpperBound) {
  MessageWriter writer;
  Input const nothing{0, 1, ReleaseCommand{}};
  std::size_t const base = writer.write(std::span(&nothing, 1)).size() - wire_bytes_max(nothing.command);
  for (auto const& command : test::sample_commands()) {
    std::vector<Input> inputs;
    for (std::uint32_t count = 1; count <= 8; ++count) {
      inputs.push_back({count, count, command});
      EXPECT_LE(writer.write(inputs).size(), 64 + count * wire_bytes_max(command)) << command.index();
    }
  }
  EXPECT_LT(base, 64u);
}

TEST(InputSender, EveryBatchFitsADatagram) {
  InputSender sender(false);
  auto const commands = test::sample_commands();
  for (std::size_t i = 0; i < kInputWindow; ++i) {
    Command command = commands[i % commands.size()];
    if (auto* custom = std::get_if<CustomCommand>(&command))
      custom->bytes.resize(i % 2 == 0 ? kCustomBytesMax : 3);
    sender.push(i, command);
  }
  MessageWriter writer;
  std::vector<Input> out;
  std::size_t seen = 0;
  while (sender.poll(1000, kRto, out)) {
    EXPECT_LE(writer.write(std::span<const Input>(out)).size(), kUnreliableBytesMax);
    seen += out.size();
  }
  EXPECT_EQ(seen, kInputWindow);
}

Inputs message_of_inputs(std::initializer_list<std::uint32_t> sequences, std::uint64_t tick = 10) {
  Inputs message;
  for (std::uint32_t const s : sequences) message.inputs.push_back({tick, s, ReleaseCommand{}});
  return message;
}

TEST(InputReceiver, DeliversInOrderAndOnce) {
  Counters counters;
  InputReceiver receiver(1000, 1000, 0);
  EXPECT_TRUE(receiver.handle_inputs(0, 10, message_of_inputs({2, 3}), counters).inputs.empty());
  EXPECT_EQ(receiver.received_through(), 0u);
  auto const taken = receiver.handle_inputs(0, 10, message_of_inputs({1, 2}), counters);
  ASSERT_EQ(taken.inputs.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(taken.inputs[i].sequence, i + 1);
  EXPECT_EQ(receiver.received_through(), 3u);
  EXPECT_EQ(counters[Counter::kInputDuplicate], 1u);
  EXPECT_TRUE(receiver.handle_inputs(0, 10, message_of_inputs({1, 2, 3}), counters).inputs.empty());
  EXPECT_EQ(counters[Counter::kInputDuplicate], 4u);
}

TEST(InputReceiver, BoundsWhatItHolds) {
  Counters counters;
  InputReceiver receiver(1000, 1000, 0);
  (void)receiver.handle_inputs(0, 10, message_of_inputs({static_cast<std::uint32_t>(kInputWindow) + 1}),
                               counters);
  EXPECT_EQ(counters[Counter::kInputOutOfWindow], 1u);
  (void)receiver.handle_inputs(0, 10, message_of_inputs({static_cast<std::uint32_t>(kInputWindow)}),
                               counters);
  EXPECT_EQ(counters[Counter::kInputOutOfWindow], 1u);
}

TEST(InputReceiver, InvalidInputsKeepTheirPlaceAndAreRefused) {
  Counters counters;
  InputReceiver receiver(1000, 1000, 0);
  Inputs message = message_of_inputs({1, 3});
  message.invalid_sequences = {2};
  auto const taken = receiver.handle_inputs(0, 10, std::move(message), counters);
  ASSERT_EQ(taken.inputs.size(), 2u);
  ASSERT_EQ(taken.refused.size(), 1u);
  EXPECT_EQ(taken.refused[0],
            (CommandOutcome{2, CommandStatus::kRefusedInvalid, 10, CommandRefusal::kMalformed, {}}));
  EXPECT_EQ(counters[Counter::kInputInvalid], 1u);
  EXPECT_EQ(receiver.received_through(), 3u);
}

TEST(InputReceiver, RefusesBeyondTheRate) {
  Counters counters;
  InputReceiver receiver(10, 4, 0);
  auto const taken = receiver.handle_inputs(0, 10, message_of_inputs({1, 2, 3, 4, 5, 6}), counters);
  EXPECT_EQ(taken.inputs.size(), 4u);
  ASSERT_EQ(taken.refused.size(), 2u);
  EXPECT_EQ(taken.refused[1],
            (CommandOutcome{6, CommandStatus::kRefusedRate, 10, CommandRefusal::kServerRate, {}}));
  EXPECT_EQ(counters[Counter::kInputRate], 2u);
}

TEST(InputReceiver, TheMarginIsTheLeastSinceTheLastTake) {
  Counters counters;
  InputReceiver receiver(1000, 1000, 0);
  EXPECT_EQ(receiver.take_margin().ticks, 0);
  (void)receiver.handle_inputs(0, 100, message_of_inputs({1}, 105), counters);
  (void)receiver.handle_inputs(0, 100, message_of_inputs({2}, 97), counters);
  (void)receiver.handle_inputs(0, 101, message_of_inputs({3}, ~0ull), counters);
  for (int i = 0; i < 2; ++i) {  // none arrives between the two
    auto const margin = receiver.take_margin();
    EXPECT_EQ(margin.ticks, -3);
    EXPECT_EQ(margin.tick, 100u);
  }
}

// ---------------------------------------------------------------- join image

TEST(JoinAssembler, PutsSlicesTogether) {
  auto const image = pattern(1000, 3);
  std::uint64_t const hash = hash_bytes(image);
  JoinAssembler assembler(1000);
  auto const slice = [&](std::size_t from, std::size_t to) {
    return JoinSlice{
        7,
        1000,
        hash,
        from,
        {image.begin() + static_cast<std::ptrdiff_t>(from), image.begin() + static_cast<std::ptrdiff_t>(to)}};
  };
  EXPECT_EQ(assembler.handle_slice(slice(0, 400)), JoinAssembler::Outcome::kNeedMore);
  EXPECT_EQ(assembler.handle_slice(slice(400, 1000)), JoinAssembler::Outcome::kComplete);
  EXPECT_EQ(assembler.take_bytes(), image);
  EXPECT_EQ(assembler.handle_slice(JoinSlice{7, 0, hash_bytes({}), 0, {}}),
            JoinAssembler::Outcome::kComplete);
}

TEST(JoinAssembler, RefusesWhatDoesNotAddUp) {
  auto const image = pattern(100, 3);
  std::uint64_t const hash = hash_bytes(image);
  auto const fails = [&](JoinSlice first, JoinSlice second) {
    JoinAssembler assembler(1000);
    if (assembler.handle_slice(std::move(first)) == JoinAssembler::Outcome::kBad) return true;
    return assembler.handle_slice(std::move(second)) == JoinAssembler::Outcome::kBad;
  };
  JoinSlice const first{7, 100, hash, 0, {image.begin(), image.begin() + 40}};
  JoinSlice const second{7, 100, hash, 40, {image.begin() + 40, image.end()}};
  EXPECT_FALSE(fails(first, second));
  auto bent = second;
  bent.offset = 41;
  EXPECT_TRUE(fails(first, bent)) << "gap";
  bent = second;
  bent.tick = 8;
  EXPECT_TRUE(fails(first, bent)) << "another image";
  bent = second;
  bent.bytes[0] ^= std::byte{1};
  EXPECT_TRUE(fails(first, bent)) << "hash";
  bent = second;
  bent.bytes.clear();
  EXPECT_TRUE(fails(first, bent)) << "empty slice";
  bent = first;
  bent.total_bytes = 1001;
  EXPECT_TRUE(fails(bent, second)) << "too large";
  EXPECT_TRUE(fails(second, first)) << "does not begin at 0";
}

}  // namespace
}  // namespace takt::protocol
