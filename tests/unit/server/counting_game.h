// CountingGame is a Game for tests: it counts the ticks and the bytes that players send, and each count is
// part of its state. Its version is in its name: "counting/1", "counting/2".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "takt/sim/game.h"

namespace takt::server::test {

template <int version>
class CountingGame final : public sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override {
    static_assert(version == 1 || version == 2);
    return version == 1 ? "counting/1" : "counting/2";
  }
  [[nodiscard]] bool on_command(sim::WorldAccess&, sim::PlayerId, std::span<const std::byte> bytes) override {
    byte_count_ += bytes.size();
    return true;
  }
  void after_tick(sim::WorldAccess&, const StepEvents&) override { tick_count_ += version; }
  void visit_state(sim::StateVisitor& state) override {
    state.field("tick_count", tick_count_);
    state.field("byte_count", byte_count_);
  }

 private:
  std::uint64_t tick_count_ = 0;
  std::uint64_t byte_count_ = 0;
};

}  // namespace takt::server::test
