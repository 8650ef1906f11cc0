#include "examples/game/car_ball.h"

#include <algorithm>
#include <string>

namespace car_ball {
namespace {

using takt::BodyId;
using takt::Position;
using takt::Quat;
using takt::Vec3;
using takt::VehicleControls;
using takt::VehicleDef;
using takt::sim::PlayerId;
using takt::sim::StateVisitor;
using takt::sim::WorldAccess;

constexpr std::byte kDrive{1};  // first byte of a drive command
constexpr std::uint32_t kMatchS = 120;
constexpr std::uint32_t kKickoffS = 1;
constexpr std::uint32_t kGoalS = 2;
constexpr std::uint32_t kOverS = 5;
constexpr std::uint32_t kTimeEveryS = 15;
constexpr std::uint32_t kPedalsS = 1;  // longest life of a command: a client repeats what it holds
constexpr std::uint32_t kTippedS = 2;
constexpr std::uint32_t kStuckS = 3;
constexpr double kStuckMS = 1.5;  // speed below which the ball counts as stuck between cars and walls
constexpr std::uint32_t kMaxPlayers = 4096;  // of any policy

constexpr double kBallRadiusM = 1.5;
constexpr double kMaxXM = kGoalLineM + 7;  // beyond the goals' back walls
constexpr double kMaxZM = kSideLineM + 2;

constexpr double kTopSpeedMS = 18;
constexpr double kReverseSpeedMS = 8;
constexpr double kDriveTorqueNM = 1000;
constexpr double kBrakeTorqueNM = 900;
constexpr double kMaxSteerRad = 0.5;

std::string_view name_of(Team team) { return team == Team::kBlue ? "blue" : "red"; }
std::size_t index_of(Team team) { return static_cast<std::size_t>(team); }
Team other(Team team) { return team == Team::kBlue ? Team::kRed : Team::kBlue; }

VehicleDef car_at(const Position& position, Quat<double> rotation) {
  VehicleDef def;
  def.position = position;
  def.rotation = rotation;
  def.chassis_size_m = {3.2, 0.7, 1.7};
  def.chassis_mass_kg = 1000;
  def.ground_clearance_m = 0.35;
  def.wheelbase_m = 2.2;
  def.wheel_radius_m = 0.4;
  def.wheel_friction = 1.2;
  def.suspension_hz = 2.5;
  def.max_steer_rad = kMaxSteerRad;
  def.drives_front = true;
  return def;
}

// Blue starts in the west and looks east, red the other way round.
VehicleDef car_on_seat(Team team, std::uint32_t seat) {
  double const side = team == Team::kBlue ? -1 : 1;
  Position const position = Position::from_metres(side * 12, 0, side * (seat == 0 ? -4 : 4));
  return car_at(position, team == Team::kBlue ? Quat<double>{} : Quat<double>{0, 1, 0, 0});
}

// On its wheels where it is, with its heading.
VehicleDef car_upright(const takt::sim::BodyView& chassis) {
  Quat<double> heading{0, chassis.rotation.y, 0, chassis.rotation.w};
  double const norm = takt::length(Vec3<double>{heading.y, heading.w, 0});
  if (norm < 0.01) {
    heading = {};
  } else {
    heading = {0, heading.y / norm, 0, heading.w / norm};
  }
  return car_at(Position::from_raw(chassis.position.x_raw, 0, chassis.position.z_raw), heading);
}

void place(WorldAccess& world, const CarBall::Driver& driver, const VehicleDef& def) {
  auto const parts = takt::vehicle(def);
  if (!parts) return;
  for (std::size_t i = 0; i < driver.bodies.size(); ++i) {
    if (!world.world().contains(driver.bodies[i])) continue;  // an admin destroyed it
    world.set_pose(driver.bodies[i], parts->bodies[i].def.position, parts->bodies[i].def.rotation);
    world.set_velocity(driver.bodies[i], {}, {});
  }
}

// Creates the bodies of an assembly for a player.
struct OwnedWorld {
  WorldAccess& world;
  PlayerId owner;
  auto create_body(const takt::BodyDef& def) { return world.create_body(def, owner); }
  auto create_joint(const takt::JointDef& def) { return world.create_joint(def); }
  auto destroy_body(BodyId body) { return world.destroy_body(body); }
};

VehicleControls controls_of(const DriveCommand& pedals) {
  VehicleControls controls;
  controls.steer_rad = kMaxSteerRad * pedals.left / 100;
  if (pedals.forward == 0) {
    controls.brake_torque_n_m = kBrakeTorqueNM;
  } else {
    controls.speed_m_s = (pedals.forward > 0 ? kTopSpeedMS : kReverseSpeedMS) * pedals.forward / 100;
    controls.drive_torque_n_m = kDriveTorqueNM;
  }
  return controls;
}

}  // namespace

std::vector<std::byte> DriveCommand::bytes() const {
  return {kDrive, static_cast<std::byte>(forward), static_cast<std::byte>(left)};
}

std::optional<DriveCommand> DriveCommand::from(std::span<const std::byte> bytes) {
  if (bytes.size() != 3 || bytes[0] != kDrive) return std::nullopt;
  DriveCommand const command{static_cast<std::int8_t>(bytes[1]), static_cast<std::int8_t>(bytes[2])};
  auto const is_per_cent = [](int value) { return value >= -100 && value <= 100; };
  if (!is_per_cent(command.forward) || !is_per_cent(command.left)) return std::nullopt;
  return command;
}

bool CarBall::on_start(WorldAccess& world, const takt::sim::SceneNames& names) {
  ball_ = names.body("ball");
  goals_ = {names.shape("blue goal"), names.shape("red goal")};
  if (!ball_) return world.refuse("the scene needs one body with the name \"ball\"");
  for (Team const team : {Team::kBlue, Team::kRed}) {
    if (!goals_[index_of(team)])
      return world.refuse("the scene needs one shape with the name \"" + std::string(name_of(team)) +
                          " goal\"");
  }
  begin_match(world);
  return true;
}

std::uint32_t CarBall::driver_count(Team team) const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(drivers_, [&](auto const& one) { return one.second.team == team; }));
}

