#include "sim/recording/state_encoding.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <type_traits>

#include "sim/state/byte_fields.h"

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

// Every field as a path, a text and a number.
class StateLister {
 public:
  struct Line {
    std::string path;
    std::string value;
    double number;
  };

  void field(std::string_view name, const auto& value) { add(name, value); }
  void text(std::string_view name, const std::string& value) {
    push(name, '"' + value + '"', std::numeric_limits<double>::quiet_NaN());
  }
  template <class T, class Fields>
  void list(std::string_view name, const std::vector<T>& elements, Fields&& element_fields) {
    add(std::string(name) + "_count", elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      prefix_ = std::string(name) + '[' + std::to_string(i) + "].";
      element_fields(elements[i], *this);
      prefix_.clear();
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
  [[nodiscard]] const std::vector<Line>& lines() const noexcept { return lines_; }

 private:
  void push(std::string_view name, std::string value, double number) {
    lines_.push_back({prefix_ + std::string(name), std::move(value), number});
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void add(std::string_view name, T value) {
    char buffer[64];
    std::to_chars_result end{};
    if constexpr (std::is_same_v<T, bool>) {
      end = std::to_chars(buffer, buffer + sizeof buffer, value ? 1 : 0);
    } else {
      end = std::to_chars(buffer, buffer + sizeof buffer, value);
    }
    push(name, std::string(buffer, end.ptr), static_cast<double>(value));
  }
  void add(std::string_view name, Touch value) { add(name, static_cast<std::uint8_t>(value)); }
  template <class Tag>
  void add(std::string_view name, Id<Tag> id) {
    push(name, std::to_string(id.index) + ':' + std::to_string(id.generation),
         std::numeric_limits<double>::quiet_NaN());
  }
  void add(std::string_view name, const Vec3<float>& v) {
    add(std::string(name) + ".x", v.x);
    add(std::string(name) + ".y", v.y);
    add(std::string(name) + ".z", v.z);
  }
  void add(std::string_view name, const Position& p) {
    add(std::string(name) + ".x", p.x_raw);
    add(std::string(name) + ".y", p.y_raw);
    add(std::string(name) + ".z", p.z_raw);
  }

  std::string prefix_;
  std::vector<Line> lines_;
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

std::vector<StateDifference> diff_states(const SimState& left, const SimState& right, std::size_t max) {
  StateLister l;
  StateLister r;
  visit_state(left, l);
  visit_state(right, r);
  std::vector<StateDifference> differences;
  // Lists of different length shift what follows; their counts come first and are what a reader needs.
  for (std::size_t i = 0; i < std::min(l.lines().size(), r.lines().size()) && differences.size() < max; ++i) {
    StateLister::Line const& a = l.lines()[i];
    StateLister::Line const& b = r.lines()[i];
    if (a.path != b.path) break;
    if (a.value != b.value) differences.push_back({a.path, a.value, b.value, b.number - a.number});
  }
  return differences;
}

}  // namespace takt::sim
