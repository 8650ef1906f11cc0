#include "physics/sweep_groups.h"

#include "physics/turn.h"

namespace takt {
namespace {

/// To a part of its way, in a frame that is carried along.
template <class Real>
void go_back(const WorldState<Real>& state, MovingBody<Real>& moving, SolverBody<Real>& body, double part, double lost, Vec3<double> carried) {
  Vec3<double> const shift = doubles_of(body.linear_shift) - carried;
  // The speed of the moment: what gravity and forces would have added along the rest of the way is not there, or each hit would gain energy.
  double const size = length(shift);
  Vec3<double> const way = size > 0.0 ? shift * (1.0 / size) : Vec3<double>{};
  double const gained = maximum(0.0, dot(way, to_double(moving.linear.change)) * static_cast<double>(state.def.substeps) * lost);
  Vec3<double> const kept = carried + shift * part;
  Vec3<double> const velocity = doubles_of(body.linear_velocity) - way * gained;
  body.linear_shift[0] = to_real<Real>(kept.x);
  body.linear_shift[1] = to_real<Real>(kept.y);
  body.linear_shift[2] = to_real<Real>(kept.z);
  body.linear_velocity[0] = to_real<Real>(velocity.x);
  body.linear_velocity[1] = to_real<Real>(velocity.y);
  body.linear_velocity[2] = to_real<Real>(velocity.z);
  Quat<double> const q = Turn(unit(to_double(state.bodies[moving.index].motion.rotation)), unit(to_double(moving.rotation))).at(part);
  moving.rotation = normalise(Quat<Real>{to_real<Real>(q.x), to_real<Real>(q.y), to_real<Real>(q.z), to_real<Real>(q.w)});
}

}  // namespace

template <class Real>
void hold_groups_back(const WorldState<Real>& state, DerivedState<Real>& derived) {
  std::vector<WayShare>& shares = derived.way_shares;
  derived.group_shares.assign(shares.size(), {});
  auto const group = [&](std::size_t place) -> WayShare& { return derived.group_shares[derived.joints.group_of(static_cast<std::uint32_t>(place))]; };
  for (std::size_t i = 1; i < shares.size(); ++i) {
    if (shares[i].share < group(i).share) group(i) = shares[i];
  }
  for (std::size_t i = 1; i < shares.size(); ++i) {
    WayShare const least = group(i);
    if (!(least.share < shares[i].share) || !derived.moving[i].dynamic) continue;
    go_back(state, derived.moving[i], derived.bodies[i], least.share / shares[i].share, shares[i].share - least.share, least.carried);
    shares[i] = least;
  }
}

template void hold_groups_back(const WorldState<float>&, DerivedState<float>&);
template void hold_groups_back(const WorldState<Fixed>&, DerivedState<Fixed>&);

}  // namespace takt
