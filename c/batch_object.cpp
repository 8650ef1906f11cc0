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

bool BatchObject::step(std::uint32_t ticks, const std::uint8_t* where, StopCheck* check) {
  constexpr std::uint8_t kFits = 1;
  constexpr std::uint8_t kHasWritten = 2;
  std::ranges::fill(fits_, static_cast<std::uint8_t>(kFits | kHasWritten));
  for_each(where, [&](std::size_t i, std::uint32_t worker) {
    WorldObject& world = *worlds_[i];
    if (check != nullptr && check->stops()) return;
    bool const has_written = world.step(ticks, &scratch_[worker], check);
    world.refresh();
    bool const fits =
        !arrays_.is_live() || arrays_.refresh_world(static_cast<std::uint32_t>(i), world.world());
    fits_[i] = static_cast<std::uint8_t>((fits ? kFits : 0u) | (has_written ? kHasWritten : 0u));
  });
  auto const lacks = [](std::uint8_t bit) {
    return [bit](std::uint8_t state) { return (state & bit) == 0; };
  };
  if (std::ranges::any_of(fits_, lacks(kFits))) rebuild();
  return std::ranges::none_of(fits_, lacks(kHasWritten));
}

}  // namespace takt::c
