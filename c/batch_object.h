// BatchObject is the batch behind a takt_batch: n worlds of one scene, a thread pool and scratch memory for
// each of its threads. Each world is a WorldObject with a handle of its own. A batch distributes worlds over
// threads, which changes no bit. It has no state beside its worlds.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "c/state_arrays.h"
#include "c/world_object.h"

namespace takt::c {

class BatchObject {
 public:
  static constexpr HandleKind kKind = HandleKind::kBatch;
  static constexpr std::string_view kName = "batch";
  static constexpr std::uint32_t kMaxWorlds = 65536;

  /// Copies `first` until there are `world_count` worlds. `pool` may be null.
  BatchObject(std::unique_ptr<WorldObject> first, std::uint32_t world_count,
              std::shared_ptr<ThreadPool> pool);

  [[nodiscard]] std::size_t size() const noexcept { return worlds_.size(); }
  [[nodiscard]] WorldObject& world(std::size_t index) noexcept { return *worlds_[index]; }
  [[nodiscard]] StateArrays& arrays() noexcept { return arrays_; }
  [[nodiscard]] takt_view view(std::uint32_t field) {
    return arrays_.view(field,
                        [this](std::uint32_t i) -> const sim::AnyWorld& { return worlds_[i]->world(); });
  }
  /// Refreshes the arrays of the batch after a change of one world: the row of a body; null = all rows.
  void refresh_world(std::uint32_t index, BodyId body);

  /// Steps the worlds of `where` (null = all) and refreshes their arrays, and those of the batch. `check`
  /// may be null; it is called between ticks and between worlds. The result is that of the worst recording.
  [[nodiscard]] StepRecord step(std::uint32_t ticks, const std::uint8_t* where, StopCheck* check = nullptr);
  /// Calls run(world index) for the worlds of `where`, on the threads of the batch. Calls must be
  /// independent.
  template <class Run>
  void for_each(const std::uint8_t* where, const Run& run) {
    auto const part = [](void* context, std::size_t first, std::size_t end, std::uint32_t worker) {
      const Part& p = *static_cast<const Part*>(context);
      for (std::size_t i = first; i < end; ++i) {
        if (p.where == nullptr || p.where[i] != 0) (*static_cast<const Run*>(p.run))(i, worker);
      }
    };
    Part context{where, &run};
    if (pool_ != nullptr)
      pool_->for_each(size(), 1, {part, &context});
    else
      part(&context, 0, size(), 0);
  }

  std::vector<takt_world*> handles;  ///< of the worlds

 private:
  void rebuild() {
    arrays_.rebuild([this](std::uint32_t i) -> const sim::AnyWorld& { return worlds_[i]->world(); });
  }

  struct Part {
    const std::uint8_t* where;
    const void* run;
  };

  std::vector<std::unique_ptr<WorldObject>> worlds_;
  std::shared_ptr<ThreadPool> pool_;
  std::vector<StepScratch> scratch_;  // of each worker
  std::vector<std::uint8_t> fits_;    // scratch of step, a byte a world
  StateArrays arrays_;
};

}  // namespace takt::c
