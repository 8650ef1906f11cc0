// A trial as it runs, and the stats it is judged by, read from the simulation through its public API. It
// does not decide what is good enough: tests and people do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "takt/sim/simulation.h"
#include "tests/physics/trials.h"

namespace takt::test {

/// Depths of contact points that overlap, m.
struct Penetration {
  std::size_t count = 0;
  double mean_m = 0;
  double p99_m = 0;
  double max_m = 0;
};
/// Statistics of separations; only those below 0 count.
[[nodiscard]] Penetration penetration_of(std::span<const double> separations_m);

/// A contact point of two bodies that no joint keeps apart, by their indices in Scene::bodies.
struct FreshContact {
  std::size_t body_a = 0;
  std::size_t body_b = 0;
  double separation_m = 0;
};
/// Contacts of the present poses as the narrow phase sees them afresh. `bodies` has an id for each body of
/// the scene. Throws std::runtime_error when a body cannot be put where it is.
[[nodiscard]] std::vector<FreshContact> fresh_contacts(const sim::Scene& scene,
                                                       const sim::Simulation& simulation,
                                                       std::span<const BodyId> bodies);

/// Mass and inertia of a dynamic body as its definition says; 0 for others.
struct BodyInertia {
  double mass_kg = 0;
  std::array<double, 6> inertia{};  ///< about the centre of mass, body axes, kg m^2; xx, yy, zz, xy, xz, yz
};
[[nodiscard]] BodyInertia inertia_of(const sim::SceneBody& body);
/// Kinetic energy and height energy above y = 0, J. `velocity_m_s` is the centre of mass'.
[[nodiscard]] double energy_j(const BodyInertia& body, Vec3<double> gravity_m_s2, Vec3<double> center_m,
                              Quat<double> rotation, Vec3<double> velocity_m_s, Vec3<double> spin_rad_s);

struct TrialStats {
  std::uint32_t body_count = 0;     ///< those that do not move included
  std::uint32_t contact_count = 0;  ///< of the last step
  Penetration penetration;          ///< as the narrow phase sees the last poses afresh
  double sink_m = 0;                ///< how far the watched body is below its start
  double drift_m = 0;               ///< how far it is beside it
  double gain_m =
      0;  ///< the most that mechanical energy rose above its lowest so far, as a height of all the bodies
  double gap_m = 0;  ///< the furthest apart that the anchors of a joint which holds points together have been
                     ///< when it was watched
  double fastest_m_s = 0;  ///< of any dynamic body now
  std::uint32_t lost_count =
      0;  ///< dynamic bodies outside the trial's region, or frozen because their numbers left the finite
  std::uint64_t digest = 0;  ///< of every pose relative to the trial's origin and of every velocity
};

class TrialRun {
 public:
  /// Throws std::runtime_error when the engine refuses the scene.
  TrialRun(const Trial& trial, NumbersMode numbers);

  void step(const StepOptions& options = {}) {
    last_ = simulation_.step({}, {.step = options, .want_hash = false}).status;
  }
  /// Looks at the energy and at the joints; call it after some steps or all.
  void watch();
  [[nodiscard]] TrialStats stats() const;
  [[nodiscard]] const sim::Simulation& simulation() const noexcept { return simulation_; }
  /// In the order of the scene's bodies.
  [[nodiscard]] const std::vector<BodyId>& bodies() const noexcept { return bodies_; }

 private:
  [[nodiscard]] Vec3<double> center_m(std::size_t body) const;
  [[nodiscard]] std::uint64_t digest() const;

  const Trial& trial_;
  sim::Simulation simulation_;
  std::vector<BodyId> bodies_;
  std::vector<BodyInertia> inertias_;
  double total_mass_kg_ = 0;
  StepStatus last_;
  bool has_energy_ = false;
  double lowest_energy_j_ = 0;
  double gain_j_ = 0;
  std::vector<JointId> joints_;  ///< those that hold points together
  double gap_m_ = 0;
};

}  // namespace takt::test
