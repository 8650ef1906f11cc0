#include "sim/state/game_state.h"

#include <algorithm>
#include <map>
#include <utility>

#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::sim {
namespace {

using Call = GameCall::Kind;

constexpr std::size_t kMaxListDepth =
    2;  // names of lists have at most 64 bytes in the paths of lockstep-test

// One pattern for every NaN: its sign and payload differ between machines.
std::uint64_t canonical_bits(FieldKind kind, std::uint64_t bits) noexcept {
  bool const is_single = kind == FieldKind::kF32;
  if (!is_single && kind != FieldKind::kF64) return bits;
  std::uint64_t const sign = is_single ? 0x80000000u : std::uint64_t{1} << 63u;
  std::uint64_t const infinity = is_single ? 0x7f800000u : 0x7ff0000000000000u;
  std::uint64_t const quiet = is_single ? 0x7fc00000u : 0x7ff8000000000000u;
  return (bits & ~sign) > infinity ? quiet : bits;
}

void put_number(ByteWriter& out, FieldKind kind, std::uint64_t bits) {
  switch (width_bits(kind)) {
    case 8: out.put(static_cast<std::uint8_t>(bits)); break;
    case 16: out.put(static_cast<std::uint16_t>(bits)); break;
    case 32: out.put(static_cast<std::uint32_t>(bits)); break;
    default: out.put(bits); break;
  }
}

std::uint64_t get_number(ByteReader& in, FieldKind kind) {
  switch (width_bits(kind)) {
    case 8: return in.get<std::uint8_t>();
    case 16: return in.get<std::uint16_t>();
    case 32: return in.get<std::uint32_t>();
    default: return in.get<std::uint64_t>();
  }
}

std::string joined(std::string_view name, std::string_view part) {
  std::string text(name);
  if (!part.empty()) text.append(".").append(part);
  return text;
}

class GameWriter final : public StateVisitor {
 public:
  // `layout` may be null.
  GameWriter(std::vector<std::byte>& bytes, std::vector<GameCall>* layout)
      : StateVisitor(false), out_(bytes), layout_(layout) {}

 private:
  void visit_number(std::string_view name, std::string_view part, FieldKind kind,
                    std::uint64_t& bits) override {
    put_number(out_, kind, canonical_bits(kind, bits));
    note({Call::kNumber, kind, name, part});
  }
  void visit_text(StateName name, std::string& value, std::size_t max_bytes) override {
    TAKT_ASSERT(value.size() <= max_bytes && value.size() <= UINT32_MAX);  // of StateVisitor::text
    out_.put(static_cast<std::uint32_t>(value.size()));
    out_.put_bytes(std::as_bytes(std::span(value)));
    note({Call::kText, FieldKind::kText, name.text(), {}});
  }
  std::uint32_t begin_list(StateName name, std::uint32_t count, std::uint32_t max_count) override {
    TAKT_ASSERT(count <= max_count);  // of StateVisitor::list or map: the game checks before it inserts
    open(name, Call::kList);
    out_.put(count);
    return count;
  }
  void begin_array(StateName name) override { open(name, Call::kArray); }
  void begin_element() override { note({Call::kElement, FieldKind::kU32, {}, {}}); }
  void end_list() override {
    --depth_;
    note({Call::kEndOfList, FieldKind::kU32, {}, {}});
  }
  void refuse(std::string_view, std::string_view) override {}
  bool has_failed() const noexcept override { return false; }

  void open(StateName name, Call kind) {
    TAKT_ASSERT(depth_ < kMaxListDepth);
    ++depth_;
    note({kind, FieldKind::kU32, name.text(), {}});
  }
  void note(const GameCall& call) {
    if (layout_ != nullptr) layout_->push_back(call);
  }

  ByteWriter out_;
  std::vector<GameCall>* layout_;
  std::size_t depth_ = 0;
};

class GameReader final : public StateVisitor {
 public:
  explicit GameReader(std::span<const std::byte> bytes) : StateVisitor(true), in_(bytes) {}

  // The refusal, also of bytes that no field has read.
  [[nodiscard]] std::optional<std::string> finish() {
    if (!refusal_ && in_.remaining() != 0)
      refusal_ = std::to_string(in_.remaining()) + " bytes are left after the last field";
    return std::move(refusal_);
  }

