#include "physics/ropes/rope_solver.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/constraints/motion_locks.h"
#include "physics/ropes/rope_collision.h"
#include "physics/ropes/rope_contacts.h"
#include "physics/state/mass_properties.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Contact stiffness: shapes hold a node by a spring of this many times its mass. Under a load of 1,000 times
/// its weight it yields by 0.02 um. Pins on bodies are stiffer: they carry loads of any mass.
constexpr double kTouchStiffness = 1e7;
constexpr double kPinStiffness = 1e10;
/// Active-set iterations per pass, and state changes allowed per segment or contact (prevents cycling).
constexpr int kMaxTrials = 6;
constexpr std::uint32_t kMaxFlips = 2;
/// Relative tolerance of a sliding node's grip.
constexpr double kGripChange = 0.1;
/// Planes within this distance are kept: tension may move a node there within the substep, m.
constexpr double kZoneM = 0.02;

SymMat64 scaled(const SymMat64& m, double s) noexcept {
  return {m[0] * s, m[1] * s, m[2] * s, m[3] * s, m[4] * s, m[5] * s};
}
void add(SymMat64& to, const SymMat64& m) noexcept {
  for (std::size_t i = 0; i < 6; ++i) to[i] += m[i];
}
void add_identity(SymMat64& to, double s) noexcept {
  for (std::size_t i = 0; i < 3; ++i) to[i] += s;
}
void add_along(SymMat64& to, Vec3<double> n, double s) noexcept {
  add(to, scaled({n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.x * n.z, n.y * n.z}, s));
}
Vec3<double> across(Vec3<double> v, Vec3<double> normal) noexcept { return v - normal * dot(v, normal); }
Vec3<double> longer_of(Vec3<double> a, Vec3<double> b) noexcept { return dot(b, b) > dot(a, a) ? b : a; }

template <class Real>
class RopeSubstep {
 public:
  RopeSubstep(SolverBodies<Real>& bodies, RopeScratch& scratch, const TreeResponse<Real>& trees) noexcept
      : bodies_(bodies),
        scratch_(scratch),
        trees_(trees),
        h_(scratch.substep_s),
        left_(static_cast<double>(scratch.substeps_left)) {}

  void run() {
    TAKT_ASSERT(h_ > 0.0 && left_ >= 1.0);
    scratch_.sharing.resize(bodies_.bodies.size());
    for (RopeShape& shape : scratch_.shapes) {
      if (shape.body != 0) update_rope_shape(shape, to_double(bodies_.moving[shape.body].rotation));
    }
    scratch_.touches.clear();
    std::uint32_t upper = 0;
    for (RopeWork& work : scratch_.ropes) {
      begin(work);
      upper = std::max(upper, work.passes);
    }
    // Interleaves the passes of all ropes, so that ropes which share a body converge together.
    for (std::uint32_t pass = 0; pass < upper; ++pass) {
      for (const RopeWork& work : scratch_.ropes) {
        if (pass < work.passes) run_pass(work, pass);
      }
    }
    for (const RopeWork& work : scratch_.ropes) end(work);
  }

