#include "physics/packed_contacts.h"

#include <cstring>
#include <type_traits>

#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr std::size_t kPlaces = 4;

/// Where the arrays by point stand in a record, and so what lies before, between and after them.
template <class Real>
struct Layout {
  using Record = ContactRecord<Real>;
  static_assert(std::is_standard_layout_v<Record> && std::is_trivially_copyable_v<Record>);
  static constexpr std::size_t kGeometry = offsetof(Record, geometry);
  static constexpr std::size_t kFeatures = offsetof(Record, features);
  static constexpr std::size_t kImpulses = offsetof(Record, normal_impulses);
  static constexpr std::size_t kMiddle = offsetof(Record, friction_impulse);
  static constexpr std::size_t kPositions = kGeometry + offsetof(ContactGeometry<Real>, positions);
  static constexpr std::size_t kSeparations = kGeometry + offsetof(ContactGeometry<Real>, separations);
  static constexpr std::size_t kTail = kGeometry + offsetof(ContactGeometry<Real>, between);
  // A field that is put between two arrays would be lost: this says so. (Fixed's are aligned to 8 bytes, as is what follows the features.)
  static_assert(kFeatures + kPlaces * sizeof(std::uint32_t) <= kImpulses && kImpulses < kFeatures + kPlaces * sizeof(std::uint32_t) + alignof(Real));
  static_assert(kImpulses + kPlaces * sizeof(Real) == kMiddle);
  static_assert(kPositions + kPlaces * sizeof(Vec3<Real>) == kSeparations);
  static_assert(kSeparations + kPlaces * sizeof(Real) == kTail);

  static constexpr std::size_t kWhole = kFeatures + (kPositions - kMiddle) + (sizeof(Record) - kTail);  ///< bytes that every record has
  static constexpr std::size_t kPoint = sizeof(std::uint32_t) + sizeof(Real) + sizeof(Vec3<Real>) + sizeof(Real);

  /// Calls part.operator()<offset in the record, bytes>() for all that a record of so many points has, in order: sizes that the compiler knows are a few moves each.
  template <std::size_t kPoints, class Part>
  static void each_part(const Part& part) {
    part.template operator()<0, kFeatures>();
    part.template operator()<kFeatures, kPoints * sizeof(std::uint32_t)>();
    part.template operator()<kImpulses, kPoints * sizeof(Real)>();
    part.template operator()<kMiddle, kPositions - kMiddle>();
    part.template operator()<kPositions, kPoints * sizeof(Vec3<Real>)>();
    part.template operator()<kSeparations, kPoints * sizeof(Real)>();
    part.template operator()<kTail, sizeof(Record) - kTail>();
  }
};

template <class Real, class Part>
void each_part(std::uint32_t points, const Part& part) {
  switch (points) {
    case 1: return Layout<Real>::template each_part<1>(part);
    case 2: return Layout<Real>::template each_part<2>(part);
    case 3: return Layout<Real>::template each_part<3>(part);
    default: return Layout<Real>::template each_part<4>(part);
  }
}

}  // namespace

template <class Real>
void PackedContacts<Real>::pack(std::span<const ContactRecord<Real>> contacts) {
  std::size_t points = 0;
  for (const ContactRecord<Real>& contact : contacts) {
    TAKT_ASSERT(contact.point_count >= 1 && contact.point_count <= kPlaces);
    TAKT_VALIDATE(has_clean_places(contact));
    points += contact.point_count;
  }
  count_ = contacts.size();
  size_bytes_ = count_ * Layout<Real>::kWhole + points * Layout<Real>::kPoint;
  std::byte* to = memory_.reserve(size_bytes_);
  packed_ = to;
  for (const ContactRecord<Real>& contact : contacts) {
    auto const* const from = reinterpret_cast<const std::byte*>(&contact);
    each_part<Real>(contact.point_count, [&]<std::size_t kOffset, std::size_t kBytes>() {
      std::memcpy(to, from + kOffset, kBytes);
      to += kBytes;
    });
  }
}

template <class Real>
void PackedContacts<Real>::unpack(std::vector<ContactRecord<Real>>& contacts) const {
  contacts.resize(count_);
  const std::byte* from = packed_;
  for (ContactRecord<Real>& contact : contacts) {
    std::uint32_t points = 0;
    std::memcpy(&points, from + offsetof(ContactRecord<Real>, point_count), sizeof points);
    contact = {};
    auto* const to = reinterpret_cast<std::byte*>(&contact);
    each_part<Real>(points, [&]<std::size_t kOffset, std::size_t kBytes>() {
      std::memcpy(to + kOffset, from, kBytes);
      from += kBytes;
    });
  }
}

template <class Real>
bool has_clean_places(const ContactRecord<Real>& contact) noexcept {
  static constexpr std::byte kZero[kPlaces * sizeof(Vec3<Real>)] = {};
  auto const clean = [&contact](const auto& places) {
    std::size_t const bytes = (kPlaces - contact.point_count) * sizeof(places[0]);
    return std::memcmp(places.data() + contact.point_count, kZero, bytes) == 0;  // bits: a negative zero would not come back
  };
  const ContactGeometry<Real>& geometry = contact.geometry;
  return clean(contact.features) && clean(contact.normal_impulses) && clean(geometry.positions) && clean(geometry.separations);
}

#define TAKT_INSTANTIATE(Real)         \
  template class PackedContacts<Real>; \
  template bool has_clean_places(const ContactRecord<Real>&) noexcept;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
