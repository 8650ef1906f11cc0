#include "tests/unit/protocol/message_json.h"

#include <cstdio>
#include <span>
#include <string_view>

#include "protocol/messages/rope_codec.h"
#include "schemas/protocol_generated.h"

namespace takt::protocol::test {
namespace {

constexpr double kQuantum = 0x1p-32;  // 2^-32
constexpr std::uint64_t kWideTick = std::uint64_t{1} << 53;

// A ShapeKind has no name_of: nothing but this says it in words.
constexpr std::string_view kShapeKinds[] = {"sphere", "capsule", "box",  "half_space",  "cylinder",
                                            "cone",   "hull",    "mesh", "height_field"};
constexpr std::string_view kGeometryKinds[] = {"hull", "mesh", "height_field"};
constexpr std::string_view kQueryKinds[] = {"none", "ray", "shape_cast", "overlap", "closest_point"};
constexpr std::string_view kQueryModes[] = {"none", "closest", "all", "any"};
constexpr std::string_view kMarkKinds[] = {"join", "leave", "input", "image", "break"};

class Json {
 public:
  Json& begin(std::string_view name = {}) { return open(name, '{'); }
  Json& end() { return close('}'); }
  Json& begin_list(std::string_view name) { return open(name, '['); }
  Json& end_list() { return close(']'); }

