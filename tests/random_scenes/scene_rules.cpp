#include "tests/random_scenes/scene_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "physics/base/solver_constants.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/trial_run.h"

namespace takt::test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double thread_ms() {
  std::timespec now{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

sim::Scene loaded(const sim::RandomScene& random) {
  auto scene = sim::load_scene(random.json, random.name);
  if (!scene) throw std::runtime_error(message(scene.error()));
  return *std::move(scene);
}

sim::Simulation simulation_of(const sim::Scene& scene, NumbersMode numbers) {
  auto made = sim::Simulation::create(scene, numbers);
  if (!made) throw std::runtime_error(scene.title + ": " + std::string(message(made.error())));
  return *std::move(made);
}

std::uint64_t ticks_of(const sim::Scene& scene, const RuleOptions& options) {
  return static_cast<std::uint64_t>(std::llround(options.seconds * scene.world.tick_rate_hz));
}

bool is_dynamic(const sim::SceneBody& body) noexcept {
  return !body.mover && body.def.type == BodyType::kDynamic;
}

/// Smallest width of a shape, m; of a hull that of its bounding box.
double width_m(const ShapeDef& shape) {
  switch (shape.kind) {
    case ShapeKind::kBox:
      return 2 * std::min({shape.half_extents_m.x, shape.half_extents_m.y, shape.half_extents_m.z});
    case ShapeKind::kSphere:
    case ShapeKind::kCapsule: return 2 * shape.radius_m;
    case ShapeKind::kCylinder:
    case ShapeKind::kCone: return 2 * std::min(shape.radius_m, shape.half_length_m);
    case ShapeKind::kHull: {
      Vec3<double> low = shape.hull_points_m.front();
      Vec3<double> high = low;
      for (const Vec3<double>& p : shape.hull_points_m) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
      }
      return std::min({high.x - low.x, high.y - low.y, high.z - low.z}) + 2 * shape.rounding_m;
    }
    default: return kInfinite;
  }
}

double size_m(const sim::SceneBody& body) {
  if (!is_dynamic(body)) return kInfinite;
  double size = kInfinite;
  for (const ShapeDef& shape : body.shapes) size = std::min(size, width_m(shape));
  return size;
}

/// The state of a run that the rules compare from tick to tick.
class RuleRun {
 public:
  RuleRun(const sim::RandomScene& random, const sim::Scene& scene, const RuleOptions& options)
      : random_(random),
        scene_(scene),
        options_(options),
        simulation_(simulation_of(scene, options.numbers)) {
    simulation_.world().list_bodies(bodies_);
    for (const sim::SceneBody& body : scene.bodies) {
      inertias_.push_back(inertia_of(body));
      total_mass_kg_ += inertias_.back().mass_kg;
      if (is_dynamic(body)) ++stats_.body_count;
    }
    if (options.contacts_per_body != 0)
      simulation_.set_max_contacts(options.contacts_per_body * std::max(stats_.body_count, 1u));
    escaped_.assign(bodies_.size(), false);
    for (const sim::SceneJoint& joint : scene.joints) {
      has_world_joint_ = has_world_joint_ || !is_dynamic(scene.bodies[joint.body_a]) ||
                         !is_dynamic(scene.bodies[joint.body_b]);
    }
    has_world_joint_ = has_world_joint_ || random.has_world_joint;
    is_free_ = !has_world_joint_ && std::ranges::all_of(scene.bodies, is_dynamic);
    tick_s_ = 1.0 / scene.world.tick_rate_hz;
  }

  RuleStats run();

 private:
  struct Totals {
    double energy_j = 0;
    Vec3<double> momentum_n_s;
    double momentum_sum_n_s = 0;  ///< sum of m |v|
  };
  [[nodiscard]] Vec3<double> center_m(std::size_t body) const;
  [[nodiscard]] Totals read_totals();
  [[nodiscard]] double soft_push_j() const;
  void age_contacts();
  void judge_momentum(const Totals& before, const Totals& after);
  void judge_energy(const Totals& now);
  void measure_penetration();
  void finish();

