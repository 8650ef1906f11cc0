// visit_state() passes each field of WorldState to a visitor, in one fixed order: it is the one list of the
// saved and hashed fields. A new field of world_state.h must be added here; save, restore, hash, size and
// diff then include it. Snapshots in memory do not use visit_state(): packed_bodies.h and packed_contacts.h
// have lists of their own.
//
// A visitor provides:
// - void value(const char* name, T& field): integers, bool, float, double (enums as their integers);
// - void group(const char* name, callable): a named group of fields: Vec3, Quat, Scaled, ...;
// - void list(const char* name, vector&, callable(element)): a length and its elements, all of equal encoded
//   size;
// - void varied_list(...): a list with elements of different sizes;
// - optionally void bytes(const std::byte* from, std::size_t count): fields whose memory equals their
//   encoding, instead of a visit to each.
//
// The order of calls is the order of the bytes: world images (world_image.h) and hashes depend on it. A
// change of order or width needs a new kWorldImageVersion.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>

#include "physics/state/world_state.h"
#include "takt/core/assert.h"

namespace takt {

/// Version of the canonical encoding; stored in every image.
inline constexpr std::uint16_t kWorldImageVersion = 5;

namespace detail {

template <class V, class T>
void visit_field(V& v, const char* name, T& field) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_enum_v<Plain>) {
    auto bits = static_cast<std::underlying_type_t<Plain>>(field);
    v.value(name, bits);
    if constexpr (!std::is_const_v<T>) field = static_cast<Plain>(bits);
  } else if constexpr (std::is_same_v<Plain, Fixed>) {
    std::int64_t raw = field.raw();
    v.value(name, raw);
    if constexpr (!std::is_const_v<T>) {
      // INT64_MIN is not a valid Fixed: it cannot be negated. A visitor that reads untrusted bytes refuses
      // it.
      if constexpr (requires { v.refuse(); }) {
        if (raw < kFixedMin) v.refuse();
      }
      field = Fixed::from_raw(raw);
    }
  } else if constexpr (std::is_same_v<Plain, Scaled>) {
    std::int64_t mantissa = field.mantissa();
    std::int32_t exponent = field.exponent();
    v.group(name, [&] {
      v.value("mantissa", mantissa);
      v.value("exponent", exponent);
    });
    if constexpr (!std::is_const_v<T>) field = Scaled::from_parts(mantissa, exponent);
  } else {
    v.value(name, field);
  }
}

/// Visits the fields from `first` to `last` of `record`. `fields` visits them in memory order and without
/// gaps. On a little-endian host their memory equals their encoding. The size visitor asserts that before
/// anything is written.
template <class V, class Record, class First, class Last, class F>
void visit_run(V& v, Record& record, const First& first, const Last& last, F fields) {
  auto const* const base = reinterpret_cast<const std::byte*>(&record);
  auto const begin = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&first) - base);
  auto const end = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&last) - base) + sizeof(Last);
  if constexpr (std::endian::native == std::endian::little &&
                requires(const std::byte* from, std::size_t count) { v.bytes(from, count); }) {
    v.bytes(base + begin, end - begin);
  } else if constexpr (requires { v.bytes(); }) {
    std::size_t const before = v.bytes();
    fields();
    TAKT_ASSERT(v.bytes() - before == end - begin);
  } else {
    fields();
  }
}

/// A Vec3, or the raw units of a Position.
template <class V, class T>
void visit_xyz(V& v, const char* name, T& field) {
  auto const visit = [&](auto& x, auto& y, auto& z) {
    v.group(name, [&] {
      visit_run(v, field, x, z, [&] {
        visit_field(v, "x", x);
        visit_field(v, "y", y);
        visit_field(v, "z", z);
      });
    });
  };
  if constexpr (std::is_same_v<std::remove_const_t<T>, Position>) {
    visit(field.x_raw, field.y_raw, field.z_raw);
  } else {
    visit(field.x, field.y, field.z);
  }
}

template <class V, class T>
void visit_xyzw(V& v, const char* name, T& field) {
  v.group(name, [&] {
    visit_run(v, field, field.x, field.w, [&] {
      visit_field(v, "x", field.x);
      visit_field(v, "y", field.y);
      visit_field(v, "z", field.z);
      visit_field(v, "w", field.w);
    });
  });
}

inline constexpr const char* kSymMatNames[6] = {"xx", "yy", "zz", "xy", "xz", "yz"};

template <class V, class T>
void visit_sym_mat(V& v, const char* name, T& field) {
  v.group(name, [&] {
    if constexpr (std::is_same_v<std::remove_const_t<T>, FixedSymMat>) {
      visit_run(v, field, field.mantissa, field.exponent, [&] {
        for (std::size_t i = 0; i < 6; ++i) v.value(kSymMatNames[i], field.mantissa[i]);
        v.value("exponent", field.exponent);
      });
    } else {
      visit_run(v, field, field.m, field.m, [&] {
        for (std::size_t i = 0; i < 6; ++i) v.value(kSymMatNames[i], field.m[i]);
      });
    }
  });
}

template <class V, class Record>
void visit_body(V& v, Record& body) {
  auto& motion = body.motion;
  visit_run(v, body, motion.center, motion.torque, [&] {
    visit_xyz(v, "center", motion.center);
    visit_xyzw(v, "rotation", motion.rotation);
    visit_xyz(v, "linear_velocity", motion.linear_velocity);
    visit_xyz(v, "angular_velocity", motion.angular_velocity);
    visit_xyz(v, "force", motion.force);
    visit_xyz(v, "torque", motion.torque);
  });
  visit_field(v, "inverse_mass", body.inverse_mass);
  visit_sym_mat(v, "inverse_inertia", body.inverse_inertia);
  visit_run(v, body, body.local_center, body.gravity_scale, [&] {
    visit_xyz(v, "local_center", body.local_center);
    visit_field(v, "linear_damping", body.linear_damping);
    visit_field(v, "angular_damping", body.angular_damping);
    visit_field(v, "gravity_scale", body.gravity_scale);
  });
  visit_run(v, body, body.mass_kg, body.still_ticks, [&] {
    v.value("mass_kg", body.mass_kg);
    v.value("user_tag", body.user_tag);
    v.value("first_shape", body.first_shape);
    v.value("shape_count", body.shape_count);
    visit_field(v, "type", body.type);
    v.value("quarantined", body.quarantined);
    v.value("enabled", body.enabled);
    v.value("locked_axes", body.locked_axes);
    v.value("can_sleep", body.can_sleep);
    v.value("bullet", body.bullet);
    v.value("asleep", body.asleep);
    v.value("stirred", body.modified);
    v.value("still_ticks", body.still_ticks);
  });
}

template <class V, class T>
void visit_softness(V& v, const char* name, T& field) {
  v.group(name, [&] {
    Softness::Form form = field.form();
    double first = field.first();
    double second = field.second();
    visit_field(v, "form", form);
    v.value("first", first);
    v.value("second", second);
    if constexpr (!std::is_const_v<T>) field = Softness::from_parts(form, first, second);
  });
}

template <class V, class Record>
void visit_shape(V& v, Record& shape) {
  visit_run(v, shape, shape.body, shape.kind, [&] {
    v.value("body", shape.body);
    v.value("next_shape", shape.next_shape);
    visit_field(v, "kind", shape.kind);
  });
  visit_xyz(v, "extents", shape.extents);
  if (has_geometry(shape.kind)) v.value("geometry", shape.geometry);
  visit_run(v, shape, shape.local_position, shape.rolling_resistance, [&] {
    visit_xyz(v, "local_position", shape.local_position);
    visit_xyzw(v, "local_rotation", shape.local_rotation);
    visit_field(v, "density", shape.density);
    visit_field(v, "friction", shape.friction);
    visit_field(v, "restitution", shape.restitution);
    visit_field(v, "rolling_resistance", shape.rolling_resistance);
  });
  visit_softness(v, "contact_softness", shape.contact_softness);
  visit_run(v, shape, shape.surface_velocity, shape.is_sensor, [&] {
    visit_xyz(v, "surface_velocity", shape.surface_velocity);
    visit_field(v, "friction_rule", shape.friction_rule);
    visit_field(v, "restitution_rule", shape.restitution_rule);
    v.value("is_sensor", shape.is_sensor);
  });
  visit_run(v, shape, shape.filter.category, shape.filter.group, [&] {
    v.value("category", shape.filter.category);
    v.value("mask", shape.filter.mask);
    v.value("group", shape.filter.group);
  });
}

