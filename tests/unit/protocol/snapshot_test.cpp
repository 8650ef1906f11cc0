// The snapshot codec piece by piece; its laws under loss are in tests/property/protocol.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "protocol/messages/message_writer.h"
#include "protocol/snapshot/snapshot_decoder.h"
#include "protocol/snapshot/snapshot_encoder.h"
#include "protocol/snapshot/snapshot_source.h"
#include "protocol/wire/limits.h"

namespace takt::protocol {
namespace {

BodyId id_of(std::uint32_t index, std::uint32_t generation = 1) {
  return (std::uint64_t{generation} << 32) | index;
}

BodyState body_near(std::uint32_t index, std::int64_t x, std::uint32_t generation = 1) {
  BodyState body;
  body.id = id_of(index, generation);
  body.position.x = x;
  return body;
}

std::vector<BodyState> world_of(std::uint32_t count, std::int64_t x) {
  std::vector<BodyState> bodies;
  for (std::uint32_t i = 0; i < count; ++i) bodies.push_back(body_near(i, x));
  return bodies;
}

std::size_t body_count(const std::vector<SnapshotEncoder::Outgoing>& parts) {
  std::size_t count = 0;
  for (auto const& one : parts) count += one.part.bodies.size();
  return count;
}

void deliver_all(SnapshotEncoder& encoder, const std::vector<SnapshotEncoder::Outgoing>& parts) {
  for (auto const& one : parts) encoder.handle_delivered(one.token);
}

TEST(SnapshotSource, ARevisionMovesOnlyWithItsBody) {
  SnapshotSource source;
  source.update(1, world_of(3, 0));
  auto bodies = world_of(3, 0);
  bodies[1].position.x = 9;
  source.update(2, bodies);
  EXPECT_EQ(source.slots()[0].revision, 1u);
  EXPECT_EQ(source.slots()[1].revision, 2u);
  source.update(3, std::span(bodies).first(2));
  EXPECT_EQ(source.slots()[2].revision, 3u);
  EXPECT_FALSE(source.slots()[2].present);
  source.update(4, std::span(bodies).first(2));
  EXPECT_EQ(source.slots()[2].revision, 3u);
  EXPECT_EQ(source.body_count(), 2u);
}

TEST(SnapshotSource, TheOrderOfBodiesDoesNotMatter) {
  SnapshotSource source;
  auto bodies = world_of(5, 7);
  source.update(1, bodies);
  std::reverse(bodies.begin(), bodies.end());
  source.update(2, bodies);
  for (auto const& slot : source.slots()) EXPECT_EQ(slot.revision, 1u);
}

TEST(SnapshotEncoder, SendsEverythingFirstThenOnlyWhatChanged) {
  SnapshotSource source;
  SnapshotEncoder encoder;
  source.update(1, world_of(20, 0));
  auto first = encoder.encode(source);
  EXPECT_EQ(first.size(), 2u);
  EXPECT_EQ(body_count(first), 20u);
  EXPECT_EQ(first[0].part.serial, 1u);
  EXPECT_EQ(first[0].part.part_count, 2u);
  EXPECT_EQ(first[1].part.part, 1u);
  EXPECT_EQ(encoder.baseline(), 0u);
  deliver_all(encoder, first);
  EXPECT_EQ(encoder.baseline(), 1u);
  EXPECT_TRUE(encoder.is_settled(source));
  auto bodies = world_of(20, 0);
  bodies[4].position.y = 3;
  source.update(2, bodies);
  EXPECT_FALSE(encoder.is_settled(source));
  auto const second = encoder.encode(source);
  ASSERT_EQ(second.size(), 1u);
  ASSERT_EQ(second[0].part.bodies.size(), 1u);
  EXPECT_EQ(second[0].part.bodies[0], bodies[4]);
  EXPECT_EQ(second[0].part.baseline, 1u);
}

TEST(SnapshotEncoder, AnIdleWorldStillSaysItsTickNowAndThen) {
  SnapshotSource source;
  SnapshotEncoder encoder;
  source.update(1, world_of(1, 0));
  deliver_all(encoder, encoder.encode(source));
  std::size_t parts = 0;
  for (std::uint64_t tick = 2; tick < 2 + 10 * SnapshotEncoder::kIdleSnapshots; ++tick) {
    source.update(tick, world_of(1, 0));
    auto const out = encoder.encode(source);
    deliver_all(encoder, out);
    parts += out.size();
    EXPECT_EQ(body_count(out), 0u);
  }
  EXPECT_EQ(parts, 10u);
}

TEST(SnapshotEncoder, ALostPartGoesAgainAndALaterStateOverridesIt) {
  SnapshotSource source;
  SnapshotEncoder encoder;
  source.update(1, world_of(2, 0));
  auto const first = encoder.encode(source);
  auto bodies = world_of(2, 0);
  bodies[0].position.x = 5;
  source.update(2, bodies);
  auto const second = encoder.encode(source);
  ASSERT_EQ(body_count(second), 1u);
  encoder.handle_lost(first[0].token);
  source.update(3, bodies);
  auto const third = encoder.encode(source);
  // Body 1 was only in the lost part; body 0's newer record is still under way.
  ASSERT_EQ(body_count(third), 1u);
  EXPECT_EQ(third[0].part.bodies[0].id, id_of(1));
  EXPECT_EQ(encoder.baseline(), 0u);
  deliver_all(encoder, second);
  deliver_all(encoder, third);
  EXPECT_TRUE(encoder.is_settled(source));
  EXPECT_EQ(encoder.parts_in_flight(), 0u);
}

std::vector<MoverInput> movers_of(const std::vector<SnapshotEncoder::Outgoing>& parts) {
  std::vector<MoverInput> out;
  for (auto const& one : parts) out.insert(out.end(), one.part.movers.begin(), one.part.movers.end());
  return out;
}

// A mover that walks against a wall stands still: its body does not change, and its input does.
TEST(SnapshotEncoder, AnInputOfAMoverGoesWithItsBodyToThoseWhoWantIt) {
  SnapshotSource source;
  SnapshotEncoder predicted;
  SnapshotEncoder watching;
  SnapshotWants const wants{.movers = true};
  auto const publish = [&](float x) {
    source.update(1, world_of(3, 0));
    source.update_movers(std::vector<MoverInput>{{id_of(1), {x, 0, 0}, 0.5f, kMoverHeadingFrame}});
  };
  publish(2);
  auto const first = predicted.encode(source, wants);
  ASSERT_EQ(movers_of(first).size(), 1u);
  EXPECT_EQ(movers_of(first)[0], source.slots()[1].input);
  deliver_all(predicted, first);
  auto const of_others = watching.encode(source);
  EXPECT_TRUE(movers_of(of_others).empty());
  deliver_all(watching, of_others);
  publish(2);
  EXPECT_EQ(body_count(predicted.encode(source, wants)), 0u);
  publish(3);
  EXPECT_FALSE(predicted.is_settled(source));
  EXPECT_TRUE(watching.is_settled(source));
  EXPECT_EQ(body_count(watching.encode(source)), 0u);
  auto const second = predicted.encode(source, wants);
  EXPECT_EQ(body_count(second), 1u);
  ASSERT_EQ(movers_of(second).size(), 1u);
  EXPECT_EQ(movers_of(second)[0].velocity.x, 3);
  predicted.handle_lost(second[0].token);
  EXPECT_EQ(movers_of(predicted.encode(source, wants)).size(), 1u);
}

TEST(SnapshotEncoder, PartsWithInputsOfMoversFitADatagramAndTheBudget) {
  SnapshotSource source;
  SnapshotEncoder encoder;
  std::uint32_t const count = 40;
  source.update(1, world_of(count, 0));
  deliver_all(encoder, encoder.encode(source, {.movers = true}));
  source.update(2, world_of(count, 1));
  std::vector<MoverInput> inputs;
  for (std::uint32_t i = 0; i < count; i += 2) inputs.push_back({id_of(i), {1, 2, 3}, 4, 0});
  source.update_movers(inputs);
  std::size_t const bytes_max = 20 * kBodyStateBytes;
  std::set<BodyId> arrived;
  for (int i = 0; i < 10; ++i) {
    auto const parts = encoder.encode(source, {.movers = true}, bytes_max);
    deliver_all(encoder, parts);
    std::size_t bytes = 0;
    for (auto const& one : parts) {
      MessageWriter writer;
      EXPECT_LE(writer.write(one.part).size(), kUnreliableBytesMax);
      bytes += one.part.bodies.size() * kBodyStateBytes + one.part.movers.size() * kMoverInputBytes;
      for (const BodyState& body : one.part.bodies) arrived.insert(body.id);
    }
    EXPECT_LE(bytes, bytes_max);
  }
  EXPECT_EQ(arrived.size(), count);
  EXPECT_TRUE(encoder.is_settled(source));
}

TEST(SnapshotDecoder, AnInputOfAMoverWithoutARecordIsErased) {
  SnapshotDecoder decoder;
  SnapshotPart part;
  part.serial = 1;
  part.bodies = {body_near(1, 0)};
  part.movers = {{id_of(1), {1, 0, 0}, 0, 0}, {id_of(2), {1, 0, 0}, 0, 0}, {id_of(1, 2), {1, 0, 0}, 0, 0}};
  EXPECT_EQ(decoder.handle_part(part), SnapshotDecoder::Outcome::kCompleted);
  ASSERT_EQ(part.movers.size(), 1u);
  EXPECT_EQ(part.movers[0].body, id_of(1));
}

TEST(SnapshotSource, AnInputGoesWithItsBody) {
  SnapshotSource source;
  source.update(1, world_of(1, 0));
  source.update_movers(std::vector<MoverInput>{{id_of(0), {1, 0, 0}, 0, 0}});
  source.update(2, {});
  source.update(3, std::vector{body_near(0, 0, 2)});  // a box with the index of the mover's body
  EXPECT_FALSE(source.slots()[0].input.has_value());
}

TEST(SnapshotEncoder, AStateThatWentAndCameBackIsSentAgain) {
  // A, then B under way, then A again: leaving A out would leave the client with B.
  SnapshotSource source;
  SnapshotEncoder encoder;
  SnapshotDecoder decoder;
  source.update(1, world_of(1, 0));
  auto first = encoder.encode(source);
  EXPECT_EQ(decoder.handle_part(first[0].part), SnapshotDecoder::Outcome::kCompleted);
  encoder.handle_delivered(first[0].token);
  source.update(2, world_of(1, 9));
  auto second = encoder.encode(source);
  EXPECT_EQ(decoder.handle_part(second[0].part), SnapshotDecoder::Outcome::kCompleted);
  source.update(3, world_of(1, 0));
  auto third = encoder.encode(source);
  ASSERT_EQ(body_count(third), 1u);
  EXPECT_EQ(decoder.handle_part(third[0].part), SnapshotDecoder::Outcome::kCompleted);
  EXPECT_EQ(decoder.find(id_of(0))->position.x, 0);
}

TEST(SnapshotEncoder, RemovalsAreRepeatedUntilTheyArrive) {
  SnapshotSource source;
  SnapshotEncoder encoder;
  source.update(1, world_of(2, 0));
  deliver_all(encoder, encoder.encode(source));
  source.update(2, world_of(1, 0));
  auto const first = encoder.encode(source);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].part.removed, std::vector<BodyId>{id_of(1)});
  encoder.handle_lost(first[0].token);
  source.update(3, world_of(1, 0));
  auto const second = encoder.encode(source);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].part.removed, std::vector<BodyId>{id_of(1)});
  deliver_all(encoder, second);
  EXPECT_TRUE(encoder.is_settled(source));
  source.update(4, world_of(1, 0));
  EXPECT_TRUE(encoder.encode(source).empty());
}

