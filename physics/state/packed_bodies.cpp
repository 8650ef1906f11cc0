#include "physics/state/packed_bodies.h"

#include <cstring>
#include <type_traits>

#include "takt/core/assert.h"

namespace takt {
namespace {

/// True when all fields that only calls change are equal, bit for bit. (Differing padding costs one extra
/// copy and nothing else.)
template <class Real>
bool has_setup(const BodyRecord<Real>& body, const BodyRecord<Real>& setup) noexcept {
  using Record = BodyRecord<Real>;
  static_assert(std::is_standard_layout_v<Record> && std::is_trivially_copyable_v<Record>);
  constexpr std::size_t kBegin = offsetof(Record, inverse_mass);
  constexpr std::size_t kEnd = offsetof(Record, type);
  auto const* const left = reinterpret_cast<const std::byte*>(&body);
  auto const* const right = reinterpret_cast<const std::byte*>(&setup);
  return std::memcmp(left + kBegin, right + kBegin, kEnd - kBegin) == 0 && body.type == setup.type &&
         body.enabled == setup.enabled && body.locked_axes == setup.locked_axes &&
         body.can_sleep == setup.can_sleep && body.bullet == setup.bullet;
}

template <class Pool>
bool has_indices(const Pool& bodies, const Pool& setups) noexcept {
  return bodies.slots.size() == setups.slots.size() && bodies.free_head == setups.free_head &&
         bodies.alive_count == setups.alive_count &&
         (bodies.slots.empty() ||
          std::memcmp(bodies.slots.data(), setups.slots.data(), bodies.slots.size() * sizeof(Slot)) == 0);
}

/// Compares bits, because a negative zero must be restored too.
template <class Real>
bool is_pushed(const BodyMotion<Real>& motion) noexcept {
  static constexpr Vec3<Real> kNone{};
  // NOLINTBEGIN(bugprone-suspicious-memory-comparison): Vec3 has no padding.
  return std::memcmp(&motion.force, &kNone, sizeof kNone) != 0 ||
         std::memcmp(&motion.torque, &kNone, sizeof kNone) != 0;
  // NOLINTEND(bugprone-suspicious-memory-comparison)
}

}  // namespace

template <class Real>
void PackedBodies<Real>::pack(const Pool& bodies, Setups& setups) {
  TAKT_ASSERT(bodies.records.size() == bodies.slots.size());
  bool has_setups = setups != nullptr && has_indices(bodies, *setups);
  moving_.resize(bodies.records.size());
  pushed_.clear();
  for (std::uint32_t i = 0; i < bodies.capacity(); ++i) {
    const BodyRecord<Real>& body = bodies[i];
    const BodyMotion<Real>& motion = body.motion;
    moving_[i] = {
        motion.center,    motion.rotation, motion.linear_velocity, motion.angular_velocity, body.still_ticks,
        body.quarantined, body.asleep,     body.modified};
    if (is_pushed(motion)) pushed_.push_back({i, motion.force, motion.torque});
    has_setups = has_setups && has_setup(body, (*setups)[i]);
  }
  if (!has_setups) setups = std::make_shared<const Pool>(bodies);
  setups_ = setups;
  TAKT_ASSERT(setups_->records.size() == moving_.size());
}

template <class Real>
void PackedBodies<Real>::unpack(Pool& bodies) const {
  TAKT_ASSERT(setups_ != nullptr && setups_->records.size() == moving_.size());
  bodies.slots = setups_->slots;
  bodies.free_head = setups_->free_head;
  bodies.alive_count = setups_->alive_count;
  bodies.records.resize(moving_.size());
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    const Moving& moving = moving_[i];
    BodyRecord<Real>& body = bodies.records[i];
    body = setups_->records[i];
    body.motion = {moving.center, moving.rotation, moving.linear_velocity, moving.angular_velocity, {}, {}};
    body.still_ticks = moving.still_ticks;
    body.quarantined = moving.quarantined;
    body.asleep = moving.asleep;
    body.modified = moving.modified;
  }
  for (const Pushed& pushed : pushed_) {
    TAKT_ASSERT(pushed.body < bodies.records.size());
    bodies.records[pushed.body].motion.force = pushed.force;
    bodies.records[pushed.body].motion.torque = pushed.torque;
  }
}

template class PackedBodies<float>;
template class PackedBodies<Fixed>;

}  // namespace takt