 private:
  // --- bodies ---
  [[nodiscard]] Vec3<double> body_delta(std::uint32_t body) const noexcept {
    return doubles_of(bodies_.bodies[body].delta_position);
  }
  /// Displacement of a point of a body in the substep.
  [[nodiscard]] Vec3<double> displacement_of(std::uint32_t body, Vec3<double> lever_arm) const noexcept {
    const SolverBody<Real>& b = bodies_.bodies[body];
    return (doubles_of(b.linear_velocity) + cross(doubles_of(b.angular_velocity), lever_arm)) * h_;
  }
  /// Generalised inverse mass of a point of a body.
  [[nodiscard]] SymMat64 mobility_of(std::uint32_t body, Vec3<double> lever_arm) const noexcept {
    const SolverMass<Real>& mass = bodies_.masses[body];
    SymMat64 const inertia = to_sym_mat64(mass.inverse_inertia);
    double const w = to_double(mass.inverse_mass);
    Vec3<double> const free = free_linear(mass.locked_axes, Vec3<double>{w, w, w});
    Vec3<double> const tx{0.0, lever_arm.z, -lever_arm.y};  // lever arm x the axes
    Vec3<double> const ty{-lever_arm.z, 0.0, lever_arm.x};
    Vec3<double> const tz{lever_arm.y, -lever_arm.x, 0.0};
    Vec3<double> const ix = multiply(inertia, tx);
    Vec3<double> const iy = multiply(inertia, ty);
    Vec3<double> const iz = multiply(inertia, tz);
    return {free.x + dot(tx, ix), free.y + dot(ty, iy), free.z + dot(tz, iz),
            dot(tx, iy),          dot(tx, iz),          dot(ty, iz)};
  }
  /// Index in RopeScratch::sharing: all pinned bodies of a tree move together.
  [[nodiscard]] std::uint32_t shared_of(std::uint32_t body) const noexcept { return trees_.group_of(body); }
  /// Applies the reaction to an impulse `given` to the node, kg m, to the body.
  void apply_reaction(std::uint32_t body, Vec3<double> lever_arm, Vec3<double> given) noexcept {
    if (body == 0) return;
    TAKT_VALIDATE(body < bodies_.bodies.size());
    const SolverMass<Real>& mass = bodies_.masses[body];
    Vec3<double> const impulse = given * (-1.0 / h_);
    Vec3<double> const linear = free_linear(mass.locked_axes, impulse * to_double(mass.inverse_mass));
    Vec3<double> const angular = multiply(to_sym_mat64(mass.inverse_inertia), cross(lever_arm, impulse));
    SolverBody<Real>& b = bodies_.bodies[body];
    auto const change = [](Real(&row)[4], Vec3<double> by) {
      row[0] = row[0] + to_real<Real>(by.x);
      row[1] = row[1] + to_real<Real>(by.y);
      row[2] = row[2] + to_real<Real>(by.z);
    };
    change(b.linear_velocity, linear);
    change(b.angular_velocity, angular);
  }

  // --- the substep's start ---
  void begin(RopeWork& work) {
    for (std::uint32_t i = work.at; i < work.at + work.count; ++i) {
      RopeParticle& p = scratch_.particles[i];
      p.start = p.delta;
      p.free = p.delta + p.velocity * (h_ * work.keep) + work.fall;
      p.delta = p.free;
      p.known_tension = maximum(p.tension, 0.0);
      p.tension_vector = {};
      p.pinned = false;
      p.held = false;
    }
    double stretch = 0.0;
    for (std::uint32_t i = work.at; work.rigid && i + 1 < work.at + work.count; ++i)
      stretch += stretch_at_start(work, i);
    work.kept_stretch = kept_fraction(stretch);
    for (std::uint32_t i = work.first_attachment; i < work.end_attachment; ++i)
      begin_attachment(scratch_.attachments[i]);
    work.first_touch = static_cast<std::uint32_t>(scratch_.touches.size());
    for (std::uint32_t i = work.first_pair; i < work.end_pair; ++i) find_contacts_of(scratch_.pairs[i], work);
    work.end_touch = static_cast<std::uint32_t>(scratch_.touches.size());
  }

  void begin_attachment(RopeAttachment& attachment) {
    RopeParticle& p = scratch_.particles[attachment.node];
    if (attachment.moving != 0)
      attachment.lever_arm =
          rotate(unit(to_double(bodies_.moving[attachment.moving].rotation)), attachment.local_anchor);
    attachment.anchor = attachment.from + attachment.lever_arm + body_delta(attachment.moving);
    Vec3<double> const away = p.start - attachment.anchor;
    // A node away from its pin reaches it by the tick's end.
    attachment.slack = away * ((left_ - 1.0) / left_);
    attachment.reaction = attachment.warm_start;
    attachment.warm_start = {};
    p.pinned = true;
    p.held = attachment.body == 0;
    TAKT_VALIDATE(attachment.body == 0 || attachment.body == attachment.moving);
    attachment.shared = shared_of(attachment.body);
    if (attachment.body != 0) {
      const PinnedBody* const pinned = trees_.find(attachment.body);
      attachment.own_mobility = pinned != nullptr ? trees_.mobility_of(*pinned, attachment.lever_arm)
                                                  : mobility_of(attachment.body, attachment.lever_arm);
      // Joints that close loops act after the rope and may move its pin by any distance.
      if (pinned != nullptr && pinned->is_looped)
        attachment.slack = longer_of(attachment.slack, away * kept_fraction(length(away)));
    }
    if (p.held)
      p.delta =
          attachment.anchor + displacement_of(attachment.moving, attachment.lever_arm) + attachment.slack;
  }

