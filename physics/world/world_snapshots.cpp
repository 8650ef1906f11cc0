// Snapshots in memory: a copy of the state that steps change, and a reference to the rest.
#include "physics/state/packed_bodies.h"
#include "physics/state/packed_contacts.h"
#include "physics/world/world_impl.h"

namespace takt {

/// The parts of WorldState.
template <class Real>
struct WorldSnapshot<Real>::Impl {
  // A new part of WorldState that this list lacks fails to compile here.
  static_assert(sizeof(WorldState<Real>) == sizeof(TickState<Real>) + sizeof(ShapeState<Real>) +
                                                sizeof(typename PackedBodies<Real>::Pool) +
                                                sizeof(std::vector<ContactRecord<Real>>));

  TickState<Real> state;
  typename SharedShapes<Real>::Shared shapes;  ///< null in an empty one
  PackedBodies<Real> bodies;
  PackedContacts<Real> contacts;
};

template <class Real>
WorldSnapshot<Real>::WorldSnapshot() : impl_(std::make_unique<Impl>()) {}
template <class Real>
WorldSnapshot<Real>::WorldSnapshot(WorldSnapshot&&) noexcept = default;
template <class Real>
WorldSnapshot<Real>& WorldSnapshot<Real>::operator=(WorldSnapshot&&) noexcept = default;
template <class Real>
WorldSnapshot<Real>::~WorldSnapshot() = default;

template <class Real>
std::size_t WorldSnapshot<Real>::size_bytes() const noexcept {
  auto const list_bytes = [](const auto& list) { return list.size() * sizeof(list[0]); };
  auto const pool_bytes = [&](const auto& pool) { return list_bytes(pool.records) + list_bytes(pool.slots); };
  const TickState<Real>& state = impl_->state;
  return sizeof(Impl) + impl_->bodies.size_bytes() + pool_bytes(state.grabs) + pool_bytes(state.movers) +
         pool_bytes(state.ropes) + list_bytes(state.rope_nodes) + list_bytes(state.rope_pins) +
         pool_bytes(state.joints) + pool_bytes(state.joint_axes) + list_bytes(state.overlaps) +
         list_bytes(state.targets) + impl_->contacts.size_bytes();
}

template <class Real>
std::uint64_t WorldSnapshot<Real>::tick() const noexcept {
  return impl_->state.tick;
}

template <class Real>
void World<Real>::capture(Snapshot& out) const {
  typename Snapshot::Impl& to = *out.impl_;
  to.state = impl_->state;  // NOLINT(cppcoreguidelines-slicing): a snapshot keeps what steps change
  to.shapes = impl_->shared_shapes.acquire(impl_->state);
  to.bodies.pack(impl_->state.bodies, impl_->body_setups);
  if (impl_->has_packed) {
    to.contacts.copy(impl_->packed_contacts);
  } else {
    to.contacts.pack(impl_->state.contacts);
  }
}

template <class Real>
void World<Real>::rollback(const Snapshot& from) {
  TAKT_ASSERT(fits(from));
  static_cast<TickState<Real>&>(impl_->state) = from.impl_->state;
  impl_->shared_shapes.take_back(from.impl_->shapes, impl_->state);
  from.impl_->bodies.unpack(impl_->state.bodies);
  // A world that steps in shared scratch memory keeps its contacts packed: its next step unpacks them there.
  impl_->has_packed = impl_->own_pipeline == nullptr;
  if (impl_->has_packed) {
    impl_->state.contacts.clear();
    impl_->packed_contacts.copy(from.impl_->contacts);
  } else {
    from.impl_->contacts.unpack(impl_->state.contacts);
  }
  impl_->persistent.mark_stale();
}

template <class Real>
bool World<Real>::fits(const Snapshot& snapshot) const noexcept {
  return snapshot.impl_->shapes != nullptr && snapshot.impl_->state.def == impl_->state.def;
}

template class WorldSnapshot<float>;
template class WorldSnapshot<Fixed>;
#define TAKT_INSTANTIATE(Real)                             \
  template void World<Real>::capture(Snapshot& out) const; \
  template void World<Real>::rollback(const Snapshot&);    \
  template bool World<Real>::fits(const Snapshot&) const noexcept;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
