// PackedContacts has contacts in packed form, which takes half of the memory for a settled pile. World uses
// it for the contacts of a snapshot (WorldSnapshot). A world that steps with a StepScratch also packs its own
// contacts between steps. A packed record omits unused points, which are always zero. Optional parts, such as
// impulses, are omitted when they equal usual_record() of packed_contacts.cpp. A new field of ContactRecord
// must be added to packed_contacts.cpp; a test fills and compares all visited fields.
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
  /// Replaces the packed contacts; memory is reused. Each contact has 1 to 4 points (asserted). Entries of
  /// unused points are zero.
  void pack(std::span<const ContactRecord<Real>> contacts);
  /// Becomes a copy of `from`; memory is reused.
  void copy(const PackedContacts& from);
  /// Restores the packed contacts, bit for bit.
  void unpack(std::vector<ContactRecord<Real>>& contacts) const;
  /// Bytes in use.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }

 private:
  void grow(std::size_t used, std::size_t min);

  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t count_ = 0;
  std::size_t size_bytes_ = 0;
};

/// True when entries beyond the record's points are zero. Every step guarantees that, and load_image()
/// refuses images of other states.
template <class Real>
[[nodiscard]] bool unused_points_are_zero(const ContactRecord<Real>& contact) noexcept;

}  // namespace takt
