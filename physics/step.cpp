#include "physics/step.h"

#include <algorithm>
#include <new>

#include "physics/body_sweep.h"
#include "physics/colouring.h"
#include "physics/contact_shear.h"
#include "physics/find_contacts.h"
#include "physics/grab_solver.h"
#include "physics/locked_axes.h"
#include "physics/mover_step.h"
#include "physics/sleep.h"
#include "physics/softness.h"
#include "physics/step_events.h"
#include "physics/tuning.h"

namespace takt {

void AlignedBuffer::Free::operator()(std::byte* memory) const noexcept { ::operator delete (memory, std::align_val_t{64}); }

std::byte* AlignedBuffer::reserve(std::size_t bytes) {
  if (bytes > capacity_) {
    std::size_t const grown = bytes + bytes / 2;
    memory_.reset(static_cast<std::byte*>(::operator new (grown, std::align_val_t{64})));
    capacity_ = grown;
  }
  return memory_.get();
}

namespace {

/// Numbers of one step, in Real.
template <class Real>
struct StepConstants {
  double substep_s = 0.0;
  Real substep{};
  std::uint32_t substeps = 1;
  ContactParameters<Real> contact;
  ContactSoftness<Real> grab;
};

template <class Real>
StepConstants<Real> make_constants(const WorldDef& def) {
  double const rate = static_cast<double>(def.tick_rate_hz) * static_cast<double>(def.substeps);
  double const hertz = kContactHertzPerSubstepRate * rate;
  StepConstants<Real> c;
  c.substep_s = 1.0 / rate;
  c.substep = to_real<Real>(c.substep_s);
  c.substeps = def.substeps;
  c.contact.inverse_substep = to_real<Real>(rate);
  c.contact.push_max = to_real<Real>(def.contact_push_max_m_s);
  c.contact.restitution_threshold = to_real<Real>(def.restitution_threshold_m_s);
  c.contact.soft = make_softness<Real>(hertz, kContactDampingRatio, c.substep_s);
  c.contact.soft_static = make_softness<Real>(kStaticContactHertzFactor * hertz, kContactDampingRatio, c.substep_s);
  // Only between bodies that move: friction with the ground is rigid.
  ContactSoftness<Real> const shear = make_softness<Real>(kShearHertzPerSubstepRate * rate, kContactDampingRatio, c.substep_s);
  c.contact.soft.friction_leak = shear.impulse_scale;
  c.contact.soft.shear_rate = shear.bias_rate;
  c.grab = make_softness<Real>(kGrabHertz, kGrabDampingRatio, c.substep_s);
  return c;
}

template <class Real>
void set_row(Real (&to)[4], Vec3<Real> v) noexcept {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
  to[3] = Real(0);
}
template <class Real>
Vec3<Real> row(const Real (&from)[4]) noexcept {
  return {from[0], from[1], from[2]};
}

/// v held within `most` in length.
template <class Real>
Vec3<Real> limited(Vec3<Real> v, Real most) noexcept {
  Real const size = length(v);
  if (!(size > most)) return v;
  return Vec3<Real>{v.x / size, v.y / size, v.z / size} * most;
}

/// 1 / (1 + h c): implicit damping, stable for every rate.
template <class Real>
Real damping_factor(Real damping, Real substep) noexcept {
  return damping > Real(0) ? Real(1) / (Real(1) + substep * damping) : Real(1);
}

template <class Real>
void gather_moving(const WorldState<Real>& state, const StepConstants<Real>& constants, DerivedState<Real>& derived) {
  Real const h = constants.substep;
  const Vec3<double>& g = state.def.gravity_m_s2;
  Vec3<Real> const gravity_change{to_real<Real>(g.x * constants.substep_s), to_real<Real>(g.y * constants.substep_s),
                                  to_real<Real>(g.z * constants.substep_s)};
  derived.bodies.clear();
  derived.masses.clear();
  derived.moving.clear();
  derived.gyroscopes.clear();
  derived.bodies.emplace_back();
  derived.masses.emplace_back();
  derived.moving.emplace_back();
  derived.solver_index.assign(state.bodies.capacity(), 0);
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    const BodyRecord<Real>& record = state.bodies[i];
    if (!state.bodies.alive(i) || !(is_awake_dynamic(record) || moves_on_its_own(record))) continue;
    derived.solver_index[i] = static_cast<std::uint32_t>(derived.bodies.size());
    SolverBody<Real>& body = derived.bodies.emplace_back();
    SolverMass<Real>& mass = derived.masses.emplace_back();
    MovingBody<Real>& moving = derived.moving.emplace_back();
    const BodyMotion<Real>& motion = record.motion;
    set_row(body.linear_velocity, motion.linear_velocity);
    set_row(body.angular_velocity, motion.angular_velocity);
    moving.index = i;
    moving.rotation = motion.rotation;
    moving.linear_factor = Real(1);
    moving.angular_factor = Real(1);
    if (record.type != BodyType::kDynamic) continue;
    moving.dynamic = true;
    mass.inverse_mass = record.inverse_mass;
    mass.locked_axes = record.locked_axes;
    mass.inverse_inertia = rotated(record.inverse_inertia, to_matrix(motion.rotation));
    if (has_angular(record.locked_axes)) mass.inverse_inertia = with_locks(mass.inverse_inertia, record.locked_axes);
    Vec3<Real> const push = motion.force * h;
    moving.velocity_change =
        free_linear(record.locked_axes, gravity_change * record.gravity_scale +
                                            Vec3<Real>{mass.inverse_mass * push.x, mass.inverse_mass * push.y, mass.inverse_mass * push.z});
    moving.spin_change = mass.inverse_inertia * (motion.torque * h);
    moving.linear_factor = damping_factor(record.linear_damping, h);
    moving.angular_factor = damping_factor(record.angular_damping, h);
    Gyroscope gyroscope;
    gyroscope.body = derived.solver_index[i];
    if (!has_angular(record.locked_axes) && make_gyroscope(record.inverse_inertia, gyroscope)) derived.gyroscopes.push_back(gyroscope);
  }
}

template <class Real>
void integrate_velocities(DerivedState<Real>& derived) {
  Real const most_linear = to_real<Real>(kMaxLinearSpeedMS);
  Real const most_angular = to_real<Real>(kMaxAngularSpeedRadS);
  for (std::size_t i = 1; i < derived.bodies.size(); ++i) {
    const MovingBody<Real>& moving = derived.moving[i];
    if (!moving.dynamic) continue;
    SolverBody<Real>& body = derived.bodies[i];
    set_row(body.linear_velocity, limited((row(body.linear_velocity) + moving.velocity_change) * moving.linear_factor, most_linear));
    set_row(body.angular_velocity, limited((row(body.angular_velocity) + moving.spin_change) * moving.angular_factor, most_angular));
  }
}

template <class Real>
void turn_spin(SolverBody<Real>& body, Quat<Real> rotation, Vec3<double> change) noexcept {
  Vec3<double> const turned = to_world(to_double(rotation), change);
  set_row(body.angular_velocity, row(body.angular_velocity) + Vec3<Real>{to_real<Real>(turned.x), to_real<Real>(turned.y), to_real<Real>(turned.z)});
}

/// To the spin in the middle of the substep, with which the body turns.
template <class Real>
void begin_gyroscopic(DerivedState<Real>& derived, double substep_s) {
  for (Gyroscope& gyroscope : derived.gyroscopes) {
    SolverBody<Real>& body = derived.bodies[gyroscope.body];
    Quat<Real> const rotation = derived.moving[gyroscope.body].rotation;
    Vec3<Real> const spin = row(body.angular_velocity);
    Vec3<double> const local = to_body(to_double(rotation), to_double(spin));
    gyroscope.half_change = half_gyroscopic_change(gyroscope.inertia, local, substep_s);
    turn_spin(body, rotation, gyroscope.half_change);
  }
}

/// To the spin at its end, in the frame that the body has turned to.
template <class Real>
void end_gyroscopic(DerivedState<Real>& derived) {
  for (const Gyroscope& gyroscope : derived.gyroscopes) {
    turn_spin(derived.bodies[gyroscope.body], derived.moving[gyroscope.body].rotation, gyroscope.half_change);
  }
}

template <class Real>
void integrate_positions(DerivedState<Real>& derived, Real h) {
  for (std::size_t i = 1; i < derived.bodies.size(); ++i) {
    SolverBody<Real>& body = derived.bodies[i];
    Vec3<Real> const turn = row(body.angular_velocity) * h;
    set_row(body.linear_shift, row(body.linear_shift) + row(body.linear_velocity) * h);
    set_row(body.angular_shift, row(body.angular_shift) + turn);
    Quat<Real>& q = derived.moving[i].rotation;
    q = turned(q, turn);
  }
}

/// What lay_out_blocks found.
struct BlockLayout {
  std::uint32_t colour_count = 0;
  std::uint32_t overflow_count = 0;
  std::size_t first_special = 0;  ///< block
};

/// Colours, block order and ranges. Blocks of special contacts stand behind all others; the ranges follow the colours.
template <class Real>
BlockLayout lay_out_blocks(DerivedState<Real>& derived, std::uint32_t lanes) {
  std::size_t const count = derived.contacts.size();
  derived.colour_masks.assign(derived.bodies.size(), 0);
  derived.colours.resize(count);
  auto const pair_at = [&derived](std::size_t i) {
    const PreparedContact<Real>& contact = derived.contacts[i];
    if (derived.loads.takes(i)) return ColouredPair{kNoBody, kNoBody};
    return ColouredPair{contact.dynamic_a ? contact.body_a : kNoBody, contact.dynamic_b ? contact.body_b : kNoBody};
  };
  colour_pairs(count, pair_at, derived.colour_masks, derived.colours);

  // Sizes and then next places, without and with extras.
  std::uint32_t sizes[2][kColourCount + 1] = {};
  for (std::size_t i = 0; i < count; ++i) {
    if (!derived.loads.takes(i)) ++sizes[derived.contacts[i].special ? 1 : 0][derived.colours[i]];
  }
  auto const padded = [lanes](std::uint32_t size) { return (size + lanes - 1) / lanes * lanes; };
  std::uint32_t total = 0;
  std::uint32_t places[2][kColourCount + 1] = {};
  BlockLayout layout;
  for (int kind = 0; kind < 2; ++kind) {
    if (kind == 1) layout.first_special = total / lanes;
    for (std::uint32_t colour = 0; colour < kColourCount; ++colour) {
      places[kind][colour] = total;
      total += padded(sizes[kind][colour]);
    }
    places[kind][kOverflowColour] = total;
    total += sizes[kind][kOverflowColour] * lanes;
  }
  derived.ranges.clear();
  for (std::uint32_t colour = 0; colour < kColourCount; ++colour) {
    for (int kind = 0; kind < 2; ++kind) {
      if (sizes[kind][colour] == 0) continue;
      std::uint32_t const first = places[kind][colour];
      derived.ranges.push_back({first / lanes, (first + padded(sizes[kind][colour])) / lanes});
    }
    if (sizes[0][colour] + sizes[1][colour] > 0) ++layout.colour_count;
  }
  layout.overflow_count = sizes[0][kOverflowColour] + sizes[1][kOverflowColour];
  derived.order.assign(total, kNoContact);
  for (std::size_t i = 0; i < count; ++i) {
    if (derived.loads.takes(i)) continue;
    std::uint8_t const colour = derived.colours[i];
    std::uint32_t& place = places[derived.contacts[i].special ? 1 : 0][colour];
    derived.order[place] = static_cast<std::uint32_t>(i);
    if (colour == kOverflowColour) derived.ranges.push_back({place / lanes, place / lanes + 1});  // one by one, in the order of their keys
    place += colour == kOverflowColour ? lanes : 1;
  }
  return layout;
}

bool finite(float value) noexcept { return value - value == 0.0f; }
bool finite(Fixed) noexcept { return true; }
template <class Real>
bool finite(Vec3<Real> v) noexcept {
  return finite(v.x) && finite(v.y) && finite(v.z);
}
bool inside(const Position& p) noexcept {
  auto const within = [](std::int64_t raw) { return raw >= -kWorldLimitRaw && raw <= kWorldLimitRaw; };
  return within(p.x) && within(p.y) && within(p.z);
}

/// Writes the step's motion back; a body that left the finite numbers or the world stays where it was, frozen.
template <class Real>
void store_bodies(WorldState<Real>& state, const DerivedState<Real>& derived, StepEvents& events) {
  for (std::size_t i = 1; i < derived.bodies.size(); ++i) {
    const SolverBody<Real>& body = derived.bodies[i];
    const MovingBody<Real>& moving = derived.moving[i];
    BodyRecord<Real>& record = state.bodies[moving.index];
    Vec3<Real> const velocity = row(body.linear_velocity);
    Vec3<Real> const spin = row(body.angular_velocity);
    Vec3<Real> const shift = row(body.linear_shift);
    bool const sound = finite(velocity) && finite(spin) && finite(shift) && finite(moving.rotation.x) && finite(moving.rotation.y) &&
                       finite(moving.rotation.z) && finite(moving.rotation.w);
    Position const center = sound ? moved(record.motion.center, shift) : record.motion.center;
    record.motion.force = {};
    record.motion.torque = {};
    if (!sound || !inside(center)) {
      record.quarantined = true;
      record.motion.linear_velocity = {};
      record.motion.angular_velocity = {};
      events.quarantined.push_back(state.bodies.id(moving.index));
      continue;
    }
    record.motion.center = center;
    record.motion.rotation = canonical(moving.rotation);
    record.motion.linear_velocity = canonical(velocity);
    record.motion.angular_velocity = canonical(spin);
  }
  for (TargetRecord<Real>& target : state.targets) {
    BodyRecord<Real>& record = state.bodies[target.body];
    if (record.quarantined || !record.enabled) continue;
    record.motion.center = target.center;
    record.motion.rotation = target.rotation;
    target.reached = true;
  }
}

/// Bodies that stand where they were sent have no velocity of their own any more.
template <class Real>
void end_targets(WorldState<Real>& state) {
  auto const reached = [](const TargetRecord<Real>& target) { return target.reached; };
  for (const TargetRecord<Real>& target : state.targets) {
    if (!target.reached) continue;
    state.bodies[target.body].motion.linear_velocity = {};
    state.bodies[target.body].motion.angular_velocity = {};
  }
  state.targets.erase(std::remove_if(state.targets.begin(), state.targets.end(), reached), state.targets.end());
}

// A contact of a body that was quarantined may hold numbers that are not finite: it starts over.
void reset_unsound(PreparedContact<Fixed>&) noexcept {}
void reset_unsound(PreparedContact<float>& contact) noexcept {
  bool sound = finite(contact.friction_impulse) && finite(contact.twist_impulse) && finite(contact.rolling_impulse) && finite(contact.shear) &&
               finite(contact.twist_shear);
  for (float const impulse : contact.impulses) sound = sound && finite(impulse);
  if (sound) return;
  contact.impulses = {};
  contact.friction_impulse = {};
  contact.twist_impulse = 0.0f;
  contact.rolling_impulse = {};
  contact.shear = {};
  contact.twist_shear = 0.0f;
  contact.total_impulse = 0.0f;
}

/// The blocks of the coloured contacts and those of the load groups, which are always one contact wide.
template <class Real>
struct SolverBlocks {
  const ContactKernels<Real>& kernels;
  BlockMemory memory;
  const ContactKernels<Real>& load_kernels;
  BlockMemory load_memory;
  std::size_t load_count;
};

/// One pass over all contacts. Load groups come last: what carries them has settled.
template <class Real>
void solve_contacts(DerivedState<Real>& derived, const SolverBlocks<Real>& at, const StepConstants<Real>& constants, bool use_bias) {
  SolverBody<Real>* const bodies = derived.bodies.data();
  for (const BlockRange& range : derived.ranges) at.kernels.solve(at.memory, range.first, range.end, bodies, constants.contact, use_bias);
  derived.loads.solve(at.load_memory, bodies, constants.contact, use_bias);
  at.load_kernels.solve(at.load_memory, 0, at.load_count, bodies, constants.contact, use_bias);
}

template <class Real>
void run_substeps(DerivedState<Real>& derived, const SolverBlocks<Real>& at, const StepConstants<Real>& constants) {
  SolverBody<Real>* const bodies = derived.bodies.data();
  for (std::uint32_t substep = 0; substep < constants.substeps; ++substep) {
    integrate_velocities(derived);
    derived.impacts.solve();
    begin_gyroscopic(derived, constants.substep_s);
    warm_start_grabs(derived);
    for (const BlockRange& range : derived.ranges) at.kernels.warm_start(at.memory, range.first, range.end, bodies);
    at.load_kernels.warm_start(at.load_memory, 0, at.load_count, bodies);
    solve_grabs(derived, constants.grab);
    solve_contacts(derived, at, constants, true);
    integrate_positions(derived, constants.substep);
    derived.impacts.settle();
    end_gyroscopic(derived);
    solve_contacts(derived, at, constants, false);
  }
}

}  // namespace

