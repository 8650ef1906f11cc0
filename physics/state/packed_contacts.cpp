#include "physics/state/packed_contacts.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr std::size_t kMaxPoints = 4;  ///< contact points of a ContactRecord

/// Default record: parts equal to it are omitted. It has the first generation of both shapes, no rotation of
/// the first body, and zeros.
template <class Real>
constexpr ContactRecord<Real> usual_record() noexcept {
  ContactRecord<Real> record;
  record.generation_a = 1;
  record.generation_b = 1;
  return record;
}
template <class Real>
constexpr ContactRecord<Real> kUsual = usual_record<Real>();

// Header of a packed record: point count - 1 in the two lowest bits, the touching flag, and a bit for each
// optional part that is present.
using Marks = std::uint16_t;
constexpr Marks kPointBits = 3;
constexpr Marks kTouching = 1u << 2u;
constexpr Marks kAlways = 0;  ///< a part that is never omitted
enum Part : Marks {
  kIdentity = 1u << 3u,
  kFeatures = 1u << 4u,
  kImpulses = 1u << 5u,
  kFriction = 1u << 6u,
  kTwist = 1u << 7u,
  kRolling = 1u << 8u,
  kAnchorOffset = 1u << 9u,
  kTwistOffset = 1u << 10u,
  kRotationA = 1u << 11u,
};

template <class Real>
struct Layout {
  using Record = ContactRecord<Real>;
  using Geometry = ContactGeometry<Real>;
  static_assert(std::is_standard_layout_v<Record> && std::is_trivially_copyable_v<Record>);
  static constexpr std::size_t kVector = sizeof(Vec3<Real>);
  static constexpr std::size_t kQuat = sizeof(Quat<Real>);
  static constexpr std::size_t kGeometry = offsetof(Record, geometry);
  static constexpr std::size_t kChild = offsetof(Record, child);
  static constexpr std::size_t kIdentityBytes =
      offsetof(Record, point_count) - kChild;  ///< child and both generations

  /// Calls part.operator()<mark, offset in the record, bytes, bytes of unused entries behind them>() for all
  /// parts of a record with kPoints points, in order. Compile-time sizes become a few moves each.
  template <std::size_t kPoints, class EachPart>
  static void each_part(const EachPart& part) {
    constexpr std::size_t kRest = kMaxPoints - kPoints;
    part.template operator()<kAlways, offsetof(Record, key), sizeof(std::uint64_t), 0>();
    part.template operator()<kIdentity, kChild, kIdentityBytes, 0>();
    part.template operator()<kFeatures, offsetof(Record, features), kPoints * sizeof(std::uint32_t),
                             kRest * sizeof(std::uint32_t)>();
    part.template
    operator()<kImpulses, offsetof(Record, normal_impulses), kPoints * sizeof(Real), kRest * sizeof(Real)>();
    part.template operator()<kFriction, offsetof(Record, friction_impulse), kVector, 0>();
    part.template operator()<kTwist, offsetof(Record, twist_impulse), sizeof(Real), 0>();
    part.template operator()<kRolling, offsetof(Record, rolling_impulse), kVector, 0>();
    part.template operator()<kAnchorOffset, offsetof(Record, anchor_offset), kVector, 0>();
    part.template operator()<kTwistOffset, offsetof(Record, twist_offset), sizeof(Real), 0>();
    part.template operator()<kAlways, kGeometry + offsetof(Geometry, normal), kVector, 0>();
    part.template
    operator()<kAlways, kGeometry + offsetof(Geometry, positions), kPoints * kVector, kRest * kVector>();
    part.template operator()<kAlways, kGeometry + offsetof(Geometry, separations), kPoints * sizeof(Real),
                             kRest * sizeof(Real)>();
    part.template operator()<kAlways, kGeometry + offsetof(Geometry, delta_center), kVector, 0>();
    part.template operator()<kRotationA, kGeometry + offsetof(Geometry, rotation_a), kQuat, 0>();
    part.template operator()<kAlways, kGeometry + offsetof(Geometry, rotation_b), kQuat, 0>();
  }
};

template <class Real, class EachPart>
void each_part(std::size_t points, const EachPart& part) {
  switch (points) {
    case 1: return Layout<Real>::template each_part<1>(part);
    case 2: return Layout<Real>::template each_part<2>(part);
    case 3: return Layout<Real>::template each_part<3>(part);
    default: return Layout<Real>::template each_part<4>(part);
  }
}

/// Maximum size of one packed record. An omitted part is also written and read, beyond the used bytes.
template <class Real>
constexpr std::size_t kMaxBytes = sizeof(Marks) + sizeof(ContactRecord<Real>);

}  // namespace