  const sim::RandomScene& random_;
  const sim::Scene& scene_;
  RuleOptions options_;
  sim::Simulation simulation_;
  RuleStats stats_;
  std::vector<BodyId> bodies_;
  std::vector<BodyInertia> inertias_;
  std::vector<bool> escaped_;
  std::vector<ContactView> contacts_;
  /// Two indices in the world's pool of bodies.
  using BodyPair = std::pair<std::uint32_t, std::uint32_t>;
  std::map<BodyPair, std::uint32_t> ages_;  ///< ticks for which a pair has touched
  std::vector<double> depths_;              ///< of resting contacts, fractions
  double total_mass_kg_ = 0;
  double tick_s_ = 0;
  double highest_m_ = 0;  ///< center of mass at tick 0 above the region's lowest point
  double push_j_ = 0;     ///< soft push so far
  double lowest_j_ = 0;
  bool has_world_joint_ = false;
  bool is_free_ = false;
};

Vec3<double> RuleRun::center_m(std::size_t body) const {
  const sim::AnyWorld& world = simulation_.world();
  World<float> const* const real = world.get<float>();
  return metres(real != nullptr ? real->center_of_mass(bodies_[body])
                                : world.get<Fixed>()->center_of_mass(bodies_[body]));
}

RuleRun::Totals RuleRun::read_totals() {
  Totals totals;
  double const settled_tick = kSettledS * scene_.world.tick_rate_hz;
  auto const tick = static_cast<double>(simulation_.tick());
  double const low_y = random_.low_m.y > -1e5 ? random_.low_m.y : 0;
  // A crowd falls freely: its speeds are those beside the fall.
  Vec3<double> const fall = is_free_ ? scene_.world.gravity_m_s2 * (tick * tick_s_) : Vec3<double>{};
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (inertias_[i].mass_kg <= 0) continue;
    sim::BodyView const body = simulation_.world().view(bodies_[i]);
    Vec3<double> const center = center_m(i);
    double const mass = inertias_[i].mass_kg;
    totals.energy_j +=
        energy_j(inertias_[i], scene_.world.gravity_m_s2, {center.x, center.y - low_y, center.z},
                 body.rotation, body.linear_velocity_m_s, body.angular_velocity_rad_s);
    totals.momentum_n_s = totals.momentum_n_s + body.linear_velocity_m_s * mass;
    totals.momentum_sum_n_s += mass * length_of(body.linear_velocity_m_s);
    double const speed = length_of(body.linear_velocity_m_s - fall);
    stats_.peak_m_s = std::max(stats_.peak_m_s, speed);
    if (tick >= settled_tick) stats_.fastest_m_s = std::max(stats_.fastest_m_s, speed);
    if (tick == 0) highest_m_ = std::max(highest_m_, center.y - low_y);
    double const margin = random_.has_soft_contacts ? kSoftWallM : 0;
    Vec3<double> const low = random_.low_m - Vec3<double>{margin, margin, margin};
    Vec3<double> const high = random_.high_m + Vec3<double>{margin, margin, margin};
    // An elastic body may reach the edge of an open floor. It falls there, and that is no escape.
    double const floor_half = random_.floor_half_m;
    bool const above_floor =
        floor_half == 0 || (std::abs(center.x) <= floor_half && std::abs(center.z) <= floor_half);
    bool const inside = center.x >= low.x && (center.y >= low.y || !above_floor) && center.z >= low.z &&
                        center.x <= high.x && center.y <= high.y && center.z <= high.z;
    if (!inside || simulation_.world().is_quarantined(bodies_[i])) escaped_[i] = true;
  }
  return totals;
}

// The bias of a soft contact row separates shapes at min(push limit, rate x overlap), and the row's impulse
// does work at that speed; half of it stays when the row ends. The rate is that of the stiffest contacts.
double RuleRun::soft_push_j() const {
  double const substep_s = tick_s_ / scene_.world.substeps;
  double const phase = 6.28318530717958647692 * kContactHertzPerSubstepRate * kStaticContactHertzFactor;
  double const rate_1_s = phase / (2 * kContactDampingRatio + phase) / substep_s;
  double work_j = 0;
  for (const ContactView& contact : contacts_) {
    double const overlap_m = -contact.separation_m;
    if (overlap_m <= kLinearSlopM) continue;
    double const speed_m_s = std::min(scene_.world.contact_push_max_m_s, rate_1_s * overlap_m);
    work_j += speed_m_s * contact.impulse_n_s * scene_.world.substeps / 2;
  }
  return work_j;
}

void RuleRun::age_contacts() {
  std::map<BodyPair, std::uint32_t> now;
  for (const ContactView& contact : contacts_) {
    BodyPair const pair = std::minmax(contact.body_a.index, contact.body_b.index);
    auto const before = ages_.find(pair);
    now[pair] = before == ages_.end() ? 1 : before->second + 1;
  }
  ages_ = std::move(now);
}

