// World::step: selects the scratch memory and runs one tick.
#include <atomic>
#include <cstdint>
#include <optional>

#include "physics/world/world_impl.h"
#include "takt/physics/float_control.h"

namespace takt {

struct StepScratch::Impl {
  template <class Real>
  struct Of {
    StepPipeline<Real> pipeline;
    std::vector<ContactRecord<Real>> contacts;  ///< of the stepping world
  };
  std::optional<Of<float>> for_float;
  std::optional<Of<Fixed>> for_fixed;
  std::atomic<std::uint32_t> busy{0};  // a word: some processors cannot exchange a byte

  [[nodiscard]] std::optional<Of<float>>& of(const WorldState<float>&) noexcept { return for_float; }
  [[nodiscard]] std::optional<Of<Fixed>>& of(const WorldState<Fixed>&) noexcept { return for_fixed; }

  /// One step with the memory. A step that throws, out of memory, leaves it half made: it is given up, and
  /// the next step makes it anew.
  template <class Real>
  class Use {
   public:
    Use(Impl& shared, const WorldState<Real>& state) : shared_(shared), memory_(shared.of(state)) {
      std::uint32_t const was_busy = shared_.busy.exchange(1, std::memory_order_acquire);
      TAKT_ASSERT(was_busy == 0);  // another thread is stepping in this scratch
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() {
      if (!is_whole_) memory_.reset();
      shared_.busy.store(0, std::memory_order_release);
    }
    [[nodiscard]] Of<Real>& memory() {
      if (!memory_) memory_.emplace();
      return *memory_;
    }
    void set_whole() noexcept { is_whole_ = true; }

   private:
    Impl& shared_;
    std::optional<Of<Real>>& memory_;
    bool is_whole_ = false;
  };
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
  StepScratch::Impl::Use<Real> use(*options.scratch->impl_, impl_->state);
  auto& scratch = use.memory();
  bool const works = !impl_->persistent.all_asleep;
  if (works) impl_->unpack_contacts(scratch.contacts);
  StepStatus const status = scratch.pipeline.step(impl_->state, impl_->persistent, impl_->events, options);
  if (works) impl_->pack_contacts(scratch.contacts);
  use.set_whole();
  return status;
}

template StepStatus World<float>::step(const StepOptions&);
template StepStatus World<Fixed>::step(const StepOptions&);

}  // namespace takt