/// A hull is encoded by its corners, which determine everything else.
template <class V, class Entry>
void visit_hull(V& v, Entry& entry) {
  v.value("digest", entry.digest);
  auto const visit_corner = [&v](auto& corner) {
    v.value("x", corner.x);
    v.value("y", corner.y);
    v.value("z", corner.z);
  };
  if constexpr (std::is_const_v<Entry>) {
    v.list("corner", entry.geometry->grid, visit_corner);
  } else {
    std::vector<GridPoint> corners;
    if (entry.geometry != nullptr) corners = entry.geometry->grid;
    v.list("corner", corners, visit_corner);
    entry.geometry = restored_hull(corners);  // null when invalid: is_consistent reports it
  }
}

/// A mesh or height field is encoded by its source.
template <class V, class Entry>
void visit_surface_entry(V& v, Entry& entry) {
  v.value("digest", entry.digest);
  if constexpr (std::is_const_v<Entry>) {
    visit_surface(v, entry.geometry->source);
  } else {
    SurfaceSource source;
    if (entry.geometry != nullptr) source = entry.geometry->source;
    visit_surface(v, source);
    entry.geometry = restored_surface(std::move(source));  // null when invalid: is_consistent reports it
  }
}

template <class V, class Record>
void visit_contact(V& v, Record& contact) {
  auto& geometry = contact.geometry;
  visit_run(v, contact, contact.key, contact.touching, [&] {
    v.value("key", contact.key);
    v.value("child", contact.child);
    v.value("generation_a", contact.generation_a);
    v.value("generation_b", contact.generation_b);
    v.value("point_count", contact.point_count);
    v.value("touching", contact.touching);
  });
  visit_run(v, contact, contact.features, contact.features, [&] {
    for (auto& feature : contact.features) v.value("feature", feature);
  });
  visit_run(v, contact, contact.normal_impulses, geometry.rotation_b,
            [&] {  // a Fixed is aligned to 8 bytes, so a gap precedes it
              for (auto& impulse : contact.normal_impulses) visit_field(v, "normal_impulse", impulse);
              visit_xyz(v, "friction_impulse", contact.friction_impulse);
              visit_field(v, "twist_impulse", contact.twist_impulse);
              visit_xyz(v, "rolling_impulse", contact.rolling_impulse);
              visit_xyz(v, "shear", contact.anchor_offset);
              visit_field(v, "twist_shear", contact.twist_offset);
              visit_xyz(v, "normal", geometry.normal);
              for (auto& position : geometry.positions) visit_xyz(v, "position", position);
              for (auto& separation : geometry.separations) visit_field(v, "separation", separation);
              visit_xyz(v, "between", geometry.delta_center);
              visit_xyzw(v, "rotation_a", geometry.rotation_a);
              visit_xyzw(v, "rotation_b", geometry.rotation_b);
            });
}

template <class V, class Record>
void visit_grab(V& v, Record& grab) {
  v.value("body", grab.body);
  visit_xyz(v, "local_anchor", grab.local_anchor);
  visit_xyz(v, "target", grab.target);
  visit_field(v, "max_force", grab.max_force);
  visit_xyz(v, "impulse", grab.impulse);
}

template <class V, class Record>
void visit_mover(V& v, Record& mover) {
  v.value("body", mover.body);
  auto& tuning = mover.tuning;
  v.value("max_slope_rad", tuning.max_slope_rad);
  v.value("step_height_m", tuning.step_height_m);
  v.value("stick_distance_m", tuning.stick_distance_m);
  v.value("skin_m", tuning.skin_m);
  v.value("max_speed_m_s", tuning.max_speed_m_s);
  v.value("acceleration_m_s2", tuning.acceleration_m_s2);
  v.value("air_acceleration_m_s2", tuning.air_acceleration_m_s2);
  v.value("jump_speed_m_s", tuning.jump_speed_m_s);
  v.value("max_fall_speed_m_s", tuning.max_fall_speed_m_s);
  v.value("gravity_scale", tuning.gravity_scale);
  v.value("push_force_n", tuning.push_force_n);
  v.value("mass_kg", tuning.mass_kg);
  v.value("recovery_speed_m_s", tuning.recovery_speed_m_s);
  visit_xyz(v, "wanted", mover.input.velocity_m_s);
  v.value("in_heading_frame", mover.input.in_heading_frame);
  v.value("jump", mover.input.jump);
  v.value("turn_rad_s", mover.input.turn_rad_s);
  visit_xyz(v, "velocity", mover.velocity);
  visit_xyz(v, "ground_velocity", mover.ground_velocity);
  v.value("grounded", mover.grounded);
  v.value("ground", mover.ground.index);
  v.value("ground_generation", mover.ground.generation);
  visit_xyz(v, "ground_normal", mover.ground_normal);
}