  void find_contacts_of(const RopePair& pair, const RopeWork& work) {
    TAKT_VALIDATE(pair.node >= work.at && pair.node < work.at + work.count);
    const RopeParticle& p = scratch_.particles[pair.node];
    if (p.pinned) return;
    const RopeShape& shape = scratch_.shapes[pair.shape];
    Vec3<double> const center = pair.from + body_delta(shape.body);
    Vec3<double> const displacement = displacement_of(shape.body, p.free - center);
    Vec3<double> const before = p.start - center - shape.offset;
    Vec3<double> const at = p.free - displacement - center - shape.offset;
    RopePlanes found;
    find_rope_planes(shape, before, at, work.radius, kZoneM + length(at - before), scratch_.triangles, found);
    for (std::uint32_t i = 0; i < found.count; ++i) {
      RopeTouch touch;
      touch.node = pair.node;
      touch.moving = shape.body;
      touch.body = shape.yields ? shape.body : 0;
      touch.shared = shared_of(touch.body);
      touch.normal = found.planes[i].normal;
      touch.seen = p.free;
      touch.belt = across(shape.belt, touch.normal) * h_;
      touch.friction = shape.friction;
      touch.lever_arm = at + shape.offset - touch.normal * work.radius;
      touch.surface_seen = displacement_of(touch.moving, touch.lever_arm);
      // A deeply overlapping node moves out no faster than the separation speed of overlapping shapes.
      double const now = found.planes[i].gap - dot(touch.normal, at - before);
      touch.gap = found.planes[i].gap - minimum(0.0, now + scratch_.push_out_m_s * h_);
      if (touch.body != 0) touch.own_mobility = mobility_of(touch.body, touch.lever_arm);
      scratch_.touches.push_back(touch);
    }
  }

  // --- a pass ---
  [[nodiscard]] double gap_of(const RopeTouch& touch, Vec3<double> surface) const noexcept {
    const RopeParticle& p = scratch_.particles[touch.node];
    return touch.gap + dot(touch.normal, (p.delta - touch.seen) - (surface - touch.surface_seen));
  }

  /// Linearises the equations at the present positions. Trials change the active set (tension, sticking,
  /// sliding, free) until the solution agrees with it; only then do nodes move.
  void run_pass(const RopeWork& work, std::uint32_t pass) {
    measure_segments(work, pass);
    for (std::uint32_t i = work.first_touch; i < work.end_touch; ++i) {
      RopeTouch& touch = scratch_.touches[i];
      touch.flips = 0;
      if (touch.state == RopeTouchState::kFree &&
          gap_of(touch, displacement_of(touch.moving, touch.lever_arm)) < 0.0)
        touch.state = RopeTouchState::kSticks;
    }
    for (int trial = 0; trial < kMaxTrials; ++trial) {
      fill_chain(work);
      scratch_.chain.solve();
      bool const segments_changed = update_segments(work);
      bool const touches_changed = update_touches(work);
      if (!segments_changed && !touches_changed) break;
    }
    apply_trial(work);
  }

