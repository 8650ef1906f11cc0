// Contacts as snapshots keep them: each record whole but for the places of points that it does not have, which are zero. Most contacts have one point of four, so this is two
// thirds of the memory, and what is not written need not be read. It names no field but the four arrays by point: whatever else a record comes to hold goes along.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "physics/aligned_buffer.h"
#include "physics/world_state.h"

namespace takt {

template <class Real>
class PackedContacts {
 public:
  /// Replaces what was packed; memory is reused.
  void pack(std::span<const ContactRecord<Real>> contacts);
  /// Exactly what was packed, bit for bit.
  void unpack(std::vector<ContactRecord<Real>>& contacts) const;
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }

 private:
  AlignedBuffer memory_;
  const std::byte* packed_ = nullptr;
  std::size_t count_ = 0;
  std::size_t size_bytes_ = 0;
};

/// Whether places past the record's points are zero, as every step leaves them; images that say otherwise are refused.
template <class Real>
[[nodiscard]] bool has_clean_places(const ContactRecord<Real>& contact) noexcept;

}  // namespace takt