template <class V, class Record>
void visit_rope(V& v, Record& rope) {
  v.value("node_count", rope.node_count);
  visit_field(v, "mode", rope.mode);
  v.value("passes", rope.passes);
  v.value("radius_m", rope.radius_m);
  v.value("node_mass_kg", rope.node_mass_kg);
  v.value("segment_m", rope.segment_m);
  v.value("stiffness", rope.stiffness);
  v.value("compliance_m_n", rope.compliance_m_n);
  v.value("damping_n_s_m", rope.damping_n_s_m);
  v.value("drag_1_s", rope.drag_1_s);
  v.value("gravity_scale", rope.gravity_scale);
  v.value("friction", rope.friction);
  v.value("collides", rope.collides);
  v.value("collides_with_pinned", rope.collides_with_pinned);
  v.value("can_sleep", rope.can_sleep);
  v.value("quarantined", rope.quarantined);
  v.value("asleep", rope.asleep);
  v.value("still_ticks", rope.still_ticks);
  v.value("category", rope.filter.category);
  v.value("mask", rope.filter.mask);
  v.value("group", rope.filter.group);
  v.value("user_tag", rope.user_tag);
}

template <class V, class Record>
void visit_joint(V& v, Record& joint) {
  visit_field(v, "kind", joint.kind);
  v.value("body_a", joint.body_a);
  v.value("body_b", joint.body_b);
  visit_xyz(v, "position_a", joint.frame_a.position_m);
  visit_xyzw(v, "rotation_a", joint.frame_a.rotation);
  visit_xyz(v, "position_b", joint.frame_b.position_m);
  visit_xyzw(v, "rotation_b", joint.frame_b.rotation);
  v.value("locked", joint.locked);
  v.value("collide_connected", joint.collide_connected);
  v.value("enabled", joint.enabled);
  v.value("broken", joint.broken);
  v.value("direct", joint.direct);
  visit_softness(v, "linear", joint.linear);
  visit_softness(v, "angular", joint.angular);
  v.value("max_force", joint.max_force);
  v.value("max_torque", joint.max_torque);
  v.value("break_force", joint.break_force);
  v.value("break_torque", joint.break_torque);
  v.value("first_axis", joint.first_axis);
  v.value("axis_count", joint.axis_count);
  v.value("user_tag", joint.user_tag);
  for (auto& impulse : joint.impulses) v.value("impulse", impulse);
  v.value("turn", joint.revolutions.last);
  v.value("turn_first", joint.revolutions.first);
  visit_xyz(v, "force", joint.force);
  visit_xyz(v, "torque", joint.torque);
  if (!is_coupling(joint.kind)) return;
  auto& coupling = joint.coupling;
  v.value("joint_1", coupling.joint_1.index);
  v.value("generation_1", coupling.joint_1.generation);
  v.value("joint_2", coupling.joint_2.index);
  v.value("generation_2", coupling.joint_2.generation);
  visit_field(v, "axis_1", coupling.axis_1);
  visit_field(v, "axis_2", coupling.axis_2);
  v.value("ratio", coupling.ratio);
  visit_xyz(v, "ground_a", coupling.ground_a);
  visit_xyz(v, "ground_b", coupling.ground_b);
  v.value("length_m", coupling.length_m);
  v.value("coupled", joint.coupled);
  v.value("coupling_impulse", joint.coupling_impulse);
}

template <class V, class Record>
void visit_joint_axis(V& v, Record& axis) {
  auto& def = axis.def;
  v.value("joint", axis.joint);
  v.value("next", axis.next);
  visit_field(v, "axis", def.axis);
  v.value("lower", def.lower);
  v.value("upper", def.upper);
  visit_softness(v, "limit_softness", def.limit_softness);
  v.value("has_hold", def.has_drive);
  v.value("target", def.target);
  visit_softness(v, "hold_softness", def.drive_softness);
  v.value("max_hold", def.max_drive);
  v.value("speed", def.speed);
  v.value("max_motor", def.max_motor);
  v.value("friction", def.friction);
  v.value("limit_impulse", axis.limit_impulse);
  v.value("hold_impulse", axis.drive_impulse);
  v.value("motor_impulse", axis.motor_impulse);
  v.value("friction_impulse", axis.friction_impulse);
}

