// PredictedArea chooses the bodies of a world that a predicted client steps itself: those near the player's
// own bodies. A body enters within `radius_m` of an own body, and leaves beyond 1.25 times that. Bodies that
// joints connect with such a body, over any number of joints, come too, and bodies that touch one. The area
// changes no world. Only bodies that are dynamic on the server can be in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "takt/sim/simulation.h"

namespace takt::client {

class PredictedArea {
 public:
  static constexpr double kHysteresis = 1.25;
  /// A body that an own command names is own for so many ticks; two seconds at 60 Hz.
  static constexpr std::uint64_t kNamedTicks = 120;

  explicit PredictedArea(double radius_m) : radius_m_(radius_m) {}

  void clear();
  /// An own command that acts in `tick` names the body.
  void note_named(BodyId body, std::uint64_t tick);
  /// An own command that acts in `tick` grabs a body, which is own while it is held.
  void note_grab(std::uint64_t tick) { grab_until_ = std::max(grab_until_, tick + kNamedTicks); }
  /// Chooses anew. `types` has the server's type of each body.
  void update(const sim::Simulation& simulation, sim::PlayerId own, const std::map<BodyId, BodyType>& types);

  [[nodiscard]] bool contains(BodyId body) const;
  /// In id order.
  [[nodiscard]] const std::vector<BodyId>& bodies() const noexcept { return bodies_; }
  /// Own commands have named it lately.
  [[nodiscard]] bool is_named(BodyId body) const { return named_.contains(body); }

 private:
  void find_centres(const sim::Simulation& simulation, sim::PlayerId own);
  void choose_near(const sim::Simulation& simulation, const std::map<BodyId, BodyType>& types);
  void add_touching(const sim::Simulation& simulation, const std::map<BodyId, BodyType>& types);
  void add_joined(const sim::Simulation& simulation, const std::map<BodyId, BodyType>& types);

  double radius_m_;
  std::vector<BodyId> bodies_;
  std::map<BodyId, std::uint64_t> named_;  // until this tick
  std::uint64_t grab_until_ = UINT64_MAX;  // tick until which a grab may begin; the first update() finds one

  // Scratch of update().
  std::vector<Position> centres_;
  std::vector<BodyId> ids_;
  std::vector<BodyId> chosen_;  // id order between the stages
  std::vector<ContactView> contacts_;
  std::vector<JointId> joints_;
  std::vector<std::pair<BodyId, BodyId>> joined_;
};

}  // namespace takt::client
