// A pool that cuts every loop into single items, so that small scenes are shared by all workers too.
#pragma once

#include "takt/threads/thread_pool.h"

namespace takt::test {

class FinePool final : public TaskPool {
 public:
  explicit FinePool(std::uint32_t workers) : pool_(workers) {}
  [[nodiscard]] std::uint32_t worker_count() const noexcept override { return pool_.worker_count(); }
  void for_each(std::size_t count, std::size_t, const Loop& loop) override { pool_.for_each(count, 1, loop); }

 private:
  ThreadPool pool_;
};

}  // namespace takt::test
