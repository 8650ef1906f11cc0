#include "tests/determinism/stage.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "takt/core/random.h"
#include "tests/scene_file.h"

namespace takt::determinism {
namespace {

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "determinism: %s\n", why.c_str());
  std::abort();
}

/// Plays the parts of two players and the server. One draw per statement: the order of evaluation of
/// arguments is not fixed.
class Players {
 public:
  explicit Players(std::uint64_t seed) : random_(seed, 77) {}

  std::vector<sim::Input> act(const sim::Simulation& simulation) {
    inputs_.clear();
    tick_ = simulation.tick();
    simulation.world().list_bodies(bodies_);
    dynamic_.clear();
    own_.clear();
    movers_.clear();
    simulation.world().list_ropes(ropes_);
    simulation.world().list_joints(joints_);
    for (BodyId const id : bodies_) {
      if (simulation.world().body_type(id) == BodyType::kDynamic) dynamic_.push_back(id);
      if (simulation.owner(id) == 1) own_.push_back(id);
      if (simulation.world().mover_of(id)) movers_.push_back(id);
    }
    if (tick_ == 2) server(sim::JoinCommand{1, true, "one"});
    if (tick_ == 3) server(sim::JoinCommand{2, false, "two"});
    if (tick_ % 97 == 90) server(sim::LeaveCommand{2});
    if (tick_ % 97 == 93) server(sim::JoinCommand{2, false, "two again"});
    if (tick_ < 5) return inputs_;
    if (tick_ % 5 == 0) say(1, spawn());
    if (tick_ % 6 == 1 && !own_.empty()) say(1, sim::DespawnCommand{pick(own_)});
    if (!dynamic_.empty()) push_and_pull();
    if (!movers_.empty() && tick_ % 9 == 4) walk();
    if (!ropes_.empty() && tick_ % 150 == 75) cut(simulation);
    if (!joints_.empty()) rebuild(simulation.world());
    if (tick_ % 17 == 0) nonsense();
    return inputs_;
  }

 private:
  void say(sim::PlayerId player, sim::Command command) {
    std::uint32_t const sequence = ++sequence_[player];
    inputs_.push_back({tick_, player, sequence, std::move(command)});
  }
  void server(sim::Command command) { say(0, std::move(command)); }

  BodyId pick(const std::vector<BodyId>& from) {
    return from[random_.next_below(static_cast<std::uint32_t>(from.size()))];
  }
  float draw(double low, double high) { return static_cast<float>(random_.next_between(low, high)); }
  Vec3<float> draw_vector(double size) {
    float const x = draw(-size, size);
    float const y = draw(-size, size);
    float const z = draw(-size, size);
    return {x, y, z};
  }
  Position draw_position() {
    double const x = random_.next_between(-3.0, 3.0);
    double const y = random_.next_between(4.0, 9.0);
    double const z = random_.next_between(-3.0, 3.0);
    return Position::from_metres(x, y, z);
  }

  sim::SpawnCommand spawn() {
    sim::SpawnCommand s;
    std::uint32_t const kind = random_.next_below(3);
    s.kind = kind == 0 ? ShapeKind::kSphere : (kind == 1 ? ShapeKind::kCapsule : ShapeKind::kBox);
    float const a = draw(0.2, 0.6);
    float const b = draw(0.2, 0.6);
    float const c = draw(0.2, 0.6);
    s.dimensions_m = {a, b, c};
    s.position = draw_position();
    s.linear_velocity_m_s = draw_vector(5.0);
    s.angular_velocity_rad_s = draw_vector(5.0);
    s.density_kg_m3 = draw(100.0, 2000.0);
    s.friction = draw(0.0, 1.0);
    s.restitution = draw(0.0, 1.0);
    return s;
  }