  void fill_chain(const RopeWork& work) {
    TAKT_ASSERT(work.count >= 1 && work.mass > 0.0);
    RopeLinearSystem& chain = scratch_.chain;
    chain.mass = work.mass;
    chain.nodes.resize(work.count);
    chain.links.resize(work.count - 1);
    for (std::uint32_t i = 0; i < work.count; ++i) {
      const RopeParticle& p = scratch_.particles[work.at + i];
      ChainNode& node = chain.nodes[i];
      node.held = p.held;
      node.diagonal = {};
      add_identity(node.diagonal, work.mass);
      node.value = (p.free - p.delta) * work.mass;
    }
    count_sharing(work);
    for (std::uint32_t i = work.first_attachment; i < work.end_attachment; ++i) {
      if (scratch_.attachments[i].body != 0) enter_attachment(scratch_.attachments[i], work);
    }
    for (std::uint32_t i = work.first_touch; i < work.end_touch; ++i) {
      if (scratch_.touches[i].state != RopeTouchState::kFree) enter_touch(scratch_.touches[i], work);
    }
    for (std::uint32_t i = 0; i + 1 < work.count; ++i) {
      const RopeParticle& a = scratch_.particles[work.at + i];
      ChainLink& link = chain.links[i];
      // A rope does not push. A short segment lengthens by a spring as heavy as a node, which affects no more
      // than its neighbours. If short segments were solved at once too, a compressed rope would jump aside by
      // the inverse of its bend.
      link = {a.axis, a.is_taut ? work.axial + work.damping : minimum(work.axial, work.mass), a.lateral};
      double const tension = a.is_taut ? a.tension_before : link.axial * a.error;
      chain.nodes[i].value += a.axis * tension;
      chain.nodes[i + 1].value -= a.axis * tension;
    }
  }

  /// Counts the pins and contacts of the rope on each body. A body with several of them has that fraction of
  /// its mass for each (mass splitting), so their sum never overshoots.
  void count_sharing(const RopeWork& work) {
    for (std::uint32_t i = work.first_attachment; i < work.end_attachment; ++i)
      scratch_.sharing[scratch_.attachments[i].shared] = 0;
    for (std::uint32_t i = work.first_touch; i < work.end_touch; ++i)
      scratch_.sharing[scratch_.touches[i].shared] = 0;
    for (std::uint32_t i = work.first_attachment; i < work.end_attachment; ++i)
      ++scratch_.sharing[scratch_.attachments[i].shared];
    for (std::uint32_t i = work.first_touch; i < work.end_touch; ++i) {
      if (scratch_.touches[i].state != RopeTouchState::kFree) ++scratch_.sharing[scratch_.touches[i].shared];
    }
  }

  void enter_attachment(RopeAttachment& attachment, const RopeWork& work) {
    const RopeParticle& p = scratch_.particles[attachment.node];
    ChainNode& node = scratch_.chain.nodes[attachment.node - work.at];
    SymMat64 const mobility =
        scaled(attachment.own_mobility, static_cast<double>(scratch_.sharing[attachment.shared]));
    SymMat64 softened = mobility;
    add_identity(softened, 1.0 / (kPinStiffness * work.mass));
    SymMat64 const stiffness = inverse_of(softened);
    // Position of the anchor without the node's reaction so far.
    Vec3<double> const target = attachment.anchor + attachment.slack +
                                displacement_of(attachment.body, attachment.lever_arm) +
                                multiply(mobility, attachment.reaction);
    add(node.diagonal, stiffness);
    node.value += multiply(stiffness, target - p.delta);
  }

  void enter_touch(RopeTouch& touch, const RopeWork& work) {
    const RopeParticle& p = scratch_.particles[touch.node];
    ChainNode& node = scratch_.chain.nodes[touch.node - work.at];
    double const compliance = 1.0 / (kTouchStiffness * work.mass);
    Vec3<double> const displacement = displacement_of(touch.moving, touch.lever_arm);
    SymMat64 mobility{};
    Vec3<double> taken{};
    if (touch.body != 0) {
      mobility = scaled(touch.own_mobility, static_cast<double>(scratch_.sharing[touch.shared]));
      taken = multiply(mobility, touch.reaction);
    }
    touch.wanted = touch.normal * -gap_of(touch, displacement + taken) -
                   across(p.delta - p.start - (displacement + taken + touch.belt), touch.normal);
    if (touch.state == RopeTouchState::kSticks) {
      add_identity(mobility, compliance);
      touch.stiffness = inverse_of(mobility);
    } else {
      // Friction of a sliding node is a damper with the force that the last trial's normal force allows. It
      // removes energy whatever that force was.
      double const along = dot(touch.normal, multiply(mobility, touch.normal));
      double const beside = 0.5 * (mobility[0] + mobility[1] + mobility[2] - along);
      touch.stiffness = {};
      double const rubs = touch.grip > 0.0 ? 1.0 / (1.0 / touch.grip + beside) : 0.0;
      add_identity(touch.stiffness, rubs);
      add_along(touch.stiffness, touch.normal, 1.0 / (along + compliance) - rubs);
    }
    add(node.diagonal, touch.stiffness);
    node.value += multiply(touch.stiffness, touch.wanted);
  }