TEST(SnapshotEncoder, ABodyThatTheClientNeverSawNeedsNoRemoval) {
  SnapshotSource source;
  SnapshotEncoder encoder;
  source.update(1, world_of(2, 0));
  source.update(2, world_of(1, 0));
  auto const parts = encoder.encode(source);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].part.removed.empty());
}

TEST(SnapshotEncoder, StaysWithinItsBudgetAndStarvesNobody) {
  constexpr std::uint32_t kBodies = 500;
  SnapshotBudget budget;
  budget.bytes_per_snapshot = budget.bytes_per_snapshot_joining = 20 * kBodyStateBytes;
  SnapshotEncoder encoder(budget);
  SnapshotSource source;
  std::vector<std::uint64_t> last(kBodies, 0);
  std::uint64_t longest = 0;
  for (std::uint64_t tick = 1; tick <= 200; ++tick) {
    auto bodies = world_of(kBodies, static_cast<std::int64_t>(tick));
    for (std::uint32_t i = 0; i < kBodies / 10; ++i)
      bodies[i].linear_velocity.x = 10;  // the quick ones may go first, not alone
    source.update(tick, bodies);
    auto const parts = encoder.encode(source);
    EXPECT_LE(body_count(parts), 20u);
    EXPECT_EQ(parts[0].part.deferred, kBodies - 20);
    for (auto const& one : parts)
      for (auto const& body : one.part.bodies) {
        auto const index = static_cast<std::uint32_t>(body.id);
        longest = std::max(longest, tick - last[index]);
        last[index] = tick;
      }
    deliver_all(encoder, parts);
  }
  for (std::uint32_t i = 0; i < kBodies; ++i) longest = std::max(longest, 201 - last[i]);
  // 50 quick bodies at weight 3 and 450 at weight 1 share 20 places a tick: in the long run a slow one waits
  // (50 x 3 + 450) / 20 = 30 ticks. At the start all wait at once, and a quick one served at tick s overtakes
  // the slow again at 1.5 s: 1 + log_1.5(40 / 2.5) = 7.8 services of each until the last slow one's turn at
  // (450 + 50 x 7.8) / 20 = 42.
  EXPECT_LE(longest, 42u);
  EXPECT_GE(longest, 25u);
}

