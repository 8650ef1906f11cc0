// WorldSnapshot is a copy of a world's canonical state (all that can influence a later tick) in the memory of
// this process. World::capture() writes it, and World::rollback() restores the world from it. World::save()
// returns portable bytes for other processes. World::diff() returns the fields in which two worlds differ
// (takt/core/state_fields.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "takt/core/state_fields.h"

namespace takt {

template <class Real>
class World;

/// A world's canonical state in memory, for rollback: a few flat blocks. It shares the shapes, which no step
/// changes, with the world and its other snapshots. It is valid in this process only; World::save is
/// portable. Reuse one to avoid allocation. The first capture after shapes were created, destroyed or changed
/// allocates a copy of all shapes.
template <class Real>
class WorldSnapshot {
 public:
  WorldSnapshot();
  WorldSnapshot(WorldSnapshot&&) noexcept;
  WorldSnapshot& operator=(WorldSnapshot&&) noexcept;
  ~WorldSnapshot();
  /// Size of the copied state, bytes, without the shared shapes.
  [[nodiscard]] std::size_t size_bytes() const noexcept;
  /// The tick it was taken at; 0 for an empty one.
  [[nodiscard]] std::uint64_t tick() const noexcept;

 private:
  friend class World<Real>;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt
