// Ropes in snapshots under loss, reorder and duplicates: whatever happens on the way, a client ends with the
// server's ropes, to the bit of what is on the wire.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "protocol/messages/rope_codec.h"
#include "protocol/snapshot/snapshot_decoder.h"
#include "protocol/snapshot/snapshot_encoder.h"
#include "protocol/snapshot/snapshot_source.h"
#include "takt/core/random.h"
#include "tests/property/numbers/seed.h"

namespace takt::protocol {
namespace {

// Ropes that move, are cut, come and go; indices are used again with a greater generation.
class RopeWorld {
 public:
  RopeWorld(std::uint32_t places, Random& random)
      : random_(&random), generations_(places, 0), ropes_(places) {}
  std::vector<RopeState> step() {
    for (std::uint32_t index = 0; index < ropes_.size(); ++index) {
      auto& rope = ropes_[index];
      std::uint32_t const what = random_->next_below(100);
      if (!rope && what < 10) {
        rope.emplace();
        rope->id = (RopeId{++generations_[index]} << 32) | index;
        rope->nodes.resize(random_->next_below(8) == 0 ? 900 : 1 + random_->next_below(40));
        rope->tensions.resize(rope->nodes.size() - 1);
      } else if (rope && what == 0) {
        rope.reset();
      } else if (rope && what == 1 && rope->nodes.size() > 1) {
        rope->nodes.resize(rope->nodes.size() / 2 + 1);
        rope->tensions.resize(rope->nodes.size() - 1);
      } else if (rope && what < 60) {
        for (Position& node : rope->nodes) node.y += std::int64_t{random_->next_below(1u << 24)} << 3;
        if (!rope->tensions.empty()) rope->tensions[0] = static_cast<float>(random_->next_below(1000));
      }
    }
    return list();
  }
  [[nodiscard]] std::vector<RopeState> list() const {
    std::vector<RopeState> out;
    for (auto const& rope : ropes_)
      if (rope) out.push_back(*rope);
    return out;
  }

