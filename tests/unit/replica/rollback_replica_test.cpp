#include "client_sdk/cpp/replica/rollback_replica.h"

#include <gtest/gtest.h>

namespace takt::client {
namespace {

constexpr sim::PlayerId kRollbackOwn = 1;
constexpr sim::PlayerId kOther = 2;

/// A server without a network: its ticks go to a replica as bytes.
class Server {
 public:
  Server() : simulation_(*sim::Simulation::create(scene(), NumbersMode::kFloat)) {
    confirm({{0, 0, 1, sim::JoinCommand{kRollbackOwn, false, "own"}},
             {0, 0, 2, sim::JoinCommand{kOther, false, "other"}}});
  }

  /// One tick with these inputs, whose tick is set here.
  void confirm(std::vector<sim::Input> inputs = {}) {
    for (sim::Input& input : inputs) input.tick = simulation_.tick();
    sim::TickRecord record{simulation_.tick(), std::move(inputs), {}};
    if (is_hashing && record.tick > 0 && record.tick % sim::kHashEveryTicks == 0)
      record.hash = sim::StateHash{record.tick, simulation_.hash() ^ wrong_hash};
    std::vector<std::byte> bytes;
    encode(record, bytes);
    if (!bytes.empty()) batch_.records.push_back({record.tick, std::move(bytes)});
    (void)simulation_.step(record.inputs);
    batch_.end_tick = simulation_.tick();
  }
  /// The ticks that were confirmed since the last call.
  protocol::ConfirmedBatch take() {
    protocol::ConfirmedBatch batch = std::exchange(batch_, {});
    batch_.first_tick = batch_.end_tick = simulation_.tick();
    return batch;
  }
  [[nodiscard]] sim::Simulation& simulation() noexcept { return simulation_; }
  [[nodiscard]] BodyId body() const {
    std::vector<BodyId> bodies;
    simulation_.world().list_bodies(bodies);
    return bodies.at(1);
  }
  std::uint64_t wrong_hash = 0;  ///< bits that the hashes of the server have wrong
  bool is_hashing = true;        ///< its shadow world keeps up

 private:
  static sim::Scene scene() {
    return *sim::load_scene(R"({"bodies": [{"type": "static", "shapes": [{"half_space": {}}]},
                                           {"position": [0, 3, 0], "shapes": [{"box": {}}]}]})",
                            "box");
  }
  sim::Simulation simulation_;
  protocol::ConfirmedBatch batch_;
};

RollbackReplica replica_of(Server& server, const ReplicaOptions& options = {}) {
  RollbackReplica replica(options);
  EXPECT_TRUE(replica.restore(server.simulation().save(), kRollbackOwn).ok());
  (void)server.take();
  return replica;
}

sim::Input push(const Server& server, sim::PlayerId player, std::uint32_t sequence, float speed) {
  return {0, player, sequence, sim::ImpulseCommand{server.body(), {speed * 1000, 0, 0}, std::nullopt}};
}

std::uint64_t count(RollbackReplica& replica, auto is_wanted) {
  std::uint64_t found = 0;
  while (auto event = replica.next_event()) found += is_wanted(*event) ? 1 : 0;
  return found;
}

bool is_rollback(const ReplicaEvent& event) { return std::holds_alternative<RolledBack>(event); }
bool is_divergence(const ReplicaEvent& event) { return std::holds_alternative<Diverged>(event); }

TEST(RollbackReplica, OwnInputsActAtOnceAndNeedNoRollback) {
  Server server;
  RollbackReplica replica = replica_of(server);
  replica.advance(10);
  ASSERT_EQ(replica.tick(), 10u);
  replica.add_input(10, 1, push(server, kRollbackOwn, 1, 1).command);
  replica.advance(11);
  EXPECT_GT(replica.simulation().world().view(server.body()).linear_velocity_m_s.x, 0.9);
  while (server.simulation().tick() < 10) server.confirm();
  server.confirm({push(server, kRollbackOwn, 1, 1)});
  ASSERT_TRUE(replica.handle_confirmed(server.take()));
  replica.advance(11);
  EXPECT_EQ(replica.simulation().hash(), server.simulation().hash());
  EXPECT_EQ(count(replica, is_rollback), 0u);
  EXPECT_EQ(replica.inputs_in_flight(), 0u);
}