  /// Fraction of a length that a substep leaves when the length shrinks at the maximum speed of drift
  /// correction; 0 when it may vanish. Nodes and bodies keep that speed, so it must be bounded.
  [[nodiscard]] double kept_fraction(double length_m) const noexcept {
    double const reach = kJointPushMax * h_;
    return length_m > reach ? 1.0 - reach / length_m : 0.0;
  }
  [[nodiscard]] double stretch_at_start(const RopeWork& work, std::uint32_t i) const noexcept {
    const RopeParticle& a = scratch_.particles[i];
    return maximum(length(a.edge + scratch_.particles[i + 1].start - a.start) - work.rest, 0.0);
  }
  void measure_segments(const RopeWork& work, std::uint32_t pass) {
    for (std::uint32_t i = 0; i + 1 < work.count; ++i) {
      RopeParticle& a = scratch_.particles[work.at + i];
      const RopeParticle& b = scratch_.particles[work.at + i + 1];
      Vec3<double> const stretch = b.delta - a.delta;
      Vec3<double> const edge = a.edge + stretch;
      double const size = length(edge);
      a.axis = normalise_or(edge, Vec3<double>{0.0, -1.0, 0.0}, 1e-12);
      a.error = size - work.rest;
      if (work.kept_stretch > 0.0) a.error -= work.kept_stretch * stretch_at_start(work, work.at + i);
      double const tension = maximum(dot(a.axis, a.tension_vector), 0.0);
      double const known = pass == 0 ? a.known_tension : tension;
      a.is_taut = a.error > 0.0 || known > 0.0;
      a.flips = 0;
      a.tension_before =
          work.rigid ? tension + work.axial * work.stiffness * a.error
                     : work.axial * a.error + work.damping * dot(a.axis, stretch - (b.start - a.start));
      a.lateral = known / maximum(size, work.rest);
    }
  }

  /// Updates the active set of segments; true when one changed.
  bool update_segments(const RopeWork& work) {
    const RopeLinearSystem& chain = scratch_.chain;
    bool changed = false;
    for (std::uint32_t i = 0; i + 1 < work.count; ++i) {
      RopeParticle& a = scratch_.particles[work.at + i];
      const ChainLink& link = chain.links[i];
      Vec3<double> const apart = chain.nodes[i + 1].value - chain.nodes[i].value;
      double const along = dot(link.normal, apart);
      double const tension = (a.is_taut ? a.tension_before : link.axial * a.error) + link.axial * along;
      a.tension_after = link.normal * tension + (apart - link.normal * along) * link.lateral;
      bool const other = a.is_taut ? tension < 0.0 : a.error + along > 0.0;
      if (!other || a.flips == kMaxFlips) continue;
      a.is_taut = !a.is_taut;
      ++a.flips;
      changed = true;
    }
    return changed;
  }

  /// Updates the active set of contacts; true when one began, ended or changed its friction state.
  bool update_touches(const RopeWork& work) {
    bool changed = false;
    for (std::uint32_t i = work.first_touch; i < work.end_touch; ++i)
      changed = update_touch(scratch_.touches[i], work) || changed;
    return changed;
  }

