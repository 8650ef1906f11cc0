#include "sim/scene/scene_ropes.h"

#include <algorithm>

#include "sim/scene/scene_names.h"
#include "sim/scene/scene_surfaces.h"

namespace takt::sim {
namespace {

constexpr double kMaxSegmentM = 1000.0;

void read_points(const schema::Rope& table, const FieldPath& at, SceneRope& rope, SceneFields& fields) {
  bool const straight = table.start() != nullptr || table.end() != nullptr;
  if (table.points() == nullptr) {
    if (!straight)
      fields.fail(at, {}, "\"start\" and \"end\" are missing, or \"points\": expected [x, y, z]");
    rope.def.node_count = fields.count(at, "nodes", table.nodes(), 2, kMaxRopeNodes);
    rope.def.start = fields.point(
        at, "start",
        fields.required_vector(at, "start", table.start(), -kMaxSceneCoordinateM, kMaxSceneCoordinateM));
    rope.def.end = fields.point(
        at, "end",
        fields.required_vector(at, "end", table.end(), -kMaxSceneCoordinateM, kMaxSceneCoordinateM));
    return;
  }
  if (straight)
    fields.fail(at, "points", "there is a start or end too: allowed is one of start with end, and points");
  if (table.points()->size() < 2 || table.points()->size() > kMaxRopeNodes) {
    fields.fail(at, "points",
                std::to_string(table.points()->size()) + " of them: allowed are 2 to " +
                    std::to_string(kMaxRopeNodes));
  }
  if (!is_aligned(*table.points())) fields.fail(at, "points", kMisaligned);
  for (flatbuffers::uoffset_t i = 0; i < table.points()->size() && fields.ok(); ++i) {
    FieldPath const here{&at, "points", i};
    const schema::Vec3& p = *table.points()->Get(i);
    rope.points.push_back(fields.point(here, {}, {p.x(), p.y(), p.z()}));
  }
}

RopePin read_pin(const schema::RopePin& table, const FieldPath& at, std::span<const SceneBody> bodies,
                 SceneRope& rope, SceneFields& fields) {
  std::uint32_t const nodes =
      rope.points.empty() ? rope.def.node_count : static_cast<std::uint32_t>(rope.points.size());
  RopePin pin;
  pin.node = fields.count(at, "node", table.node(), 0, nodes - 1);
  auto const same = [&pin](const RopePin& other) { return other.node == pin.node; };
  if (std::any_of(rope.pins.begin(), rope.pins.end(), same))
    fields.fail(at, "node", "it is pinned already: allowed is one pin a node");
  std::optional<std::size_t> body;
  if (table.body() != nullptr) {
    NameMatch const found = find_name(bodies, table.body()->string_view());
    if (found.count == 0)
      fields.fail(at, "body", "no body of this scene has the name \"" + table.body()->str() + '"');
    if (found.count > 1)
      fields.fail(at, "body", ambiguous_name(found.count, table.body()->string_view(), "body"));
    body = found.index;
    if (table.target() != nullptr)
      fields.fail(at, "target", "a pin on a body has no target: write its anchor, or leave the body out");
    pin.local_anchor_m = fields.vector(at, "anchor", table.anchor(), {}, -kMaxExtentM, kMaxExtentM);
  } else {
    if (table.anchor() != nullptr)
      fields.fail(at, "anchor", "only a pin on a body has an anchor: name the body, or write a target");
    if (table.target() != nullptr) {
      pin.target = fields.point(
          at, "target",
          fields.required_vector(at, "target", table.target(), -kMaxSceneCoordinateM, kMaxSceneCoordinateM));
    }
  }
  rope.pin_bodies.push_back(body);
  return pin;
}

RopeMode read_mode(const FieldPath& at, schema::RopeMode mode, SceneFields& fields) {
  if (mode > schema::RopeMode::MAX)
    fields.fail(at, "mode", "unknown word: expected one of jakobsen, compliant");
  return static_cast<RopeMode>(mode);  // the same values in both
}
static_assert(static_cast<int>(schema::RopeMode::jakobsen) == static_cast<int>(RopeMode::kJakobsen));
static_assert(static_cast<int>(schema::RopeMode::compliant) == static_cast<int>(RopeMode::kCompliant));

}  // namespace

SceneRope read_rope(const schema::Rope& table, const FieldPath& at, std::span<const SceneBody> bodies,
                    SceneFields& fields) {
  SceneRope rope;
  if (table.name() != nullptr) rope.name = table.name()->str();
  if (rope.name.size() > kMaxNameBytes)
    fields.fail(at, "name", "too long: allowed are " + std::to_string(kMaxNameBytes) + " bytes");
  RopeDef& def = rope.def;
  read_points(table, at, rope, fields);
  if (table.segment_length() != 0.0)
    def.segment_length_m =
        fields.number(at, "segment_length", table.segment_length(), kMinExtentM, kMaxSegmentM);
  def.radius_m = fields.number(at, "radius", table.radius(), kMinExtentM, 10);
  def.mass_kg = fields.number(at, "mass", table.mass(), table.linear_density() > 0 ? 0 : 1e-6, 1e9);
  def.linear_density_kg_m = fields.number(at, "linear_density", table.linear_density(), 0, 1e6);
  def.mode = read_mode(at, table.mode(), fields);
  def.stiffness = fields.number(at, "stiffness", table.stiffness(), 0, 1);
  if (def.mode == RopeMode::kJakobsen && !(def.stiffness > 0))
    fields.fail(at, "stiffness", "0 is out of range: allowed is above 0 and at most 1");
  def.compliance_m_n = fields.number(at, "compliance", table.compliance(), 0, 1);
  def.damping_n_s_m = fields.number(at, "damping", table.damping(), 0, 1e6);
  def.passes = fields.count(at, "passes", table.passes(), 1, 64);
  def.drag_1_s = fields.number(at, "drag", table.drag(), 0, 1000);
  def.gravity_scale = fields.number(at, "gravity_scale", table.gravity_scale(), -1000, 1000);
  def.friction = fields.number(at, "friction", table.friction(), 0, 100);
  def.collides = table.collides();
  def.collides_with_pinned = table.collides_with_pinned();
  def.can_sleep = table.can_sleep();
  if (table.filter() != nullptr)
    def.filter = {table.filter()->category(), table.filter()->mask(), table.filter()->group()};
  def.user_tag = table.user_tag();
  if (table.pins() != nullptr) {
    for (flatbuffers::uoffset_t i = 0; i < table.pins()->size() && fields.ok(); ++i) {
      FieldPath const here{&at, "pins", i};
      rope.pins.push_back(read_pin(*table.pins()->Get(i), here, bodies, rope, fields));
    }
  }
  return rope;
}

void write_canonical(const SceneRope& rope, FieldWriter& out) {
  const RopeDef& def = rope.def;
  out(static_cast<std::uint32_t>(rope.points.size()));
  for (const Position& point : rope.points) out(point);
  out(def.start);
  out(def.end);
  out(def.node_count);
  for (double const field :
       {def.segment_length_m, def.radius_m, def.mass_kg, def.linear_density_kg_m, def.stiffness,
        def.compliance_m_n, def.damping_n_s_m, def.drag_1_s, def.gravity_scale, def.friction}) {
    out(field);
  }
  out(def.mode);
  out(def.passes);
  out(def.collides);
  out(def.collides_with_pinned);
  out(def.can_sleep);
  out(def.filter.category);
  out(def.filter.mask);
  out(def.filter.group);
  out(def.user_tag);
  out(static_cast<std::uint32_t>(rope.pins.size()));
  for (std::size_t i = 0; i < rope.pins.size(); ++i) {
    const RopePin& pin = rope.pins[i];
    out(pin.node);
    out(rope.pin_bodies[i].has_value());
    out(static_cast<std::uint32_t>(rope.pin_bodies[i].value_or(0)));
    out(pin.local_anchor_m);
    out(pin.target.has_value());
    out(pin.target.value_or(Position{}));
  }
}

}  // namespace takt::sim
