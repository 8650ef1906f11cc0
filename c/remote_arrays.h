// RemoteArrays has the arrays of a world or batch of a service: the columns of the last observation. It keeps
// the promises of StateArrays: an array exists from its first use on, shared memory outlives its world, and
// an array of another length is new memory. RemoteArrays sends nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "c/state_arrays.h"

namespace takt::service::wire {
struct Observation;
}  // namespace takt::service::wire

namespace takt::c {

class RemoteArrays {
 public:
  /// `world_axis` is true for a batch of `worlds`.
  RemoteArrays(std::uint32_t worlds, bool world_axis) : worlds_(worlds), world_axis_(world_axis) {}

  /// Columns to observe: bit 1 << TAKT_POSITIONS and so on.
  [[nodiscard]] std::uint32_t columns() const noexcept { return columns_; }
  void want(std::uint32_t field) noexcept { columns_ |= 1u << field; }
  /// Stores an observation. False when it has other columns or sizes than those wanted.
  [[nodiscard]] bool apply(const service::wire::Observation* observation);
  [[nodiscard]] takt_view view(std::uint32_t field) const noexcept {
    return describe_array(field, rows_, worlds_, world_axis_, fields_[field].memory.get());
  }
  [[nodiscard]] const ArrayMemory& memory(std::uint32_t field) const noexcept {
    return fields_[field].memory;
  }

 private:
  struct Field {
    ArrayMemory memory;
    std::size_t rows = 0;
  };
  std::array<Field, kFieldCount> fields_{};
  std::uint32_t columns_ = 0;
  std::uint32_t worlds_;
  std::size_t rows_ = 0;
  bool world_axis_;
};

}  // namespace takt::c
