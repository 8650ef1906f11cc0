#include "physics/state/world_image.h"

#include <algorithm>
#include <array>

#include "physics/state/encode_visitor.h"
#include "physics/state/field_visitor.h"
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
void list_fields(const WorldState<Real>& state, FieldSink& sink) {
  FieldVisitor visitor(sink);
  visit_state(visitor, state);
}

template <class Real>
std::vector<StateDifference> diff_states(const WorldState<Real>& left, const WorldState<Real>& right,
                                         std::size_t max) {
  return compare_records([&](FieldSink& sink) { list_fields(left, sink); },
                         [&](FieldSink& sink) { list_fields(right, sink); }, max);
}

#define TAKT_INSTANTIATE(Real)                                                                        \
  template std::size_t encoded_size(const WorldState<Real>&);                                         \
  template void encode_state(const WorldState<Real>&, std::vector<std::byte>&);                       \
  template std::vector<std::byte> save_image(const WorldState<Real>&);                                \
  template Result<WorldState<Real>, PhysicsError> load_image<Real>(std::span<const std::byte>);       \
  template void list_fields(const WorldState<Real>&, FieldSink&);                                     \
  template std::vector<StateDifference> diff_states(const WorldState<Real>&, const WorldState<Real>&, \
                                                    std::size_t);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
