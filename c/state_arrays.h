// StateArrays has the arrays of takt_world_array and takt_batch_array: rows of the bodies of one world, or of
// n worlds with equal room. An array exists from its first view() on, and refresh calls keep it equal to the
// worlds. Memory is shared with holders, so it outlives the worlds. StateArrays reads worlds and never
// changes them. A refresh allocates only when the number of rows has changed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "c/handle_table.h"
#include "takt/c/takt.h"
#include "takt/sim/any_world.h"

namespace takt::c {

inline constexpr std::uint32_t kFieldCount = TAKT_BODY_FLAGS + 1;

/// Memory of an array, aligned to 8 bytes.
using ArrayMemory = std::shared_ptr<std::uint64_t[]>;

/// The object of takt_array.
struct HeldArray {
  static constexpr HandleKind kKind = HandleKind::kArray;
  static constexpr std::string_view kName = "array";
  ArrayMemory memory;
};

/// Bytes of one row of an array.
[[nodiscard]] std::size_t row_bytes(std::uint32_t field) noexcept;
/// Describes an array without gaps: `worlds` x `rows` rows with `world_axis`, else `rows`.
[[nodiscard]] takt_view describe_array(std::uint32_t field, std::size_t rows, std::size_t worlds,
                                       bool world_axis, const void* data) noexcept;

class StateArrays {
 public:
  /// `world_axis` is true for a batch, whose arrays have a first axis of `world_count`.
  explicit StateArrays(std::uint32_t world_count, bool world_axis)
      : ids_(world_count), world_axis_(world_axis) {}

  /// Describes an array and makes it if it is new. `world_at(i)` returns the i-th AnyWorld. `field` is below
  /// kFieldCount.
  template <class WorldAt>
  [[nodiscard]] takt_view view(std::uint32_t field, const WorldAt& world_at) {
    if (is_stale_) rebuild(world_at);
    if (!fields_[field].memory) {
      if (!is_live()) list(world_at);
      allocate(field);
      for (std::uint32_t i = 0; i < ids_.size(); ++i) fill(field, i, world_at(i));
    }
    return describe_array(field, fields_[field].rows, ids_.size(), world_axis_, fields_[field].memory.get());
  }
  [[nodiscard]] const ArrayMemory& memory(std::uint32_t field) const noexcept {
    return fields_[field].memory;
  }

  /// True after the first view().
  [[nodiscard]] bool is_live() const noexcept { return is_live_; }
  /// Makes all arrays equal to the worlds again.
  template <class WorldAt>
  void refresh(const WorldAt& world_at) {
    if (!is_live()) return;
    bool fits = true;
    for (std::uint32_t i = 0; i < ids_.size(); ++i) fits = refresh_world(i, world_at(i)) && fits;
    if (!fits) rebuild(world_at);
  }
  /// Refreshes the rows of one world; false when it no longer fits, and rebuild() must follow. Threads may
  /// refresh different worlds at the same time.
  [[nodiscard]] bool refresh_world(std::uint32_t world, const sim::AnyWorld& from);
  /// Refreshes the row of one body, and the flags of all: an edit may wake others. The bodies must be those
  /// of the last refresh.
  void refresh_body(std::uint32_t world, const sim::AnyWorld& from, BodyId body);
  /// Makes new memory where the number of rows has changed. Held memory keeps its values.
  template <class WorldAt>
  void rebuild(const WorldAt& world_at) {
    is_stale_ = true;  // until the end: an allocation may throw
    list(world_at);
    for (std::uint32_t field = 0; field < kFieldCount; ++field) {
      if (!fields_[field].memory) continue;
      allocate(field);
      for (std::uint32_t i = 0; i < ids_.size(); ++i) fill(field, i, world_at(i));
    }
    is_stale_ = false;
  }

 private:
  struct Field {
    ArrayMemory memory;
    std::size_t capacity_bytes = 0;
    std::uint32_t rows = 0;
  };

  template <class WorldAt>
  void list(const WorldAt& world_at) {
    std::size_t rows = 0;
    for (std::uint32_t i = 0; i < ids_.size(); ++i) {
      world_at(i).list_bodies(ids_[i]);
      rows = std::max(rows, ids_[i].size());
    }
    rows_ = static_cast<std::uint32_t>(rows);
    is_live_ = true;
  }
  void allocate(std::uint32_t field);
  void fill(std::uint32_t field, std::uint32_t world, const sim::AnyWorld& from);
  [[nodiscard]] std::byte* start(std::uint32_t field, std::uint32_t world) const noexcept;

  std::array<Field, kFieldCount> fields_{};
  std::vector<std::vector<BodyId>> ids_;  // of each world, in id order
  std::uint32_t rows_ = 0;                // of the largest world
  bool world_axis_;
  bool is_live_ = false;
  bool is_stale_ = false;
};

}  // namespace takt::c
