// Many small worlds in turn on one thread, as a server of small rooms has them: each world's memory has gone
// cold by the time it is stepped again. In any engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bench/scene_row.h"

namespace takt::bench {

/// One of many worlds.
class SmallWorld {
 public:
  virtual ~SmallWorld() = default;
  virtual void tick() = 0;
  /// Throws the last body up at 4 m/s, so that something always moves.
  virtual void kick() = 0;
  [[nodiscard]] virtual test::TrialStats stats() = 0;
};

/// The trial in Takt, stepped with these options; what they name must outlive it.
[[nodiscard]] std::unique_ptr<SmallWorld> takt_small_world(const test::Trial& trial, NumbersMode numbers,
                                                           const StepOptions& options);

struct CrowdSettings {
  std::uint32_t worlds = 256;
  std::uint32_t settle_ticks = 240;  ///< of each, before anything is timed or counted
  std::uint32_t rounds = 120;        ///< a tick of every world, in turn
  std::uint32_t kick_every = 45;     ///< ticks; worlds take turns with it
};

struct CrowdRow {
  TickTimes step_us;       ///< a world-step: a round's time by the number of worlds
  double kib_a_world = 0;  ///< of the heap, when all is done
  test::TrialStats first;  ///< of the first world
};

[[nodiscard]] CrowdRow run_crowd(const CrowdSettings& settings,
                                 const std::function<std::unique_ptr<SmallWorld>()>& make);

void print_crowd_head(const CrowdSettings& settings);
void print_crowd_row(const std::string& name, const Engine& engine, const CrowdSettings& settings,
                     const CrowdRow& row);

}  // namespace takt::bench