  bool update_touch(RopeTouch& touch, const RopeWork& work) {
    Vec3<double> const step = scratch_.chain.nodes[touch.node - work.at].value;
    if (touch.state == RopeTouchState::kFree) {
      touch.reaction_after = {};
      if (touch.flips == kMaxFlips ||
          !(gap_of(touch, displacement_of(touch.moving, touch.lever_arm)) + dot(touch.normal, step) < 0.0))
        return false;
      touch.state = RopeTouchState::kSticks;
      ++touch.flips;
      return true;
    }
    touch.reaction_after = multiply(touch.stiffness, touch.wanted - step);
    double const push = dot(touch.normal, touch.reaction_after);
    if (!(push > 0.0)) {
      if (touch.flips == kMaxFlips) return false;
      touch.state = RopeTouchState::kFree;
      ++touch.flips;
      return true;
    }
    double const upper = touch.friction * push;
    if (touch.state == RopeTouchState::kSticks) {
      if (length(across(touch.reaction_after, touch.normal)) <= upper) return false;
      touch.state = RopeTouchState::kSlides;
      touch.grip = 0.0;  // for one trial, to measure its slip
      return true;
    }
    double const slid = length(across(touch.wanted - step, touch.normal));
    double const stiffest = kTouchStiffness * work.mass;
    double const grip = upper < slid * stiffest ? upper / slid : stiffest;
    bool const changed = absolute(grip - touch.grip) > kGripChange * grip;
    touch.grip = grip;
    return changed;
  }

  /// Moves the nodes by the last trial's solution, each by at most one segment length.
  void apply_trial(const RopeWork& work) {
    const RopeLinearSystem& chain = scratch_.chain;
    double longest = 0.0;
    for (const ChainNode& node : chain.nodes) longest = maximum(longest, dot(node.value, node.value));
    longest = sqrt(longest);
    double const fraction = longest > work.rest ? work.rest / longest : 1.0;
    for (std::uint32_t i = 0; i < work.count; ++i) {
      RopeParticle& p = scratch_.particles[work.at + i];
      if (i + 1 < work.count) p.tension_vector += (p.tension_after - p.tension_vector) * fraction;
      p.given = i + 1 < work.count ? p.tension_vector : Vec3<double>{};
      if (i > 0) p.given -= scratch_.particles[work.at + i - 1].tension_vector;
      if (p.pinned && !p.held) p.delta += chain.nodes[i].value * fraction;
    }
    for (std::uint32_t i = work.first_attachment; i < work.end_attachment; ++i) {
      RopeAttachment& attachment = scratch_.attachments[i];
      if (attachment.body == 0) continue;
      const RopeParticle& p = scratch_.particles[attachment.node];
      Vec3<double> const reaction = (p.delta - p.free) * work.mass - p.given;
      const PinnedBody* const pinned = trees_.find(attachment.body);
      if (pinned != nullptr) {
        trees_.apply(*pinned, attachment.lever_arm, (reaction - attachment.reaction) * (-1.0 / h_));
      } else {
        apply_reaction(attachment.body, attachment.lever_arm, reaction - attachment.reaction);
      }
      attachment.reaction = reaction;
    }
    for (std::uint32_t i = work.first_touch; i < work.end_touch; ++i) {
      RopeTouch& touch = scratch_.touches[i];
      Vec3<double> const change = (touch.reaction_after - touch.reaction) * fraction;
      apply_reaction(touch.body, touch.lever_arm, change);
      touch.reaction += change;
      scratch_.particles[touch.node].given += touch.reaction;
    }
    // A node's impulse is the sum of those of segments and shapes: no momentum is lost, whatever the solve
    // rounded.
    for (std::uint32_t i = work.at; i < work.at + work.count; ++i) {
      RopeParticle& p = scratch_.particles[i];
      if (!p.pinned) p.delta = p.free + p.given * (1.0 / work.mass);
    }
  }

