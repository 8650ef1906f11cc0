#include "examples/game/car_ball_bot.h"

#include <algorithm>
#include <cmath>

#include "examples/game/car_ball.h"

namespace car_ball {
namespace {

using takt::Vec3;
using takt::client::Body;

constexpr double kBehindM = 5;  // from the ball's centre, to push it from
constexpr double kStillMS = 0.4;
constexpr std::uint32_t kStillMax = 4;    // commands
constexpr std::uint32_t kBackingMax = 6;  // commands

// East and south: the pitch from above.
struct Spot {
  double x = 0;
  double z = 0;
};

Spot operator-(Spot a, Spot b) { return {a.x - b.x, a.z - b.z}; }
double length(Spot a) { return std::sqrt(a.x * a.x + a.z * a.z); }
Spot scaled(Spot a, double factor) { return {a.x * factor, a.z * factor}; }
Spot moved(Spot a, Spot by) { return {a.x + by.x, a.z + by.z}; }
Spot spot_of(const Body& body) { return {body.position.x_m(), body.position.z_m()}; }
bool is_car(const Body& body) { return body.user_kind == kBlueCarKind || body.user_kind == kRedCarKind; }

// The pedals that bring the car to a spot: slowly where it has to turn.
DriveCommand drive_to(const Body& car, Spot target) {
  Vec3<float> const ahead = takt::rotate(car.rotation, Vec3<float>{1, 0, 0});
  Spot const to = target - spot_of(car);
  double const forward = ahead.x * to.x + ahead.z * to.z;
  double const left = ahead.z * to.x - ahead.x * to.z;  // y is up, so left of east is north: -z
  double const angle = std::atan2(left, forward);
  DriveCommand command;
  command.left = static_cast<std::int8_t>(std::lround(100 * std::clamp(angle * 1.5, -1.0, 1.0)));
  double const speed = std::clamp(1.15 - std::abs(angle), 0.4, 1.0);
  command.forward = static_cast<std::int8_t>(std::lround(100 * speed));
  return command;
}

// The spot to drive to in order to push the ball to the goal: through the ball if the car is behind it, else
// behind the ball, around it.
Spot attack(Spot me, Spot ball, Spot goal) {
  Spot to_goal = goal - ball;
  // Along a wall, where no car fits behind the ball.
  bool const is_at_end = std::abs(ball.x) > kGoalLineM - 3 && std::abs(ball.z) > 5 && to_goal.x * ball.x > 0;
  if (is_at_end) {
    to_goal.x = 0;
  } else if (std::abs(ball.z) > kSideLineM - 3) {
    to_goal.z = 0;
  }
  Spot const push = scaled(to_goal, 1 / std::max(length(to_goal), 0.1));
  Spot const to_ball = ball - me;
  double const behind_m = to_ball.x * push.x + to_ball.z * push.z;
  double const aside_m = to_ball.z * push.x - to_ball.x * push.z;
  if (behind_m > 0 && std::abs(aside_m) < 0.6 + 0.3 * behind_m) return moved(ball, scaled(push, 2));
  Spot start = moved(ball, scaled(push, -kBehindM));
  if (behind_m < 1) start = moved(start, scaled({-push.z, push.x}, aside_m > 0 ? -3.5 : 3.5));
  double const max_x = kGoalLineM - 2;
  double const max_z = kSideLineM - 1.5;
  return {std::clamp(start.x, -max_x, max_x), std::clamp(start.z, -max_z, max_z)};
}

}  // namespace

std::optional<takt::sim::Command> CarBallBot::operator()(const takt::cli::BotView& view,
                                                         takt::Random& random) {
  auto const mine = std::ranges::find_if(
      view.bodies, [&](const Body& body) { return body.player == view.player && is_car(body); });
  auto const ball = std::ranges::find(view.bodies, kBallKind, &Body::user_kind);
  if (mine == view.bodies.end() || ball == view.bodies.end()) return std::nullopt;
  double const side = mine->user_kind == kBlueCarKind ? 1 : -1;
  Spot const me = spot_of(*mine);
  // Where the ball will be when the car can be there, roughly.
  double const ahead_s = std::min(0.5, length(spot_of(*ball) - me) / 25);
  Spot const at =
      moved(spot_of(*ball), scaled({ball->linear_velocity_m_s.x, ball->linear_velocity_m_s.z}, ahead_s));
  bool const is_nearest = std::ranges::all_of(view.bodies, [&](const Body& body) {
    return body.user_kind != mine->user_kind || length(at - me) <= length(at - spot_of(body)) + 0.01;
  });

  Memory& memory = memories_[view.player];
  double const speed_m_s = length({mine->linear_velocity_m_s.x, mine->linear_velocity_m_s.z});
  bool const is_kickoff = length(spot_of(*ball)) < 1;
  memory.still_count = speed_m_s < kStillMS && !is_kickoff ? memory.still_count + 1 : 0;
  if (memory.still_count > kStillMax) {
    memory = {0, kBackingMax, random.next_below(2) == 0};
  }
  DriveCommand command;
  if (memory.backing_count > 0) {
    --memory.backing_count;
    command = {-100, static_cast<std::int8_t>(memory.backs_left ? 100 : -100)};
  } else if (is_nearest) {
    command = drive_to(*mine, attack(me, at, {side * (kGoalLineM + 3), random.next_between(-2, 2)}));
  } else {
    Spot const own_goal{-side * kGoalLineM, 0};
    Spot const guard = moved(scaled(at, 0.5), scaled(own_goal, 0.5));
    command = drive_to(*mine, guard);
    if (length(guard - me) < 7) command.forward = 0;
    if (command.forward == 0) memory.still_count = 0;  // it stands because it waits
  }
  return takt::sim::CustomCommand{command.bytes()};
}

}  // namespace car_ball