TEST(SnapshotEncoder, ATinyBudgetStillMakesProgress) {
  SnapshotBudget budget;
  budget.bytes_per_snapshot = budget.bytes_per_snapshot_joining = 1;
  SnapshotEncoder encoder(budget);
  SnapshotSource source;
  source.update(1, world_of(3, 0));
  for (int i = 0; i < 3; ++i) {
    auto const parts = encoder.encode(source);
    EXPECT_EQ(body_count(parts), 1u);
    deliver_all(encoder, parts);
  }
  EXPECT_TRUE(encoder.is_settled(source));
}

TEST(SnapshotEncoder, JoiningHasABudgetOfItsOwn) {
  SnapshotEncoder encoder;
  SnapshotSource source;
  source.update(1, world_of(1000, 0));
  EXPECT_EQ(body_count(encoder.encode(source)),
            SnapshotBudget{}.bytes_per_snapshot_joining / kBodyStateBytes);
  for (int i = 0; i < 10; ++i) (void)encoder.encode(source);
  source.update(2, world_of(1000, 1));
  EXPECT_EQ(body_count(encoder.encode(source)), SnapshotBudget{}.bytes_per_snapshot / kBodyStateBytes);
}

TEST(SnapshotEncoder, EncodingIsDeterministic) {
  auto const run = [] {
    SnapshotEncoder encoder;
    SnapshotSource source;
    std::vector<BodyId> order;
    for (std::uint64_t tick = 1; tick < 50; ++tick) {
      source.update(tick, world_of(300, static_cast<std::int64_t>(tick)));
      for (auto const& one : encoder.encode(source)) {
        for (auto const& body : one.part.bodies) order.push_back(body.id);
        if (tick % 3 == 0) encoder.handle_lost(one.token);
      }
    }
    return order;
  };
  EXPECT_EQ(run(), run());
}