std::optional<std::uint32_t> CarBall::free_seat(Team team) const {
  for (std::uint32_t seat = 0; seat < kSeatsPerTeam; ++seat) {
    auto const is_there = [&](auto const& one) { return one.second.team == team && one.second.seat == seat; };
    if (std::ranges::none_of(drivers_, is_there)) return seat;
  }
  return std::nullopt;
}

void CarBall::seat(WorldAccess& world, PlayerId player) {
  Team const team = driver_count(Team::kRed) < driver_count(Team::kBlue) ? Team::kRed : Team::kBlue;
  std::optional<std::uint32_t> const seat = free_seat(team);
  if (!seat) {
    watchers_.push_back(player);
    (void)world.send(player, "all cars have drivers: you watch, and get the next free car");
    return;
  }
  auto parts = takt::vehicle(car_on_seat(team, *seat));
  if (!parts) return;
  for (takt::AssemblyBody& body : parts->bodies) body.def.user_tag = kWheelKind;
  parts->bodies.front().def.user_tag = team == Team::kBlue ? kBlueCarKind : kRedCarKind;
  OwnedWorld owned{world, player};
  auto const made = takt::create_assembly(owned, *parts);
  if (!made) {  // the world is full
    watchers_.push_back(player);
    return;
  }
  Driver& driver = drivers_[player];
  driver.team = team;
  driver.seat = *seat;
  std::ranges::copy(made->bodies, driver.bodies.begin());
  std::ranges::copy(made->joints, driver.wheels.begin());
  (void)world.send(player, "you drive for " + std::string(name_of(team)));
}