  // --- the substep's end ---
  void end(const RopeWork& work) {
    // Projects nodes that still overlap after the last pass onto the surface.
    for (std::uint32_t i = work.first_touch; i < work.end_touch; ++i) {
      const RopeTouch& touch = scratch_.touches[i];
      double const gap = gap_of(touch, displacement_of(touch.moving, touch.lever_arm));
      if (!(gap < 0.0)) continue;
      Vec3<double> const out = touch.normal * -gap;
      scratch_.particles[touch.node].delta += out;
      apply_reaction(touch.body, touch.lever_arm, out * work.mass);
    }
    double const upper = kMaxLinearSpeedMS;
    for (std::uint32_t i = work.at; i < work.at + work.count; ++i) {
      RopeParticle& p = scratch_.particles[i];
      p.velocity = (p.delta - p.start) * (1.0 / h_);
      p.tension = dot(p.axis, p.tension_vector);
      double const speed = length(p.velocity);
      if (!(speed > upper)) continue;
      p.velocity = p.velocity * (upper / speed);
      p.delta = p.start + p.velocity * h_;
    }
  }

  SolverBodies<Real>& bodies_;
  RopeScratch& scratch_;
  TreeResponse<Real> trees_;
  double h_;
  double left_;
};

}  // namespace

template <class Real>
bool RopeSolver<Real>::wake(WorldState<Real>& state, Proxies& proxies, StepEvents& events) {
  return wake_by_ropes(state, proxies, scratch_, events);
}

template <class Real>
void RopeSolver<Real>::list_pin_impulses(const SolverBodies<Real>& bodies,
                                         std::vector<PinImpulse>& out) const {
  out.clear();
  for (const RopeWork& work : scratch_.ropes) {
    // The vector to the next node, times its tension, N s.
    auto const tension_of = [&](std::uint32_t node) {
      const RopeParticle& p = scratch_.particles[node];
      Vec3<double> const edge = p.edge + scratch_.particles[node + 1].delta - p.delta;
      return normalise_or(edge, Vec3<double>{0.0, -1.0, 0.0}, 1e-12) *
             (maximum(p.tension, 0.0) / scratch_.substep_s);
    };
    for (std::uint32_t i = work.first_attachment; i < work.end_attachment; ++i) {
      const RopeAttachment& pin = scratch_.attachments[i];
      if (pin.body == 0) continue;
      Vec3<double> impulse;
      if (pin.node + 1 < work.at + work.count) impulse += tension_of(pin.node);
      if (pin.node > work.at) impulse -= tension_of(pin.node - 1);
      Vec3<double> const lever_arm =
          rotate(unit(to_double(bodies.moving[pin.body].rotation)), pin.local_anchor);
      out.push_back({i, pin.body, 0, lever_arm, impulse, {}});
    }
  }
}

template <class Real>
void RopeSolver<Real>::take_warm_start(std::span<const PinImpulse> pins) {
  for (const PinImpulse& pin : pins) {
    if (pin.group != 0) scratch_.attachments[pin.attachment].warm_start = pin.impulse * -scratch_.substep_s;
  }
}

template <class Real>
void RopeSolver<Real>::solve(SolverBodies<Real>& bodies, TreeResponse<Real> trees) {
  if (scratch_.ropes.empty()) return;
  TAKT_ASSERT(scratch_.substeps_left > 0);
  RopeSubstep<Real>(bodies, scratch_, trees).run();
  --scratch_.substeps_left;
}

template bool RopeSolver<float>::wake(WorldState<float>&, Proxies&, StepEvents&);
template bool RopeSolver<Fixed>::wake(WorldState<Fixed>&, Proxies&, StepEvents&);
template void RopeSolver<float>::list_pin_impulses(const SolverBodies<float>&,
                                                   std::vector<PinImpulse>&) const;
template void RopeSolver<Fixed>::list_pin_impulses(const SolverBodies<Fixed>&,
                                                   std::vector<PinImpulse>&) const;
template void RopeSolver<float>::take_warm_start(std::span<const PinImpulse>);
template void RopeSolver<Fixed>::take_warm_start(std::span<const PinImpulse>);
template void RopeSolver<float>::solve(SolverBodies<float>&, TreeResponse<float>);
template void RopeSolver<Fixed>::solve(SolverBodies<Fixed>&, TreeResponse<Fixed>);

}  // namespace takt
