// World::step: lends a step what it works in.
#include <atomic>
#include <cstdint>

#include "physics/world/world_impl.h"
#include "takt/physics/float_control.h"

namespace takt {

struct StepScratch::Impl {
  template <class Real>
  struct Of {
    DerivedState<Real> derived;
    std::vector<ContactRecord<Real>> contacts;  ///< of the world that steps
  };
  Of<float> for_float;
  Of<Fixed> for_fixed;
  std::atomic<std::uint32_t> busy{0};  // a word: some processors exchange no byte

  [[nodiscard]] Of<float>& of(const WorldState<float>&) noexcept { return for_float; }
  [[nodiscard]] Of<Fixed>& of(const WorldState<Fixed>&) noexcept { return for_fixed; }
};

StepScratch::StepScratch() : impl_(std::make_unique<Impl>()) {}
StepScratch::StepScratch(StepScratch&&) noexcept = default;
StepScratch& StepScratch::operator=(StepScratch&&) noexcept = default;
StepScratch::~StepScratch() = default;

namespace {

/// A step in `scratch`, which has the world's kept state for its length. (What a move leaves behind is not
/// looked at.)
template <class Real>
StepStatus step_in(DerivedState<Real>& scratch, PersistentState& persistent, WorldState<Real>& state,
                   StepEvents& events, const StepOptions& options) {
  static_cast<PersistentState&>(scratch) = std::move(persistent);
  StepStatus const status = step_world(state, scratch, events, options);
  persistent = std::move(static_cast<PersistentState&>(scratch));
  return status;
}

}  // namespace

template <class Real>
StepStatus World<Real>::step(const StepOptions& options) {
  FloatControlGuard const guard;
  WorldState<Real>& state = impl_->state;
  if (options.scratch == nullptr) {
    if (impl_->own_scratch == nullptr) impl_->own_scratch = std::make_unique<DerivedState<Real>>();
    return step_in(*impl_->own_scratch, impl_->derived, impl_->unpacked(), impl_->events, options);
  }
  impl_->own_scratch.reset();
  StepScratch::Impl& shared = *options.scratch->impl_;
  std::uint32_t const was_busy = shared.busy.exchange(1, std::memory_order_acquire);
  TAKT_ASSERT(was_busy == 0);  // another thread steps in it
  auto& scratch = shared.of(state);
  bool const works = !is_idle(impl_->derived);
  if (works) impl_->unpack_contacts(scratch.contacts);
  StepStatus const status = step_in(scratch.derived, impl_->derived, state, impl_->events, options);
  if (works) impl_->pack_contacts(scratch.contacts);
  shared.busy.store(0, std::memory_order_release);
  return status;
}

template StepStatus World<float>::step(const StepOptions&);
template StepStatus World<Fixed>::step(const StepOptions&);

}  // namespace takt