void CarBall::on_join(WorldAccess& world, PlayerId player) {
  seat(world, player);
  if (drivers_.size() == 1) begin_match(world);
}

void CarBall::on_leave(WorldAccess& world, PlayerId player) {
  std::erase(watchers_, player);
  auto const at = drivers_.find(player);
  if (at == drivers_.end()) return;
  for (BodyId const body : at->second.bodies)
    if (world.world().contains(body)) world.destroy_body(body);
  drivers_.erase(at);
  if (watchers_.empty()) return;
  PlayerId const next = watchers_.front();
  watchers_.erase(watchers_.begin());
  seat(world, next);
}

bool CarBall::on_command(WorldAccess& world, PlayerId player, std::span<const std::byte> bytes) {
  std::optional<DriveCommand> const command = DriveCommand::from(bytes);
  if (!command) return world.refuse("a drive command is the byte 1, then forward and left from -100 to 100");
  auto const at = drivers_.find(player);
  if (at == drivers_.end()) return world.refuse("you watch: all cars have drivers");
  at->second.pedals = *command;
  at->second.pedals_end_tick = world.tick() + kPedalsS * world.tick_rate_hz();
  return true;
}

void CarBall::before_tick(WorldAccess& world) {
  bool const may_drive = phase_ == Phase::kPlay || phase_ == Phase::kGoal;
  for (auto& [player, driver] : drivers_) {
    bool const is_driven = may_drive && world.tick() < driver.pedals_end_tick;
    VehicleControls controls = controls_of(is_driven ? driver.pedals : DriveCommand{});
    if (driver.pedals_end_tick == 0) controls = {};  // of a person who pushes it in the page: it rolls
    (void)takt::control_vehicle(world, driver.wheels, car_at({}, {}), controls);
  }
}

void CarBall::after_tick(WorldAccess& world, const takt::StepEvents& events) {
  if (drivers_.empty()) return;  // the match waits for its first driver
  for (takt::SensorOverlap const& entry : events.sensor_begin) {
    if (phase_ != Phase::kPlay || world.body_of(entry.visitor) != ball_) continue;
    for (Team const team : {Team::kBlue, Team::kRed})
      if (entry.sensor == goals_[index_of(team)]) score(world, other(team));
  }
  if (phase_ == Phase::kPlay) return play_tick(world);
  if (world.tick() < phase_end_tick_) return;
  switch (phase_) {
    case Phase::kKickoff: {
      begin_phase(world, Phase::kPlay);
      double const side_m_s = static_cast<double>(world.random_below(401)) / 100 - 2;  // [-2, 2]
      if (world.world().contains(ball_)) world.set_velocity(ball_, {0, 0, side_m_s}, {});
      break;
    }
    case Phase::kGoal: begin_kickoff(world); break;
    case Phase::kOver: begin_match(world); break;
    case Phase::kPlay: break;
  }
}

void CarBall::begin_phase(WorldAccess& world, Phase phase) {
  phase_ = phase;
  std::uint32_t const length_s = phase == Phase::kKickoff ? kKickoffS
                                 : phase == Phase::kGoal  ? kGoalS
                                                          : kOverS;
  phase_end_tick_ = phase == Phase::kPlay ? 0 : world.tick() + length_s * world.tick_rate_hz();
}

void CarBall::begin_match(WorldAccess& world) {
  score_ = {};
  play_ticks_left_ = kMatchS * world.tick_rate_hz();
  begin_kickoff(world);
}

void CarBall::begin_kickoff(WorldAccess& world) {
  begin_phase(world, Phase::kKickoff);
  stuck_ticks_ = 0;
  for (auto& [player, driver] : drivers_) {
    place(world, driver, car_on_seat(driver.team, driver.seat));
    driver.tipped_ticks = 0;
  }
  if (!world.world().contains(ball_)) return;
  world.set_pose(ball_, Position::from_metres(0, kBallRadiusM, 0), {});
  world.set_velocity(ball_, {}, {});
}