TEST(RollbackReplica, ForeignInputsAreCorrectedOnceAnAdvance) {
  Server server;
  RollbackReplica replica = replica_of(server);
  replica.advance(40);
  server.confirm({push(server, kOther, 1, 1)});
  server.confirm({push(server, kOther, 2, 1)});
  for (int i = 0; i < 20; ++i) server.confirm();
  ASSERT_TRUE(replica.handle_confirmed(server.take()));
  replica.advance(40);
  EXPECT_EQ(count(replica, is_rollback), 1u);
  EXPECT_EQ(replica.tick(), 40u);
  EXPECT_EQ(replica.stats().hashes_equal, 2u);
  while (server.simulation().tick() < 40) server.confirm();
  EXPECT_EQ(replica.simulation().hash(), server.simulation().hash());
}

// The server moved it by three ticks, then refused another one.
TEST(RollbackReplica, LateAndRefusedInputsAreWhereTheServerHasThem) {
  Server server;
  RollbackReplica replica = replica_of(server);
  replica.advance(5);
  replica.add_input(5, 1, push(server, kRollbackOwn, 1, 1).command);
  replica.add_input(6, 2, push(server, kRollbackOwn, 2, 4).command);
  replica.advance(20);
  while (server.simulation().tick() < 8) server.confirm();
  ASSERT_TRUE(replica.handle_confirmed(server.take()));
  replica.advance(20);
  EXPECT_EQ(replica.inputs_in_flight(), 2u) << "they are predicted for the first tick that is not confirmed";
  server.confirm({push(server, kRollbackOwn, 1, 1)});
  replica.drop_input(2);
  while (server.simulation().tick() < 20) server.confirm();
  ASSERT_TRUE(replica.handle_confirmed(server.take()));
  replica.advance(20);
  EXPECT_EQ(replica.simulation().hash(), server.simulation().hash());
  EXPECT_EQ(replica.stats().hashes_different, 0u);
}

TEST(RollbackReplica, AnotherHashIsNamedWithItsTick) {
  Server server;
  RollbackReplica replica = replica_of(server);
  server.wrong_hash = 1;
  for (int i = 0; i < 12; ++i) server.confirm();
  ASSERT_TRUE(replica.handle_confirmed(server.take()));
  replica.advance(12);
  std::vector<std::uint64_t> ticks;
  while (auto event = replica.next_event())
    if (auto const* diverged = std::get_if<Diverged>(&*event)) ticks.push_back(diverged->tick);
  EXPECT_EQ(ticks, std::vector<std::uint64_t>{8});
  EXPECT_EQ(replica.stats().hashes_different, 1u);
}

// The server hashes a state some ticks later, and would refuse a return that names one without a hash yet.
TEST(RollbackReplica, TheReturnNamesAStateThatTheServerHasHashed) {
  Server server;
  RollbackReplica replica = replica_of(server);
  auto const run_to = [&](std::uint64_t tick) {
    while (server.simulation().tick() < tick) server.confirm();
    ASSERT_TRUE(replica.handle_confirmed(server.take()));
    replica.advance(tick);
  };
  server.is_hashing = false;
  run_to(20);
  ASSERT_TRUE(replica.resume_point(3));
  EXPECT_EQ(replica.resume_point(3)->hash_tick, 16u) << "none is known to be hashed: the newest own one";
  EXPECT_FALSE(replica.resume_point(0)) << "a room without epochs";
  server.is_hashing = true;
  run_to(26);
  std::uint64_t const hash_of_24 = replica.last_confirmed_hash()->hash;
  server.is_hashing = false;
  run_to(45);
  ASSERT_TRUE(replica.resume_point(3));
  EXPECT_EQ(replica.resume_point(3)->tick, 45u);
  EXPECT_EQ(replica.resume_point(3)->hash_tick, 24u);
  EXPECT_EQ(replica.resume_point(3)->hash, hash_of_24);
  server.is_hashing = true;
  server.wrong_hash = 1;
  run_to(50);
  EXPECT_FALSE(replica.resume_point(3)) << "the world is known to be another than the server's";
  server.wrong_hash = 0;
  ASSERT_TRUE(replica.restore(server.simulation().save(), kRollbackOwn).ok());
  (void)server.take();
  run_to(60);
  EXPECT_EQ(replica.resume_point(3)->hash_tick, 56u);
}

