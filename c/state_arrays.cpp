#include "c/state_arrays.h"

#include <algorithm>
#include <cstring>

namespace takt::c {
namespace {

struct FieldLayout {
  std::uint32_t type;
  std::uint32_t columns;
  std::uint32_t item_bytes;
  [[nodiscard]] constexpr std::size_t row_bytes() const noexcept { return std::size_t{columns} * item_bytes; }
};

constexpr std::array<FieldLayout, kFieldCount> kLayouts{{
    {TAKT_TYPE_U64, 1, 8},
    {TAKT_TYPE_F64, 3, 8},
    {TAKT_TYPE_I64, 3, 8},
    {TAKT_TYPE_F64, 4, 8},
    {TAKT_TYPE_F64, 3, 8},
    {TAKT_TYPE_F64, 3, 8},
    {TAKT_TYPE_U8, 1, 1},
}};

double wide(float value) noexcept { return static_cast<double>(value); }
double wide(double value) noexcept { return value; }
double wide(Fixed value) noexcept { return value.to_double(); }

template <class T>
void put(std::byte*& out, T value) noexcept {
  std::memcpy(out, &value, sizeof value);
  out += sizeof value;
}

template <class Real>
void put(std::byte*& out, const Vec3<Real>& v) noexcept {
  put(out, wide(v.x));
  put(out, wide(v.y));
  put(out, wide(v.z));
}

template <class Real>
std::uint8_t flags_of(const World<Real>& world, BodyId id) {
  unsigned bits = static_cast<unsigned>(world.body_type(id)) << 4u;
  if (world.is_asleep(id)) bits |= TAKT_FLAG_ASLEEP;
  if (!world.is_enabled(id)) bits |= TAKT_FLAG_DISABLED;
  if (world.is_quarantined(id)) bits |= TAKT_FLAG_QUARANTINED;
  return static_cast<std::uint8_t>(bits);
}

template <class Real>
void put_rows(std::uint32_t field, const World<Real>& world, std::span<const BodyId> ids, std::byte* out) {
  switch (field) {
    case TAKT_BODY_IDS:
      for (BodyId const id : ids) put(out, id.to_u64());
      break;
    case TAKT_POSITIONS:
      for (BodyId const id : ids) put(out, world.pose(id).position.to_metres());
      break;
    case TAKT_POSITIONS_RAW:
      for (BodyId const id : ids) {
        Position const position = world.pose(id).position;
        put(out, position.x_raw);
        put(out, position.y_raw);
        put(out, position.z_raw);
      }
      break;
    case TAKT_ROTATIONS:
      for (BodyId const id : ids) {
        Quat<Real> const rotation = world.pose(id).rotation;
        put(out, wide(rotation.x));
        put(out, wide(rotation.y));
        put(out, wide(rotation.z));
        put(out, wide(rotation.w));
      }
      break;
    case TAKT_LINEAR_VELOCITIES:
      for (BodyId const id : ids) put(out, world.linear_velocity(id));
      break;
    case TAKT_ANGULAR_VELOCITIES:
      for (BodyId const id : ids) put(out, world.angular_velocity(id));
      break;
    default:
      for (BodyId const id : ids) put(out, flags_of(world, id));
      break;
  }
}

void put_rows(std::uint32_t field, const sim::AnyWorld& world, std::span<const BodyId> ids, std::byte* out) {
  world.visit([&](const auto& w) { put_rows(field, w, ids, out); });
}

}  // namespace

std::byte* StateArrays::start(std::uint32_t field, std::uint32_t world) const noexcept {
  auto* const data = reinterpret_cast<std::byte*>(fields_[field].memory.get());
  return data + std::size_t{world} * fields_[field].rows * kLayouts[field].row_bytes();
}

void StateArrays::allocate(std::uint32_t field) {
  Field& array = fields_[field];
  std::size_t const bytes = ids_.size() * rows_ * kLayouts[field].row_bytes();
  bool const is_held = array.memory && array.memory.use_count() > 1;
  bool const has_room = array.memory && bytes <= array.capacity_bytes;
  if (array.memory && array.rows == rows_) return;
  if (is_held || !has_room) {
    std::size_t const words = bytes / sizeof(std::uint64_t) + 1;  // a pointer for zero rows, too
    array.memory = std::make_shared<std::uint64_t[]>(words);
    array.capacity_bytes = words * sizeof(std::uint64_t);
  }
  array.rows = rows_;
}

void StateArrays::fill(std::uint32_t field, std::uint32_t world, const sim::AnyWorld& from) {
  std::span<const BodyId> const ids = ids_[world];
  std::byte* const out = start(field, world);
  put_rows(field, from, ids, out);
  std::size_t const row_bytes = kLayouts[field].row_bytes();
  std::memset(out + ids.size() * row_bytes, 0, (fields_[field].rows - ids.size()) * row_bytes);
}

bool StateArrays::refresh_world(std::uint32_t world, const sim::AnyWorld& from) {
  from.list_bodies(ids_[world]);
  std::size_t const rows = ids_[world].size();
  if (rows > rows_ || (ids_.size() == 1 && rows != rows_)) return false;
  for (std::uint32_t field = 0; field < kFieldCount; ++field) {
    if (fields_[field].memory) fill(field, world, from);
  }
  return true;
}

void StateArrays::refresh_body(std::uint32_t world, const sim::AnyWorld& from, BodyId body) {
  if (!is_live()) return;
  auto const at = std::ranges::lower_bound(ids_[world], body);
  if (at == ids_[world].end() || *at != body) return;
  auto const row = static_cast<std::size_t>(at - ids_[world].begin());
  for (std::uint32_t field = 0; field < kFieldCount; ++field) {
    if (!fields_[field].memory) continue;
    if (field == TAKT_BODY_FLAGS)
      fill(field, world, from);
    else
      put_rows(field, from, {&*at, 1}, start(field, world) + row * kLayouts[field].row_bytes());
  }
}

std::size_t row_bytes(std::uint32_t field) noexcept { return kLayouts[field].row_bytes(); }

takt_view describe_array(std::uint32_t field, std::size_t rows, std::size_t worlds, bool world_axis,
                         const void* data) noexcept {
  FieldLayout const& layout = kLayouts[field];
  takt_view view{};
  view.type = layout.type;
  view.data = data;
  std::uint32_t axes = 0;
  auto const add = [&](std::size_t length, std::size_t stride) {
    view.shape[axes] = length;
    view.strides[axes] = static_cast<std::int64_t>(stride);
    ++axes;
  };
  if (world_axis) add(worlds, rows * layout.row_bytes());
  add(rows, layout.row_bytes());
  if (layout.columns > 1) add(layout.columns, layout.item_bytes);
  view.dimensions = axes;
  return view;
}

}  // namespace takt::c