  void push_and_pull() {
    std::uint64_t const interval = tick_ % 48;
    if (tick_ % 7 == 0) {
      BodyId const body = pick(dynamic_);
      Vec3<float> const impulse = draw_vector(2000.0);
      Vec3<float> const point = draw_vector(0.5);
      say(2, sim::ImpulseCommand{body, impulse, point});
    }
    if (tick_ % 41 == 11) {
      BodyId const body = pick(dynamic_);
      Vec3<float> const force = draw_vector(5000.0);
      Vec3<float> const torque = draw_vector(500.0);
      say(2, sim::ForceCommand{body, force, torque, 10});
    }
    if (interval == 20) {
      BodyId const body = pick(dynamic_);
      Vec3<float> const point = draw_vector(0.3);
      Position const target = draw_position();
      say(1, sim::GrabCommand{body, point, target, 50000.0f});
    }
    if (interval > 20 && interval < 40 && interval % 3 == 0) say(1, sim::MoveGrabCommand{draw_position()});
    if (interval == 40) say(1, sim::ReleaseCommand{});
    if (tick_ % 53 == 31 && !own_.empty()) {
      sim::TeleportCommand t;
      t.body = pick(own_);
      t.position = draw_position();
      t.linear_velocity_m_s = draw_vector(3.0);
      t.angular_velocity_rad_s = draw_vector(3.0);
      say(1, t);
    }
  }

  void walk() {
    sim::MoveCommand move;
    move.body = pick(movers_);
    move.velocity_m_s = draw_vector(7.0);
    move.turn_rad_s = draw(-2.0, 2.0);
    move.in_heading_frame = random_.next_below(2) == 0;
    move.jump = random_.next_below(3) == 0;
    say(2, move);
  }

  void cut(const sim::Simulation& simulation) {
    RopeId const rope = ropes_[random_.next_below(static_cast<std::uint32_t>(ropes_.size()))];
    RopeView view;
    simulation.world().read_rope(rope, view);
    say(1, sim::CutCommand{rope, random_.next_below(
                                     static_cast<std::uint32_t>(view.nodes.size()))});  // the last is refused
  }

  JointId pick_joint() { return joints_[random_.next_below(static_cast<std::uint32_t>(joints_.size()))]; }

  /// A command for a joint about a coordinate that it leaves free.
  sim::ChangeJointCommand change_of(const sim::AnyWorld& world) {
    sim::ChangeJointCommand change;
    change.joint = pick_joint();
    std::uint8_t const locked = world.joint_def(change.joint).locked;
    std::uint32_t axis = random_.next_below(8);
    while (axis < 6 && (locked >> axis & 1) != 0) ++axis;  // distance and swing are never locked
    change.axis = static_cast<JointAxis>(axis);
    return change;
  }

  // Drives, springs, switches and destroys joints. Player 2 may do what the policy lets it, so some of it is
  // refused.
  void rebuild(const sim::AnyWorld& world) {
    if (tick_ % 23 == 8) {
      sim::ChangeJointCommand drive = change_of(world);
      double const speed = random_.next_between(-4.0, 4.0);
      double const max = random_.next_between(0.0, 500.0);
      drive.motor = sim::ChangeJointCommand::Motor{speed, max};
      say(1 + random_.next_below(2), drive);
    }
    if (tick_ % 61 == 34) {
      sim::ChangeJointCommand spring = change_of(world);
      double const target = random_.next_between(-0.5, 0.5);
      double const hertz = random_.next_between(1.0, 6.0);
      spring.hold = sim::ChangeJointCommand::Hold{random_.next_below(3) != 0, target,
                                                  Softness::frequency(hertz, 0.5), 1000.0};
      spring.friction = random_.next_between(0.0, 20.0);
      say(1, spring);
    }
    if (tick_ % 40 == 15) {
      sim::ChangeJointCommand toggle;
      toggle.joint = pick_joint();
      toggle.enabled = !world.joint(toggle.joint).enabled;
      say(1, toggle);
    }
    if (tick_ % 240 == 130) say(1, sim::DestroyJointCommand{pick_joint()});
  }

  void nonsense() {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    float const infinity = std::numeric_limits<float>::infinity();
    BodyId const nobody{4000000, 9};
    say(2, sim::ImpulseCommand{nobody, {1, 2, 3}, {}});
    if (!dynamic_.empty()) say(2, sim::ImpulseCommand{dynamic_.front(), {nan, 0, infinity}, {}});
    say(2, sim::DespawnCommand{bodies_.empty() ? nobody : bodies_.front()});
    say(7, sim::ReleaseCommand{});
    if (joints_.empty()) return;
    sim::ChangeJointCommand crossed;
    crossed.joint = joints_.front();
    crossed.limit = sim::ChangeJointCommand::Limit{1.0, -1.0, {}};
    say(1, crossed);
    say(1, sim::DestroyJointCommand{JointId{4000000, 9}});
  }

