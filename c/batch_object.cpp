#include "c/batch_object.h"

#include <algorithm>
#include <utility>

namespace takt::c {

BatchObject::BatchObject(std::unique_ptr<WorldObject> first, std::uint32_t world_count,
                         std::shared_ptr<ThreadPool> pool)
    : pool_(std::move(pool)),
      scratch_(pool_ != nullptr ? pool_->worker_count() : 1),
      fits_(world_count, 1),
      arrays_(world_count, true) {
  worlds_.reserve(world_count);
  worlds_.push_back(std::move(first));
  while (worlds_.size() < world_count) worlds_.push_back(worlds_.front()->fork());
}

void BatchObject::refresh_world(std::uint32_t index, BodyId body) {
  if (!arrays_.is_live()) return;
  sim::AnyWorld const& world = worlds_[index]->world();
  if (body)
    arrays_.refresh_body(index, world, body);
  else if (!arrays_.refresh_world(index, world))
    rebuild();
}

StepRecord BatchObject::step(std::uint32_t ticks, const std::uint8_t* where, StopCheck* check) {
  // By world: whether its arrays fit, and above it the fate of its recording.
  constexpr std::uint8_t kFits = 1;
  std::ranges::fill(fits_, kFits);
  for_each(where, [&](std::size_t i, std::uint32_t worker) {
    WorldObject& world = *worlds_[i];
    if (check != nullptr && check->stops()) return;
    auto const record = static_cast<unsigned>(world.step(ticks, &scratch_[worker], check));
    world.refresh();
    bool const fits =
        !arrays_.is_live() || arrays_.refresh_world(static_cast<std::uint32_t>(i), world.world());
    fits_[i] = static_cast<std::uint8_t>((fits ? kFits : 0u) | record << 1);
  });
  if (std::ranges::any_of(fits_, [](std::uint8_t state) { return (state & kFits) == 0; })) rebuild();
  return static_cast<StepRecord>(std::ranges::max(fits_) >> 1);
}

}  // namespace takt::c
