// StepOptions, StepEvents and StepStatus belong to one World::step. StepOptions selects the SIMD width, the
// threads and the scratch memory of the step. StepScratch is such memory; several worlds may use one
// StepScratch, one after the other. StepOptions and StepScratch change no bit of the result. StepEvents has
// lists of what happened in the step, which World::events() returns; there are no callbacks. StepStatus has
// counts for metrics; World::step returns it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "takt/core/task_pool.h"
#include "takt/physics/body.h"
#include "takt/physics/joint.h"

namespace takt {

class EnergyLedger;
template <class Real>
class World;

/// Scratch memory of steps, without meaning between them. Worlds that are stepped one after the other may
/// share one, in both number modes. Each world then holds little more than its state, and the scratch stays
/// in the processor's cache. It grows to the need of the largest world. One step at a time may use it
/// (asserted).
class StepScratch {
 public:
  StepScratch();
  StepScratch(StepScratch&&) noexcept;
  StepScratch& operator=(StepScratch&&) noexcept;
  ~StepScratch();

 private:
  template <class Real>
  friend class World;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Options of a step. They never change a bit of the result.
struct StepOptions {
  /// Constraints solved at a time: 1, 4, 8 or 16, each on any CPU. 0 selects the fastest width of this CPU
  /// for the number of contacts and joints. Other values are a bug of the caller (TAKT_VALIDATE). Fixed mode
  /// has widths 1 and 8: it takes 4 as 1, and 16 as 8.
  std::uint32_t lanes = 0;
  /// Workers of the step, such as takt::ThreadPool; null = the calling thread alone. Used within the call
  /// only. Worlds may share a pool, even concurrently.
  TaskPool* pool = nullptr;
  /// Scratch memory of the step; null = the world's own. Used within the call only.
  StepScratch* scratch = nullptr;
  /// Energy by stage (energy_ledger.h), for builds with checks; null = none. Used within the call only.
  EnergyLedger* energy = nullptr;
};

/// Two shapes whose contact began or ended.
struct ContactEvent {
  ShapeId shape_a;  ///< the shape with the lower index of the two
  ShapeId shape_b;
  friend bool operator==(const ContactEvent&, const ContactEvent&) = default;
};

/// Two shapes collided: they approached faster than WorldDef::hit_threshold_m_s and exchanged an impulse in
/// this tick.
struct HitEvent {
  ShapeId shape_a;  ///< the shape with the lower index of the two
  ShapeId shape_b;
  Position point;                   ///< of the fastest approach, world, with the poses before the step
  Vec3<double> normal{};            ///< unit, from a to b, world axes
  double approach_speed_m_s = 0.0;  ///< along the normal at that point, before the step; > 0
  double impulse_n_s =
      0.0;  ///< along the normal, over the whole tick and all points of the contact, restitution included
  friend bool operator==(const HitEvent&, const HitEvent&) = default;
};

/// A sensor and a shape of another body that overlaps it.
struct SensorOverlap {
  ShapeId sensor;
  ShapeId visitor;
  friend auto operator<=>(const SensorOverlap&, const SensorOverlap&) = default;
};

/// Events of a step, each list sorted by id. Valid until the next step.
struct StepEvents {
  std::vector<ContactEvent> contact_begin;
  std::vector<ContactEvent> contact_end;  ///< an ended contact may name shapes that were destroyed since
  std::vector<HitEvent> hits;             ///< sorted by the two shapes' indices, as contacts are
  /// Overlaps use the poses at the beginning of the step, after all earlier calls. An end may name shapes
  /// that were destroyed since. Falling asleep or waking inside a sensor causes no event.
  std::vector<SensorOverlap> sensor_begin;
  std::vector<SensorOverlap> sensor_end;
  std::vector<BodyId> quarantined;     ///< left the world or the finite numbers in this tick; frozen at their
                                       ///< last valid pose
  std::vector<BodyId> slept;           ///< fell asleep in this tick
  std::vector<JointId> broken_joints;  ///< broken in this tick: inactive until they are enabled again
  std::vector<BodyId> woken;  ///< woken in this tick by a neighbour or a hit; excludes those that a call woke
};

/// Statistics of a step, for metrics and status lines. Not canonical.
struct StepStatus {
  std::uint32_t awake_body_count = 0;  ///< dynamic and kinematic bodies that were stepped
  std::uint32_t island_count = 0;      ///< groups of connected awake bodies
  std::uint32_t contact_count = 0;     ///< touching or speculative manifolds
  std::uint32_t contact_point_count = 0;
  std::uint32_t colour_count = 0;            ///< groups of contacts that share no body
  std::uint32_t overflow_contact_count = 0;  ///< contacts beyond the last colour, solved one by one
  bool contacts_cut = false;  ///< WorldDef::max_contacts left out pairs, triangles or contacts in this step
  std::uint64_t fixed_overflow_count =
      0;  ///< saturations in this step; in float mode those of roundings to Fixed
};

}  // namespace takt