TEST(RollbackReplica, LockstepStepsConfirmedTicksAlone) {
  Server server;
  ReplicaOptions options;
  options.predicts = false;
  RollbackReplica replica = replica_of(server, options);
  replica.advance(50);
  EXPECT_EQ(replica.tick(), 1u);
  for (int i = 0; i < 30; ++i)
    server.confirm({push(server, kOther, static_cast<std::uint32_t>(i + 1), 0.1f)});
  ASSERT_TRUE(replica.handle_confirmed(server.take()));
  replica.advance(50);
  EXPECT_EQ(replica.tick(), 1u + options.catch_up_ticks) << "a bounded number of ticks an advance";
  replica.advance(50);
  EXPECT_EQ(replica.tick(), 31u);
  EXPECT_EQ(replica.simulation().hash(), server.simulation().hash());
  EXPECT_EQ(count(replica, is_rollback), 0u);
}

TEST(RollbackReplica, WithoutNewsItStopsAheadOfTheConfirmedTicks) {
  Server server;
  ReplicaOptions options;
  options.ahead_ticks_max = 16;
  RollbackReplica replica = replica_of(server, options);
  replica.advance(500);
  EXPECT_EQ(replica.tick(), 1u + 16);
  EXPECT_EQ(replica.stats().stalled_advances, 1u);
  for (int i = 0; i < 100; ++i)
    server.confirm({push(server, kOther, static_cast<std::uint32_t>(i + 1), 0.01f)});
  ASSERT_TRUE(replica.handle_confirmed(server.take()));
  for (int i = 0; i < 10; ++i) replica.advance(101);
  EXPECT_EQ(replica.simulation().hash(), server.simulation().hash());
  EXPECT_EQ(count(replica, is_divergence), 0u);
}

TEST(RollbackReplica, TicksWithAGapOrBadRecordsAreRefused) {
  Server server;
  RollbackReplica replica = replica_of(server);
  server.confirm();
  (void)server.take();
  server.confirm();
  EXPECT_FALSE(replica.handle_confirmed(server.take())) << "a gap";
  protocol::ConfirmedBatch bad{1, 1, 2, {{1, {std::byte{1}}}}};
  EXPECT_FALSE(replica.handle_confirmed(bad));
}

// The world outlives the session, so nothing of such a batch may stay in it, and no return asks for it again.
TEST(RollbackReplica, ABatchWithABadRecordLeavesTheWorldAsItWas) {
  Server server;
  ReplicaOptions lockstep;
  lockstep.predicts = false;
  RollbackReplica replica = replica_of(server, lockstep);
  while (server.simulation().tick() < 20) server.confirm();
  ASSERT_TRUE(replica.handle_confirmed(server.take()));
  replica.advance(20);
  ASSERT_TRUE(replica.resume_point(3));
  protocol::ConfirmedBatch const bad{20, 20, 22, {{21, {std::byte{1}}}}};
  EXPECT_FALSE(replica.handle_confirmed(bad));
  EXPECT_EQ(replica.confirmed_tick(), 20u);
  EXPECT_FALSE(replica.resume_point(3)) << "the server would send the same record";
  while (server.simulation().tick() < 30) server.confirm();
  ASSERT_TRUE(replica.handle_confirmed(server.take()));
  replica.advance(30);
  EXPECT_EQ(replica.simulation().tick(), 30u);
  EXPECT_EQ(replica.simulation().hash(), server.simulation().hash());
}

}  // namespace
}  // namespace takt::client