void CarBall::score(WorldAccess& world, Team team) {
  ++score_[index_of(team)];
  ++goal_count_;
  begin_phase(world, Phase::kGoal);
  (void)world.send_to_all("goal for " + std::string(name_of(team)) + ": blue " + std::to_string(score_[0]) +
                          " : " + std::to_string(score_[1]) + " red");
}

// The clock, cars that lie on their side, what has left the pitch, and a ball that nobody gets moving.
void CarBall::play_tick(WorldAccess& world) {
  auto const is_out = [&](BodyId body) {
    if (!world.world().contains(body)) return false;
    Vec3<double> const at = world.world().view(body).position.to_metres();
    return at.x < -kMaxXM || at.x > kMaxXM || at.z < -kMaxZM || at.z > kMaxZM || at.y < -1;
  };
  for (auto& [player, driver] : drivers_) {
    if (!world.world().contains(driver.bodies.front())) continue;
    takt::sim::BodyView const chassis = world.world().view(driver.bodies.front());
    bool const is_tipped = takt::rotate(chassis.rotation, Vec3<double>{0, 1, 0}).y < 0.3;
    driver.tipped_ticks = is_tipped ? driver.tipped_ticks + 1 : 0;
    if (is_out(driver.bodies.front())) {
      place(world, driver, car_on_seat(driver.team, driver.seat));
    } else if (driver.tipped_ticks >= kTippedS * world.tick_rate_hz()) {
      place(world, driver, car_upright(chassis));
      driver.tipped_ticks = 0;
    }
  }
  bool const is_slow =
      world.world().contains(ball_) && takt::length(world.world().view(ball_).linear_velocity_m_s) < kStuckMS;
  stuck_ticks_ = is_slow ? stuck_ticks_ + 1 : 0;
  if (is_out(ball_) || stuck_ticks_ >= kStuckS * world.tick_rate_hz()) begin_kickoff(world);
  --play_ticks_left_;
  if (play_ticks_left_ == 0) {
    begin_phase(world, Phase::kOver);
    std::string const winner = score_[0] == score_[1]  ? "a draw"
                               : score_[0] > score_[1] ? "blue wins"
                                                       : "red wins";
    (void)world.send_to_all("the match is over, " + winner + ": blue " + std::to_string(score_[0]) + " : " +
                            std::to_string(score_[1]) + " red");
  } else if (play_ticks_left_ % (kTimeEveryS * world.tick_rate_hz()) == 0) {
    (void)world.send_to_all(std::to_string(play_ticks_left_ / world.tick_rate_hz()) + " s left");
  }
}

void CarBall::visit_state(StateVisitor& state) {
  state.field("ball", ball_);
  state.list("goal", goals_);
  state.field("phase", phase_, Phase::kOver);
  state.field("phase_end_tick", phase_end_tick_);
  state.field("play_ticks_left", play_ticks_left_);
  state.field("stuck_ticks", stuck_ticks_);
  state.list("score", score_);
  state.field("goal_count", goal_count_);
  state.map("driver", drivers_, kTeamCount * kSeatsPerTeam, [](Driver& driver, StateVisitor& in) {
    in.field("team", driver.team, Team::kRed);
    in.field("seat", driver.seat);
    in.require(driver.seat < kSeatsPerTeam, "seat", "the team has no such seat");
    in.list("body", driver.bodies);
    in.list("wheel", driver.wheels);
    in.field("forward", driver.pedals.forward);
    in.field("left", driver.pedals.left);
    in.field("pedals_end_tick", driver.pedals_end_tick);
    in.field("tipped_ticks", driver.tipped_ticks);
  });
  state.list("watcher", watchers_, kMaxPlayers);
  state.require(play_ticks_left_ > 0 || phase_ != Phase::kPlay, "play_ticks_left",
                "a match in play has time left");
}

}  // namespace car_ball
