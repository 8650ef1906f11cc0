// World::step: selects the scratch memory and runs one tick.
#include <atomic>
#include <cstdint>

#include "physics/world/world_impl.h"
#include "takt/physics/float_control.h"

namespace takt {

struct StepScratch::Impl {
  template <class Real>
  struct Of {
    StepPipeline<Real> pipeline;
    std::vector<ContactRecord<Real>> contacts;  ///< of the stepping world
  };
  Of<float> for_float;
  Of<Fixed> for_fixed;
  std::atomic<std::uint32_t> busy{0};  // a word: some processors cannot exchange a byte

  [[nodiscard]] Of<float>& of(const WorldState<float>&) noexcept { return for_float; }
  [[nodiscard]] Of<Fixed>& of(const WorldState<Fixed>&) noexcept { return for_fixed; }
};

StepScratch::StepScratch() : impl_(std::make_unique<Impl>()) {}
StepScratch::StepScratch(StepScratch&&) noexcept = default;
StepScratch& StepScratch::operator=(StepScratch&&) noexcept = default;
StepScratch::~StepScratch() = default;

template <class Real>
StepStatus World<Real>::step(const StepOptions& options) {
  FloatControlGuard const guard;
  if (options.scratch == nullptr) {
    if (impl_->own_pipeline == nullptr) impl_->own_pipeline = std::make_unique<StepPipeline<Real>>();
    return impl_->own_pipeline->step(impl_->unpacked(), impl_->persistent, impl_->events, options);
  }
  impl_->own_pipeline.reset();
  StepScratch::Impl& shared = *options.scratch->impl_;
  std::uint32_t const was_busy = shared.busy.exchange(1, std::memory_order_acquire);
  TAKT_ASSERT(was_busy == 0);  // another thread is stepping in this scratch
  auto& scratch = shared.of(impl_->state);
  bool const works = !impl_->persistent.all_asleep;
  if (works) impl_->unpack_contacts(scratch.contacts);
  StepStatus const status = scratch.pipeline.step(impl_->state, impl_->persistent, impl_->events, options);
  if (works) impl_->pack_contacts(scratch.contacts);
  shared.busy.store(0, std::memory_order_release);
  return status;
}

template StepStatus World<float>::step(const StepOptions&);
template StepStatus World<Fixed>::step(const StepOptions&);

}  // namespace takt