TEST(SnapshotEncoder, ForgottenPartsCountAsLost) {
  SnapshotSource source;
  SnapshotEncoder encoder;
  for (std::uint64_t tick = 1; tick <= SnapshotEncoder::kPartsInFlightMax + 10; ++tick) {
    source.update(tick, world_of(1, static_cast<std::int64_t>(tick)));
    (void)encoder.encode(source);
  }
  EXPECT_LE(encoder.parts_in_flight(), SnapshotEncoder::kPartsInFlightMax);
}

// ---------------------------------------------------------------- decoder

SnapshotPart part_of(std::uint32_t serial, std::vector<BodyState> bodies, std::vector<BodyId> removed = {}) {
  SnapshotPart part;
  part.serial = serial;
  part.tick = serial * 10;
  part.bodies = std::move(bodies);
  part.removed = std::move(removed);
  return part;
}

TEST(SnapshotDecoder, TheNewestRecordOfABodyWins) {
  SnapshotDecoder decoder;
  auto newer = part_of(2, {body_near(0, 20)});
  auto older = part_of(1, {body_near(0, 10), body_near(1, 10)});
  EXPECT_EQ(decoder.handle_part(newer), SnapshotDecoder::Outcome::kCompleted);
  EXPECT_EQ(decoder.handle_part(older), SnapshotDecoder::Outcome::kCompleted);
  EXPECT_EQ(decoder.find(id_of(0))->position.x, 20);
  EXPECT_EQ(decoder.find(id_of(1))->position.x, 10);
  EXPECT_EQ(older.bodies.size(), 2u);  // the old sample of body 0 is still a valid sample
  EXPECT_EQ(decoder.newest_tick(), 20u);
  EXPECT_EQ(decoder.complete_tick(), 20u);
  EXPECT_EQ(decoder.body_count(), 2u);
}

