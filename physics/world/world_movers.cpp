// World calls about movers.
#include "physics/movers/mover_store.h"
#include "physics/state/definition_check.h"
#include "physics/world/world_impl.h"
#include "takt/physics/float_control.h"

namespace takt {
namespace {

MoverTuning canonical(MoverTuning t) noexcept {
  for (double* const field :
       {&t.max_slope_rad, &t.step_height_m, &t.stick_distance_m, &t.max_speed_m_s, &t.acceleration_m_s2,
        &t.air_acceleration_m_s2, &t.jump_speed_m_s, &t.max_fall_speed_m_s, &t.gravity_scale, &t.push_force_n,
        &t.mass_kg, &t.recovery_speed_m_s}) {
    *field = takt::canonical(*field);
  }
  return t;
}

}  // namespace

template <class Real>
Result<MoverId, PhysicsError> World<Real>::create_mover(const MoverDef& def) {
  FloatControlGuard const guard;
  if (auto const error = check(def)) return *error;
  ShapeDef shape;
  auto const body = create_body(mover_body(def, shape));
  if (!body.ok()) return body.error();
  MoverRecord record;
  record.body = body->index;
  record.tuning = canonical(def.tuning);
  return impl_->state.movers.insert(record);
}

template <class Real>
EditResult World<Real>::destroy_mover(MoverId mover) {
  if (!contains(mover)) return PhysicsError::kUnknownMover;
  return destroy_body(impl_->state.bodies.id(impl_->state.movers[mover.index].body));
}

template <class Real>
bool World<Real>::contains(MoverId mover) const noexcept {
  return impl_->state.movers.contains(mover);
}

template <class Real>
MoverId World<Real>::mover_of(BodyId body) const noexcept {
  if (!contains(body)) return {};
  std::uint32_t const index = takt::mover_of(impl_->state, body.index);
  return index == kNoIndex ? MoverId{} : impl_->state.movers.id(index);
}

template <class Real>
EditResult World<Real>::set_mover_input(MoverId mover, const MoverInput& input) {
  FloatControlGuard const guard;
  if (!contains(mover)) return PhysicsError::kUnknownMover;
  if (auto const error = check(input)) return *error;
  MoverInput& own = impl_->state.movers[mover.index].input;
  bool const jump = own.jump || input.jump;  // two inputs before one step: both jumps count
  own = input;
  own.jump = jump;
  own.velocity_m_s = takt::canonical(input.velocity_m_s);
  own.turn_rad_s = takt::canonical(input.turn_rad_s);
  return Unit{};
}

template <class Real>
EditResult World<Real>::set_mover_tuning(MoverId mover, const MoverTuning& tuning) {
  FloatControlGuard const guard;
  if (!contains(mover)) return PhysicsError::kUnknownMover;
  if (auto const error = check(tuning)) return *error;
  impl_->state.movers[mover.index].tuning = canonical(tuning);
  return Unit{};
}

template <class Real>
MoverView World<Real>::mover(MoverId mover) const {
  FloatControlGuard const guard;
  TAKT_ASSERT(contains(mover));
  return view_mover(impl_->state, impl_->state.movers[mover.index]);
}
template <class Real>
MoverInput World<Real>::mover_input(MoverId mover) const {
  TAKT_ASSERT(contains(mover));
  return impl_->state.movers[mover.index].input;
}
template <class Real>
MoverTuning World<Real>::mover_tuning(MoverId mover) const {
  TAKT_ASSERT(contains(mover));
  return impl_->state.movers[mover.index].tuning;
}

template <class Real>
void World<Real>::list_movers(std::vector<MoverId>& out) const {
  const auto& movers = impl_->state.movers;
  out.clear();
  for (std::uint32_t i = 0; i < movers.capacity(); ++i) {
    if (movers.alive(i)) out.push_back(movers.id(i));
  }
}

#define TAKT_INSTANTIATE(Real)                                                       \
  template Result<MoverId, PhysicsError> World<Real>::create_mover(const MoverDef&); \
  template EditResult World<Real>::destroy_mover(MoverId);                           \
  template bool World<Real>::contains(MoverId) const noexcept;                       \
  template MoverId World<Real>::mover_of(BodyId) const noexcept;                     \
  template EditResult World<Real>::set_mover_input(MoverId, const MoverInput&);      \
  template EditResult World<Real>::set_mover_tuning(MoverId, const MoverTuning&);    \
  template MoverView World<Real>::mover(MoverId) const;                              \
  template MoverInput World<Real>::mover_input(MoverId) const;                       \
  template MoverTuning World<Real>::mover_tuning(MoverId) const;                     \
  template void World<Real>::list_movers(std::vector<MoverId>&) const;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
