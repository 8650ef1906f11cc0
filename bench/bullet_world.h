// A trial in Bullet: the same bodies with the same masses, inertias and friction, and the stats of
// TrialRun. Nothing of a trial that Bullet is not asked for is here: no pull, no platforms, no movers, and of
// joints those of bullet_joints.h.
#pragma once

#include <memory>
#include <vector>

#include "tests/physics/trial_run.h"

namespace takt::bench {

/// How Bullet takes a tick.
struct BulletSettings {
  int steps = 1;        ///< of equal length, each with collision detection
  int iterations = 10;  ///< of its solver a step; Bullet's default
};

class BulletWorld {
 public:
  /// The trial must outlive it. Throws std::runtime_error for what Bullet is not asked for.
  BulletWorld(const test::Trial& trial, const BulletSettings& settings);
  ~BulletWorld();

  void tick();
  /// Throws the last body up at 4 m/s.
  void kick();
  /// Looks at the energy and at the joints; call it after some ticks or all.
  void watch();
  [[nodiscard]] test::TrialStats stats();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::bench