TEST(SnapshotDecoder, ARemovedBodyStaysRemoved) {
  SnapshotDecoder decoder;
  auto spawn = part_of(1, {body_near(0, 10)});
  auto late = part_of(2, {body_near(0, 20)});
  auto removal = part_of(3, {}, {id_of(0)});
  (void)decoder.handle_part(spawn);
  (void)decoder.handle_part(removal);
  EXPECT_EQ(removal.removed.size(), 1u);
  EXPECT_EQ(decoder.find(id_of(0)), nullptr);
  EXPECT_EQ(decoder.handle_part(late), SnapshotDecoder::Outcome::kCompleted);
  EXPECT_TRUE(late.bodies.empty());
  EXPECT_EQ(decoder.find(id_of(0)), nullptr);
  EXPECT_EQ(decoder.body_count(), 0u);
}

TEST(SnapshotDecoder, AReusedIndexIsAnotherBody) {
  SnapshotDecoder decoder;
  auto first = part_of(1, {body_near(0, 10, 1)});
  auto second = part_of(3, {body_near(0, 30, 2)});
  auto late = part_of(2, {body_near(0, 20, 1)});
  (void)decoder.handle_part(first);
  (void)decoder.handle_part(second);
  (void)decoder.handle_part(late);
  EXPECT_TRUE(late.bodies.empty());
  EXPECT_EQ(decoder.find(id_of(0, 1)), nullptr);
  ASSERT_NE(decoder.find(id_of(0, 2)), nullptr);
  EXPECT_EQ(decoder.body_count(), 1u);
}

TEST(SnapshotDecoder, TellsWhenASnapshotIsWhole) {
  SnapshotDecoder decoder;
  auto first = part_of(1, {body_near(0, 1)});
  first.part_count = 2;
  auto second = part_of(1, {body_near(1, 1)});
  second.part_count = 2;
  second.part = 1;
  EXPECT_EQ(decoder.handle_part(second), SnapshotDecoder::Outcome::kApplied);
  EXPECT_EQ(decoder.complete_tick(), 0u);
  auto copy = second;
  EXPECT_EQ(decoder.handle_part(copy), SnapshotDecoder::Outcome::kDuplicate);
  EXPECT_EQ(decoder.handle_part(first), SnapshotDecoder::Outcome::kCompleted);
  EXPECT_EQ(decoder.complete_tick(), 10u);
}

TEST(SnapshotDecoder, RefusesWhatNoHonestServerSends) {
  SnapshotDecoder decoder;
  auto null_id = part_of(1, {body_near(0, 1, 0)});
  EXPECT_EQ(decoder.handle_part(null_id), SnapshotDecoder::Outcome::kIndexRange);
  auto far = part_of(1, {body_near(kBodyIndexMax, 1)});
  EXPECT_EQ(decoder.handle_part(far), SnapshotDecoder::Outcome::kIndexRange);
  auto far_removal = part_of(1, {}, {id_of(kBodyIndexMax)});
  EXPECT_EQ(decoder.handle_part(far_removal), SnapshotDecoder::Outcome::kIndexRange);
  EXPECT_TRUE(decoder.slots().empty());
  auto good = part_of(1, {body_near(0, 1)});
  good.part_count = 3;
  EXPECT_EQ(decoder.handle_part(good), SnapshotDecoder::Outcome::kApplied);
  auto other_count = part_of(1, {});
  other_count.part_count = 2;
  other_count.part = 1;
  EXPECT_EQ(decoder.handle_part(other_count), SnapshotDecoder::Outcome::kInconsistent);
  auto other_tick = part_of(1, {});
  other_tick.part_count = 3;
  other_tick.part = 1;
  other_tick.tick = 99;
  EXPECT_EQ(decoder.handle_part(other_tick), SnapshotDecoder::Outcome::kInconsistent);
}

TEST(SnapshotDecoder, RefusesPartsThatAreTooOld) {
  SnapshotDecoder decoder;
  auto newest = part_of(1000, {});
  (void)decoder.handle_part(newest);
  auto edge = part_of(1001 - kSnapshotAgeMax, {});
  EXPECT_EQ(decoder.handle_part(edge), SnapshotDecoder::Outcome::kCompleted);
  auto stale = part_of(1000 - kSnapshotAgeMax, {});
  EXPECT_EQ(decoder.handle_part(stale), SnapshotDecoder::Outcome::kStale);
}

}  // namespace
}  // namespace takt::protocol
