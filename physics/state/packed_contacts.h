// Contacts as snapshots keep them: each record without the places of points that it does not have, which are
// zero, and without the parts that are as in most records: that of a settled pile takes half of its memory.
// Whoever adds a field to ContactRecord adds it to packed_contacts.cpp; a test fills and compares all that is
// visited.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "physics/state/world_state.h"

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
  void grow(std::size_t used, std::size_t min);

  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t count_ = 0;
  std::size_t size_bytes_ = 0;
};

/// Whether places past the record's points are zero, as every step leaves them; images that say otherwise are
/// refused.
template <class Real>
[[nodiscard]] bool has_clean_places(const ContactRecord<Real>& contact) noexcept;

}  // namespace takt
