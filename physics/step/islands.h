// Islands puts islands to sleep and wakes them. An island is a set of dynamic bodies that touching contacts,
// joints and ropes connect. An island falls asleep when all its bodies and ropes have been still for
// kSleepDelayS. A sleeping body has no velocity and is not stepped; its contacts with other inactive bodies
// are kept bit for bit. Islands are rebuilt in each tick. Only the sleep flag and the count of still ticks of
// each body and each rope are saved and hashed.
//
// wake_connected() wakes the bodies that contacts and joints connect to an awake body, at the start of a tick
// and after each later waking. During collision detection StepPipeline wakes each sleeping body that a moving
// body reaches in this tick (wake_bodies()), so the first hit meets awake bodies. RopeSolver wakes ropes, and
// the sleeping bodies that moving ropes touch. fall_asleep() runs at the end of a tick.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/moving_body.h"
#include "physics/contacts/prepared_contact.h"
#include "physics/joints/grab_solver.h"
#include "physics/ropes/rope_solver.h"
#include "physics/state/world_state.h"
#include "takt/physics/step.h"

namespace takt {

/// True when no body is active, all ropes are asleep or quarantined, and there is no grab, target or mover.
/// Further steps then change only the tick.
template <class Real>
[[nodiscard]] bool is_all_asleep(const WorldState<Real>& state) noexcept;

/// Wakes the bodies of a list (pool indices) that are asleep, and appends them to events.woken. Returns true
/// if there was one.
template <class Real>
[[nodiscard]] bool wake_bodies(WorldState<Real>& state, std::span<const std::uint32_t> bodies,
                               StepEvents& events);

/// Counts a still tick if the body's new velocities are below kSleepSpeedMS and kSleepAngularSpeedRadS and
/// the body can sleep, else sets the count to 0. Call it once a tick for each awake dynamic body.
template <class Real>
void count_still_tick(BodyRecord<Real>& body) noexcept;

class Islands {
 public:
  /// Wakes every body that stored touching contacts and joints connect, over sleeping bodies, to an awake
  /// body. Wakes also sleeping bodies that a grab pulls, or that a joint connects to an active kinematic or
  /// modified body. Appends the bodies to events.woken.
  template <class Real>
  void wake_connected(WorldState<Real>& state, StepEvents& events);

  /// The solved tick, as fall_asleep() reads it.
  template <class Real>
  struct Solved {
    std::span<const PreparedContact<Real>> contacts;
    std::span<const MovingBody<Real>> moving;
    std::span<const PreparedGrab<Real>> grabs;
    const RopeSolver<Real>& ropes;
  };
  /// Resets still ticks of grabbed bodies, and of bodies that a kinematic body or a running surface carries.
  /// Then puts islands and ropes to sleep whose bodies are all still long enough, unless
  /// WorldDef::allow_sleep is false. Appends bodies to events.slept. Returns the number of awake islands.
  /// Bodies and ropes must be stored before.
  template <class Real>
  std::uint32_t fall_asleep(WorldState<Real>& state, const Solved<Real>& solved, StepEvents& events);

 private:
  template <class Real>
  void build(WorldState<Real>& state, const Solved<Real>& solved);
  template <class Real>
  void mark_awake(const WorldState<Real>& state, const Solved<Real>& solved, std::uint32_t delay);
  [[nodiscard]] bool are_rooted_lowest() const noexcept;

  std::vector<std::uint32_t> parents_;  ///< union-find by body; the root is the island's lowest body
  std::vector<std::uint8_t> awake_;     ///< by body, at the island's root
};

}  // namespace takt