 private:
  void visit_number(std::string_view name, std::string_view part, FieldKind kind,
                    std::uint64_t& bits) override {
    bits = 0;
    if (has_failed()) return;
    bits = get_number(in_, kind);
    if (!in_.ok()) {
      refuse(joined(name, part), "the bytes end before it");
    } else if (kind == FieldKind::kBool && bits > 1) {
      refuse(joined(name, part), "a bool is neither 0 nor 1");
    } else if (bits != canonical_bits(kind, bits)) {
      refuse(joined(name, part), "the NaN is not the one that a state has");
    }
    if (has_failed()) bits = 0;
  }
  void visit_text(StateName name, std::string& value, std::size_t max_bytes) override {
    value.clear();
    std::uint32_t const size = counted(name, max_bytes, " bytes");
    for (std::byte const b : in_.get_bytes(size)) value.push_back(static_cast<char>(b));
  }
  std::uint32_t begin_list(StateName name, std::uint32_t, std::uint32_t max_count) override {
    std::uint32_t const count = counted(name, max_count, " elements");  // an element has at least one byte
    begin_array(name);
    return count;
  }
  void begin_array(StateName name) override {
    TAKT_ASSERT(lists_.size() < kMaxListDepth);
    lists_.emplace_back(name.text(), 0);
  }
  void begin_element() override { ++lists_.back().second; }
  void end_list() override { lists_.pop_back(); }
  void refuse(std::string_view name, std::string_view problem) override {
    if (refusal_) return;
    std::string path;
    for (auto const& [list, elements] : lists_)
      path.append(list).append("[").append(std::to_string(elements == 0 ? 0 : elements - 1)).append("].");
    refusal_ = path.append(name).append(": ").append(problem);
  }
  bool has_failed() const noexcept override { return refusal_.has_value(); }

  // A count before elements or bytes; 0 after a refusal.
  std::uint32_t counted(StateName name, std::size_t max, std::string_view unit) {
    if (has_failed()) return 0;
    auto const count = in_.get<std::uint32_t>();
    if (!in_.ok()) {
      refuse(name.text(), "the bytes end before it");
    } else if (count > max) {
      refuse(name.text(), std::to_string(count) + std::string(unit) + ", and it has at most " +
                              std::to_string(max) + std::string(unit));
    } else if (count > in_.remaining()) {
      refuse(name.text(),
             std::to_string(count) + std::string(unit) + " do not fit in the bytes that are left");
    }
    return has_failed() ? 0 : count;
  }

  ByteReader in_;
  std::vector<std::pair<std::string_view, std::uint32_t>> lists_;  // name, elements begun
  std::optional<std::string> refusal_;
};

// Walks a layout over its bytes.
class GameLister {
 public:
  GameLister(const SavedGame& saved, FieldSink& sink) : saved_(&saved), in_(saved.bytes), sink_(&sink) {}

  void list() {
    bool const has_record = has_fields_outside_of_lists();
    if (has_record) sink_->begin_record("game", kNotInList);
    for (const GameCall& call : saved_->layout) handle(call);
    if (has_record) sink_->end_record();
  }

 private:
  struct OpenList {
    std::string path;
    bool has_element = false;
  };

  [[nodiscard]] bool has_fields_outside_of_lists() const {
    int depth = 0;
    return std::ranges::any_of(saved_->layout, [&](const GameCall& call) {
      if (call.kind == Call::kList || call.kind == Call::kArray) ++depth;
      if (call.kind == Call::kEndOfList) --depth;
      return depth == 0 && (call.kind == Call::kNumber || call.kind == Call::kText);
    });
  }

  void handle(const GameCall& call) {
    switch (call.kind) {
      case Call::kNumber:
        sink_->field({joined(call.name, call.part), call.field, get_number(in_, call.field), {}});
        break;
      case Call::kText: {
        auto const bytes = in_.get_bytes(in_.get<std::uint32_t>());
        std::string_view const text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        sink_->field({call.name, FieldKind::kText, 0, text});
        break;
      }
      case Call::kList: (void)in_.get<std::uint32_t>(); [[fallthrough]];
      case Call::kArray:
        open_.push_back({joined(open_.empty() ? "game" : open_.back().path, call.name), false});
        break;
      case Call::kElement: {
        OpenList& list = open_.back();
        if (list.has_element) sink_->end_record();
        list.has_element = true;
        sink_->begin_record(list.path, element_counts_[list.path]++);
        break;
      }
      case Call::kEndOfList:
        if (open_.back().has_element) sink_->end_record();
        open_.pop_back();
        break;
    }
  }

  const SavedGame* saved_;
  ByteReader in_;
  FieldSink* sink_;
  std::vector<OpenList> open_;
  std::map<std::string, std::uint64_t> element_counts_;  // a list within elements counts through all of them
};

}  // namespace

void save_game(Game& game, SavedGame& out) {
  out.bytes.clear();
  out.layout.clear();
  GameWriter writer(out.bytes, &out.layout);
  game.visit_state(writer);
}

void save_game(Game& game, std::vector<std::byte>& out) {
  out.clear();
  GameWriter writer(out, nullptr);
  game.visit_state(writer);
}

std::optional<std::string> load_game(Game& game, std::span<const std::byte> bytes) {
  GameReader reader(bytes);
  game.visit_state(reader);
  return reader.finish();
}

void list_game(const SavedGame& saved, FieldSink& sink) { GameLister(saved, sink).list(); }

}  // namespace takt::sim