  Json& raw(std::string_view name, std::string_view value) {
    key(name);
    out_ += value;
    return *this;
  }
  Json& text(std::string_view name, std::string_view value) {
    key(name);
    out_ += '"';
    for (char const c : value) {
      if (c == '"' || c == '\\') out_ += '\\';
      out_ += c;
    }
    out_ += '"';
    return *this;
  }
  Json& truth(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  Json& number(std::string_view name, std::uint64_t value) { return raw(name, std::to_string(value)); }
  Json& whole(std::string_view name, std::int64_t value) { return raw(name, std::to_string(value)); }
  Json& tick(std::string_view name, std::uint64_t value) {
    has_wide_tick = has_wide_tick || value >= kWideTick;
    return number(name, value);
  }
  Json& id(std::string_view name, std::uint64_t value) { return text(name, std::to_string(value)); }
  Json& real(std::string_view name, double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    return raw(name, digits);
  }
  Json& reals(std::string_view name, std::initializer_list<double> values) {
    begin_list(name);
    for (double const value : values) real({}, value);
    return end_list();
  }
  Json& vector(std::string_view name, const Vec3f& v) { return reals(name, {v.x, v.y, v.z}); }
  Json& rotation(std::string_view name, const Quatf& q) { return reals(name, {q.x, q.y, q.z, q.w}); }
  Json& fixed(std::string_view name, const Position& p) {
    begin_list(name);
    for (std::int64_t const axis : {p.x, p.y, p.z}) text({}, std::to_string(axis));
    return end_list();
  }
  Json& metres(std::string_view name, const Position& p) {
    return reals(name, {static_cast<double>(p.x) * kQuantum, static_cast<double>(p.y) * kQuantum,
                        static_cast<double>(p.z) * kQuantum});
  }
  Json& bytes(std::string_view name, std::span<const std::byte> bytes) {
    begin_list(name);
    for (std::byte const byte : bytes) number({}, std::to_integer<std::uint64_t>(byte));
    return end_list();
  }
  Json& shape(std::string_view name, const ShapeInfo& s) {
    return begin(name)
        .text("kind", kShapeKinds[static_cast<std::size_t>(s.kind)])
        .vector("dimensions", s.dimensions)
        .vector("localPosition", s.local_position)
        .rotation("localRotation", s.local_rotation)
        .real("rounding", s.rounding)
        .id("geometry", s.geometry)
        .end();
  }

  [[nodiscard]] std::string take() { return std::move(out_); }
  bool has_wide_tick = false;

 private:
  void key(std::string_view name) {
    if (!out_.empty() && out_.back() != '{' && out_.back() != '[') out_ += ',';
    if (name.empty()) return;
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }
  Json& open(std::string_view name, char bracket) {
    key(name);
    out_ += bracket;
    return *this;
  }
  Json& close(char bracket) {
    out_ += bracket;
    return *this;
  }

  std::string out_;
};

void put(Json& j, const ConnectRequest& m) {
  j.text("type", "ConnectRequest")
      .number("protocolVersion", m.protocol_version)
      .id("sceneHash", m.scene_hash)
      .text("numbersMode", name_of(m.numbers_mode));
  j.text("mode", name_of(m.mode)).text("playerName", m.player_name).id("nonce", m.nonce);
  j.text("role", name_of(m.role)).bytes("token", m.token);
  j.bytes("tokenVerifier",
          m.token_verifier ? std::span<const std::byte>(*m.token_verifier) : std::span<const std::byte>());
  j.number("ciphers", m.ciphers);
}
void put(Json& j, const Challenge& m) {
  j.text("type", "Challenge").id("nonce", m.nonce).bytes("cookie", m.cookie);
  j.bytes("lastingKey", m.lasting_key).bytes("shortLivedKey", m.short_lived_key);
}
void put(Json& j, const ChallengeResponse& m) {
  j.text("type", "ChallengeResponse").bytes("cookie", m.cookie).begin("request");
  put(j, m.request);
  j.end();
  j.bytes("key", m.key).bytes("proof", m.proof);
}
void put(Json& j, const SealedAccept& m) {
  j.text("type", "SealedAccept").id("nonce", m.nonce).bytes("sealed", m.sealed);
}
void put(Json& j, const Accept& m) {
  j.text("type", "Accept")
      .id("nonce", m.nonce)
      .id("session", m.session)
      .number("playerId", m.player_id)
      .number("tickRateHz", m.tick_rate_hz);
  j.number("substeps", m.substeps)
      .tick("currentTick", m.current_tick)
      .id("sceneHash", m.scene_hash)
      .text("numbersMode", name_of(m.numbers_mode));
  j.text("mode", name_of(m.mode)).text("role", name_of(m.role)).number("cipher", m.cipher);
  j.truth("resumed", m.resumed).number("epoch", m.epoch).number("inputOffset", m.input_offset);
}
void put(Json& j, const Refuse& m) {
  j.text("type", "Refuse").id("nonce", m.nonce).text("reason", name_of(m.reason)).text("text", m.text);
}
void put(Json& j, const Disconnect& m) {
  j.text("type", "Disconnect").text("reason", name_of(m.reason)).text("text", m.text);
}
void put(Json& j, const KeepAlive&) { j.text("type", "KeepAlive"); }
void put(Json& j, const Ping& m) { j.text("type", "Ping").id("clientTimeUs", m.client_time_us); }
void put(Json& j, const Pong& m) {
  j.text("type", "Pong")
      .id("clientTimeUs", m.client_time_us)
      .tick("tick", m.tick)
      .number("tickFraction", m.tick_fraction);
}

constexpr std::string_view kForms[] = {"rigid", "beta_gamma", "erp_cfm", "spring", "frequency"};
constexpr std::string_view kAxes[] = {"linear_x",  "linear_y",  "linear_z", "angular_x",
                                      "angular_y", "angular_z", "distance", "swing"};

// JSON has no infinity.
void put_bound(Json& j, std::string_view name, double value) {
  if (value - value == 0.0) {
    j.real(name, value);
  } else {
    j.text(name, value < 0.0 ? "-Infinity" : "Infinity");
  }
}

// A name of the schema as JavaScript spells it.
std::string camel_case(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i)
    out += name[i] == '_' ? static_cast<char>(name[++i] - 'a' + 'A') : name[i];
  return out;
}

// The fields of commands, one overload per type and rule.
struct PutField {
  Json& j;