 private:
  Random* random_;
  std::vector<std::uint32_t> generations_;
  std::vector<std::optional<RopeState>> ropes_;
};

// The client's view: the newest whole sample of each rope.
struct Shown {
  std::map<RopeId, std::pair<std::uint32_t, RopeState>> ropes;
  void handle(std::uint32_t serial, RopeNews&& news) {
    for (RopeId const id : news.gone) ropes.erase(id);
    for (RopeState& rope : news.ropes) {
      auto& [newest, state] = ropes[rope.id];
      if (serial < newest) continue;
      newest = serial;
      state = std::move(rope);
    }
  }
};

RopeState as_sent(const RopeState& rope) {
  RopeState out{rope.id, rope.flags, rope.radius, {}, {}};
  for (auto const& bytes : encode_rope(rope)) {
    auto const slice = std::move(decode_rope_slices(bytes).value().front());
    out.nodes.insert(out.nodes.end(), slice.nodes.begin(), slice.nodes.end());
    out.tensions.insert(out.tensions.end(), slice.tensions.begin(), slice.tensions.end());
  }
  return out;
}

TEST(RopeProperty, AClientConvergesOnTheServersRopesUnderLossReorderAndDuplicates) {
  std::uint64_t const seed = takt::test::property_seed();
  RecordProperty("seed", std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 12; ++round) {
    SnapshotBudget budget;
    budget.rope_bytes_per_snapshot = 1 + random.next_below(4000);
    SnapshotEncoder encoder(budget);
    SnapshotSource source;
    SnapshotDecoder decoder;
    RopeWorld shifting(30, random);
    struct InFlight {
      SnapshotEncoder::Outgoing outgoing;
      int due = 0;
    };
    std::vector<InFlight> flying;
    Shown shown;
    std::vector<RopeState> world;
    bool wanted = true;
    std::size_t max_waiting = 0;
    for (int tick = 1; tick <= 700; ++tick) {
      if (tick < 400) world = shifting.step();  // then it stands still
      if ((tick < 400 && random.next_below(60) == 0) || tick == 400) {
        // The client asks anew, or for a while not at all: it forgets, and so does everything that is under
        // way.
        wanted = tick == 400 || random.next_below(2) == 0;
        encoder.send_ropes_again();
        if (!wanted) shown.ropes.clear();
      }
      source.update(static_cast<std::uint64_t>(tick), {});
      source.ropes().update(wanted ? std::optional<std::span<const RopeState>>(world) : std::nullopt);
      for (auto& outgoing : encoder.encode(source, {.ropes = wanted})) {
        max_waiting = std::max<std::size_t>(max_waiting, outgoing.part.deferred_ropes);
        std::uint32_t const fate = random.next_below(100);
        if (fate < 20) {
          encoder.handle_lost(outgoing.token);
          continue;
        }
        if (fate < 25) encoder.handle_lost(outgoing.token);  // it arrives, and is taken for lost all the same
        flying.push_back({outgoing, tick + static_cast<int>(random.next_below(8))});
        if (fate >= 90) flying.push_back({outgoing, tick + static_cast<int>(random.next_below(30))});
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
        RopeNews news = decoder.take_ropes();
        if (wanted && outcome != SnapshotDecoder::Outcome::kDuplicate)
          shown.handle(part.serial, std::move(news));
        encoder.handle_delivered(at->outgoing.token);
        at = flying.erase(at);
      }
    }
    ASSERT_TRUE(encoder.is_settled(source)) << "round " << round;
    ASSERT_EQ(shown.ropes.size(), world.size()) << "round " << round;
    EXPECT_EQ(decoder.ropes().rope_count(), world.size());
    for (const RopeState& rope : world)
      EXPECT_EQ(shown.ropes.at(rope.id).second, as_sent(rope)) << "round " << round;
    if (budget.rope_bytes_per_snapshot < 500) {
      EXPECT_GT(max_waiting, 0u);
    }
  }
}

TEST(RopeProperty, TheBudgetHoldsOnTheMeanAndNobodyStarves) {
  std::uint64_t const seed = takt::test::property_seed();
  RecordProperty("seed", std::to_string(seed));
  Random random(seed);
  SnapshotBudget budget;
  budget.rope_bytes_per_snapshot = 1000;
  SnapshotEncoder encoder(budget);
  SnapshotSource source;
  std::vector<RopeState> world(40);
  std::map<RopeId, int> last_sent;
  std::size_t bytes = 0;
  std::size_t world_bytes = 0;
  constexpr int kTicks = 600;
  int longest = 0;
  for (int tick = 1; tick <= kTicks; ++tick) {
    world_bytes = 0;
    for (std::uint32_t index = 0; index < world.size(); ++index) {
      RopeState& rope = world[index];
      rope.id = (RopeId{1} << 32) | index;
      rope.nodes.resize(index == 0 ? 2000 : 50);
      rope.tensions.resize(rope.nodes.size() - 1);
      for (Position& node : rope.nodes) node.x += std::int64_t{random.next_below(100)} << 24;
      for (auto const& slice : encode_rope(rope)) world_bytes += slice.size();
    }
    source.update(static_cast<std::uint64_t>(tick), {});
    source.ropes().update(std::span<const RopeState>(world));
    for (auto const& outgoing : encoder.encode(source, {.ropes = true})) {
      bytes += outgoing.part.ropes.size();
      auto const slices = decode_rope_slices(outgoing.part.ropes);
      ASSERT_TRUE(slices.ok());
      for (const RopeSlice& slice : *slices) {
        longest = std::max(longest, tick - last_sent[slice.id]);
        last_sent[slice.id] = tick;
      }
      encoder.handle_delivered(outgoing.token);
    }
  }
  EXPECT_EQ(last_sent.size(), world.size());
  EXPECT_LE(bytes, kTicks * budget.rope_bytes_per_snapshot + world_bytes);
  EXPECT_GE(bytes, kTicks * budget.rope_bytes_per_snapshot * 9 / 10);
  // Round by round: all of them, with the greatest rope's debt, take world_bytes / budget snapshots, and each
  // waits for its round to end and its own to begin.
  EXPECT_LE(longest, static_cast<int>(2 * (world_bytes / budget.rope_bytes_per_snapshot + 1)));
}

// A rope that costs more than a snapshot may: while its debt is paid, snapshots must say that it waits, or
// clients would take it to rest.
TEST(RopeProperty, ASnapshotThatLeavesAMovingRopeOutSaysSo) {
  SnapshotBudget budget;
  budget.rope_bytes_per_snapshot = 500;
  SnapshotEncoder encoder(budget);
  SnapshotSource source;
  Random random(5);
  std::vector<RopeState> ropes(1);
  ropes[0].id = RopeId{1} << 32;
  ropes[0].nodes.resize(1500);
  ropes[0].tensions.resize(1499);
  int with = 0;
  int without = 0;
  for (int tick = 1; tick <= 60; ++tick) {
    for (Position& node : ropes[0].nodes) node.y += std::int64_t{random.next_below(1u << 24)} << 3;
    source.update(static_cast<std::uint64_t>(tick), {});
    source.ropes().update(std::optional<std::span<const RopeState>>(ropes));
    auto const parts = encoder.encode(source, {.ropes = true});
    ASSERT_FALSE(parts.empty()) << tick;
    bool const told = std::ranges::any_of(parts, [](auto const& sent) { return !sent.part.ropes.empty(); });
    ++(told ? with : without);
    for (auto const& sent : parts) {
      EXPECT_EQ(sent.part.deferred_ropes, told ? 0u : 1u) << tick;
      encoder.handle_delivered(sent.token);
    }
  }
  EXPECT_GT(with, 3);
  EXPECT_GT(without, 30);
}

}  // namespace
}  // namespace takt::protocol
