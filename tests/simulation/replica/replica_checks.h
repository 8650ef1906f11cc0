// Parts that the tests of clients that simulate have in common: rooms, paths, the virtual time of long cases,
// and the comparison of everybody's states.
#pragma once

#include <cstdint>
#include <string>

#include "tests/simulation/replica/virtual_replicas.h"

namespace takt::client::test {

inline constexpr std::uint64_t kSecond = 1'000'000;  ///< us

/// The number in an environment variable, or the one given. Throws std::invalid_argument for other text.
[[nodiscard]] std::uint64_t number_of_environment(const char* name, std::uint64_t otherwise);

/// Virtual time of a long case, s: TAKT_REPLICA_SECONDS, or the time given.
[[nodiscard]] std::uint64_t virtual_seconds(std::uint64_t otherwise);

/// A room that offers every mode.
[[nodiscard]] server::RoomOptions room_options(NumbersMode numbers);

/// Four movers and a pile of nine boxes on a half-space, with further bodies and joints as the JSON text of a
/// scene: each body begins with a comma.
[[nodiscard]] sim::Scene arena(const std::string& bodies = {}, const std::string& joints = {});

[[nodiscard]] protocol::Impairment path(std::uint64_t delay_ms, std::uint64_t jitter_ms, double loss);

/// 1,000 ms +- 100 ms one way, 25 % loss, 25 % duplicates, 30 % reordering.
[[nodiscard]] protocol::Impairment terrible();

/// Commands stop, what is under way arrives in `quiet_s` seconds, and predictions need no correction any
/// more. From then on everybody must have the server's states, and must have had them at each confirmed tick.
void expect_equal_states(VirtualReplicas& room, std::uint64_t quiet_s);

}  // namespace takt::client::test