  Random random_;
  std::uint64_t tick_ = 0;
  std::uint32_t sequence_[8] = {};
  std::vector<sim::Input> inputs_;
  std::vector<BodyId> bodies_;
  std::vector<BodyId> dynamic_;
  std::vector<BodyId> own_;
  std::vector<BodyId> movers_;
  std::vector<RopeId> ropes_;
  std::vector<JointId> joints_;
};

}  // namespace

std::string_view mode_name(NumbersMode mode) { return mode == NumbersMode::kFloat ? "float" : "fixed"; }

std::uint64_t run_ticks(double share) {
  const char* const text = std::getenv("TAKT_DETERMINISM_TICKS");
  std::uint64_t const full = text != nullptr ? std::strtoull(text, nullptr, 10) : kGoldenTicks;
  if (share == 1.0 || std::getenv("TAKT_DETERMINISM_FULL") != nullptr) return full;
  auto const part = static_cast<std::uint64_t>(static_cast<double>(std::min(full, kCostlyTicks)) * share);
  return std::max<std::uint64_t>(part, 40);
}

Play play(const sim::Scene& scene, NumbersMode mode, std::uint64_t ticks,
          const std::function<void(sim::Simulation&)>& before_tick) {
  Players players(20261121);
  sim::Simulation simulation = begin(scene, mode);
  Play out;
  out.chronicle.note(simulation);
  while (simulation.tick() < ticks) {
    if (before_tick) before_tick(simulation);
    out.script.push_back(players.act(simulation));
    step(simulation, out.script);
    out.chronicle.note(simulation);
  }
  return out;
}

sim::Simulation begin(const sim::Scene& scene, NumbersMode mode) {
  auto simulation = sim::Simulation::create(scene, mode);
  if (!simulation.ok()) stop("the scene was refused: " + std::string(message(simulation.error())));
  return std::move(simulation).value();
}

void step(sim::Simulation& simulation, const Script& script, const StepOptions& how) {
  sim::TickOptions options;
  options.step = how;
  options.want_hash = false;
  std::uint64_t const tick = simulation.tick();
  if (tick < script.size()) {
    simulation.step(script[tick], options);
  } else {
    simulation.step({}, options);
  }
}

void disturb(sim::Simulation& simulation, std::uint32_t what, sim::SimulationSnapshot& snapshot,
             const Script& script, const StepOptions& options) {
  switch (what) {
    case 0: {
      auto restored = sim::Simulation::restore(simulation.save());
      if (!restored.ok()) stop("a simulation does not take its own image");
      simulation = std::move(restored).value();
      break;
    }
    case 1: simulation.drop_derived_state(); break;
    case 2:
      simulation.capture(snapshot);
      for (int i = 0; i < 3; ++i) step(simulation, script, options);
      simulation.rollback(snapshot);
      break;
    default: break;
  }
}

Chronicle run(const sim::Scene& scene, NumbersMode mode, const Script& script, std::uint64_t ticks,
              std::uint32_t lanes) {
  sim::Simulation simulation = begin(scene, mode);
  Chronicle chronicle;
  chronicle.note(simulation);
  while (simulation.tick() < ticks) {
    step(simulation, script, {.lanes = lanes});
    chronicle.note(simulation);
  }
  return chronicle;
}

std::vector<Stage> stages() {
  std::vector<Stage> out;
  for (const std::string& scene : scene_files::names()) {
    for (NumbersMode const mode : {NumbersMode::kFloat, NumbersMode::kFixed}) out.push_back({scene, mode});
  }
  return out;
}

std::vector<Stage> stages_once_near() {
  std::vector<Stage> out = stages();
  std::erase_if(out,
                [](const Stage& stage) { return stage.scene == "far" && stage.mode == NumbersMode::kFixed; });
  return out;
}

std::string name_of(const Stage& stage) { return stage.scene + "_" + std::string(mode_name(stage.mode)); }

}  // namespace takt::determinism