// Every impulse is applied to both bodies, so the sum of momenta changes by gravity and by the rounding of
// velocities: one for each row of each pass.
void RuleRun::judge_momentum(const Totals& before, const Totals& after) {
  constexpr double kPasses = 4;  // warm start, biased, relax, restitution
  constexpr double kRows = 4;    // normal, two of friction, twist
  constexpr double kRounding = 0x1p-24;
  double const joint_rows = 8.0 * static_cast<double>(scene_.joints.size());
  double const roundings = static_cast<double>(scene_.world.substeps) *
                           (2 + kPasses * (kRows * static_cast<double>(contacts_.size()) + joint_rows));
  Vec3<double> const gained = scene_.world.gravity_m_s2 * (total_mass_kg_ * tick_s_);
  double const error = length_of(after.momentum_n_s - before.momentum_n_s - gained);
  double const scale =
      std::max(before.momentum_sum_n_s, after.momentum_sum_n_s) + length_of(gained) + total_mass_kg_ * 1e-3;
  ++stats_.flight_tick_count;
  stats_.momentum_error = std::max(stats_.momentum_error, error / (roundings * kRounding * scale));
}

void RuleRun::judge_energy(const Totals& now) {
  double const own_j = now.energy_j - push_j_;
  double const first_j = stats_.first_energy_j;
  if (!std::isfinite(own_j) || !(first_j > 0)) {
    stats_.rise = stats_.excess = first_j > 0 ? kInfinite : 0;
    return;
  }
  lowest_j_ = std::min(lowest_j_, own_j);
  double const rise = (own_j - lowest_j_) / first_j;
  if (rise > stats_.rise) {
    stats_.rise = rise;
    stats_.rise_tick = simulation_.tick();
  }
  stats_.excess = std::max(stats_.excess, (own_j - first_j) / first_j);
}

void RuleRun::measure_penetration() {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (simulation_.world().is_quarantined(bodies_[i])) return;
  }
  double const resting_ticks = kRestingContactS * scene_.world.tick_rate_hz;
  for (const FreshContact& contact : fresh_contacts(scene_, simulation_, bodies_)) {
    double const size =
        std::min(size_m(scene_.bodies[contact.body_a]), size_m(scene_.bodies[contact.body_b]));
    if (contact.separation_m >= 0 || size == kInfinite) continue;
    double const depth = -contact.separation_m / size;
    stats_.penetration_max = std::max(stats_.penetration_max, depth);
    auto const age = ages_.find(std::minmax(bodies_[contact.body_a].index, bodies_[contact.body_b].index));
    if (age != ages_.end() && age->second >= resting_ticks) depths_.push_back(depth);
  }
}

void RuleRun::finish() {
  if (!depths_.empty()) {
    std::ranges::sort(depths_);
    stats_.penetration = depths_[static_cast<std::size_t>(0.99 * static_cast<double>(depths_.size() - 1))];
  }
  stats_.escaped_count = static_cast<std::uint32_t>(std::ranges::count(escaped_, true));
  double const gravity = length_of(scene_.world.gravity_m_s2);
  double fall_m = highest_m_;
  if (random_.family == sim::RandomFamily::kCrowd)
    fall_m = is_free_ ? 0 : 0.5 * gravity * options_.seconds * options_.seconds;
  double const start = std::max(random_.start_speed_m_s, random_.drive_speed_m_s);
  stats_.speed_bound_m_s = 2 * random_.speed_gain * std::sqrt(2 * gravity * fall_m + start * start);

  auto& broken = stats_.broken_rules;
  // Sums that are not numbers break their rule.
  // A scene that starts with overlaps holds the energy that separates them.
  bool const exceeds = random_.start_overlap_m == 0 && !(stats_.excess <= kExcessMax);
  if (random_.is_passive && (!(stats_.rise <= kRiseMax) || exceeds)) broken |= kRuleEnergy;
  // Elastic bodies may share the energy of a heavy one, which makes light ones faster than any bound of this
  // kind.
  if (random_.is_inelastic && !(stats_.fastest_m_s <= stats_.speed_bound_m_s)) broken |= kRuleSpeed;
  if (stats_.escaped_count > 0) broken |= kRuleEscape;
  if (!(stats_.momentum_error <= 1)) broken |= kRuleMomentum;
}

