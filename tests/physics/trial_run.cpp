#include "tests/physics/trial_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "physics/geometry/hull_geometry.h"
#include "physics/state/mass_properties.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "tests/physics/simple_world.h"

namespace takt::test {
namespace {

sim::Simulation created(const Trial& trial, NumbersMode numbers) {
  auto made = sim::Simulation::create(trial.scene, numbers, game_of(trial));
  if (!made) throw std::runtime_error(trial.name + ": " + std::string(message(made.error())));
  return *std::move(made);
}

bool is_dynamic(const sim::SceneBody& body) noexcept {
  return !body.mover && body.def.type == BodyType::kDynamic;
}

}  // namespace

Penetration penetration_of(std::span<const double> separations_m) {
  std::vector<double> depths;
  for (double const separation : separations_m) {
    if (separation < 0) depths.push_back(-separation);
  }
  Penetration found;
  found.count = depths.size();
  if (depths.empty()) return found;
  std::ranges::sort(depths);
  double sum = 0;
  for (double const depth : depths) sum += depth;
  found.mean_m = sum / static_cast<double>(depths.size());
  found.p99_m = depths[static_cast<std::size_t>(0.99 * static_cast<double>(depths.size() - 1))];
  found.max_m = depths.back();
  return found;
}

BodyInertia inertia_of(const sim::SceneBody& body) {
  if (!is_dynamic(body)) return {};
  if (body.def.mass) {
    const MassOverride& mass = *body.def.mass;
    return {mass.mass_kg, {mass.inertia_kg_m2.x, mass.inertia_kg_m2.y, mass.inertia_kg_m2.z, 0, 0, 0}};
  }
  std::vector<PlacedHull> hulls(body.shapes.size());
  for (std::size_t i = 0; i < hulls.size(); ++i) {
    if (body.shapes[i].kind == ShapeKind::kHull) hulls[i] = make_hull(body.shapes[i].hull_points_m).value();
  }
  MassProperties const unpacked = mass_properties(body.shapes, hulls);
  return {unpacked.mass_kg, unpacked.inertia};
}

double energy_j(const BodyInertia& body, Vec3<double> gravity_m_s2, Vec3<double> center_m,
                Quat<double> rotation, Vec3<double> velocity_m_s, Vec3<double> spin_rad_s) {
  if (body.mass_kg <= 0) return 0;
  Vec3<double> const w = rotate(Quat<double>{-rotation.x, -rotation.y, -rotation.z, rotation.w}, spin_rad_s);
  const auto& i = body.inertia;
  double const turning = i[0] * w.x * w.x + i[1] * w.y * w.y + i[2] * w.z * w.z +
                         2 * (i[3] * w.x * w.y + i[4] * w.x * w.z + i[5] * w.y * w.z);
  return 0.5 * turning + body.mass_kg * (0.5 * dot(velocity_m_s, velocity_m_s) - dot(gravity_m_s2, center_m));
}

TrialRun::TrialRun(const Trial& trial, NumbersMode numbers)
    : trial_(trial), simulation_(created(trial, numbers)) {
  simulation_.world().list_bodies(bodies_);
  for (const sim::SceneBody& body : trial.scene.bodies) {
    inertias_.push_back(inertia_of(body));
    total_mass_kg_ += inertias_.back().mass_kg;
  }
  simulation_.world().list_joints(joints_);
  std::erase_if(joints_, [this](JointId id) {
    return (simulation_.world().joint_def(id).locked & kLockLinear) != kLockLinear;
  });
  watch();
}

// Relative to the trial's origin.
Vec3<double> TrialRun::center_m(std::size_t body) const {
  const sim::AnyWorld& world = simulation_.world();
  const World<float>* const real = world.get<float>();
  return displacement(trial_.origin, real != nullptr ? real->center_of_mass(bodies_[body])
                                                     : world.get<Fixed>()->center_of_mass(bodies_[body]));
}

void TrialRun::watch() {
  double energy = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (inertias_[i].mass_kg <= 0) continue;
    sim::BodyView const body = simulation_.world().view(bodies_[i]);
    energy += energy_j(inertias_[i], trial_.scene.world.gravity_m_s2, center_m(i), body.rotation,
                       body.linear_velocity_m_s, body.angular_velocity_rad_s);
  }
  if (!has_energy_ || energy < lowest_energy_j_) lowest_energy_j_ = energy;
  has_energy_ = true;
  gain_j_ = std::max(gain_j_, energy - lowest_energy_j_);
  for (JointId const id : joints_) {
    JointView const joint = simulation_.world().joint(id);
    if (!joint.broken) gap_m_ = std::max(gap_m_, length(displacement(joint.anchor_a, joint.anchor_b)));
  }
}