  template <class T, class Rule>
  void operator()(const Field<T, Rule>& field) const {
    put(camel_case(field.name), field.value, field.rule);
  }
  void put(std::string_view name, std::uint64_t value, NotNull) const { j.id(name, value); }
  void put(std::string_view name, std::uint8_t value, Axis) const { j.text(name, kAxes[value]); }
  void put(std::string_view name, std::uint8_t value, LockBits) const { j.number(name, value); }
  template <class Rule>
  void put(std::string_view name, std::uint32_t value, Rule) const {
    j.number(name, value);
  }
  template <class Rule>
  void put(std::string_view name, float value, Rule) const {
    j.real(name, value);
  }
  template <class Rule>
  void put(std::string_view name, double value, Rule) const {
    put_bound(j, name, value);
  }
  void put(std::string_view name, bool value, ByType) const { j.truth(name, value); }
  void put(std::string_view name, const Vec3f& value, ByType) const { j.vector(name, value); }
  void put(std::string_view name, const Quatf& value, ByType) const { j.rotation(name, value); }
  void put(std::string_view name, const Position& value, ByType) const { j.fixed(name, value); }
  void put(std::string_view name, const ShapeInfo& value, ByType) const { j.shape(name, value); }
  void put(std::string_view name, const std::vector<std::byte>& value, ByType) const { j.bytes(name, value); }
  void put(std::string_view name, const Softness& s, ByType) const {
    j.begin(name).text("form", kForms[s.form]).real("first", s.first).real("second", s.second).end();
  }
  void put(std::string_view name, const JointPlace& p, ByType) const {
    j.begin(name)
        .reals("position", {p.position.x, p.position.y, p.position.z})
        .reals("rotation", {p.rotation.x, p.rotation.y, p.rotation.z, p.rotation.w})
        .end();
  }
  template <HasFields T>
  void put(std::string_view name, const T& value, ByType) const {
    j.begin(name);
    std::apply([this](const auto&... field) { ((*this)(field), ...); }, T::fields(value));
    j.end();
  }
  // An absent point is null; absent parts of a joint are left out.
  void put(std::string_view name, const std::optional<Vec3f>& value, ByType) const {
    value ? put(name, *value, ByType()) : void(j.raw(name, "null"));
  }
  template <class T, class Rule>
  void put(std::string_view name, const std::optional<T>& value, Rule rule) const {
    if (value) put(name, *value, rule);
  }
};

void put(Json& j, const Command& command) {
  j.text("type", wire::EnumNameCommand(static_cast<wire::Command>(command.index() + 1)));
  auto const put_all = [&]<class C>(const C& c) {
    std::apply([&](const auto&... field) { (PutField{j}(field), ...); }, C::fields(c));
  };
  std::visit(put_all, command);
}

void put(Json& j, const Inputs& m) {
  j.text("type", "Inputs").begin_list("inputs");
  for (const Input& input : m.inputs) {
    j.begin().tick("tick", input.tick).number("sequence", input.sequence).begin("command");
    put(j, input.command);
    j.end().end();
  }
  j.end_list().begin_list("invalidSequences");
  for (std::uint32_t const sequence : m.invalid_sequences) j.number({}, sequence);
  j.end_list();
}
void put(Json& j, const InputAck& m) {
  j.text("type", "InputAck")
      .number("receivedThrough", m.received_through)
      .tick("tick", m.tick)
      .whole("marginTicks", m.margin_ticks)
      .begin_list("outcomes");
  for (const CommandOutcome& o : m.outcomes)
    j.begin()
        .number("sequence", o.sequence)
        .text("status", name_of(o.status))
        .tick("tick", o.tick)
        .text("refusal", name_of(o.refusal))
        .text("text", o.text)
        .end();
  j.end_list();
}
void put(Json& j, const SnapshotPart& m) {
  j.text("type", "Snapshot")
      .number("serial", m.serial)
      .tick("tick", m.tick)
      .number("part", m.part)
      .number("partCount", m.part_count);
  j.number("baseline", m.baseline)
      .number("deferred", m.deferred)
      .number("epoch", m.epoch)
      .begin_list("bodies");
  for (const BodyState& b : m.bodies) {
    j.begin()
        .id("id", b.id)
        .metres("position", b.position)
        .rotation("rotation", b.rotation)
        .vector("linearVelocity", b.linear_velocity);
    j.vector("angularVelocity", b.angular_velocity).number("flags", b.flags).end();
  }
  j.end_list().begin_list("removed");
  for (BodyId const id : m.removed) j.id({}, id);
  j.end_list().begin_list("ropes");
  auto const slices = decode_rope_slices(m.ropes);
  for (const RopeSlice& s : slices ? *slices : std::vector<RopeSlice>{}) {
    j.begin()
        .id("rope", s.id)
        .number("nodeCount", s.node_count)
        .number("first", s.first)
        .number("flags", s.flags)
        .real("radius", s.radius);
    j.begin_list("positions");
    for (const Position& node : s.nodes) j.metres({}, node);
    j.end_list().begin_list("tensions");
    for (float const tension : s.tensions) j.real({}, tension);
    j.end_list().end();
  }
  j.end_list().begin_list("removedRopes");
  for (RopeId const id : m.removed_ropes) j.id({}, id);
  j.end_list().number("deferredRopes", m.deferred_ropes).begin_list("movers");
  for (const MoverInput& in : m.movers) {
    j.begin().id("body", in.body).vector("velocity", in.velocity);
    j.real("turn", in.turn).number("flags", in.flags).end();
  }
  j.end_list().number("modeEpoch", m.mode_epoch);
}
void put(Json& j, const JoinSlice& m) {
  j.text("type", "JoinImage")
      .tick("tick", m.tick)
      .id("totalBytes", m.total_bytes)
      .id("hash", m.hash)
      .id("offset", m.offset)
      .bytes("bytes", m.bytes);
}
void put(Json& j, const BodiesAdded& m) {
  j.text("type", "BodiesAdded").tick("tick", m.tick).begin_list("bodies");
  for (const BodyInfo& body : m.bodies) {
    j.begin()
        .id("id", body.id)
        .number("userKind", body.user_kind)
        .number("player", body.player)
        .begin_list("shapes");
    for (const ShapeInfo& shape : body.shapes) j.shape({}, shape);
    j.end_list().number("sequence", body.sequence).end();
  }
  j.end_list();
}
void put(Json& j, const BodiesRemoved& m) {
  j.text("type", "BodiesRemoved").tick("tick", m.tick).begin_list("ids");
  for (BodyId const id : m.ids) j.id({}, id);
  j.end_list();
}
void put(Json& j, const GameEvent& m) {
  j.text("type", "GameEvent").tick("tick", m.tick).bytes("bytes", m.bytes);
}
void put(Json& j, const ServerStats& m) {
  j.text("type", "ServerStats")
      .tick("tick", m.tick)
      .id("stateHash", m.state_hash)
      .number("bodyCount", m.body_count)
      .number("awakeCount", m.awake_count);
  j.number("clientCount", m.client_count)
      .number("tickTimeUs", m.tick_time_us)
      .number("tickTimeP99Us", m.tick_time_p99_us);
  j.number("contactCount", m.contact_count).id("droppedTicks", m.dropped_ticks);
}
void put(Json& j, const Control& m) {
  j.text("type", "Control")
      .number("request", m.request)
      .text("action", name_of(m.action))
      .real("speed", m.speed)
      .tick("tick", m.tick);
  j.text("scene", m.scene);
}
void put(Json& j, const ControlResult& m) {
  j.text("type", "ControlResult")
      .number("request", m.request)
      .text("status", name_of(m.status))
      .text("text", m.text);
}
void put(Json& j, const RoomState& m) {
  j.text("type", "RoomState")
      .number("epoch", m.epoch)
      .tick("tick", m.tick)
      .truth("paused", m.paused)
      .real("speed", m.speed)
      .truth("admin", m.admin);
  j.truth("isRecording", m.is_recording)
      .tick("firstTick", m.first_tick)
      .tick("endTick", m.end_tick)
      .number("tickRateHz", m.tick_rate_hz);
  j.id("sceneHash", m.scene_hash).text("scene", m.scene).text("title", m.title).begin_list("scenes");
  for (const std::string& scene : m.scenes) j.text({}, scene);
  j.end_list();
  if (m.camera) {
    j.metres("cameraEye", m.camera->eye).metres("cameraTarget", m.camera->target);
  } else {
    j.raw("cameraEye", "null").raw("cameraTarget", "null");
  }
  j.begin_list("marks");
  for (const TimelineMark& mark : m.marks)
    j.begin()
        .tick("tick", mark.tick)
        .number("count", mark.count)
        .text("kind", kMarkKinds[static_cast<std::size_t>(mark.kind)])
        .end();
  j.end_list();
}
void put(Json& j, const RoomEntered& m) {
  j.text("type", "RoomEntered").number("epoch", m.epoch).number("firstInput", m.first_input);
}
void put(Json& j, const Inspect& m) { j.text("type", "Inspect").number("what", m.what); }
void put(Json& j, const Contacts& m) {
  j.text("type", "Contacts")
      .tick("tick", m.tick)
      .number("total", m.total)
      .number("part", m.part)
      .number("partCount", m.part_count)
      .number("epoch", m.epoch)
      .begin_list("points");
  for (const ContactPoint& p : m.points) {
    j.begin()
        .id("bodyA", p.body_a)
        .id("bodyB", p.body_b)
        .metres("position", p.position)
        .vector("normal", p.normal)
        .real("impulse", p.impulse);
    j.real("separation", p.separation).end();
  }
  j.end_list();
}
void put(Json& j, const JointFrames& m) {
  j.text("type", "JointFrames")
      .tick("tick", m.tick)
      .number("total", m.total)
      .number("part", m.part)
      .number("partCount", m.part_count);
  j.number("epoch", m.epoch).begin_list("joints");
  for (const JointFrame& f : m.joints) {
    j.begin()
        .id("bodyA", f.body_a)
        .id("bodyB", f.body_b)
        .metres("anchorA", f.anchor_a)
        .metres("anchorB", f.anchor_b);
    j.rotation("rotation", f.rotation)
        .number("kind", f.kind)
        .id("id", f.id)
        .rotation("rotationB", f.rotation_b);
    j.real("force", f.force)
        .real("torque", f.torque)
        .truth("isOff", (f.flags & kJointOff) != 0)
        .truth("isTorn", (f.flags & kJointTorn) != 0)
        .end();
  }
  j.end_list();
}
void put(Json& j, const JointsBroken& m) {
  j.text("type", "JointsBroken").tick("tick", m.tick).begin_list("joints");
  for (std::uint64_t const joint : m.joints) j.id({}, joint);
  j.end_list();
}

void put(Json& j, const ConfirmedSlice& m) {
  j.text("type", "Confirmed").bytes("bytes", m.bytes);
  j.number("offset", m.offset).number("totalBytes", m.total_bytes).number("modeEpoch", m.mode_epoch);
}

void put(Json& j, const DesyncProbe& m) {
  j.text("type", "DesyncProbe").tick("tick", m.tick).text("path", m.path).text("answer", m.answer);
  j.number("modeEpoch", m.mode_epoch);
}

void put(Json& j, const DesyncAnswer& m) {
  j.text("type", "DesyncAnswer").tick("tick", m.tick).text("path", m.path).text("answer", m.answer);
  j.text("status", m.status == DesyncStatus::kAnswered ? "answered" : "forgotten");
}

void put(Json& j, const ModeSwitch& m) {
  j.text("type", "ModeSwitch").text("mode", name_of(m.mode)).text("text", m.text);
  j.number("request", m.request).truth("refused", m.refused).number("modeEpoch", m.mode_epoch);
}

void put(Json& j, const GeometrySlice& m) {
  j.text("type", "Geometry")
      .id("digest", m.digest)
      .text("kind", kGeometryKinds[static_cast<std::size_t>(m.kind)])
      .number("totalBytes", m.total_bytes);
  j.number("offset", m.offset).bytes("bytes", m.bytes);
}

Json& put(Json& j, std::string_view name, const Vec3d& v) {
  return j.begin_list(name).real({}, v.x).real({}, v.y).real({}, v.z).end_list();
}

void put(Json& j, const QueryRequest& m) {
  j.text("type", "QueryRequest").number("request", m.request).begin_list("queries");
  for (const Query& q : m.queries) {
    j.begin()
        .text("kind", kQueryKinds[static_cast<std::size_t>(q.kind)])
        .text("mode", kQueryModes[static_cast<std::size_t>(q.mode)]);
    j.fixed("position", q.position);
    put(j, "translation", q.translation).shape("shape", q.shape).rotation("rotation", q.rotation);
    j.real("maxDistance", q.max_distance)
        .number("category", q.category)
        .number("mask", q.mask)
        .whole("group", q.group);
    j.truth("findSensors", q.find_sensors).begin_list("ignore");
    for (BodyId const id : q.ignore) j.id({}, id);
    j.end_list().end();
  }
  j.end_list().tick("atTick", m.at_tick);
}
void put(Json& j, const QueryResult& m) {
  j.text("type", "QueryResult")
      .number("request", m.request)
      .text("status", name_of(m.status))
      .tick("tick", m.tick)
      .begin_list("answers");
  for (const QueryAnswer& a : m.answers)
    j.begin()
        .text("status", name_of(a.status))
        .truth("found", a.found)
        .number("hitCount", a.hit_count)
        .number("total", a.total)
        .end();
  j.end_list().begin_list("hits");
  for (const QueryHit& h : m.hits) {
    j.begin().id("body", h.body).metres("point", h.point);
    put(j, "normal", h.normal)
        .real("fraction", h.fraction)
        .real("distance", h.distance)
        .number("shape", h.shape);
    j.number("triangle", h.triangle).end();
  }
  j.end_list().number("workExceeded", m.work_exceeded);
}

Json write(const Message& message) {
  Json json;
  json.begin();
  std::visit([&](const auto& one) { put(json, one); }, message);
  json.end();
  return json;
}

}  // namespace

std::string to_json(const Message& message) { return write(message).take(); }
bool has_wide_tick(const Message& message) { return write(message).has_wide_tick; }

}  // namespace takt::protocol::test
