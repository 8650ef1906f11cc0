#include "physics/state/world_image.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "physics/narrow_phase/collide_mesh.h"
#include "physics/state/definition_check.h"
#include "physics/state/encode_visitor.h"
#include "physics/state/joint_check.h"
#include "physics/state/packed_contacts.h"
#include "physics/state/rope_check.h"
#include "physics/state/state_visitor.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"

namespace takt {
namespace {

constexpr std::array<char, 8> kMagic = {'T', 'A', 'K', 'T', 'W', 'L', 'D', '\n'};

/// Counts the bytes of the encoding.
class SizeVisitor {
 public:
  template <class T>
  void value(const char*, T&) noexcept {
    bytes_ += sizeof(T);
  }
  template <class F>
  void group(const char*, F fields) {
    fields();
  }
  template <class List, class F>
  void list(const char*, List& elements, F visit) {
    bytes_ += sizeof(std::uint32_t);
    if (elements.empty()) return;
    std::size_t const before = bytes_;  // elements are of fixed width: visit one
    visit(elements.front());
    bytes_ = before + (bytes_ - before) * elements.size();
  }
  template <class List, class F>
  void varied_list(const char*, List& elements, F visit) {
    bytes_ += sizeof(std::uint32_t);
    for (auto& element : elements) visit(element);
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

/// Reads the encoding; a short read leaves ok() false.
class DecodeVisitor {
 public:
  explicit DecodeVisitor(std::span<const std::byte> bytes) noexcept : reader_(bytes) {}
  template <class T>
  void value(const char*, T& field) noexcept {
    field = reader_.get<T>();
  }
  template <class F>
  void group(const char*, F fields) {
    fields();
  }
  template <class List, class F>
  void list(const char*, List& elements, F visit) {
    using Element = typename List::value_type;
    auto const count = reader_.get<std::uint32_t>();
    // Every element takes at least one byte of input for each eight bytes of memory; a length beyond that is
    // a lie.
    if (count > reader_.remaining()) {
      (void)reader_.get_bytes(reader_.remaining() + 1);
      return;
    }
    elements.clear();
    for (std::uint32_t i = 0; i < count && reader_.ok(); ++i) {
      elements.push_back(Element{});
      visit(elements.back());
    }
  }
  template <class List, class F>
  void varied_list(const char* name, List& elements, F visit) {
    list(name, elements, visit);
  }
  /// What was read is no value of its type.
  void refuse() noexcept { refused_ = true; }
  [[nodiscard]] bool refused() const noexcept { return refused_; }
  [[nodiscard]] bool ok() const noexcept { return reader_.ok() && reader_.remaining() == 0; }

 private:
  ByteReader reader_;
  bool refused_ = false;
};

/// One field as text and number, for diff.
struct FieldText {
  std::string path;
  std::string text;
  double number;
  std::uint64_t bits;
};

class ListVisitor {
 public:
  template <class T>
  void value(const char* name, T& field) {
    using Plain = std::remove_const_t<T>;
    std::array<char, 64> text{};
    char* end = text.data();
    FieldText entry{path_ + name, {}, 0.0, 0};
    if constexpr (std::is_same_v<Plain, bool>) {
      *end++ = field ? '1' : '0';
    } else {
      end = std::to_chars(text.data(), text.data() + text.size(), field).ptr;
    }
    entry.text.assign(text.data(), end);
    entry.number = static_cast<double>(field);
    std::array<std::byte, 8> raw{};
    store_little_endian(raw.data(), Plain(field));
    entry.bits = load_little_endian<std::uint64_t>(raw.data());
    fields.push_back(std::move(entry));
  }
  template <class F>
  void group(const char* name, F visit) {
    std::size_t const size = path_.size();
    path_ += name;
    path_ += '.';
    visit();
    path_.resize(size);
  }
  template <class List, class F>
  void list(const char* name, List& elements, F visit) {
    auto const count = static_cast<std::uint32_t>(elements.size());
    value((std::string(name) + "_count").c_str(), count);
    std::size_t const size = path_.size();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      path_ += std::string(name) + '[' + std::to_string(i) + "].";
      visit(elements[i]);
      path_.resize(size);
    }
  }
  template <class List, class F>
  void varied_list(const char* name, List& elements, F visit) {
    list(name, elements, visit);
  }
  std::vector<FieldText> fields;

 private:
  std::string path_;
};

bool finite(float value) noexcept { return value - value == 0.0f; }
bool finite(double value) noexcept { return value - value == 0.0; }
bool finite(Fixed) noexcept { return true; }
template <class Real>
bool finite(Vec3<Real> v) noexcept {
  return finite(v.x) && finite(v.y) && finite(v.z);
}
template <class Real>
bool is_zero(Vec3<Real> v) noexcept {
  return v.x == Real(0) && v.y == Real(0) && v.z == Real(0);
}
bool unit(Quat<float> q) noexcept {
  float const square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return square > 0.98f && square < 1.02f;
}
bool unit(Quat<Fixed> q) noexcept {
  Fixed const two(2);
  if (absolute(q.x) > two || absolute(q.y) > two || absolute(q.z) > two || absolute(q.w) > two) return false;
  Fixed const square = dot2(q.x, q.x, q.y, q.y) + dot2(q.z, q.z, q.w, q.w);
  return square > Fixed(0.98) && square < Fixed(1.02);
}
bool plausible(float mass) noexcept { return finite(mass) && mass >= 0.0f; }
bool plausible(Scaled mass) noexcept {
  return mass.mantissa() >= 0 && mass.exponent() > -400 && mass.exponent() < 400;
}
bool plausible(const FloatSymMat& a) noexcept {
  return std::all_of(a.m.begin(), a.m.end(), [](float entry) { return finite(entry); });
}
bool plausible(const FixedSymMat& a) noexcept {
  constexpr std::int64_t kLimit = std::int64_t{1} << 60;
  return a.exponent > -400 && a.exponent < 400 &&
         std::all_of(a.mantissa.begin(), a.mantissa.end(),
                     [](std::int64_t entry) { return entry >= -kLimit && entry <= kLimit; });
}

/// A body's origin and a grab's target are inside the world; a centre of mass may stand out by its arm.
bool inside(const Position& p, double room_m) noexcept {
  std::int64_t const limit = kWorldLimitRaw + Fixed(room_m).raw();
  auto const within = [limit](std::int64_t raw) { return raw >= -limit && raw <= limit; };
  return within(p.x) && within(p.y) && within(p.z);
}

template <class Real>
bool consistent_body(const WorldState<Real>& state, std::uint32_t index) {
  const BodyRecord<Real>& body = state.bodies[index];
  const BodyMotion<Real>& motion = body.motion;
  if (!finite(motion.linear_velocity) || !finite(motion.angular_velocity) || !finite(motion.force) ||
      !finite(motion.torque))
    return false;
  if (!unit(motion.rotation) || !plausible(body.inverse_mass) || !plausible(body.inverse_inertia) ||
      !finite(body.local_center))
    return false;
  if (!finite(body.linear_damping) || !finite(body.angular_damping) || !finite(body.gravity_scale) ||
      !finite(body.mass_kg))
    return false;
  if (body.linear_damping < Real(0) || body.angular_damping < Real(0)) return false;
  if (body.locked_axes > 63) return false;
  if (!inside(motion.center, 2.0 * kMaxExtentM)) return false;
  if (body.type > BodyType::kDynamic || body.shape_count > kMaxShapesPerBody) return false;
  if (body.asleep && (body.type != BodyType::kDynamic || body.quarantined ||
                      !is_zero(motion.linear_velocity) || !is_zero(motion.angular_velocity)))
    return false;
  std::uint32_t walked = 0;
  for (std::uint32_t at = body.first_shape; at != kNoIndex; at = state.shapes[at].next_shape) {
    if (at >= state.shapes.capacity() || !state.shapes.alive(at) || state.shapes[at].body != index ||
        ++walked > body.shape_count)
      return false;
  }
  return walked == body.shape_count;
}

template <class Real>
bool consistent_shape(const WorldState<Real>& state, const ShapeRecord<Real>& shape) {
  if (shape.body >= state.bodies.capacity() || !state.bodies.alive(shape.body)) return false;
  if (shape.kind < ShapeKind::kSphere || shape.kind > ShapeKind::kHeightField) return false;
  if (!has_geometry(shape.kind) && shape.geometry != 0) return false;
  if (shape.kind == ShapeKind::kHull && state.hulls.find(shape.geometry) == nullptr) return false;
  if (is_surface(shape.kind)) {
    const SurfaceGeometry* const geometry = state.surfaces.find(shape.geometry);
    if (geometry == nullptr || geometry->source.kind != shape.kind ||
        state.bodies[shape.body].type == BodyType::kDynamic)
      return false;
  }
  bool const fixed_in_place = shape.kind == ShapeKind::kHalfSpace || shape.kind == ShapeKind::kHeightField;
  if (fixed_in_place && state.bodies[shape.body].type != BodyType::kStatic) return false;
  if (!finite(shape.extents) || !finite(shape.local_position) || !unit(shape.local_rotation)) return false;
  Real const largest = to_real<Real>(kMaxExtentM * 1.001);
  Vec3<Real> const p = absolute(shape.local_position);
  Vec3<Real> const e = shape.extents;
  bool const in_range = e.x >= Real(0) && e.y >= Real(0) && e.z >= Real(0) && e.x <= largest &&
                        e.y <= largest && e.z <= largest && p.x <= largest && p.y <= largest &&
                        p.z <= largest;
  Real const fastest = to_real<Real>(kMaxSurfaceSpeedMS);
  Vec3<Real> const s = absolute(shape.surface_velocity);
  bool const surface_ok = finite(shape.surface_velocity) && s.x <= fastest && s.y <= fastest &&
                          s.z <= fastest && finite(shape.rolling_resistance) &&
                          shape.rolling_resistance >= Real(0) && shape.contact_softness.is_valid() &&
                          !shape.contact_softness.is_idle() && shape.friction_rule <= MixRule::kMaximum &&
                          shape.restitution_rule <= MixRule::kMaximum;
  return in_range && surface_ok && finite(shape.density) && finite(shape.friction) &&
         finite(shape.restitution) && shape.friction >= Real(0) && shape.restitution >= Real(0) &&
         shape.restitution <= Real(1);
}

/// Use counts are not encoded.
template <class Real>
void count_geometry_uses(WorldState<Real>& state) {
  if (state.shapes.records.size() != state.shapes.slots.size()) return;  // is_consistent will say so
  for (std::uint32_t i = 0; i < state.shapes.capacity(); ++i) {
    const ShapeRecord<Real>& shape = state.shapes[i];
    if (!state.shapes.alive(i)) continue;
    if (shape.kind == ShapeKind::kHull) (void)state.hulls.count_use(shape.geometry);
    if (is_surface(shape.kind)) (void)state.surfaces.count_use(shape.geometry);
  }
}

/// Whether a contact's child is a part of its pair. A contact of shapes that are gone may say anything: it is
/// never looked up.
template <class Real>
bool consistent_child(const WorldState<Real>& state, const ContactRecord<Real>& contact) {
  auto const a = static_cast<std::uint32_t>(contact.key >> 32u);
  auto const b = static_cast<std::uint32_t>(contact.key);
  if (!state.shapes.contains({a, contact.generation_a}) || !state.shapes.contains({b, contact.generation_b}))
    return true;
  bool const surface_a = is_surface(state.shapes[a].kind);
  if (!surface_a && !is_surface(state.shapes[b].kind)) return contact.child == 0;
  const SurfaceGeometry* const geometry = state.surfaces.find(state.shapes[surface_a ? a : b].geometry);
  return geometry != nullptr && child_triangle(contact.child) < geometry->surface.triangle_count();
}

template <class Real>
bool consistent_geometry(const ContactGeometry<Real>& geometry) {
  bool const positions = std::all_of(geometry.positions.begin(), geometry.positions.end(),
                                     [](Vec3<Real> p) { return finite(p); });
  bool const separations =
      std::all_of(geometry.separations.begin(), geometry.separations.end(), [](Real s) { return finite(s); });
  return positions && separations && finite(geometry.normal) && finite(geometry.delta_center) &&
         unit(geometry.rotation_a) && unit(geometry.rotation_b);
}

template <class Real>
bool consistent_contacts(const WorldState<Real>& state) {
  for (std::size_t i = 0; i < state.contacts.size(); ++i) {
    const ContactRecord<Real>& contact = state.contacts[i];
    if (i > 0 && !comes_before(state.contacts[i - 1], contact)) return false;
    if (!consistent_child(state, contact)) return false;
    if (contact.point_count < 1 || contact.point_count > 4 || !has_clean_places(contact)) return false;
    if (!finite(contact.friction_impulse) || !finite(contact.twist_impulse) ||
        !finite(contact.rolling_impulse))
      return false;
    if (!finite(contact.anchor_offset) || !finite(contact.twist_offset)) return false;
    if (!consistent_geometry(contact.geometry)) return false;
    for (Real const impulse : contact.normal_impulses) {
      if (!finite(impulse) || impulse < Real(0)) return false;
    }
  }
  return true;
}

template <class Real>
bool consistent_overlaps(const WorldState<Real>& state) {
  for (std::size_t i = 1; i < state.overlaps.size(); ++i) {
    if (state.overlaps[i].key <= state.overlaps[i - 1].key) return false;
  }
  return true;
}

template <class Real>
bool consistent_targets(const WorldState<Real>& state) {
  for (std::size_t i = 0; i < state.targets.size(); ++i) {
    const TargetRecord<Real>& target = state.targets[i];
    if (i > 0 && target.body <= state.targets[i - 1].body) return false;
    if (target.body >= state.bodies.capacity() || !state.bodies.alive(target.body)) return false;
    if (state.bodies[target.body].type != BodyType::kKinematic || !inside(target.center, 2.0 * kMaxExtentM) ||
        !unit(target.rotation))
      return false;
  }
  return true;
}

/// A mover's body is kinematic, no other mover's, and has one capsule.
template <class Real>
bool consistent_movers(const WorldState<Real>& state) {
  std::vector<bool> taken(state.bodies.capacity(), false);
  for (std::uint32_t i = 0; i < state.movers.capacity(); ++i) {
    if (!state.movers.alive(i)) continue;
    const MoverRecord& mover = state.movers[i];
    if (mover.body >= state.bodies.capacity() || !state.bodies.alive(mover.body) || taken[mover.body])
      return false;
    taken[mover.body] = true;
    const BodyRecord<Real>& body = state.bodies[mover.body];
    if (body.type != BodyType::kKinematic || body.shape_count != 1 ||
        state.shapes[body.first_shape].kind != ShapeKind::kCapsule)
      return false;
    if (check(mover.tuning).has_value() || check(mover.input).has_value()) return false;
    if (check_vector(mover.velocity, kMaxLinearSpeedMS).has_value() ||
        check_vector(mover.ground_velocity, kMaxLinearSpeedMS).has_value())
      return false;
    if (check_vector(mover.ground_normal, 1.0).has_value()) return false;
  }
  return true;
}

bool consistent_def(const WorldDef& def) { return World<float>::create(def).ok(); }

}  // namespace

template <class Real>
bool is_consistent(const WorldState<Real>& state) {
  if (!consistent_def(state.def) || (state.random.increment & 1u) == 0) return false;
  if (!state.bodies.consistent() || !state.shapes.consistent() || !state.grabs.consistent() ||
      !state.movers.consistent())
    return false;
  if (state.bodies.alive_count > state.def.max_bodies || state.grabs.alive_count > state.def.max_bodies)
    return false;
  std::uint32_t owned = 0;
  for (std::uint32_t i = 0; i < state.bodies.capacity(); ++i) {
    if (!state.bodies.alive(i)) continue;
    if (!consistent_body(state, i)) return false;
    owned += state.bodies[i].shape_count;
  }
  if (owned != state.shapes.alive_count) return false;
  for (std::uint32_t i = 0; i < state.shapes.capacity(); ++i) {
    if (state.shapes.alive(i) && !consistent_shape(state, state.shapes[i])) return false;
  }
  for (std::uint32_t i = 0; i < state.grabs.capacity(); ++i) {
    const GrabRecord<Real>& grab = state.grabs[i];
    if (!state.grabs.alive(i)) continue;
    if (grab.body >= state.bodies.capacity() || !state.bodies.alive(grab.body) ||
        !finite(grab.local_anchor) || !finite(grab.impulse))
      return false;
    if (!inside(grab.target, 0.0) || !finite(grab.max_force) || grab.max_force < Real(0)) return false;
  }
  return state.hulls.consistent() && state.surfaces.consistent() && consistent_contacts(state) &&
         consistent_overlaps(state) && consistent_targets(state) && consistent_movers(state) &&
         consistent_ropes(state) && consistent_joints(state);
}

template <class Real>
std::size_t encoded_size(const WorldState<Real>& state) {
  SizeVisitor visitor;
  visit_state(visitor, state);
  return visitor.bytes();
}

template <class Real>
void encode_state(const WorldState<Real>& state, std::vector<std::byte>& out) {
  std::size_t const at = out.size();
  out.resize(at + encoded_size(state));
  EncodeVisitor visitor(out.data() + at, [](std::byte* end) { return end; });
  visit_state(visitor, state);
  TAKT_ASSERT(visitor.at() == out.data() + out.size());
}

template <class Real>
std::vector<std::byte> save_image(const WorldState<Real>& state) {
  std::vector<std::byte> image(kWorldImageHeaderBytes);
  encode_state(state, image);
  auto const payload = std::span<const std::byte>(image).subspan(kWorldImageHeaderBytes);
  for (std::size_t i = 0; i < kMagic.size(); ++i) image[i] = static_cast<std::byte>(kMagic[i]);
  store_little_endian(image.data() + 8, kWorldImageVersion);
  store_little_endian(image.data() + 10, static_cast<std::uint8_t>(kNumbersMode<Real>));
  store_little_endian(image.data() + 16, static_cast<std::uint64_t>(payload.size()));
  store_little_endian(image.data() + 24, hash_bytes(payload));
  return image;
}

template <class Real>
Result<WorldState<Real>, PhysicsError> load_image(std::span<const std::byte> image) {
  if (image.size() < kWorldImageHeaderBytes) return PhysicsError::kBadImage;
  for (std::size_t i = 0; i < kMagic.size(); ++i) {
    if (image[i] != static_cast<std::byte>(kMagic[i])) return PhysicsError::kBadImage;
  }
  if (load_little_endian<std::uint16_t>(image.data() + 8) != kWorldImageVersion)
    return PhysicsError::kImageVersion;
  if (load_little_endian<std::uint8_t>(image.data() + 10) != static_cast<std::uint8_t>(kNumbersMode<Real>))
    return PhysicsError::kImageNumbers;
  auto const payload = image.subspan(kWorldImageHeaderBytes);
  bool const unpacked = load_little_endian<std::uint8_t>(image.data() + 11) == 0 &&
                        load_little_endian<std::uint32_t>(image.data() + 12) == 0 &&
                        load_little_endian<std::uint64_t>(image.data() + 16) == payload.size() &&
                        load_little_endian<std::uint64_t>(image.data() + 24) == hash_bytes(payload);
  if (!unpacked) return PhysicsError::kBadImage;
  WorldState<Real> state;
  DecodeVisitor visitor(payload);
  visit_state(visitor, state);
  if (!visitor.ok()) return PhysicsError::kBadImage;
  if (visitor.refused()) return PhysicsError::kImageInconsistent;
  count_geometry_uses(state);
  if (!is_consistent(state)) return PhysicsError::kImageInconsistent;
  return state;
}

template <class Real>
std::vector<StateDifference> diff_states(const WorldState<Real>& left, const WorldState<Real>& right,
                                         std::size_t max) {
  ListVisitor a;
  ListVisitor b;
  visit_state(a, left);
  visit_state(b, right);
  std::vector<StateDifference> differences;
  // Lists of unequal length shift what follows, so fields are matched by path, both sides in visiting order.
  std::size_t i = 0;
  std::size_t j = 0;
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  auto const absent = [&](const FieldText& field, bool in_left) {
    differences.push_back(
        {field.path, in_left ? field.text : "absent", in_left ? "absent" : field.text, kNotANumber});
  };
  while ((i < a.fields.size() || j < b.fields.size()) && differences.size() < max) {
    if (i < a.fields.size() && j < b.fields.size() && a.fields[i].path == b.fields[j].path) {
      const FieldText& l = a.fields[i++];
      const FieldText& r = b.fields[j++];
      if (l.bits != r.bits) differences.push_back({l.path, l.text, r.text, r.number - l.number});
      continue;
    }
    // The side whose current path is not found soon on the other has extra elements.
    auto const found = [](const std::vector<FieldText>& in, std::size_t from, const std::string& path) {
      return std::any_of(in.begin() + static_cast<std::ptrdiff_t>(from), in.end(),
                         [&](const FieldText& f) { return f.path == path; });
    };
    if (i < a.fields.size() && (j >= b.fields.size() || !found(b.fields, j, a.fields[i].path))) {
      absent(a.fields[i++], true);
    } else {
      absent(b.fields[j++], false);
    }
  }
  return differences;
}

#define TAKT_INSTANTIATE(Real)                                                                        \
  template bool is_consistent(const WorldState<Real>&);                                               \
  template std::size_t encoded_size(const WorldState<Real>&);                                         \
  template void encode_state(const WorldState<Real>&, std::vector<std::byte>&);                       \
  template std::vector<std::byte> save_image(const WorldState<Real>&);                                \
  template Result<WorldState<Real>, PhysicsError> load_image<Real>(std::span<const std::byte>);       \
  template std::vector<StateDifference> diff_states(const WorldState<Real>&, const WorldState<Real>&, \
                                                    std::size_t);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