// Contacts that rest keep old manifolds and a step's contacts are those of its start, so the separations are
// taken from a world without a past: the same bodies, put where they are now, at rest and without gravity,
// after one step.
std::vector<FreshContact> fresh_contacts(const sim::Scene& scene, const sim::Simulation& simulation,
                                         std::span<const BodyId> bodies) {
  WorldDef def = scene.world;
  def.gravity_m_s2 = {};
  auto fresh = sim::AnyWorld::create(def, simulation.numbers()).value();
  std::map<std::uint32_t, std::size_t> index_of;  // of a body, by its index in the fresh world
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const sim::SceneBody& body = scene.bodies[i];
    sim::BodyView const now = simulation.world().view(bodies[i]);
    BodyId id;
    if (body.mover) {
      MoverDef copy = *body.mover;
      copy.position = now.position;
      auto const mover = fresh.create_mover(copy);
      if (!mover) throw std::runtime_error(scene.title + ": a mover cannot be put where it is");
      id = fresh.mover(*mover).body;
    } else {
      BodyDef copy = body.def;
      copy.shapes = body.shapes;
      copy.position = now.position;
      copy.rotation = now.rotation;
      copy.linear_velocity_m_s = {};
      copy.angular_velocity_rad_s = {};
      auto const made = fresh.create_body(copy);
      if (!made) throw std::runtime_error(scene.title + ": a body cannot be put where it is");
      id = *made;
    }
    index_of[id.index] = i;
  }
  std::set<std::pair<std::size_t, std::size_t>> joined;  // bodies that a joint keeps from touching
  for (const sim::SceneJoint& joint : scene.joints) {
    if (!joint.def.collide_connected) joined.insert(std::minmax(joint.body_a, joint.body_b));
  }
  (void)fresh.step({});
  std::vector<ContactView> contacts;
  fresh.list_contacts(contacts);
  std::vector<FreshContact> found;
  for (const ContactView& contact : contacts) {
    std::size_t const a = index_of.at(contact.body_a.index);
    std::size_t const b = index_of.at(contact.body_b.index);
    if (!joined.contains(std::minmax(a, b))) found.push_back({a, b, contact.separation_m});
  }
  return found;
}

std::uint64_t TrialRun::digest() const {
  std::vector<std::byte> buffer;
  ByteWriter bytes(buffer);
  for (BodyId const id : bodies_) {
    sim::BodyView const body = simulation_.world().view(id);
    bytes.put(body.position.x_raw - trial_.origin.x_raw);
    bytes.put(body.position.y_raw - trial_.origin.y_raw);
    bytes.put(body.position.z_raw - trial_.origin.z_raw);
    for (double const part : {body.rotation.x, body.rotation.y, body.rotation.z, body.rotation.w})
      bytes.put(part);
    for (const Vec3<double>& v : {body.linear_velocity_m_s, body.angular_velocity_rad_s}) {
      for (double const part : {v.x, v.y, v.z}) bytes.put(part);
    }
  }
  return hash_bytes(buffer);
}

TrialStats TrialRun::stats() const {
  const sim::AnyWorld& world = simulation_.world();
  TrialStats stats;
  stats.body_count = world.body_count();
  stats.contact_count = last_.contact_count;
  std::vector<double> separations;
  for (const FreshContact& contact : fresh_contacts(trial_.scene, simulation_, bodies_))
    separations.push_back(contact.separation_m);
  stats.penetration = penetration_of(separations);
  double const gravity = length(trial_.scene.world.gravity_m_s2);
  if (gravity > 0 && total_mass_kg_ > 0) stats.gain_m = gain_j_ / (total_mass_kg_ * gravity);
  Vec3<double> const origin = metres(trial_.origin);
  Vec3<double> const low = trial_.low_m - origin;
  Vec3<double> const high = trial_.high_m - origin;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!is_dynamic(trial_.scene.bodies[i])) continue;
    stats.fastest_m_s = std::max(stats.fastest_m_s, length(world.view(bodies_[i]).linear_velocity_m_s));
    Vec3<double> const p = center_m(i);
    bool const inside =
        p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x && p.y <= high.y && p.z <= high.z;
    if (!inside || world.is_quarantined(bodies_[i])) ++stats.lost_count;
  }
  if (trial_.watched) {
    Vec3<double> const moved = displacement(trial_.scene.bodies[*trial_.watched].def.position,
                                            world.view(bodies_[*trial_.watched]).position);
    stats.sink_m = -moved.y;
    stats.drift_m = std::sqrt(moved.x * moved.x + moved.z * moved.z);
  }
  stats.gap_m = gap_m_;
  stats.digest = digest();
  return stats;
}

}  // namespace takt::test
