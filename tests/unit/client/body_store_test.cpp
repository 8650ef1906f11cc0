#include "client_sdk/cpp/body_store.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "takt/core/random.h"

namespace takt::client {
namespace {

constexpr std::uint64_t kInterval = 1;

protocol::BodyState state_of(BodyId id, std::int64_t x_raw) {
  protocol::BodyState state{};
  state.id = id.to_u64();
  state.position.x = x_raw;
  state.rotation = {0, 0, 0, 1};
  return state;
}
BodyDescription description_of(std::uint32_t user_kind) {
  BodyDescription out{user_kind, user_kind / 2, {}, {}};
  out.shapes.push_back(ShapeDef::sphere(1 + user_kind));
  out.geometries.push_back(user_kind);
  return out;
}

/// Id, x, kind, radius of the first shape.
using Shown = std::tuple<std::uint64_t, std::int64_t, std::uint32_t, double>;

std::vector<Shown> shown_of(BodyStore& store, double tick) {
  std::vector<Shown> out;
  for (const Body& body : store.show_at(tick))
    out.emplace_back(body.id.to_u64(), body.position.x_raw, body.user_kind, body.shapes[0].radius_m);
  return out;
}

TEST(BodyStore, ABodyIsShownWithItsDescriptionAndState) {
  BodyStore store;
  BodyId const id{3, 1};
  store.add(10, 0, kInterval, state_of(id, 7));
  EXPECT_TRUE(store.show_at(10).empty()) << "not described";
  EXPECT_TRUE(store.describe(id, description_of(4)));
  EXPECT_EQ(shown_of(store, 10), (std::vector<Shown>{{id.to_u64(), 7, 4, 5.0}}));
  EXPECT_TRUE(store.describe(id, description_of(6)));
  EXPECT_EQ(shown_of(store, 11), (std::vector<Shown>{{id.to_u64(), 7, 6, 7.0}}));
  store.remove_at(12, id);
  EXPECT_EQ(store.show_at(11.5).size(), 1u);
  EXPECT_TRUE(store.show_at(12).empty());
}

// Another world has the ids of the one before, at lower ticks.
TEST(BodyStore, AnotherWorldBeginsWithoutBodies) {
  BodyStore store;
  BodyId const moves{3, 1};
  BodyId const rests{4, 1};
  for (BodyId const id : {moves, rests}) EXPECT_TRUE(store.describe(id, description_of(4)));
  store.add(100, 0, kInterval, state_of(rests, 5));
  store.add(100, 0, kInterval, state_of(moves, 7));
  store.add(101, 100, kInterval, state_of(moves, 9));
  EXPECT_EQ(store.show_at(100.5).size(), 2u);
  store.clear();
  EXPECT_TRUE(store.shown().empty());
  EXPECT_TRUE(store.show_at(102).empty());
  EXPECT_TRUE(store.describe(moves, description_of(6)));
  store.add(10, 0, kInterval, state_of(moves, 1));
  EXPECT_EQ(shown_of(store, 10), (std::vector<Shown>{{moves.to_u64(), 1, 6, 7.0}}));
}

// Bodies come in any order, more of them than are merged at a time.
TEST(BodyStore, ListsManyBodiesInIdOrder) {
  for (bool const ascends : {true, false}) {
    BodyStore store;
    constexpr std::uint32_t kCount = 5000;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      BodyId const id{ascends ? i : kCount - 1 - i, 1};
      EXPECT_TRUE(store.describe(id, description_of(1)));
      store.add(10, 0, kInterval, state_of(id, id.index));
      if (i == 3000) {
        EXPECT_EQ(store.show_at(10).size(), 3001u);
      }
    }
    std::vector<Shown> const shown = shown_of(store, 10);
    ASSERT_EQ(shown.size(), kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(std::get<1>(shown[i]), i);
  }
}

// The list is that of one Track per body, each asked at each tick, in any order of states, descriptions and
// removals. Ticks may go back, as to that of a pause.
TEST(BodyStore, ListsWhatATrackPerBodyHas) {
  struct Known {
    Track track;
    std::optional<std::uint32_t> kind;
  };
  std::size_t steps_that_moved_alone = 0;
  std::size_t steps_with_rest = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    BodyStore store;
    std::map<BodyId, Known> known;
    std::vector<BodyId> ids;
    for (std::uint32_t index = 0; index < 60; ++index) ids.push_back({random.next_below(40), 1 + index % 3});
    double tick = 5;
    std::size_t count_before = 0;
    for (std::uint64_t step = 10; step < 400; ++step) {
      std::uint32_t const changes = random.next_below(4);
      for (std::uint32_t i = 0; i < changes; ++i) {
        BodyId const id = ids[random.next_below(60)];
        std::uint32_t const dice = random.next_below(100);
        if (dice < 80) {
          std::uint64_t const at = step - random.next_below(4);
          std::uint64_t const complete = random.next_below(2) == 0 ? at - 2 : 0;
          auto const state = state_of(id, static_cast<std::int64_t>(random.next_below(1'000'000)));
          store.add(at, complete, kInterval, state);
          known[id].track.add(at, complete, kInterval, state);
        } else if (dice < 97) {
          EXPECT_TRUE(store.describe(id, description_of(dice)));
          known[id].kind = dice;
        } else {
          store.remove_at(step, id);
          if (auto const found = known.find(id); found != known.end()) found->second.track.remove_at(step);
        }
      }
      if (random.next_below(50) == 0) {
        tick -= random.next_between(0, 2);
      } else {
        tick = std::max(tick, static_cast<double>(step) - random.next_between(2, 6));
      }
      std::vector<Shown> wanted;
      for (auto at = known.begin(); at != known.end();) {
        if (at->second.track.is_gone(tick)) {
          at = known.erase(at);
          continue;
        }
        at->second.track.forget_before(tick);
        auto const state = at->second.track.at(tick);
        if (state && at->second.kind)
          wanted.emplace_back(at->first.to_u64(), state->position.x, *at->second.kind,
                              1.0 + *at->second.kind);
        ++at;
      }
      ASSERT_EQ(shown_of(store, tick), wanted) << "seed " << seed << ", step " << step;
      if (wanted.size() == count_before) ++steps_that_moved_alone;
      if (wanted.size() > 5 && changes == 0) ++steps_with_rest;
      count_before = wanted.size();
    }
  }
  EXPECT_GT(steps_that_moved_alone, 1000u);
  EXPECT_GT(steps_with_rest, 500u);
}

}  // namespace
}  // namespace takt::client