RuleStats RuleRun::run() {
  std::uint64_t const ticks = ticks_of(scene_, options_);
  Totals before = read_totals();
  stats_.first_energy_j = before.energy_j;
  lowest_j_ = before.energy_j;
  for (const FreshContact& contact : fresh_contacts(scene_, simulation_, bodies_))
    stats_.start_overlap_m = std::max(stats_.start_overlap_m, -contact.separation_m);
  double spent_ms = 0;
  for (std::uint64_t tick = 1; tick <= ticks; ++tick) {
    double const begin_ms = thread_ms();
    sim::TickResult const result = simulation_.step({}, {.step = options_.step, .want_hash = false});
    spent_ms += thread_ms() - begin_ms;
    if (result.status.contacts_cut) ++stats_.cut_tick_count;
    simulation_.world().list_contacts(contacts_);
    push_j_ += soft_push_j();
    age_contacts();
    Totals const after = read_totals();
    if (is_free_) judge_momentum(before, after);
    if (random_.is_passive) judge_energy(after);
    before = after;
    std::uint64_t const half_second = scene_.world.tick_rate_hz / 2;
    if (ticks - tick <= 2 * half_second && (ticks - tick) % half_second == 0) measure_penetration();
  }
  stats_.ms_per_tick = ticks > 0 ? spent_ms / static_cast<double>(ticks) : 0;
  finish();
  return stats_;
}

sim::Scene with_equal_densities(sim::Scene scene) {
  for (sim::SceneBody& body : scene.bodies) {
    for (ShapeDef& shape : body.shapes) shape.density_kg_m3 = 1000;
  }
  return scene;
}

/// CPU time of the whole run, ms.
double run_ms(const sim::Scene& scene, const RuleOptions& options) {
  sim::Simulation simulation = simulation_of(scene, options.numbers);
  std::uint64_t const ticks = ticks_of(scene, options);
  double const begin_ms = thread_ms();
  for (std::uint64_t tick = 0; tick < ticks; ++tick)
    (void)simulation.step({}, {.step = options.step, .want_hash = false});
  return thread_ms() - begin_ms;
}

}  // namespace

std::string_view rule_name(std::uint32_t index) {
  constexpr std::array<std::string_view, kRuleCount> kNames{"energy",      "speed",    "escape",
                                                            "penetration", "momentum", "time"};
  return kNames.at(index);
}

RuleStats check_rules(const sim::RandomScene& random, const RuleOptions& options) {
  sim::Scene const scene = loaded(random);
  RuleStats stats = RuleRun(random, scene, options).run();
  if (random.has_soft_contacts || stats.penetration <= kPenetrationMax) return stats;
  // Few substeps, large gravity and a jam overlap bodies of equal densities too: contacts are springs.
  sim::Scene const equal = with_equal_densities(scene);
  stats.equal_penetration = RuleRun(random, equal, options).run().penetration;
  if (!(stats.penetration <= kPenetrationEqualMax * stats.equal_penetration))
    stats.broken_rules |= kRulePenetration;
  return stats;
}

RuleStats check_rules_and_time(const sim::RandomScene& random, const RuleOptions& options) {
  RuleStats stats = check_rules(random, options);
  sim::Scene scene = loaded(random);
  scene.world.allow_sleep = false;  // else a scene that rests is compared with one that still moves
  stats.own_ms = run_ms(scene, options);
  stats.equal_ms = run_ms(with_equal_densities(std::move(scene)), options);
  if (stats.equal_ms > 0) stats.time_ratio = stats.own_ms / stats.equal_ms;
  if (stats.time_ratio > kTimeRatioMax) stats.broken_rules |= kRuleTime;
  return stats;
}

std::string broken_text(const RuleStats& f) {
  std::string text;
  auto const add = [&text](const char* form, double value, double bound) {
    std::array<char, 96> part{};
    std::snprintf(part.data(), part.size(), form, value, bound);
    text += (text.empty() ? "" : ", ") + std::string(part.data());
  };
  std::uint32_t const broken = f.broken_rules;
  if ((broken & kRuleEnergy) != 0) {
    add("energy rises by %.3g %% (%.3g) of the first", 100 * f.rise, 100 * kRiseMax);
    add("ends %.3g %% (%.3g) above it", 100 * f.excess, 100 * kExcessMax);
  }
  if ((broken & kRuleSpeed) != 0) add("fastest %.4g m/s (%.4g)", f.fastest_m_s, f.speed_bound_m_s);
  if ((broken & kRuleEscape) != 0) add("%.0f bodies escaped (%.0f)", f.escaped_count, 0);
  if ((broken & kRulePenetration) != 0)
    add("penetration %.3g %% (%.3g) of the smaller body", 100 * f.penetration,
        100 * std::max(kPenetrationMax, kPenetrationEqualMax * f.equal_penetration));
  if ((broken & kRuleMomentum) != 0) add("momentum error %.3g (%.0f) roundings", f.momentum_error, 1);
  if ((broken & kRuleTime) != 0)
    add("time %.3g x (%.0f) that of equal densities", f.time_ratio, kTimeRatioMax);
  return text;
}

}  // namespace takt::test