template <class V, class Pool, class VisitRecord>
void visit_pool(V& v, const char* name, Pool& pool, VisitRecord visit_record) {
  v.group(name, [&] {
    v.value("free_head", pool.free_head);
    v.value("alive_count", pool.alive_count);
    v.list("slot", pool.slots, [&](auto& slot) {
      visit_run(v, slot, slot.generation, slot.alive, [&] {
        v.value("generation", slot.generation);
        v.value("next_free", slot.next_free);
        v.value("alive", slot.alive);
      });
    });
    v.varied_list("record", pool.records, visit_record);
  });
}

}  // namespace detail

/// Visits every canonical field of `state` (WorldState<Real>, const or not) once, in the order of the
/// encoding.
template <class Visitor, class State>
void visit_state(Visitor& v, State& state) {
  auto& def = state.def;
  v.group("world", [&] {
    detail::visit_xyz(v, "gravity_m_s2", def.gravity_m_s2);
    v.value("tick_rate_hz", def.tick_rate_hz);
    v.value("substeps", def.substeps);
    v.value("restitution_threshold_m_s", def.restitution_threshold_m_s);
    v.value("contact_push_max_m_s", def.contact_push_max_m_s);
    detail::visit_field(v, "friction_rule", def.friction_rule);
    detail::visit_field(v, "restitution_rule", def.restitution_rule);
    v.value("hit_threshold_m_s", def.hit_threshold_m_s);
    v.value("max_bodies", def.max_bodies);
    v.value("seed", def.seed);
    v.value("allow_sleep", def.allow_sleep);
    v.value("tick", state.tick);
    v.value("fixed_overflow_total", state.fixed_overflow_total);
    v.value("random_state", state.random.state);
    v.value("random_increment", state.random.increment);
    // The image's header tells whether the payload has it (world_image.cpp).
    if (def.max_contacts != 0) v.value("max_contacts", def.max_contacts);
  });
  detail::visit_pool(v, "body", state.bodies, [&](auto& body) { detail::visit_body(v, body); });
  detail::visit_pool(v, "shape", state.shapes, [&](auto& shape) { detail::visit_shape(v, shape); });
  v.varied_list("hull", state.hulls.entries, [&](auto& entry) { detail::visit_hull(v, entry); });
  v.varied_list("surface", state.surfaces.entries,
                [&](auto& entry) { detail::visit_surface_entry(v, entry); });
  detail::visit_pool(v, "grab", state.grabs, [&](auto& grab) { detail::visit_grab(v, grab); });
  v.list("contact", state.contacts, [&](auto& contact) { detail::visit_contact(v, contact); });
  v.list("overlap", state.overlaps, [&](auto& overlap) {
    v.value("key", overlap.key);
    v.value("generation_a", overlap.generation_a);
    v.value("generation_b", overlap.generation_b);
    v.value("sensor_is_b", overlap.sensor_is_b);
  });
  v.list("target", state.targets, [&](auto& target) {
    v.value("body", target.body);
    detail::visit_xyz(v, "center", target.center);
    detail::visit_xyzw(v, "rotation", target.rotation);
    v.value("reached", target.reached);
  });
  detail::visit_pool(v, "mover", state.movers, [&](auto& mover) { detail::visit_mover(v, mover); });
  detail::visit_pool(v, "rope", state.ropes, [&](auto& rope) { detail::visit_rope(v, rope); });
  v.list("rope_node", state.rope_nodes, [&](auto& node) {
    detail::visit_xyz(v, "position", node.position);
    detail::visit_xyz(v, "velocity", node.velocity);
    v.value("tension_n", node.tension_n);
  });
  v.list("rope_pin", state.rope_pins, [&](auto& pin) {
    v.value("rope", pin.rope);
    v.value("node", pin.node);
    v.value("body", pin.body);
    detail::visit_xyz(v, "local_anchor", pin.local_anchor);
    detail::visit_xyz(v, "target", pin.target);
  });
  detail::visit_pool(v, "joint", state.joints, [&](auto& joint) { detail::visit_joint(v, joint); });
  detail::visit_pool(v, "joint_axis", state.joint_axes,
                     [&](auto& axis) { detail::visit_joint_axis(v, axis); });
}

}  // namespace takt