template <class Real>
StepStatus step_world(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events, const StepOptions& options) {
  StepStatus status;
  events.contact_begin.clear();
  events.contact_end.clear();
  events.hits.clear();
  events.sensor_begin.clear();
  events.sensor_end.clear();
  events.quarantined.clear();
  events.slept.clear();
  events.woken.clear();
  if (derived.quiet && !derived.stale) {
    ++state.tick;
    return status;
  }
  StepConstants<Real> const constants = make_constants<Real>(state.def);

  end_targets(state);
  wake_connected(state, derived, events);
  place_shapes(state, derived);
  derived.placed = false;
  if (move_movers(state, derived, events)) wake_connected(state, derived, events);
  // The broad phase looks at more than canonical state asks for, and so do movers: its saturations do not count.
  (void)take_fixed_overflow_count();

  // What moves may reach what sleeps: its island wakes, and the contacts are found again. Each round wakes at least one body.
  for (;;) {
    gather_moving(state, constants, derived);
    if (!find_contacts(state, derived, events)) break;
    wake_connected(state, derived, events);
  }
  std::sort(events.woken.begin(), events.woken.end());
  prepare_grabs(state, derived, constants.substep);

  const ContactKernels<Real>& kernels = contact_kernels<Real>(options.lanes);
  const ContactKernels<Real>& load_kernels = contact_kernels<Real>(1);
  derived.loads.find(derived.contacts, derived.masses);
  BlockLayout const layout = lay_out_blocks(derived, kernels.lanes);
  status.colour_count = layout.colour_count;
  status.overflow_contact_count = layout.overflow_count;
  std::size_t const block_count = derived.order.size() / kernels.lanes;
  BlockMemory const memory{derived.blocks.reserve(block_count * kernels.block_bytes),
                           derived.extras.reserve((block_count - layout.first_special) * kernels.extra_bytes), layout.first_special};
  kernels.fill(memory, derived.order, derived.contacts, derived.masses, constants.contact);
  // Contacts of load groups all have extras, needed or not: one contact a block, in the order of their groups.
  auto const load_order = derived.loads.order();
  BlockMemory const load_memory{derived.load_blocks.reserve(load_order.size() * load_kernels.block_bytes),
                                derived.load_extras.reserve(load_order.size() * load_kernels.extra_bytes), 0};
  load_kernels.fill(load_memory, load_order, derived.contacts, derived.masses, constants.contact);
  derived.loads.prepare(load_memory);
  measure_approaches(derived);
  derived.impacts.begin({derived.contacts, derived.bodies, derived.masses, derived.moving, &state, state.def.restitution_threshold_m_s,
                         constants.substep_s, constants.substep_s * static_cast<double>(constants.substeps)});
  run_substeps(derived, {kernels, memory, load_kernels, load_memory, load_order.size()}, constants);
  kernels.read_back(memory, derived.order, derived.contacts);
  load_kernels.read_back(load_memory, load_order, derived.contacts);

  for (PreparedContact<Real>& contact : derived.contacts) {
    update_shear(contact, derived.bodies[contact.body_a], derived.bodies[contact.body_b]);
    reset_unsound(contact);
    status.contact_point_count += contact.manifold.point_count;
  }
  report_hits(state, derived, events);
  store_overlaps(state, derived, events);
  std::uint64_t const solve_overflow_count = take_fixed_overflow_count();
  sweep_fast_bodies(state, derived);
  (void)take_fixed_overflow_count();  // it looks at what the broad phase offers, which is history's
  store_bodies(state, derived, events);
  store_grabs(state, derived);
  status.island_count = fall_asleep(state, derived, events);
  store_contacts(state, derived, events);
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) state.bodies[i].stirred = false;
  // What has just come to rest did so after its contacts were found: one more step brings them in line with where it lies.
  derived.quiet = events.slept.empty() && events.quarantined.empty() && is_quiet(state);
  ++state.tick;

  status.fixed_overflow_count = solve_overflow_count + take_fixed_overflow_count();
  state.fixed_overflow_total += status.fixed_overflow_count;
  for (BodyId const body : events.slept) place_sleeper(state, derived, body.index);
  (void)take_fixed_overflow_count();
  status.awake_body_count = static_cast<std::uint32_t>(derived.bodies.size()) - 1;
  status.contact_count = static_cast<std::uint32_t>(derived.contacts.size());
  return status;
}

template StepStatus step_world(WorldState<float>&, DerivedState<float>&, StepEvents&, const StepOptions&);
template StepStatus step_world(WorldState<Fixed>&, DerivedState<Fixed>&, StepEvents&, const StepOptions&);

}  // namespace takt
