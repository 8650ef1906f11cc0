#include "sim/recording/state_encoding.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "sim/state/byte_fields.h"
#include "takt/core/state_fields.h"

namespace takt::sim {
namespace {

class StateWriter {
 public:
  explicit StateWriter(std::vector<std::byte>& out) : writer_(out), fields_(writer_) {}

  void field(std::string_view, const auto& value) { fields_(value); }
  void text(std::string_view, const std::string& value) { fields_.text(value, kMaxPlayerNameBytes); }
  template <class T, class Fields>
  void list(std::string_view, const std::vector<T>& elements, Fields&& element_fields) {
    writer_.put(static_cast<std::uint32_t>(elements.size()));
    for (const T& element : elements) element_fields(element, *this);
  }
  template <class Fields>
  void later(const CommandPolicy& policy, Fields&& fields) {
    if (has_later_fields(policy)) fields(policy, *this);
  }
  template <class Fields>
  void newer(const CommandPolicy& policy, Fields&& fields) {
    if (has_newer_fields(policy)) fields(policy, *this);
  }

 private:
  ByteWriter writer_;
  FieldWriter fields_;
};

class StateReader {
 public:
  explicit StateReader(std::span<const std::byte> bytes) : reader_(bytes), fields_(reader_) {}

  void field(std::string_view, auto& value) { fields_(value); }
  void text(std::string_view, std::string& value) { fields_.text(value, kMaxPlayerNameBytes); }
  template <class T, class Fields>
  void list(std::string_view, std::vector<T>& elements, Fields&& element_fields) {
    elements.clear();
    auto const count = reader_.get<std::uint32_t>();
    // Every element takes at least 8 bytes, so a count that the bytes cannot hold ends here and not in an
    // allocation.
    if (count > reader_.remaining() / 8) sound_ = false;
    for (std::uint32_t i = 0; i < count && ok(); ++i) element_fields(elements.emplace_back(), *this);
  }
  template <class Fields>
  void later(CommandPolicy& policy, Fields&& fields) {
    if (!ok() || at_end()) return;
    fields(policy, *this);
    if (at_end() && !has_later_fields(policy)) sound_ = false;  // one state has one encoding
  }
  template <class Fields>
  void newer(CommandPolicy& policy, Fields&& fields) {
    if (!ok() || at_end()) return;
    fields(policy, *this);
    if (!has_newer_fields(policy)) sound_ = false;
  }
  [[nodiscard]] bool ok() const noexcept { return sound_ && fields_.ok(); }
  [[nodiscard]] bool at_end() const noexcept { return reader_.remaining() == 0; }

 private:
  ByteReader reader_;
  FieldReader fields_;
  bool sound_ = true;
};

// Passes the fields to a sink, ids and vectors by their parts.
class StateLister {
 public:
  explicit StateLister(FieldSink& sink) noexcept : sink_(&sink) {}

  void field(std::string_view name, const auto& value) { add(name, value); }
  void text(std::string_view name, const std::string& value) {
    sink_->field({name, FieldKind::kText, 0, value});
  }
  template <class T, class Fields>
  void list(std::string_view name, const std::vector<T>& elements, Fields&& element_fields) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      sink_->begin_record(name, i);
      element_fields(elements[i], *this);
      sink_->end_record();
    }
  }
  template <class Fields>
  void later(const CommandPolicy& policy, Fields&& fields) {
    fields(policy, *this);
  }
  template <class Fields>
  void newer(const CommandPolicy& policy, Fields&& fields) {
    fields(policy, *this);
  }

 private:
  template <LittleEndianEncodable T>
  void add(std::string_view name, T value) {
    sink_->field(number_field(name, value));
  }
  template <class E>
  requires std::is_enum_v<E>
  void add(std::string_view name, E value) { add(name, static_cast<std::underlying_type_t<E>>(value)); }
  template <class Tag>
  void add(std::string_view name, Id<Tag> id) {
    add(std::string(name) + ".index", id.index);
    add(std::string(name) + ".generation", id.generation);
  }
  void add(std::string_view name, const Vec3<float>& v) { add_xyz(name, v.x, v.y, v.z); }
  void add(std::string_view name, const Position& p) { add_xyz(name, p.x_raw, p.y_raw, p.z_raw); }
  template <class T>
  void add_xyz(std::string_view name, T x, T y, T z) {
    add(std::string(name) + ".x", x);
    add(std::string(name) + ".y", y);
    add(std::string(name) + ".z", z);
  }

  FieldSink* sink_;
};

bool is_finite(const Vec3<float>& v) noexcept {
  auto const finite = [](float f) { return f - f == 0.0f; };
  return finite(v.x) && finite(v.y) && finite(v.z);
}

template <class T, class Key>
bool rises(const std::vector<T>& elements, Key key) {
  return std::adjacent_find(elements.begin(), elements.end(),
                            [&](const T& a, const T& b) { return !(key(a) < key(b)); }) == elements.end();
}

bool is_consistent(const SimState& s) {
  bool sound = is_valid(s.policy) && s.players.size() <= s.policy.max_players;
  sound = sound && rises(s.players, [](const Player& p) { return p.id; }) &&
          rises(s.owned, [](const OwnedBody& o) { return o.body; });
  for (const Player& p : s.players) sound = sound && p.id != kServerPlayer;
  for (const OwnedBody& o : s.owned) sound = sound && o.owner != kServerPlayer && !o.body.is_null();
  for (const LastingForce& f : s.forces) {
    sound = sound && f.ticks_left >= 1 && f.ticks_left <= kMaxForceTicks && is_finite(f.force_n) &&
            is_finite(f.torque_n_m);
  }
  for (const Shuttle& m : s.shuttles)
    sound = sound && m.period_ticks >= 1 && m.period_ticks <= 4'000'000 && m.phase_ticks <= m.period_ticks;
  return sound;
}

}  // namespace

void encode_state(const SimState& state, std::vector<std::byte>& out) {
  StateWriter writer(out);
  visit_state(state, writer);
}

std::optional<SimState> decode_state(std::span<const std::byte> bytes) {
  SimState state;
  StateReader reader(bytes);
  visit_state(state, reader);
  if (!reader.ok() || !reader.at_end() || !is_consistent(state)) return std::nullopt;
  return state;
}

void list_fields(const SimState& state, FieldSink& sink) {
  StateLister lister(sink);
  sink.begin_record("sim", kNotInList);
  visit_state(state, lister);
  sink.end_record();
}

}  // namespace takt::sim
