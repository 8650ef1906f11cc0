#include "physics/state/world_image.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "physics/state/encode_visitor.h"
#include "physics/state/state_check.h"
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
    // Every element takes at least one byte of input for each eight bytes of memory, so a larger length is
    // invalid.
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
  /// Marks a field whose bytes are no value of its type.
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

/// Recomputes use counts, which are not encoded.
template <class Real>
void count_geometry_uses(WorldState<Real>& state) {
  if (state.shapes.records.size() != state.shapes.slots.size()) return;  // is_consistent reports it
  for (std::uint32_t i = 0; i < state.shapes.capacity(); ++i) {
    const ShapeRecord<Real>& shape = state.shapes[i];
    if (!state.shapes.alive(i)) continue;
    if (shape.kind == ShapeKind::kHull) (void)state.hulls.count_use(shape.geometry);
    if (is_surface(shape.kind)) (void)state.surfaces.count_use(shape.geometry);
  }
}

}  // namespace

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
  store_little_endian(image.data() + 11, static_cast<std::uint8_t>(state.def.max_contacts != 0));
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
  auto const has_max_contacts = load_little_endian<std::uint8_t>(image.data() + 11);
  bool const header_ok = has_max_contacts <= 1 && load_little_endian<std::uint32_t>(image.data() + 12) == 0 &&
                         load_little_endian<std::uint64_t>(image.data() + 16) == payload.size() &&
                         load_little_endian<std::uint64_t>(image.data() + 24) == hash_bytes(payload);
  if (!header_ok) return PhysicsError::kBadImage;
  WorldState<Real> state;
  state.def.max_contacts = has_max_contacts;
  DecodeVisitor visitor(payload);
  visit_state(visitor, state);
  if (!visitor.ok()) return PhysicsError::kBadImage;
  if ((state.def.max_contacts != 0) != (has_max_contacts != 0)) return PhysicsError::kBadImage;
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
  // Lists of unequal length displace the fields behind them. Fields are therefore matched by path, both sides
  // in visiting order.
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
    // The side whose current path does not occur later on the other side has extra elements.
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
  TAKT_ASSERT(differences.size() <= max);
  return differences;
}

#define TAKT_INSTANTIATE(Real)                                                                        \
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