template <class Real>
void PackedContacts<Real>::grow(std::size_t used, std::size_t min) {
  TAKT_ASSERT(used <= capacity_ && min > capacity_);
  std::size_t const grown = std::max(min, used + used / 8);
  auto memory = std::make_unique_for_overwrite<std::byte[]>(grown);
  if (used != 0) std::memcpy(memory.get(), memory_.get(), used);
  memory_ = std::move(memory);
  capacity_ = grown;
}

template <class Real>
void PackedContacts<Real>::pack(std::span<const ContactRecord<Real>> contacts) {
  auto const* const usual = reinterpret_cast<const std::byte*>(&kUsual<Real>);
  count_ = contacts.size();
  std::size_t used = 0;
  for (const ContactRecord<Real>& contact : contacts) {
    TAKT_ASSERT(contact.point_count >= 1 && contact.point_count <= kMaxPoints);
    TAKT_VALIDATE(unused_points_are_zero(contact));
    if (capacity_ - used < kMaxBytes<Real>) grow(used, used + kMaxBytes<Real>);
    std::byte* const head = memory_.get() + used;
    std::byte* to = head + sizeof(Marks);
    auto const* const from = reinterpret_cast<const std::byte*>(&contact);
    auto marks = static_cast<Marks>((contact.point_count - 1) | (contact.touching ? kTouching : 0u));
    each_part<Real>(contact.point_count,
                    [&]<Marks kMark, std::size_t kOffset, std::size_t kBytes, std::size_t kRestBytes>() {
                      std::memcpy(to, from + kOffset, kBytes);
                      if constexpr (kMark == kAlways) {
                        to += kBytes;
                      } else {
                        bool const there = std::memcmp(from + kOffset, usual + kOffset, kBytes) !=
                                           0;  // compares bits: a negative zero must be restored too
                        marks = static_cast<Marks>(marks | (there ? kMark : 0u));
                        to += there ? kBytes : 0;
                      }
                    });
    std::memcpy(head, &marks, sizeof marks);
    used = static_cast<std::size_t>(to - memory_.get());
  }
  TAKT_ASSERT(used <= capacity_);
  size_bytes_ = used;
}

template <class Real>
void PackedContacts<Real>::copy(const PackedContacts& from) {
  if (this == &from) return;
  if (capacity_ < from.size_bytes_) grow(0, from.capacity_);
  if (from.size_bytes_ != 0) std::memcpy(memory_.get(), from.memory_.get(), from.size_bytes_);
  count_ = from.count_;
  size_bytes_ = from.size_bytes_;
}

template <class Real>
void PackedContacts<Real>::unpack(std::vector<ContactRecord<Real>>& contacts) const {
  auto const* const usual = reinterpret_cast<const std::byte*>(&kUsual<Real>);
  contacts.resize(count_);
  const std::byte* from = memory_.get();
  for (ContactRecord<Real>& contact : contacts) {
    TAKT_VALIDATE(from < memory_.get() + size_bytes_);
    Marks marks = 0;
    std::memcpy(&marks, from, sizeof marks);
    from += sizeof marks;
    contact.point_count = (marks & kPointBits) + 1u;
    contact.touching = (marks & kTouching) != 0;
    auto* const to = reinterpret_cast<std::byte*>(&contact);
    each_part<Real>(contact.point_count,
                    [&]<Marks kMark, std::size_t kOffset, std::size_t kBytes, std::size_t kRestBytes>() {
                      bool const there = kMark == kAlways || (marks & kMark) != 0;
                      std::memcpy(to + kOffset, there ? from : usual + kOffset, kBytes);
                      if constexpr (kRestBytes != 0) std::memset(to + kOffset + kBytes, 0, kRestBytes);
                      from += there ? kBytes : 0;
                    });
  }
  TAKT_ASSERT(from == memory_.get() + size_bytes_);
}

template <class Real>
bool unused_points_are_zero(const ContactRecord<Real>& contact) noexcept {
  static constexpr std::byte kZero[kMaxPoints * sizeof(Vec3<Real>)] = {};
  auto const clean = [&contact](const auto& entries) {
    std::size_t const bytes = (kMaxPoints - contact.point_count) * sizeof(entries[0]);
    return std::memcmp(entries.data() + contact.point_count, kZero, bytes) ==
           0;  // compares bits: a negative zero must be restored too
  };
  const ContactGeometry<Real>& geometry = contact.geometry;
  return clean(contact.features) && clean(contact.normal_impulses) && clean(geometry.positions) &&
         clean(geometry.separations);
}

#define TAKT_INSTANTIATE(Real)         \
  template class PackedContacts<Real>; \
  template bool unused_points_are_zero(const ContactRecord<Real>&) noexcept;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
